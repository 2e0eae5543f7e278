#include "tests/unit/codegen/fold_kernels.h"

#include "codegen/fold_plan.h"
#include "tests/support/ir_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace tilery::codegen {
namespace {}  // namespace

Layout Tile::layout() const {
  const std::array order{1, 0};
  return blocked_layout(Shape({rows, columns}), order, per_thread, warps);
}

std::string fold(std::string_view name, std::string_view op, std::string_view from,
                 std::string_view combine, std::string_view type, std::string_view shape,
                 std::string_view attrs) {
  return fmt::format(
      "  %{0} = {1} %{2} {6} : {4}{5} {{\n  combine(%{0}_l: {4}, %{0}_r: {4}):\n"
      "    %{0}_c = {3} %{0}_l, %{0}_r : {4}\n    yield %{0}_c\n  }}\n",
      name, op, from, combine, type, shape, attrs);
}

Function kernel(const Tile& tile, std::string_view type, std::string_view folds,
                std::string_view stored, bool has_indices) {
  const bool is_row = stored == fmt::format("[{}]", tile.rows);
  const bool is_tile = stored.find(',') != std::string_view::npos;
  const std::string offsets = is_tile ? "%off" : is_row ? "%i" : "%j";
  const std::string indices =
      has_indices ? fmt::format(
                        "  %os2 = splat %o2 : *i64{0}\n  %q2 = addptr %os2, {1} : *i64{0}\n"
                        "  store %q2, %n\n",
                        stored, offsets)
                  : "";
  return testing::read_ir(fmt::format(
      R"(
func @f(%x: *{type}, %o: *{type}, %o2: *i64) {{
  %i = arange start=0 end={rows} : i32[{rows}]
  %j = arange start=0 end={columns} : i32[{columns}]
  %i1 = expand_dims %i axis=1 : i32[{rows}, 1]
  %j1 = expand_dims %j axis=0 : i32[1, {columns}]
  %w = constant {columns} : i32[{rows}, 1]
  %iw = mul %i1, %w : i32[{rows}, 1]
  %i2 = broadcast %iw : i32[{rows}, {columns}]
  %j2 = broadcast %j1 : i32[{rows}, {columns}]
  %off = add %i2, %j2 : i32[{rows}, {columns}]
  %xs = splat %x : *{type}[{rows}, {columns}]
  %p = addptr %xs, %off : *{type}[{rows}, {columns}]
  %v = load %p : {type}[{rows}, {columns}]
{folds}
  %os = splat %o : *{type}{stored}
  %q = addptr %os, {offsets} : *{type}{stored}
  store %q, %s
{indices}}}
)",
      fmt::arg("type", type), fmt::arg("rows", tile.rows), fmt::arg("columns", tile.columns),
      fmt::arg("folds", folds), fmt::arg("stored", stored), fmt::arg("offsets", offsets),
      fmt::arg("indices", indices)));
}

GpuFunction placed(const Tile& tile, Function function, std::string_view chip) {
  const Layout layout = tile.layout();
  GpuFunction gpu;
  gpu.target = *parse_target(chip);
  gpu.num_warps = tile.warps;
  for (std::size_t i = 0; i < function.values.size(); ++i) {
    const Shape& shape = function.values[i].type.shape;
    const auto layout_of = [&]() -> Layout {
      if (shape.is_scalar()) {
        return scalar_layout(tile.warps);
      }
      if (shape == layout.shape()) {
        return layout;
      }
      const bool is_row = shape[0] == tile.rows;
      const Layout slice = slice_layout(layout, is_row ? 1 : 0);
      return shape.rank() == 1 ? slice : expand_layout(slice, is_row ? 1 : 0);
    };
    gpu.layouts.set(ValueId(i), layout_of());
  }
  gpu.function = std::move(function);
  for (std::size_t i = 0; i < gpu.function.insts.size(); ++i) {
    const Op op = gpu.function.insts[i].op;
    if (op == Op::Reduce || op == Op::Scan) {
      const std::uint32_t bytes = fold_scratch(gpu, InstId(i)).bytes;
      gpu.shared[static_cast<std::uint32_t>(i)] = {gpu.shared_bytes, bytes};
      gpu.shared_bytes += bytes;
    }
  }
  return gpu;
}

}  // namespace tilery::codegen
