// The layouts of one function, each once, named by small numbers: layout assignment compares and
// derives them thousands of times.
#pragma once

#include "codegen/layout/layout.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilery::codegen {

/// A layout of a LayoutPool; equal layouts have equal ids.
struct LayoutId {
  int index = -1;

  explicit operator bool() const { return index >= 0; }

  friend bool operator==(LayoutId, LayoutId) = default;
  friend auto operator<=>(LayoutId, LayoutId) = default;
};

class LayoutPool {
 public:
  LayoutId intern(Layout layout);

  [[nodiscard]] const Layout& operator[](LayoutId id) const {
    return *layouts_[static_cast<std::size_t>(id.index)];
  }

  [[nodiscard]] std::shared_ptr<const Layout> shared(LayoutId id) const {
    return layouts_[static_cast<std::size_t>(id.index)];
  }

  /// What one thread has to do to turn a tile of elements of `element_bytes` from one layout into
  /// another of the same shape, in instructions: 0 for the same layout, next to nothing where only
  /// registers are renamed, else the way through shared memory with its barriers.
  [[nodiscard]] std::int64_t conversion_cost(LayoutId from, LayoutId to, int element_bytes);

 private:
  std::vector<std::shared_ptr<const Layout>> layouts_;
  /// Whether a conversion only renames registers.
  std::map<std::pair<LayoutId, LayoutId>, bool> renames_;
};

}  // namespace tilery::codegen
