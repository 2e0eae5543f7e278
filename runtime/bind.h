// From the arguments of a launch to a call signature and run-time values.
#pragma once

#include "frontend/sema/specialize.h"
#include "interpreter/interpreter.h"
#include "ir/support/diagnostic.h"
#include "tilery/argument.h"
#include "tilery/launch.h"

#include <vector>

namespace tilery {

/// Everything that a launch passes on.
struct BoundCall {
  /// One a parameter, in order.
  std::vector<ArgumentSpec> specs;
  /// The run-time values in the order of Function::params (tuples flattened).
  std::vector<InterpreterArgument> values;
  /// The buffers that they point into, each once, and the handles that keep them alive.
  std::vector<InterpreterBuffer> buffers;
  std::vector<Buffer> handles;
  /// The launch's options with those that were given as keywords.
  LaunchOptions options;
};

/// Binds as Python does and gives every argument its type (semantics 9.2). Reports everything that
/// is wrong; the result counts only if nothing was.
[[nodiscard]] BoundCall bind_arguments(const KernelInfo& kernel, const Arguments& arguments,
                                       const LaunchOptions& options, Diagnostics& diagnostics);

}  // namespace tilery
