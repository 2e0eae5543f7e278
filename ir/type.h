// Types of values: an element type and a shape.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace tilery {

/// Numbers that a value or a memory cell can hold. In memory each takes its natural width; I1 takes
/// one byte, 0 or 1.
enum class Scalar : std::uint8_t {
#define TILERY_INTEGER(name, ...) name,
#define TILERY_FLOAT(name, ...) name,
#include "ir/scalars.def"
};

/// What ir/scalars.def says of a type.
struct ScalarFacts {
  int bits = 0;
  bool is_float = false;
  bool is_signed = false;
  std::string_view ir_name;
  std::string_view language_name;
  std::string_view dtype_name;
};

/// In the order of Scalar.
inline constexpr ScalarFacts kScalarFacts[] = {
#define TILERY_INTEGER(name, bits, is_signed, ir_name, language_name) \
  {bits, false, is_signed, ir_name, language_name, language_name},
#define TILERY_FLOAT(name, exponent, mantissa, bias, specials, overflow, max, nan, ir_name, \
                     language_name, dtype_name)                                             \
  {1 + (exponent) + (mantissa), true, true, ir_name, language_name, dtype_name},
#include "ir/scalars.def"
};
inline constexpr int kScalarCount = static_cast<int>(std::size(kScalarFacts));

// Forced inline, since files that are built for several processor levels may leave no copy that
// another level would call.

[[nodiscard, gnu::always_inline]] constexpr const ScalarFacts& scalar_facts(Scalar s) {
  return kScalarFacts[static_cast<int>(s)];
}

/// Bits of the value (1 for I1).
[[nodiscard, gnu::always_inline]] constexpr int bit_width(Scalar s) {
  return scalar_facts(s).bits;
}

/// Bytes of its memory cell.
[[nodiscard, gnu::always_inline]] constexpr int byte_size(Scalar s) {
  return (bit_width(s) + 7) / 8;
}

[[nodiscard, gnu::always_inline]] constexpr bool is_float(Scalar s) {
  return scalar_facts(s).is_float;
}

[[nodiscard, gnu::always_inline]] constexpr bool is_fp8(Scalar s) {
  return is_float(s) && bit_width(s) == 8;
}

/// I1 counts as an unsigned integer, as in the language.
[[nodiscard, gnu::always_inline]] constexpr bool is_integer(Scalar s) {
  return !is_float(s);
}

[[nodiscard, gnu::always_inline]] constexpr bool is_signed_integer(Scalar s) {
  return is_integer(s) && scalar_facts(s).is_signed;
}

[[nodiscard, gnu::always_inline]] constexpr bool is_unsigned_integer(Scalar s) {
  return is_integer(s) && !scalar_facts(s).is_signed;
}

/// IR spelling: "i1" "i8" … "u64" "f8e4nv" "f8e5" … "f16" "bf16" "f32" "f64".
[[nodiscard]] std::string_view ir_name(Scalar s);
/// The language's spelling, for messages: "int1" "uint8" "fp16" "bf16" "fp32" "fp8e4nv".
[[nodiscard]] std::string_view language_name(Scalar s);
/// What the type is called in the module `tl`: "int1" "uint8" "float16" "bfloat16" "float8e4nv".
[[nodiscard]] std::string_view dtype_name(Scalar s);

/// A number, or a pointer (to a pointer …) to one. Small enough to pass by value.
struct ElementType {
  Scalar scalar = Scalar::I32;
  std::uint8_t pointer_depth =
      0;                  ///< 0: a number; 1: pointer to scalar; 2: pointer to such a pointer
  bool is_const = false;  ///< pointers: the pointee may not be written (`tl.const`)

  constexpr ElementType() = default;

  constexpr ElementType(Scalar s) : scalar(s) {}  // NOLINT(google-explicit-constructor)

  constexpr ElementType(Scalar s, int depth, bool constant = false)
      : scalar(s), pointer_depth(static_cast<std::uint8_t>(depth)), is_const(constant) {}

  [[nodiscard]] bool is_pointer() const { return pointer_depth != 0; }

  [[nodiscard]] bool is(Scalar s) const { return pointer_depth == 0 && scalar == s; }

  [[nodiscard]] ElementType pointee() const;
  [[nodiscard]] ElementType pointer_to() const;
  /// Bytes of one memory cell; 8 for pointers.
  [[nodiscard]] int byte_size() const;
  /// "f32", "*f32", "*const f32".
  [[nodiscard]] std::string str() const;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// Extents from the outermost to the innermost axis; rank 0 is a scalar. A plain value without heap
/// storage.
class Shape {
 public:
  static constexpr int kMaxRank = 16;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents);
  explicit Shape(std::span<const std::int64_t> extents);

  [[nodiscard]] int rank() const { return rank_; }

  [[nodiscard]] bool is_scalar() const { return rank_ == 0; }

  [[nodiscard]] std::int64_t operator[](int axis) const { return extents_[axis]; }

  void set(int axis, std::int64_t extent) { extents_[axis] = static_cast<std::int32_t>(extent); }

  void push_back(std::int64_t extent);
  void insert(int axis, std::int64_t extent);
  void erase(int axis);
  /// Product of the extents; 1 for a scalar.
  [[nodiscard]] std::int64_t numel() const;
  [[nodiscard]] std::string str() const;  ///< "[64, 32]"; "[]" for a scalar

  [[nodiscard]] const std::int32_t* begin() const { return extents_.data(); }

  [[nodiscard]] const std::int32_t* end() const { return extents_.data() + rank_; }

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  int rank_ = 0;
  std::array<std::int32_t, kMaxRank> extents_{};
};

/// The type of an IR value. Shape rank 0 is a scalar. (GPU-level kinds join here with the first
/// pass that makes them.)
struct Type {
  ElementType element;
  Shape shape;

  Type() = default;

  Type(ElementType e) : element(e) {}  // NOLINT(google-explicit-constructor)

  Type(Scalar s) : element(s) {}  // NOLINT(google-explicit-constructor)

  Type(ElementType e, Shape s) : element(e), shape(s) {}

  [[nodiscard]] bool is_scalar() const { return shape.is_scalar(); }

  [[nodiscard]] bool is_pointer() const { return element.is_pointer(); }

  [[nodiscard]] Type with_element(ElementType e) const { return {e, shape}; }

  [[nodiscard]] Type with_shape(const Shape& s) const { return {element, s}; }

  [[nodiscard]] std::int64_t numel() const { return shape.numel(); }

  /// "f32", "f32[64, 32]", "*f32[64]".
  [[nodiscard]] std::string str() const;
  friend bool operator==(const Type&, const Type&) = default;
};

/// Reads "f32", "*f32[64, 32]", … ; false if it is not a type.
[[nodiscard]] bool parse_type(std::string_view text, Type& type);
/// Reads an IR scalar name; false if there is none such.
[[nodiscard]] bool parse_scalar(std::string_view text, Scalar& scalar);

}  // namespace tilery
