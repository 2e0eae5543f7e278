#include "ir/passes/canonicalise.h"

#include "ir/analysis/loops.h"
#include "ir/analysis/uses.h"
#include "ir/builder.h"
#include "ir/passes/canonicalise_control.h"
#include "ir/passes/canonicalise_rules.h"
#include "ir/passes/replacements.h"
#include "ir/support/check.h"

#include <algorithm>
#include <iterator>

namespace tilery {

namespace canonical {

const Inst* Context::def(ValueId value, Op op) const {
  const InstId def = function.value(value).def;
  return def && function.inst(def).op == op ? &function.inst(def) : nullptr;
}

std::optional<Number> Context::number(ValueId value) const {
  const auto bits = function.constant_bits(value);
  if (!bits || type(value).is_pointer()) {
    return std::nullopt;
  }
  return Number{type(value).element.scalar, *bits};
}

bool Context::is(ValueId value, bool (*test)(Number)) const {
  const std::optional<Number> constant = number(value);
  return constant && test(*constant);
}

ValueId Context::other_if(const Inst& inst, bool (*test)(Number)) const {
  for (const int side : {1, 0}) {
    if (is(inst.operand(side), test)) {
      return inst.operand(1 - side);
    }
  }
  return {};
}

ValueId Context::constant(const Inst& inst, std::uint64_t bits) {
  const Type result = type(inst.result());
  const int unused = result.is_pointer() ? 0 : 64 - bit_width(result.element.scalar);
  return builder.constant_bits(result, bits << unused >> unused);
}

ValueId Context::like(const Inst& inst, std::vector<ValueId> operands, const Type& result) {
  Inst copy = inst;
  copy.operands = std::move(operands);
  return function.inst(builder.place(std::move(copy), {&result, 1})).result();
}

}  // namespace canonical

namespace {

using canonical::Apply;
using canonical::Context;
using canonical::MaskedFate;
using canonical::Rule;

class Canonicaliser {
 public:
  explicit Canonicaliser(Function& function) : function_(function), context_(function) {}

  bool run() {
    replace_known_params();
    walk(function_.body);
    return changed_;
  }

 private:
  /// What is left of a region, the next instruction last.
  using Todo = std::vector<InstId>;

  void walk(RegionId region) {
    Todo todo = take(region);
    while (!todo.empty()) {
      const InstId id = todo.back();
      todo.pop_back();
      replacements_.apply(function_.inst(id));
      step(region, id, todo);
    }
  }

  /// The region's instructions in reverse; the region is filled again as they are looked at.
  Todo take(RegionId region) {
    Todo insts = std::move(function_.region(region).insts);
    function_.region(region).insts.clear();
    std::ranges::reverse(insts);
    return insts;
  }

  void keep(RegionId region, InstId id) { function_.region(region).insts.push_back(id); }

  void remove(InstId id) {
    function_.inst(id).parent = RegionId();
    changed_ = true;
  }

  void step(RegionId region, InstId id, Todo& todo) {
    const OpDef& def = op_def(function_.inst(id).op);
    context_.builder.set_region(region);
    context_.builder.set_loc(function_.inst(id).loc);
    if (def.effects == OpEffects::Regions) {
      step_control(region, id, todo);
    } else if (def.is_pure() && function_.inst(id).result_count == 1) {
      step_pure(region, id, todo);
    } else {
      step_memory(region, id);
    }
  }

  // ---- instructions with one result ----

  void step_pure(RegionId region, InstId id, Todo& todo) {
    const std::size_t before = function_.region(region).insts.size();
    const std::size_t old_values = function_.values.size();
    const ValueId now = simplified(id);
    if (!now) {
      for (const RegionId nested : std::vector<RegionId>(function_.inst(id).regions)) {
        walk(nested);
      }
      keep(region, id);
      return;
    }
    count_rewrite();
    const ValueId old = function_.inst(id).result();
    if (now.index >= old_values && function_.value(now).name.empty()) {
      function_.value(now).name = function_.value(old).name;
    }
    replacements_.set(old, now);
    remove(id);
    look_again(region, before, todo);
  }

  /// What a rule made is looked at next.
  void look_again(RegionId region, std::size_t before, Todo& todo) {
    std::vector<InstId>& insts = function_.region(region).insts;
    std::reverse_copy(insts.begin() + static_cast<std::ptrdiff_t>(before), insts.end(),
                      std::back_inserter(todo));
    insts.resize(before);
  }

  /// The first rule that matches decides.
  ValueId simplified(InstId id) {
    const OpDef& def = op_def(function_.inst(id).op);
    // A copy: rules build, which moves the function's instructions.
    const Inst inst = function_.inst(id);
    if (def.is_map()) {
      if (const ValueId value = canonical::fold_constants(context_, inst)) {
        return value;
      }
    }
    for (const auto rules : {canonical::map_rules(), canonical::shape_rules()}) {
      for (const Rule& rule : rules) {
        if (rule.op != inst.op) {
          continue;
        }
        if (const ValueId value = rule.apply(context_, inst)) {
          return value;
        }
      }
    }
    if (canonical::is_elementwise(def)) {
      const ValueId value = canonical::sink_splats(context_, inst);
      return value ? value : canonical::hoist_broadcasts(context_, inst);
    }
    return canonical::reshape_uniform(context_, inst);
  }

  // ---- memory, terminators, debugging ----

  void step_memory(RegionId region, InstId id) {
    ValueId replacement;
    const MaskedFate fate = canonical::simplify_masked(context_, id, replacement);
    changed_ |= fate != MaskedFate::Keep;
    for (const RegionId nested : std::vector<RegionId>(function_.inst(id).regions)) {
      walk(nested);
    }
    if (fate != MaskedFate::Removed) {
      keep(region, id);
      return;
    }
    if (replacement) {
      replacements_.set(function_.inst(id).result(), replacement);
    }
    remove(id);
  }

  // ---- loops and branches ----

  void step_control(RegionId region, InstId id, Todo& todo) {
    if (const auto inlining = canonical::known_course(function_, function_.inst(id))) {
      inline_course(region, id, *inlining, todo);
      return;
    }
    const bool loop = is_loop(function_.inst(id).op);
    if (loop) {
      changed_ |= canonical::merge_carried(function_, function_.inst(id), replacements_);
    }
    for (const RegionId nested : std::vector<RegionId>(function_.inst(id).regions)) {
      walk(nested);
    }
    if (loop) {
      finish_loop(id);
    } else {
      changed_ |= canonical::merge_branch_results(function_, function_.inst(id), replacements_);
    }
    keep(region, id);
  }

  /// The region's instructions take the place of the loop or branch and are looked at there.
  void inline_course(RegionId region, InstId id, const canonical::Inlining& inlining, Todo& todo) {
    std::vector<ValueId> results = inlining.results;
    if (inlining.region) {
      for (std::size_t i = 0; i < inlining.args.size(); ++i) {
        replacements_.set(function_.region(inlining.region).args[i], inlining.args[i]);
      }
      Todo insts = take(inlining.region);
      results = function_.inst(insts.front()).operands;
      function_.inst(insts.front()).parent = RegionId();
      for (const InstId inner : std::span(insts).subspan(1)) {
        function_.inst(inner).parent = region;
        todo.push_back(inner);
      }
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      replacements_.set(function_.inst(id).result(static_cast<std::uint32_t>(i)), results[i]);
    }
    remove(id);
  }

  /// What the walk of the body has brought to light: an exit flag that stays false, and values that
  /// turned out not to change. Each found value is put in place in the body, which may show more.
  void finish_loop(InstId id) {
    bool found = canonical::never_exits(function_, function_.inst(id));
    if (found) {
      drop_exit(id);
    }
    found |= canonical::merge_carried(function_, function_.inst(id), replacements_);
    while (found) {
      changed_ = true;
      for (const RegionId region : function_.inst(id).regions) {
        for_each_inst(function_, region,
                      [&](InstId inner) { replacements_.apply(function_.inst(inner)); });
      }
      found = canonical::merge_carried(function_, function_.inst(id), replacements_);
    }
  }

  /// The flag is false wherever it is read; what is left is a carried value without uses.
  void drop_exit(InstId id) {
    Inst& loop = function_.inst(id);
    loop.attrs[static_cast<std::size_t>(attr_index(Op::For, "has_exit"))] = false;
    const Carried flag = carried_value(function_, loop, 0);
    replacements_.set(flag.arg, flag.init);
    replacements_.set(flag.result, flag.init);
  }

  // ---- parameters ----

  /// Puts a constant at the head of the body for each used parameter that is promised to be 1.
  void replace_known_params() {
    const Uses uses = find_uses(function_);
    const std::vector<ValueId> args = function_.region(function_.body).args;
    const std::size_t count = function_.region(function_.body).insts.size();
    context_.builder.set_region(function_.body);
    for (std::size_t i = 0; i < function_.params.size(); ++i) {
      const Type type = function_.params[i].type;
      const bool is_one = function_.params[i].facts.equals_1 && !type.is_pointer() &&
                          is_integer(type.element.scalar);
      if (is_one && uses.count(args[i]) != 0) {
        replacements_.set(args[i], context_.builder.constant_int(type, 1));
        changed_ = true;
      }
    }
    std::vector<InstId>& insts = function_.region(function_.body).insts;
    std::ranges::rotate(insts, insts.begin() + static_cast<std::ptrdiff_t>(count));
  }

  /// Rules make things simpler, so there are few of them an instruction; a pair of rules that undo
  /// each other would go on forever.
  void count_rewrite() {
    constexpr std::size_t kPerInst = 100;
    TILERY_CHECK(++rewrites_ <= kPerInst * (first_count_ + 10),
                 "canonicalise does not come to an end");
  }

  Function& function_;
  Context context_;
  Replacements replacements_;
  const std::size_t first_count_ = function_.insts.size();
  std::size_t rewrites_ = 0;
  bool changed_ = false;
};

}  // namespace

bool canonicalise(Function& function) {
  return Canonicaliser(function).run();
}

}  // namespace tilery
