// What Tilery tells about a kernel: diagnostics of the compiler and findings of a checked run.
#pragma once

#include "tilery/export.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilery::inline v0 {

/// A range of source text. Lines and columns count from 1, columns in bytes; the end is exclusive.
/// `line == 0` means that no source text caused it.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;

  [[nodiscard]] bool is_known() const { return line != 0; }
};

/// A further sentence, with the place that it is about (which may be unknown).
struct PlacedText {
  Place place;
  std::string text;
};

/// When something was noticed, from early to late.
enum class Phase : std::uint8_t { Parse, Compile, Launch, Run };

/// "parse", "compile", "launch" or "run".
[[nodiscard]] TILERY_API const char* phase_name(Phase phase);

/// The facts of a memory access that a checked run reports.
struct Access {
  bool is_store = false;
  std::string argument;    ///< the kernel's parameter that the pointer came from
  std::int64_t index = 0;  ///< element index from the start of its buffer
  std::int64_t size = 0;   ///< elements in the buffer
  std::string mask;        ///< the lane's mask: "true", "no mask"
};

/// One diagnostic or finding.
struct Message {
  enum class Severity : std::uint8_t { Warning, Error };

  Severity severity = Severity::Error;
  Phase phase = Phase::Compile;
  /// A stable name: of a diagnostic ("ShapesDoNotBroadcast"), or the kind of a finding
  /// ("out-of-bounds", "numeric-warning").
  std::string kind;
  /// One sentence without a full stop: what was seen, and the rule where it helps.
  std::string message;
  Place place;
  /// What the operands were, beside the source line.
  std::vector<PlacedText> labels;
  std::vector<PlacedText> notes;
  /// A way out; may be empty.
  std::string help;
  /// Calls that led to the place, from the innermost outwards; the texts are the names of the
  /// functions that call.
  std::vector<PlacedText> calls;

  /// Findings only: the first program and lane that show it, and in how many lanes it was seen.
  bool is_finding = false;
  std::array<std::int64_t, 3> program{};
  std::optional<std::int64_t> lane;
  std::vector<std::int64_t> lane_index;
  std::uint64_t count = 1;
  std::optional<Access> access;

  /// All of it as text for people, with the source line and a caret; ends in a line feed.
  std::string text;
  /// The same with terminal colours.
  std::string colored_text;
};

}  // namespace tilery::inline v0
