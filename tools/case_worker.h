// Cases in a process of their own, because a kernel's fault on a GPU leaves the process that ran it
// without one.
#pragma once

#include "tools/case_judge.h"

#include <functional>
#include <string>
#include <vector>

namespace tilery::tools {

/// What to judge.
struct CasePlan {
  std::vector<std::string> files;
  std::vector<std::string> modes;
  CaseSettings settings;
  int timeout_seconds = 0;  ///< for one case; 0: none
};

/// Gets the verdict of each file, in order; false: stop.
using TakeVerdict = std::function<bool(const Result<Verdict>& verdict)>;

/// Reads and judges one after the other, in this process.
void judge_here(const CasePlan& plan, const TakeVerdict& take);

/// The same in child processes: as many cases in one as go well; after a case that took the GPU
/// down, crashed or did not end in time, a new one. This process never touches the GPU.
void judge_apart(const CasePlan& plan, const TakeVerdict& take);

}  // namespace tilery::tools
