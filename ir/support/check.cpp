#include "ir/support/check.h"

#include <cstdio>
#include <cstdlib>

namespace tilery {

void check_failed(const char* condition, const char* file, int line, std::string_view message) {
  std::fprintf(stderr, "tilery: internal error at %s:%d: %.*s (`%s` is false)\n", file, line,
               static_cast<int>(message.size()), message.data(), condition);
  std::abort();
}

}  // namespace tilery
