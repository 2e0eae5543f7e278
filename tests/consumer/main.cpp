// Runs a kernel from a C++ program: parse a text, make buffers, launch, read the result, and see
// what a checked run reports when the kernel is wrong.
#include <array>
#include <cstdio>
#include <tilery/tilery.h>

namespace {

constexpr const char* kSaxpy = R"(
@triton.jit
def saxpy(x, y, a, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(y + i, a * tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)
)";

int fail(const char* what, const tilery::Error& error) {
  std::printf("%s: %s\n", what, error.message.c_str());
  return 1;
}

}  // namespace

int main() {
  const auto library = tilery::Library::parse({"saxpy.tl", 1, kSaxpy});
  if (!library) {
    return fail("parse", library.error());
  }
  const auto kernel = library->kernel("saxpy");
  if (!kernel) {
    return fail("kernel", kernel.error());
  }

  // Arrays may be ours or Tilery's.
  std::array<float, 5> x_memory = {0, 1, 2, 3, 4};
  const auto x = tilery::Buffer::borrow(tilery::DType::F32, {5}, x_memory.data());
  const auto y = tilery::Buffer::zeros(tilery::DType::F32, {5});

  const std::array<std::int64_t, 1> grid = {2};
  const auto report = tilery::launch(tilery::Device::interpreter(), *kernel, grid,
                                     {*x, *y, 2.5, {"n", 5}, {"BLOCK", 4}});
  if (!report) {
    return fail("launch", report.error());
  }
  for (const float v : y->as<float>()) {
    std::printf("%g ", v);
  }
  std::printf("\n");
  const bool is_right = y->number(4) == 10.0;

  // A wrong bound is a finding, not a crash.
  const auto wrong = tilery::launch(tilery::Device::interpreter(), *kernel, grid,
                                    {*x, *y, 2.5, {"n", 7}, {"BLOCK", 4}});
  if (!wrong || !wrong->has_errors()) {
    std::printf("the out-of-bounds access was not found\n");
    return 1;
  }
  std::printf("%s", wrong->messages.front().text.c_str());
  return is_right ? 0 : 1;
}
