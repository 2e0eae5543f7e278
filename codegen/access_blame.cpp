#include "codegen/access_blame.h"

#include "ir/analysis/loops.h"
#include "ir/builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery::codegen {
namespace {

/// Chains of instructions are followed so far; past it nothing useful is left to be told.
constexpr int kMaxDepth = 64;

bool is_sum(Op op) {
  return op == Op::Add || op == Op::Sub || op == Op::AddPtr;
}

/// Ops whose result has its first operand's elements.
bool passes_elements_on(Op op) {
  return op == Op::Splat || op == Op::Broadcast || op == Op::ExpandDims || op == Op::Cast ||
         op == Op::Bitcast || op == Op::ConvertLayout || op == Op::MultipleOf ||
         op == Op::MaxContiguous || op == Op::MaxConstancy || op == Op::Trans ||
         op == Op::Reshape || op == Op::Neg;
}

bool is_comparison(Op op) {
  return op == Op::Lt || op == Op::Le || op == Op::Gt || op == Op::Ge || op == Op::Eq ||
         op == Op::Ne;
}

}  // namespace

AxisFacts Blame::facts(ValueId value) const {
  const AxisInfo& info = axes_.of(value);
  if (info.axes.size() == 1) {
    return info.axes.front();
  }
  return info.axes[std::min(static_cast<std::size_t>(axis_), info.axes.size() - 1)];
}

std::int64_t Blame::multiple_of(ValueId value) const {
  const Type& type = function_.type(value);
  const std::int64_t unit = type.is_pointer() ? type.element.pointee().byte_size() : 1;
  std::int64_t most = 1;
  for (const AxisFacts& f : axes_.of(value).axes) {
    most = std::max(most, f.divisibility);
  }
  return std::max<std::int64_t>(1, most / unit);
}

const Blame::Source& Blame::better(const Source& a, const Source& b) {
  return b.kind < a.kind ? b : a;
}

Blame::Source Blame::source_of_argument(ValueId value, int depth) const {
  const Value& v = function_.value(value);
  if (v.region == function_.body) {
    const Param& param = function_.params[v.index];
    return {Source::Kind::Parameter, param.name, param.type.is_pointer(), 0, false};
  }
  if (const auto place = carried_place(function_, value)) {
    // Where it begins, or else what it grows by.
    const auto [loop, i] = *place;
    const Carried carried = carried_value(function_, function_.inst(loop), i);
    const bool by_init =
        multiple_of(carried.init) <= multiple_of(carried.next) || carried.next == value;
    return source_of(by_init ? carried.init : carried.next, depth + 1);
  }
  return {Source::Kind::Other, v.name, false, 0, false};
}

Blame::Source Blame::source_of(ValueId value, int depth) const {
  const Value& v = function_.value(value);
  if (depth > kMaxDepth) {
    return {Source::Kind::Other, v.name, false, 0, false};
  }
  if (!v.def) {
    return source_of_argument(value, depth);
  }
  const Inst& inst = function_.inst(v.def);
  if (inst.op == Op::Constant) {
    Source source{Source::Kind::Constant, v.name, false, 0, false};
    if (const std::optional<std::int64_t>& constant = axes_.of(value).constant) {
      source.constant = *constant;
      source.is_constant = true;
    }
    return source;
  }
  if (inst.op == Op::ProgramId || inst.op == Op::NumPrograms || inst.op == Op::Arange) {
    return {Source::Kind::Program, v.name, false, 0, false};
  }
  if (inst.op == Op::Load) {
    return {Source::Kind::Load, v.name, false, 0, false};
  }
  if (passes_elements_on(inst.op)) {
    return source_of(inst.operands[0], depth + 1);
  }
  if (is_sum(inst.op)) {
    const bool left = multiple_of(inst.operands[0]) <= multiple_of(inst.operands[1]);
    const Source first = source_of(inst.operands[left ? 0 : 1], depth + 1);
    // Two terms that are equally irregular: the one that can be changed.
    return multiple_of(inst.operands[0]) == multiple_of(inst.operands[1])
               ? better(first, source_of(inst.operands[left ? 1 : 0], depth + 1))
               : first;
  }
  if (inst.op == Op::Mul || inst.op == Op::Fma) {
    return better(source_of(inst.operands[0], depth + 1), source_of(inst.operands[1], depth + 1));
  }
  return {Source::Kind::Other, v.name, false, 0, false};
}

AccessReason Blame::about_multiple(const Source& source, const char* consequence) {
  switch (source.kind) {
    case Source::Kind::Parameter:
      if (source.is_pointer) {
        return {
            fmt::format("the address `{}` is not known to be a multiple of 16 bytes", source.name),
            "an array of its own or a view that begins at a multiple of 16 bytes"};
      }
      return {fmt::format("`{0}` is not known to be a multiple of 16, so {1}", source.name,
                          consequence),
              fmt::format("a multiple of 16 as `{0}` (pad the array)", source.name)};
    case Source::Kind::Load:
      return {"it depends on numbers from memory, of which nothing is known",
              "`tl.multiple_of` promises what you know of them"};
    case Source::Kind::Constant:
      if (source.is_constant) {
        return {fmt::format("the constant {} is a multiple of too small a power of two, so {}",
                            source.constant, consequence),
                fmt::format("a multiple of 16 instead of {} (pad the array)", source.constant)};
      }
      break;
    case Source::Kind::Other:
    case Source::Kind::Program:
      break;
  }
  return {fmt::format("{}{}", consequence,
                      source.name.empty() ? std::string()
                                          : fmt::format(", as far as `{}` is known", source.name)),
          "`tl.multiple_of` promises what you know of it"};
}

AccessReason Blame::for_alignment(ValueId address) const {
  return about_multiple(source_of(address), "a piece may begin at any element");
}

ValueId Blame::stride_of(ValueId value, int depth) const {
  const InstId def = function_.value(value).def;
  if (!def || depth > kMaxDepth) {
    return {};
  }
  const Inst& inst = function_.inst(def);
  if (passes_elements_on(inst.op)) {
    return stride_of(inst.operands[0], depth + 1);
  }
  if (is_sum(inst.op)) {
    for (const ValueId operand : {inst.operands[1], inst.operands[0]}) {
      if (const ValueId stride = stride_of(operand, depth + 1)) {
        return stride;
      }
    }
    return {};
  }
  if (inst.op != Op::Mul && inst.op != Op::Fma) {
    return {};
  }
  for (const int i : {0, 1}) {
    const auto at = static_cast<std::size_t>(i);
    if (facts(inst.operands[at]).contiguity > 1 && facts(inst.operands[1 - at]).contiguity == 1) {
      return inst.operands[1 - at];
    }
  }
  return {};
}

AccessReason Blame::for_contiguity(ValueId address) const {
  const std::int64_t run = facts(address).contiguity;
  if (run > 1) {
    return {fmt::format("only {} neighbours of the tile follow each other in memory", run),
            "let the tile's fastest axis run along memory for longer"};
  }
  if (const ValueId stride = stride_of(address)) {
    const Source source = source_of(stride);
    if (source.kind == Source::Kind::Parameter) {
      return {fmt::format("neighbours lie `{}` elements apart, which is not known to be 1",
                          source.name),
              "let the tile's axis run along the contiguous axis of the array, or leave out a "
              "stride that is always 1"};
    }
    if (source.is_constant) {
      return {fmt::format("neighbours lie {} elements apart", source.constant),
              "let the tile's axis run along the contiguous axis of the array"};
    }
  }
  const Source source = source_of(address);
  if (source.kind == Source::Kind::Load) {
    return {"the addresses come from memory, and nothing says that they follow each other",
            "`tl.max_contiguous` promises it if they do"};
  }
  if (const std::int64_t elements = function_.type(address).numel(); elements % 2 != 0) {
    return {fmt::format("a tile of {} elements cannot be cut into equal pieces", elements),
            "a power of two, and a mask for what is left"};
  }
  return {"neighbours of the tile are not known to follow each other in memory",
          "let one axis of the tile be a plain `tl.arange` in the address"};
}

AccessReason Blame::for_mask(ValueId mask) const {
  const InstId def = function_.value(mask).def;
  if (def) {
    const Inst& inst = function_.inst(def);
    if (inst.op == Op::And || inst.op == Op::Or) {
      const bool left = facts(inst.operands[0]).constancy <= facts(inst.operands[1]).constancy;
      return for_mask(inst.operands[left ? 0 : 1]);
    }
    if (passes_elements_on(inst.op)) {
      return for_mask(inst.operands[0]);
    }
    if (is_comparison(inst.op)) {
      const bool left = facts(inst.operands[0]).contiguity > facts(inst.operands[1]).contiguity;
      AccessReason reason =
          about_multiple(source_of(inst.operands[left ? 1 : 0]), "the mask may end inside a piece");
      return reason;
    }
  }
  return {"the mask may change from one element to the next",
          "`tl.max_constancy` promises groups that are all on or all off"};
}

}  // namespace tilery::codegen
