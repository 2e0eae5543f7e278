// emit_ptx: the kernel's entry around the emitted body.
#include "codegen/analysis/axis_info.h"
#include "codegen/codegen.h"
#include "codegen/emit.h"
#include "codegen/emit_lines.h"
#include "codegen/emit_map.h"
#include "codegen/llvm_release.h"
#include "codegen/llvm_versions.h"
#include "codegen/notes.h"
#include "codegen/nvptx.h"

#include <fmt/format.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <optional>

namespace tilery::codegen {
namespace {

/// A name that PTX accepts and that is none of its keywords: kernels may be called `add`, or be
/// spelled with any letters.
std::string entry_name(const std::string& name) {
  std::string entry;
  for (const char c : name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    entry += is_plain ? std::string(1, c) : fmt::format("${:02x}", static_cast<unsigned char>(c));
  }
  return entry + "_kernel";
}

KernelParameter parameter_of(const Type& type) {
  return {static_cast<std::uint8_t>(type.element.byte_size()), type.is_pointer()};
}

/// How a parameter is declared: booleans take a byte, as in memory.
llvm::Type* parameter_type(llvm::LLVMContext& llvm, ElementType element) {
  return element.is(Scalar::I1) ? llvm::Type::getInt8Ty(llvm) : element_type(llvm, element);
}

llvm::Function& declare_kernel(llvm::Module& module, const GpuFunction& gpu) {
  auto& llvm = module.getContext();
  std::vector<llvm::Type*> types;
  for (const Param& param : gpu.function.params) {
    types.push_back(parameter_type(llvm, param.type.element));
  }
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(llvm), types, false);
  auto* kernel = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                        entry_name(gpu.function.name), module);
  kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  set_kernel_limit(*kernel, "reqntid", gpu.num_warps * kWarpSize);
  if (gpu.options.maxnreg) {
    set_kernel_limit(*kernel, "maxnreg", *gpu.options.maxnreg);
  } else {
    // Without it ptxas at times saves registers for a second block and spills.
    set_kernel_limit(*kernel, "minctasm", gpu.blocks_per_sm);
  }
  for (std::size_t i = 0; i < gpu.function.params.size(); ++i) {
    const Param& param = gpu.function.params[i];
    const auto index = static_cast<unsigned>(i);
    kernel->getArg(index)->setName(param.name);
    if (param.type.is_pointer() && param.facts.divisible_by_16) {
      kernel->addParamAttr(index, llvm::Attribute::getWithAlignment(llvm, llvm::Align(16)));
    }
  }
  return *kernel;
}

void bind_parameters(EmitContext& context, llvm::Function& kernel) {
  const Function& function = context.function();
  const Region& body = function.region(function.body);
  for (std::size_t i = 0; i < body.args.size(); ++i) {
    llvm::Value* argument = kernel.getArg(static_cast<unsigned>(i));
    if (function.params[i].type.element.is(Scalar::I1)) {
      argument = context.builder().CreateIsNotNull(argument);
    }
    context.set(body.args[i], {argument});
  }
}

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

KernelBinary launch_facts(const GpuFunction& gpu) {
  KernelBinary binary;
  binary.entry = entry_name(gpu.function.name);
  binary.target = gpu.target.name();
  for (const Param& param : gpu.function.params) {
    binary.parameters.push_back(parameter_of(param.type));
  }
  binary.num_warps = gpu.num_warps;
  binary.shared_bytes = gpu.shared_bytes;
  return binary;
}

void emit_body(const GpuFunction& gpu, const AxisTable& axes, const EmitOptions& options,
               llvm::Module& module) {
  llvm::Function& kernel = declare_kernel(module, gpu);
  EmitContext context(gpu, axes, module, kernel);
  std::optional<LineTable> lines;
  if (options.sources != nullptr) {
    lines.emplace(gpu.function, *options.sources, module, kernel);
    context.set_lines(&*lines);
  }
  bind_parameters(context, kernel);
  context.emit_region(gpu.function.body);
  context.builder().CreateRetVoid();
  if (lines) {
    lines->finish();
  }
}

}  // namespace

Result<KernelBinary> emit_ptx(const GpuFunction& gpu, const EmitOptions& options) {
  if (Status status = check_target(gpu.target); !status) {
    return status.error();
  }
  llvm::LLVMContext llvm;
  llvm::Module module(gpu.function.name, llvm);
  const NvptxMachine machine(gpu.target);
  machine.prepare(module);
  const AxisTable axes = find_axis_info(gpu.function);
  emit_body(gpu, axes, options, module);
  if (options.dump) {
    options.dump("llvm-raw", text_of(module));
  }
#ifdef TILERY_CHECKED
  std::string broken;
  llvm::raw_string_ostream out(broken);
  if (llvm::verifyModule(module, &out)) {
    return Error{ErrorKind::Machine,
                 fmt::format("LLVM IR of `{}` is not valid: {}", gpu.function.name, broken)};
  }
#endif
  if (Status status = machine.optimise(module); !status) {
    return status.error();
  }
  if (options.dump) {
    options.dump("llvm", text_of(module));
  }
  Result<std::string> ptx = machine.ptx(module);
  if (!ptx) {
    return ptx.error();
  }
  KernelBinary binary = launch_facts(gpu);
  binary.code = std::move(*ptx);
  binary.notes = notes_of(gpu, axes, options.sources);
  return binary;
}

}  // namespace tilery::codegen
