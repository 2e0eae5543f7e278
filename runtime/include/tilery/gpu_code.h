// What becomes of a kernel on a GPU, stage by stage. Needs no GPU.
#pragma once

#include "tilery/argument.h"
#include "tilery/kernel.h"
#include "tilery/launch.h"
#include "tilery/message.h"
#include "tilery/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::inline v0 {

/// A run-time parameter of a kernel's entry, in order. The entry takes them one after the other,
/// each at its natural alignment.
struct GpuParameter {
  std::string name;
  std::size_t bytes = 0;
  bool is_pointer = false;
};

/// The code of one kernel for one chip, and what a launch of it needs.
struct GpuCode {
  std::string target;  ///< "sm_90a"
  std::string entry;   ///< the name of the kernel in the PTX
  std::vector<GpuParameter> parameters;
  int num_warps = 0;             ///< of a thread block: it has 32 · num_warps threads
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of a thread block
  std::string ptx;
  std::string
      layout;  ///< if asked for: the block IR on its way to LLVM, with the layout of every tile
  std::string llvm;               ///< if asked for: LLVM IR, optimised
  std::vector<Message> messages;  ///< warnings
  /// Why so many warps, what was decided otherwise than asked, which accesses are narrow and why.
  std::vector<std::string> notes;
};

/// The texts of GpuCode beside the PTX; writing them takes longer than compiling.
struct GpuCodeTexts {
  bool layout = false;
  bool llvm = false;
};

/// Compiles the kernel for these arguments and a chip: "sm_80" … "sm_120"; "sm_90a" for Hopper.
/// Fails with ErrorKind::Usage for any other, and as `launch` does.
TILERY_API Result<GpuCode> compile_for_target(const Kernel& kernel, const Arguments& arguments,
                                              std::string_view target,
                                              const LaunchOptions& options = {},
                                              const GpuCodeTexts& texts = {});

/// The chips that `compile_for_target` knows.
TILERY_API std::vector<std::string> gpu_targets();

}  // namespace tilery::inline v0
