#include "tools/ptxas.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

// NOLINTNEXTLINE(readability-redundant-declaration): POSIX wants programs to declare it.
extern char** environ;

namespace tilery::tools {

namespace {

namespace fs = std::filesystem;

/// A folder that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "tilery-XXXXXX").string();
    if (!failed && mkdtemp(pattern.data()) != nullptr) {
      path_ = pattern;
    }
  }

  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
      fs::remove_all(path_, ignored);
    }
  }

  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] bool is_there() const { return !path_.empty(); }

  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs the program with both streams into a file; true if it exits with 0.
bool run_into(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: spawn only reads it
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return failed == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/// The number before `words` in the text: "40" of "Used 40 registers".
int number_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) {
    return 0;
  }
  const std::size_t first = text.find_last_not_of("0123456789", at - 1) + 1;
  int number = 0;
  std::from_chars(text.data() + first, text.data() + at, number);
  return number;
}

std::string version_in(std::string_view text) {
  constexpr std::string_view kRelease = "release ";
  const std::size_t at = text.find(kRelease);
  if (at == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(at + kRelease.size());
  return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

/// What differs between chips.
struct ChipLimits {
  std::string_view prefix;
  int warps;
  int blocks;
  std::size_t shared_bytes;
};

constexpr std::size_t kKib = 1024;

constexpr std::array kChips{
    ChipLimits{"sm_80", 64, 32, 164 * kKib},  ChipLimits{"sm_86", 48, 16, 100 * kKib},
    ChipLimits{"sm_87", 48, 16, 164 * kKib},  ChipLimits{"sm_89", 48, 24, 100 * kKib},
    ChipLimits{"sm_90", 64, 32, 228 * kKib},  ChipLimits{"sm_100", 64, 32, 228 * kKib},
    ChipLimits{"sm_103", 64, 32, 228 * kKib}, ChipLimits{"sm_120", 48, 32, 100 * kKib},
};

}  // namespace

std::string find_ptxas() {
  std::vector<fs::path> folders;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0') {
    folders.push_back(fs::path(home) / "bin");
  }
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().starts_with("cuda")) {
      folders.push_back(entry.path() / "bin");
    }
  }
  for (const fs::path& folder : folders) {
    const std::string candidate = (folder / "ptxas").string();
    if (access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

std::optional<PtxasReport> ask_ptxas(const std::string& ptx, const std::string& target) {
  const std::string ptxas = find_ptxas();
  const ScratchFolder folder;
  if (ptxas.empty() || !folder.is_there()) {
    return std::nullopt;
  }
  const std::string source = folder.file("kernel.ptx");
  const std::string output = folder.file("output");
  std::ofstream(source, std::ios::binary) << ptx;
  if (!run_into({ptxas, "-v", "-arch=" + target, "-o", folder.file("kernel.cubin"), source},
                output)) {
    return std::nullopt;
  }
  const std::string said = text_of(output);
  PtxasReport report;
  report.registers = number_before(said, " registers");
  report.spill_store_bytes = number_before(said, " bytes spill stores");
  report.spill_load_bytes = number_before(said, " bytes spill loads");
  if (run_into({ptxas, "--version"}, output)) {
    report.version = version_in(text_of(output));
  }
  return report;
}

Occupancy occupancy_of(const std::string& target, int num_warps, int registers,
                       std::size_t shared_bytes) {
  constexpr int kRegisters = 65536;
  // Registers are given out to warps by 256, shared memory to blocks with 1 KiB for the system.
  constexpr int kRegisterUnit = 256;
  const ChipLimits* chip = &kChips[0];
  for (const ChipLimits& candidate : kChips) {
    chip = target.starts_with(candidate.prefix) ? &candidate : chip;
  }
  const int per_warp =
      std::max(1, (registers * 32 + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit);
  Occupancy result{chip->blocks, 0, chip->warps, "blocks"};
  const auto bound = [&](int blocks, const char* limit) {
    if (blocks < result.blocks) {
      result.blocks = blocks;
      result.limit = limit;
    }
  };
  bound(chip->warps / num_warps, "warps");
  bound(kRegisters / per_warp / num_warps, "registers");
  bound(static_cast<int>(chip->shared_bytes / (shared_bytes + kKib)), "shared memory");
  result.warps = result.blocks * num_warps;
  return result;
}

}  // namespace tilery::tools
