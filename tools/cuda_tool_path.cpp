#include "tools/cuda_tool_path.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace tilery::tools {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUsualFolder = "/usr/local/cuda/bin";

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// In the order in which they are searched.
std::vector<fs::path> tool_folders() {
  std::vector<fs::path> folders;
  std::string_view path = variable("PATH");
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    // An empty entry is the current folder, from which no program is taken unasked.
    if (colon != 0) {
      folders.emplace_back(path.substr(0, colon));
    }
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string_view home = variable(name); !home.empty()) {
      folders.push_back(fs::path(home) / "bin");
    }
  }
  folders.emplace_back(kUsualFolder);
  return folders;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> find_cuda_tool(const std::string& name) {
  for (const fs::path& folder : tool_folders()) {
    if (is_program(folder / name)) {
      return (folder / name).string();
    }
  }
  return std::nullopt;
}

std::string cuda_tool_places() {
  const auto home = [](const std::string& name) {
    const std::string folder(variable(name.c_str()));
    return folder.empty() ? name + " is unset" : "not in " + folder + "/bin";
  };
  const std::string places = "not on PATH, " + home("CUDA_HOME") + ", " + home("CUDA_PATH");
  const bool is_told = places.find(kUsualFolder) != std::string::npos;
  return is_told ? places : places + ", not in " + kUsualFolder;
}

}  // namespace tilery::tools
