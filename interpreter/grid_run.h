// Spreads the programs of a grid over worker threads.
#pragma once

#include "interpreter/interpreter.h"

namespace tilery::interpreter {

/// run() of interpreter.h, on arguments that fit the function.
[[nodiscard]] RunReport run_grid(const InterpreterProgram& program,
                                 std::vector<InterpreterBuffer> buffers,
                                 const std::vector<InterpreterArgument>& arguments,
                                 const RunOptions& options);

}  // namespace tilery::interpreter
