#include "tests/support/ptxas.h"

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "tools/cuda_tool_path.h"

#include <optional>

namespace tilery::testing {
PtxasResult assemble(std::string_view ptx, std::string_view chip, int optimisation) {
  static const std::optional<std::string> ptxas = tools::find_cuda_tool("ptxas");
  if (!ptxas) {
    return {};
  }
  const TempDir folder;
  const ProcessResult run =
      run_process({*ptxas, "-arch=" + std::string(chip), "-O" + std::to_string(optimisation), "-o",
                   folder.file("kernel.cubin"), folder.write("kernel.ptx", ptx)});
  return {true, run.exit_code == 0 ? std::string() : run.out + run.err};
}

}  // namespace tilery::testing
