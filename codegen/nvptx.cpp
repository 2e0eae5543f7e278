#include "codegen/nvptx.h"

#include "codegen/llvm_versions.h"
#include "codegen/math_function.h"
#include "ir/support/check.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/Sink.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tilery::codegen {
namespace {

/// Thrown by the handler of fatal errors through LLVM's frames, which hold nothing that must be
/// released for later calls.
struct LlvmFatal {
  std::string reason;
};

[[noreturn]] void throw_fatal(void* user_data, const char* reason, bool generate_crash_report) {
  (void)user_data;
  (void)generate_crash_report;
  throw LlvmFatal{reason};
}

/// An option of LLVM's command line, which is how some of its passes are set.
void set_llvm_flag(llvm::StringRef name, bool value) {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(name);
  TILERY_CHECK(found != options.end(), "LLVM has this option");
  static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(value);
}

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    llvm::install_fatal_error_handler(throw_fatal);
    // Pointers into shared memory in 32 bits.
    set_llvm_flag("nvptx-short-ptr", kHasShortSharedPointers);
    if (kHasMadWideFlag) {
      set_llvm_flag("nvptx-mad-wide-opt", true);
    }
    // Accesses are as wide as they can be when they are emitted.
    set_llvm_flag("disable-nvptx-load-store-vectorizer", true);
  });
}

/// Lets code generation do without the passes of passes_left_out, which have no switch of their
/// own.
class ShortCodegen : public PassGate {
 public:
  [[nodiscard]] bool wants(llvm::StringRef pass) const override {
    const std::string_view name = pass;
    return std::ranges::none_of(passes_left_out(), [&](const PassNames& names) {
      return name == names.argument || name == names.title;
    });
  }
};

}  // namespace

std::span<const PassNames> passes_left_out() {
  static constexpr std::array<PassNames, 11> kLeftOut{
      {{"slsr", "Straight line strength reduction"},
       {"early-cse", "Early CSE"},
       {"nary-reassociate", "Nary reassociation"},
       {"consthoist", "Constant Hoisting"},
       {"mergeicmps", "Merge contiguous icmps into a memcmp"},
       {"codegenprepare", "CodeGen Prepare"},
       {"machine-cse", "Machine Common Subexpression Elimination"},
       {"machine-sink", "Machine code sinking"},
       {"peephole-opt", "Peephole Optimizations"},
       {"loop-reduce", "Loop Strength Reduction"},
       {"canon-freeze", "Canonicalize Freeze Instructions in Loops"}}};
  return kLeftOut;
}

Status guarded_llvm(llvm::LLVMContext& context, std::string_view what,
                    const std::function<void()>& run) {
  std::string errors;
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* data) {
        if (info->getSeverity() == llvm::DS_Error) {
          llvm::raw_string_ostream out(*static_cast<std::string*>(data));
          llvm::DiagnosticPrinterRawOStream printer(out);
          info->print(printer);
          out << '\n';
        }
      },
      &errors);
  try {
    run();
  } catch (const LlvmFatal& fatal) {
    errors += fatal.reason;
  }
  context.setDiagnosticHandlerCallBack(nullptr, nullptr);
  if (errors.empty()) {
    return Ok{};
  }
  return Error{ErrorKind::Machine, fmt::format("{}: LLVM failed: {}", what, errors)};
}

NvptxMachine::NvptxMachine(const Target& target) {
  initialise_llvm();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target* nvptx = llvm::TargetRegistry::lookupTarget(triple_argument(triple), error);
  TILERY_CHECK(nvptx != nullptr, "the NVPTX target is linked in");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machine_.reset(nvptx->createTargetMachine(
      triple_argument(triple), target.name(), fmt::format("+ptx{}", target.ptx), options,
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
}

void NvptxMachine::prepare(llvm::Module& module) const {
  module.setTargetTriple(triple_argument(machine_->getTargetTriple()));
  module.setDataLayout(machine_->createDataLayout());
}

namespace {

/// The analyses that the passes below ask for, registered one by one: PassBuilder would link every
/// pass of LLVM.
void register_analyses(llvm::TargetMachine& machine, llvm::FunctionAnalysisManager& functions,
                       llvm::ModuleAnalysisManager& modules) {
  functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
  functions.registerPass([] { return llvm::TargetLibraryAnalysis(); });
  functions.registerPass([] { return llvm::AssumptionAnalysis(); });
  functions.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  functions.registerPass([] { return llvm::PostDominatorTreeAnalysis(); });
  functions.registerPass([] { return llvm::LoopAnalysis(); });
  functions.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
  functions.registerPass([] { return llvm::BasicAA(); });
  functions.registerPass([] {
    llvm::AAManager aliases;
    aliases.registerFunctionAnalysis<llvm::BasicAA>();
    return aliases;
  });
  functions.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
  modules.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
}

}  // namespace

Status NvptxMachine::optimise(llvm::Module& module) const {
  return guarded_llvm(module.getContext(), "optimising " + module.getName().str(), [&] {
    llvm::FunctionAnalysisManager functions;
    llvm::ModuleAnalysisManager modules;
    register_analyses(*machine_, functions, modules);
    llvm::FunctionPassManager pipeline;
    pipeline.addPass(llvm::EarlyCSEPass());
    pipeline.addPass(llvm::SimplifyCFGPass());
    pipeline.addPass(llvm::ADCEPass());
    pipeline.addPass(llvm::SinkingPass());
    for (llvm::Function& function : module) {
      if (!function.isDeclaration()) {
        pipeline.run(function, functions);
      }
    }
  });
}

Result<std::string> NvptxMachine::ptx(llvm::Module& module) const {
  llvm::SmallString<0> text;
  Status status = guarded_llvm(module.getContext(), "PTX of " + module.getName().str(), [&] {
    expand_math_functions(module);
    llvm::raw_svector_ostream out(text);
    llvm::legacy::PassManager passes;
    const bool unsupported =
        machine_->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
    TILERY_CHECK(!unsupported, "NVPTX writes assembly");
    ShortCodegen gate;
    module.getContext().setOptPassGate(gate);
    passes.run(module);
    module.getContext().setOptPassGate(llvm::getGlobalPassGate());
  });
  if (!status) {
    return status.error();
  }
  return text.str().str();
}

}  // namespace tilery::codegen
