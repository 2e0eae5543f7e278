// Questions to dtype objects.
#include "frontend/sema/builtins.h"

namespace tilery::sema {
namespace {

/// The answer to "is_…" without its "is_": kinds first, then exact types by their name.
bool answers(const Type& type, std::string_view question) {
  const ElementType& element = type.element;
  if (question == "block") {
    return !type.is_scalar();
  }
  if (question == "ptr") {
    return type.is_scalar() && element.is_pointer();
  }
  if (question == "const") {
    return element.is_pointer() && element.is_const;
  }
  if (element.is_pointer() || !type.is_scalar()) {
    return false;
  }
  const Scalar scalar = element.scalar;
  if (question == "floating") {
    return is_float(scalar);
  }
  if (question == "standard_floating") {
    return is_float(scalar) && !is_fp8(scalar);
  }
  if (question == "int") {
    return is_integer(scalar);
  }
  if (question == "int_signed") {
    return is_signed_integer(scalar);
  }
  if (question == "int_unsigned") {
    return is_unsigned_integer(scalar);
  }
  if (question == "bool") {
    return scalar == Scalar::I1;
  }
  if (question == "fp8") {
    return is_fp8(scalar);
  }
  return language_name(scalar) == question;
}

}  // namespace

namespace builtins {

MaybeValue dtype_query(Sema& /*sema*/, const BoundArguments& arguments) {
  constexpr std::size_t kPrefix = 3;  // "is_"
  const Type& type = arguments.values[0].as<TypeObject>()->type;
  return Value{answers(type, arguments.callee->name.substr(kPrefix))};
}

MaybeValue dtype_shape(Sema& sema, const BoundArguments& arguments) {
  const TypeObject& type = *arguments.values[0].as<TypeObject>();
  if (type.type.is_scalar()) {
    return Value{TupleValue()};
  }
  return attribute(sema, arguments.values[0], "shape", arguments.call, arguments.call);
}

}  // namespace builtins
}  // namespace tilery::sema
