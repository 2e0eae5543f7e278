// What a launch costs on a GPU beside the driver's own call, and whether the runtime does there
// what it does on the stand-in of the tests. Needs a GPU; ends with 1 if a check fails or the goal
// is missed.
//
//     launch_bench              # tables of microseconds, and `ok` or `FAILED` a check
//
// The kernel is hand-written PTX, so that nothing but the runtime is measured: it copies n
// elements.
#include "bench/good.h"
#include "runtime/cuda_api.h"
#include "runtime/cuda_device.h"
#include "runtime/cuda_module.h"
#include "runtime/gpu_compile.h"
#include "tilery/tilery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

using namespace tilery;  // NOLINT(google-build-using-namespace)
using bench::good;

constexpr const char* kKernel =
    "def copy(x, o, n):\n"
    "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
    "    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)\n";

constexpr const char* kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 x, .param .u64 o, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %d<4>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  mad.lo.s32 %r2, %r0, 128, %r1;
  ld.param.u32 %r3, [n];
  setp.ge.s32 %p, %r2, %r3;
  @%p bra DONE;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [o];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  mul.wide.s32 %d2, %r2, 4;
  add.s64 %d0, %d0, %d2;
  add.s64 %d1, %d1, %d2;
  ld.global.b32 %r4, [%d0];
  st.global.b32 [%d1], %r4;
DONE:
  ret;
}
)";

constexpr int kWarmUp = 2000;
constexpr int kLaunches = 5000;
constexpr int kRounds = 9;
/// What a prepared launch may cost over the driver's call.
constexpr double kGoalMicroseconds = 0.5;

GpuCompileResult hand_written(const Function& function, const codegen::Target& target,
                              const codegen::CodegenOptions&, const SourceMap*) {
  codegen::KernelBinary binary;
  binary.entry = function.name;
  binary.code = kPtx;
  binary.target = target.name();
  binary.parameters = {{8, true}, {8, true}, {4, false}};
  return {binary, {}, false};
}

int failures = 0;

void check(bool condition, const std::string& what) {
  std::printf("%-64s %s\n", what.c_str(), condition ? "ok" : "FAILED");
  failures += condition ? 0 : 1;
}

/// Microseconds of one call, the median of several rounds; the GPU's queue is drained in between.
template <class Call, class Drain>
double microseconds(Call call, Drain drain) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < kWarmUp; ++i) {
    call();
  }
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    drain();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kLaunches; ++i) {
      call();
    }
    const std::chrono::duration<double, std::micro> passed = Clock::now() - start;
    rounds.push_back(passed.count() / kLaunches);
  }
  std::ranges::sort(rounds);
  return rounds[rounds.size() / 2];
}

struct Setting {
  Device device;
  Kernel kernel;
  Buffer x;
  Buffer o;
};

std::vector<float> elements(const Buffer& buffer) {
  std::vector<float> values(static_cast<std::size_t>(buffer.numel()));
  (void)buffer.copy_to(values.data());
  return values;
}

void check_results(const Setting& s) {
  const std::array<std::int64_t, 1> grid = {8};
  const Buffer x = good(Buffer::uninitialised(DType::F32, {1000}));
  const Buffer o = good(Buffer::zeros(DType::F32, {1000}));
  for (int i = 0; i < 1000; ++i) {
    x.as<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i);
  }
  const LaunchReport report = good(launch(s.device, s.kernel, grid, {x, o, 997}));
  check(report.programs_run == 8, "a launch with arrays in host memory runs");
  check(o.as<float>()[996] == 996 && o.as<float>()[997] == 0, "and its result comes back");

  const Buffer there = good(x.to(s.device));
  const Buffer out = good(Buffer::zeros(DType::F32, {1000}, s.device));
  LaunchOptions options;
  options.stream = nullptr;
  good(launch(s.device, s.kernel, grid, {there, out, 1000}, options));
  const std::vector<float> got = elements(out);
  check(got[0] == 0 && got[999] == 999, "arrays on the GPU, on the default stream");

  const Buffer tail =
      good(Buffer::borrow(DType::F32, {4}, static_cast<float*>(out.data()) + 996, s.device));
  check(tail.number(3) == 999, "memory of the GPU can be borrowed");
  std::array<float, 4> mine{};
  check(!Buffer::borrow(DType::F32, {4}, mine.data(), s.device).ok(),
        "host memory is not taken for the GPU's");
}

/// Captures three prepared launches into a graph and replays it.
void check_capture(const Setting& s) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto call = [&]<class... T>(const char* name, T... arguments) {
    auto* function = reinterpret_cast<int (*)(T...)>(dlsym(driver, name));
    return function(arguments...);
  };
  CudaContext& context = *good(s.device.cuda_device()->context());
  const ContextScope scope(context);
  const std::array<std::int64_t, 1> grid = {8};
  const PreparedLaunch prepared = good(prepare(s.device, s.kernel, grid, {s.x, s.o, 1000}));
  void* stream = nullptr;
  void* graph = nullptr;
  void* instance = nullptr;
  bool is_good =
      call("cuStreamCreate", &stream, 1U) == 0 && call("cuStreamBeginCapture_v2", stream, 0) == 0;
  for (int i = 0; i < 3; ++i) {
    is_good = is_good && prepared(stream).ok();
  }
  is_good = is_good && call("cuStreamEndCapture", stream, &graph) == 0;
  check(is_good, "prepared launches can be captured");
  Buffer(s.o).set_number(5, -1);
  is_good = is_good && call("cuGraphInstantiateWithFlags", &instance, graph, 0ULL) == 0 &&
            call("cuGraphLaunch", instance, stream) == 0 &&
            call("cuStreamSynchronize", stream) == 0;
  check(is_good && s.o.number(5) == s.x.number(5), "and the graph does what they would have done");
}

void check_errors(const Setting& s) {
  const std::array<std::int64_t, 2> tall = {1, 70000};
  const auto refused = launch(s.device, s.kernel, tall, {s.x, s.o, 1});
  check(!refused && refused.error().message.find("65535") != std::string::npos,
        "a grid that is too tall is refused with the limit");
  const auto huge = Buffer::uninitialised(DType::F64, {1LL << 40}, s.device);
  check(!huge && huge.error().message.find("CUDA_ERROR_OUT_OF_MEMORY") != std::string::npos,
        "an array that does not fit is refused");
  codegen::KernelBinary wrong;
  wrong.code = ".version 8.0\n.target sm_80\nnonsense\n";
  const auto assembled = assemble(*good(s.device.cuda_device()->context()), wrong, "wrong");
  check(!assembled && assembled.error().message.find("ptxas") != std::string::npos,
        "the driver's words on wrong PTX come through");
}

void measure(const Setting& s) {
  CudaContext& context = *good(s.device.cuda_device()->context());
  const ContextScope scope(context);
  const CudaApi& api = s.device.cuda_device()->api();
  const std::array<std::int64_t, 1> grid = {1};
  LaunchOptions options;
  options.stream = context.stream;
  const auto drain = [&] { (void)api.cuStreamSynchronize(context.stream); };

  codegen::KernelBinary binary =
      *hand_written(Function{}, good(s.device.cuda_device()->target()), {}, nullptr).binary;
  binary.entry = "copy";
  const auto loaded =
      good(CudaKernel::load(context, good(assemble(context, binary, "copy")), "copy", false));
  void* x = s.x.data();
  void* o = s.o.data();
  int n = 100;
  std::array<void*, 3> parameters = {&x, &o, &n};
  const double bare = microseconds(
      [&] {
        api.cuLaunchKernel(loaded->handle(), 1, 1, 1, 128, 1, 1, 0, context.stream,
                           parameters.data(), nullptr);
      },
      drain);
  const PreparedLaunch prepared = good(prepare(s.device, s.kernel, grid, {s.x, s.o, 100}));
  const double packed = microseconds([&] { (void)prepared(context.stream); }, drain);
  const double whole = microseconds(
      [&] { (void)launch(s.device, s.kernel, grid, {s.x, s.o, 100}, options); }, drain);
  std::printf("\n%-40s %8s %8s\n", "microseconds a launch", "all", "over bare");
  std::printf("%-40s %8.3f\n", "cuLaunchKernel", bare);
  std::printf("%-40s %8.3f %8.3f\n", "PreparedLaunch", packed, packed - bare);
  std::printf("%-40s %8.3f %8.3f\n\n", "launch()", whole, whole - bare);
  check(packed - bare <= kGoalMicroseconds, "a prepared launch costs at most 0.5 us more");
}

}  // namespace

int main() {
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("TILERY_CACHE_SIZE", "0", 1);
  replace_gpu_compiler(hand_written);
  const Device device = good(Device::cuda());
  const GpuInfo& info = *device.gpu_info();
  std::printf("%s, CUDA %s, %s\n\n", info.name.c_str(),
              cuda_version_text(info.driver_version).c_str(), info.target.c_str());
  Library library = good(Library::parse({"copy.tl", 1, kKernel}));
  Buffer x = good(Buffer::zeros(DType::F32, {1000}, device));
  x.set_number(5, 55);
  const Setting setting{device, good(library.only_kernel()), x,
                        good(Buffer::zeros(DType::F32, {1000}, device))};
  check_results(setting);
  check_capture(setting);
  check_errors(setting);
  measure(setting);
  return failures == 0 ? 0 : 1;
}
