// From the arguments of a launch to a call signature and run-time values.
#pragma once

#include "frontend/sema/specialize.h"
#include "ir/support/diagnostic.h"
#include "tilery/argument.h"
#include "tilery/launch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilery {

/// A run-time value, in the order of Function::params. Each executor makes its own form of it.
struct BoundArgument {
  bool is_pointer = false;
  std::uint64_t bits = 0;        ///< scalar: the encoded value (see encode_float/encode_int)
  int buffer = -1;               ///< pointer: index into `buffers`, or -1 for a null pointer
  std::int64_t byte_offset = 0;  ///< pointer: where in the buffer it starts
};

/// A buffer that pointers of the launch lead into.
struct BoundBuffer {
  std::string name;  ///< the first argument that brought it, for messages
  Buffer buffer;
};

/// Everything that a launch passes on.
struct BoundCall {
  /// One a parameter, in order.
  std::vector<ArgumentSpec> specs;
  /// The run-time values in the order of Function::params (tuples flattened).
  std::vector<BoundArgument> values;
  /// The buffers that they point into, each once, whoever points into it.
  std::vector<BoundBuffer> buffers;
  /// The launch's options with those that were given as keywords.
  LaunchOptions options;
  /// Options that were given and change nothing, a sentence each.
  std::vector<std::string> notes;
};

/// Binds as Python does and gives every argument its type (semantics 9.2). Reports everything that
/// is wrong; the result counts only if nothing was.
[[nodiscard]] BoundCall bind_arguments(const KernelInfo& kernel, const Arguments& arguments,
                                       const LaunchOptions& options, Diagnostics& diagnostics);

}  // namespace tilery
