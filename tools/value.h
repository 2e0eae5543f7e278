// The VALUE of NAME=VALUE on the command line, as written.
#pragma once

#include "tilery/argument.h"
#include "tilery/dtype.h"
#include "tilery/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilery::tools {

/// `@x.npy`, `bf16:@x.npy`.
struct FileValue {
  std::string path;
  std::optional<DType> as;
};

/// `zeros:f32[4,6]` and its like. Extents are expressions.
struct FillValue {
  enum class Kind : std::uint8_t { Zeros, Ones, Empty, Full, Rand, Randn, Arange, Randint };
  Kind kind = Kind::Zeros;
  TypedScalar full;       ///< Full, in the array's type
  std::int64_t low = 0;   ///< Randint
  std::int64_t high = 0;  ///< Randint, exclusive
  DType dtype = DType::F32;
  std::vector<std::string> extents;
};

/// `like(x)`.
struct LikeValue {
  std::string name;
};

/// `x` or `x+4`; a bare name may also turn out to be a function of the kernel's file.
struct NameValue {
  std::string name;
  std::int64_t offset = 0;
  bool has_offset = false;
};

struct Value;

/// `(1, 2)`.
struct TupleValue {
  std::vector<Value> elements;
};

struct Value {
  std::variant<Argument, FileValue, FillValue, LikeValue, NameValue, TupleValue> data;
};

/// Why `text` names no element type, with those that there are and the closest of them.
[[nodiscard]] std::string no_element_type(std::string_view text);

/// Reads a VALUE. The error is one sentence that says what is wrong and quotes it.
[[nodiscard]] Result<Value> parse_value(std::string_view text);

}  // namespace tilery::tools
