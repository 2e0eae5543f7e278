// Reduce and scan as PTX: every kind of fold and element type assembles, and the instructions that
// cost are as many as the plan says, counted by hand.
#include "codegen/codegen.h"
#include "codegen/fold_plan.h"
#include "ir/reader.h"
#include "tests/support/ptxas.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::codegen {
namespace {

/// A [rows, columns] tile that is loaded, folded and stored.
struct Tile {
  int rows = 1;
  int columns = 1;
  int per_thread = 4;
  int warps = 4;

  [[nodiscard]] Layout layout() const {
    const std::array order{1, 0};
    return blocked_layout(Shape({rows, columns}), order, per_thread, warps);
  }
};

Function read_ir(std::string_view text) {
  SourceMap sources;
  const FileId file = sources.add("test.ir", 1, std::string(text));
  Diagnostics diagnostics;
  auto function = read_function(sources, file, diagnostics);
  if (!function) {
    ADD_FAILURE() << text << render(diagnostics.all().front(), sources);
    return {};
  }
  return std::move(*function);
}

/// Loads %v: type[rows, columns], then `folds`, which leave %s of the tile's or of the result's
/// shape, as `stored` says.
Function kernel(const Tile& tile, std::string_view type, std::string_view folds,
                std::string_view stored) {
  const bool is_row = stored == fmt::format("[{}]", tile.rows);
  const bool is_tile = stored.find(',') != std::string_view::npos;
  const std::string offsets = is_tile ? "%off" : is_row ? "%i" : "%j";
  return read_ir(fmt::format(
      R"(
func @f(%x: *{type}, %o: *{type}) {{
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
}}
)",
      fmt::arg("type", type), fmt::arg("rows", tile.rows), fmt::arg("columns", tile.columns),
      fmt::arg("folds", folds), fmt::arg("stored", stored), fmt::arg("offsets", offsets)));
}

/// Layouts that follow from the tile's, and scratch for each fold.
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

std::string ptx_of(const GpuFunction& gpu) {
  const Result<KernelBinary> binary = emit_ptx(gpu);
  EXPECT_TRUE(binary.ok()) << (binary ? "" : binary.error().message);
  return binary ? binary->code : std::string();
}

int count(std::string_view text, std::string_view what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

struct Counts {
  int shuffles = 0;
  int warp_folds = 0;
  int barriers = 0;
  int stores = 0;  ///< to shared memory
  int loads = 0;

  friend bool operator==(const Counts&, const Counts&) = default;

  friend std::ostream& operator<<(std::ostream& out, const Counts& counts) {
    return out << fmt::format("{} shuffles, {} warp folds, {} barriers, {} stores, {} loads",
                              counts.shuffles, counts.warp_folds, counts.barriers, counts.stores,
                              counts.loads);
  }
};

Counts counts_of(const std::string& ptx) {
  return {count(ptx, "shfl.sync"), count(ptx, "redux.sync"), count(ptx, "bar.sync"),
          count(ptx, "st.shared"), count(ptx, "ld.shared")};
}

/// `%name = reduce %from …` with one instruction as its combine function.
std::string fold(std::string_view name, std::string_view op, std::string_view from,
                 std::string_view combine, std::string_view type, std::string_view shape,
                 std::string_view attrs) {
  return fmt::format(
      "  %{0} = {1} %{2} {6} : {4}{5} {{\n  combine(%{0}_l: {4}, %{0}_r: {4}):\n"
      "    %{0}_c = {3} %{0}_l, %{0}_r : {4}\n    yield %{0}_c\n  }}\n",
      name, op, from, combine, type, shape, attrs);
}

std::string reduce_ptx(const Tile& tile, std::string_view type, std::string_view combine,
                       std::string_view chip = "sm_90a", int axis = 1) {
  const std::string stored = fmt::format("[{}]", axis == 1 ? tile.rows : tile.columns);
  const std::string text =
      fold("s", "reduce", "v", combine, type, stored, fmt::format("axis={}", axis));
  return ptx_of(placed(tile, kernel(tile, type, text, stored), chip));
}

std::string scan_ptx(const Tile& tile, std::string_view type, std::string_view combine,
                     std::string_view chip = "sm_90a", bool reverse = false, int axis = 1) {
  const std::string stored = fmt::format("[{}, {}]", tile.rows, tile.columns);
  const std::string text =
      fold("s", "scan", "v", combine, type, stored,
           fmt::format("axis={} reverse={}", axis, reverse ? "true" : "false"));
  return ptx_of(placed(tile, kernel(tile, type, text, stored), chip));
}

// ---- counts ----

TEST(FoldPtx, MaximumOfARowOverFourWarps) {
  // Registers, one instruction for the lanes, one value a warp, four of them read at once.
  EXPECT_EQ(counts_of(reduce_ptx({1, 4096, 4, 4}, "f32", "maximum")), (Counts{0, 1, 1, 1, 1}));
}

TEST(FoldPtx, SumOfARowOverFourWarps) {
  // The vector of 4 goes out with one store and comes back from 4 warps with 4 loads; lanes
  // 2+1+1+1+1 shuffles, then the vector's 2.
  EXPECT_EQ(counts_of(reduce_ptx({1, 4096, 4, 4}, "f32", "add")), (Counts{8, 0, 1, 1, 4}));
}

TEST(FoldPtx, SumOverSixteenWarps) {
  // Each of four warps takes one component: 4 stores of it, 16 loads, 5 shuffles; then one store
  // and one load of the 4 components.
  EXPECT_EQ(counts_of(reduce_ptx({1, 16384, 4, 16}, "f32", "add")), (Counts{5, 0, 2, 5, 17}));
}

TEST(FoldPtx, OneWarpHasNoBarrier) {
  EXPECT_EQ(counts_of(reduce_ptx({1, 1024, 4, 1}, "f32", "add")), (Counts{8, 0, 0, 0, 0}));
  EXPECT_EQ(counts_of(reduce_ptx({1, 1024, 4, 1}, "i32", "add")), (Counts{0, 1, 0, 0, 0}));
}

TEST(FoldPtx, NarrowValuesShareShuffles) {
  // Vectors of 8 in f16: 4, 2 and 1 values in 2, 1 and 1 words, twice one, then the vector's 3
  // bits.
  EXPECT_EQ(counts_of(reduce_ptx({1, 1024, 8, 1}, "f16", "add")).shuffles, 2 + 1 + 1 + 2 + 3);
}

TEST(FoldPtx, WideValuesTakeTwo) {
  // Vectors of 2 in f64: 5 + 1 values.
  EXPECT_EQ(counts_of(reduce_ptx({1, 256, 2, 1}, "f64", "add")).shuffles, 2 * (1 + 4 + 1));
}

TEST(FoldPtx, SoftmaxOfARow) {
  const Tile tile{1, 4096, 4, 4};
  const std::string folds = fold("m", "reduce", "v", "maximum", "f32", "[1]", "axis=1") +
                            "  %me = expand_dims %m axis=1 : f32[1, 1]\n"
                            "  %mb = broadcast %me : f32[1, 4096]\n"
                            "  %d = sub %v, %mb : f32[1, 4096]\n"
                            "  %e = exp %d : f32[1, 4096]\n" +
                            fold("t", "reduce", "e", "add", "f32", "[1]", "axis=1") +
                            "  %te = expand_dims %t axis=1 : f32[1, 1]\n"
                            "  %tb = broadcast %te : f32[1, 4096]\n"
                            "  %s = div %e, %tb : f32[1, 4096]\n";
  const std::string ptx = ptx_of(placed(tile, kernel(tile, "f32", folds, "[1, 4096]"), "sm_90a"));
  EXPECT_EQ(counts_of(ptx), (Counts{8, 1, 2, 2, 5}));
}

TEST(FoldPtx, ScanOfARow) {
  // 5 levels of lanes, then the totals of 16 blocks: one store for each of the 4 outer registers'
  // blocks, and a load of 4 warps' totals for each.
  EXPECT_EQ(counts_of(scan_ptx({1, 2048, 4, 4}, "f32", "add")), (Counts{5 * 4, 0, 1, 4, 4}));
}

// ---- everything assembles ----

struct Case {
  Tile tile;
  int axis;
};

constexpr std::array kCases{
    Case{{1, 1024, 4, 4}, 1},  // over warps
    Case{{16, 64, 2, 8}, 1},   // rows in lanes and warps
    Case{{64, 16, 2, 8}, 0},   // columns, 8 warps
    Case{{3, 40, 4, 2}, 1},    // ragged
};

void expect_assembles(const std::string& ptx, std::string_view chip) {
  ASSERT_FALSE(ptx.empty());
  const testing::PtxasResult assembled = testing::assemble(ptx, chip, 0);
  if (!assembled.has_ptxas) {
    GTEST_SKIP() << "no ptxas on PATH or in /usr/local/cuda*/bin";
  }
  EXPECT_EQ(assembled.errors, "") << ptx;
}

class FoldPtxOn : public ::testing::TestWithParam<const char*> {};

TEST_P(FoldPtxOn, EveryElementType) {
  for (const char* type : {"i8", "u8", "i16", "i32", "u32", "i64", "f16", "bf16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    expect_assembles(reduce_ptx(kCases[0].tile, type, "add", GetParam()), GetParam());
    expect_assembles(reduce_ptx(kCases[0].tile, type, "maximum", GetParam()), GetParam());
    expect_assembles(scan_ptx(kCases[0].tile, type, "add", GetParam()), GetParam());
  }
}

TEST_P(FoldPtxOn, EveryShape) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(fmt::format("[{}, {}] axis {}", one.tile.rows, one.tile.columns, one.axis));
    expect_assembles(reduce_ptx(one.tile, "f32", "mul", GetParam(), one.axis), GetParam());
    expect_assembles(reduce_ptx(one.tile, "i32", "minimum", GetParam(), one.axis), GetParam());
    expect_assembles(reduce_ptx(one.tile, "f32", "sub", GetParam(), one.axis), GetParam());
    expect_assembles(scan_ptx(one.tile, "f32", "sub", GetParam(), true, one.axis), GetParam());
  }
}

TEST_P(FoldPtxOn, SeveralOperands) {
  // Any pair fold: the sum of one member where the other wins.
  for (const char* op : {"reduce", "scan"}) {
    const Tile& tile = kCases[1].tile;
    const std::string shape = std::string(op) == "scan" ? "[16, 64]" : "[16]";
    const std::string folds = fmt::format(
        "  %c = cast %v : i64[16, 64]\n"
        "  %s, %n = {0} %v, %c axis=1 : f32{1}, i64{1} {{\n"
        "  combine(%a: f32, %b: i64, %c2: f32, %d: i64):\n"
        "    %g = gt %a, %c2 : i1\n    %t = add %b, %d : i64\n"
        "    %u = select %g, %a, %c2 : f32\n    yield %u, %t\n  }}\n",
        op, shape);
    expect_assembles(ptx_of(placed(tile, kernel(tile, "f32", folds, shape), GetParam())),
                     GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, FoldPtxOn, ::testing::Values("sm_80", "sm_90a"));

}  // namespace
}  // namespace tilery::codegen
