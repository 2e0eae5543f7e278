#include "frontend/sema/constexpr_ops.h"

#include "frontend/sema/python_number.h"
#include "frontend/sema/tensor_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery::sema {
namespace {

using ast::BinaryOp;
using ast::CompareOp;

std::string_view spelling(BinaryOp op) {
  constexpr std::string_view kSpellings[] = {"+", "-",  "*",  "/", "//", "%", "**",
                                             "@", "<<", ">>", "&", "|",  "^"};
  return kSpellings[static_cast<std::size_t>(op)];
}

std::string_view spelling(CompareOp op) {
  constexpr std::string_view kSpellings[] = {"==", "!=", "<",      "<=", ">",
                                             ">=", "is", "is not", "in", "not in"};
  return kSpellings[static_cast<std::size_t>(op)];
}

bool is_integer(const Value& value) {
  return value.is<bool>() || value.is<BigInt>();
}

BigInt integer(const Value& value) {
  const bool* flag = value.as<bool>();
  return flag != nullptr ? BigInt{*flag} : *value.as<BigInt>();
}

double real(const Value& value) {
  const double* x = value.as<double>();
  return x != nullptr ? *x : static_cast<double>(integer(value));
}

/// The way out of arithmetic that has no result.
std::string arithmetic_help(const Value& rhs) {
  const auto* integer = rhs.as<BigInt>();
  const auto* real = rhs.as<double>();
  const bool is_zero = (integer != nullptr && *integer == 0) || (real != nullptr && *real == 0.0) ||
                       (rhs.is<bool>() && !*rhs.as<bool>());
  if (is_zero) {
    return "guard it: `a // b if b != 0 else …` computes one side only";
  }
  return integer != nullptr && *integer < 0
             ? "use a count that is not negative"
             : "compute with floats: `2.0 ** n`, or at run time, where integers wrap";
}

MaybeValue cannot_combine(Sema& sema, std::string_view symbol, const Value& lhs, const Value& rhs,
                          BinaryRanges ranges) {
  Diagnostic& diagnostic =
      sema.report(DiagId::OperandTypes, ranges.whole, symbol, describe(lhs), describe(rhs));
  diagnostic.label(ranges.lhs, describe(lhs)).label(ranges.rhs, describe(rhs));
  if (lhs.is<NoneValue>() || rhs.is<NoneValue>()) {
    diagnostic.helped("test it first: `if x is not None:`");
  } else if (lhs.is_number() && rhs.is_number()) {
    diagnostic.helped("it takes integers: `int(x)` makes one");
  } else {
    diagnostic.helped("both operands must be of one kind: numbers, strings or tuples");
  }
  explain_nothing(diagnostic, lhs);
  explain_nothing(diagnostic, rhs);
  return {};
}

/// One binary operation with the place to report to.
struct BinaryFold {
  Sema& sema;
  BinaryOp op;
  const Value& lhs;
  const Value& rhs;
  BinaryRanges ranges;

  MaybeValue numbers() const {
    const Arithmetic result = is_integer(lhs) && is_integer(rhs)
                                  ? integer_arithmetic(op, integer(lhs), integer(rhs))
                                  : float_arithmetic(op, real(lhs), real(rhs));
    switch (result.status) {
      case Arithmetic::Status::Ok:
        return keep_bool(result.value);
      case Arithmetic::Status::NotDefined:
        return not_defined();
      case Arithmetic::Status::Failed:
        sema.report(DiagId::CompileTimeArithmetic, ranges.whole, spelling(op), describe(lhs),
                    describe(rhs), result.reason)
            .helped(arithmetic_help(rhs));
        return {};
    }
    return {};
  }

  /// `&`, `|` and `^` of two booleans give a boolean.
  MaybeValue keep_bool(const Value& value) const {
    const bool is_bitwise =
        op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
    if (is_bitwise && lhs.is<bool>() && rhs.is<bool>()) {
      return Value{integer(value) != 0};
    }
    return value;
  }

  MaybeValue repeated(const Value& sequence, const Value& count) const {
    const BigInt n = std::max(integer(count), BigInt{0});
    if (n > BigInt{kLongestSequence} ||
        n * static_cast<BigInt>(sequence_size(sequence)) > BigInt{kLongestSequence}) {
      return too_long();
    }
    if (const auto* text = sequence.as<std::string>()) {
      std::string result;
      for (BigInt i = 0; i < n; ++i) {
        result += *text;
      }
      return Value{std::move(result)};
    }
    const auto& elements = sequence.as<TupleValue>()->elements;
    TupleValue result;
    for (BigInt i = 0; i < n; ++i) {
      result.elements.insert(result.elements.end(), elements.begin(), elements.end());
    }
    return Value{std::move(result)};
  }

  MaybeValue sequences() const {
    if (op == BinaryOp::Add && sequence_size(lhs) + sequence_size(rhs) > kLongestSequence) {
      return too_long();
    }
    if (op == BinaryOp::Add && lhs.is<std::string>() && rhs.is<std::string>()) {
      return Value{*lhs.as<std::string>() + *rhs.as<std::string>()};
    }
    if (op == BinaryOp::Add && lhs.is<TupleValue>() && rhs.is<TupleValue>()) {
      TupleValue joined{lhs.as<TupleValue>()->elements, {}, {}};
      const auto& more = rhs.as<TupleValue>()->elements;
      joined.elements.insert(joined.elements.end(), more.begin(), more.end());
      return Value{std::move(joined)};
    }
    const auto is_sequence = [](const Value& v) {
      return v.is<std::string>() || v.is<TupleValue>();
    };
    if (op == BinaryOp::Mul && is_sequence(lhs) && is_integer(rhs)) {
      return repeated(lhs, rhs);
    }
    if (op == BinaryOp::Mul && is_integer(lhs) && is_sequence(rhs)) {
      return repeated(rhs, lhs);
    }
    return not_defined();
  }

  MaybeValue too_long() const {
    sema.report(DiagId::SequenceTooLong, ranges.whole, kLongestSequence)
        .helped("compute large tables outside the kernel");
    return {};
  }

  MaybeValue not_defined() const { return cannot_combine(sema, spelling(op), lhs, rhs, ranges); }
};

/// `is`: the same compile-time object, or the same tensor.
bool identical(const Value& lhs, const Value& rhs) {
  if (const auto* a = lhs.as<Tensor>()) {
    const auto* b = rhs.as<Tensor>();
    return b != nullptr && a->id == b->id;
  }
  return lhs.data.index() == rhs.data.index() && equal(lhs, rhs);
}

/// -1, 0, 1, or nothing if the values have no order. NaN is ordered with nothing: 2.
std::optional<int> order(const Value& lhs, const Value& rhs) {
  if (is_integer(lhs) && is_integer(rhs)) {
    const BigInt a = integer(lhs);
    const BigInt b = integer(rhs);
    return a < b ? -1 : static_cast<int>(a > b);
  }
  if (lhs.is_number() && rhs.is_number()) {
    const double a = real(lhs);
    const double b = real(rhs);
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
  }
  if (lhs.is<std::string>() && rhs.is<std::string>()) {
    const int c = lhs.as<std::string>()->compare(*rhs.as<std::string>());
    return c < 0 ? -1 : static_cast<int>(c > 0);
  }
  if (lhs.is<TupleValue>() && rhs.is<TupleValue>()) {
    const auto& a = lhs.as<TupleValue>()->elements;
    const auto& b = rhs.as<TupleValue>()->elements;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      const std::optional<int> c = order(a[i], b[i]);
      if (!c || *c != 0) {
        return c;
      }
    }
    return a.size() < b.size() ? -1 : static_cast<int>(a.size() > b.size());
  }
  return std::nullopt;
}

bool holds(CompareOp op, int order) {
  switch (op) {
    case CompareOp::Lt:
      return order == -1;
    case CompareOp::Le:
      return order == -1 || order == 0;
    case CompareOp::Gt:
      return order == 1;
    case CompareOp::Ge:
      return order == 1 || order == 0;
    case CompareOp::Eq:
    case CompareOp::Ne:
    case CompareOp::Is:
    case CompareOp::IsNot:
    case CompareOp::In:
    case CompareOp::NotIn:
      return false;
  }
  return false;
}

/// `in`, or nothing if `container` contains nothing.
std::optional<bool> contains(const Value& container, const Value& element) {
  if (const auto* tuple = container.as<TupleValue>()) {
    return std::ranges::any_of(tuple->elements, [&](const Value& e) { return equal(e, element); });
  }
  const auto* text = container.as<std::string>();
  const auto* part = element.as<std::string>();
  if (text != nullptr && part != nullptr) {
    return text->find(*part) != std::string::npos;
  }
  return std::nullopt;
}

/// `==` of tuples that hold tensors: the conjunction of the elements' comparisons.
MaybeValue compare_tuples(Sema& sema, CompareOp op, const TupleValue& lhs, const TupleValue& rhs,
                          BinaryRanges ranges) {
  const bool is_eq = op == CompareOp::Eq;
  if (lhs.elements.size() != rhs.elements.size()) {
    return Value{!is_eq};
  }
  Value result{is_eq};
  for (std::size_t i = 0; i < lhs.elements.size(); ++i) {
    const MaybeValue next = compare_operator(sema, op, lhs.elements[i], rhs.elements[i], ranges);
    if (!next) {
      return {};
    }
    const BinaryOp join = is_eq ? BinaryOp::BitAnd : BinaryOp::BitOr;
    const MaybeValue joined = i == 0 ? next : binary_operator(sema, join, result, *next, ranges);
    if (!joined) {
      return {};
    }
    result = *joined;
  }
  return result;
}

}  // namespace

std::size_t sequence_size(const Value& value, int depth) {
  constexpr int kDeepest = 100;
  if (const auto* text = value.as<std::string>()) {
    return text->size();
  }
  const auto* tuple = value.as<TupleValue>();
  if (tuple == nullptr) {
    return 1;
  }
  if (depth == kDeepest) {
    return kLongestSequence + 1;
  }
  std::size_t size = 1;
  for (const Value& element : tuple->elements) {
    size += element.is<TupleValue>() ? sequence_size(element, depth + 1) : 1;
  }
  return size;
}

bool is_foldable(const Value& value) {
  return !value.is<Tensor>();
}

MaybeValue fold_binary(Sema& sema, BinaryOp op, const Value& lhs, const Value& rhs,
                       BinaryRanges ranges) {
  const BinaryFold fold{sema, op, lhs, rhs, ranges};
  return lhs.is_number() && rhs.is_number() ? fold.numbers() : fold.sequences();
}

MaybeValue fold_unary(Sema& sema, ast::UnaryOp op, const Value& x, SourceRange range,
                      SourceRange operand) {
  if (op == ast::UnaryOp::Not) {
    return Value{!truth(x)};
  }
  if (is_integer(x)) {
    const BigInt v = integer(x);
    switch (op) {
      case ast::UnaryOp::Plus:
        return Value{v};
      case ast::UnaryOp::Minus:
        return Value{-v};
      case ast::UnaryOp::Invert:
      case ast::UnaryOp::Not:
        return Value{~v};
    }
  }
  if (x.is<double>() && op != ast::UnaryOp::Invert) {
    return Value{op == ast::UnaryOp::Minus ? -real(x) : real(x)};
  }
  constexpr std::string_view kSpellings[] = {"+", "-", "~", "not"};
  Diagnostic& diagnostic = sema.report(DiagId::OperandType, range,
                                       kSpellings[static_cast<std::size_t>(op)], describe(x));
  diagnostic.label(operand, describe(x))
      .helped(x.is<NoneValue>() ? "test it first: `if x is not None:`"
                                : "`-` and `+` take numbers, `~` takes integers");
  explain_nothing(diagnostic, x);
  return {};
}

MaybeValue fold_compare(Sema& sema, CompareOp op, const Value& lhs, const Value& rhs,
                        BinaryRanges ranges) {
  switch (op) {
    case CompareOp::Is:
      return Value{identical(lhs, rhs)};
    case CompareOp::IsNot:
      return Value{!identical(lhs, rhs)};
    case CompareOp::Eq:
    case CompareOp::Ne:
      if (lhs.is<TupleValue>() && rhs.is<TupleValue>() &&
          !(lhs.is_compile_time() && rhs.is_compile_time())) {
        return compare_tuples(sema, op, *lhs.as<TupleValue>(), *rhs.as<TupleValue>(), ranges);
      }
      return Value{equal(lhs, rhs) == (op == CompareOp::Eq)};
    case CompareOp::In:
    case CompareOp::NotIn: {
      const std::optional<bool> found = contains(rhs, lhs);
      return found ? MaybeValue(Value{*found == (op == CompareOp::In)})
                   : cannot_combine(sema, spelling(op), lhs, rhs, ranges);
    }
    case CompareOp::Lt:
    case CompareOp::Le:
    case CompareOp::Gt:
    case CompareOp::Ge:
      break;
  }
  const std::optional<int> result = order(lhs, rhs);
  return result ? MaybeValue(Value{holds(op, *result)})
                : cannot_combine(sema, spelling(op), lhs, rhs, ranges);
}

MaybeValue fold_logical(Sema& /*sema*/, ast::BoolOp op, const Value& lhs, const Value& rhs,
                        BinaryRanges /*ranges*/) {
  return truth(lhs) == (op == ast::BoolOp::And) ? rhs : lhs;
}

bool truth(const Value& value) {
  if (value.is_number()) {
    return is_integer(value) ? integer(value) != 0 : real(value) != 0;
  }
  if (const auto* text = value.as<std::string>()) {
    return !text->empty();
  }
  if (const auto* tuple = value.as<TupleValue>()) {
    return !tuple->elements.empty();
  }
  return !value.is<NoneValue>();
}

bool equal(const Value& lhs, const Value& rhs) {
  if (lhs.is_number() && rhs.is_number()) {
    return is_integer(lhs) && is_integer(rhs) ? integer(lhs) == integer(rhs)
                                              : real(lhs) == real(rhs);
  }
  if (lhs.data.index() != rhs.data.index()) {
    return false;
  }
  if (const auto* a = lhs.as<TupleValue>()) {
    const auto* b = rhs.as<TupleValue>();
    return std::ranges::equal(a->elements, b->elements, equal);
  }
  if (const auto* a = lhs.as<std::string>()) {
    return *a == *rhs.as<std::string>();
  }
  if (const auto* a = lhs.as<TypeObject>()) {
    return a->type == rhs.as<TypeObject>()->type;
  }
  if (const auto* a = lhs.as<FunctionRef>()) {
    const auto* b = rhs.as<FunctionRef>();
    return a->unit == b->unit && a->def == b->def && a->lambda == b->lambda;
  }
  if (const auto* a = lhs.as<BuiltinRef>()) {
    const auto* b = rhs.as<BuiltinRef>();
    return a->builtin == b->builtin && a->self == b->self;
  }
  if (const auto* a = lhs.as<ClassRef>()) {
    return a->type.name == rhs.as<ClassRef>()->type.name;
  }
  if (const auto* a = lhs.as<ModuleRef>()) {
    return a->path == rhs.as<ModuleRef>()->path;
  }
  if (const auto* a = lhs.as<EnumValue>()) {
    return a->name == rhs.as<EnumValue>()->name;
  }
  if (const auto* a = lhs.as<Tensor>()) {
    return a->id == rhs.as<Tensor>()->id;
  }
  return lhs.is<NoneValue>() || lhs.is<EllipsisValue>();
}

// ---- sema.h: compile-time views ----

std::optional<BigInt> known_int(Sema& sema, const Value& value) {
  if (is_integer(value)) {
    return integer(value);
  }
  const auto* tensor = value.as<Tensor>();
  if (tensor == nullptr || !tensor->type.is_scalar() || tensor->type.is_pointer() ||
      is_float(tensor->type.element.scalar)) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> bits = sema.function().constant_bits(tensor->id);
  if (!bits) {
    return std::nullopt;
  }
  const Scalar scalar = tensor->type.element.scalar;
  return scalar == Scalar::U64 ? BigInt{*bits} : BigInt{decode_int(scalar, *bits)};
}

std::optional<bool> known_truth(Sema& sema, const Value& value) {
  const auto* tensor = value.as<Tensor>();
  if (tensor == nullptr) {
    return truth(value);
  }
  if (!tensor->type.is_scalar() || tensor->type.is_pointer()) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> bits = sema.function().constant_bits(tensor->id);
  const Scalar scalar = tensor->type.element.scalar;
  if (!bits) {
    return std::nullopt;
  }
  return is_float(scalar) ? decode_float(scalar, *bits) != 0 : *bits != 0;
}

}  // namespace tilery::sema
