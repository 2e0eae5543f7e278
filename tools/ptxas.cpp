#include "tools/ptxas.h"

#include "tools/child_process.h"
#include "tools/cuda_tool_path.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tilery::tools {

namespace {

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

}  // namespace

std::optional<PtxasReport> ask_ptxas(const std::string& ptx, const std::string& target) {
  const std::optional<std::string> ptxas = find_cuda_tool("ptxas");
  if (!ptxas) {
    return std::nullopt;
  }
  const auto run =
      run_program({*ptxas, "-v", "-arch=" + target, "-o", kProgramOutput, kProgramInput}, ptx);
  if (!run || run->exit_code != 0) {
    return std::nullopt;
  }
  PtxasReport report;
  report.registers = number_before(run->errors, " registers");
  report.spill_store_bytes = number_before(run->errors, " bytes spill stores");
  report.spill_load_bytes = number_before(run->errors, " bytes spill loads");
  if (const auto said = run_program({*ptxas, "--version"}, {})) {
    report.version = version_in(said->printed);
  }
  return report;
}

Occupancy occupancy_of(const MultiprocessorLimits& chip, int num_warps, int registers,
                       std::size_t shared_bytes) {
  // Registers are given out to warps by 256.
  constexpr int kRegisterUnit = 256;
  const int per_warp =
      std::max(1, (registers * 32 + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit);
  Occupancy result{chip.blocks, 0, chip.warps, "blocks"};
  const auto bound = [&](int blocks, const char* limit) {
    if (blocks < result.blocks) {
      result.blocks = blocks;
      result.limit = limit;
    }
  };
  bound(chip.warps / num_warps, "warps");
  bound(chip.registers / per_warp / num_warps, "registers");
  bound(static_cast<int>(chip.shared_bytes / (shared_bytes + chip.reserved_shared_bytes)),
        "shared memory");
  result.warps = result.blocks * num_warps;
  return result;
}

}  // namespace tilery::tools
