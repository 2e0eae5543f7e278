#include "ir/passes/canonicalise_control.h"

#include "ir/analysis/loops.h"
#include "ir/operands.h"

#include <algorithm>
#include <array>

namespace tilery::canonical {
namespace {

bool is_constant(const Function& function, ValueId value, std::uint64_t bits) {
  const auto constant = function.constant_bits(value);
  return constant && *constant == bits;
}

std::optional<Inlining> known_trips(const Function& function, const Inst& loop) {
  const std::optional<std::int64_t> trips = trip_count(function, loop);
  const bool exits_at_once = has_exit(loop) && is_constant(function, initial_values(loop)[0], 1);
  if (exits_at_once || (trips && *trips == 0)) {
    const auto init = initial_values(loop);
    return Inlining{RegionId(), {}, {init.begin(), init.end()}};
  }
  // An exit flag that is true before the loop would keep even a single trip from being made.
  if (!trips || *trips != 1 || has_exit(loop)) {
    return std::nullopt;
  }
  const auto init = initial_values(loop);
  std::vector<ValueId> args{operand<"lower">(loop)};
  args.insert(args.end(), init.begin(), init.end());
  return Inlining{loop.regions[0], std::move(args), {}};
}

/// The places of a carried value, each by what stands there now.
Carried carried_now(const Function& function, const Inst& loop, std::size_t i,
                    const Replacements& now) {
  Carried carried = carried_value(function, loop, i);
  for (ValueId* const place : {&carried.init, &carried.arg, &carried.passed, &carried.body_arg,
                               &carried.next, &carried.result}) {
    *place = now.resolve(*place);
  }
  return carried;
}

/// The same value, or constants that are alike.
bool is_equal(const Function& function, ValueId a, ValueId b) {
  const auto bits = function.constant_bits(a);
  return a == b ||
         (bits && function.constant_bits(b) == bits && function.type(a) == function.type(b));
}

bool is_invariant(const Function& function, const Carried& c) {
  return (c.next == c.body_arg || is_equal(function, c.next, c.init)) &&
         (c.passed == c.arg || is_equal(function, c.passed, c.init));
}

bool is_same(const Carried& a, const Carried& b) {
  const bool passed_alike = a.passed == b.passed || (a.passed == a.arg && b.passed == b.arg);
  return a.init == b.init && a.next == b.next && passed_alike;
}

/// Everywhere `from` is, `to` is. Places that were replaced before are left alone.
bool merge(const Carried& from, const Carried& to, Replacements& replacements) {
  const std::array<std::array<ValueId, 2>, 3> pairs{
      {{from.arg, to.arg}, {from.body_arg, to.body_arg}, {from.result, to.result}}};
  bool changed = false;
  for (const auto& [old, now] : pairs) {
    if (replacements.resolve(old) != replacements.resolve(now)) {
      replacements.set(old, now);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

std::optional<Inlining> known_course(const Function& function, const Inst& inst) {
  if (inst.op == Op::For) {
    return known_trips(function, inst);
  }
  if (inst.op == Op::If) {
    if (const auto condition = function.constant_bits(operand<"condition">(inst))) {
      return Inlining{inst.regions[*condition != 0 ? 0 : 1], {}, {}};
    }
  }
  return std::nullopt;
}

bool merge_branch_results(const Function& function, const Inst& inst, Replacements& replacements) {
  const auto then_values = passed_values(function, inst.regions[0]);
  const auto else_values = passed_values(function, inst.regions[1]);
  bool changed = false;
  for (std::uint32_t i = 0; i < inst.result_count; ++i) {
    const Type& type = function.type(inst.result(i));
    const bool is_flag = type.element.is(Scalar::I1) && type.is_scalar();
    if (then_values[i] == else_values[i]) {
      replacements.set(inst.result(i), then_values[i]);
      changed = true;
    } else if (is_flag && is_constant(function, then_values[i], 1) &&
               is_constant(function, else_values[i], 0)) {
      replacements.set(inst.result(i), operand<"condition">(inst));
      changed = true;
    }
  }
  return changed;
}

bool merge_carried(const Function& function, const Inst& loop, Replacements& replacements) {
  bool changed = false;
  for (std::size_t i = 0; i < carried_count(loop); ++i) {
    const Carried carried = carried_now(function, loop, i, replacements);
    // The exit flag is read by the loop itself; it is left to never_exits.
    if (i == 0 && has_exit(loop)) {
      continue;
    }
    if (is_invariant(function, carried)) {
      const ValueId init = carried.init;
      changed |= merge(carried, {init, init, init, init, init, init}, replacements);
      continue;
    }
    for (std::size_t j = 0; j < i; ++j) {
      const Carried earlier = carried_now(function, loop, j, replacements);
      if (is_same(carried, earlier)) {
        changed |= merge(carried, earlier, replacements);
        break;
      }
    }
  }
  return changed;
}

bool never_exits(const Function& function, const Inst& loop) {
  if (!has_exit(loop)) {
    return false;
  }
  const Carried flag = carried_value(function, loop, 0);
  return is_constant(function, flag.init, 0) && is_constant(function, flag.next, 0);
}

}  // namespace tilery::canonical
