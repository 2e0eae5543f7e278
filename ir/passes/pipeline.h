// The order of the IR passes.
#pragma once

#include "ir/function.h"

#include <functional>
#include <string_view>

namespace tilery {

struct PipelineOptions {
  /// `a * b + c` becomes `fma`; the launch option enable_fp_fusion.
  bool fuse_fma = true;
  /// Called with the pass's name after each pass; for `--dump-after`.
  std::function<void(std::string_view pass, const Function&)> after_pass;
};

/// What the specialiser runs on its output: contraction, then canonicalise, LICM, CSE, the
/// accumulated-sum rule and DCE, each followed by the verifier in checked builds (TILERY_CHECKED).
/// Both executors take the result.
void run_pipeline(Function& function, const PipelineOptions& options = {});

}  // namespace tilery
