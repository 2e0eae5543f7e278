// NVIDIA's assembler and disassembler, where the machine has a CUDA toolkit. Tilery needs neither
// to run kernels: the driver assembles PTX.
#pragma once

#include "tilery/gpu_code.h"
#include "tilery/result.h"

#include <string>

namespace tilery::tools {

/// The code as an ELF file, with line information, by ptxas. Fails with ErrorKind::Machine if ptxas
/// is not there or refuses the code.
[[nodiscard]] Result<std::string> assemble_with_ptxas(const GpuCode& code);

/// The machine code as text, by nvdisasm, with source lines, or by cuobjdump, without. Fails with
/// ErrorKind::Machine if neither ptxas and one of these is there.
[[nodiscard]] Result<std::string> disassemble(const GpuCode& code);

}  // namespace tilery::tools
