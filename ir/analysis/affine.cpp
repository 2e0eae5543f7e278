#include "ir/analysis/affine.h"

#include "ir/analysis/affine_rules.h"
#include "ir/analysis/loops.h"

#include <algorithm>

namespace tilery {

bool AffineForm::is_uniform() const {
  return std::ranges::all_of(strides, [](const LinearSum& stride) { return stride.is_zero(); });
}

const AffineForm* Affine::form(ValueId value) const {
  const bool known = value.index < forms_.size() && forms_[value.index];
  return known ? &*forms_[value.index] : nullptr;
}

const MaskForm* Affine::mask(ValueId value) const {
  const bool known = value.index < masks_.size() && masks_[value.index];
  return known ? &*masks_[value.index] : nullptr;
}

std::vector<ValueId> narrow_operands(const Function& function, const Inst& inst) {
  const auto width = [&](ValueId value) { return bit_width(function.type(value).element.scalar); };
  if (inst.op == Op::Cast) {
    const ValueId x = inst.operand(0);
    const bool widens = affine::is_plain_integer(function.type(x)) &&
                        affine::is_plain_integer(function.type(inst.result())) &&
                        width(inst.result()) > width(x);
    return widens ? std::vector{x} : std::vector<ValueId>{};
  }
  if (inst.op == Op::AddPtr) {
    const ValueId offset = inst.operand(1);
    return width(offset) < 64 ? std::vector{offset} : std::vector<ValueId>{};
  }
  if (affine::is_comparison(inst.op) && affine::is_plain_integer(function.type(inst.operand(0)))) {
    return {inst.operand(0), inst.operand(1)};
  }
  return {};
}

/// Computes the forms, in one walk down the region tree (more inside loops whose carried values
/// turn out not to keep their strides).
class AffineFinder {
 public:
  explicit AffineFinder(const Function& function) : function_(function) {
    result_.forms_.resize(function.values.size());
    result_.masks_.resize(function.values.size());
    for (std::size_t i = 0; i < function.values.size(); ++i) {
      add_scalar(ValueId(i));
    }
  }

  Affine run() && {
    visit_region(function_.body);
    return std::move(result_);
  }

 private:
  void add_scalar(ValueId value) {
    const Type& type = function_.type(value);
    if (!type.is_scalar()) {
      return;
    }
    const auto bits = function_.constant_bits(value);
    if (affine::is_mask(type)) {
      result_.masks_[value.index] = affine::uniform_mask(value, bits);
    } else if (affine::is_plain_integer(type) && bits) {
      set(value, affine::constant_form(type, *bits));
    } else if (affine::is_plain_integer(type) || type.is_pointer()) {
      set(value, affine::uniform_leaf(type, value));
    }
  }

  [[nodiscard]] const AffineForm* form(ValueId value) const { return result_.form(value); }

  void set(ValueId value, std::optional<AffineForm> form) {
    result_.forms_[value.index] = std::move(form);
  }

  void visit_region(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      visit(id);
    }
  }

  void visit(InstId id) {
    const Inst& inst = function_.inst(id);
    switch (op_def(inst.op).effects) {
      case OpEffects::Regions:
        visit_control(id);
        return;
      case OpEffects::Pure:
        if (inst.result_count == 1 && !function_.type(inst.result()).is_scalar()) {
          visit_tile(inst);
        }
        return;
      case OpEffects::Reads:
      case OpEffects::Writes:
      case OpEffects::ReadsWrites:
      case OpEffects::Observes:
      case OpEffects::Control:
        return;
    }
  }

  void visit_tile(const Inst& inst) {
    const Type& type = function_.type(inst.result());
    if (affine::is_mask(type)) {
      result_.masks_[inst.result().index] = affine::mask_of(known_, inst);
    } else if (type.is_pointer() || affine::is_plain_integer(type)) {
      set(inst.result(), affine::form_of(known_, inst));
    }
  }

  // ---- loops and branches ----

  void visit_control(InstId id) {
    if (function_.inst(id).op == Op::If) {
      visit_if(function_.inst(id));
    } else {
      visit_loop(id);
    }
  }

  void visit_if(const Inst& inst) {
    for (const RegionId region : inst.regions) {
      visit_region(region);
    }
    const auto& then_values = function_.terminator(inst.regions[0]).operands;
    const auto& else_values = function_.terminator(inst.regions[1]).operands;
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      const AffineForm* then_form = form(then_values[i]);
      const AffineForm* else_form = form(else_values[i]);
      const ValueId result = inst.result(i);
      forget(result);
      if (!is_tile(result) || then_form == nullptr || else_form == nullptr ||
          then_form->strides != else_form->strides) {
        continue;
      }
      set_carried(result, *then_form);
      result_.forms_[result.index]->exact = then_form->exact && else_form->exact;
    }
  }

  /// Inside a loop that is walked again, an earlier round's form must not stay.
  void forget(ValueId tile) {
    if (is_tile(tile)) {
      set(tile, std::nullopt);
    }
  }

  bool is_tile(ValueId value) const { return !function_.type(value).is_scalar(); }

  /// Gives `value` the strides of `like`, with itself as base.
  void set_carried(ValueId value, const AffineForm& like) {
    AffineForm form = affine::leaf(function_.type(value), value, like.strides);
    form.exact = like.exact;
    set(value, std::move(form));
  }

  /// Takes the strides of each carried tile from its initial value, walks the body, and gives up
  /// those that a yielded value does not keep; each round gives up at least one, or ends.
  void visit_loop(InstId id) {
    const Inst& inst = function_.inst(id);
    const RegionId first = inst.regions[0];
    const std::size_t first_arg = inst.op == Op::For ? 1 : 0;
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      const ValueId init = inst.operands[first_init(inst) + i];
      const ValueId arg = function_.region(first).args[first_arg + i];
      forget(arg);
      if (is_tile(init) && form(init) != nullptr) {
        set_carried(arg, *form(init));
      }
    }
    do {
      visit_region(first);
      if (inst.op == Op::While) {
        enter_while_body(id);
      }
    } while (give_up_changed(inst, first_arg));
    const Inst& leaving = function_.terminator(first);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      const ValueId last = inst.op == Op::While ? leaving.operands[1 + i]
                                                : function_.region(first).args[first_arg + i];
      forget(inst.result(i));
      if (is_tile(last) && has_outer_strides(last, id)) {
        set_carried(inst.result(i), *form(last));
      }
    }
  }

  /// The body of a `while` gets the values that its condition region passes on.
  void enter_while_body(InstId id) {
    const Inst& inst = function_.inst(id);
    const Inst& condition = function_.terminator(inst.regions[0]);
    const Region& body = function_.region(inst.regions[1]);
    for (std::size_t i = 0; i < body.args.size(); ++i) {
      const ValueId passed = condition.operands[1 + i];
      forget(body.args[i]);
      if (is_tile(passed) && has_outer_strides(passed, id)) {
        set_carried(body.args[i], *form(passed));
      }
    }
    visit_region(inst.regions[1]);
  }

  /// The value has a form whose strides are known outside the loop, too.
  bool has_outer_strides(ValueId value, InstId loop) const {
    const AffineForm* found = form(value);
    if (found == nullptr) {
      return false;
    }
    for (const LinearSum& stride : found->strides) {
      for (const LinearTerm& term : stride.terms()) {
        if (is_inside(function_, term.values[0], loop) ||
            (term.values[1] && is_inside(function_, term.values[1], loop))) {
          return false;
        }
      }
    }
    return true;
  }

  bool give_up_changed(const Inst& inst, std::size_t first_arg) {
    const Region& first = function_.region(inst.regions[0]);
    const Inst& yield = function_.terminator(inst.regions.back());
    bool changed = false;
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      const ValueId arg = first.args[first_arg + i];
      if (!is_tile(arg) || form(arg) == nullptr) {
        continue;
      }
      const AffineForm* next = form(yield.operands[i]);
      if (next == nullptr || next->strides != form(arg)->strides) {
        set(arg, std::nullopt);
        changed = true;
      } else if (form(arg)->exact && !next->exact) {
        result_.forms_[arg.index]->exact = false;
        changed = true;
      }
    }
    return changed;
  }

  const Function& function_;
  Affine result_;
  const affine::Known known_{function_, result_};
};

Affine find_affine(const Function& function) {
  return AffineFinder(function).run();
}

}  // namespace tilery
