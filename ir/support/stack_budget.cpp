#include "ir/support/stack_budget.h"

#include <algorithm>
#include <pthread.h>

namespace tilery {
namespace {

std::uintptr_t here() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

/// The lowest address of this thread's stack; 0 if the system does not tell.
std::uintptr_t stack_end() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 0;
  }
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool is_known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return is_known ? reinterpret_cast<std::uintptr_t>(lowest) : 0;
}

}  // namespace

StackBudget::StackBudget() {
  constexpr std::uintptr_t kMost = 4U << 20;
  thread_local const std::uintptr_t end = stack_end();
  const std::uintptr_t top = here();
  lowest_ = top - std::min(kMost, end < top ? (top - end) / 2 : kMost);
}

bool StackBudget::is_exhausted() const {
  return here() < lowest_;
}

}  // namespace tilery
