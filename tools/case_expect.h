// What a case expects, out of its JSON.
#pragma once

#include "tools/case_file.h"

#include <nlohmann/json_fwd.hpp>

namespace tilery::tools {

/// The expectations under `expect` of a case or a variant. Throws BadCase where they are misspelt,
/// contradict each other or would hold whatever happens.
[[nodiscard]] Expectations read_expectations(const nlohmann::json& owner);

}  // namespace tilery::tools
