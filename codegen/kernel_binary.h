// Everything that a launcher needs to know of compiled code, and all that the disk cache keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilery::codegen {

/// One parameter of the kernel's entry, in order; natural alignment.
struct KernelParameter {
  std::uint8_t bytes = 8;
  bool is_pointer = false;
  friend bool operator==(const KernelParameter&, const KernelParameter&) = default;
};

/// Code and launch facts of one specialised kernel. Plain data.
struct KernelBinary {
  enum class Form : std::uint8_t { Ptx, Cubin };

  std::string entry;  ///< the name of the kernel in the code
  Form form = Form::Ptx;
  std::string code;    ///< PTX text, or the bytes of a cubin
  std::string target;  ///< "sm_90a"
  /// The function's run-time parameters, then the hidden ones (`hidden_parameter_count`).
  std::vector<KernelParameter> parameters;
  int num_warps = 4;
  int num_ctas = 1;
  /// Dynamic shared memory of one thread block.
  std::uint32_t shared_bytes = 0;
  /// Programs of the grid's first axis that one thread block runs.
  int programs_per_block = 1;
  /// What its author may want to know, a sentence each: why so many warps, what was decided
  /// otherwise than asked, which accesses are narrow and why.
  std::vector<std::string> notes;

  friend bool operator==(const KernelBinary&, const KernelBinary&) = default;
};

/// Parameters of the entry beyond the function's. Code that runs several programs in a block has
/// one: the number of programs of the grid's first axis, 32 bits, since its blocks do not tell it.
[[nodiscard]] inline std::size_t hidden_parameter_count(const KernelBinary& binary) {
  return binary.programs_per_block > 1 ? 1 : 0;
}

}  // namespace tilery::codegen
