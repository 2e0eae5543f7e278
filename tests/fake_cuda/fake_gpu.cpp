#include "tests/fake_cuda/fake_gpu.h"

#include "runtime/gpu_compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <thread>

namespace tilery::testing {

namespace {

FakeFacts facts;

codegen::KernelParameter parameter_of(const Type& type) {
  if (type.is_pointer()) {
    return {8, true};
  }
  return {static_cast<std::uint8_t>(std::max(1, bit_width(type.element.scalar) / 8)), false};
}

GpuCompileResult fake_compile(const Function& function, const codegen::Target& target,
                              const codegen::CodegenOptions& options, const SourceMap*) {
  ++facts.compiled;
  std::this_thread::sleep_for(std::chrono::milliseconds(facts.milliseconds));
  codegen::KernelBinary binary;
  binary.entry = function.name;
  binary.target = target.name();
  for (const Param& p : function.params) {
    binary.parameters.push_back(parameter_of(p.type));
  }
  binary.num_warps = options.num_warps.value_or(facts.num_warps);
  binary.num_ctas = facts.num_ctas;
  binary.shared_bytes = facts.shared_bytes;
  binary.programs_per_block = facts.programs_per_block;
  if (facts.programs_per_block > 1) {
    binary.parameters.push_back({4, false});
  }
  const char* what = function.name.starts_with("copy") ? "// fake: copy 0 8 16\n"
                     : function.name == "assert_false" ? "// fake: assert\n"
                                                       : "";
  binary.code = !facts.code.empty()
                    ? facts.code
                    : fmt::format(".version 8.0\n.target {}\n{}.visible .entry {}() {{ ret; }}\n",
                                  target.name(), what, function.name);
  return {std::move(binary), {}, false};
}

}  // namespace

Variable::Variable(const char* name, const std::string& value) : name_(name) {
  const char* before = std::getenv(name);
  was_set_ = before != nullptr;
  before_ = was_set_ ? before : "";
  setenv(name, value.c_str(), 1);
}

Variable::~Variable() {
  if (was_set_) {
    setenv(name_.c_str(), before_.c_str(), 1);
  } else {
    unsetenv(name_.c_str());
  }
}

std::string fake_cuda_path() {
  return FAKE_CUDA_PATH;
}

const FakeCuda& fake_cuda() {
  static const FakeCuda functions = [] {
    void* library = dlopen(FAKE_CUDA_PATH, RTLD_NOW);
    FakeCuda f{};
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(f.calls, "fake_cuda_calls");
    find(f.modules, "fake_cuda_modules");
    find(f.allocations, "fake_cuda_allocations");
    find(f.last_launch, "fake_cuda_last_launch");
    find(f.capture, "fake_cuda_capture");
    find(f.set_current, "fake_cuda_set_current");
    find(f.current, "fake_cuda_current");
    find(f.reset, "fake_cuda_reset");
    return f;
  }();
  return functions;
}

FakeGpu::FakeGpu()
    : facts_(facts),
      library_("TILERY_LIBCUDA", FAKE_CUDA_PATH),
      cache_variable_("TILERY_CACHE_DIR", cache_.file("cache")) {
  facts.shared_bytes = 0;
  facts.num_warps = 4;
  facts.num_ctas = 1;
  facts.programs_per_block = 1;
  facts.code.clear();
  facts.compiled = 0;
  facts.milliseconds = 0;
  replace_gpu_compiler(fake_compile);
}

FakeGpu::~FakeGpu() {
  fake_cuda().capture(0);
  fake_cuda().set_current(0);
  fake_cuda().reset();
}

Kernel FakeGpu::kernel(const std::string& text) {
  const Result<Library> library = Library::parse({"k.tl", 1, text});
  EXPECT_TRUE(library.ok()) << (library ? "" : library.error().message);
  const Result<Kernel> only = library->only_kernel();
  EXPECT_TRUE(only.ok()) << (only ? "" : only.error().message);
  return *only;
}

std::string FakeGpu::copy_text(const std::string& name) {
  return fmt::format(
      "def {}(x, o, n):\n"
      "    i = tl.arange(0, 8)\n"
      "    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)\n",
      name);
}

Device FakeGpu::gpu(int ordinal) {
  const Result<Device> device = Device::cuda(ordinal);
  EXPECT_TRUE(device.ok()) << (device ? "" : device.error().message);
  return *device;
}

Buffer FakeGpu::numbers(const std::vector<float>& values) {
  return *Buffer::copy_of(DType::F32, {static_cast<std::int64_t>(values.size())}, values.data());
}

Error FakeGpu::launch_error(const Device& device, const Kernel& kernel, const Arguments& arguments,
                            std::vector<std::int64_t> grid, const LaunchOptions& options) {
  const Result<LaunchReport> report = launch(device, kernel, grid, arguments, options);
  EXPECT_FALSE(report.ok());
  return report ? Error{} : report.error();
}

}  // namespace tilery::testing
