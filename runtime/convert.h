// Between the public interface's types and the compiler's.
#pragma once

#include "frontend/sema/host_value.h"
#include "ir/support/diagnostic.h"
#include "ir/type.h"
#include "tilery/argument.h"
#include "tilery/dtype.h"

#include <optional>
#include <string>
#include <vector>

namespace tilery {

[[nodiscard]] constexpr Scalar scalar_of(DType dtype) {
  return static_cast<Scalar>(dtype);
}

[[nodiscard]] constexpr DType dtype_of(Scalar scalar) {
  return static_cast<DType>(scalar);
}

/// "fp32", "*fp32", "*const fp32", "**int8": a type as kernels write it.
[[nodiscard]] std::string language_text(const ElementType& element);

/// The compile-time value that an argument stands for; nothing if it holds a pointer. A TypedScalar
/// becomes its number.
[[nodiscard]] std::optional<HostValue> host_value(const Argument& argument);
/// The value as Python writes it: `None`, `True`, `'text'`, `fp16`, `(1, 2)`.
[[nodiscard]] std::string python_text(const HostValue& value);

/// What an argument is, for messages: "the integer 4", "an array of fp32", "None", "a tuple of 3".
[[nodiscard]] std::string describe_argument(const Argument& argument);

}  // namespace tilery
