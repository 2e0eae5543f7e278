// Inference in three steps: the matcher binds the signature's letters to the operands; result types
// come from the letters, from `infer_<id>`, from the regions, or from the caller (`given`); at last
// the regions' arguments and yields are compared with what the letters say.
#include "ir/infer.h"

#include "ir/infer_rules.h"
#include "ir/signature_match.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery {
namespace {

/// "(f32, i32[8])"
template <class Types>
std::string list_of(const Types& types) {
  std::string text = "(";
  for (const Type& type : types) {
    text.append(text.size() == 1 ? "" : ", ").append(type.str());
  }
  return text + ")";
}

/// One inference: binds letters, then finds and checks results.
class Inferrer {
 public:
  Inferrer(OpUse& use, std::span<const Type> given) : use_(use), given_(given) {}

  std::string run() {
    std::string error = match_operands();
    if (error.empty()) {
      error = check_attrs();
    }
    if (error.empty()) {
      error = find_results();
    }
    return error.empty() ? check_regions() : error;
  }

 private:
  std::string match_operands() {
    const std::span<const ValuePattern> patterns = use_.def.operand_patterns();
    if (use_.operands.size() > patterns.size()) {
      return fmt::format("`{}` takes {} operand{}, got {}", use_.def.id, patterns.size(),
                         patterns.size() == 1 ? "" : "s", use_.operands.size());
    }
    for (std::size_t g = 0; g < patterns.size(); ++g) {
      std::string error = match_group(patterns[g], use_.operands[g]);
      if (!error.empty()) {
        return error;
      }
    }
    return {};
  }

  std::string match_group(const ValuePattern& pattern, const std::vector<Type>& types) {
    if (pattern.arity == Arity::Pack) {
      return match_pack(pattern, types);
    }
    if (types.empty() && pattern.arity == Arity::One) {
      return fmt::format("`{}` of `{}` is missing", pattern.name, use_.def.id);
    }
    if (types.size() > 1) {
      return fmt::format("`{}` of `{}` is one value, got {}", pattern.name, use_.def.id,
                         types.size());
    }
    if (types.empty()) {
      return {};
    }
    std::string error = bindings_.match(pattern, {&types[0], pattern.name, use_.def.id});
    return error.empty() ? check_store(pattern, types[0]) : error;
  }

  /// Nothing is written through a pointer to constants.
  std::string check_store(const ValuePattern& pattern, const Type& type) const {
    const bool writes =
        use_.def.effects == OpEffects::Writes || use_.def.effects == OpEffects::ReadsWrites;
    return writes && pattern.is_pointer_to && type.element.is_const
               ? fmt::format(
                     "`{}` of `{}` is `{}`, a pointer to constants: nothing can be written "
                     "through it",
                     pattern.name, use_.def.id, type.str())
               : std::string();
  }

  std::string match_pack(const ValuePattern& pattern, const std::vector<Type>& types) {
    has_pack_ = true;
    members_.assign(types.size(), bindings_);
    for (std::size_t i = 0; i < types.size(); ++i) {
      std::string error = members_[i].match(pattern, {&types[i], pattern.name, use_.def.id});
      if (!error.empty()) {
        return error;
      }
    }
    return {};
  }

  std::string check_attrs() const {
    const std::span<const AttrPattern> patterns = use_.def.attr_patterns();
    if (use_.attrs.size() != patterns.size()) {
      return fmt::format("`{}` has {} attributes, got {}", use_.def.id, patterns.size(),
                         use_.attrs.size());
    }
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (!attr_fits(patterns[i], use_.attrs[i])) {
        return fmt::format("attribute `{}` of `{}` has the wrong kind", patterns[i].name,
                           use_.def.id);
      }
    }
    if (!region_count_fits()) {
      return fmt::format("`{}` has {} regions, got {}", use_.def.id,
                         use_.def.region_patterns().size(), use_.regions.size());
    }
    return {};
  }

  [[nodiscard]] bool region_count_fits() const {
    const std::span<const RegionPattern> patterns = use_.def.region_patterns();
    if (!patterns.empty() && patterns.back().arity == Arity::Pack) {
      return use_.regions.size() + 1 >= patterns.size();
    }
    return use_.regions.size() == patterns.size();
  }

  std::string find_results() {
    const InferRule* rule = infer_rule_of(use_.def.op);
    const bool computes = rule != nullptr && rule->kind == InferRuleKind::Computes;
    std::string error = computes ? std::string() : results_from_signature();
    if (error.empty() && rule != nullptr) {
      error = rule->apply(use_);
    }
    if (!error.empty() || given_.empty()) {
      return error;
    }
    return std::ranges::equal(given_, use_.results)
               ? std::string()
               : fmt::format("`{}` gives {} here, not {}", use_.def.id, list_of(use_.results),
                             list_of(given_));
  }

  /// From the letters if they are all bound, else from the regions or from what was given.
  std::string results_from_signature() {
    for (const ValuePattern& pattern : use_.def.result_patterns()) {
      std::vector<Type> types;
      if (!expand(pattern, types)) {
        return unfixed_results();
      }
      use_.results.insert(use_.results.end(), types.begin(), types.end());
    }
    return {};
  }

  std::string unfixed_results() {
    if (!use_.regions.empty() && yields_of(use_.regions[0], use_.results)) {
      return {};
    }
    use_.results.assign(given_.begin(), given_.end());
    const std::span<const ValuePattern> patterns = use_.def.result_patterns();
    const bool is_pack = patterns.back().arity == Arity::Pack;
    if (!is_pack && given_.size() != patterns.size()) {
      return fmt::format("the result type of `{}` must be given", use_.def.id);
    }
    Bindings bindings = bindings_;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const ValuePattern& pattern = patterns[std::min(i, patterns.size() - 1)];
      Bindings member = bindings_;
      Bindings& used = pattern.arity == Arity::Pack ? member : bindings;
      std::string error = used.match(pattern, {&given_[i], {}, use_.def.id});
      if (!error.empty()) {
        return error;
      }
    }
    return {};
  }

  /// Appends the types that a pattern stands for; false if its letters are not all bound.
  bool expand(const ValuePattern& pattern, std::vector<Type>& types) const {
    if (pattern.arity != Arity::Pack) {
      const std::optional<Type> type = bindings_.type_of(pattern);
      if (type) {
        types.push_back(*type);
      }
      return type.has_value();
    }
    for (const Bindings& member : members_) {
      const std::optional<Type> type = member.type_of(pattern);
      if (!type) {
        return false;
      }
      types.push_back(*type);
    }
    return has_pack_;
  }

  /// The types that a region's `yield` gives; false while it has none.
  bool yields_of(RegionId id, std::vector<Type>& types) const {
    const Function& function = use_.function;
    const std::vector<InstId>& insts = function.region(id).insts;
    if (insts.empty() || function.inst(insts.back()).op != Op::Yield) {
      return false;
    }
    types.clear();
    for (const ValueId value : function.inst(insts.back()).operands) {
      types.push_back(function.type(value));
    }
    return true;
  }

  std::string check_regions() const {
    const std::span<const RegionPattern> patterns = use_.def.region_patterns();
    for (std::size_t i = 0; i < use_.regions.size(); ++i) {
      std::string error = check_region(patterns[std::min(i, patterns.size() - 1)], use_.regions[i]);
      if (!error.empty()) {
        return error;
      }
    }
    return {};
  }

  std::string check_region(const RegionPattern& pattern, RegionId id) const {
    std::vector<Type> expected;
    std::vector<Type> actual;
    if (expand_all(pattern.arguments, pattern.argument_count, expected)) {
      for (const ValueId arg : use_.function.region(id).args) {
        actual.push_back(use_.function.type(arg));
      }
      if (actual != expected) {
        return fmt::format("region `{}` of `{}` has arguments {}; they must be {}", pattern.name,
                           use_.def.id, list_of(actual), list_of(expected));
      }
    }
    expected.clear();
    if (!yields_of(id, actual)) {
      return {};
    }
    if (!expand_all(pattern.results, pattern.result_count, expected)) {
      expected = use_.results;
    }
    return actual == expected
               ? std::string()
               : fmt::format("region `{}` of `{}` yields {}; it must yield {}", pattern.name,
                             use_.def.id, list_of(actual), list_of(expected));
  }

  template <class Patterns>
  bool expand_all(const Patterns& patterns, int count, std::vector<Type>& types) const {
    for (int i = 0; i < count; ++i) {
      if (!expand(patterns[static_cast<std::size_t>(i)], types)) {
        return false;
      }
    }
    return true;
  }

  OpUse& use_;
  std::span<const Type> given_;
  Bindings bindings_;
  /// One a member of the op's operand pack.
  std::vector<Bindings> members_;
  bool has_pack_ = false;
};

}  // namespace

Inference infer_results(const Function& function, Op op, const OperandTypes& operands,
                        std::span<const Attr> attrs, std::span<const RegionId> regions,
                        std::span<const Type> given) {
  const OpDef& def = op_def(op);
  if (operands.size() < def.operand_patterns().size()) {
    OperandTypes padded = operands;
    padded.resize(def.operand_patterns().size());
    return infer_results(function, op, padded, attrs, regions, given);
  }
  OpUse use{function, def, operands, attrs, regions, {}};
  std::string error = Inferrer(use, given).run();
  return {std::move(use.results), std::move(error)};
}

bool needs_result_type(Op op) {
  const InferRule* rule = infer_rule_of(op);
  return rule != nullptr && rule->kind == InferRuleKind::Given;
}

}  // namespace tilery
