#include "ir/call_chain.h"

namespace tilery {

void add_calls(Diagnostic& diagnostic, const Function& function, LocId loc) {
  if (!loc) {
    return;
  }
  for (LocId at = function.locations[loc.index].caller; at;
       at = function.locations[at.index].caller) {
    const Location& call = function.locations[at.index];
    diagnostic.calls.push_back({call.range, call.function});
  }
}

}  // namespace tilery
