// Which parameters' memory a pointer may lead into.
#pragma once

#include "ir/function.h"

#include <cstddef>
#include <set>

namespace tilery {

/// The indices of the parameters from which the pointer is computed. Empty if it comes from memory
/// or from a number.
[[nodiscard]] std::set<std::size_t> pointer_roots(const Function& function, ValueId pointer);

}  // namespace tilery
