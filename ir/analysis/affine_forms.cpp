#include "ir/analysis/affine_rules.h"
#include "ir/builder.h"

#include <algorithm>

namespace tilery::affine {
namespace {

__extension__ using WideInt = __int128;

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

AffineForm moved(const AffineForm& source, const AxisMap& axes) {
  AffineForm form = source;
  form.strides.clear();
  for (const int axis : axes) {
    form.strides.push_back(axis < 0 ? LinearSum() : source.strides[axis]);
  }
  return form;
}

/// A row cut into an array of several axes: the stride along each is the row's times the elements
/// that one step skips.
std::optional<AffineForm> split(const Known& known, const AffineForm& source, const Inst& inst) {
  const Shape& to = known.function.type(inst.result()).shape;
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

std::optional<AffineForm> product(const AffineForm& lhs, const AffineForm& rhs) {
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

std::vector<LinearSum> uniform_strides(const AffineForm& like) {
  return std::vector<LinearSum>(like.strides.size());
}

std::optional<AffineForm> shifted(const Known& known, const AffineForm& x, const Inst& inst) {
  const AffineForm& count = *known.form(inst.operand(1));
  const int width = bit_width(known.function.type(inst.result()).element.scalar);
  if (!count.is_uniform() || !count.base.is_constant() || count.base.constant() < 0 ||
      count.base.constant() >= width) {
    return std::nullopt;
  }
  const auto factor = static_cast<std::int64_t>(std::uint64_t{1} << count.base.constant());
  return product(x, AffineForm{{}, LinearSum(factor), uniform_strides(x), count.exact});
}

/// The form of a result that also needs some operands to stay in their types' ranges.
AffineForm with_ranges(const Known& known, AffineForm form, const Inst& inst) {
  for (const ValueId operand : narrow_operands(known.function, inst)) {
    form.exact = form.exact && known.is_plainly_in_range(operand);
  }
  return form;
}

bool is_hint(const Known& known, const Inst& inst) {
  return op_def(inst.op).family == OpFamily::Debug && op_def(inst.op).is_pure() &&
         known.function.type(inst.operand(0)) == known.function.type(inst.result());
}

std::optional<AffineForm> arithmetic_form(const Known& known, const Inst& inst) {
  for (const ValueId operand : inst.operands) {
    if (known.form(operand) == nullptr) {
      return std::nullopt;
    }
  }
  const AffineForm& x = *known.form(inst.operand(0));
  if (inst.op == Op::Add || inst.op == Op::Sub) {
    return sum(x, *known.form(inst.operand(1)), inst.op == Op::Add ? 1 : -1);
  }
  if (inst.op == Op::Mul) {
    return product(x, *known.form(inst.operand(1)));
  }
  if (inst.op == Op::Fma) {
    const auto p = product(x, *known.form(inst.operand(1)));
    return p ? std::optional(sum(*p, *known.form(inst.operand(2)), 1)) : std::nullopt;
  }
  if (inst.op == Op::Neg) {
    return sum(AffineForm{{}, {}, std::vector<LinearSum>(x.strides.size()), true}, x, -1);
  }
  if (inst.op == Op::Shl) {
    return shifted(known, x, inst);
  }
  if (inst.op == Op::AddPtr) {
    return with_ranges(known, sum(x, *known.form(inst.operand(1)), 1), inst);
  }
  if (inst.op == Op::Cast) {
    return with_ranges(known, x, inst);
  }
  return is_hint(known, inst) ? std::optional(x) : std::nullopt;
}

/// Sources and moves of elements.
std::optional<AffineForm> shape_form(const Known& known, const Inst& inst) {
  const Type& type = known.function.type(inst.result());
  if (inst.op == Op::Constant) {
    return type.is_pointer() ? std::nullopt : std::optional(constant_form(type, inst.bits_attr(0)));
  }
  if (inst.op == Op::Arange) {
    AffineForm form;
    form.base = LinearSum(inst.int_attr(0));
    form.strides = {LinearSum(1)};
    return form;
  }
  if (op_def(inst.op).family != OpFamily::Shape || known.form(inst.operand(0)) == nullptr) {
    return std::nullopt;
  }
  const AffineForm& source = *known.form(inst.operand(0));
  if (const auto axes = axis_map(known.function, inst)) {
    return moved(source, *axes);
  }
  return inst.op == Op::Reshape ? split(known, source, inst) : std::nullopt;
}

bool all_uniform(const Known& known, const Inst& inst) {
  return std::ranges::all_of(inst.operands, [&](ValueId operand) {
    return known.form(operand) != nullptr && known.form(operand)->is_uniform();
  });
}

}  // namespace

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

AffineForm constant_form(const Type& type, std::uint64_t bits) {
  AffineForm form;
  form.base = LinearSum(decode_int(type.element.scalar, bits));
  form.strides.resize(static_cast<std::size_t>(type.shape.rank()));
  return form;
}

AffineForm sum(const AffineForm& lhs, const AffineForm& rhs, std::int64_t factor) {
  AffineForm form = lhs;
  form.base = lhs.base.plus(rhs.base.times(factor));
  for (std::size_t i = 0; i < form.strides.size(); ++i) {
    form.strides[i] = lhs.strides[i].plus(rhs.strides[i].times(factor));
  }
  form.exact = lhs.exact && rhs.exact;
  return form;
}

bool Known::is_plainly_in_range(ValueId value) const {
  const Type& type = function.type(value);
  const AffineForm& x = *form(value);
  const auto range = range_of(type.element.scalar);
  if (x.is_uniform() && x.base.single_value()) {
    const Type& source = function.type(*x.base.single_value());
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

std::optional<AffineForm> form_of(const Known& known, const Inst& inst) {
  std::optional<AffineForm> form = shape_form(known, inst);
  if (!form && !op_def(inst.op).operand_patterns().empty()) {
    form = arithmetic_form(known, inst);
  }
  const bool elementwise = op_def(inst.op).is_map() || inst.op == Op::AddPtr;
  if (!form && elementwise && all_uniform(known, inst)) {
    form = uniform_leaf(known.function.type(inst.result()), inst.result());
  }
  return form;
}

}  // namespace tilery::affine
