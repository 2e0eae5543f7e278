// Inference in three steps: the matcher binds the signature's letters to the operands; result types
// come from the letters, from `infer_<id>`, from the regions, or from the caller (`given`); at last
// the regions' arguments and yields are compared with what the letters say.
#include "ir/infer.h"

#include "ir/signature_match.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery {
namespace {

/// One use of an op, for the rules below.
struct Use {
  const Function& function;
  const OpDef& def;
  const OperandTypes& operands;
  std::span<const Attr> attrs;
  std::span<const RegionId> regions;
  /// What inference has found or was given; a rule that computes results fills it.
  std::vector<Type> results;

  /// The type of an operand that is not a pack.
  [[nodiscard]] const Type& operand(std::size_t g) const { return operands[g].front(); }

  [[nodiscard]] std::int64_t int_attr(std::size_t i) const {
    return std::get<std::int64_t>(attrs[i]);
  }
};

// ---- infer_<id>: what the signature cannot say. Each returns what is wrong, or "" --------------

std::string infer_program_id(Use& use) {
  const std::int64_t axis = use.int_attr(0);
  return axis >= 0 && axis <= 2 ? std::string()
                                : fmt::format("axis {} of `{}` is not 0, 1 or 2", axis, use.def.id);
}

std::string infer_constant(Use& use) {
  const ElementType element = use.results[0].element;
  const int bits = element.is_pointer() ? 64 : bit_width(element.scalar);
  const std::uint64_t value = std::get<Bits>(use.attrs[0]).value;
  return bits == 64 || value >> bits == 0
             ? std::string()
             : fmt::format("`value` of `constant` has bits that `{}` does not", element.str());
}

std::string infer_arange(Use& use) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  const std::int64_t start = use.int_attr(0);
  const std::int64_t end = use.int_attr(1);
  if (start < -kLimit || end > kLimit || start >= end) {
    return fmt::format("`arange` from {} to {}: the end must be greater, and both within 32 bits",
                       start, end);
  }
  if (end - start >= kLimit) {
    return fmt::format("`arange` from {} to {} has too many elements", start, end);
  }
  use.results = {Type(Scalar::I32, Shape{end - start})};
  return {};
}

std::string infer_broadcast(Use& use) {
  const Type& from = use.operand(0);
  const Type& to = use.results[0];
  bool fits = from.shape.rank() == to.shape.rank();
  for (int axis = 0; fits && axis < to.shape.rank(); ++axis) {
    fits = from.shape[axis] == to.shape[axis] || from.shape[axis] == 1;
  }
  return fits ? std::string()
              : fmt::format(
                    "`x` of `broadcast` is `{}`, the result `{}`: both must have the same number "
                    "of axes, and each extent must stay or grow from 1",
                    from.str(), to.str());
}

std::string infer_expand_dims(Use& use) {
  const Type& from = use.operand(0);
  const std::int64_t axis = use.int_attr(0);
  if (from.shape.rank() == Shape::kMaxRank) {
    return fmt::format("`x` of `expand_dims` has {} axes already, the most there can be",
                       Shape::kMaxRank);
  }
  if (axis < 0 || axis > from.shape.rank()) {
    return fmt::format("axis {} of `expand_dims` is not between 0 and {}", axis, from.shape.rank());
  }
  use.results = {from};
  use.results[0].shape.insert(static_cast<int>(axis), 1);
  return {};
}

std::string infer_reshape(Use& use) {
  const Type& from = use.operand(0);
  const Type& to = use.results[0];
  return from.numel() == to.numel()
             ? std::string()
             : fmt::format(
                   "`x` of `reshape` has shape `{}` and {} elements, the result `{}` and "
                   "{}: the number must stay",
                   from.shape.str(), from.numel(), to.shape.str(), to.numel());
}

std::string infer_trans(Use& use) {
  const Type& from = use.operand(0);
  const auto& order = std::get<std::vector<std::int64_t>>(use.attrs[0]);
  const auto rank = static_cast<std::size_t>(from.shape.rank());
  std::vector<bool> seen(rank, false);
  bool fits = order.size() == rank;
  for (std::size_t i = 0; fits && i < rank; ++i) {
    fits = order[i] >= 0 && order[i] < static_cast<std::int64_t>(rank) &&
           !seen[static_cast<std::size_t>(order[i])];
    if (fits) {
      seen[static_cast<std::size_t>(order[i])] = true;
    }
  }
  if (!fits) {
    return fmt::format("`order` of `trans`, [{}], is not a permutation of the {} axes of `{}`",
                       fmt::join(order, ", "), rank, from.str());
  }
  use.results = {from};
  for (std::size_t i = 0; i < rank; ++i) {
    use.results[0].shape.set(static_cast<int>(i), from.shape[static_cast<int>(order[i])]);
  }
  return {};
}

std::string infer_cast(Use& use) {
  const ElementType from = use.operand(0).element;
  const ElementType to = use.results[0].element;
  if (to.is_pointer()) {
    return fmt::format("`cast` of `{}` to `{}`: pointers are reinterpreted by `bitcast`",
                       from.str(), to.str());
  }
  const bool narrows =
      is_float(from.scalar) && is_float(to.scalar) && bit_width(to.scalar) < bit_width(from.scalar);
  const bool toward_zero = use.int_attr(0) != 0;
  return narrows || !toward_zero
             ? std::string()
             : fmt::format(
                   "`cast` of `{}` to `{}` with a rounding mode: only a conversion to a "
                   "narrower float rounds",
                   from.str(), to.str());
}

std::string infer_bitcast(Use& use) {
  const ElementType from = use.operand(0).element;
  const ElementType to = use.results[0].element;
  const auto width = [](ElementType e) { return e.is_pointer() ? 64 : bit_width(e.scalar); };
  const auto is_address = [](ElementType e) {
    return e.is_pointer() || (is_integer(e.scalar) && bit_width(e.scalar) == 64);
  };
  const bool has_pointer = from.is_pointer() || to.is_pointer();
  if (width(from) == width(to) && (!has_pointer || (is_address(from) && is_address(to)))) {
    return {};
  }
  return fmt::format("`bitcast` of `{}` to `{}`: {}", from.str(), to.str(),
                     has_pointer
                         ? "a pointer is reinterpreted as a pointer or a 64-bit integer"
                         : fmt::format("they are {} and {} bits wide", width(from), width(to)));
}

/// What `reduce` and `scan` have in common: one or more tiles of one shape, and an axis of it.
std::string check_fold(const Use& use) {
  const std::vector<Type>& tiles = use.operands[0];
  if (tiles.empty()) {
    return fmt::format("`{}` needs at least one operand", use.def.id);
  }
  for (const Type& tile : tiles) {
    if (tile.shape != tiles.front().shape) {
      return fmt::format("operands of `{}` are `{}` and `{}`: their shapes must be the same",
                         use.def.id, tiles.front().str(), tile.str());
    }
  }
  const int rank = tiles.front().shape.rank();
  if (rank == 0) {
    return fmt::format("`{}` of a scalar, `{}`, has no axis to go along", use.def.id,
                       tiles.front().str());
  }
  const std::int64_t axis = use.int_attr(0);
  return axis >= 0 && axis < rank ? std::string()
                                  : fmt::format("axis {} of `{}` is not an axis of `{}`", axis,
                                                use.def.id, tiles.front().str());
}

std::string infer_reduce(Use& use) {
  std::string error = check_fold(use);
  if (error.empty()) {
    use.results = use.operands[0];
    for (Type& type : use.results) {
      type.shape.erase(static_cast<int>(use.int_attr(0)));
    }
  }
  return error;
}

std::string infer_scan(Use& use) {
  return check_fold(use);
}

std::string infer_dot(Use& use) {
  const ElementType a = use.operand(0).element;
  const ElementType acc = use.operand(2).element;
  const bool numbers = !a.is_pointer() && !acc.is_pointer();
  if (numbers && is_float(a.scalar) == is_float(acc.scalar) && !a.is(Scalar::I1)) {
    return {};
  }
  return fmt::format(
      "`dot` of `{}` tiles into `{}`: it multiplies floats into floats and integers "
      "into integers",
      a.str(), acc.str());
}

std::string infer_for(Use& use) {
  const bool has_exit = std::get<bool>(use.attrs[0]);
  const std::vector<Type>& init = use.operands[3];
  return !has_exit || (!init.empty() && init.front() == Type(Scalar::I1))
             ? std::string()
             : "the first carried value of a `for` with `has_exit` must be an `i1`";
}

std::string infer_while(Use& use) {
  const Region& cond = use.function.region(use.regions[0]);
  if (cond.insts.empty() || use.function.inst(cond.insts.back()).op != Op::Condition) {
    return {};
  }
  const Inst& condition = use.function.inst(cond.insts.back());
  const std::span<const ValueId> values = condition.group(1);
  const std::vector<Type>& init = use.operands[0];
  const bool fits =
      std::equal(values.begin(), values.end(), init.begin(), init.end(),
                 [&](ValueId value, const Type& type) { return use.function.type(value) == type; });
  return fits ? std::string() : "`condition` must pass on values of the types that `while` carries";
}

/// Which ops have a rule, and what it does about the results.
enum class RuleKind : std::uint8_t {
  Checks,    ///< the signature or the regions give them; the rule adds conditions
  Computes,  ///< the rule gives them
  Given,     ///< the caller gives them; the rule checks
};

struct Rule {
  Op op;
  RuleKind kind;
  std::string (*apply)(Use&);
};

std::string infer_splat(Use& /*use*/) {
  return {};
}

constexpr Rule kRules[] = {
    {Op::ProgramId, RuleKind::Checks, infer_program_id},
    {Op::NumPrograms, RuleKind::Checks, infer_program_id},
    {Op::Constant, RuleKind::Given, infer_constant},
    {Op::Arange, RuleKind::Computes, infer_arange},
    {Op::Splat, RuleKind::Given, infer_splat},
    {Op::Broadcast, RuleKind::Given, infer_broadcast},
    {Op::ExpandDims, RuleKind::Computes, infer_expand_dims},
    {Op::Reshape, RuleKind::Given, infer_reshape},
    {Op::Trans, RuleKind::Computes, infer_trans},
    {Op::Cast, RuleKind::Given, infer_cast},
    {Op::Bitcast, RuleKind::Given, infer_bitcast},
    {Op::Reduce, RuleKind::Computes, infer_reduce},
    {Op::Scan, RuleKind::Checks, infer_scan},
    {Op::Dot, RuleKind::Checks, infer_dot},
    {Op::For, RuleKind::Checks, infer_for},
    {Op::While, RuleKind::Checks, infer_while},
};

const Rule* rule_of(Op op) {
  static constexpr std::array<const Rule*, kOpCount> kByOp = [] {
    std::array<const Rule*, kOpCount> rules{};
    for (const Rule& rule : kRules) {
      rules[static_cast<std::size_t>(rule.op)] = &rule;
    }
    return rules;
  }();
  return kByOp[static_cast<std::size_t>(op)];
}

// ---- the generic part ---------------------------------------------------------------------------

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
  Inferrer(Use& use, std::span<const Type> given) : use_(use), given_(given) {}

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
    const Rule* rule = rule_of(use_.def.op);
    const bool computes = rule != nullptr && rule->kind == RuleKind::Computes;
    std::string error = computes ? std::string() : results_from_signature();
    if (error.empty() && rule != nullptr) {
      error = rule->apply(use_);
    }
    if (!error.empty() || given_.empty()) {
      return error;
    }
    return std::equal(given_.begin(), given_.end(), use_.results.begin(), use_.results.end())
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

  Use& use_;
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
  Use use{function, def, operands, attrs, regions, {}};
  std::string error = Inferrer(use, given).run();
  return {std::move(use.results), std::move(error)};
}

bool needs_result_type(Op op) {
  const Rule* rule = rule_of(op);
  return rule != nullptr && rule->kind == RuleKind::Given;
}

}  // namespace tilery
