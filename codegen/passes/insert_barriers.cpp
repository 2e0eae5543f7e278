#include "codegen/passes/insert_barriers.h"

#include "codegen/analysis/memory_hazards.h"

namespace tilery::codegen {

bool insert_barriers(GpuFunction& gpu) {
  gpu.barriers_before.clear();
  for (const InstId id : find_memory_hazards(gpu)) {
    gpu.barriers_before.insert(id.index);
  }
  return !gpu.barriers_before.empty();
}

}  // namespace tilery::codegen
