// Random functions that are well typed and safe to run.
//
// Operations of family Map are made from the rows of ops.def, so that a new one takes part by
// itself; the others have a maker each. The same seed gives the same function on every machine.
//
// Safe to run: every pointer parameter must point to at least kRandomBufferElements elements of its
// pointee type, and every access stays within them; `for` and `while` make at most four iterations;
// nothing else depends on the arguments' values.
#pragma once

#include "ir/function.h"

#include <cstdint>

namespace tilery {

inline constexpr int kRandomBufferElements = 64;
inline constexpr int kRandomTraceElements = 1024;

/// A function of about `size` instructions (nested ones and constants come on top). Its parameters
/// are pointers to several element types, each one with its own buffer, and a few scalars.
[[nodiscard]] Function random_function(std::uint64_t seed, int size);

/// The same, but every value that is there at its end is stored, through one more pointer for each
/// element type, to buffers of kRandomTraceElements elements; what is past their end is left out.
/// The bits of a float never become an integer, since those of a NaN are nobody's promise.
[[nodiscard]] Function random_traced_function(std::uint64_t seed, int size);

}  // namespace tilery
