// Values that other threads are to hold. Private to codegen; includes LLVM.
#pragma once

#include "codegen/emit.h"

namespace tilery::codegen {

/// The registers of a tile in layout `to`, given those in `from`: the same elements in row-major
/// order, held by other threads, as layout/conversion.h plans it. Shared memory, where it takes
/// some, is `scratch_owner`'s block, of conversion_scratch_bytes; the barrier between stores and
/// loads is in the code, those to other users of the memory are not.
[[nodiscard]] Registers convert_registers(EmitContext& context, const Registers& registers,
                                          ElementType element, const Layout& from, const Layout& to,
                                          InstId scratch_owner);

}  // namespace tilery::codegen
