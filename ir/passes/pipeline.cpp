#include "ir/passes/pipeline.h"

#include "ir/passes/accumulate_sum.h"
#include "ir/passes/canonicalise.h"
#include "ir/passes/contract_fma.h"
#include "ir/passes/cse.h"
#include "ir/passes/dce.h"
#include "ir/passes/licm.h"
#include "ir/verifier.h"

#include <array>

namespace tilery {
namespace {

struct Pass {
  std::string_view name;  ///< the file's name
  bool (*run)(Function&);
};

constexpr std::array kPasses{
    Pass{"contract_fma", contract_fma},
    Pass{"canonicalise", canonicalise},
    // Before cse, which then sees what came out of neighbouring loops side by side.
    Pass{"licm", licm},
    Pass{"cse", cse},
    Pass{"accumulate_sum", accumulate_sum},
    Pass{"dce", dce},
};

void run_pass(const Pass& pass, Function& function, const PipelineOptions& options) {
  pass.run(function);
#ifdef TILERY_CHECKED
  check_valid(function, pass.name);
#endif
  if (options.after_pass) {
    options.after_pass(pass.name, function);
  }
}

}  // namespace

void run_pipeline(Function& function, const PipelineOptions& options) {
  for (const Pass& pass : kPasses) {
    if (pass.run == contract_fma && !options.fuse_fma) {
      continue;
    }
    run_pass(pass, function, options);
  }
}

}  // namespace tilery
