#include "tests/support/ptxas.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tilery::testing {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path);
}

std::string find_ptxas() {
  if (const char* given = std::getenv("TILERY_PTXAS")) {
    return given;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(fs::path(folder) / "ptxas")) {
      return fs::path(folder) / "ptxas";
    }
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/local", error)) {
    const fs::path candidate = entry.path() / "bin/ptxas";
    if (entry.path().filename().string().starts_with("cuda") && is_program(candidate)) {
      return candidate;
    }
  }
  return {};
}

/// What a command writes, and whether it succeeded.
std::pair<bool, std::string> run_command(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    return {false, "cannot run " + command};
  }
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  return {pclose(pipe) == 0, output};
}

}  // namespace

const std::string& ptxas_path() {
  static const std::string path = find_ptxas();
  return path;
}

void expect_assembles(const std::string& ptx, std::string_view target) {
  if (ptxas_path().empty()) {
    return;
  }
  const fs::path file = fs::temp_directory_path() / ("tilery_" + std::to_string(getpid()) + ".ptx");
  std::ofstream(file) << ptx;
  const auto [assembles, output] = run_command("'" + ptxas_path() + "' -O1 -arch=" + std::string(target) + " -o /dev/null '" +
                                               file.string() + "'");
  fs::remove(file);
  EXPECT_TRUE(assembles) << output << "\n" << ptx;
}

}  // namespace tilery::testing
