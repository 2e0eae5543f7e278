// A bound on the C++ stack for code that recurses as deep as its input is nested.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilery {

/// What a recursion may use of this thread's stack: half of what is left where it begins, at most
/// 4 MiB. Frames differ in size from build to build, so a count of calls is no bound.
class StackBudget {
 public:
  /// Begins here; to be asked from deeper calls of the same thread.
  StackBudget();

  [[nodiscard]] bool is_exhausted() const;

 private:
  std::uintptr_t lowest_ = 0;  ///< stacks grow downwards
};

}  // namespace tilery
