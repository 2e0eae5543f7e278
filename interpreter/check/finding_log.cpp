#include "interpreter/check/finding_log.h"

#include <algorithm>

namespace tilery::interpreter {

LineIndex::LineIndex(const Function& function, const SourceMap* sources) {
  std::map<std::tuple<FileId, std::uint32_t, std::uint32_t>, std::uint64_t> numbers;
  for (const Location& location : function.locations) {
    const SourceRange& range = location.range;
    std::tuple<FileId, std::uint32_t, std::uint32_t> key{range.file, range.begin, range.end};
    if (sources != nullptr && range.is_valid() && range.file < sources->size()) {
      key = {range.file, sources->line_column(range.file, range.begin).line, 0};
    }
    line_.push_back(numbers.try_emplace(key, numbers.size()).first->second);
  }
}

std::uint64_t LineIndex::line_of(const Function& function, InstId inst) const {
  const LocId loc = function.inst(inst).loc;
  constexpr std::uint64_t kNoLocation = std::uint64_t{1} << 32;
  return loc ? line_[loc.index] : kNoLocation + inst.index;
}

Finding* FindingLog::count(FindingKind kind, std::uint64_t line, std::string_view wording,
                           std::int64_t program_number, int position, std::uint64_t lanes) {
  const auto [place, is_new] = entries_.try_emplace(Key{kind, line, std::string(wording)});
  Entry& entry = place->second;
  if (!is_new) {
    entry.finding.count += lanes;
    return nullptr;
  }
  entry.program_number = program_number;
  entry.position = position;
  entry.order = entries_.size();
  entry.finding.kind = kind;
  entry.finding.count = lanes;
  return &entry.finding;
}

void FindingLog::merge(FindingLog&& later) {
  for (auto& [key, entry] : later.entries_) {
    const auto [place, is_new] = entries_.try_emplace(key, std::move(entry));
    if (!is_new) {
      place->second.finding.count += entry.finding.count;
    }
  }
}

std::vector<FindingLog::Key> FindingLog::error_keys() const {
  std::vector<Key> keys;
  for (const auto& [key, entry] : entries_) {
    if (!is_warning(entry.finding.kind)) {
      keys.push_back(key);
    }
  }
  return keys;
}

std::vector<Finding> FindingLog::sorted(std::size_t limit) && {
  std::vector<Entry*> order;
  for (auto& [key, entry] : entries_) {
    order.push_back(&entry);
  }
  std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
    return std::tuple(a->program_number, a->position, a->order) <
           std::tuple(b->program_number, b->position, b->order);
  });
  std::vector<Finding> findings;
  for (Entry* entry : order) {
    if (findings.size() == limit) {
      break;
    }
    findings.push_back(std::move(entry->finding));
  }
  return findings;
}

}  // namespace tilery::interpreter
