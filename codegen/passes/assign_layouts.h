// Gives every value a layout and inserts `convert_layout` where one layout meets another.
//
//     %x = load %ptrs : f32[1024]                 %x = load %ptrs : f32[1024]              #0
//     %m = reduce %x axis=0 : f32          →      %m = reduce %x axis=0 : f32
//     store %out, %y                              store %out, %y                           #0
//
//     %a = load %a_ptrs : bf16[128, 64]           %a = load %a_ptrs : bf16[128, 64]        #1
//     %c = dot %a, %b, %acc                →      %0 = convert_layout %a : bf16[128, 64]   #2
//                                                 %c = dot %0, %1, %acc                    #3
//
// Layouts are wished for by loads, stores and dots (anchor_layouts.h), spread over the function
// (layout_graph.h, layout_choice.h), and where a value is needed in another one than its own it is
// converted, once for all users, before the first; or, if it is cheap to make (index arithmetic,
// masks, constants), made again.
//
// After the pass these hold (tests/support/layout_violations.h checks them):
//
//   - every value has a layout but rings, which are in shared memory; scalars are in every thread
//     (`scalar_layout`);
//   - element-wise ops, select, addptr, hints, load, store, scan, device_assert: all tiles of one
//     instruction have the same layout; reductions: all operands the same, results its slice;
//   - expand_dims, broadcast, trans: the operand's layout is the one that moves no element; reshape
//     too where there is one (between extents that are no powers of two there may be none);
//   - initial values, arguments, yielded values and results of a carried value share a layout;
//   - dot: accumulator and result share a layout, on tensor cores (dot_plan.h) the instruction's,
//   and
//     a and b have its operand layouts; elsewhere a and b have any.
#pragma once

#include "codegen/gpu_function.h"

namespace tilery::codegen {

/// Needs `num_warps` and `target`; sets `layouts`. True always (a function has at least scalars).
bool assign_layouts(GpuFunction& gpu);

}  // namespace tilery::codegen
