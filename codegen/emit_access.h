// What emitters of memory accesses share. Private to codegen; includes LLVM.
#pragma once

#include "codegen/emit.h"

namespace tilery::codegen {

/// Consecutive registers that a load or store moves at once, as addresses, mask and layout allow:
/// at most 16 bytes.
[[nodiscard]] int access_width(EmitContext& context, InstId access, const Layout& layout,
                               ElementType element);

/// True for a load that only fills a ring and that the hardware can copy there by itself
/// (cp.async): ring_insert then emits it.
[[nodiscard]] bool is_async_load(EmitContext& context, InstId load);

}  // namespace tilery::codegen
