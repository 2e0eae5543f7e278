// How many instructions dots on tensor cores take, and that a ptxas takes them, on every chip.
#include "codegen/codegen.h"
#include "codegen/dot_plan.h"
#include "tests/support/lowered_kernel.h"
#include "tests/support/ptxas.h"
#include "tests/unit/codegen/mma_kernels.h"
#include "tests/unit/codegen/ptx_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tilery::codegen {
namespace {

KernelBinary compiled(const DotCase& dot) {
  CodegenOptions options;
  options.num_warps = dot.warps;
  const GpuFunction gpu = testing::lowered_ir(dot_kernel(dot), options, *parse_target(dot.target));
  auto binary = emit_ptx(gpu, {});
  EXPECT_TRUE(binary) << binary.error().message;
  const testing::PtxasResult assembled = testing::assemble(binary->code, dot.target, 1);
  EXPECT_EQ(assembled.errors, "") << binary->code;
  return std::move(*binary);
}

/// "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" or what else stands there.
std::string instruction_of(const KernelBinary& binary) {
  const std::size_t at = binary.code.find("mma.sync");
  return at == std::string::npos
             ? ""
             : binary.code.substr(at, binary.code.find_first_of(" \n", at) - at);
}

int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

struct Kind {
  Types types;
  std::string_view instruction;
  int k_step = 16;
  int products = 1;
  int rows = 16;  ///< of the instruction
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kKinds{
      {{Scalar::F16, Scalar::F32, "ieee", "sm_80"}, "m16n8k16.row.col.f32.f16.f16.f32", 16},
      {{Scalar::BF16, Scalar::F32, "ieee", "sm_100"}, "m16n8k16.row.col.f32.bf16.bf16.f32", 16},
      {{Scalar::I8, Scalar::I32, "ieee", "sm_89"}, "m16n8k32.row.col.s32.s8.s8.s32", 32},
      {{Scalar::F32, Scalar::F32, "tf32", "sm_80"}, "m16n8k8.row.col.f32.tf32.tf32.f32", 8},
      {{Scalar::F32, Scalar::F32, "tf32x3", "sm_90a"}, "m16n8k8.row.col.f32.tf32.tf32.f32", 8, 3},
      {{Scalar::F32, Scalar::F32, "bf16x3", "sm_80"}, "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 3},
      {{Scalar::F32, Scalar::F32, "bf16x6", "sm_100"}, "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 6},
      {{Scalar::F64, Scalar::F64, "ieee", "sm_80"}, "m8n8k4.row.col.f64.f64.f64.f64", 4, 1, 8},
      {{Scalar::F64, Scalar::F64, "ieee", "sm_90a"}, "m16n8k8.row.col.f64.f64.f64.f64", 8},
      {{Scalar::F8E4NV, Scalar::F32, "ieee", "sm_90a"}, "m16n8k32.row.col.f32.e4m3.e4m3.f32", 32},
      {{Scalar::F8E5, Scalar::F32, "ieee", "sm_100"}, "m16n8k32.row.col.f32.e5m2.e5m2.f32", 32},
      {{Scalar::F8E4NV, Scalar::F32, "ieee", "sm_89"}, "m16n8k16.row.col.f32.f16.f16.f32", 16},
      {{Scalar::F8E5, Scalar::F32, "ieee", "sm_80"}, "m16n8k16.row.col.f32.f16.f16.f32", 16},
  };
  return kKinds;
}

/// Instructions of a warp: those of the padded tile. Warps share out the pieces of 16 rows and 8
/// columns, each gets at least one.
int expected_count(const DotCase& dot, const Kind& kind) {
  const int pieces = ceil_div(dot.m, 16) * ceil_div(dot.n, 8);
  const int in_piece = ceil_div(std::min(dot.m, 16), kind.rows);
  return dot.batch * std::max(1, pieces / dot.warps) * in_piece * ceil_div(dot.k, kind.k_step) *
         kind.products;
}

TEST(MmaPtx, as_many_instructions_as_the_padded_tile_has) {
  for (const Kind& kind : kinds()) {
    for (const DotCase& dot :
         {case_of(kind.types, 64, 64, 64, 4), case_of(kind.types, 64, 32, 32, 8),
          case_of(kind.types, 16, 8, 32, 1), case_of(kind.types, 8, 4, 8, 1),
          case_of(kind.types, 1, 64, 16, 2), case_of(kind.types, 16, 2, 1, 4),
          case_of(kind.types, 16, 16, 16, 1, 2)}) {
      SCOPED_TRACE(describe(dot));
      const KernelBinary binary = compiled(dot);
      EXPECT_EQ(instruction_of(binary), "mma.sync.aligned." + std::string(kind.instruction));
      EXPECT_EQ(occurrences(binary.code, "mma.sync"), expected_count(dot, kind));
    }
  }
}

TEST(MmaPtx, fp8_asks_for_the_version_that_has_it) {
  const auto version = [](Scalar factor, const char* target) {
    const std::string code = compiled({factor, Scalar::F32, "ieee", 1, 16, 8, 32, 1, target}).code;
    return code.substr(code.find(".version"), 12);
  };
  EXPECT_EQ(version(Scalar::F8E4NV, "sm_90a"), ".version 8.4");
  EXPECT_EQ(version(Scalar::F16, "sm_90a"), ".version 8.0");
  EXPECT_EQ(version(Scalar::F8E4NV, "sm_89"), ".version 8.1");
}

}  // namespace
}  // namespace tilery::codegen
