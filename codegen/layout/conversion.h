// How a tile gets from one layout to another: the cheapest way that suffices.
//
//   registers   every thread has its elements, perhaps in other registers
//   shuffles    every warp has its elements
//   shared      through shared memory, with a barrier between stores and loads
//
// Plans are plain data; emit_convert.cpp makes code of them, tests run them on arrays.
#pragma once

#include "codegen/layout/layout.h"
#include "codegen/layout/shared_plan.h"
#include "codegen/layout/shuffle_plan.h"
#include "ir/type.h"

#include <cstdint>
#include <variant>
#include <vector>

namespace tilery::codegen {

/// For each register of the new layout the one of the old layout to take.
struct RenamePlan {
  std::vector<int> registers;
};

/// Between shapes of the same number of elements, row-major, whose extents are not all powers of
/// two: element number e lies at byte e · element size. Vectors run along the last axis that is
/// longer than 1.
struct RowMajorPlan {
  int store_vector = 1;
  int load_vector = 1;
  std::uint32_t bytes = 0;
};

using ConversionPlan = std::variant<RenamePlan, ShufflePlan, SharedPlan, RowMajorPlan>;

/// Both layouts have the same number of elements, in row-major order, and of warps. `element_bytes`
/// is 1, 2, 4 or 8.
[[nodiscard]] ConversionPlan plan_conversion(const Layout& from, const Layout& to,
                                             int element_bytes);

/// Shared memory that the conversion (or reshape) needs; 0 for the first two ways.
[[nodiscard]] std::uint32_t conversion_scratch_bytes(const Layout& from, const Layout& to,
                                                     ElementType element);

}  // namespace tilery::codegen
