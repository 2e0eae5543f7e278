// The parts of `tilery bench`: what is varied, what is counted, what came out.
#pragma once

#include "tilery/explain.h"
#include "tilery/measure.h"
#include "tools/call.h"
#include "tools/requests.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilery::tools {

/// NAME=a,b,c: an argument or launch option that takes one value after the other.
struct Sweep {
  std::string name;
  std::vector<std::string> values;
};

/// The values of a request, with the lists taken out; each list's first value is left in its place.
struct SweptValues {
  std::vector<std::string> values;
  std::vector<Sweep> sweeps;
};

/// Fails if there are more than 256 combinations.
[[nodiscard]] Result<SweptValues> take_sweeps(const BenchRequest& request);

/// One choice of each sweep's values, in the order of the sweeps.
using Choice = std::vector<std::pair<std::string, std::string>>;

/// All combinations, the last sweep changing fastest; one empty choice if nothing is varied.
[[nodiscard]] std::vector<Choice> choices_of(const std::vector<Sweep>& sweeps);

/// The arguments with the chosen values in their places. Fails if one is no plain value.
[[nodiscard]] Result<CallArguments> with_choice(const CallArguments& arguments,
                                                const Choice& choice);

/// Bytes that a launch moves if each array is read or written once.
struct CountedBytes {
  std::int64_t bytes = 0;
  std::string how;  ///< "x read, out written: each once and whole"
};

/// By what the kernel loads from and stores to. An array under several names counts once.
[[nodiscard]] CountedBytes count_bytes(const KernelExplanation& explanation,
                                       const CallArguments& arguments);

/// What one choice gave.
struct BenchRow {
  Choice choice;
  std::vector<std::int64_t> grid;
  double median = 0;  ///< microseconds, as p20 and p80
  double p20 = 0;
  double p80 = 0;
  std::size_t runs = 0;
  std::optional<double> bytes_per_second;
  std::optional<double> flops_per_second;
  std::optional<double> copy_share;
  std::optional<int> registers;
  std::string error;  ///< instead of all that: this choice does not launch

  /// An extent of the grid is 0: what was timed is a launch of nothing.
  [[nodiscard]] bool is_empty() const { return std::ranges::find(grid, 0) != grid.end(); }
};

struct BenchReport {
  std::string kernel;
  std::string device;
  std::string how;  ///< how a run is timed
  std::optional<std::int64_t> bytes;
  std::string bytes_how;
  std::optional<std::int64_t> flops;
  std::string flops_how;   ///< "--flops 2*M*N*K"
  std::string flops_hint;  ///< what to do for TFLOP/s; empty if they are shown
  std::optional<CopyBandwidth> copy;
  std::string checked;  ///< what --check found to agree; empty if it was not asked for
  std::vector<BenchRow> rows;
};

/// The table.
[[nodiscard]] std::string bench_text(const BenchReport& report);

}  // namespace tilery::tools
