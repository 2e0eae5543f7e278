// The combine functions of `tl.reduce` and `tl.associative_scan`: calls that become regions.
//
// Executors fold whole rows at once, so a region is element-wise work on scalars without branches.
// What a function chooses by `if` has no effects, so both sides are computed and one is taken:
//
//     %r = if %c : f32 {             %x = mul %a, %b
//     then:                     →    %r = select %c, %x, %b
//       %x = mul %a, %b
//       yield %x
//     else:
//       yield %b
//     }
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"
#include "ir/analysis/loops.h"
#include "ir/operands.h"

#include <fmt/format.h>

#include <set>

namespace tilery::sema {
namespace {

/// Puts both sides of an `if` before it, and selects in place of its results.
void flatten_if(Function& function, InstId id) {
  const Inst branch = function.inst(id);
  Builder builder(function);
  builder.set_before(id);
  builder.set_loc(branch.loc);
  std::vector<ValueId> map(function.values.size());
  const std::vector<ValueId> if_true = inline_region(builder, branch.regions[0], map);
  const std::vector<ValueId> if_false = inline_region(builder, branch.regions[1], map);
  builder.set_loc(branch.loc);
  for (std::uint32_t i = 0; i < branch.result_count; ++i) {
    const ValueId chosen =
        builder.map(Op::Select, {operand<"condition">(branch), if_true[i], if_false[i]});
    function.value(chosen).name = function.value(branch.result(i)).name;
    replace_uses(function, branch.result(i), chosen);
  }
  erase(function, id);
}

/// The inner ones first, whose selects the outer ones then take along.
void flatten_branches(Function& function, RegionId region) {
  const std::vector<InstId> insts = function.region(region).insts;
  for (const InstId id : insts) {
    if (function.inst(id).op != Op::If) {
      continue;
    }
    for (const RegionId side : std::vector<RegionId>(function.inst(id).regions)) {
      flatten_branches(function, side);
    }
    flatten_if(function, id);
  }
}

/// What every executor can fold with is element-wise work on scalars: it runs on whole rows at
/// once.
bool check_combine_ops(Sema& sema, RegionId region, SourceRange range) {
  const Function& f = sema.function();
  for (const InstId id : f.region(region).insts) {
    const Inst& inst = f.inst(id);
    const OpDef& def = op_def(inst.op);
    const bool has_tile = inst.result_count != 0 && !f.type(inst.result(0)).is_scalar();
    if ((def.is_map() || inst.op == Op::Constant || def.is_terminator()) && !has_tile) {
      continue;
    }
    sema.report(DiagId::UnsupportedExpression, range,
                has_tile ? "a tile in a combine function"
                         : fmt::format("`{}` in a combine function", def.id))
        .note("it stands here", f.range(inst.loc))
        .helped(has_tile ? "the function gets scalars and computes with them"
                         : "unroll loops with `tl.static_range`");
    return false;
  }
  return true;
}

}  // namespace

std::optional<RegionId> Specializer::combine_region(const Value& callee,
                                                    std::span<const Type> element_types,
                                                    SourceRange range) {
  std::vector<Type> types(element_types.begin(), element_types.end());
  types.insert(types.end(), element_types.begin(), element_types.end());
  const RegionId outer = builder_.region();
  const RegionId region = builder_.make_region(types);
  std::vector<CallArgument> arguments;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const ValueId arg = function().region(region).args[i];
    arguments.push_back({{}, Value{Tensor{arg, types[i]}}, range});
  }
  builder_.set_region(region);
  const MaybeValue result = call(callee, arguments, range);
  std::optional<std::vector<ValueId>> yields;
  if (result) {
    yields = combine_results(*result, element_types, range);
  }
  if (yields) {
    builder_.yield(*yields);
  }
  builder_.set_region(outer);
  set_range(range);
  const bool fits = yields && finish_combine(region, range);
  return fits ? std::optional(region) : std::nullopt;
}

std::optional<std::vector<ValueId>> Specializer::combine_results(
    const Value& result, std::span<const Type> element_types, SourceRange range) {
  const auto* tuple = result.as<TupleValue>();
  const std::vector<Value> values = tuple != nullptr ? tuple->elements : std::vector<Value>{result};
  const auto report_result = [&] {
    std::string expected;
    for (const Type& type : element_types) {
      expected += (expected.empty() ? "" : ", ") + type_text(type);
    }
    Diagnostic& diagnostic = report(DiagId::CombineResult, range, describe(result), expected);
    diagnostic.helped("the function takes two elements and returns one of the same type");
    explain_nothing(diagnostic, result);
  };
  if (values.size() != element_types.size()) {
    report_result();
    return {};
  }
  std::vector<ValueId> ids;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_number = values[i].is_number() || values[i].is<Tensor>();
    if (!is_number) {
      report_result();
      return {};
    }
    const MaybeTensor tensor = values[i].is_number()
                                   ? to_element(*this, values[i], element_types[i].element, range)
                                   : to_tensor(*this, values[i], range);
    if (!tensor) {
      return {};
    }
    if (tensor->type != element_types[i]) {
      report_result();
      return {};
    }
    ids.push_back(tensor->id);
  }
  return ids;
}

bool Specializer::finish_combine(RegionId region, SourceRange range) {
  const Function& f = function();
  std::set<ValueId> inside(f.region(region).args.begin(), f.region(region).args.end());
  bool is_pure = true;
  bool is_closed = true;
  for_each_inst(f, region, [&](InstId id) {
    const Inst& inst = f.inst(id);
    const OpDef& def = op_def(inst.op);
    is_pure =
        is_pure && (def.is_pure() || def.is_terminator() || def.effects == OpEffects::Regions);
    for (const ValueId operand : inst.operands) {
      is_closed = is_closed && inside.contains(operand);
    }
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      inside.insert(inst.result(i));
    }
    for (const RegionId nested : inst.regions) {
      inside.insert(f.region(nested).args.begin(), f.region(nested).args.end());
    }
  });
  if (!is_pure) {
    report(DiagId::CombineEffects, range)
        .helped("load before the reduction; the function may only compute");
  } else if (!is_closed) {
    report(DiagId::CombineCaptures, range)
        .helped("pass what the function needs as a further input, or at compile time");
  }
  if (!is_pure || !is_closed) {
    return false;
  }
  flatten_branches(function(), region);
  return check_combine_ops(*this, region, range);
}

}  // namespace tilery::sema
