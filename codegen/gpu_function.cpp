#include "codegen/gpu_function.h"

#include "ir/support/check.h"

#include <utility>

namespace tilery::codegen {

bool LayoutTable::has(ValueId value) const {
  return value.index < layouts_.size() && layouts_[value.index] != nullptr;
}

const Layout& LayoutTable::of(ValueId value) const {
  TILERY_CHECK(has(value), "every tile has a layout");
  return *layouts_[value.index];
}

void LayoutTable::set(ValueId value, Layout layout) {
  set(value, std::make_shared<const Layout>(std::move(layout)));
}

void LayoutTable::set(ValueId value, std::shared_ptr<const Layout> layout) {
  if (value.index >= layouts_.size()) {
    layouts_.resize(value.index + 1);
  }
  layouts_[value.index] = std::move(layout);
}

}  // namespace tilery::codegen
