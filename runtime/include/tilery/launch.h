// Running a kernel over a grid of programs.
#pragma once

#include "tilery/argument.h"
#include "tilery/device.h"
#include "tilery/kernel.h"
#include "tilery/message.h"
#include "tilery/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::inline v0 {

/// How much a run in interpret mode is checked.
enum class Checks : std::uint8_t {
  None,     ///< no warnings are looked for; what would end a run still does
  Fast,     ///< detects everything; a program with an event is looked at closely from there on
  Tracked,  ///< every program is looked at closely from its first step: slower, same findings
};

/// How `exp`, `/` and their like are computed on a GPU: with the same bits as in the interpreter,
/// which always is reproducible, or with the hardware's approximations.
enum class MathMode : std::uint8_t { Reproducible, Fast };

/// The keywords of a launch that are no parameters of the kernel, and settings of the run.
struct LaunchOptions {
  // ---- launch options; written like arguments in the command ----
  /// Warps of a program on a GPU, a power of two from 1 to 32; none: chosen from the kernel's
  /// tiles. A kernel that asks (`tl.extra.cuda.num_warps()`) sees the number given, or 4.
  std::optional<int> num_warps;
  int num_stages = 3;  ///< pipelining depth, 0 to 32
  int num_ctas = 1;    ///< a power of two from 1 to 16; changes nothing yet
  std::optional<int> maxnreg;
  bool enable_fp_fusion = true;  ///< `a * b + c` rounds once
  bool debug = false;            ///< device_assert on a GPU; interpret mode always checks it
  std::optional<MathMode> math;  ///< none: fast on a GPU

  // ---- how the kernel is read ----
  bool strict = false;  ///< refuse our extensions to the language

  /// Called with a warning that should be read before what follows, which takes long: the compiling
  /// of an enormous tile. The report has it as well. Empty: nobody is told before.
  std::function<void(const Message&)> warn;

  // ---- on a GPU ----
  /// The CUDA stream to launch on. With one, and all arrays on the GPU, the launch is queued and
  /// returns at once; otherwise it returns when the kernel is done.
  Stream stream;

  // ---- interpret mode ----
  int threads = 0;  ///< 0: as many as the machine has
  Checks check = Checks::Fast;
  std::chrono::milliseconds timeout{0};  ///< 0: none
  int max_findings = 20;                 ///< distinct findings kept
  /// Gets the text of device_print in whole lines, and before it that of tl.static_print if the
  /// launch compiles the kernel. Empty: standard output.
  std::function<void(std::string_view)> print;
  /// Called now and then on the launching thread with the number of finished programs.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

/// Sets a launch option by its keyword ("num_warps", "math", …). Fails with a message if there is
/// none of that name or the value does not suit it.
TILERY_API Status set_launch_option(LaunchOptions& options, std::string_view name,
                                    const Argument& value);

/// What a launch did.
struct LaunchReport {
  /// Warnings of the compiler (when this launch was the first of its kind) and findings of the run.
  std::vector<Message> messages;
  /// False if an error finding or the timeout ended the run early.
  bool completed = true;
  std::int64_t programs_run = 0;
  /// True if this launch specialised the kernel; false if an earlier one had.
  bool compiled = false;
  std::chrono::nanoseconds compile_time{0};
  std::chrono::nanoseconds run_time{0};
  /// Launch options that were given and change nothing. On a GPU also sentences of code generation
  /// about the kernel that ran, compiled now or before: why so many warps, what was decided
  /// otherwise than asked, which accesses are narrow and why.
  std::vector<std::string> notes;

  [[nodiscard]] TILERY_API bool has_errors() const;
};

/// Runs `kernel` over `grid` (one to three extents; x first). Buffers are changed in place. A zero
/// extent compiles the kernel and runs nothing. Arguments bind as in Python; a keyword that is a
/// launch option and no parameter sets the option.
///
/// On a GPU, arrays in host memory are copied there and back. The kernel is compiled once and kept,
/// also on disk (TILERY_CACHE_DIR).
///
/// Fails with ErrorKind::Usage if arguments, options or the grid are wrong or ask for more than the
/// GPU has, with ErrorKind::Kernel if the kernel does not compile for them, and with
/// ErrorKind::Machine if the GPU or its driver fails. A fault while running is no failure but a
/// finding in the report in interpret mode, and ErrorKind::Kernel on a GPU, where it is all that is
/// known.
TILERY_API Result<LaunchReport> launch(const Device& device, const Kernel& kernel,
                                       std::span<const std::int64_t> grid,
                                       const Arguments& arguments,
                                       const LaunchOptions& options = {});

/// What `compile` shows.
struct CompileReport {
  std::vector<Message> messages;  ///< warnings
  std::string static_output;
  std::string ir;  ///< the typed block IR as text
};

struct CompileOptions {
  bool source_lines = false;  ///< adds `// file:line` to the IR's lines
  /// Called after each pass with its name and the IR's text. Empty: not called.
  std::function<void(std::string_view pass, std::string_view ir)> after_pass;
};

/// Specialises the kernel for these arguments without running it. Fails as `launch` does.
TILERY_API Result<CompileReport> compile(const Kernel& kernel, const Arguments& arguments,
                                         const LaunchOptions& options = {},
                                         const CompileOptions& compile_options = {});

}  // namespace tilery::inline v0
