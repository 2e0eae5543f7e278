#include "tests/unit/codegen/simt_mma.h"

#include "ir/math/convert.h"

#include <llvm/IR/InlineAsm.h>

#include <array>
#include <bit>
#include <cstdio>
#include <tuple>
#include <utility>

namespace tilery::testing {
namespace {

constexpr std::size_t kLanes = 32;

/// "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 …" taken apart.
struct MmaShape {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::string sum;
  std::string a;
  std::string b;
};

std::string assembly_of(const llvm::CallInst& call) {
  return std::string(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString());
}

/// "llvm.nvvm.mma.m16n8k16.row.col.bf16" and its like.
bool is_intrinsic(const llvm::CallInst& call) {
  const llvm::Function* const function = call.getCalledFunction();
  return function != nullptr && function->getName().starts_with("llvm.nvvm.mma.");
}

/// What follows "row.col." in an intrinsic's name, as the types of the sums and of the factors.
std::pair<std::string, std::string> types_of(const std::string& ending) {
  if (ending == "f32.f32") {
    return {"f32", "f16"};
  }
  const bool is_whole = ending == "s8" || ending == "u8";
  return {is_whole ? "s32" : "f32", ending};
}

MmaShape shape_of(const llvm::CallInst& call) {
  std::array<char, 8> sum{};
  std::array<char, 8> a{};
  std::array<char, 8> b{};
  MmaShape shape;
  if (is_intrinsic(call)) {
    const std::string name = call.getCalledFunction()->getName().str();
    if (std::sscanf(name.c_str(), "llvm.nvvm.mma.m%zun%zuk%zu.row.col.%7s", &shape.m, &shape.n,
                    &shape.k, sum.data()) != 4) {
      unknown(call);
    }
    std::tie(shape.sum, shape.a) = types_of(sum.data());
    shape.b = shape.a;
    return shape;
  }
  const int found = std::sscanf(assembly_of(call).c_str(),
                                "mma.sync.aligned.m%zun%zuk%zu.row.col.%7[^.].%7[^.].%7[^.].",
                                &shape.m, &shape.n, &shape.k, sum.data(), a.data(), b.data());
  if (found != 6) {
    unknown(call);
  }
  shape.sum = sum.data();
  shape.a = a.data();
  shape.b = b.data();
  return shape;
}

std::size_t bits_of(const std::string& type) {
  if (type == "f64") {
    return 64;
  }
  if (type == "tf32") {
    return 32;
  }
  return type == "f16" || type == "bf16" ? 16 : 8;
}

double number_of(const std::string& type, std::uint64_t bits) {
  const auto code = static_cast<std::uint32_t>(bits);
  if (type == "f64") {
    return std::bit_cast<double>(bits);
  }
  if (type == "f32" || type == "tf32") {
    // The hardware looks at 19 of tf32's bits.
    return std::bit_cast<float>(type == "tf32" ? code & 0xFFFFE000U : code);
  }
  if (type == "f16" || type == "bf16") {
    return math::decode(code, float_format(type == "f16" ? Scalar::F16 : Scalar::BF16));
  }
  if (type == "e4m3" || type == "e5m2") {
    return math::decode(code, float_format(type == "e4m3" ? Scalar::F8E4NV : Scalar::F8E5));
  }
  if (type == "s8") {
    return static_cast<std::int8_t>(code);
  }
  return type == "s32" ? static_cast<double>(static_cast<std::int32_t>(code)) : code;
}

std::uint64_t bits_of_sum(const std::string& type, double sum) {
  if (type == "f64") {
    return std::bit_cast<std::uint64_t>(sum);
  }
  return type == "f32" ? std::bit_cast<std::uint32_t>(static_cast<float>(sum))
                       : static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
}

/// The matrices of one instruction, row-major.
struct Matrices {
  std::vector<double> a;
  std::vector<double> b;
};

/// Operand registers of one lane: a first, then b.
void gather(const MmaShape& shape, const Bits& operands, std::size_t lane, Matrices& to) {
  const std::size_t group = lane / 4;
  const std::size_t thread = lane % 4;
  const std::size_t bits = bits_of(shape.a);
  const std::size_t per_register = bits < 32 ? 32 / bits : 1;
  const std::size_t rows = shape.m / 8;
  const std::size_t halves = shape.k / (4 * per_register);
  for (std::size_t half = 0; half < halves; ++half) {
    for (std::size_t i = 0; i < per_register; ++i) {
      const std::size_t k = half * 4 * per_register + thread * per_register + i;
      const auto element = [&](const std::string& type, std::size_t reg) {
        const std::uint64_t part = bits == 64 ? operands[reg] : operands[reg] >> (i * bits);
        return number_of(type, masked(part, static_cast<unsigned>(bits)));
      };
      for (std::size_t row = 0; row < rows; ++row) {
        to.a[(group + 8 * row) * shape.k + k] = element(shape.a, half * rows + row);
      }
      to.b[k * shape.n + group] = element(shape.b, halves * rows + half);
    }
  }
}

}  // namespace

bool is_mma(const llvm::Instruction& inst) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
  return call != nullptr && (is_intrinsic(*call) ||
                             (call->isInlineAsm() && assembly_of(*call).starts_with("mma.sync")));
}

std::vector<Bits> mma(const llvm::CallInst& call, const std::vector<Bits>& operands) {
  const MmaShape shape = shape_of(call);
  Matrices matrices{std::vector<double>(shape.m * shape.k), std::vector<double>(shape.k * shape.n)};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    gather(shape, operands[lane], lane, matrices);
  }
  const std::size_t sums = shape.m / 8 * 2;
  std::vector<Bits> results(kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t reg = 0; reg < sums; ++reg) {
      const std::size_t row = lane / 4 + 8 * (reg / 2);
      const std::size_t column = lane % 4 * 2 + reg % 2;
      double sum = number_of(shape.sum, operands[lane][operands[lane].size() - sums + reg]);
      for (std::size_t k = 0; k < shape.k; ++k) {
        sum += matrices.a[row * shape.k + k] * matrices.b[k * shape.n + column];
      }
      results[lane].push_back(bits_of_sum(shape.sum, sum));
    }
  }
  return results;
}

}  // namespace tilery::testing
