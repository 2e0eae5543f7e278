// Which dots go on tensor cores, as what, and where they do not.
#include "codegen/dot_plan.h"

#include "ir/builder.h"
#include "tests/support/ir_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tilery::codegen {
namespace {

struct Tile {
  int m = 64;
  int n = 64;
  int k = 64;
};

DotPlan plan(std::string_view factor, std::string_view acc, const char* target,
             std::string_view precision = "ieee", const Tile& tile = {}) {
  const std::string text = fmt::format(
      "func @f(%a: {0}[{3}, {5}], %b: {0}[{5}, {4}], %c: {1}[{3}, {4}]) {{\n"
      "  %d = dot %a, %b, %c precision={2} : {1}[{3}, {4}]\n}}\n",
      factor, acc, precision, tile.m, tile.n, tile.k);
  const Function function = testing::read_ir(text);
  DotPlan result;
  for_each_inst(function, function.body, [&](InstId id) {
    if (function.inst(id).op == Op::Dot) {
      result = plan_dot(function, function.inst(id), *parse_target(target));
      const bool is_chain = result.path == DotPath::FusedChain;
      EXPECT_EQ(dot_scratch(function, function.inst(id), *parse_target(target)).bytes != 0,
                is_chain);
    }
  });
  return result;
}

void expect_mma(const DotPlan& plan, MmaType type, int element_bits, int k_step, int parts = 1) {
  EXPECT_EQ(plan.path, DotPath::TensorCore);
  EXPECT_EQ(plan.type, type);
  EXPECT_EQ(plan.element_bits, element_bits);
  EXPECT_EQ(plan.k_step, k_step);
  EXPECT_EQ(plan.parts, parts);
}

void expect_chain(const DotPlan& plan) {
  EXPECT_EQ(plan.path, DotPath::FusedChain);
}

TEST(DotPlan, each_type_has_its_instruction) {
  // The shapes of PTX: 256 bits of a row along k.
  expect_mma(plan("f16", "f32", "sm_80"), MmaType::F16, 16, 16);
  expect_mma(plan("f16", "f16", "sm_80"), MmaType::F16, 16, 16);
  expect_mma(plan("bf16", "f32", "sm_80"), MmaType::BF16, 16, 16);
  expect_mma(plan("i8", "i32", "sm_80"), MmaType::S8, 8, 32);
  expect_mma(plan("u8", "i32", "sm_80"), MmaType::U8, 8, 32);
  expect_mma(plan("f32", "f32", "sm_80", "tf32"), MmaType::Tf32, 32, 8);
}

TEST(DotPlan, fp32_in_parts) {
  expect_mma(plan("f32", "f32", "sm_80", "tf32x3"), MmaType::Tf32, 32, 8, 2);
  expect_mma(plan("f32", "f32", "sm_80", "bf16x3"), MmaType::BF16, 16, 16, 2);
  expect_mma(plan("f32", "f32", "sm_80", "bf16x6"), MmaType::BF16, 16, 16, 3);
}

TEST(DotPlan, exact_fp32_is_a_chain) {
  expect_chain(plan("f32", "f32", "sm_90a", "ieee"));
}

TEST(DotPlan, fp8_goes_as_itself_where_that_loses_nothing) {
  for (const char* target : {"sm_90", "sm_90a", "sm_100", "sm_103"}) {
    expect_mma(plan("f8e4nv", "f32", target), MmaType::E4M3, 8, 32);
    expect_mma(plan("f8e5", "f32", target), MmaType::E5M2, 8, 32);
    // No instruction knows these formats; fp16 holds them.
    expect_mma(plan("f8e4b15", "f32", target), MmaType::F16, 16, 16);
  }
  for (const char* target : {"sm_80", "sm_86", "sm_89", "sm_120"}) {
    expect_mma(plan("f8e4nv", "f32", target), MmaType::F16, 16, 16);
    expect_mma(plan("f8e5", "f32", target), MmaType::F16, 16, 16);
  }
}

TEST(DotPlan, fp64_where_there_are_units) {
  for (const char* target : {"sm_80", "sm_90", "sm_90a", "sm_100"}) {
    expect_mma(plan("f64", "f64", target), MmaType::F64, 32, 8);
  }
  for (const char* target : {"sm_86", "sm_89", "sm_120"}) {
    expect_chain(plan("f64", "f64", target));
  }
}

TEST(DotPlan, powers_of_two_are_padded) {
  for (const Tile& tile : {Tile{1, 1, 1}, Tile{8, 4, 8}, Tile{1, 256, 64}, Tile{64, 1, 2}}) {
    EXPECT_EQ(plan("f16", "f32", "sm_80", "ieee", tile).path, DotPath::TensorCore);
    EXPECT_EQ(plan("f32", "f32", "sm_80", "tf32", tile).path, DotPath::TensorCore);
    EXPECT_EQ(plan("i8", "i32", "sm_80", "ieee", tile).path, DotPath::TensorCore);
  }
}

TEST(DotPlan, odd_factors_are_padded_if_that_is_less_work) {
  // 3 · 3 · 5 instructions for 9 results a lane of 20 multiply-adds each.
  EXPECT_EQ(plan("f16", "f32", "sm_80", "ieee", {24, 12, 20}).path, DotPath::TensorCore);
  EXPECT_EQ(plan("f16", "f32", "sm_80", "ieee", {48, 24, 96}).path, DotPath::TensorCore);
  // 5 · 3 · 7 instructions, each for one product: as many as multiply-adds.
  expect_chain(plan("f16", "f32", "sm_80", "ieee", {5, 3, 7}));
}

TEST(DotPlan, what_an_instruction_covers) {
  EXPECT_EQ(covered_extent(64, 16), 16);
  EXPECT_EQ(covered_extent(8, 16), 8);
  EXPECT_EQ(covered_extent(24, 16), 8);
  EXPECT_EQ(covered_extent(5, 16), 1);
}

}  // namespace
}  // namespace tilery::codegen
