#include "tests/unit/codegen/mma_kernels.h"

#include <fmt/format.h>

namespace tilery::codegen {
namespace {

/// A function that loads one tile: flat, then in its shape.
std::string load(std::string_view name, std::string_view type, std::string_view shape,
                 std::size_t count) {
  return fmt::format(
      "  %{0}_i = arange start=0 end={3} : i32[{3}]\n  %{0}_s = splat %{0} : *{1}[{3}]\n"
      "  %{0}_p = addptr %{0}_s, %{0}_i : *{1}[{3}]\n  %{0}_v = load %{0}_p : {1}[{3}]\n"
      "  %{0}_t = reshape %{0}_v : {1}{2}\n",
      name, type, shape, count);
}

}  // namespace

std::string describe(const DotCase& c) {
  return fmt::format("{} x {} -> {} {}: {} x [{}, {}, {}], {} warps, {}", ir_name(c.factor),
                     ir_name(c.factor), ir_name(c.acc), c.precision, c.batch, c.m, c.n, c.k,
                     c.warps, c.target);
}

std::string dot_kernel(const DotCase& c) {
  const auto shape = [&](int rows, int columns) {
    return c.batch == 1 ? fmt::format("[{}, {}]", rows, columns)
                        : fmt::format("[{}, {}, {}]", c.batch, rows, columns);
  };
  return fmt::format(
      "func @f(%a: *{0}, %b: *{1}, %c: *{2}) {{\n{3}{4}{5}"
      "  %d = dot %a_t, %b_t, %c_t precision={6} : {2}{7}\n"
      "  %o = reshape %d : {2}[{8}]\n  store %c_p, %o\n}}\n",
      ir_name(c.factor), ir_name(c.factor), ir_name(c.acc),
      load("a", ir_name(c.factor), shape(c.m, c.k), c.a_count()),
      load("b", ir_name(c.factor), shape(c.k, c.n), c.b_count()),
      load("c", ir_name(c.acc), shape(c.m, c.n), c.out_count()), c.precision, shape(c.m, c.n),
      c.out_count());
}

const std::vector<Types>& all_types() {
  static const std::vector<Types> types{
      {Scalar::F16, Scalar::F32, "ieee"},
      {Scalar::F16, Scalar::F16, "ieee"},
      {Scalar::BF16, Scalar::F32, "ieee"},
      {Scalar::I8, Scalar::I32, "ieee"},
      {Scalar::F32, Scalar::F32, "tf32"},
      {Scalar::F32, Scalar::F32, "tf32x3"},
      {Scalar::F32, Scalar::F32, "bf16x3"},
      {Scalar::F32, Scalar::F32, "bf16x6"},
      {Scalar::F64, Scalar::F64, "ieee"},
      {Scalar::F64, Scalar::F64, "ieee", "sm_80"},
      {Scalar::F8E4NV, Scalar::F32, "ieee"},
      {Scalar::F8E5, Scalar::F32, "ieee"},
      {Scalar::F8E4NV, Scalar::F32, "ieee", "sm_80"},
  };
  return types;
}

DotCase case_of(const Types& types, int m, int n, int k, int warps, int batch) {
  return {types.factor, types.acc, types.precision, batch, m, n, k, warps, types.target};
}

}  // namespace tilery::codegen
