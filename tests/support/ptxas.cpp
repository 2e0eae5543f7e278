#include "tests/support/ptxas.h"

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tilery::testing {
namespace {

namespace fs = std::filesystem;

std::string find_ptxas() {
  std::error_code ignored;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::exists(fs::path(folder) / "ptxas", ignored)) {
      return (fs::path(folder) / "ptxas").string();
    }
  }
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored)) {
    const fs::path candidate = entry.path() / "bin" / "ptxas";
    if (entry.path().filename().string().starts_with("cuda") && fs::exists(candidate, ignored)) {
      return candidate.string();
    }
  }
  return {};
}

}  // namespace

PtxasResult assemble(std::string_view ptx, std::string_view chip, int optimisation) {
  static const std::string ptxas = find_ptxas();
  if (ptxas.empty()) {
    return {};
  }
  const TempDir folder;
  const ProcessResult run =
      run_process({ptxas, "-arch=" + std::string(chip), "-O" + std::to_string(optimisation), "-o",
                   folder.file("kernel.cubin"), folder.write("kernel.ptx", ptx)});
  return {true, run.exit_code == 0 ? std::string() : run.out + run.err};
}

}  // namespace tilery::testing
