// What the plans of reductions and scans keep book of: which base index each bit of registers,
// lanes and warps stands for while values are folded and moved. Private to codegen/layout.
#pragma once

#include "codegen/layout/f2.h"
#include "codegen/layout/reduction.h"

#include <cstdint>
#include <vector>

namespace tilery::codegen {

/// Base indices, one a bit of some place.
using Vectors = std::vector<std::uint32_t>;

/// The vectors, as a mask, that have `bit`.
[[nodiscard]] std::uint32_t holders(const Vectors& vectors, std::uint32_t bit);
void insert_all(F2Span& span, const Vectors& vectors);

/// What each bit of a place stands for, for the values as they are between two steps. Bits of the
/// axis that are folded stand for nothing.
struct Holding {
  Vectors registers;  ///< independent
  Vectors lanes;
  Vectors warps;

  [[nodiscard]] int values() const { return 1 << registers.size(); }

  void forget(std::uint32_t bits);
};

/// The bits of each place whose sum is one index.
struct Places {
  std::uint32_t registers = 0;
  std::uint32_t lanes = 0;
  std::uint32_t warps = 0;
};

/// The sum that reaches `target`: of registers if they suffice, then with lanes, then with warps.
[[nodiscard]] Places places_of(const Holding& held, std::uint32_t target);

/// The bits of lanes and warps that add nothing to what registers and earlier bits reach.
[[nodiscard]] ThreadParity copies_of(const Holding& held);

/// One exchange through shared memory, to be laid out. Values are numbered group · values() +
/// index.
struct ExchangeRequest {
  const Holding& before;
  const Holding& after;
  const Vectors& folded;      ///< single bits of the axis, from the highest down
  const Vectors& handed_out;  ///< register bits that warps take over
  bool idles = false;         ///< warps that get copies may idle
  int groups = 1;
  const FoldTraits& traits;
};

[[nodiscard]] SharedExchange make_exchange(const ExchangeRequest& request);

}  // namespace tilery::codegen
