// The value of a result, or the end of the program: measurements have nothing to do without it.
#pragma once

#include "tilery/tilery.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tilery::bench {

/// Ends the process with 3 if the machine is at fault (no GPU, say), else with 1, the message on
/// standard output.
template <class T>
T good(Result<T> result) {
  if (!result) {
    std::printf("%s\n", result.error().message.c_str());
    std::exit(result.error().kind == ErrorKind::Machine ? 3 : 1);
  }
  return std::move(*result);
}

}  // namespace tilery::bench
