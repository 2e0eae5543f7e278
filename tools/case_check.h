// Whether a run's outcome is the expected one.
#pragma once

#include "tools/case_run.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tilery::tools {

/// What came of comparing a run with its expectation.
struct CheckResult {
  std::vector<std::string> failures;  ///< what differs, one sentence each
  /// What could not be checked in this mode, such as the findings of the interpreter on a GPU.
  std::vector<std::string> not_applicable;
  bool has_checked = false;  ///< something was compared
  /// Of each buffer that differs what mismatch_json writes, with its name.
  nlohmann::ordered_json differences = nlohmann::ordered_json::array();
};

/// `base` is the outcome of the case itself when a variant is checked, else nullptr.
[[nodiscard]] CheckResult check_outcome(const Expectations& expect, const CaseOutcome& outcome,
                                        const std::string& mode, const CaseOutcome* base);

/// True if all buffers of both hold the same bits.
[[nodiscard]] bool are_bit_identical(const std::map<std::string, Buffer>& a,
                                     const std::map<std::string, Buffer>& b);

}  // namespace tilery::tools
