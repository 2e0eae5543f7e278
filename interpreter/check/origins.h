// Where the lanes of a program's values came from, as far as it is worth telling.
//
// Tracked keeps two codes a lane. `undefined`: the load that left the lane without a value.
// `events`: the numeric events (an overflow, an invalid operation) that went into the lane. A lane
// can carry several events, so an event code names a node of a graph:
//
//     e = exp(x)        lane 0: node 1 = {overflow in exp}
//     y = e / s         lane 0: node 2 = {invalid in divide, left: node 1}
//
// When a lane reaches a store, a reduction or a dot, the events under its node are counted, each
// once. What never gets there (padding that a mask drops) is never reported.
#pragma once

#include "ir/function.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tilery::interpreter {

/// Code 0: nothing to tell.
using OriginCode = std::uint32_t;

/// A load that left lanes undefined.
struct UndefinedOrigin {
  InstId load;
  bool never_written = false;  ///< the memory was; else the mask was off and there was no `other`
  int buffer = -1;
  InstId user;  ///< where such lanes came to matter first; later places are not counted again
};

/// A numeric event of one lane, or (event == 0) the meeting of two lanes that carry some.
struct EventOrigin {
  InstId inst;
  std::uint8_t event = 0;  ///< a NumericEvent
  bool is_counted = false;
  std::int64_t lane = 0;
  std::array<std::uint64_t, 3> operands{};  ///< bits of the operands at that lane
  std::uint64_t result = 0;
  OriginCode left = 0;
  OriginCode right = 0;
};

/// The origins of one program.
class Origins {
 public:
  void clear();

  OriginCode add(const UndefinedOrigin& origin);
  OriginCode add(const EventOrigin& origin);
  /// A code that stands for both.
  OriginCode join(OriginCode a, OriginCode b);

  [[nodiscard]] UndefinedOrigin& undefined(OriginCode code) { return undefined_[code - 1]; }

  /// Calls `visit(const EventOrigin&)` for each event under `code` that was not counted yet, oldest
  /// first.
  template <class Visit>
  void count_events(OriginCode code, Visit&& visit) {
    std::vector<OriginCode> todo{code};
    std::vector<OriginCode> found;
    while (!todo.empty()) {
      const OriginCode next = todo.back();
      todo.pop_back();
      if (next == 0 || events_[next - 1].is_counted) {
        continue;
      }
      EventOrigin& node = events_[next - 1];
      node.is_counted = true;
      todo.push_back(node.right);
      todo.push_back(node.left);
      if (node.event != 0) {
        found.push_back(next);
      }
    }
    std::sort(found.begin(), found.end());
    for (const OriginCode event : found) {
      visit(events_[event - 1]);
    }
  }

 private:
  std::vector<UndefinedOrigin> undefined_;
  std::vector<EventOrigin> events_;
};

}  // namespace tilery::interpreter
