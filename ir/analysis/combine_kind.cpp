// Recognising a fold by comparing it with the one that build_combine would build.
//
// The single-instruction folds are looked up; arg-folds are built into a scratch function and
// compared as expression graphs, so what is built and what is recognised cannot drift apart. The
// comparison lets the operands of a two-operand instruction change sides where that cannot change
// the result: `eq`, `or`, … commute, and `gt a, b` is `lt b, a`.
#include "ir/analysis/combine_kind.h"

#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/support/check.h"

#include <array>
#include <optional>

namespace tilery {
namespace {

/// More instructions than any known fold has.
constexpr std::size_t kMaxInsts = 24;

struct SimpleFold {
  CombineKind kind;
  Op op;
  bool propagate_nan;
};

constexpr std::array<SimpleFold, 9> kSimpleFolds{{
    {CombineKind::Add, Op::Add, false},
    {CombineKind::Mul, Op::Mul, false},
    {CombineKind::Max, Op::Maximum, false},
    {CombineKind::Min, Op::Minimum, false},
    {CombineKind::MaxNan, Op::Maximum, true},
    {CombineKind::MinNan, Op::Minimum, true},
    {CombineKind::And, Op::And, false},
    {CombineKind::Or, Op::Or, false},
    {CombineKind::Xor, Op::Xor, false},
}};

constexpr std::array<CombineKind, 4> kArgFolds{CombineKind::ArgMaxLeft, CombineKind::ArgMinLeft,
                                               CombineKind::ArgMaxAny, CombineKind::ArgMinAny};

bool has_nan_flag(Op op) {
  return op == Op::Maximum || op == Op::Minimum;
}

const SimpleFold* find_simple(CombineKind kind) {
  for (const SimpleFold& fold : kSimpleFolds) {
    if (fold.kind == kind) {
      return &fold;
    }
  }
  return nullptr;
}

bool is_max(CombineKind kind) {
  return kind == CombineKind::ArgMaxLeft || kind == CombineKind::ArgMaxAny;
}

bool is_left(CombineKind kind) {
  return kind == CombineKind::ArgMaxLeft || kind == CombineKind::ArgMinLeft;
}

/// (v1, i1) against (v2, i2): whether the first pair wins, so that NaN never does unless both are
/// NaN, and, for the leftmost form, the smaller index wins among equals (or among NaNs).
ValueId first_wins(Builder& builder, CombineKind kind, std::span<const ValueId> args) {
  const ValueId v1 = args[0];
  const ValueId i1 = args[1];
  const ValueId v2 = args[2];
  const ValueId i2 = args[3];
  const bool may_be_nan = is_float(builder.function().type(v1).element.scalar);
  const auto is_nan = [&](ValueId v) { return builder.map(Op::Ne, {v, v}); };
  if (!is_left(kind)) {
    const ValueId not_worse = builder.map(is_max(kind) ? Op::Ge : Op::Le, {v1, v2});
    return may_be_nan ? builder.map(Op::Or, {not_worse, is_nan(v2)}) : not_worse;
  }
  ValueId better = builder.map(is_max(kind) ? Op::Gt : Op::Lt, {v1, v2});
  ValueId tie = builder.map(Op::Eq, {v1, v2});
  if (may_be_nan) {
    const ValueId second_nan = is_nan(v2);
    const ValueId first_number = builder.map(Op::Eq, {v1, v1});
    better = builder.map(Op::Or, {better, builder.map(Op::And, {second_nan, first_number})});
    tie = builder.map(Op::Or, {tie, builder.map(Op::And, {second_nan, is_nan(v1)})});
  }
  const ValueId is_left_of = builder.map(Op::Lt, {i1, i2});
  return builder.map(Op::Or, {better, builder.map(Op::And, {tie, is_left_of})});
}

/// Compares the expression graphs of two combine regions, each in its own function.
class Comparison {
 public:
  Comparison(const Function& lhs, RegionId lhs_region, const Function& rhs, RegionId rhs_region)
      : lhs_(lhs), lhs_region_(lhs_region), rhs_(rhs), rhs_region_(rhs_region) {}

  bool run() {
    const std::span<const ValueId> a = lhs_.terminator(lhs_region_).operands;
    const std::span<const ValueId> b = rhs_.terminator(rhs_region_).operands;
    if (a.size() != b.size()) {
      return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i])) {
        return false;
      }
    }
    return true;
  }

 private:
  bool same(ValueId a, ValueId b) const {
    const Value& va = lhs_.value(a);
    const Value& vb = rhs_.value(b);
    if (!va.def || !vb.def) {
      return !va.def && !vb.def && va.index == vb.index;
    }
    const Inst& ia = lhs_.inst(va.def);
    const Inst& ib = rhs_.inst(vb.def);
    if (va.type != vb.type || ia.attrs != ib.attrs || ia.operands.size() != ib.operands.size()) {
      return false;
    }
    return (ia.op == ib.op && same_operands(ia, ib)) ||
           (ia.op == swapped(ib.op) && ia.operands.size() == 2 &&
            same(ia.operands[0], ib.operands[1]) && same(ia.operands[1], ib.operands[0]));
  }

  bool same_operands(const Inst& a, const Inst& b) const {
    for (std::size_t i = 0; i < a.operands.size(); ++i) {
      if (!same(a.operands[i], b.operands[i])) {
        return false;
      }
    }
    return true;
  }

  /// The op that gives the same result with its two operands exchanged; none of the others does.
  static std::optional<Op> swapped(Op op) {
    constexpr std::array<std::array<Op, 2>, 4> kPairs{
        {{Op::Lt, Op::Gt}, {Op::Le, Op::Ge}, {Op::Gt, Op::Lt}, {Op::Ge, Op::Le}}};
    for (const auto& pair : kPairs) {
      if (pair[0] == op) {
        return pair[1];
      }
    }
    const bool commutes = op == Op::Eq || op == Op::Ne || op == Op::And || op == Op::Or;
    return commutes ? std::optional(op) : std::nullopt;
  }

  const Function& lhs_;
  const RegionId lhs_region_;
  const Function& rhs_;
  const RegionId rhs_region_;
};

CombineKind simple_kind(const Function& function, const Region& region) {
  const Inst& inst = function.inst(region.insts[0]);
  const ValueId yielded = function.inst(region.insts[1]).operands[0];
  const auto is_args = [&](int first) {
    return inst.operands[0] == region.args[first] && inst.operands[1] == region.args[1 - first];
  };
  if (inst.operands.size() != 2 || inst.result_count != 1 || yielded != inst.result() ||
      (!is_args(0) && !is_args(1))) {
    return CombineKind::Other;
  }
  for (const SimpleFold& fold : kSimpleFolds) {
    if (fold.op == inst.op && fold.propagate_nan == propagates_nan(inst)) {
      return fold.kind;
    }
  }
  return CombineKind::Other;
}

CombineKind arg_kind(const Function& function, RegionId combine) {
  const Region& region = function.region(combine);
  const std::array<Type, 2> types{function.type(region.args[0]), function.type(region.args[1])};
  if (function.type(region.args[2]) != types[0] || function.type(region.args[3]) != types[1]) {
    return CombineKind::Other;
  }
  for (const CombineKind kind : kArgFolds) {
    Function scratch = make_function("scratch", {});
    const RegionId built = build_combine(scratch, kind, types, LocId());
    if (Comparison(function, combine, scratch, built).run()) {
      return kind;
    }
  }
  return CombineKind::Other;
}

}  // namespace

CombineKind combine_kind(const Function& function, RegionId combine) {
  const Region& region = function.region(combine);
  if (region.insts.size() > kMaxInsts) {
    return CombineKind::Other;
  }
  if (region.args.size() == 2 && region.insts.size() == 2) {
    return simple_kind(function, region);
  }
  return region.args.size() == 4 ? arg_kind(function, combine) : CombineKind::Other;
}

RegionId build_combine(Function& function, CombineKind kind, std::span<const Type> element_types,
                       LocId loc) {
  TILERY_CHECK(kind != CombineKind::Other, "an unknown fold cannot be built");
  const SimpleFold* simple = find_simple(kind);
  TILERY_CHECK(element_types.size() == (simple != nullptr ? 1 : 2),
               "a fold takes one value, an arg-fold a value and an index");
  std::vector<Type> types(element_types.begin(), element_types.end());
  types.insert(types.end(), element_types.begin(), element_types.end());

  Builder builder(function);
  const RegionId region = builder.make_region(types);
  builder.set_region(region);
  builder.set_loc(loc);
  const std::vector<ValueId> args = function.region(region).args;
  if (simple != nullptr) {
    InstSpec spec{.groups = {{args[0]}, {args[1]}}, .attrs = {}, .result_types = {}, .regions = {}};
    if (has_nan_flag(simple->op)) {
      spec.attrs.emplace_back("propagate_nan", simple->propagate_nan);
    }
    builder.yield({builder.value(simple->op, std::move(spec))});
    return region;
  }
  const ValueId first = first_wins(builder, kind, args);
  const ValueId value = builder.map(Op::Select, {first, args[0], args[2]});
  const ValueId index = builder.map(Op::Select, {first, args[1], args[3]});
  builder.yield({value, index});
  return region;
}

}  // namespace tilery
