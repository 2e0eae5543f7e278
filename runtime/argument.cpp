#include "tilery/argument.h"

namespace tilery::inline v0 {

Argument Argument::scalar(DType dtype, double value) {
  TypedScalar scalar{dtype, 0};
  store_number(dtype, &scalar.bits, value);
  return scalar;
}

Argument Argument::scalar(DType dtype, std::int64_t value) {
  TypedScalar scalar{dtype, 0};
  store_integer(dtype, &scalar.bits, value);
  return scalar;
}

Argument Argument::pointer(const Buffer& buffer, std::int64_t offset) {
  return Pointer{buffer, buffer.dtype(), offset};
}

Argument Argument::null_pointer(DType dtype) {
  return Pointer{std::nullopt, dtype, 0};
}

}  // namespace tilery::inline v0
