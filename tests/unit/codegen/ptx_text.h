// PTX as text, and what in it costs; shared by the tests that count instructions.
#pragma once

#include "codegen/gpu_function.h"

#include <iosfwd>
#include <string>
#include <string_view>

namespace tilery::codegen {

/// The PTX of a function; a test that cannot have it fails, and gets an empty text.
[[nodiscard]] std::string ptx_of(const GpuFunction& gpu);

/// How often `what` stands in the text; places may overlap.
[[nodiscard]] int occurrences(std::string_view text, std::string_view what);

/// Instructions between threads, each counted once.
struct ExchangeCounts {
  int shuffles = 0;
  int barriers = 0;
  int stores = 0;  ///< to shared memory
  int loads = 0;
  int warp_folds = 0;

  friend bool operator==(const ExchangeCounts&, const ExchangeCounts&) = default;
};

std::ostream& operator<<(std::ostream& out, const ExchangeCounts& counts);

[[nodiscard]] ExchangeCounts exchange_counts(std::string_view ptx);

}  // namespace tilery::codegen
