#include "codegen/passes/layout_pool.h"

#include <algorithm>

namespace tilery::codegen {
namespace {

/// Two barriers: before the reads, and before the memory is used again.
constexpr std::int64_t kBarrierCost = 40;

}  // namespace

LayoutId LayoutPool::intern(Layout layout) {
  for (std::size_t i = 0; i < layouts_.size(); ++i) {
    if (*layouts_[i] == layout) {
      return {static_cast<int>(i)};
    }
  }
  layouts_.push_back(std::make_shared<const Layout>(std::move(layout)));
  return {static_cast<int>(layouts_.size()) - 1};
}

std::int64_t LayoutPool::conversion_cost(LayoutId from, LayoutId to, int element_bytes) {
  if (from == to) {
    return 0;
  }
  const auto [entry, is_new] = renames_.try_emplace({from, to}, false);
  if (is_new) {
    entry->second = register_map((*this)[from], (*this)[to]).has_value();
  }
  if (entry->second) {
    return 1;
  }
  const auto words = [&](LayoutId id) {
    return std::max<std::int64_t>(1, std::int64_t{(*this)[id].registers()} * element_bytes / 4);
  };
  return kBarrierCost + 2 * (words(from) + words(to));
}

}  // namespace tilery::codegen
