#include "tilery/gpu_code.h"

#include "runtime/checked_call.h"
#include "runtime/compile_call.h"
#include "runtime/gpu_compile.h"
#include "runtime/gpu_kernels.h"
#include "runtime/library_impl.h"
#include "runtime/messages.h"
#include "runtime/specialization.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace tilery::inline v0 {

namespace {

std::vector<GpuParameter> parameters_of(const Function& function,
                                        const codegen::KernelBinary& binary) {
  std::vector<GpuParameter> parameters;
  for (std::size_t i = 0; i < binary.parameters.size(); ++i) {
    const codegen::KernelParameter& parameter = binary.parameters[i];
    const bool is_named = i < function.params.size();
    parameters.push_back({is_named ? function.params[i].name : std::string(), parameter.bytes,
                          is_named && function.params[i].type.is_pointer()});
  }
  return parameters;
}

}  // namespace

std::vector<std::string> gpu_targets() {
  std::vector<std::string> names;
  for (const std::string_view name : codegen::target_names()) {
    names.emplace_back(name);
  }
  return names;
}

Result<GpuCode> compile_for_target(const Kernel& kernel, const Arguments& arguments,
                                   std::string_view target, const LaunchOptions& options,
                                   const GpuCodeTexts& texts) {
  GpuStages stages;
  stages.wants_layout = texts.layout;
  stages.wants_llvm = texts.llvm;
  return compile_call_for_target(kernel, arguments, target, options, {}, stages);
}

}  // namespace tilery::inline v0

namespace tilery {

Result<GpuCode> compile_call_for_target(const Kernel& kernel, const Arguments& arguments,
                                        std::string_view target, const LaunchOptions& options,
                                        const AfterPass& after_pass, GpuStages& stages) {
  const std::optional<codegen::Target> chip = codegen::parse_target(target);
  if (!chip) {
    return Error{ErrorKind::Usage,
                 fmt::format("there is no target `{}`; they are: {}", target,
                             fmt::join(gpu_targets(), ", ")),
                 {}};
  }
  const Kernel::Impl& impl = *kernel.impl();
  const SourceMap& sources = impl.library->sources;
  Result<BoundCall> call = checked_call(impl, arguments, options, nullptr);
  if (!call) {
    return call.error();
  }
  Diagnostics diagnostics;
  const std::optional<Specialized> specialized =
      specialize_call(impl, *call, Device::Kind::Cuda, after_pass, diagnostics);
  GpuCode code;
  code.messages = messages_of(diagnostics, sources, Phase::Compile);
  if (!specialized) {
    return error_of(ErrorKind::Kernel, std::move(code.messages));
  }
  GpuCompileResult made = compile_with_stages(
      specialized->function, *chip, codegen_options(call->options, specialized->reads_num_warps),
      &sources, stages);
  if (!made.binary) {
    return Error{made.is_machine_fault ? ErrorKind::Machine : ErrorKind::Usage, made.error, {}};
  }
  code.target = made.binary->target;
  code.entry = made.binary->entry;
  code.parameters = parameters_of(specialized->function, *made.binary);
  code.num_warps = made.binary->num_warps;
  code.shared_bytes = made.binary->shared_bytes;
  code.ptx = std::move(made.binary->code);
  code.notes = std::move(made.binary->notes);
  code.layout = std::move(stages.layout);
  code.llvm = std::move(stages.llvm);
  return code;
}

}  // namespace tilery
