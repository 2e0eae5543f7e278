// Runs a kernel file on a GPU from a C++ program: arrays that stay there, a launch on a stream, and
// the same launch prepared once and called many times.
//
//     gpu vector_add.tl
//
// Without a GPU it says so and ends with 77, which test runners take for "skipped".
#include <array>
#include <cstdint>
#include <cstdio>
#include <tilery/tilery.h>
#include <vector>

namespace {

constexpr std::int64_t kElements = 1'000'000;
constexpr std::int64_t kBlock = 1024;

int fail(const char* what, const tilery::Error& error) {
  std::printf("%s: %s\n", what, error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto device = tilery::Device::cuda();
  if (!device) {
    std::printf("%s\n", device.error().message.c_str());
    return 77;
  }
  const auto library = tilery::Library::parse_file(argc > 1 ? argv[1] : "vector_add.tl");
  if (!library) {
    return fail("parse", library.error());
  }
  const auto kernel = library->only_kernel();
  if (!kernel) {
    return fail("kernel", kernel.error());
  }

  const auto x = tilery::Buffer::uninitialised(tilery::DType::F32, {kElements}, *device);
  const auto y = tilery::Buffer::zeros(tilery::DType::F32, {kElements}, *device);
  const auto sum = tilery::Buffer::uninitialised(tilery::DType::F32, {kElements}, *device);
  if (!x || !y || !sum) {
    return fail("memory", !x ? x.error() : !y ? y.error() : sum.error());
  }
  const std::vector<float> ones(kElements, 1.0F);
  if (const auto copied = x->copy_from(ones.data()); !copied) {
    return fail("copy", copied.error());
  }

  const std::array<std::int64_t, 1> grid = {(kElements + kBlock - 1) / kBlock};
  const tilery::Arguments arguments = {*x, *y, *sum, kElements, {"BLOCK", kBlock}};

  // On CUDA's default stream: the launch is queued and returns. A cudaStream_t goes here as well.
  tilery::LaunchOptions options;
  options.stream = nullptr;
  const auto report = tilery::launch(*device, *kernel, grid, arguments, options);
  if (!report) {
    return fail("launch", report.error());
  }

  // Prepared once, a call costs what the driver's own costs, and can be captured into a graph.
  const auto prepared = tilery::prepare(*device, *kernel, grid, arguments, options);
  if (!prepared) {
    return fail("prepare", prepared.error());
  }
  for (int i = 0; i < 100; ++i) {
    if (const auto queued = (*prepared)(nullptr); !queued) {
      return fail("launch", queued.error());
    }
  }

  std::vector<float> result(kElements);
  if (const auto copied = sum->copy_to(result.data()); !copied) {
    return fail("copy", copied.error());
  }
  std::printf("on %s: sum[0] = %g, sum[%lld] = %g\n", device->description().c_str(), result.front(),
              static_cast<long long>(kElements - 1), result.back());
  return result.front() == 1.0F && result.back() == 1.0F ? 0 : 1;
}
