// Running a program and seeing what it does.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilery::testing {

struct ProcessResult {
  int exit_code = -1;         ///< 128 + signal if a signal ended it
  std::string out;            ///< standard output
  std::string err;            ///< standard error
  double seconds = 0;         ///< from start to exit
  double cpu_seconds = 0;     ///< of which it used the processor; does not depend on others' load
  double peak_megabytes = 0;  ///< the most memory that it had in RAM at once, of 10^6 bytes
};

struct ProcessOptions {
  /// Set (or, with an empty value, removed) in the program's environment.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Both streams lead to a pseudo-terminal; everything then is in `out`.
  bool on_terminal = false;
  std::string working_directory;
};

/// Runs `arguments[0]` with the rest as its arguments; no shell is involved.
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& arguments,
                                        const ProcessOptions& options = {});

}  // namespace tilery::testing
