// Signatures: how a row of ops.def says what an op takes and gives, and the reader of that text.
//
//     signature  "(" [operand {"," operand}] ")" {region} {attribute} "->" [value {"," value}]
//     operand    name ["?" | "*"] ":" type                    one, optional, or a pack
//     region     "{" name ["*"] ":" "(" [value {"," value}] ")" "->" [value {"," value}] "}"
//     value      type ["*"]                                   one, or one a member of a pack
//     attribute  "#" name ":" kind ["=" default]              the default ends at a blank
//     kind       "int" "ints" "bool" "string" "bits" "enum(" word {"|" word} ")"
//     type       ["*"] element shape                          a tile; with "*" of pointers
//                "buffer<" element shape "," space ">"        memory of a program (Gpu level)
//                "desc<" element shape ">"                    a tensor descriptor
//                "barrier" | "token"                          (Gpu level)
//     element    letter | scalar | "{" scalar {"," scalar} "}"
//     shape      "[" [extent {"," extent}] "]"                "[]" is a scalar
//     extent     letter "..." (first only) | letter ["/" number] | number
//
// What the letters mean. An element letter says which types fit (T and A any, N a number, I an
// integer, F a standard float, P a pointer), and every use of it in a row stands for the same type.
// A set in braces works like one letter: a row has at most one set, and it stands for one type. An
// extent letter stands for one extent, and "S..." for any number of them. A letter first met in a
// pack is bound afresh for each member; `T[S...]*` among the results then gives one result a
// member.
//
// The reader is constexpr, so that op_table.cpp reads every row during the build: the first mistake
// of a row becomes a failed static_assert whose template arguments name it and its column. It was
// written by hand instead of with a parser library because it must run inside the compiler.
#pragma once

#include "ir/type.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace tilery {

/// How often an operand group, a region or a value of a signature may occur.
enum class Arity : std::uint8_t { One, Optional, Pack };

/// What element types fit.
enum class ElementClass : std::uint8_t { Any, Number, Integer, Float, Pointer, Set };

/// What kind of thing a pattern stands for; all but Tile join Type with the first pass that makes
/// them.
enum class ValueKind : std::uint8_t { Tile, Buffer, Descriptor, Barrier, Token };

/// One extent of a pattern: `letter / divisor`, or `literal` if there is no letter.
struct ExtentPattern {
  char letter = '\0';
  std::uint8_t divisor = 1;
  std::int32_t literal = 0;
};

/// One operand, region argument or result of a signature.
struct ValuePattern {
  /// `element_letter` of a set in braces.
  static constexpr char kSetLetter = '{';

  std::string_view name;  ///< operands only
  Arity arity = Arity::One;
  ValueKind kind = ValueKind::Tile;
  ElementClass element_class = ElementClass::Any;
  /// 'T', 'N', …; kSetLetter for a set; '\0' for a fixed scalar type.
  char element_letter = '\0';
  /// `*T`: a pointer to what the element says.
  bool is_pointer_to = false;
  /// For Set (and a fixed type, a set of one): bit i is Scalar(i).
  std::uint32_t scalar_set = 0;
  /// 'S' for "S...", which comes before the other extents; '\0' if there is none.
  char variadic_letter = '\0';
  std::array<ExtentPattern, 4> extents{};
  int extent_count = 0;
  std::string_view space;  ///< of a buffer

  /// `[]`
  [[nodiscard]] constexpr bool is_scalar() const {
    return variadic_letter == '\0' && extent_count == 0;
  }
};

enum class AttrKind : std::uint8_t { Int, Ints, Bool, String, Bits, Enum };

struct AttrPattern {
  std::string_view name;
  AttrKind kind{};
  bool has_default = false;
  std::string_view default_text;
  std::string_view enumerators;  ///< "a|b|c" for Enum
};

struct RegionPattern {
  std::string_view name;
  Arity arity = Arity::One;  ///< One, or Pack: any number of regions of this form
  std::array<ValuePattern, 4> arguments{};
  int argument_count = 0;
  std::array<ValuePattern, 2> results{};
  int result_count = 0;
};

/// A signature as data.
struct Signature {
  std::array<ValuePattern, 6> operands{};
  int operand_count = 0;
  std::array<RegionPattern, 2> regions{};
  int region_count = 0;
  std::array<AttrPattern, 8> attrs{};
  int attr_count = 0;
  std::array<ValuePattern, 2> results{};
  int result_count = 0;
};

/// The first thing that is wrong with a signature.
enum class SignatureError : std::uint8_t {
  None,
  ExpectedName,
  ExpectedParenthesis,
  ExpectedBrace,
  ExpectedBracket,
  ExpectedAngle,
  ExpectedColon,
  ExpectedComma,
  ExpectedArrow,
  ExpectedNumber,
  ExpectedExtent,
  UnknownElement,
  UnknownScalar,
  UnknownAttrKind,
  BadDefault,
  DuplicateName,
  SecondSet,
  TooMany,
  TrailingText,
};

struct SignatureResult {
  Signature signature;
  SignatureError error = SignatureError::None;
  int column = 0;  ///< where the error is, from 0
};

/// The position of `word` in "a|b|c", or -1.
[[nodiscard]] constexpr int enumerator_index(std::string_view enumerators, std::string_view word) {
  for (int index = 0;; ++index) {
    const std::size_t bar = enumerators.find('|');
    if (enumerators.substr(0, bar) == word) {
      return index;
    }
    if (bar == std::string_view::npos) {
      return -1;
    }
    enumerators.remove_prefix(bar + 1);
  }
}

/// The word at a position that enumerator_index gives; empty past the end.
[[nodiscard]] constexpr std::string_view enumerator_name(std::string_view enumerators,
                                                         std::int64_t index) {
  for (; index > 0; --index) {
    const std::size_t bar = enumerators.find('|');
    if (bar == std::string_view::npos) {
      return {};
    }
    enumerators.remove_prefix(bar + 1);
  }
  return index < 0 ? std::string_view{} : enumerators.substr(0, enumerators.find('|'));
}

}  // namespace tilery
