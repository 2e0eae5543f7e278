// What PTX does with memory and between threads, counted from its text: by width, and by the source
// line that `.loc` names. Each instruction counts once, however often a loop runs it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tilery::codegen {

struct PtxCounts {
  /// Bytes that a thread moves → instructions. Loads and stores of global memory, and cp.async.
  std::map<int, int> loads;
  std::map<int, int> stores;
  std::map<int, int> copies;
  int shared_loads = 0;
  int shared_stores = 0;
  int shuffles = 0;
  int warp_folds = 0;  ///< redux.sync
  int barriers = 0;    ///< of all threads of the block
  int matrix = 0;      ///< mma and wgmma

  PtxCounts& operator+=(const PtxCounts& other);
  friend bool operator==(const PtxCounts&, const PtxCounts&) = default;
};

/// A file's name and a line in it.
using PtxPlace = std::pair<std::string, int>;

/// The counts of each line that has any. What precedes every `.loc` counts under line 0.
[[nodiscard]] std::map<PtxPlace, PtxCounts> count_ptx_by_line(std::string_view ptx);

/// All together.
[[nodiscard]] PtxCounts count_ptx(std::string_view ptx);

}  // namespace tilery::codegen
