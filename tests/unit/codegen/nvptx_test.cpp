// LLVM behind its guard: what it cannot do comes back as an error, and what must not be moved is
// not.
#include "codegen/nvptx.h"

#include "codegen/llvm_release.h"
#include "codegen/llvm_versions.h"
#include "codegen/target.h"

#include <gtest/gtest.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

/// A failure of LLVM's leaves its frames behind, and with them what they hold.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:llvm::";
}

namespace tilery::codegen {
namespace {

constexpr const char* kTargets[] = {"sm_80",  "sm_86",  "sm_87",  "sm_89", "sm_90",
                                    "sm_90a", "sm_100", "sm_103", "sm_120"};

/// A kernel of one argument, float* in global memory, with the builder at its start.
struct KernelModule {
  llvm::LLVMContext context;
  llvm::Module module{"test", context};
  llvm::IRBuilder<> builder{context};
  llvm::Function* kernel = nullptr;

  explicit KernelModule(const NvptxMachine& machine) {
    machine.prepare(module);
    auto* type =
        llvm::FunctionType::get(builder.getVoidTy(), {llvm::PointerType::get(context, 1)}, false);
    kernel = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "kernel", module);
    kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
    builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", kernel));
  }

  llvm::Value* argument() { return kernel->getArg(0); }
};

TEST(Nvptx, EveryTargetWritesItsName) {
  for (const std::string_view name : target_names()) {
    const NvptxMachine machine(*parse_target(name));
    KernelModule m(machine);
    m.builder.CreateStore(llvm::ConstantFP::get(m.builder.getFloatTy(), 1.0), m.argument());
    m.builder.CreateRetVoid();
    const Result<std::string> ptx = machine.ptx(m.module);
    ASSERT_TRUE(ptx) << name << ": " << ptx.error().message;
    EXPECT_NE(ptx->find(".target " + std::string(name) + "\n"), std::string::npos) << *ptx;
    EXPECT_NE(ptx->find("st.global"), std::string::npos) << *ptx;
  }
}

// llvm.exp has no lowering on NVPTX: LLVM would print and end the process.
TEST(Nvptx, WhatLlvmCannotSelectIsAnErrorAndTheNextKernelWorks) {
  const NvptxMachine machine(*parse_target("sm_90a"));
  for (int round = 0; round < 2; ++round) {
    KernelModule bad(machine);
    llvm::Value* x = bad.builder.CreateLoad(bad.builder.getFloatTy(), bad.argument());
    bad.builder.CreateStore(bad.builder.CreateUnaryIntrinsic(llvm::Intrinsic::exp, x),
                            bad.argument());
    bad.builder.CreateRetVoid();
    const Result<std::string> failed = machine.ptx(bad.module);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().message.find("LLVM"), std::string::npos) << failed.error().message;

    KernelModule good(machine);
    good.builder.CreateRetVoid();
    EXPECT_TRUE(machine.ptx(good.module));
  }
}

TEST(Nvptx, AnInstructionTheChipLacksIsAnError) {
  const NvptxMachine machine(*parse_target("sm_80"));
  KernelModule m(machine);
  m.builder.CreateIntrinsic(m.builder.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cluster_wait, {});
  m.builder.CreateRetVoid();
  EXPECT_FALSE(machine.ptx(m.module));
}

/// Both sides of a branch on the thread's number lead to one synchronising instruction, from which
/// a second branch on the same condition leaves: what jump threading would like to split.
std::string synchronising_kernel(const NvptxMachine& machine) {
  KernelModule m(machine);
  auto& b = m.builder;
  auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(m.context, name, m.kernel);
  };
  auto* left = block("left");
  auto* right = block("right");
  auto* join = block("join");
  auto* left_after = block("left_after");
  auto* right_after = block("right_after");
  llvm::Value* id =
      b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  llvm::Value* is_low = b.CreateICmpULT(id, b.getInt32(16));
  b.CreateCondBr(is_low, left, right);
  for (auto [side, value] : {std::pair{left, 1}, std::pair{right, 2}}) {
    b.SetInsertPoint(side);
    b.CreateStore(b.getInt32(static_cast<std::uint32_t>(value)), m.argument());
    b.CreateBr(join);
  }
  b.SetInsertPoint(join);
  auto* type = llvm::FunctionType::get(b.getVoidTy(), false);
  auto* call = b.CreateCall(llvm::InlineAsm::get(type, "bar.sync 1;", "~{memory}", true));
  call->setConvergent();
  b.CreateCondBr(is_low, left_after, right_after);
  for (auto [side, value] : {std::pair{left_after, 3}, std::pair{right_after, 4}}) {
    b.SetInsertPoint(side);
    b.CreateStore(b.getInt32(static_cast<std::uint32_t>(value)), m.argument());
    b.CreateRetVoid();
  }
  EXPECT_TRUE(machine.optimise(m.module));
  const Result<std::string> ptx = machine.ptx(m.module);
  EXPECT_TRUE(ptx);
  return ptx ? *ptx : "";
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Nvptx, ASynchronisingInstructionStaysOne) {
  const NvptxMachine machine(*parse_target("sm_90a"));
  EXPECT_EQ(count(synchronising_kernel(machine), "bar.sync 1"), 1U);
}

/// Lets every pass run, and writes down the names that LLVM asks by.
class NameRecorder : public PassGate {
 public:
  [[nodiscard]] bool wants(llvm::StringRef pass) const override {
    names.insert(pass.str());
    return true;
  }

  mutable std::set<std::string> names;
};

/// Passes of loops are asked for where there is one.
void add_loop(KernelModule& m) {
  auto* loop = llvm::BasicBlock::Create(m.context, "loop", m.kernel);
  auto* exit = llvm::BasicBlock::Create(m.context, "exit", m.kernel);
  llvm::BasicBlock* entry = m.builder.GetInsertBlock();
  m.builder.CreateBr(loop);
  m.builder.SetInsertPoint(loop);
  llvm::PHINode* i = m.builder.CreatePHI(m.builder.getInt32Ty(), 2);
  m.builder.CreateStore(i, m.argument());
  llvm::Value* next = m.builder.CreateAdd(i, m.builder.getInt32(1));
  i->addIncoming(m.builder.getInt32(0), entry);
  i->addIncoming(next, loop);
  m.builder.CreateCondBr(m.builder.CreateICmpULT(next, m.builder.getInt32(8)), loop, exit);
  m.builder.SetInsertPoint(exit);
  m.builder.CreateRetVoid();
}

/// The names of the passes that LLVM's own pipeline runs for a kernel with a loop.
std::set<std::string> pass_names_of_pipeline() {
  const NvptxMachine prepared(*parse_target("sm_80"));
  KernelModule m(prepared);
  add_loop(m);
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target* nvptx = llvm::TargetRegistry::lookupTarget(triple_argument(triple), error);
  const std::unique_ptr<llvm::TargetMachine> machine(nvptx->createTargetMachine(
      triple_argument(triple), "sm_80", "+ptx70", llvm::TargetOptions(), std::nullopt));
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
  NameRecorder recorder;
  m.context.setOptPassGate(recorder);
  passes.run(m.module);
  m.context.setOptPassGate(llvm::getGlobalPassGate());
  return recorder.names;
}

// A pass that LLVM asks for by another name than ours would run after all, and only cost time.
TEST(Nvptx, LlvmHasThePassesThatAreLeftOutAndCallsThemAsWeDo) {
  const std::set<std::string> asked = pass_names_of_pipeline();
  for (const PassNames& names : passes_left_out()) {
    EXPECT_EQ(asked.count(std::string(names.argument)) + asked.count(std::string(names.title)), 1U)
        << names.argument << " among " << testing::PrintToString(asked);
  }
}

TEST(Target, NamesAreReadBack) {
  for (const char* name : kTargets) {
    ASSERT_TRUE(parse_target(name)) << name;
    EXPECT_EQ(parse_target(name)->name(), name);
  }
  for (const char* name : {"", "sm_", "sm_70", "sm_75", "sm_91", "sm_100a", "90", "sm_90b"}) {
    EXPECT_FALSE(parse_target(name)) << name;
  }
}

// Which ones an older LLVM lacks, EveryTargetWritesItsName would show.
TEST(Target, CodeIsMadeForTheNamesThatAreListedAndTheOthersAreRefusedByName) {
  for (const char* name : kTargets) {
    const Status status = check_target(*parse_target(name));
    const bool is_listed = std::ranges::count(target_names(), std::string_view(name)) == 1;
    EXPECT_EQ(status.ok(), is_listed) << name;
    if (!status) {
      EXPECT_NE(status.error().message.find(name), std::string::npos) << status.error().message;
      EXPECT_EQ(status.error().kind, ErrorKind::Usage);
    }
  }
}

TEST(Target, ADeviceGetsATargetThatCodeIsMadeFor) {
  for (const auto& [major, minor] : {std::pair{8, 0}, {8, 6}, {9, 0}, {10, 0}, {10, 3}, {12, 0}}) {
    const std::optional<Target> target = target_of_device(major, minor);
    ASSERT_TRUE(target);
    EXPECT_TRUE(check_target(*target)) << target->name();
  }
}

TEST(Target, ADeviceGetsItsOwnChipOrTheNearestOlderOne) {
  EXPECT_EQ(target_of_device(9, 0)->name(), "sm_90a");
  EXPECT_EQ(target_of_device(8, 0)->name(), "sm_80");
  EXPECT_EQ(target_of_device(8, 9)->name(), "sm_89");
  EXPECT_EQ(target_of_device(10, 0)->name(), "sm_100");
  EXPECT_EQ(target_of_device(12, 1)->name(), "sm_120");
  EXPECT_FALSE(target_of_device(7, 5));
}

}  // namespace
}  // namespace tilery::codegen
