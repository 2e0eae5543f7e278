// A case's verdict: run in every mode that was asked for and compared with its outcome.
#pragma once

#include "tilery/result.h"
#include "tools/case_run.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tilery::tools {

/// How a case ended, from good to bad; the worst of its runs counts.
enum class CaseState : std::uint8_t { Pass, NotApplicable, OtherMode, Manual, Waits, Fail };

/// "pass", "n/a", "other-mode", "manual", "waits", "FAIL".
[[nodiscard]] const char* state_name(CaseState state);

struct Verdict {
  CaseState state = CaseState::Pass;
  std::string id;
  std::string title;
  std::vector<std::string> modes;  ///< those that were tried
  std::vector<std::string> waits;  ///< operations that this version lacks
  /// In numbers, of each buffer that differs: mode, run, and what mismatch_json writes.
  nlohmann::ordered_json differences = nlohmann::ordered_json::array();
  std::vector<std::string> details;         ///< what failed, and where; why nothing ran
  std::vector<std::string> not_applicable;  ///< what the modes that were tried cannot show
  bool has_lost_gpu = false;                ///< this process can use the GPU no more
};

/// Runs the case in the modes. The error is one of the case file or the machine.
[[nodiscard]] Result<Verdict> judge_case(const CaseFile& file,
                                         const std::vector<std::string>& modes,
                                         const CaseSettings& settings);

/// As `tilery case --json` reports it.
[[nodiscard]] nlohmann::ordered_json verdict_json(const Verdict& verdict);
/// The reverse; throws nlohmann's exceptions if it is none.
[[nodiscard]] Verdict verdict_from_json(const nlohmann::ordered_json& json);

}  // namespace tilery::tools
