#include "ir/analysis/affine.h"

#include "ir/analysis/loops.h"
#include "ir/builder.h"

#include <algorithm>

namespace tilery {
namespace {

__extension__ using WideInt = __int128;

bool is_plain_integer(const Type& type) {
  return !type.is_pointer() && is_integer(type.element.scalar) && !type.element.is(Scalar::I1);
}

bool is_mask(const Type& type) {
  return type.element.is(Scalar::I1);
}

bool is_comparison(Op op) {
  return op == Op::Eq || op == Op::Ne || op == Op::Lt || op == Op::Le || op == Op::Gt ||
         op == Op::Ge;
}

/// The form of a value about which nothing is known but its strides.
AffineForm leaf(const Type& type, ValueId value, std::vector<LinearSum> strides) {
  AffineForm form;
  form.strides = std::move(strides);
  if (type.is_pointer()) {
    form.pointer = value;
  } else {
    form.base = LinearSum(value);
  }
  return form;
}

AffineForm uniform_leaf(const Type& type, ValueId value) {
  return leaf(type, value, std::vector<LinearSum>(static_cast<std::size_t>(type.shape.rank())));
}

/// Smallest and largest number of an integer type.
std::pair<WideInt, WideInt> range_of(Scalar scalar) {
  const int width = bit_width(scalar);
  const WideInt one = 1;
  return is_signed_integer(scalar) ? std::pair{-(one << (width - 1)), (one << (width - 1)) - 1}
                                   : std::pair{WideInt{0}, (one << width) - 1};
}

bool contains(std::pair<WideInt, WideInt> outer, std::pair<WideInt, WideInt> inner) {
  return outer.first <= inner.first && inner.second <= outer.second;
}

/// For each axis of the result the operand's axis that it runs along, or -1 where the element does
/// not change along it.
using AxisMap = std::vector<int>;

AxisMap broadcast_axes(const Shape& from, const Shape& to) {
  AxisMap map;
  for (int i = 0; i < to.rank(); ++i) {
    map.push_back(from[i] == to[i] ? i : -1);
  }
  return map;
}

AxisMap expand_axes(const Shape& to, std::int64_t axis) {
  AxisMap map;
  for (int i = 0; i < to.rank(); ++i) {
    map.push_back(i == axis ? -1 : i - (i > axis ? 1 : 0));
  }
  return map;
}

/// Only axes of extent 1 come and go.
std::optional<AxisMap> reshape_axes(const Shape& from, const Shape& to) {
  AxisMap map;
  int source = 0;
  const auto skip_units = [&] {
    while (source < from.rank() && from[source] == 1) {
      ++source;
    }
  };
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] == 1) {
      map.push_back(-1);
      continue;
    }
    skip_units();
    if (source == from.rank() || from[source] != to[i]) {
      return std::nullopt;
    }
    map.push_back(source++);
  }
  skip_units();
  return source == from.rank() ? std::optional(map) : std::nullopt;
}

}  // namespace

bool AffineForm::is_uniform() const {
  return std::all_of(strides.begin(), strides.end(),
                     [](const LinearSum& stride) { return stride.is_zero(); });
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
    const bool widens = is_plain_integer(function.type(x)) &&
                        is_plain_integer(function.type(inst.result())) &&
                        width(inst.result()) > width(x);
    return widens ? std::vector{x} : std::vector<ValueId>{};
  }
  if (inst.op == Op::AddPtr) {
    const ValueId offset = inst.operand(1);
    return width(offset) < 64 ? std::vector{offset} : std::vector<ValueId>{};
  }
  if (is_comparison(inst.op) && is_plain_integer(function.type(inst.operand(0)))) {
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
    if (is_mask(type)) {
      result_.masks_[value.index] = scalar_mask(value, bits);
    } else if (is_plain_integer(type) && bits) {
      set(value, constant_form(type, *bits));
    } else if (is_plain_integer(type) || type.is_pointer()) {
      set(value, uniform_leaf(type, value));
    }
  }

  static MaskForm scalar_mask(ValueId value, std::optional<std::uint64_t> bits) {
    if (bits && *bits != 0) {
      return {};
    }
    const LinearSum base = bits ? LinearSum() : LinearSum(value);
    return {{{Op::Ne, -1, base, LinearSum(), value, true}}};
  }

  static AffineForm constant_form(const Type& type, std::uint64_t bits) {
    AffineForm form;
    form.base = LinearSum(decode_int(type.element.scalar, bits));
    form.strides.resize(static_cast<std::size_t>(type.shape.rank()));
    return form;
  }

  [[nodiscard]] const AffineForm* form(ValueId value) const { return result_.form(value); }

  void set(ValueId value, std::optional<AffineForm> form) {
    result_.forms_[value.index] = std::move(form);
  }

  void visit_region(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      visit(function_.inst(id));
    }
  }

  void visit(const Inst& inst) {
    switch (op_def(inst.op).effects) {
      case OpEffects::Regions:
        visit_control(inst);
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
    if (is_mask(type)) {
      result_.masks_[inst.result().index] = mask_of(inst);
    } else if (type.is_pointer() || is_plain_integer(type)) {
      set(inst.result(), form_of(inst));
    }
  }

  // ---- forms ----

  std::optional<AffineForm> form_of(const Inst& inst) const {
    std::optional<AffineForm> form = shape_form(inst);
    if (!form && !op_def(inst.op).operand_patterns().empty()) {
      form = arithmetic_form(inst);
    }
    const bool elementwise = op_def(inst.op).is_map() || inst.op == Op::AddPtr;
    if (!form && elementwise && all_uniform(inst)) {
      form = uniform_leaf(function_.type(inst.result()), inst.result());
    }
    return form;
  }

  bool all_uniform(const Inst& inst) const {
    return std::all_of(inst.operands.begin(), inst.operands.end(), [&](ValueId operand) {
      return form(operand) != nullptr && form(operand)->is_uniform();
    });
  }

  /// Sources and moves of elements.
  std::optional<AffineForm> shape_form(const Inst& inst) const {
    const Type& type = function_.type(inst.result());
    if (inst.op == Op::Constant) {
      return type.is_pointer() ? std::nullopt
                               : std::optional(constant_form(type, inst.bits_attr(0)));
    }
    if (inst.op == Op::Arange) {
      AffineForm form;
      form.base = LinearSum(inst.int_attr(0));
      form.strides = {LinearSum(1)};
      return form;
    }
    if (op_def(inst.op).family != OpFamily::Shape || form(inst.operand(0)) == nullptr) {
      return std::nullopt;
    }
    const AffineForm& source = *form(inst.operand(0));
    if (const auto axes = axis_map(inst)) {
      return moved(source, *axes);
    }
    return inst.op == Op::Reshape ? split(source, inst) : std::nullopt;
  }

  std::optional<AxisMap> axis_map(const Inst& inst) const {
    const Shape& from = function_.type(inst.operand(0)).shape;
    const Shape& to = function_.type(inst.result()).shape;
    if (inst.op == Op::Splat) {
      return AxisMap(static_cast<std::size_t>(to.rank()), -1);
    }
    if (inst.op == Op::Broadcast) {
      return broadcast_axes(from, to);
    }
    if (inst.op == Op::ExpandDims) {
      const std::int64_t axis = inst.int_attr(0);
      return expand_axes(to, axis < 0 ? axis + to.rank() : axis);
    }
    if (inst.op == Op::Trans) {
      const auto order = inst.ints_attr(0);
      return AxisMap(order.begin(), order.end());
    }
    return inst.op == Op::Reshape ? reshape_axes(from, to) : std::nullopt;
  }

  static AffineForm moved(const AffineForm& source, const AxisMap& axes) {
    AffineForm form = source;
    form.strides.clear();
    for (const int axis : axes) {
      form.strides.push_back(axis < 0 ? LinearSum() : source.strides[axis]);
    }
    return form;
  }

  /// A row cut into an array of several axes: the stride along each is the row's times the elements
  /// that one step skips.
  std::optional<AffineForm> split(const AffineForm& source, const Inst& inst) const {
    const Shape& to = function_.type(inst.result()).shape;
    if (source.strides.size() != 1) {
      return std::nullopt;
    }
    AffineForm form = source;
    form.strides.assign(static_cast<std::size_t>(to.rank()), LinearSum());
    std::int64_t skipped = 1;
    for (int i = to.rank() - 1; i >= 0; --i) {
      form.strides[i] = source.strides[0].times(skipped);
      skipped *= to[i];
    }
    return form;
  }

  std::optional<AffineForm> arithmetic_form(const Inst& inst) const {
    for (const ValueId operand : inst.operands) {
      if (form(operand) == nullptr) {
        return std::nullopt;
      }
    }
    const AffineForm& x = *form(inst.operand(0));
    if (inst.op == Op::Add || inst.op == Op::Sub) {
      return sum(x, *form(inst.operand(1)), inst.op == Op::Add ? 1 : -1);
    }
    if (inst.op == Op::Mul) {
      return product(x, *form(inst.operand(1)));
    }
    if (inst.op == Op::Fma) {
      const auto p = product(x, *form(inst.operand(1)));
      return p ? std::optional(sum(*p, *form(inst.operand(2)), 1)) : std::nullopt;
    }
    if (inst.op == Op::Neg) {
      return sum(AffineForm{{}, {}, std::vector<LinearSum>(x.strides.size()), true}, x, -1);
    }
    if (inst.op == Op::Shl) {
      return shifted(x, inst);
    }
    if (inst.op == Op::AddPtr) {
      return sum(x, *form(inst.operand(1)), 1, is_plainly_in_range(inst.operand(1)));
    }
    if (inst.op == Op::Cast) {
      return converted(x, inst);
    }
    return is_hint(inst) ? std::optional(x) : std::nullopt;
  }

  /// `lhs + factor·rhs`; a pointer can only be on the left.
  static AffineForm sum(const AffineForm& lhs, const AffineForm& rhs, std::int64_t factor,
                        bool exact = true) {
    AffineForm form = lhs;
    form.base = lhs.base.plus(rhs.base.times(factor));
    for (std::size_t i = 0; i < form.strides.size(); ++i) {
      form.strides[i] = lhs.strides[i].plus(rhs.strides[i].times(factor));
    }
    form.exact = lhs.exact && rhs.exact && exact;
    return form;
  }

  static std::optional<AffineForm> product(const AffineForm& lhs, const AffineForm& rhs) {
    if (!rhs.is_uniform()) {
      return lhs.is_uniform() ? product(rhs, lhs) : std::nullopt;
    }
    AffineForm form = lhs;
    form.exact = lhs.exact && rhs.exact;
    const auto base = lhs.base.times(rhs.base);
    if (!base) {
      return std::nullopt;
    }
    form.base = *base;
    for (LinearSum& stride : form.strides) {
      const auto scaled = stride.times(rhs.base);
      if (!scaled) {
        return std::nullopt;
      }
      stride = *scaled;
    }
    return form;
  }

  std::optional<AffineForm> shifted(const AffineForm& x, const Inst& inst) const {
    const AffineForm& count = *form(inst.operand(1));
    const int width = bit_width(function_.type(inst.result()).element.scalar);
    if (!count.is_uniform() || !count.base.is_constant() || count.base.constant() < 0 ||
        count.base.constant() >= width) {
      return std::nullopt;
    }
    const auto factor = static_cast<std::int64_t>(std::uint64_t{1} << count.base.constant());
    return product(x, AffineForm{{}, LinearSum(factor), uniform_strides(x), count.exact});
  }

  static std::vector<LinearSum> uniform_strides(const AffineForm& like) {
    return std::vector<LinearSum>(like.strides.size());
  }

  std::optional<AffineForm> converted(const AffineForm& x, const Inst& inst) const {
    AffineForm form = x;
    for (const ValueId operand : narrow_operands(function_, inst)) {
      form.exact = form.exact && is_plainly_in_range(operand);
    }
    return form;
  }

  bool is_hint(const Inst& inst) const {
    return op_def(inst.op).family == OpFamily::Debug && op_def(inst.op).is_pure() &&
           function_.type(inst.operand(0)) == function_.type(inst.result());
  }

  /// No element can have wrapped: the form is one value of a type that fits, or all constants.
  bool is_plainly_in_range(ValueId value) const {
    const Type& type = function_.type(value);
    const AffineForm& x = *form(value);
    const auto range = range_of(type.element.scalar);
    if (x.is_uniform() && x.base.single_value()) {
      const Type& source = function_.type(*x.base.single_value());
      return is_plain_integer(source) && contains(range, range_of(source.element.scalar));
    }
    WideInt lowest = x.base.constant();
    WideInt highest = lowest;
    bool constant = x.base.is_constant();
    for (std::size_t i = 0; i < x.strides.size(); ++i) {
      const WideInt reach =
          static_cast<WideInt>(x.strides[i].constant()) * (type.shape[static_cast<int>(i)] - 1);
      (reach < 0 ? lowest : highest) += reach;
      constant = constant && x.strides[i].is_constant();
    }
    return constant && contains(range, {lowest, highest});
  }

  // ---- masks ----

  std::optional<MaskForm> mask_of(const Inst& inst) const {
    if (inst.op == Op::Constant) {
      return scalar_mask(inst.result(), inst.bits_attr(0));
    }
    if (is_comparison(inst.op)) {
      return comparison(inst);
    }
    if (inst.operands.empty() || result_.mask(inst.operand(0)) == nullptr) {
      return std::nullopt;
    }
    const MaskForm& source = *result_.mask(inst.operand(0));
    if (inst.op == Op::And && result_.mask(inst.operand(1)) != nullptr) {
      MaskForm both = source;
      const auto& more = result_.mask(inst.operand(1))->conditions;
      both.conditions.insert(both.conditions.end(), more.begin(), more.end());
      return both;
    }
    if (op_def(inst.op).family == OpFamily::Shape) {
      const auto axes = axis_map(inst);
      return axes ? std::optional(moved(source, *axes)) : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<MaskForm> comparison(const Inst& inst) const {
    const ValueId lhs = inst.operand(0);
    const ValueId rhs = inst.operand(1);
    if (form(lhs) == nullptr || form(rhs) == nullptr || function_.type(lhs).is_pointer()) {
      return std::nullopt;
    }
    const AffineForm difference = sum(*form(lhs), *form(rhs), -1);
    MaskCondition condition{
        inst.op,         -1,
        difference.base, LinearSum(),
        inst.result(),   difference.exact && is_plainly_in_range(lhs) && is_plainly_in_range(rhs)};
    for (std::size_t i = 0; i < difference.strides.size(); ++i) {
      if (difference.strides[i].is_zero()) {
        continue;
      }
      if (condition.axis >= 0) {
        return std::nullopt;
      }
      condition.axis = static_cast<int>(i);
      condition.stride = difference.strides[i];
    }
    return MaskForm{{condition}};
  }

  /// A condition follows its axis; where the operand had extent 1 its index is 0 and the condition
  /// is the base's alone.
  static MaskForm moved(const MaskForm& source, const AxisMap& axes) {
    MaskForm mask = source;
    for (MaskCondition& condition : mask.conditions) {
      const auto at = std::find(axes.begin(), axes.end(), condition.axis);
      if (condition.axis < 0 || at == axes.end()) {
        condition.axis = -1;
        condition.stride = LinearSum();
      } else {
        condition.axis = static_cast<int>(at - axes.begin());
      }
    }
    return mask;
  }

  // ---- loops and branches ----

  void visit_control(const Inst& inst) {
    if (inst.op == Op::If) {
      visit_if(inst);
    } else {
      visit_loop(inst);
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
    AffineForm form = leaf(function_.type(value), value, like.strides);
    form.exact = like.exact;
    set(value, std::move(form));
  }

  /// Takes the strides of each carried tile from its initial value, walks the body, and gives up
  /// those that a yielded value does not keep; each round gives up at least one, or ends.
  void visit_loop(const Inst& inst) {
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
        enter_while_body(inst);
      }
    } while (give_up_changed(inst, first_arg));
    const Inst& leaving = function_.terminator(first);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      const ValueId last = inst.op == Op::While ? leaving.operands[1 + i]
                                                : function_.region(first).args[first_arg + i];
      forget(inst.result(i));
      if (is_tile(last) && form(last) != nullptr) {
        set_carried(inst.result(i), *form(last));
      }
    }
  }

  /// The body of a `while` gets the values that its condition region passes on.
  void enter_while_body(const Inst& inst) {
    const Inst& condition = function_.terminator(inst.regions[0]);
    const Region& body = function_.region(inst.regions[1]);
    for (std::size_t i = 0; i < body.args.size(); ++i) {
      const ValueId passed = condition.operands[1 + i];
      forget(body.args[i]);
      if (is_tile(passed) && form(passed) != nullptr) {
        set_carried(body.args[i], *form(passed));
      }
    }
    visit_region(inst.regions[1]);
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
};

Affine find_affine(const Function& function) {
  return AffineFinder(function).run();
}

}  // namespace tilery
