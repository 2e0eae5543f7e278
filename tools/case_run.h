// Running a case, and what came of it.
#pragma once

#include "tilery/launch.h"
#include "tilery/message.h"
#include "tilery/result.h"
#include "tools/case_file.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilery::tools {

/// A case or one of its variants, ready to run.
struct CaseRun {
  std::string title;  ///< of the variant; empty for the case itself
  std::string source;
  std::vector<CaseLaunch> launches;
  const Expectations* expect = nullptr;
  std::vector<std::string> modes;
};

/// The case itself first, then its variants. An edit whose old text is not there once is an error.
[[nodiscard]] Result<std::vector<CaseRun>> case_runs(const CaseFile& file);

/// What one run did.
struct CaseOutcome {
  std::vector<Message> messages;  ///< errors, warnings and findings
  bool is_completed = true;       ///< false: an error ended it
  bool has_lost_gpu = false;      ///< a fault: this process can use the GPU no more
  std::string output;             ///< static_print and device_print
  std::map<std::string, Buffer> before;
  std::map<std::string, Buffer> after;
};

/// How cases are run, whatever they say.
struct CaseSettings {
  int threads = 0;               ///< of the interpreter; 0: all processors
  int gpu = 0;                   ///< ordinal of the GPU of mode "cuda"
  std::optional<MathMode> math;  ///< on a GPU, where the case does not say; none: fast
};

/// Runs in `mode`: "interpret", "cuda" or "frontend" (which only compiles). The error is one of the
/// case file or the machine, never the kernel's.
[[nodiscard]] Result<CaseOutcome> run_case(const CaseFile& file, const CaseRun& run,
                                           const std::string& mode, const CaseSettings& settings);

/// Fills a buffer as a case file says.
[[nodiscard]] Result<Buffer> make_buffer(DType dtype, const Extents& shape,
                                         const CaseContents& contents);

}  // namespace tilery::tools
