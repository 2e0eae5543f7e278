// Where the programs of a CUDA toolkit are. Needs nothing of Tilery, so that tests which do not
// link the command look in the same places.
#pragma once

#include <optional>
#include <string>

namespace tilery::tools {

/// The program's path: on PATH, in `bin` of CUDA_HOME or CUDA_PATH, or in /usr/local/cuda/bin.
[[nodiscard]] std::optional<std::string> find_cuda_tool(const std::string& name);

/// "it is not on PATH, CUDA_HOME is unset, …": where `find_cuda_tool` looked in vain.
[[nodiscard]] std::string cuda_tool_places();

}  // namespace tilery::tools
