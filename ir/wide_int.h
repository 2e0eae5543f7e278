// Integers that hold any number of any integer type, and the distance between any two.
#pragma once

#include "ir/type.h"

#include <cstdint>

namespace tilery {

__extension__ using WideInt = __int128;

/// The number that the bits of an integer type hold.
[[nodiscard]] WideInt wide_int(Scalar scalar, std::uint64_t bits);

}  // namespace tilery
