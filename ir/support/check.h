// TILERY_CHECK: for our own mistakes, on in release builds too.
#pragma once

#include <string_view>

namespace tilery {

/// Prints the failed condition, the place and the message, then aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               std::string_view message);

}  // namespace tilery

/// Aborts with `message` (anything convertible to std::string_view) if `condition` is false. For
/// broken invariants of the compiler only; a user's mistake is a Diagnostic, the world's is a
/// Result.
#define TILERY_CHECK(condition, message)                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      ::tilery::check_failed(#condition, __FILE__, __LINE__, (message)); \
    }                                                                    \
  } while (false)
