// Numbers and contents of buffers in a case's JSON.
#pragma once

#include "tools/case_file.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tilery::tools {

[[nodiscard]] CaseNumber number(const nlohmann::json& json);

/// An object with exactly one of `data`, `fill` and `arange`.
[[nodiscard]] CaseContents contents_of(const nlohmann::json& json);

/// Whether a buffer of this type can hold the number, rounded if it is of floats. A number that an
/// integer type would cut off or wrap is a slip of the pen, not a value.
[[nodiscard]] bool fits(DType dtype, const CaseNumber& number);
[[nodiscard]] std::string number_text(const CaseNumber& number);

}  // namespace tilery::tools
