// Whether a run's outcome is the expected one.
#pragma once

#include "tools/case_run.h"

#include <string>
#include <vector>

namespace tilery::tools {

/// What differs from the expectation, one sentence each; empty if nothing does. `base` is the
/// outcome of the case itself when a variant is checked, else nullptr.
[[nodiscard]] std::vector<std::string> check_outcome(const Expectations& expect,
                                                     const CaseOutcome& outcome,
                                                     const std::string& mode,
                                                     const CaseOutcome* base);

/// True if all buffers of both hold the same bits.
[[nodiscard]] bool are_bit_identical(const std::map<std::string, Buffer>& a,
                                     const std::map<std::string, Buffer>& b);

}  // namespace tilery::tools
