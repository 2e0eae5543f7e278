// Types of values: an element type and a shape.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace tilery {

/// Numbers that a value or a memory cell can hold. In memory each takes its natural width; I1 takes
/// one byte, 0 or 1.
enum class Scalar : std::uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E4NV,
  F8E5,
  F8E4B15,
  F8E4B8,
  F8E5B16,
  F16,
  BF16,
  F32,
  F64,
};
inline constexpr int kScalarCount = static_cast<int>(Scalar::F64) + 1;
/// The IR's spelling of each Scalar, in its order.
inline constexpr std::array<std::string_view, kScalarCount> kScalarNames = {
    "i1",     "i8",   "i16",     "i32",    "i64",     "u8",  "u16",  "u32", "u64",
    "f8e4nv", "f8e5", "f8e4b15", "f8e4b8", "f8e5b16", "f16", "bf16", "f32", "f64",
};

/// Bits of the value (1 for I1), and bytes of its memory cell.
[[nodiscard]] int bit_width(Scalar s);
[[nodiscard]] int byte_size(Scalar s);
[[nodiscard]] bool is_float(Scalar s);
[[nodiscard]] bool is_fp8(Scalar s);
/// I1 counts as an unsigned integer, as in the language.
[[nodiscard]] bool is_integer(Scalar s);
[[nodiscard]] bool is_signed_integer(Scalar s);
[[nodiscard]] bool is_unsigned_integer(Scalar s);
/// IR spelling: "i1" "i8" … "u64" "f8e4nv" "f8e5" … "f16" "bf16" "f32" "f64".
[[nodiscard]] std::string_view ir_name(Scalar s);
/// The language's spelling, for messages: "int1" "uint8" "fp16" "bf16" "fp32" "fp8e4nv".
[[nodiscard]] std::string_view language_name(Scalar s);

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
