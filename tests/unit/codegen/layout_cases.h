// What the tests of layouts share: many layouts, and what they mean, worked out by brute force.
#pragma once

#include "codegen/layout/layout.h"

#include <map>
#include <string>
#include <vector>

namespace tilery::codegen {

/// Calls `body(lane, warp)` for all threads of a layout without block bits.
template <class Body>
void for_threads(const Layout& layout, const Body& body) {
  for (int warp = 0; warp < layout.warps(); ++warp) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      body(lane, warp);
    }
  }
}

/// All orders of the axes for ranks up to 3; of rank 4 a few.
inline std::vector<std::vector<int>> orders_of(int rank) {
  switch (rank) {
    case 0:
      return {{}};
    case 1:
      return {{0}};
    case 2:
      return {{1, 0}, {0, 1}};
    case 3:
      return {{2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 0, 2}, {0, 1, 2}, {0, 2, 1}};
    default:
      return {{3, 2, 1, 0}, {0, 1, 2, 3}, {2, 0, 3, 1}};
  }
}

inline const std::vector<Shape>& small_shapes() {
  static const std::vector<Shape> shapes = {
      {},        {1},        {2},        {3},           {7},           {64},        {96},
      {1024},    {1000},     {1, 1},     {1, 64},       {64, 1},       {8, 64},     {3, 7},
      {6, 20},   {16, 96},   {96, 16},   {128, 16},     {4, 8, 16},    {3, 8, 6},   {1, 32, 2},
      {2, 3, 4}, {64, 2, 1}, {5, 1, 32}, {2, 4, 8, 16}, {3, 1, 2, 12}, {2, 2, 2, 2}};
  return shapes;
}

/// Blocked layouts of one shape: every order, several widths, every number of warps.
inline std::vector<Layout> blocked_layouts(const Shape& shape) {
  std::vector<Layout> result;
  for (const std::vector<int>& order : orders_of(shape.rank())) {
    for (const int per_thread : {1, 4}) {
      for (const int warps : {1, 4, 32}) {
        result.push_back(blocked_layout(shape, order, per_thread, warps));
      }
    }
  }
  return result;
}

/// Layouts of the three kinds of mma fragments.
inline std::vector<Layout> mma_layouts() {
  std::vector<Layout> result;
  for (const auto& [warps_m, warps_n] : {std::pair{1, 1}, {2, 1}, {1, 4}, {2, 2}, {8, 4}}) {
    for (const Shape& shape : {Shape{16, 8}, {32, 24}, {48, 32}, {2, 64, 96}, {3, 16, 16}}) {
      result.push_back(mma_accumulator_layout(shape, warps_m, warps_n));
    }
    for (const int bits : {8, 16, 32}) {
      for (const Shape& shape : {Shape{16, 32}, {64, 96}, {48, 64}, {2, 32, 32}}) {
        result.push_back(mma_a_layout(shape, bits, warps_m, warps_n));
      }
      for (const Shape& shape : {Shape{32, 8}, {64, 96}, {96, 48}, {2, 32, 32}}) {
        result.push_back(mma_b_layout(shape, bits, warps_m, warps_n));
      }
    }
  }
  return result;
}

/// All of the above, and some with XORs in them.
inline std::vector<Layout> all_layouts() {
  std::vector<Layout> result = mma_layouts();
  for (const Shape& shape : small_shapes()) {
    for (Layout& layout : blocked_layouts(shape)) {
      result.push_back(std::move(layout));
    }
  }
  // Lanes that hold the same elements in other registers; warps swizzled against lanes.
  result.push_back(Layout({8, 32}, {{{1, 2}, {1, 4, 8, 16, 3}, {32, 68, 128 + 3}, {}}}));
  result.push_back(Layout({4, 24}, {{{2 + 8, 1}, {4 + 1, 8, 16, 0, 4}, {0, 16}, {}}}));
  return result;
}

inline std::string describe(const Layout& layout) {
  return layout.shape().str() + " " + layout.str();
}

}  // namespace tilery::codegen
