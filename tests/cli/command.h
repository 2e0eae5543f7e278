// The command under test.
#pragma once

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <string>
#include <utility>
#include <vector>

namespace tilery::testing {

/// Runs `tilery` with these arguments; the environment has none of Tilery's variables unless given.
inline ProcessResult tilery(std::vector<std::string> arguments, ProcessOptions options = {}) {
  for (const char* name : {"TILERY_INTERPRET", "TRITON_INTERPRET", "TILERY_DUMP_DIR", "NO_COLOR"}) {
    options.environment.insert(options.environment.begin(), {name, ""});
  }
  arguments.insert(arguments.begin(), TILERY_COMMAND);
  return run_process(arguments, options);
}

/// A kernel that adds two arrays.
inline constexpr const char* kAdd = R"(@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    """Adds two arrays."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)
)";

}  // namespace tilery::testing
