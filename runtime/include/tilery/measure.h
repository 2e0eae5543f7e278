// How long launches take on a GPU, measured there.
#pragma once

#include "tilery/device.h"
#include "tilery/prepared_launch.h"
#include "tilery/result.h"

#include <chrono>
#include <cstddef>
#include <vector>

namespace tilery::inline v0 {

struct MeasureOptions {
  std::chrono::milliseconds warmup{25};  ///< launches for about so long come first
  std::chrono::milliseconds time{100};   ///< then so long, at least `least_runs` and at most 10,000
  int least_runs = 10;
  /// Before each launch memory that fills the GPU's L2 cache several times over is written, so that
  /// the kernel finds none of its arrays there.
  bool cold_cache = true;
};

/// The times of single runs, from the shortest to the longest.
struct Timings {
  std::vector<double> microseconds;

  /// The time that a share `q` (0 to 1) of the runs does not exceed; 0 if there are none.
  [[nodiscard]] TILERY_API double quantile(double q) const;

  [[nodiscard]] double median() const { return quantile(0.5); }
};

/// Launches again and again on Tilery's stream, each launch between two CUDA events. The arrays are
/// those of the launch, so a kernel that reads what it writes sees its own results.
TILERY_API Result<Timings> measure(const PreparedLaunch& launch,
                                   const MeasureOptions& options = {});

/// What the GPU's own copies reach.
struct CopyBandwidth {
  std::size_t array_bytes = 0;  ///< copied, so twice as many are moved
  int runs = 0;
  double bytes_per_second = 0;  ///< read and written, in the median run
};

/// Copies one large array to another on the GPU: up to 1 GiB, or an eighth of the free memory.
TILERY_API Result<CopyBandwidth> measure_copy(const Device& device);

}  // namespace tilery::inline v0
