// Compiling for a GPU once: in memory, on disk, by threads, and what failures leave.
#include "runtime/gpu_kernels.h"

#include "tests/fake_cuda/fake_gpu.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tilery {
namespace {

using testing::fake_cuda;
using testing::Variable;

class GpuKernelsTest : public testing::FakeGpu {
 protected:
  Result<LaunchReport> run(const Kernel& k, const LaunchOptions& options = {}) {
    const std::array<std::int64_t, 1> grid = {1};
    return launch(gpu(), k, grid, {numbers({1, 2}), numbers({0, 0}), 2}, options);
  }

  /// Launches must work; returns how many compilations there were so far.
  int compilations_after_run(const Kernel& k, const LaunchOptions& options = {}) {
    const Result<LaunchReport> report = run(k, options);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return facts_.compiled;
  }

  std::vector<std::filesystem::path> cached_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(cache_.path() / "cache")) {
      files.push_back(file.path());
    }
    return files;
  }
};

TEST_F(GpuKernelsTest, a_second_launch_finds_the_loaded_kernel) {
  const Kernel k = kernel(copy_text());
  EXPECT_EQ(compilations_after_run(k), 1);
  const long loads = fake_cuda().calls("cuModuleLoadData");
  EXPECT_EQ(compilations_after_run(k), 1);
  EXPECT_EQ(fake_cuda().calls("cuModuleLoadData"), loads);
}

TEST_F(GpuKernelsTest, options_that_change_the_code_make_another_kernel) {
  const Kernel k = kernel(copy_text());
  LaunchOptions options;
  EXPECT_EQ(compilations_after_run(k, options), 1);
  options.num_warps = 4;
  EXPECT_EQ(compilations_after_run(k, options), 2) << "4 said is not 4 chosen";
  options.math = MathMode::Reproducible;
  EXPECT_EQ(compilations_after_run(k, options), 3);
  options.math = MathMode::Fast;
  EXPECT_EQ(compilations_after_run(k, options), 3) << "fast is what unsaid means";
  options.threads = 2;
  EXPECT_EQ(compilations_after_run(k, options), 3) << "an option of the interpreter";
}

TEST_F(GpuKernelsTest, a_new_process_finds_it_on_disk) {
  // A new library is what a new process has.
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 1);
  EXPECT_EQ(cached_files().size(), 1U);
  const long assembled = fake_cuda().calls("cuLinkComplete");
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 1);
  EXPECT_EQ(fake_cuda().calls("cuLinkComplete"), assembled) << "what is kept needs no assembling";
}

TEST_F(GpuKernelsTest, another_kernel_or_line_is_not_found_on_disk) {
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 1);
  EXPECT_EQ(compilations_after_run(kernel(copy_text("copy_too"))), 2);
  EXPECT_EQ(compilations_after_run(kernel("\n" + copy_text())), 3) << "the code tells its lines";
}

TEST_F(GpuKernelsTest, the_key_depends_on_all_that_the_code_depends_on) {
  Function f;
  f.name = "f";
  f.body = RegionId(0);
  f.regions.resize(1);
  const codegen::Target sm80 = *codegen::parse_target("sm_80");
  const Sha256Digest key = kernel_cache_key(f, sm80, {}, 13000, nullptr);
  EXPECT_EQ(kernel_cache_key(f, sm80, {}, 13000, nullptr), key);
  EXPECT_NE(kernel_cache_key(f, *codegen::parse_target("sm_90"), {}, 13000, nullptr), key);
  EXPECT_NE(kernel_cache_key(f, sm80, {}, 12090, nullptr), key);
  const auto expect_other_key = [&](auto change) {
    codegen::CodegenOptions options;
    change(options);
    EXPECT_NE(kernel_cache_key(f, sm80, options, 13000, nullptr), key);
  };
  expect_other_key([](auto& options) { options.num_warps = 1; });
  expect_other_key([](auto& options) { options.num_stages = 2; });
  expect_other_key([](auto& options) { options.math = codegen::GpuMath::Reproducible; });
  expect_other_key([](auto& options) { options.maxnreg = 64; });
  expect_other_key([](auto& options) { options.debug = true; });
  f.name = "g";
  EXPECT_NE(kernel_cache_key(f, sm80, {}, 13000, nullptr), key);
}

TEST_F(GpuKernelsTest, threads_that_need_the_same_kernel_compile_it_once) {
  facts_.milliseconds = 50;
  const Kernel k = kernel(copy_text());
  (void)gpu();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const std::array<std::int64_t, 1> grid = {1};
      good += launch(*Device::cuda(), k, grid, {numbers({1, 2}), numbers({0, 0}), 2}).ok() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(good, 8);
  EXPECT_EQ(facts_.compiled, 1);
}

TEST_F(GpuKernelsTest, libraries_that_need_the_same_kernel_at_once_compile_it_once) {
  // What two processes do: they share the folder and nothing else.
  facts_.milliseconds = 50;
  (void)gpu();
  std::vector<Kernel> kernels;
  for (int i = 0; i < 4; ++i) {
    kernels.push_back(kernel(copy_text()));
  }
  std::vector<std::thread> threads;
  for (const Kernel& k : kernels) {
    threads.emplace_back([&k] {
      const std::array<std::int64_t, 1> grid = {1};
      EXPECT_TRUE(launch(*Device::cuda(), k, grid, {numbers({1, 2}), numbers({0, 0}), 2}).ok());
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(facts_.compiled, 1);
}

TEST_F(GpuKernelsTest, a_damaged_file_is_compiled_anew_and_replaced) {
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 1);
  const std::filesystem::path file = cached_files().at(0);
  const auto size = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, size / 2);
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 2);
  EXPECT_EQ(std::filesystem::file_size(file), size);
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 2);
}

TEST_F(GpuKernelsTest, code_that_only_the_driver_finds_wanting_is_compiled_anew) {
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 1);
  Kernel k = kernel(copy_text());
  {
    const Variable fail("FAKE_CUDA_FAIL", "cuModuleLoadData=209");
    EXPECT_FALSE(run(k).ok()) << "also the new code fails to load now";
    EXPECT_EQ(facts_.compiled, 2);
  }
  EXPECT_TRUE(run(k).ok());
}

TEST_F(GpuKernelsTest, without_a_place_for_the_cache_it_works) {
  const Variable nowhere("TILERY_CACHE_DIR", "/proc/nonexistent");
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 1);
  EXPECT_EQ(compilations_after_run(kernel(copy_text())), 2);
}

TEST_F(GpuKernelsTest, a_failure_is_told_and_tried_again) {
  const Kernel k = kernel(copy_text());
  facts_.code = "nonsense";
  const Result<LaunchReport> report = run(k);
  ASSERT_FALSE(report.ok());
  for (const char* word : {"kernel `copy`", "cuLinkAddData", "CUDA_ERROR_INVALID_PTX",
                           "expected .version", "sm_90a", "bug of Tilery"}) {
    EXPECT_NE(report.error().message.find(word), std::string::npos) << report.error().message;
  }
  facts_.code.clear();
  EXPECT_TRUE(run(k).ok());
}

TEST_F(GpuKernelsTest, code_without_the_entry_is_refused) {
  facts_.code = ".version 8.0\n.entry other() {}\n";
  const Result<LaunchReport> report = run(kernel(copy_text()));
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("no entry `copy`"), std::string::npos)
      << report.error().message;
}

TEST_F(GpuKernelsTest, kernels_are_unloaded_with_their_library) {
  const long before = fake_cuda().modules();
  {
    const Kernel k = kernel(copy_text());
    EXPECT_TRUE(run(k).ok());
    EXPECT_EQ(fake_cuda().modules(), before + 1);
  }
  EXPECT_EQ(fake_cuda().modules(), before);
}

TEST_F(GpuKernelsTest, another_context_gets_its_own_module) {
  const Kernel k = kernel(copy_text());
  EXPECT_TRUE(run(k).ok());
  const long before = fake_cuda().modules();
  fake_cuda().set_current(1);
  EXPECT_TRUE(run(k).ok());
  EXPECT_EQ(fake_cuda().modules(), before + 1);
  EXPECT_TRUE(run(k).ok());
  EXPECT_EQ(fake_cuda().modules(), before + 1);
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(GpuKernelsTest, ten_thousand_specialisations_leave_nothing_behind) {
  const Variable nowhere("TILERY_CACHE_SIZE", "0");
  const long modules = fake_cuda().modules();
  const auto specialise_many = [&] {
    const Kernel k = kernel("def k(n: tl.constexpr):\n    pass\n");
    const std::array<std::int64_t, 1> grid = {1};
    for (int n = 0; n < 2500; ++n) {
      ASSERT_TRUE(launch(gpu(), k, grid, {n}).ok());
    }
    EXPECT_EQ(fake_cuda().modules(), modules + 2500);
  };
  specialise_many();
  const std::size_t before = resident_bytes();
  for (int i = 0; i < 3; ++i) {
    specialise_many();
  }
  EXPECT_EQ(fake_cuda().modules(), modules);
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory back
  // The allocator keeps some pages; what was made three times over would be far more.
  EXPECT_LT(resident_bytes(), before + (8U << 20));
#endif
}

}  // namespace
}  // namespace tilery
