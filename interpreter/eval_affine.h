// Steps that compute on affine and range tiles as a whole (compact plan only).
#pragma once

#include "interpreter/planner.h"

namespace tilery::interpreter {

/// Emits the step of an instruction whose result is affine or a range; false if it is neither.
bool plan_affine(Planner& planner, InstId inst);

}  // namespace tilery::interpreter
