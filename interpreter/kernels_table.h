// The tables behind kernels.h, and who fills them. Private to kernels*.cpp.
//
// kernels_map.cpp and its sisters are built once for each processor level. Each defines the fill_*
// function of its family in the namespace of that level; kernels.cpp, built for the lowest level,
// calls them.
#pragma once

#include "interpreter/kernels.h"

namespace tilery::interpreter {

inline constexpr int kReduceOps = static_cast<int>(ReduceOp::Xor) + 1;
inline constexpr int kScanOps = static_cast<int>(ScanOp::Xor) + 1;

struct KernelTables {
  MapFn map[kOpCount][kScalarCount] = {};
  MapFn minimum_nan[kScalarCount] = {};
  MapFn maximum_nan[kScalarCount] = {};
  MapFn cast[kScalarCount][kScalarCount] = {};
  MapFn cast_to_zero[kScalarCount][kScalarCount] = {};
  ReduceFn reduce[kReduceOps][kScalarCount] = {};
  ArgReduceFn arg_reduce[2][kScalarCount] = {};
  ScanFn scan[kScanOps][kScalarCount] = {};
  DotFn dot[2][kScalarCount][kScalarCount] = {};
  NonfiniteFn nonfinite[kScalarCount] = {};
  EventFn map_events[kOpCount][kScalarCount] = {};
  EventFn cast_events[kScalarCount][kScalarCount] = {};
  ReduceEventFn reduce_events[kScalarCount] = {};
  MemoryKernels memory[4] = {};
};

constexpr int index_of(Op op) {
  return static_cast<int>(op);
}

constexpr int index_of(Scalar s) {
  return static_cast<int>(s);
}

/// One processor level's part of the work. `kernels` gets the functions that stand in it directly.
struct KernelFamilies {
  void (*map)(KernelTables& tables);
  void (*math)(KernelTables& tables);
  void (*half)(KernelTables& tables);
  void (*cast)(KernelTables& tables);
  void (*reduce)(KernelTables& tables);
  void (*scan)(KernelTables& tables);
  void (*dot)(KernelTables& tables);
  void (*events)(KernelTables& tables);
  void (*memory)(KernelTables& tables, Kernels& kernels);
};

#define TILERY_KERNEL_FAMILIES(level)                                                \
  namespace level {                                                                  \
  void fill_map(KernelTables& tables);                                               \
  void fill_math(KernelTables& tables);                                              \
  void fill_half(KernelTables& tables);                                              \
  void fill_cast(KernelTables& tables);                                              \
  void fill_reduce(KernelTables& tables);                                            \
  void fill_scan(KernelTables& tables);                                              \
  void fill_dot(KernelTables& tables);                                               \
  void fill_events(KernelTables& tables);                                            \
  void fill_memory(KernelTables& tables, Kernels& kernels);                          \
  inline constexpr KernelFamilies kFamilies = {fill_map,  fill_math,   fill_half,    \
                                               fill_cast, fill_reduce, fill_scan,    \
                                               fill_dot,  fill_events, fill_memory}; \
  }

TILERY_KERNEL_FAMILIES(v2)
TILERY_KERNEL_FAMILIES(v3)
TILERY_KERNEL_FAMILIES(v4)
#undef TILERY_KERNEL_FAMILIES

}  // namespace tilery::interpreter
