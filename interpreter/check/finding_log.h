// Collects findings while programs run: one entry a kind, source line and wording, with a count.
//
// Programs are run in chunks; each chunk has its own log, and logs are merged in the order of
// chunks. So the finding that is kept is always that of the lowest program, whatever thread ran it.
#pragma once

#include "interpreter/check/finding.h"
#include "ir/function.h"
#include "ir/support/source.h"

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tilery::interpreter {

/// Tells which locations of a function lie on the same source line.
class LineIndex {
 public:
  /// Without `sources` two locations are on one line only if their ranges are equal.
  LineIndex(const Function& function, const SourceMap* sources);

  /// A number that is equal for locations on the same line. An instruction without a location is a
  /// line of its own.
  [[nodiscard]] std::uint64_t line_of(const Function& function, InstId inst) const;

 private:
  std::vector<std::uint64_t> line_;  ///< by location
};

class FindingLog {
 public:
  using Key = std::tuple<FindingKind, std::uint64_t, std::string>;

  struct Entry {
    Finding finding;
    std::int64_t program_number = 0;
    int position = 0;       ///< of the instruction in the function
    std::size_t order = 0;  ///< of its first occurrence
  };

  /// Counts `lanes` more of these. The first time, gives the new finding for its text to be filled
  /// in; afterwards nullptr. `wording` tells apart what must not be merged on one line.
  Finding* count(FindingKind kind, std::uint64_t line, std::string_view wording,
                 std::int64_t program_number, int position, std::uint64_t lanes = 1);

  /// Adds the entries of a later log.
  void merge(FindingLog&& later);

  [[nodiscard]] bool is_empty() const { return entries_.empty(); }

  /// What identifies those findings that are errors, not warnings.
  [[nodiscard]] std::vector<Key> error_keys() const;

  /// At most `limit` findings, by lowest program, then by position.
  [[nodiscard]] std::vector<Finding> sorted(std::size_t limit) &&;

 private:
  std::map<Key, Entry> entries_;
};

}  // namespace tilery::interpreter
