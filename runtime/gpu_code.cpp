#include "tilery/gpu_code.h"

#include "runtime/checked_call.h"
#include "runtime/compile_call.h"
#include "runtime/convert.h"
#include "runtime/cuda_device.h"
#include "runtime/cuda_module.h"
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
  for (std::size_t i = 0; i < function.params.size(); ++i) {
    const Param& param = function.params[i];
    GpuParameter parameter;
    parameter.name = param.name;
    parameter.type = language_text(param.type.element);
    parameter.is_pointer = param.type.is_pointer();
    parameter.dtype = parameter.is_pointer ? DType::I64 : dtype_of(param.type.element.scalar);
    parameter.bytes = binary.parameters[i].bytes;
    parameter.is_divisible_by_16 = param.facts.divisible_by_16;
    parameter.is_one = param.facts.equals_1;
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::optional<std::int64_t> integer_of(const HostValue& value) {
  if (const auto* truth = std::get_if<bool>(&value.data)) {
    return *truth ? 1 : 0;
  }
  const auto* integer = std::get_if<std::int64_t>(&value.data);
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

/// The compile-time values of an argument; those in tuples are named `t.0` as the language does.
void add_constants(const std::string& name, const ArgumentSpec& spec,
                   std::vector<GpuConstant>& constants) {
  switch (spec.kind) {
    case ArgumentSpec::Kind::Runtime:
      return;
    case ArgumentSpec::Kind::Constexpr:
      constants.push_back({name, python_text(spec.value), integer_of(spec.value)});
      return;
    case ArgumentSpec::Kind::Tuple:
      break;
  }
  for (std::size_t i = 0; i < spec.elements.size(); ++i) {
    add_constants(i < spec.field_names.size() ? fmt::format("{}.{}", name, spec.field_names[i])
                                              : fmt::format("{}.{}", name, i),
                  spec.elements[i], constants);
  }
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
  stages.wants_lines = texts.lines;
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
  warn_before_compiling(specialized->function, sources, call->options, code.messages);
  GpuCompileResult made = compile_with_stages(
      specialized->function, *chip, codegen_options(call->options, specialized->reads_num_warps),
      &sources, stages);
  if (!made.binary && made.diagnostics.has_errors()) {
    // The warnings stand before what they may explain.
    std::vector<Message> errors = messages_of(made.diagnostics, sources, Phase::Compile);
    code.messages.insert(code.messages.end(), errors.begin(), errors.end());
    return error_of(ErrorKind::Kernel, std::move(code.messages));
  }
  if (!made.binary) {
    return Error{made.is_machine_fault ? ErrorKind::Machine : ErrorKind::Usage, made.error, {}};
  }
  code.kernel = impl.info.name;
  code.target = made.binary->target;
  code.entry = made.binary->entry;
  code.parameters = parameters_of(specialized->function, *made.binary);
  for (std::size_t i = 0; i < call->specs.size(); ++i) {
    add_constants(impl.info.parameters[i].name, call->specs[i], code.constants);
  }
  code.num_warps = made.binary->num_warps;
  code.num_ctas = made.binary->num_ctas;
  code.programs_per_block = made.binary->programs_per_block;
  code.shared_bytes = made.binary->shared_bytes;
  code.ptx = std::move(made.binary->code);
  code.notes = call->notes;
  code.option_notes = code.notes.size();
  code.notes.insert(code.notes.end(), made.binary->notes.begin(), made.binary->notes.end());
  code.layout = std::move(stages.layout);
  code.llvm = std::move(stages.llvm);
  return code;
}

}  // namespace tilery

namespace tilery::inline v0 {

Result<std::string> assemble_with_driver(const GpuCode& code, const Device& device) {
  if (device.kind() != Device::Kind::Cuda || device.gpu_info()->target != code.target) {
    return Error{
        ErrorKind::Usage,
        fmt::format("the driver makes machine code only for its own GPU: kernel `{}` is "
                    "for {}, and {} is {}",
                    code.kernel, code.target, device.description(),
                    device.kind() == Device::Kind::Cuda ? device.gpu_info()->target : "no GPU"),
        {}};
  }
  const Result<CudaContext*> context = device.cuda_device()->context();
  if (!context) {
    return context.error();
  }
  codegen::KernelBinary binary;
  binary.entry = code.entry;
  binary.target = code.target;
  binary.code = code.ptx;
  Result<codegen::KernelBinary> cubin = assemble(**context, std::move(binary), code.kernel);
  if (!cubin) {
    return cubin.error();
  }
  return std::move(cubin->code);
}

}  // namespace tilery::inline v0
