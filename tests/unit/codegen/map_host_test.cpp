// The IR of every element-wise op, run on this processor, has the interpreter's bits.
//
// This shows all but what only a GPU can: that PTX instructions do what their manual says. 8-bit
// operands and single 16-bit ones take all values; others a grid of special values and random
// patterns.
#include "interpreter/kernels.h"
#include "tests/unit/codegen/host_machine.h"
#include "tests/unit/codegen/map_cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace tilery::codegen {
namespace {

using interpreter::MapFn;
using interpreter::Operand;

constexpr std::size_t kCount = 65536;
using Cells = std::vector<std::byte>;

// ---- operands ----

const std::vector<std::uint64_t>& special_floats(Scalar scalar) {
  static const std::vector<double> values = {0.0,
                                             1.0,
                                             0.5,
                                             1.5,
                                             2.0,
                                             2.5,
                                             3.0,
                                             127.5,
                                             128.0,
                                             255.5,
                                             256.0,
                                             32767.5,
                                             32768.0,
                                             65504.0,
                                             65519.0,
                                             65520.0,
                                             65535.9,
                                             0x1p31,
                                             0x1p32,
                                             0x1p63,
                                             0x1p64,
                                             0x1.fffffep30,
                                             0x1.fffffep62,
                                             0x1.fffffffffffffp62,
                                             2147483647.5,
                                             16777217.0,
                                             448.0,
                                             464.0,
                                             480.0,
                                             57344.0,
                                             61440.0,
                                             0x1p-24,
                                             0x1p-25,
                                             0x1.8p-25,
                                             0x1p-14,
                                             0x1p-9,
                                             0x1p-10,
                                             0x1p-17,
                                             0x1p-126,
                                             0x1p-149,
                                             0x1p-150,
                                             0x1p-133,
                                             0x1p-1074,
                                             0x1p-1022,
                                             0x1.fffffep127,
                                             0x1.ffffffp127,
                                             0x1.fep127,
                                             0x1.ffp127,
                                             0x1.fffffffffffffp1023,
                                             88.0,
                                             104.0,
                                             709.0,
                                             745.0,
                                             1e5,
                                             1e10,
                                             1e22,
                                             1e300,
                                             0x1.921fb6p0,
                                             INFINITY,
                                             NAN};
  static std::array<std::vector<std::uint64_t>, kScalarCount> patterns;
  std::vector<std::uint64_t>& result = patterns[static_cast<std::size_t>(scalar)];
  if (result.empty()) {
    for (const double value : values) {
      for (const double each : {value, -value}) {
        result.push_back(scalar == Scalar::F64
                             ? std::bit_cast<std::uint64_t>(each)
                             : std::bit_cast<std::uint32_t>(static_cast<float>(each)));
      }
    }
  }
  return result;
}

std::vector<std::uint64_t> special_patterns(Scalar scalar) {
  if (scalar == Scalar::F32 || scalar == Scalar::F64) {
    return special_floats(scalar);
  }
  std::vector<std::uint64_t> result;
  for (int bit = 0; bit < bit_width(scalar); bit += bit_width(scalar) > 16 ? 3 : 1) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    result.insert(result.end(), {power, power - 1, ~power, 0 - power});
  }
  const std::uint64_t top = std::uint64_t{1} << (bit_width(scalar) - 1);
  result.insert(result.end(), {0, 1, 2, 3, 7, 10, 31, 32, 33, 63, 64, top, top - 1, ~0ULL, ~1ULL});
  return result;
}

/// Halfway between two numbers of fewer bits, or next to that.
std::uint64_t near_midpoint(std::uint64_t bits, int width, std::mt19937_64& random) {
  const std::uint64_t half = std::uint64_t{1} << (random() % static_cast<std::uint64_t>(width));
  return ((bits & (0 - half)) | half) + random() % 3 - 1;
}

/// Any pattern, one near a midpoint, or a number of everyday size.
std::uint64_t random_pattern(Scalar scalar, std::mt19937_64& random) {
  const std::uint64_t bits = random();
  const std::uint64_t kind = random() % 4;
  if (kind == 0) {
    return bits;
  }
  if (kind == 1) {
    return near_midpoint(bits, bit_width(scalar), random);
  }
  if (is_integer(scalar)) {
    return bits >> (random() % 64);
  }
  const int exponent = static_cast<int>(random() % 24) - 71;
  const double number = std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), exponent);
  return scalar == Scalar::F64 ? std::bit_cast<std::uint64_t>(number)
                               : std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

/// The pattern of operand `which` of `count` in lane `lane`.
class Patterns {
 public:
  Patterns(Scalar scalar, std::size_t which, std::size_t count)
      : scalar_(scalar), which_(which), count_(count), specials_(special_patterns(scalar)) {}

  std::uint64_t next(std::size_t lane) {
    const auto width = static_cast<std::size_t>(bit_width(scalar_));
    if (width * count_ <= 16 || (width == 8 && which_ < 2)) {
      return lane >> (width * which_);
    }
    std::size_t grid = lane;
    for (std::size_t i = 0; i < which_; ++i) {
      grid /= specials_.size();
    }
    return lane % 2 == 0 || count_ == 1 ? special_or_random(grid)
                                        : random_pattern(scalar_, random_);
  }

 private:
  std::uint64_t special_or_random(std::size_t grid) {
    const bool is_in_grid = count_ > 1 || grid < specials_.size();
    return is_in_grid ? specials_[grid % specials_.size()] : random_pattern(scalar_, random_);
  }

  Scalar scalar_;
  std::size_t which_;
  std::size_t count_;
  std::vector<std::uint64_t> specials_;
  std::mt19937_64 random_{which_ + 17};
};

Cells operand_cells(const MapCase& each, std::size_t which) {
  const Scalar scalar = each.operands[which];
  const auto bytes = static_cast<std::size_t>(byte_size(scalar));
  Cells cells(kCount * bytes);
  Patterns patterns(scalar, which, each.operands.size());
  for (std::size_t lane = 0; lane < kCount; ++lane) {
    const std::uint64_t pattern = patterns.next(lane) & (scalar == Scalar::I1 ? 1 : ~0ULL);
    std::memcpy(cells.data() + lane * bytes, &pattern, bytes);
  }
  return cells;
}

// ---- the interpreter ----

Cells cells_of(Scalar scalar) {
  return Cells(kCount * static_cast<std::size_t>(byte_size(scalar)));
}

Cells interpreter_cast(const Cells& x, Scalar from, Scalar to, bool toward_zero = false) {
  if (from == to) {
    return x;
  }
  const auto& kernels = interpreter::kernels();
  MapFn direct = toward_zero ? kernels.cast(from, to, true) : nullptr;
  direct = direct != nullptr ? direct : kernels.cast(from, to);
  if (direct == nullptr) {
    return interpreter_cast(interpreter_cast(x, from, Scalar::F32), Scalar::F32, to);
  }
  Cells result = cells_of(to);
  const Operand operand{x.data(), false};
  direct(result.data(), &operand, kCount);
  return result;
}

/// As the interpreter plans it: what a narrow float has no kernel for goes through fp32.
Cells interpreter_result(const MapCase& each, std::vector<Cells> operands) {
  const ElementOp& op = each.op;
  if (op.op == Op::Cast) {
    return interpreter_cast(operands[0], op.from.scalar, op.to.scalar, op.toward_zero);
  }
  Scalar from = op.from.scalar;
  Scalar to = op.to.scalar;
  if (op.op == Op::Select && is_fp8(from)) {
    from = Scalar::U8;
  }
  MapFn kernel = interpreter::kernels().map(op.op, from, op.propagate_nan);
  if (kernel == nullptr) {
    for (Cells& operand : operands) {
      operand = interpreter_cast(operand, from, Scalar::F32);
    }
    kernel = interpreter::kernels().map(op.op, Scalar::F32, op.propagate_nan);
    to = to == Scalar::I1 ? to : Scalar::F32;
  }
  std::vector<Operand> inputs;
  for (const Cells& operand : operands) {
    inputs.push_back({operand.data(), false});
  }
  Cells result = cells_of(to);
  kernel(result.data(), inputs.data(), kCount);
  return op.to.is(to) || op.op == Op::Select ? result : interpreter_cast(result, to, op.to.scalar);
}

// ---- the comparison ----

std::uint64_t pattern_at(const Cells& cells, Scalar scalar, std::size_t lane) {
  std::uint64_t pattern = 0;
  const auto bytes = static_cast<std::size_t>(byte_size(scalar));
  std::memcpy(&pattern, cells.data() + lane * bytes, bytes);
  return pattern;
}

using Loop = void(const void*, const void*, const void*, void*, std::int64_t);

void expect_interpreter_bits(const MapCase& each, Loop* loop) {
  std::vector<Cells> operands;
  for (std::size_t i = 0; i < each.operands.size(); ++i) {
    operands.push_back(operand_cells(each, i));
  }
  const Scalar to = each.op.to.scalar;
  Cells actual = cells_of(to);
  const auto data = [&](std::size_t i) {
    return i < operands.size() ? operands[i].data() : nullptr;
  };
  loop(data(0), data(1), data(2), actual.data(), static_cast<std::int64_t>(kCount));
  const Cells expected = interpreter_result(each, operands);
  if (actual == expected) {
    return;
  }
  // What is left may differ in the sign and payload of NaNs; a format without NaN keeps that sign.
  const bool has_nan = is_float(to);
  const bool keeps_sign = to == Scalar::F8E4B15 && is_float(each.op.from.scalar);
  const auto wide_of = [&](const Cells& result) {
    return keeps_sign ? interpreter_cast(operands[0], each.op.from.scalar, Scalar::F64)
           : has_nan  ? interpreter_cast(result, to, Scalar::F64)
                      : result;
  };
  const Cells actual_wide = wide_of(actual);
  const Cells expected_wide = wide_of(expected);
  int shown = 0;
  for (std::size_t lane = 0; lane < kCount && shown < 3; ++lane) {
    const auto is_nan = [&](const Cells& wide) {
      return has_nan && std::isnan(std::bit_cast<double>(pattern_at(wide, Scalar::F64, lane)));
    };
    const std::uint64_t got = pattern_at(actual, to, lane);
    const std::uint64_t wanted = pattern_at(expected, to, lane);
    if (got == wanted || (is_nan(actual_wide) && is_nan(expected_wide))) {
      continue;
    }
    ++shown;
    std::string inputs;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      inputs += fmt::format(" {:#x}", pattern_at(operands[i], each.operands[i], lane));
    }
    ADD_FAILURE() << fmt::format("{}{}: {:#x}, interpreter {:#x}", each.name, inputs, got, wanted);
  }
}

void expect_all(const std::vector<MapCase>& cases, const char* chip) {
  if (!HostMachine::is_supported()) {
    GTEST_SKIP() << "needs a processor of x86-64-v3";
  }
  HostMachine machine;
  for (const MapCase& each : cases) {
    add_loop(machine.module(), each, *parse_target(chip), false);
  }
  machine.compile();
  for (const MapCase& each : cases) {
    expect_interpreter_bits(each, machine.address<Loop>(each.name));
  }
}

class MapOnHost : public ::testing::TestWithParam<Scalar> {};

std::string name_of(const ::testing::TestParamInfo<Scalar>& info) {
  return std::string(ir_name(info.param));
}

std::vector<MapCase> cases_from(const std::vector<MapCase>& cases, Scalar scalar) {
  std::vector<MapCase> found;
  for (const MapCase& each : cases) {
    if (each.op.from.is(scalar)) {
      found.push_back(each);
    }
  }
  return found;
}

TEST_P(MapOnHost, Ops) {
  expect_all(cases_from(op_cases(), GetParam()), "sm_80");
}

TEST_P(MapOnHost, Casts) {
  expect_all(cases_from(cast_cases(), GetParam()), "sm_80");
}

/// Other instructions for fp8.
TEST_P(MapOnHost, CastsOfLaterChips) {
  std::vector<MapCase> cases;
  for (MapCase& each : cases_from(cast_cases(), GetParam())) {
    if (is_fp8(each.op.from.scalar) || is_fp8(each.op.to.scalar)) {
      cases.push_back(std::move(each));
    }
  }
  expect_all(cases, "sm_90a");
}

// ---- divisors that lanes share ----

/// Every special value by every other, and random ones, most of which take the short way.
TEST(SharedDivisor, QuotientsAreCorrectlyRounded) {
  if (!HostMachine::is_supported()) {
    GTEST_SKIP() << "needs a processor of x86-64-v3";
  }
  HostMachine machine;
  add_shared_divisions(machine.module(), Target());
  machine.compile();
  auto* const quotients =
      machine.address<void(const float*, const float*, float*, std::int64_t)>("quotients");
  const std::vector<std::uint64_t>& specials = special_floats(Scalar::F32);
  std::mt19937_64 random(3);
  std::vector<float> x(kCount);
  std::vector<float> d(kCount / kSharers);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint64_t pattern =
        i % 8 < 4 ? random_pattern(Scalar::F32, random) : specials[i / 8 % specials.size()];
    x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  }
  for (std::size_t i = 0; i < d.size(); ++i) {
    const std::uint64_t pattern =
        i % 4 < 3 ? random_pattern(Scalar::F32, random) : specials[random() % specials.size()];
    d[i] = std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  }
  std::vector<float> results(kCount);
  quotients(x.data(), d.data(), results.data(), static_cast<std::int64_t>(d.size()));
  for (std::size_t i = 0; i < kCount; ++i) {
    const float expected = x[i] / d[i / kSharers];
    const bool is_same =
        std::bit_cast<std::uint32_t>(results[i]) == std::bit_cast<std::uint32_t>(expected) ||
        (std::isnan(results[i]) && std::isnan(expected));
    ASSERT_TRUE(is_same) << x[i] << " / " << d[i / kSharers] << " = " << results[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MapOnHost,
                         ::testing::Values(Scalar::I1, Scalar::I8, Scalar::I16, Scalar::I32,
                                           Scalar::I64, Scalar::U8, Scalar::U16, Scalar::U32,
                                           Scalar::U64, Scalar::F8E4NV, Scalar::F8E5,
                                           Scalar::F8E4B15, Scalar::F8E4B8, Scalar::F8E5B16,
                                           Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64),
                         name_of);

}  // namespace
}  // namespace tilery::codegen
