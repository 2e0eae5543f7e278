// What the checkers found while a kernel ran.
#pragma once

#include "ir/function.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilery {

/// Kinds of findings; their names (finding_name) are the same everywhere: messages, JSON,
/// conformance cases.
enum class FindingKind : std::uint8_t {
  OutOfBounds,      ///< "out-of-bounds"
  Race,             ///< "race"
  Uninitialised,    ///< "uninitialised"
  Overflow,         ///< "overflow": an integer wraps
  NumericWarning,   ///< "numeric-warning"
  MaskedLanes,      ///< "masked-lanes"
  BrokenPromise,    ///< "broken-promise": a hint or tl.assume that does not hold
  AssertionFailed,  ///< "assertion-failed": tl.device_assert, assert
  BadLoop,          ///< "bad-loop": a range step of zero
  Timeout,          ///< "timeout"
};
[[nodiscard]] std::string_view finding_name(FindingKind kind);
/// Numeric warnings, masked lanes and races that were only suspected do not stop a run and exit
/// with 0.
[[nodiscard]] bool is_warning(FindingKind kind);

/// The facts of an access, for machine-readable reports.
struct AccessFacts {
  bool is_store = false;
  std::string argument;  ///< kernel argument that the pointer came from
  std::int64_t index =
      0;  ///< element index relative to the buffer's start (the argument's offset included)
  std::int64_t size = 0;  ///< elements in the buffer
  std::string mask;       ///< how the lane's mask came out: "true", "no mask"
};

/// One finding, already merged over lanes and programs: once per kind, source line and wording.
struct Finding {
  FindingKind kind{};
  LocId loc;
  std::string message;  ///< first sentence: "load of `b` element 6 is outside its 5 elements"
  std::vector<std::string> details;  ///< further lines: operands, mask, origin
  std::vector<std::pair<LocId, std::string>>
      related;                            ///< other places: "the undefined lanes were loaded here"
  std::array<std::int64_t, 3> program{};  ///< the lowest program that shows it
  std::optional<std::int64_t> lane;       ///< row-major index in the tile
  std::vector<std::int64_t> lane_index;   ///< the same as coordinates
  std::uint64_t count = 1;                ///< lanes over all programs
  std::optional<AccessFacts> access;
};

}  // namespace tilery
