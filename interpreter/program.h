// A planned function: what make_program returns behind its pointer.
#pragma once

#include "interpreter/check/masked_flow.h"
#include "interpreter/plan.h"

namespace tilery {

/// Immutable; shared by threads and launches. The plans point into `function`, so it is not copied.
class InterpreterProgram {
 public:
  explicit InterpreterProgram(Function f)
      : function(std::move(f)),
        flow(function),
        compact(make_plan(function, interpreter::PlanStyle::Compact, flow)),
        plain(make_plan(function, interpreter::PlanStyle::Plain, flow)) {}

  InterpreterProgram(const InterpreterProgram&) = delete;
  InterpreterProgram& operator=(const InterpreterProgram&) = delete;

  const Function function;
  const interpreter::MaskedFlow flow;
  const interpreter::Plan compact;
  const interpreter::Plan plain;
};

}  // namespace tilery
