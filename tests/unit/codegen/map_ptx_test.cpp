// Every element-wise op on every type becomes PTX on every chip, and the assembler takes it.
#include "codegen/nvptx.h"
#include "tests/support/ptxas.h"
#include "tests/unit/codegen/map_cases.h"
#include "tests/unit/codegen/ptx_text.h"

#include <gtest/gtest.h>
#include <llvm/IR/Verifier.h>

#include <string>

namespace tilery::codegen {
namespace {

/// The PTX of a module that `add` fills.
template <class Add>
std::string ptx_of_module(std::string_view chip, Add add) {
  const Target target = *parse_target(chip);
  const NvptxMachine machine(target);
  llvm::LLVMContext context;
  llvm::Module module("map_ops", context);
  machine.prepare(module);
  add(module, target);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.hasLocalLinkage()) {
      function.setCallingConv(llvm::CallingConv::PTX_Kernel);
    }
  }
  EXPECT_FALSE(llvm::verifyModule(module, &llvm::errs()));
  const Status optimised = machine.optimise(module);
  EXPECT_TRUE(optimised.ok()) << (optimised ? "" : optimised.error().message);
  const Result<std::string> ptx = machine.ptx(module);
  EXPECT_TRUE(ptx.ok()) << (ptx ? "" : ptx.error().message);
  return ptx ? *ptx : std::string();
}

/// The PTX of all cases as kernels of one module.
std::string ptx_of(const std::vector<MapCase>& cases, std::string_view chip, bool fast_math) {
  return ptx_of_module(chip, [&](llvm::Module& module, const Target& target) {
    for (const MapCase& each : cases) {
      add_loop(module, each, target, fast_math);
    }
  });
}

std::vector<MapCase> cases_named(const std::vector<MapCase>& cases, const std::string& start) {
  std::vector<MapCase> found;
  for (const MapCase& each : cases) {
    if (each.name.starts_with(start)) {
      found.push_back(each);
    }
  }
  return found;
}

class MapPtx : public ::testing::TestWithParam<const char*> {};

void expect_assembles(const std::vector<MapCase>& cases, const char* chip, bool fast_math) {
  const std::string ptx = ptx_of(cases, chip, fast_math);
  ASSERT_FALSE(ptx.empty());
  // Without a rounding modifier the assembler may fuse a product into a sum.
  for (const char* op : {"add.", "sub.", "mul."}) {
    for (const char* type : {"f16", "bf16", "f32", "f64"}) {
      EXPECT_EQ(ptx.find(std::string(op) + type), std::string::npos) << op << type;
    }
  }
  EXPECT_EQ(ptx.find(".ftz"), std::string::npos);
  EXPECT_EQ(ptx.find("call"), std::string::npos);
  const testing::PtxasResult assembled = testing::assemble(ptx, chip, 1);
  if (!assembled.has_ptxas) {
    GTEST_SKIP() << "no ptxas on this machine";
  }
  EXPECT_EQ(assembled.errors, "");
}

TEST_P(MapPtx, Ops) {
  expect_assembles(op_cases(), GetParam(), false);
}

TEST_P(MapPtx, Casts) {
  expect_assembles(cast_cases(), GetParam(), false);
}

TEST_P(MapPtx, FastMath) {
  std::vector<MapCase> cases;
  for (const char* start : {"exp", "log", "rsqrt", "sin", "cos", "erf", "div", "sqrt"}) {
    for (MapCase& each : cases_named(op_cases(), start)) {
      cases.push_back(std::move(each));
    }
  }
  expect_assembles(cases, GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(Chips, MapPtx, ::testing::Values("sm_80", "sm_89", "sm_90a", "sm_100"));

/// How often a word stands in the PTX of one case on sm_90a.
int count_of(const std::string& word, const std::string& name, bool fast_math = false) {
  std::vector<MapCase> all = op_cases();
  for (MapCase& each : cast_cases()) {
    all.push_back(std::move(each));
  }
  for (const MapCase& each : all) {
    if (each.name == name) {
      return occurrences(ptx_of({each}, "sm_90a", fast_math), word);
    }
  }
  ADD_FAILURE() << "no case " << name;
  return -1;
}

TEST(MapPtx, NarrowFloatsAddAndFuseNatively) {
  EXPECT_EQ(count_of("add.rn.bf16", "add_bf16"), 1);
  EXPECT_EQ(count_of("fma.rn.f16", "fma_f16"), 1);
  EXPECT_EQ(count_of("cvt", "fma_f16"), 0);
}

TEST(MapPtx, DivisionAndSquareRootAreCorrectlyRoundedInFastMathToo) {
  EXPECT_EQ(count_of("div.rn.f32", "div_f32", true), 1);
  EXPECT_EQ(count_of("sqrt.rn.f32", "sqrt_f32", true), 1);
}

TEST(MapPtx, SharersOfADivisorShareItsReciprocal) {
  const std::string ptx = ptx_of_module("sm_90a", [](llvm::Module& module, const Target& target) {
    add_shared_divisions(module, target);
  });
  EXPECT_EQ(occurrences(ptx, "rcp.approx.ftz.f32"), 1);
  EXPECT_EQ(occurrences(ptx, "fma.rn.f32"), 2 + 2 * kSharers);
  // The way for large and small numbers.
  EXPECT_EQ(occurrences(ptx, "rcp.approx.ftz.f64"), 1);
  EXPECT_EQ(occurrences(ptx, "mul.rn.f64"), kSharers);
  EXPECT_EQ(occurrences(ptx, "div."), 0);
}

TEST(MapPtx, FastExpIsAProductAndOneInstruction) {
  EXPECT_EQ(count_of("ex2.approx.f32", "exp_f32", true), 1);
  EXPECT_EQ(count_of("mul.rn.f32", "exp_f32", true), 1);
  EXPECT_EQ(count_of("fma.rn.f32", "exp_f32", true), 0);
}

TEST(MapPtx, ReproducibleExpUsesNoApproximation) {
  EXPECT_EQ(count_of("approx", "exp_f32"), 0);
  EXPECT_GT(count_of("fma.rn.f32", "exp_f32"), 4);
}

TEST(MapPtx, HugeAnglesAreReducedBehindABranch) {
  // The loop's own branch, one to the slow way, and none back (the assembler sees fall-through).
  EXPECT_GE(count_of("@%p", "sin_f32"), 2);
}

TEST(MapPtx, FloatToIntegerIsOneInstruction) {
  EXPECT_EQ(count_of("cvt.rzi.s32.f32", "cast_f32_to_i32"), 1);
  EXPECT_EQ(count_of("selp", "cast_f32_to_i32"), 0);
}

TEST(MapPtx, Fp8ConvertsInHardwareWhereTheChipDoes) {
  EXPECT_EQ(count_of("cvt.rn.satfinite.e4m3x2.f32", "cast_f32_to_f8e4nv"), 1);
  EXPECT_EQ(count_of("cvt.rn.f16x2.e4m3x2", "cast_f8e4nv_to_f16"), 1);
  EXPECT_EQ(count_of("e4m3", "cast_f32_to_f8e4b15"), 0);
}

TEST(MapPtx, HighHalfOfAProductIsOneInstruction) {
  EXPECT_EQ(count_of("mul.hi.u32", "umulhi_i32"), 1);
  EXPECT_EQ(count_of("mul.hi.u64", "umulhi_u64"), 1);
}

}  // namespace
}  // namespace tilery::codegen
