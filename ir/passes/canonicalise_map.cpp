// Rules on arithmetic. Float identities hold for every operand, NaN and signed zeros included; NaN
// payloads and signs are unspecified in the language.
#include "ir/analysis/fold.h"
#include "ir/attributes.h"
#include "ir/passes/canonicalise_rules.h"

#include <array>
#include <bit>
#include <vector>

namespace tilery::canonical {
namespace {

bool is_standard_float(Scalar scalar) {
  return is_float(scalar) && !is_fp8(scalar);
}

std::uint64_t width_mask(Scalar scalar) {
  return ~std::uint64_t{0} >> (64 - static_cast<unsigned>(bit_width(scalar)));
}

// ---- tests of constants ----

bool is_one(Number x) {
  return is_integer(x.type) ? x.bits == 1
                            : is_standard_float(x.type) && decode_float(x.type, x.bits) == 1.0;
}

bool is_float_minus_one(Number x) {
  return is_standard_float(x.type) && decode_float(x.type, x.bits) == -1.0;
}

bool is_float_one(Number x) {
  return !is_integer(x.type) && is_one(x);
}

bool is_all_ones(Number x) {
  return is_integer(x.type) && x.bits == width_mask(x.type);
}

/// What can be added without a trace: 0 for integers, -0.0 (and not +0.0) for floats.
bool is_added_nothing(Number x) {
  const std::uint64_t sign = std::uint64_t{1} << (bit_width(x.type) - 1);
  return is_integer(x.type) ? x.bits == 0 : is_standard_float(x.type) && x.bits == sign;
}

/// What can be subtracted without a trace: 0 or +0.0.
bool is_subtracted_nothing(Number x) {
  return x.bits == 0 && (is_integer(x.type) || is_standard_float(x.type));
}

// ---- small questions ----

bool is_integer_op(const Context& c, const Inst& inst) {
  const Type& type = c.type(inst.operand(0));
  return !type.is_pointer() && is_integer(type.element.scalar);
}

bool same_operands(const Inst& inst) {
  return inst.operand(0) == inst.operand(1);
}

ValueId lhs_if(const Context& c, const Inst& inst, bool (*test)(Number)) {
  return c.is(inst.operand(1), test) ? inst.operand(0) : ValueId();
}

/// One of the two operands is such a constant.
bool has_constant(const Context& c, const Inst& inst, bool (*test)(Number)) {
  return c.is(inst.operand(0), test) || c.is(inst.operand(1), test);
}

ValueId constant_if(Context& c, const Inst& inst, bool matches, std::uint64_t bits) {
  return matches ? c.constant(inst, bits) : ValueId();
}

/// `op op x` → x.
ValueId undo(const Context& c, const Inst& inst) {
  const Inst* inner = c.def(inst.operand(0), inst.op);
  return inner != nullptr ? inner->operand(0) : ValueId();
}

bool has_identical_integers(const Context& c, const Inst& inst) {
  return is_integer_op(c, inst) && same_operands(inst);
}

// ---- rules that need more than a line ----

/// `not (a < b)` → `a >= b`; floats only for eq and ne, since NaN makes both `<` and `>=` false.
ValueId negated_comparison(Context& c, const Inst& inst) {
  constexpr std::array<std::array<Op, 2>, 6> kOpposites{{{Op::Eq, Op::Ne},
                                                         {Op::Ne, Op::Eq},
                                                         {Op::Lt, Op::Ge},
                                                         {Op::Ge, Op::Lt},
                                                         {Op::Le, Op::Gt},
                                                         {Op::Gt, Op::Le}}};
  if (!c.type(inst.result()).element.is(Scalar::I1)) {
    return {};
  }
  for (const auto& [op, opposite] : kOpposites) {
    const Inst* comparison = c.def(inst.operand(0), op);
    const bool exact = op == Op::Eq || op == Op::Ne;
    if (comparison != nullptr && (exact || is_integer_op(c, *comparison))) {
      return c.builder.map(opposite, {comparison->operand(0), comparison->operand(1)});
    }
  }
  return {};
}

/// `select not(c), a, b` → `select c, b, a`
ValueId select_of_not(Context& c, const Inst& inst) {
  const Inst* negation = c.def(inst.operand(0), Op::Not);
  return negation != nullptr
             ? c.builder.map(Op::Select, {negation->operand(0), inst.operand(2), inst.operand(1)})
             : ValueId();
}

/// A known condition, equal arms, or `select c, true, false`.
ValueId trivial_select(Context& c, const Inst& inst) {
  if (const auto condition = c.number(inst.operand(0))) {
    return inst.operand(is_true(*condition) ? 1 : 2);
  }
  if (inst.operand(1) == inst.operand(2)) {
    return inst.operand(1);
  }
  const bool is_condition = c.type(inst.result()).element.is(Scalar::I1) &&
                            c.is(inst.operand(1), is_true) && c.is(inst.operand(2), is_false);
  return is_condition ? inst.operand(0) : ValueId();
}

/// `x * -1` → `neg x`: the same bits, also for zeros and infinities.
ValueId times_minus_one(Context& c, const Inst& inst) {
  const ValueId x = c.other_if(inst, is_float_minus_one);
  return x ? c.builder.map(Op::Neg, {x}) : ValueId();
}

/// `fma a, 1, b` → `add a, b`: the product is exact, so both round once.
ValueId fma_by_one(Context& c, const Inst& inst) {
  for (const int side : {0, 1}) {
    if (c.is(inst.operand(side), is_one)) {
      return c.builder.map(Op::Add, {inst.operand(1 - side), inst.operand(2)});
    }
  }
  return {};
}

/// Integers: `fma a, b, 0` → `mul a, b`. (Floats: the sign of a zero product would have to be
/// kept.)
ValueId fma_plus_zero(Context& c, const Inst& inst) {
  return c.is(inst.operand(2), is_integer_zero)
             ? c.builder.map(Op::Mul, {inst.operand(0), inst.operand(1)})
             : ValueId();
}

/// `ne b, false` and `eq b, true` → b, for i1.
ValueId comparison_with_bool(const Context& c, const Inst& inst, bool (*test)(Number)) {
  return c.type(inst.operand(0)).element.is(Scalar::I1) ? c.other_if(inst, test) : ValueId();
}

// ---- casts ----

/// Every number of `from` is one of `to`.
bool is_exact_cast(Scalar from, Scalar to) {
  if (is_fp8(from) || is_fp8(to)) {
    return false;
  }
  if (is_integer(from) && is_integer(to)) {
    const bool keeps_sign = is_signed_integer(from) == is_signed_integer(to);
    return to != Scalar::I1 && bit_width(to) > bit_width(from) &&
           (keeps_sign || is_signed_integer(to));
  }
  const auto precision = [](Scalar s) {
    return s == Scalar::F64 ? 53 : s == Scalar::F32 ? 24 : s == Scalar::F16 ? 11 : 8;
  };
  if (is_integer(from)) {
    // fp16 ends before 2^16; the others have exponents enough for any integer.
    const int digits = bit_width(from) - (is_signed_integer(from) ? 1 : 0);
    return is_float(to) && digits <= precision(to);
  }
  return is_float(to) && (to == Scalar::F64 || (to == Scalar::F32 && from != Scalar::F64));
}

/// Both casts only cut off upper bits, or copy the sign into some that the second cuts off.
bool keeps_low_bits(Scalar a, Scalar b, Scalar c) {
  return is_integer(a) && is_integer(b) && is_integer(c) && a != Scalar::I1 && b != Scalar::I1 &&
         c != Scalar::I1 && bit_width(c) <= bit_width(b);
}

/// From `from`, the direct cast to `to` does what one over the exact `middle` does. What a float
/// type saturates an integer type would wrap, and fp8 has no casts from and to integers.
bool is_same_past(Scalar from, Scalar middle, Scalar to) {
  if (is_integer(from) == is_integer(middle)) {
    return true;
  }
  if (is_integer(to)) {
    return to == Scalar::I1 || to == from || is_exact_cast(from, to);
  }
  return !is_fp8(to);
}

/// `cast (cast x : A → B) : B → C` → `cast x : A → C` where the first loses nothing that shows.
ValueId cast_of_cast(Context& c, const Inst& inst) {
  const Inst* inner = c.def(inst.operand(0), Op::Cast);
  if (inner == nullptr || rounds_toward_zero(inst)) {
    return {};
  }
  const ValueId x = inner->operand(0);
  const Scalar from = c.type(x).element.scalar;
  const Scalar middle = c.type(inst.operand(0)).element.scalar;
  const ElementType to = c.type(inst.result()).element;
  const bool merges = (is_exact_cast(from, middle) && is_same_past(from, middle, to.scalar)) ||
                      keeps_low_bits(from, middle, to.scalar);
  return merges ? c.builder.cast(x, to) : ValueId();
}

/// To the type that it has already.
ValueId same_type(const Context& c, const Inst& inst) {
  return c.type(inst.operand(0)) == c.type(inst.result()) ? inst.operand(0) : ValueId();
}

ValueId bitcast_of_bitcast(Context& c, const Inst& inst) {
  const Inst* inner = c.def(inst.operand(0), Op::Bitcast);
  return inner != nullptr ? c.builder.bitcast(inner->operand(0), c.type(inst.result()).element)
                          : ValueId();
}

// clang-format off
constexpr std::array kRules{
    // x + 0 → x; floats: x + -0.0 → x
    Rule{Op::Add, [](Context& c, const Inst& i) { return c.other_if(i, is_added_nothing); }},
    // x - 0 → x; floats: x - +0.0 → x
    Rule{Op::Sub, [](Context& c, const Inst& i) { return lhs_if(c, i, is_subtracted_nothing); }},
    // x - x → 0, integers (floats: infinities and NaN give NaN)
    Rule{Op::Sub, [](Context& c, const Inst& i) { return constant_if(c, i, has_identical_integers(c, i), 0); }},
    // x * 1 → x
    Rule{Op::Mul, [](Context& c, const Inst& i) { return c.other_if(i, is_one); }},
    // x * 0 → 0, integers (floats: -0.0, infinities, NaN)
    Rule{Op::Mul, [](Context& c, const Inst& i) { return constant_if(c, i, has_constant(c, i, is_integer_zero), 0); }},
    Rule{Op::Mul, times_minus_one},
    // x / 1 → x
    Rule{Op::Div, [](Context& c, const Inst& i) { return lhs_if(c, i, is_float_one); }},
    Rule{Op::IDiv, [](Context& c, const Inst& i) { return lhs_if(c, i, is_one); }},
    // x % 1 → 0, integers
    Rule{Op::Rem, [](Context& c, const Inst& i) { return constant_if(c, i, is_integer_op(c, i) && c.is(i.operand(1), is_one), 0); }},
    // p + 0 → p, pointers
    Rule{Op::AddPtr, [](Context& c, const Inst& i) { return lhs_if(c, i, is_integer_zero); }},
    Rule{Op::Fma, fma_by_one},
    Rule{Op::Fma, fma_plus_zero},
    // - - x → x, ~ ~ x → x
    Rule{Op::Neg, [](Context& c, const Inst& i) { return undo(c, i); }},
    Rule{Op::Not, [](Context& c, const Inst& i) { return undo(c, i); }},
    Rule{Op::Not, negated_comparison},
    // x & 0 → 0, x & ~0 → x, x & x → x
    Rule{Op::And, [](Context& c, const Inst& i) { return constant_if(c, i, has_constant(c, i, is_integer_zero), 0); }},
    Rule{Op::And, [](Context& c, const Inst& i) { return c.other_if(i, is_all_ones); }},
    Rule{Op::And, [](Context&, const Inst& i) { return same_operands(i) ? i.operand(0) : ValueId(); }},
    // x | 0 → x, x | ~0 → ~0, x | x → x
    Rule{Op::Or, [](Context& c, const Inst& i) { return c.other_if(i, is_integer_zero); }},
    Rule{Op::Or, [](Context& c, const Inst& i) { return constant_if(c, i, has_constant(c, i, is_all_ones), ~std::uint64_t{0}); }},
    Rule{Op::Or, [](Context&, const Inst& i) { return same_operands(i) ? i.operand(0) : ValueId(); }},
    // x ^ 0 → x, x ^ x → 0
    Rule{Op::Xor, [](Context& c, const Inst& i) { return c.other_if(i, is_integer_zero); }},
    Rule{Op::Xor, [](Context& c, const Inst& i) { return constant_if(c, i, same_operands(i), 0); }},
    // x << 0 → x, x >> 0 → x
    Rule{Op::Shl, [](Context& c, const Inst& i) { return lhs_if(c, i, is_integer_zero); }},
    Rule{Op::Shr, [](Context& c, const Inst& i) { return lhs_if(c, i, is_integer_zero); }},
    // min(x, x) → x, max(x, x) → x
    Rule{Op::Minimum, [](Context&, const Inst& i) { return same_operands(i) ? i.operand(0) : ValueId(); }},
    Rule{Op::Maximum, [](Context&, const Inst& i) { return same_operands(i) ? i.operand(0) : ValueId(); }},
    // x == x → true and so on, integers (floats: NaN differs from itself)
    Rule{Op::Eq, [](Context& c, const Inst& i) { return constant_if(c, i, has_identical_integers(c, i), 1); }},
    Rule{Op::Le, [](Context& c, const Inst& i) { return constant_if(c, i, has_identical_integers(c, i), 1); }},
    Rule{Op::Ge, [](Context& c, const Inst& i) { return constant_if(c, i, has_identical_integers(c, i), 1); }},
    Rule{Op::Ne, [](Context& c, const Inst& i) { return constant_if(c, i, has_identical_integers(c, i), 0); }},
    Rule{Op::Lt, [](Context& c, const Inst& i) { return constant_if(c, i, has_identical_integers(c, i), 0); }},
    Rule{Op::Gt, [](Context& c, const Inst& i) { return constant_if(c, i, has_identical_integers(c, i), 0); }},
    Rule{Op::Ne, [](Context& c, const Inst& i) { return comparison_with_bool(c, i, is_false); }},
    Rule{Op::Eq, [](Context& c, const Inst& i) { return comparison_with_bool(c, i, is_true); }},
    Rule{Op::Select, trivial_select},
    Rule{Op::Select, select_of_not},
    Rule{Op::Cast, [](Context& c, const Inst& i) { return same_type(c, i); }},
    Rule{Op::Cast, cast_of_cast},
    Rule{Op::Bitcast, [](Context& c, const Inst& i) { return same_type(c, i); }},
    Rule{Op::Bitcast, bitcast_of_bitcast},
};
// clang-format on

}  // namespace

std::span<const Rule> map_rules() {
  return kRules;
}

bool is_true(Number x) {
  return x.type == Scalar::I1 && x.bits != 0;
}

bool is_false(Number x) {
  return x.type == Scalar::I1 && x.bits == 0;
}

bool is_integer_zero(Number x) {
  return is_integer(x.type) && x.bits == 0;
}

ValueId fold_constants(Context& c, const Inst& inst) {
  std::vector<Number> operands;
  for (const ValueId operand : inst.operands) {
    const auto number = c.number(operand);
    if (!number) {
      return {};
    }
    operands.push_back(*number);
  }
  const Type& type = c.type(inst.result());
  if (operands.empty() || type.is_pointer()) {
    return {};
  }
  const auto folded = fold_map(inst.op, operands, type.element.scalar, inst.attrs);
  return folded && !folded->is_event ? c.constant(inst, folded->bits) : ValueId();
}

}  // namespace tilery::canonical
