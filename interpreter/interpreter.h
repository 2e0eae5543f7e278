// Interpret mode: runs a function of the IR on the CPU, program by program, with checks.
//
//   Function ── make_program ──> InterpreterProgram (plan: steps over slots) ── run ──> RunReport
//
// The plan is immutable and shared by threads and launches.
#pragma once

#include "interpreter/check/definedness.h"
#include "interpreter/check/finding.h"
#include "ir/function.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilery {

/// A block of host memory that pointers may point into. Does not own `data`.
struct InterpreterBuffer {
  std::string name;  ///< the argument that brought it, for messages
  void* data = nullptr;
  std::size_t bytes = 0;
  ElementType element;  ///< for messages and printing
  /// Which of it was ever written, updated by stores; nullptr: all of it was.
  Definedness* defined = nullptr;
  bool read_only = false;  ///< a store through it is a finding
};

/// A run-time argument, in the order of Function::params.
struct InterpreterArgument {
  bool is_pointer = false;
  std::uint64_t bits = 0;        ///< scalar: the encoded value (see encode_float/encode_int)
  int buffer = -1;               ///< pointer: index into `buffers`, or -1 for a null pointer
  std::int64_t byte_offset = 0;  ///< pointer: where in the buffer it starts
};

/// How much is checked. Fast detects; at the first event of a program the same program goes on in
/// Tracked, which knows per lane what is undefined and where numbers came from.
enum class CheckLevel : std::uint8_t { None, Fast, Tracked };

struct RunOptions {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  int threads = 0;  ///< 0: as many as the machine has
  CheckLevel check = CheckLevel::Fast;
  std::chrono::milliseconds timeout{0};  ///< 0: none
  int max_findings = 20;                 ///< distinct findings kept
  /// The text that the function's locations point into: findings on one source line are then
  /// merged. Without it only those at equal ranges are.
  const SourceMap* sources = nullptr;
  /// Text of device_print, whole lines, in program order when threads == 1 and grouped by program
  /// otherwise.
  std::function<void(std::string_view)> print;
  /// Called now and then from the calling thread with the number of finished programs.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

struct RunReport {
  std::vector<Finding> findings;  ///< ordered by lowest program, then by position in the program;
                                  ///< does not depend on threads
  bool completed = true;          ///< false: an error finding, the timeout or a lack of memory
                                  ///< ended the run early
  std::int64_t programs_run = 0;
  std::size_t missing_bytes = 0;  ///< not 0: there was no memory of this size for a worker's tiles,
                                  ///< and not all programs ran
};

class InterpreterProgram;

/// Plans the function. Never fails on a function that passes the verifier. The result keeps its own
/// copy of the function.
[[nodiscard]] std::shared_ptr<const InterpreterProgram> make_program(Function function);
[[nodiscard]] const Function& function_of(const InterpreterProgram& program);
/// Bytes of arena that one worker needs in Fast mode; and the slot kind ("splat", "affine",
/// "range", "dense") of a value, for tests and `explain`.
[[nodiscard]] std::size_t arena_bytes(const InterpreterProgram& program);
[[nodiscard]] std::string_view slot_kind(const InterpreterProgram& program, ValueId value);

/// Runs all programs of the grid. A grid with a zero extent runs nothing.
[[nodiscard]] RunReport run(const InterpreterProgram& program,
                            std::vector<InterpreterBuffer> buffers,
                            const std::vector<InterpreterArgument>& arguments,
                            const RunOptions& options);

}  // namespace tilery
