// Running another program on bytes, without a shell and without files.
#pragma once

#include "tilery/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilery::tools {

/// Under these names a program that `run_program` starts finds its input and leaves its output.
/// They are memory: nothing is left behind on disk, however the program or we end.
inline constexpr const char* kProgramInput = "/proc/self/fd/3";
inline constexpr const char* kProgramOutput = "/proc/self/fd/4";

struct ProgramResult {
  int exit_code = 0;     ///< 128 + signal if a signal ended it
  std::string printed;   ///< to standard output
  std::string errors;    ///< to standard error
  std::string produced;  ///< what it left in kProgramOutput
};

/// Runs `arguments[0]`, a path, with the rest as its arguments and `input` in kProgramInput;
/// standard input is empty. Waits for its end. Fails with ErrorKind::Machine if it cannot be
/// started.
[[nodiscard]] Result<ProgramResult> run_program(const std::vector<std::string>& arguments,
                                                std::string_view input);

}  // namespace tilery::tools
