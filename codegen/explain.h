// What a lowered kernel does, for people: the facts behind `tilery explain`. No LLVM.
#pragma once

#include "codegen/access_plan.h"
#include "codegen/gpu_function.h"
#include "ir/support/source.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tilery::codegen {

/// One load, store, or copy to shared memory (a load that a pipelined loop does ahead).
struct AccessFacts {
  enum class Kind : std::uint8_t { Load, Store, Copy };

  Kind kind = Kind::Load;
  SourceRange range;
  std::set<std::size_t> parameters;  ///< whose memory it may touch
  Type type;                         ///< of what is moved
  bool is_masked = false;
  int bytes_at_once = 0;     ///< what one instruction moves in one thread
  int instructions = 0;      ///< of one thread, each time that it runs
  int sectors = 0;           ///< of 32 bytes that one instruction of a warp touches
  int sectors_at_least = 0;  ///< that hold so many bytes
  AccessReason reason;       ///< why not 16 bytes
  std::string layout;
};

/// Anything else that moves data between threads or has a way of its own.
struct StepFacts {
  enum class Kind : std::uint8_t { Reduction, Scan, Conversion, Dot, Loop };

  Kind kind = Kind::Reduction;
  SourceRange range;
  std::string how;  ///< "in registers, 5 shuffles, once through shared memory"
  std::string why;  ///< of a loop that is not pipelined, or of a dot without tensor cores
  std::string help;
  std::uint32_t shared_bytes = 0;
};

struct KernelFacts {
  std::vector<AccessFacts> accesses;
  std::vector<StepFacts> steps;
  std::set<std::size_t> read;     ///< parameters that are loaded from
  std::set<std::size_t> written;  ///< and stored to
};

/// In the order of the source.
[[nodiscard]] KernelFacts kernel_facts(const GpuFunction& gpu);

}  // namespace tilery::codegen
