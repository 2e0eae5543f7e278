// Reductions that fold nothing, but pick one position of their axis.
//
//     %k = arange start=0 end=2 : i32[2]
//     %f = eq %k, %one : i1[2]
//     %c = broadcast (reshape %f) : i1[8, 2]
//     %s = select %c, %x, %zeros : i32[8, 2]
//     %r = reduce %s axis=1 {or}                   r[i] = x[i, 1]
//
// `tl.split` is written so. The other lanes never get into the result, nor does what is told of
// them.
#pragma once

#include "ir/function.h"

#include <cstdint>
#include <optional>

namespace tilery {

/// The position along the axis that this `reduce` picks; nothing if it folds several.
[[nodiscard]] std::optional<std::int64_t> picked_position(const Function& function,
                                                          const Inst& reduce);

}  // namespace tilery
