// Decides how each value of a function is held: splat, affine, range or dense (tile.h).
//
// Everything that `arange` gives and that + - * with splats, broadcasts and addptr make of it stays
// affine; comparing such a tile, if it varies along one axis only, with a splat gives a range, and
// so does the `and` of ranges. What a loop carries is affine if its initial value and every yielded
// one are.
#pragma once

#include "interpreter/tile.h"
#include "ir/function.h"

#include <vector>

namespace tilery::interpreter {

struct ValueKind {
  SlotKind kind = SlotKind::Splat;
  /// For affine values: bit i is set if the value may vary along axis i.
  std::uint32_t axes = 0;
  friend bool operator==(const ValueKind&, const ValueKind&) = default;
};

/// By value index. With `compact` false only splat and dense occur.
[[nodiscard]] std::vector<ValueKind> find_slot_kinds(const Function& function, bool compact);

}  // namespace tilery::interpreter
