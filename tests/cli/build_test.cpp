// `tilery build`: what it writes compiles as C99 and C++ and launches through the stand-in driver.
#include "tests/cli/command.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilery {
namespace {

using nlohmann::json;
using testing::kAdd;
using testing::ProcessOptions;
using testing::ProcessResult;
using testing::run_process;
using testing::TempDir;
using testing::tilery;

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// show.h of the programs of these tests: `show` prints the stand-in's last launch, the parameters
/// in hexadecimal.
constexpr const char* kShow = R"(
typedef struct { unsigned grid[3], block[3], shared_bytes; void* stream; unsigned cluster;
                 size_t bytes; unsigned char parameters[256]; } last_launch;
static inline void* stand_in(const char* name) { return dlsym(dlopen(TILERY_LIBCUDA, RTLD_NOW), name); }
static inline void show(int status) {
  const last_launch* (*last)(void);
  const last_launch* l;
  size_t i;
  void* found = stand_in("fake_cuda_last_launch");
  memcpy(&last, &found, sizeof found);
  if (status != TILERY_OK) {
    printf("%d %s\n", status, tilery_message());
    return;
  }
  l = last();
  printf("%u,%u,%u %u %p %u ", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->stream,
         (unsigned)l->bytes);
  for (i = 0; i < l->bytes; ++i) {
    printf("%02x", (unsigned)l->parameters[i]);
  }
  printf("\n");
}
static inline long modules(void) {
  long (*count)(void);
  void* found = stand_in("fake_cuda_modules");
  memcpy(&count, &found, sizeof found);
  return count();
}
)";

class CliBuild : public ::testing::Test {
 protected:
  /// Builds into `dir/STEM`.
  ProcessResult build(const std::string& stem, const std::string& kernel,
                      std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"build", dir_.write("k.tl", kernel)});
    arguments.insert(arguments.end(), {"--out", dir_.file(stem)});
    return tilery(std::move(arguments));
  }

  void build_add() {
    const ProcessResult r =
        build("add", kAdd,
              {"x=*f32:16", "y=*f32:16", "out=*f32", "n=i32:16", "BLOCK=256", "num_warps=4"});
    ASSERT_EQ(r.exit_code, 0) << r.err;
  }

  /// Compiles as C99 and as C++, all warnings errors; runs the C++ program, then the C program,
  /// whose result counts; both must print the same.
  ProcessResult run(const std::string& program, const ProcessOptions& options = {},
                    const std::string& libcuda = TILERY_FAKE_CUDA) {
    const ProcessResult cpp = run_as({"-x", "c++", "-std=c++11"}, program, options, libcuda);
    const ProcessResult c = run_as({"-x", "c", "-std=c99"}, program, options, libcuda);
    EXPECT_EQ(cpp.out, c.out);
    EXPECT_EQ(cpp.exit_code, c.exit_code);
    return c;
  }

  ProcessResult run_as(const std::vector<std::string>& language, const std::string& program,
                       const ProcessOptions& options, const std::string& libcuda) {
    dir_.write("main.c", program);
    dir_.write("show.h", kShow);
    std::vector<std::string> compile = {TILERY_CXX_COMPILER};
    if (const std::string_view sanitizers = TILERY_SANITIZERS; !sanitizers.empty()) {
      compile.push_back("-fsanitize=" + std::string(sanitizers));  // the stand-in wants them too
    }
    compile.insert(compile.end(), language.begin(), language.end());
    compile.insert(compile.end(), {"-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion",
                                   "-Werror", "-DTILERY_LIBCUDA=\"" + libcuda + "\"", "main.c",
                                   "-o", "main", "-ldl", "-lpthread"});
    ProcessOptions here;
    here.working_directory = dir_.path().string();
    const ProcessResult compiled = run_process(compile, here);
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
    return run_process({dir_.file("main")}, options);
  }

  TempDir dir_;
};

TEST_F(CliBuild, writes_the_code_and_a_header) {
  const ProcessResult r =
      build("add", kAdd, {"x=*f32", "y=*f32", "out=*f32", "n=i32", "BLOCK=256", "--json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["files"], json({dir_.file("add.ptx"), dir_.file("add.h")}));
  EXPECT_EQ(report["kernel"]["parameters"][3]["type"], "int32");
  EXPECT_EQ(report["kernel"]["constants"]["BLOCK"], "256");
  EXPECT_TRUE(contains(dir_.read("add.ptx"), ".entry add_kernel("));
  EXPECT_TRUE(contains(dir_.read("add.h"), "BLOCK = 256"));
  EXPECT_EQ(dir_.count(), 3) << "and nothing else";
}

TEST_F(CliBuild, the_header_launches_with_packed_arguments) {
  build_add();
  const ProcessResult r = run(R"(
#include "add.h"
#include "show.h"
int main(void) {
  static add_kernel kernel = add_KERNEL_INIT;
  int stream = 0;
  if (add_load(&kernel) != TILERY_OK) {
    return 1;
  }
  show(add_launch(&kernel, (1000 + add_CONSTEXPR_BLOCK - 1) / add_CONSTEXPR_BLOCK, 2, 3, NULL,
                  0x1122334455667780, 0x10, 0x21, 0x1230));
  printf("%d ", add_launch(&kernel, 0, 2, 3, &stream, 0, 0, 0, 16));
  printf("%ld ", modules());
  printf("%d ", add_unload(&kernel));
  printf("%ld\n", modules());
  return 0;
}
)");
  // 4 programs cover 1000 elements. Pointers take 8 bytes each, little-endian, then the i32.
  EXPECT_EQ(r.out,
            "4,2,3 128 (nil) 28 80776655443322111000000000000000210000000000000030120000\n"
            "0 1 0 0\n")
      << r.err;
}

TEST_F(CliBuild, every_type_has_its_place) {
  const std::string kernel =
      "def k(p, a, b, c, d, e, f, g):\n"
      "    tl.store(p, a + b + c + d + e.to(tl.int64) + f.to(tl.int64) + g.to(tl.int64))\n";
  const ProcessResult built =
      build("k", kernel, {"p=*i64", "a=i8", "b=i16", "c=i64", "d=i1", "e=f16", "f=f32", "g=f64"});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const ProcessResult r = run(R"(
#include "k.h"
#include "show.h"
int main(void) {
  k_kernel kernel = k_KERNEL_INIT;
  if (k_load(&kernel) != TILERY_OK) {
    return 1;
  }
  show(k_launch(&kernel, 1, 1, 1, NULL, 8, -2, -3, -4, 5, 0x3c00, 1.0f, 1.0));
  return 0;
}
)");
  // Offsets 0, 8, 10, 16, 24, 26, 28, 32; a true i1 is 1.
  EXPECT_EQ(r.out, "1,1,1 " + r.out.substr(6, r.out.find(' ', 6) - 6) +
                       " (nil) 40 0800000000000000fe00fdff00000000fcffffffffffffff0100003c"
                       "0000803f000000000000f03f\n")
      << r.err;
}

TEST_F(CliBuild, values_that_the_code_was_not_compiled_for_are_refused) {
  const ProcessResult built =
      build("k", "def k(o, n, s):\n    tl.store(o + tl.arange(0, 64) * s, n)\n",
            {"o=*i32:16", "n=i32:16", "s=i64:1"});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const ProcessResult r = run(R"(
#include "k.h"
#include "show.h"
int main(void) {
  k_kernel kernel = k_KERNEL_INIT;
  show(k_launch(&kernel, 1, 1, 1, NULL, 16, 16, 1));
  if (k_load(&kernel) != TILERY_OK) {
    return 1;
  }
  show(k_launch(&kernel, 1, 1, 1, NULL, 24, 16, 1));
  show(k_launch(&kernel, 1, 1, 1, NULL, 16, -24, 1));
  show(k_launch(&kernel, 1, 1, 1, NULL, 16, 0, 1));
  show(k_launch(&kernel, 1, 1, 1, NULL, 16, 16, 2));
  show(k_launch(&kernel, 1, 65536, 1, NULL, 16, 16, 1));
  printf("%d\n", k_check(16, -16, 1));
  return 0;
}
)");
  EXPECT_EQ(
      r.out,
      "-3 kernel `k` is not loaded\n"
      "-5 kernel `k`: `o` is 0x18, and the code was compiled for addresses aligned to 16 "
      "bytes\n"
      "-5 kernel `k`: `n` is -24, and the code was compiled for multiples of 16 other than 0\n"
      "-5 kernel `k`: `n` is 0, and the code was compiled for multiples of 16 other than 0\n"
      "-5 kernel `k`: `s` is 2, and the code was compiled for 1\n"
      "-4 kernel `k`: a grid of 1 x 65536 x 1 programs; a GPU takes 2147483647 x 65535 x "
      "65535\n"
      "0\n")
      << r.err;
}

constexpr const char* kLoad = R"(
int main(void) {
  add_kernel kernel = add_KERNEL_INIT;
  int status = add_load(&kernel);
  if (status == TILERY_OK) {
    status = add_launch(&kernel, 1, 1, 1, NULL, 16, 16, 16, 16);
  }
  printf("%d %s\n", status, tilery_message());
  printf("%d\n", add_unload(&kernel));
  return 0;
}
)";

TEST_F(CliBuild, what_the_machine_lacks_is_told) {
  build_add();
  const std::string program = std::string("#include \"add.h\"\n") + kLoad;
  EXPECT_TRUE(contains(run(program, {}, "/nowhere/libcuda.so.1").out,
                       "-1 kernel `add`: no NVIDIA driver: /nowhere/libcuda.so.1"));
  const auto with = [&](const char* name, const char* value) {
    ProcessOptions options;
    options.environment = {{name, value}};
    return run_process({dir_.file("main")}, options).out;
  };
  EXPECT_TRUE(contains(run(program).out, "0 \n0\n"));
  EXPECT_EQ(with("FAKE_CUDA_CAPABILITY", "100"),
            "-2 kernel `add` was compiled for sm_90a, and this GPU is sm_100: build it for that "
            "target\n0\n");
  for (const char* call :
       {"cuInit", "cuCtxGetCurrent", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent",
        "cuDeviceGetAttribute", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernel"}) {
    const std::string out = with("FAKE_CUDA_FAIL", (std::string(call) + "=2").c_str());
    EXPECT_TRUE(contains(out, std::string("2 kernel `add`: ") + call +
                                  " failed with error 2, CUDA_ERROR_OUT_OF_MEMORY"))
        << call << ": " << out;
  }
}

TEST_F(CliBuild, a_newer_gpu_runs_ptx_that_is_not_for_one_chip) {
  const ProcessResult built = build(
      "add", kAdd,
      {"x=*f32:16", "y=*f32:16", "out=*f32:16", "n=i32:16", "BLOCK=256", "--target", "sm_80"});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_TRUE(contains(run(std::string("#include \"add.h\"\n") + kLoad).out, "0 \n0\n"));
}

TEST_F(CliBuild, many_threads_load_one_kernel_once) {
  build_add();
  const ProcessResult r = run(R"(
#include "add.h"
#include "show.h"
static add_kernel kernel = add_KERNEL_INIT;
static void* work(void* result) {
  int i;
  int status = add_load(&kernel);
  for (i = 0; i < 100 && status == TILERY_OK; ++i) {
    status = add_launch(&kernel, 1, 1, 1, NULL, 16, 16, 16, 16);
  }
  *(int*)result = status;
  return NULL;
}
int main(void) {
  pthread_t threads[8];
  int results[8];
  int i;
  int sum = 0;
  for (i = 0; i < 8; ++i) {
    pthread_create(&threads[i], NULL, work, &results[i]);
  }
  for (i = 0; i < 8; ++i) {
    pthread_join(threads[i], NULL);
    sum += results[i];
  }
  printf("%d %ld\n", sum, modules());
  return 0;
}
)");
  EXPECT_EQ(r.out, "0 1\n") << r.err;
}

TEST_F(CliBuild, several_headers_live_in_one_file) {
  build_add();
  ASSERT_EQ(build("Add", kAdd, {"x=*f32", "y=*f32", "out=*f32", "n=i32", "BLOCK=64"}).exit_code, 0);
  const ProcessResult r = run(R"(
#include "add.h"
#include "Add.h"
int main(void) {
  printf("%d %d %d\n", add_CONSTEXPR_BLOCK, Add_CONSTEXPR_BLOCK,
         add_check(16, 16, 8, 5) != TILERY_OK && Add_check(4, 4, 4, 5) == TILERY_OK);
  return 0;
}
)");
  EXPECT_EQ(r.out, "256 64 1\n") << r.err;
}

TEST_F(CliBuild, hostile_names_stay_harmless) {
  const std::string kernel =
      "def k(int, new, N, arg_N, stream, grid_x, o, gr\u00F6\u00DFe, NULL: tl.constexpr, "
      "S: tl.constexpr):\n"
      "    tl.store(o, int + new + N + arg_N + stream + grid_x + gr\u00F6\u00DFe)\n";
  fs::create_directory(dir_.path() / "a *");
  const std::string file = dir_.write("a *\\ \"b\" $(date) ??\n.tl", kernel);
  fs::copy_file(file, dir_.path() / "a *" / "*k.tl");
  // The path has both ends of a comment, and the name a trigraph and a line's end.
  for (const std::string& source : {file, dir_.file("a */*k.tl")}) {
    const ProcessResult r =
        tilery({"build", source, "int=i32", "new=i32", "N=i32", "arg_N=i32", "stream=i32",
                "grid_x=i32", "o=*i32", "gr\u00F6\u00DFe=i32:16", "NULL=-9223372036854775808",
                "S=\"*/ ?\?/ \\\"", "--out", dir_.file("2 *k - \u00E4")});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const ProcessResult ran =
        run("#define N 5\n#define o 7\n#include \"2 *k - \u00E4.h\"\n"
            "int main(void) {\n"
            "  printf(\"%d\", k2__k______CONSTEXPR_NULL < -INT64_C(9223372036854775807));\n"
            "  return 0;\n}\n");
    EXPECT_EQ(ran.out, "1") << ran.err;
  }
}

TEST_F(CliBuild, nothing_is_left_where_one_file_cannot_be_written) {
  const std::vector<std::string> arguments = {"x=*f32", "y=*f32", "out=*f32", "n=i32", "BLOCK=64"};
  const ProcessResult missing = build("no/such/add", kAdd, arguments);
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(contains(missing.err, "cannot write")) << missing.err;
  fs::create_directory(dir_.path() / "add.h");
  const ProcessResult r = build("add", kAdd, arguments);
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(contains(r.err, "add.h`: Is a directory")) << r.err;
  EXPECT_EQ(dir_.count(), 2) << "add.h and the kernel";
}

TEST_F(CliBuild, mistakes_are_told_before_anything_is_written) {
  const std::vector<std::string> good = {"x=*f32", "y=*f32", "out=*f32", "n=i32"};
  EXPECT_EQ(build("add", kAdd, good).exit_code, 2) << "BLOCK is missing";
  std::vector<std::string> bad = good;
  bad.emplace_back("BLOCK=0");
  EXPECT_EQ(build("add", kAdd, bad).exit_code, 1);
  bad.back() = "BLOCK=64";
  bad.insert(bad.end(), {"--target", "sm_42"});
  EXPECT_EQ(build("add", kAdd, bad).exit_code, 2);
  bad = good;
  bad.insert(bad.end(), {"BLOCK=64", "--name", "1bad name"});
  const ProcessResult name = build("add", kAdd, bad);
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_TRUE(contains(name.err, "--name 1bad name: ")) << name.err;
  EXPECT_EQ(dir_.count(), 1);
  EXPECT_EQ(tilery({"build", dir_.file("k.tl")}).exit_code, 2) << "--out is missing";
}

// ---- a CUDA toolkit of scripts ----

class CliToolkit : public ::testing::Test {
 protected:
  void script(const char* name, const std::string& body) {
    const std::string path = dir_.write(name, "#!/bin/sh\n" + body);
    fs::permissions(path, fs::perms::owner_all);
  }

  ProcessResult emit(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"emit",
                                          dir_.write("k.tl", "def k(o):\n    tl.store(o, 1)\n"),
                                          "o=zeros:i32[1]", "--stage", "sass"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ProcessOptions options;
    options.environment = {{"PATH", dir_.path().string()}, {"CUDA_HOME", ""}, {"CUDA_PATH", ""}};
    return tilery(arguments, options);
  }

  TempDir dir_;
};

constexpr const char* kPtxas =
    "printf '\\177ELF %s\\n' \"$1 $2\" > \"$4\"\n/bin/cat \"$5\" >> \"$4\"\n";

TEST_F(CliToolkit, sass_comes_from_ptxas_and_nvdisasm) {
  script("ptxas", kPtxas);
  script("nvdisasm",
         "printf '//## File \"%s\", line 2\\n' \"" + dir_.file("k.tl") + "\"\n/bin/cat \"$3\"\n");
  const ProcessResult r = emit({"--target", "sm_80"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "ELF -arch=sm_80 -lineinfo\n")) << r.out;
  EXPECT_TRUE(contains(r.out, ".entry k_kernel(")) << r.out;
  const ProcessResult lines = emit({"--lines"});
  EXPECT_TRUE(contains(lines.out, "k.tl\", line 2:     tl.store(o, 1)\n")) << lines.out;
  const json report = json::parse(emit({"--json"}).out);
  EXPECT_EQ(report["texts"][0]["stage"], "sass");
}

TEST_F(CliToolkit, cuobjdump_will_do) {
  if (fs::exists("/usr/local/cuda/bin/nvdisasm")) {
    GTEST_SKIP() << "nvdisasm is here and comes first";
  }
  script("ptxas", kPtxas);
  script("cuobjdump", "echo \"$1\"\n");
  EXPECT_TRUE(contains(emit().out, "tells no source lines; nvdisasm does\n-sass\n"));
}

TEST_F(CliToolkit, what_is_missing_is_told) {
  if (fs::exists("/usr/local/cuda/bin/nvdisasm")) {
    GTEST_SKIP() << "a whole toolkit is here";
  }
  const ProcessResult r = emit();
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(contains(r.err, "--stage ptx needs nothing")) << r.err;
  EXPECT_TRUE(contains(r.err, "CUDA_HOME is unset")) << r.err;
}

TEST_F(CliToolkit, a_tool_that_fails_is_quoted) {
  script("ptxas", "echo 'ptxas fatal : no' >&2\nexit 7\n");
  const ProcessResult r = emit();
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_TRUE(contains(r.err, "exit code 7:\nptxas fatal : no")) << r.err;
  script("ptxas", "exit 0\n");
  EXPECT_TRUE(contains(emit().err, "made no machine code")) << emit().err;
  script("ptxas", "kill -9 $$\n");
  EXPECT_TRUE(contains(emit().err, "exit code 137")) << emit().err;
}

TEST_F(CliToolkit, cubins_come_from_ptxas) {
  script("ptxas", kPtxas);
  ProcessOptions options;
  options.environment = {{"PATH", dir_.path().string()}};
  const ProcessResult r = tilery({"build", dir_.write("k.tl", "def k(o):\n    tl.store(o, 1)\n"),
                                  "o=*i32", "--format", "cubin", "--out", dir_.file("k")},
                                 options);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(dir_.read("k.cubin").starts_with("\177ELF -arch=sm_90a"));
  // 127, 69, 76, 70 are the bytes of "\177ELF".
  EXPECT_TRUE(contains(dir_.read("k.h"), "127,69,76,70,"));
}

/// docs/build.md: of a run-time number the type and the facts count, of a compile-time one the
/// number.
TEST_F(CliBuild, a_number_of_a_given_type_is_its_type_or_the_number) {
  const auto kernel_for = [&](const std::string& n, const std::string& block) {
    const ProcessResult r =
        build("add", kAdd,
              {"x=*f32:16", "y=*f32:16", "out=*f32:16", "n=" + n, "BLOCK=" + block, "--json"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return json::parse(r.out, nullptr, false)["kernel"];
  };
  const json every = kernel_for("i32", "256");
  EXPECT_EQ(kernel_for("i32:7", "256"), every);
  EXPECT_EQ(kernel_for("7", "256"), every);
  EXPECT_EQ(kernel_for("i32", "i32:256"), every);
  EXPECT_EQ(kernel_for("i32", "i64:256"), every);
  EXPECT_EQ(kernel_for("i32:32", "256"), kernel_for("i32:16", "256"));
  EXPECT_NE(kernel_for("i32:32", "256"), every);
  EXPECT_NE(kernel_for("i64:7", "256"), every);
}

}  // namespace
}  // namespace tilery
