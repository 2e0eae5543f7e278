#include "ir/analysis/loops.h"

#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/operands.h"

#include <algorithm>

namespace tilery {
namespace {

std::optional<WideInt> constant_int(const Function& function, ValueId value) {
  const std::optional<std::uint64_t> bits = function.constant_bits(value);
  return bits ? std::optional(wide_int(function.type(value).element.scalar, *bits)) : std::nullopt;
}

}  // namespace

bool has_nonzero_step(const Function& function, const Inst& loop) {
  const std::optional<std::uint64_t> step = function.constant_bits(operand<"step">(loop));
  return step && *step != 0;
}

WideInt trip_count(WideInt lower, WideInt upper, WideInt step) {
  const WideInt distance = step > 0 ? upper - lower : lower - upper;
  const WideInt stride = step > 0 ? step : -step;
  return distance <= 0 ? WideInt{0} : (distance + stride - 1) / stride;
}

std::optional<std::int64_t> trip_count(const Function& function, const Inst& loop) {
  const auto lower = constant_int(function, operand<"lower">(loop));
  const auto upper = constant_int(function, operand<"upper">(loop));
  const auto step = constant_int(function, operand<"step">(loop));
  if (!lower || !upper || !step || *step == 0) {
    return std::nullopt;
  }
  constexpr WideInt kMax = INT64_MAX;
  return static_cast<std::int64_t>(std::min(trip_count(*lower, *upper, *step), kMax));
}

bool is_loop(Op op) {
  return op == Op::For || op == Op::While;
}

bool has_exit(const Inst& inst) {
  return inst.op == Op::For && bool_attr<"has_exit">(inst);
}

ValueId counter_arg(const Function& function, const Inst& loop) {
  return function.region(loop.regions[0]).args[0];
}

std::size_t carried_count(const Inst& loop) {
  return loop.result_count;
}

std::size_t first_init(const Inst& loop) {
  return loop.operands.size() - carried_count(loop);
}

std::span<const ValueId> initial_values(const Inst& loop) {
  return operand_pack<"init">(loop);
}

std::span<const ValueId> carried_args(const Function& function, RegionId region) {
  const Region& r = function.region(region);
  return std::span(r.args).subspan(function.inst(r.owner).op == Op::For ? 1 : 0);
}

std::size_t first_passed(const Inst& terminator) {
  return terminator.operands.size() - operand_pack<"values">(terminator).size();
}

std::span<const ValueId> passed_values(const Function& function, RegionId region) {
  return operand_pack<"values">(function.terminator(region));
}

ValueId body_arg(const Function& function, const Inst& loop, std::size_t i) {
  return carried_args(function, loop.regions.back())[i];
}

Carried carried_value(const Function& function, const Inst& loop, std::size_t i) {
  Carried carried;
  carried.init = initial_values(loop)[i];
  carried.arg = carried_args(function, loop.regions.front())[i];
  carried.body_arg = body_arg(function, loop, i);
  carried.passed =
      loop.op == Op::While ? passed_values(function, loop.regions.front())[i] : carried.body_arg;
  carried.next = passed_values(function, loop.regions.back())[i];
  carried.result = loop.result(static_cast<std::uint32_t>(i));
  return carried;
}

std::optional<std::size_t> carried_index(const Inst& loop, const Value& arg) {
  const std::uint32_t counters = loop.op == Op::For ? 1 : 0;
  return arg.index < counters ? std::nullopt : std::optional<std::size_t>(arg.index - counters);
}

std::optional<CarriedPlace> carried_place(const Function& function, ValueId value) {
  const Value& v = function.value(value);
  const InstId owner = v.def ? InstId() : function.region(v.region).owner;
  if (!owner || !is_loop(function.inst(owner).op)) {
    return std::nullopt;
  }
  const auto index = carried_index(function.inst(owner), v);
  return index ? std::optional(CarriedPlace{owner, *index}) : std::nullopt;
}

bool is_inside(const Function& function, ValueId value, InstId owner) {
  const Value& v = function.value(value);
  RegionId region = v.def ? function.inst(v.def).parent : v.region;
  while (region) {
    const InstId around = function.region(region).owner;
    if (around == owner) {
      return true;
    }
    region = around ? function.inst(around).parent : RegionId();
  }
  return false;
}

}  // namespace tilery
