#include "tools/cuda_toolkit.h"

#include "tools/child_process.h"
#include "tools/cuda_tool_path.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

Error machine_error(std::string message) {
  return {ErrorKind::Machine, std::move(message), {}};
}

/// The program's result, or an error that quotes what it printed.
Result<ProgramResult> run_tool(const std::vector<std::string>& arguments, std::string_view input,
                               const GpuCode& code) {
  Result<ProgramResult> run = run_program(arguments, input);
  if (!run || run->exit_code == 0) {
    return run;
  }
  std::string said = run->errors + run->printed;
  while (!said.empty() && said.back() == '\n') {
    said.pop_back();
  }
  return machine_error(fmt::format("`{}` failed on kernel `{}` for {} with exit code {}{}{}",
                                   arguments[0], code.kernel, code.target, run->exit_code,
                                   said.empty() ? "" : ":\n", said));
}

}  // namespace

Result<std::string> assemble_with_ptxas(const GpuCode& code) {
  const std::optional<std::string> ptxas = find_cuda_tool("ptxas");
  if (!ptxas) {
    return machine_error(
        fmt::format("there is no `ptxas`, the assembler of NVIDIA's CUDA toolkit: "
                    "{}",
                    cuda_tool_places()));
  }
  Result<ProgramResult> run =
      run_tool({*ptxas, "-arch=" + code.target, "-lineinfo", "-o", kProgramOutput, kProgramInput},
               code.ptx, code);
  if (!run) {
    return run.error();
  }
  if (!run->produced.starts_with("\x7f"
                                 "ELF")) {
    return machine_error(
        fmt::format("`{}` made no machine code of kernel `{}`", *ptxas, code.kernel));
  }
  return std::move(run->produced);
}

Result<std::string> disassemble(const GpuCode& code) {
  const Result<std::string> cubin = assemble_with_ptxas(code);
  if (!cubin) {
    return cubin.error();
  }
  if (const std::optional<std::string> nvdisasm = find_cuda_tool("nvdisasm")) {
    Result<ProgramResult> run =
        run_tool({*nvdisasm, "--print-code", "--print-line-info", kProgramInput}, *cubin, code);
    return run ? Result<std::string>(std::move(run->printed)) : Result<std::string>(run.error());
  }
  if (const std::optional<std::string> cuobjdump = find_cuda_tool("cuobjdump")) {
    Result<ProgramResult> run = run_tool({*cuobjdump, "-sass", kProgramInput}, *cubin, code);
    return run ? Result<std::string>("// cuobjdump tells no source lines; nvdisasm does\n" +
                                     run->printed)
               : Result<std::string>(run.error());
  }
  return machine_error(
      fmt::format("there is neither `nvdisasm` nor `cuobjdump`, the disassemblers of NVIDIA's CUDA "
                  "toolkit: {}",
                  cuda_tool_places()));
}

}  // namespace tilery::tools
