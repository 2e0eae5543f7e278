#include "interpreter/check/conditions.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <variant>

namespace tilery::interpreter {

Conditions united(const Conditions& a, const Conditions& b) {
  Conditions result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

Conditions intersected(const Conditions& a, const Conditions& b) {
  Conditions result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

bool includes(const Conditions& whole, const Conditions& part) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

MaskConditions::MaskConditions(const Function& function, const Lifetimes& lifetimes)
    : function_(function), lifetimes_(lifetimes), known_(function.values.size()) {}

const Conditions& MaskConditions::of(ValueId value) {
  if (known_[value.index].empty()) {
    known_[value.index] = find(value);
  }
  return known_[value.index];
}

Conditions MaskConditions::find(ValueId value) {
  const InstId def = function_.value(value).def;
  if (!def) {
    return {value.index};
  }
  const Inst& inst = function_.inst(def);
  if (inst.op == Op::And) {
    Conditions both = united(of(inst.operand(0)), of(inst.operand(1)));
    return both.size() <= kMost ? both : Conditions{value.index};
  }
  if (op_def(inst.op).family == OpFamily::Shape) {
    return moved(of(inst.operand(0)), inst);
  }
  return {value.index};
}

std::uint32_t MaskConditions::how(const Inst& inst) {
  std::string text = std::string(op_def(inst.op).id);
  text += function_.type(inst.result()).shape.str();
  for (const Attr& attr : inst.attrs) {
    if (const auto* axis = std::get_if<std::int64_t>(&attr)) {
      text += " " + std::to_string(*axis);
    } else if (const auto* axes = std::get_if<std::vector<std::int64_t>>(&attr)) {
      for (const std::int64_t axis_in_list : *axes) {
        text += " " + std::to_string(axis_in_list);
      }
    }
  }
  return hows_.try_emplace(std::move(text), static_cast<std::uint32_t>(hows_.size())).first->second;
}

Conditions MaskConditions::moved(const Conditions& from, const Inst& inst) {
  const std::uint32_t way = how(inst);
  Conditions result;
  for (const Condition condition : from) {
    const auto fresh = static_cast<Condition>(known_.size() + moved_.size());
    const auto [image, is_new] = images_.try_emplace({condition, way}, fresh);
    if (is_new) {
      moved_.push_back({condition, way, begin_of(condition)});
    }
    result.push_back(image->second);
  }
  std::sort(result.begin(), result.end());
  return result;
}

Conditions MaskConditions::before(const Inst& inst, const Conditions& from) {
  Conditions result;
  if (from.empty()) {
    return result;
  }
  const std::uint32_t way = how(inst);
  for (const Condition condition : from) {
    if (condition >= known_.size() && moved_[condition - known_.size()].how == way) {
      result.push_back(moved_[condition - known_.size()].from);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

int MaskConditions::begin_of(Condition condition) const {
  return condition < known_.size() ? lifetimes_.value[condition].begin
                                   : moved_[condition - known_.size()].begin;
}

}  // namespace tilery::interpreter
