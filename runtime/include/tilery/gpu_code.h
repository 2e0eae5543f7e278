// What becomes of a kernel on a GPU, stage by stage. Needs no GPU.
#pragma once

#include "tilery/argument.h"
#include "tilery/device.h"
#include "tilery/dtype.h"
#include "tilery/kernel.h"
#include "tilery/launch.h"
#include "tilery/message.h"
#include "tilery/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::inline v0 {

/// A run-time parameter of a kernel's entry, in order. The entry takes them one after the other,
/// each at its natural alignment. The code holds only for values with the facts that are set.
struct GpuParameter {
  std::string name;
  /// As kernels write it: "*fp32", "int32".
  std::string type;
  DType dtype = DType::I64;  ///< of a scalar
  std::size_t bytes = 0;
  bool is_pointer = false;
  /// A pointer aligned to 16 bytes, an integer that is a multiple of 16 and not 0.
  bool is_divisible_by_16 = false;
  bool is_one = false;
};

/// A compile-time parameter, which the entry does not take.
struct GpuConstant {
  std::string name;
  std::string text;                     ///< as Python writes the value
  std::optional<std::int64_t> integer;  ///< of an integer or a bool
};

/// The code of one kernel for one chip, and what a launch of it needs.
struct GpuCode {
  std::string kernel;  ///< its name in the source text
  std::string target;  ///< "sm_90a"
  std::string entry;   ///< the name of the kernel in the PTX
  std::vector<GpuParameter> parameters;
  std::vector<GpuConstant> constants;
  int num_warps = 0;             ///< of a thread block: it has 32 · num_warps threads
  int num_ctas = 1;              ///< thread blocks of one program
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of a thread block
  /// Programs of the grid's first axis that one thread block runs. If there are several, the entry
  /// takes the extent of that axis, 32 bits wide, behind its parameters.
  int programs_per_block = 1;
  std::string ptx;
  std::string
      layout;  ///< if asked for: the block IR on its way to LLVM, with the layout of every tile
  std::string llvm;               ///< if asked for: LLVM IR, optimised
  std::vector<Message> messages;  ///< warnings
  /// Launch options that change nothing; why so many warps, what was decided otherwise than asked,
  /// which accesses are narrow and why.
  std::vector<std::string> notes;
  std::size_t option_notes = 0;  ///< of the notes, how many of the first are about launch options
};

/// The texts of GpuCode beside the PTX; writing them takes longer than compiling.
struct GpuCodeTexts {
  bool layout = false;
  bool llvm = false;
  bool lines = false;  ///< in `layout`, the source line beside each instruction
};

/// Compiles the kernel for these arguments and a chip: "sm_80" … "sm_120"; "sm_90a" for Hopper.
/// Fails with ErrorKind::Usage for any other, and as `launch` does.
TILERY_API Result<GpuCode> compile_for_target(const Kernel& kernel, const Arguments& arguments,
                                              std::string_view target,
                                              const LaunchOptions& options = {},
                                              const GpuCodeTexts& texts = {});

/// Machine code for the PTX, an ELF file ("cubin"), made by the GPU's driver. Fails with
/// ErrorKind::Usage unless `device` is a GPU of the code's target, with ErrorKind::Machine if the
/// driver cannot compile it.
TILERY_API Result<std::string> assemble_with_driver(const GpuCode& code, const Device& device);

/// The chips that `compile_for_target` knows.
TILERY_API std::vector<std::string> gpu_targets();

}  // namespace tilery::inline v0
