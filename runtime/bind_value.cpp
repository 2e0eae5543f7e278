// How an argument gets its type (semantics 9.2): a bool is int1; an integer int32, int64 or uint64,
// the first that holds it; a float fp32; an array a pointer; None is known at compile time. An
// annotation that names a type decides instead, and then the value must fit it.
//
// Facts (equals 1, divisible by 16) only ever speak of the value: types do not depend on them.
#include "runtime/bind_value.h"

#include "ir/builder.h"
#include "ir/float_format.h"
#include "runtime/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tilery {

namespace {

/// A number before its type is settled.
struct Number {
  bool is_float = false;
  double float_value = 0;
  std::int64_t int_value = 0;
  bool is_unsigned = false;  ///< int_value holds the bits of a value beyond int64
};

struct ToArgument {
  Argument operator()(HostNone) const { return None{}; }

  Argument operator()(bool v) const { return v; }

  Argument operator()(std::int64_t v) const { return v; }

  Argument operator()(std::uint64_t v) const { return v; }

  Argument operator()(double v) const { return v; }

  Argument operator()(const std::string& v) const { return v; }

  Argument operator()(const ElementType& v) const { return dtype_of(v.scalar); }

  Argument operator()(const HostFunction& v) const { return FunctionName{v.name}; }

  Argument operator()(const HostValue::Tuple& v) const {
    Argument::Tuple tuple{{}, v.type_name, v.field_names};
    for (const HostValue& element : v.elements) {
      tuple.elements.push_back(argument_of(element));
    }
    return tuple;
  }
};

/// The range of an integer type as text, for messages.
std::string lowest(Scalar scalar) {
  return is_signed_integer(scalar) ? fmt::format("{}", std::numeric_limits<std::int64_t>::min() >>
                                                           (64 - bit_width(scalar)))
                                   : "0";
}

std::string highest(Scalar scalar) {
  const int bits = bit_width(scalar) - (is_signed_integer(scalar) ? 1 : 0);
  return fmt::format("{}", ~std::uint64_t{0} >> (64 - bits));
}

bool holds(Scalar scalar, const Number& n) {
  const int bits = bit_width(scalar);
  if (is_signed_integer(scalar)) {
    return !n.is_unsigned && (n.int_value >> (bits - 1) == 0 || n.int_value >> (bits - 1) == -1);
  }
  const auto magnitude = static_cast<std::uint64_t>(n.int_value);
  return (n.is_unsigned || n.int_value >= 0) && (bits == 64 || magnitude >> bits == 0);
}

Scalar natural_type(const Number& n) {
  if (n.is_float) {
    return Scalar::F32;
  }
  if (n.is_unsigned) {
    return Scalar::U64;
  }
  return holds(Scalar::I32, n) ? Scalar::I32 : Scalar::I64;
}

/// Binds one argument of one parameter; tuples recurse with the element's name.
class ValueBinder {
 public:
  ValueBinder(const KernelParameter& parameter, BoundCall& call, Diagnostics& diagnostics)
      : parameter_(parameter), call_(call), diagnostics_(diagnostics) {}

  ArgumentSpec bind(const Argument& argument, const std::string& name,
                    const std::optional<Type>& annotated) {
    if (argument.as<None>() != nullptr) {
      return bind_none(name, annotated);
    }
    if (const auto* pointer = argument.as<Pointer>()) {
      return bind_pointer(*pointer, name, annotated);
    }
    if (const auto* tuple = argument.as<Argument::Tuple>()) {
      return bind_tuple(argument, *tuple, name, annotated);
    }
    if (argument.as<FunctionName>() != nullptr && !annotated) {
      return constant(*host_value(argument));
    }
    return bind_number(argument, name, annotated);
  }

 private:
  static ArgumentSpec constant(HostValue value) {
    ArgumentSpec spec;
    spec.kind = ArgumentSpec::Kind::Constexpr;
    spec.value = std::move(value);
    return spec;
  }

  Diagnostic& report_kind(const std::string& name, const std::string& what,
                          const std::optional<Type>& annotated) {
    const std::string wanted =
        annotated ? (annotated->is_pointer() ? "an array of " : "the type ") +
                        language_text(annotated->is_pointer() ? annotated->element.pointee()
                                                              : annotated->element)
                  : "a number, an array, a tuple or None";
    return diagnostics_.report(DiagId::ArgumentKind, parameter_.range, name, what, wanted);
  }

  ArgumentSpec bind_none(const std::string& name, const std::optional<Type>& annotated) {
    if (annotated && !annotated->is_pointer()) {
      report_kind(name, "None", annotated).helped(fmt::format("give a number: {}=0", name));
    }
    return constant({HostNone{}});
  }

  ArgumentSpec bind_tuple(const Argument& argument, const Argument::Tuple& tuple,
                          const std::string& name, const std::optional<Type>& annotated) {
    ArgumentSpec spec;
    spec.kind = ArgumentSpec::Kind::Tuple;
    spec.type_name = tuple.type_name;
    spec.field_names = tuple.field_names;
    if (annotated) {
      report_kind(name, describe_argument(argument), annotated);
      return spec;
    }
    for (std::size_t i = 0; i < tuple.elements.size(); ++i) {
      const bool is_named = i < tuple.field_names.size();
      spec.elements.push_back(bind(tuple.elements[i],
                                   is_named ? fmt::format("{}.{}", name, tuple.field_names[i])
                                            : fmt::format("{}.{}", name, i),
                                   {}));
    }
    return spec;
  }

  // ---- pointers ----

  ArgumentSpec bind_pointer(const Pointer& pointer, const std::string& name,
                            const std::optional<Type>& annotated) {
    ArgumentSpec spec;
    const Scalar scalar = scalar_of(pointer.dtype);
    spec.type = ElementType(scalar, 1, parameter_.is_const_pointer);
    if (annotated && !annotated->is_pointer()) {
      report_kind(name, describe_argument(pointer), annotated)
          .helped("give one number, or drop the annotation if it is a pointer");
      return spec;
    }
    if (annotated) {
      if (annotated->element.pointee() != ElementType(scalar)) {
        report_dtype(pointer, name, *annotated);
      }
      spec.type = *annotated;
    }
    BoundArgument value;
    value.is_pointer = true;
    if (pointer.buffer) {
      const auto size = static_cast<std::int64_t>(byte_size(pointer.dtype));
      value.buffer = buffer_index(*pointer.buffer, name);
      // Farther than any memory reaches, so that an access is refused all the same, and not so far
      // that it comes round.
      constexpr std::int64_t kFar = std::int64_t{1} << 42;
      value.byte_offset = std::clamp(pointer.offset, -kFar, kFar) * size;
      const auto address = reinterpret_cast<std::uintptr_t>(pointer.buffer->data());
      spec.facts.divisible_by_16 =
          (address + static_cast<std::uintptr_t>(value.byte_offset)) % 16 == 0;
    } else {
      spec.facts.divisible_by_16 = true;
    }
    call_.values.push_back(value);
    return spec;
  }

  void report_dtype(const Pointer& pointer, const std::string& name, const Type& annotated) {
    const std::string wanted = language_text(annotated.element.pointee());
    diagnostics_
        .report(DiagId::ArgumentDtype, parameter_.range, name, language_name(pointer.dtype), wanted)
        .helped(fmt::format("convert the array to {}, or change the annotation", wanted));
  }

  /// The buffer's place in the launch's list; each buffer enters once, whoever points into it.
  int buffer_index(const Buffer& buffer, const std::string& name) {
    const auto found = std::ranges::find(call_.buffers, buffer, &BoundBuffer::buffer);
    const auto index = static_cast<int>(found - call_.buffers.begin());
    if (found == call_.buffers.end()) {
      call_.buffers.push_back({name, buffer});
    }
    return index;
  }

  // ---- numbers ----

  ArgumentSpec bind_number(const Argument& argument, const std::string& name,
                           const std::optional<Type>& annotated) {
    const auto* typed = argument.as<TypedScalar>();
    const std::optional<Number> number = number_of(argument);
    ArgumentSpec spec;
    if (!number || (annotated && annotated->is_pointer()) ||
        (!annotated && parameter_.is_const_pointer)) {
      report_not_number(argument, name, annotated);
      return spec;
    }
    Scalar scalar = annotated                        ? annotated->element.scalar
                    : typed != nullptr               ? scalar_of(typed->dtype)
                    : argument.as<bool>() != nullptr ? Scalar::I1
                                                     : natural_type(*number);
    spec.type = scalar;
    BoundArgument value;
    value.bits = typed != nullptr && scalar == scalar_of(typed->dtype)
                     ? typed->bits
                     : encode(*number, scalar, argument, name);
    if (is_integer(scalar) && scalar != Scalar::I1) {
      spec.facts.divisible_by_16 = value.bits % 16 == 0 && value.bits != 0;
      spec.facts.equals_1 = value.bits == 1;
    }
    call_.values.push_back(value);
    return spec;
  }

  static std::optional<Number> number_of(const Argument& argument) {
    const std::optional<HostValue> value = host_value(argument);
    if (const auto* v = std::get_if<bool>(&value->data)) {
      return Number{false, 0, *v ? 1 : 0, false};
    }
    if (const auto* v = std::get_if<std::int64_t>(&value->data)) {
      return Number{false, 0, *v, false};
    }
    if (const auto* v = std::get_if<std::uint64_t>(&value->data)) {
      return Number{false, 0, static_cast<std::int64_t>(*v), true};
    }
    if (const auto* v = std::get_if<double>(&value->data)) {
      return Number{true, *v, 0, false};
    }
    return std::nullopt;
  }

  void report_not_number(const Argument& argument, const std::string& name,
                         const std::optional<Type>& annotated) {
    Diagnostic& d = report_kind(name, describe_argument(argument), annotated);
    if (number_of(argument)) {
      d.helped("give an array, such as a .npy file, or None");
    } else {
      d.helped(fmt::format("values that are no numbers need `{}: tl.constexpr` in the kernel",
                           parameter_.name));
    }
  }

  std::uint64_t encode(const Number& number, Scalar scalar, const Argument& argument,
                       const std::string& name) {
    if (is_float(scalar)) {
      return encode_as_float(number, scalar, argument, name);
    }
    if (number.is_float) {
      report_kind(name, describe_argument(argument), Type(scalar))
          .helped(
              fmt::format("give an integer, or annotate `{}` with a float type", parameter_.name));
      return 0;
    }
    if (scalar == Scalar::I1) {
      return number.int_value != 0 ? 1 : 0;
    }
    if (!holds(scalar, number)) {
      diagnostics_
          .report(DiagId::ArgumentOutOfRange, parameter_.range, name, describe_argument(argument),
                  language_name(scalar), lowest(scalar), highest(scalar))
          .helped("annotate the parameter with a wider type, such as tl.int64");
    }
    return encode_int(scalar, number.int_value);
  }

  std::uint64_t encode_as_float(const Number& number, Scalar scalar, const Argument& argument,
                                const std::string& name) {
    double v = number.float_value;
    if (!number.is_float) {
      v = number.is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(number.int_value))
                             : static_cast<double>(number.int_value);
    }
    const std::uint64_t bits = encode_float(scalar, v);
    if (std::isfinite(v) && !std::isfinite(decode_float(scalar, bits))) {
      const double largest = decode_float(scalar, float_format(scalar).max_code);
      const std::string limit = fmt::format("{}", static_cast<float>(largest));
      diagnostics_
          .report(DiagId::ArgumentOutOfRange, parameter_.range, name, describe_argument(argument),
                  language_name(scalar), "-" + limit, limit)
          .helped("annotate the parameter with a wider type, such as tl.float64");
    }
    return bits;
  }

  const KernelParameter& parameter_;
  BoundCall& call_;
  Diagnostics& diagnostics_;
};

ArgumentSpec bind_constant(const KernelParameter& parameter, const Argument& argument,
                           Diagnostics& diagnostics) {
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Kind::Constexpr;
  std::optional<HostValue> value = host_value(argument);
  if (!value) {
    diagnostics
        .report(DiagId::ArgumentNotConstant, parameter.range, parameter.name,
                describe_argument(argument))
        .helped(
            "a tl.constexpr is known when the kernel is compiled: give a number, a bool, a "
            "string, a type, a tuple of them or None");
    return spec;
  }
  spec.value = *std::move(value);
  return spec;
}

}  // namespace

ArgumentSpec bind_value(const KernelParameter& parameter, const Argument& argument, BoundCall& call,
                        Diagnostics& diagnostics) {
  if (parameter.is_constexpr) {
    return bind_constant(parameter, argument, diagnostics);
  }
  return ValueBinder(parameter, call, diagnostics)
      .bind(argument, parameter.name, parameter.annotated);
}

Argument argument_of(const HostValue& value) {
  return std::visit(ToArgument{}, value.data);
}

}  // namespace tilery
