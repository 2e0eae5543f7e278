// One function a row of ops.def. It plans the op: decides, from the kinds of slot that the operands
// and the result have, which step runs it, looks up its kernels, and emits the step. They live in
// eval_<family>.cpp beside the steps that they emit; a missing one does not link.
#pragma once

#include "interpreter/planner.h"

namespace tilery::interpreter {

#define TILERY_OP(Name, id, level, family, signature, effects, summary) \
  void eval_##id(Planner& planner, InstId inst);
#include "ir/ops.def"

}  // namespace tilery::interpreter
