// What becomes of a kernel on a GPU, told by source line. Needs no GPU.
#pragma once

#include "tilery/argument.h"
#include "tilery/gpu_code.h"
#include "tilery/kernel.h"
#include "tilery/launch.h"
#include "tilery/message.h"
#include "tilery/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::inline v0 {

/// The type of one expression.
struct ExplainedValue {
  Place place;
  std::string text;      ///< as the source has it
  std::string variable;  ///< what it is assigned to; may be empty
  std::string type;      ///< "f32[64, 32]", "i32"
  std::string constant;  ///< its value where it is known at compile time
};

/// A run-time argument, and what the code was made for.
struct ExplainedArgument {
  std::string name;
  std::string type;
  bool divisible_by_16 = false;  ///< a number; of a pointer: aligned to 16 bytes
  bool equals_1 = false;
  bool is_read = false;  ///< the kernel loads from its memory
  bool is_written = false;
};

/// A load or store, decided as the code has it.
struct ExplainedAccess {
  enum class Kind : std::uint8_t { Load, Store, AsyncCopy };

  Kind kind = Kind::Load;
  Place place;
  std::vector<std::string> arguments;  ///< whose memory it may touch
  std::string type;
  bool is_masked = false;
  int bytes_at_once = 0;  ///< that one instruction moves in one thread: at most 16
  int instructions = 0;   ///< of one thread, each time that it runs
  /// 32-byte sectors that one instruction of a warp touches, and how few could hold its bytes.
  int sectors = 0;
  int sectors_at_least = 0;
  std::string why;   ///< what keeps it from 16 bytes; empty if nothing does
  std::string help;  ///< what to change
  std::string layout;
};

/// A reduction, scan, conversion between layouts, dot, or loop over dots.
struct ExplainedStep {
  std::string kind;  ///< "reduction", "scan", "conversion", "dot", "loop"
  Place place;
  std::string how;
  std::string why;  ///< why not better; may be empty
  std::string help;
  std::size_t shared_bytes = 0;
};

/// Instructions of the PTX, each counted once however often a loop runs it.
struct GpuInstructions {
  /// Bytes that a thread moves → instructions: global memory, and asynchronous copies from it.
  std::map<int, int> loads;
  std::map<int, int> stores;
  std::map<int, int> copies;
  int shared_loads = 0;
  int shared_stores = 0;
  int shuffles = 0;
  int warp_folds = 0;
  int barriers = 0;
  int matrix = 0;  ///< on tensor cores
};

/// The instructions that a source line became.
struct ExplainedLine {
  std::string file;
  int line = 0;
  GpuInstructions instructions;
};

/// What a multiprocessor of a chip holds at once, by NVIDIA's published limits.
struct MultiprocessorLimits {
  int blocks = 0;
  int warps = 0;
  int registers = 0;  ///< of 32 bits
  std::size_t shared_bytes = 0;
  /// Of these, what the system takes for each thread block.
  std::size_t reserved_shared_bytes = 0;
};

struct KernelExplanation {
  GpuCode code;  ///< with its PTX, warnings and notes
  MultiprocessorLimits multiprocessor;
  std::string num_warps_reason;
  std::vector<ExplainedArgument> arguments;
  std::vector<ExplainedValue> values;
  std::vector<ExplainedAccess> accesses;
  std::vector<ExplainedStep> steps;
  std::vector<ExplainedLine> lines;
};

/// Compiles as `compile_for_target` does and tells what it did. Fails as that does.
TILERY_API Result<KernelExplanation> explain(const Kernel& kernel, const Arguments& arguments,
                                             std::string_view target,
                                             const LaunchOptions& options = {});

/// Operations of the dots of a launch, 2·M·N·K for each time that one runs, as the tiles are,
/// padding included; 0 if the kernel has none. Nothing if it depends on what memory holds, or would
/// take long to find out. Fails as `launch` does; needs no GPU.
TILERY_API Result<std::optional<std::int64_t>> count_dot_operations(
    const Kernel& kernel, std::span<const std::int64_t> grid, const Arguments& arguments,
    const LaunchOptions& options = {});

/// The text of source line `line` of a file of the kernel's library; empty if there is none.
TILERY_API std::string source_line(const Kernel& kernel, std::string_view file, int line);

}  // namespace tilery::inline v0
