#include "tilery/kernel.h"

#include "runtime/library_impl.h"

namespace tilery::inline v0 {

const std::string& Kernel::name() const {
  return impl_->info.name;
}

const std::string& Kernel::docstring() const {
  return impl_->info.docstring;
}

const std::vector<Parameter>& Kernel::parameters() const {
  return impl_->parameters;
}

const Place& Kernel::place() const {
  return impl_->place;
}

bool Kernel::is_helper() const {
  return impl_->is_helper;
}

}  // namespace tilery::inline v0
