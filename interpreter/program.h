// A planned function: what make_program returns behind its pointer.
#pragma once

#include "interpreter/check/masked_flow.h"
#include "interpreter/plan.h"

#include <mutex>
#include <optional>
#include <utility>

namespace tilery {

/// Immutable to the outside; shared by threads and launches. The plans point into `function`, so it
/// is not copied.
class InterpreterProgram {
 public:
  explicit InterpreterProgram(Function f)
      : function(std::move(f)),
        flow(function),
        compact(make_plan(function, interpreter::PlanStyle::Compact, flow)) {}

  InterpreterProgram(const InterpreterProgram&) = delete;
  InterpreterProgram& operator=(const InterpreterProgram&) = delete;

  const Function function;
  const interpreter::MaskedFlow flow;
  const interpreter::Plan compact;

  /// Made when a program first needs it: most never do, and it is as large as the other one.
  [[nodiscard]] const interpreter::Plan& plain() const {
    std::call_once(plain_made_, [this] {
      plain_.emplace(make_plan(function, interpreter::PlanStyle::Plain, flow));
    });
    return *plain_;
  }

 private:
  mutable std::once_flag plain_made_;
  mutable std::optional<interpreter::Plan> plain_;
};

}  // namespace tilery
