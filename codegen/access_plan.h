// How wide the accesses of a load or store are, and what keeps them from being wider.
//
// The emitter asks here how many elements to move at once; `explain` and the notes of a compilation
// ask here why. One decision, so what is told is what is emitted. No LLVM.
//
// Four things bound the width: 16 bytes, which is all that an instruction moves; consecutive
// addresses; their alignment, and a mask that is the same for the whole piece; and the elements
// that a thread's layout holds side by side. The smallest wins, and is what `why` is about. An
// address or mask is followed back to the argument that the analysis knows too little of:
//
//     x_ptr + row * stride + cols      stride is no multiple of 16, so a row may begin anywhere
//     cols < N                         N is no multiple of 16, so a piece may be half in
#pragma once

#include "codegen/analysis/axis_info.h"
#include "codegen/layout/layout.h"
#include "ir/function.h"

#include <cstdint>
#include <string>

namespace tilery::codegen {

/// What one instruction can move, in bytes.
inline constexpr int kMaxAccessBytes = 16;

/// Which of the bounds is the smallest.
enum class AccessLimit : std::uint8_t {
  None,        ///< 16 bytes: as wide as can be
  Elements,    ///< a thread has no more elements of the tile
  Layout,      ///< a thread's elements do not lie side by side
  Contiguity,  ///< neighbours of the tile are no neighbours in memory
  Alignment,   ///< a piece may begin at any element
  Mask,        ///< the mask may change within a piece
};

/// The tile that a load gives or a store writes.
[[nodiscard]] ValueId accessed_value(const Inst& access);

/// The axis of the tile along which an access moves several elements, and how many.
struct AccessPlan {
  int axis = 0;
  int elements = 1;  ///< a power of two
  AccessLimit limit = AccessLimit::None;
};

/// `access` is a load or store of a tile or scalar whose value is held in `layout`.
[[nodiscard]] AccessPlan plan_access(const AxisTable& axes, const Function& function, InstId access,
                                     const Layout& layout, ElementType element);

/// Why an access is no wider than it is, and what to change; both empty if nothing keeps it.
struct AccessReason {
  std::string why;  ///< "`stride_row` is not known to be a multiple of 16"
  std::string help;
};

[[nodiscard]] AccessReason explain_access(const AxisTable& axes, const Function& function,
                                          InstId access, const Layout& layout,
                                          const AccessPlan& plan);

}  // namespace tilery::codegen
