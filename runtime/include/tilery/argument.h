// Values that a caller gives to a kernel.
#pragma once

#include "tilery/buffer.h"
#include "tilery/dtype.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tilery::inline v0 {

/// Python's `None`.
struct None {
  friend bool operator==(None, None) = default;
};

/// A function of the kernel's file, by name.
struct FunctionName {
  std::string name;
  friend bool operator==(const FunctionName&, const FunctionName&) = default;
};

/// A number of a given type, such as an fp16 0.5. `bits` is the element's memory, zero-extended.
struct TypedScalar {
  DType dtype = DType::I32;
  std::uint64_t bits = 0;
  friend bool operator==(const TypedScalar&, const TypedScalar&) = default;
};

/// The address of an element of a buffer, or a null pointer to `dtype` if there is no buffer.
struct Pointer {
  std::optional<Buffer> buffer;
  DType dtype = DType::F32;
  /// In elements from the start of the buffer; may lie outside (using it is then a finding).
  std::int64_t offset = 0;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

/// An argument of a launch, a compile-time value, or a constant of a library's environment.
///
/// For a `tl.constexpr` parameter it may be anything but a pointer. For a run-time parameter: a
/// bool is int1, an integer int32 if it fits, else int64, else uint64, a float fp32, unless the
/// parameter's annotation or a TypedScalar says otherwise.
class TILERY_API Argument {
 public:
  /// With field names it is a namedtuple of the type `type_name`.
  struct Tuple {
    std::vector<Argument> elements;
    std::string type_name;
    std::vector<std::string> field_names;
    friend bool operator==(const Tuple&, const Tuple&) = default;
  };

  using Data = std::variant<None, bool, std::int64_t, std::uint64_t, double, std::string, DType,
                            FunctionName, TypedScalar, Pointer, Tuple>;

  Argument() = default;

  // NOLINTBEGIN(google-explicit-constructor): values are written as they are, `{"n", 4}`.
  Argument(None) {}

  Argument(bool value) : data(value) {}

  template <std::signed_integral T>
    requires(!std::same_as<T, char>)
  Argument(T value) : data(static_cast<std::int64_t>(value)) {}

  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  Argument(T value) : data(static_cast<std::uint64_t>(value)) {}

  Argument(double value) : data(value) {}

  Argument(std::string value) : data(std::move(value)) {}

  Argument(const char* value) : data(std::string(value)) {}

  Argument(DType value) : data(value) {}

  Argument(FunctionName value) : data(std::move(value)) {}

  Argument(TypedScalar value) : data(value) {}

  Argument(Pointer value) : data(std::move(value)) {}

  Argument(const Buffer& buffer) : data(Pointer{buffer, buffer.dtype(), 0}) {}

  Argument(Tuple value) : data(std::move(value)) {}

  // NOLINTEND(google-explicit-constructor)

  /// A number of a given type: rounded for floats, wrapped for integers.
  static Argument scalar(DType dtype, double value);
  static Argument scalar(DType dtype, std::int64_t value);
  /// A pointer to element `offset` of `buffer`.
  static Argument pointer(const Buffer& buffer, std::int64_t offset);
  static Argument null_pointer(DType dtype);

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&data);
  }

  friend bool operator==(const Argument&, const Argument&) = default;

  Data data;
};

/// An argument with the parameter's name, or by position if the name is empty. Positional ones come
/// first.
struct NamedArgument {
  std::string name;
  Argument value;

  NamedArgument(std::string parameter, Argument argument)
      : name(std::move(parameter)), value(std::move(argument)) {}

  /// By position: anything that an Argument can be made of.
  template <class T>
    requires(std::convertible_to<T, Argument> &&
             !std::same_as<std::remove_cvref_t<T>, NamedArgument>)
  NamedArgument(T&& argument)  // NOLINT(google-explicit-constructor)
      : value(std::forward<T>(argument)) {}
};

using Arguments = std::vector<NamedArgument>;

}  // namespace tilery::inline v0
