// Run tests: a kernel with its inputs and outputs in one file (tests/run/*.tl; tests/README.md
// shows the form).
#pragma once

#include "frontend/sema/specialize.h"
#include "interpreter/interpreter.h"
#include "ir/support/diagnostic.h"
#include "tests/support/golden.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilery::testing {

/// A buffer argument: its contents before the run, and after it what the executor left.
struct RunBuffer {
  std::string name;
  Scalar dtype{};
  std::vector<std::byte> data;

  [[nodiscard]] std::size_t size() const {
    return data.size() / static_cast<std::size_t>(byte_size(dtype));
  }
};

/// What a buffer must hold: numbers as bits of the buffer's type, compared within rtol/atol if
/// given, else exactly (NaN matches NaN, zeros match whatever their sign unless `signed_zero`).
struct ExpectedBuffer {
  std::string name;
  std::vector<std::uint64_t> bits;
  double rtol = 0;
  double atol = 0;
  bool signed_zero = false;
};

/// A finding that must be reported, by kind and source line.
struct ExpectedFinding {
  std::string kind;
  std::uint32_t line = 0;
  friend bool operator==(const ExpectedFinding&, const ExpectedFinding&) = default;
};

/// A run test, read.
struct RunFile {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::string signature;  ///< tokens for parse_signature
  std::vector<std::pair<std::string, std::string>>
      scalars;  ///< name → bits as decimal text, in `arguments` order
  std::vector<RunBuffer> buffers;
  std::vector<ExpectedBuffer> expected;
  std::vector<ExpectedFinding> findings;
  std::vector<std::string> prints;  ///< lines that device_print must write
};

/// Throws std::invalid_argument with the line at fault.
[[nodiscard]] RunFile read_run_file(const GoldenFile& file);

/// The kernel specialised for the file's arguments, and the launch's pieces in the order of its
/// run-time parameters.
struct PreparedRun {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<Specialized> specialized;
  std::vector<InterpreterBuffer> buffers;
  std::vector<InterpreterArgument> arguments;
};

/// Pointers in the result refer to `run`'s buffers.
void prepare_run(const GoldenFile& file, RunFile& run, PreparedRun& prepared, bool optimise = true);

/// Fails the calling test where a buffer differs from what is expected (or from its input, if it is
/// not named).
void expect_buffers(const RunFile& run, const std::vector<RunBuffer>& inputs);

}  // namespace tilery::testing
