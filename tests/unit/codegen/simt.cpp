#include "tests/unit/codegen/simt.h"

#include "tests/unit/codegen/simt_mma.h"
#include "tests/unit/codegen/simt_ops.h"
#include "tests/unit/codegen/simt_shared.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>

namespace tilery::testing {
namespace {

constexpr unsigned kSharedSpace = 3;

struct Thread {
  int id = 0;
  llvm::BasicBlock::const_iterator next;
  const llvm::BasicBlock* block = nullptr;
  const llvm::BasicBlock* previous = nullptr;
  const llvm::Instruction* waiting = nullptr;  ///< at this collective instruction
  bool is_done = false;
  std::unordered_map<const llvm::Value*, Bits> values;
};

class BlockRun {
 public:
  BlockRun(const llvm::Function& kernel, const std::vector<std::uint64_t>& arguments, int threads,
           std::uint32_t shared_bytes, const SimtProgram& program)
      : layout_(kernel.getParent()->getDataLayout()),
        shared_(shared_bytes, threads, program.allows_copies),
        program_(program) {
    for (int id = 0; id < threads; ++id) {
      Thread& thread = threads_.emplace_back();
      thread.id = id;
      enter(thread, kernel.getEntryBlock());
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        thread.values[kernel.getArg(static_cast<unsigned>(i))] = {arguments[i]};
      }
    }
  }

  void run() {
    while (true) {
      for (Thread& thread : threads_) {
        while (thread.waiting == nullptr && !thread.is_done) {
          step(thread);
        }
      }
      if (std::all_of(threads_.begin(), threads_.end(),
                      [](const Thread& thread) { return thread.is_done; })) {
        return;
      }
      meet();
    }
  }

 private:
  void enter(Thread& thread, const llvm::BasicBlock& block) const {
    thread.previous = thread.block;
    thread.block = &block;
    thread.next = block.begin();
    // Phis read what was before all of them.
    std::vector<std::pair<const llvm::PHINode*, const llvm::Value*>> phis;
    for (const llvm::PHINode& phi : block.phis()) {
      phis.emplace_back(&phi, phi.getIncomingValueForBlock(thread.previous));
    }
    std::vector<Bits> incoming;
    for (const auto& [phi, value] : phis) {
      incoming.push_back(get(thread, value));
    }
    for (std::size_t i = 0; i < phis.size(); ++i) {
      thread.values[phis[i].first] = incoming[i];
      ++thread.next;
    }
  }

  Bits get(Thread& thread, const llvm::Value* value) const {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
      return constant_bits(*constant, layout_);
    }
    return thread.values.at(value);
  }

  std::uint64_t one(Thread& thread, const llvm::Value* value) const {
    return get(thread, value).front();
  }

  void step(Thread& thread) {
    const llvm::Instruction& inst = *thread.next;
    if (is_collective(inst)) {
      thread.waiting = &inst;
      return;
    }
    ++thread.next;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&inst)) {
      const bool goes_second = branch->isConditional() && one(thread, branch->getCondition()) == 0;
      enter(thread, *branch->getSuccessor(goes_second ? 1 : 0));
    } else if (llvm::isa<llvm::ReturnInst>(inst)) {
      thread.is_done = true;
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
      write(thread, *store->getPointerOperand(), store->getValueOperand()->getType(),
            get(thread, store->getValueOperand()));
    } else {
      thread.values[&inst] = result(thread, inst);
    }
  }

  // ---- memory ----

  /// Elements are copied in one piece, as the hardware does; i1 never occurs.
  void write(Thread& thread, const llvm::Value& pointer, llvm::Type* type, const Bits& value) {
    const unsigned bytes = width_of(type) / 8;
    std::vector<std::byte> data(bytes * value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::memcpy(data.data() + i * bytes, &value[i], bytes);
    }
    const std::uint64_t at = one(thread, &pointer);
    if (pointer.getType()->getPointerAddressSpace() == kSharedSpace) {
      shared_.write(at, data.data(), data.size(), thread.id);
    } else {
      std::memcpy(reinterpret_cast<void*>(at), data.data(), data.size());
    }
  }

  Bits read(Thread& thread, const llvm::Value& pointer, llvm::Type* type) {
    const unsigned bytes = width_of(type) / 8;
    Bits value(part_count(type), 0);
    std::vector<std::byte> data(bytes * value.size());
    const std::uint64_t at = one(thread, &pointer);
    if (pointer.getType()->getPointerAddressSpace() == kSharedSpace) {
      shared_.read(at, data.data(), data.size(), thread.id);
    } else {
      std::memcpy(data.data(), reinterpret_cast<const void*>(at), data.size());
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::memcpy(&value[i], data.data() + i * bytes, bytes);
    }
    return value;
  }

  // ---- values ----

  template <class Fn>
  Bits each(Thread& thread, const llvm::Instruction& inst, const Fn& fn) const {
    const Bits a = get(thread, inst.getOperand(0));
    const Bits b = inst.getNumOperands() > 1 ? get(thread, inst.getOperand(1)) : a;
    Bits out;
    for (std::size_t i = 0; i < a.size(); ++i) {
      out.push_back(masked(fn(a[i], b[i]), width_of(inst.getType())));
    }
    return out;
  }

  Bits result(Thread& thread, const llvm::Instruction& inst) {
    if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&inst)) {
      return each(thread, inst,
                  [&](std::uint64_t a, std::uint64_t b) { return binary_op(*binary, a, b); });
    }
    if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&inst)) {
      return each(thread, inst, [&](std::uint64_t a, std::uint64_t b) {
        return std::uint64_t{compare_op(*compare, a, b)};
      });
    }
    if (const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&inst)) {
      return repacked(get(thread, cast->getOperand(0)), width_of(cast->getSrcTy()),
                      width_of(cast->getDestTy()));
    }
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&inst)) {
      return each(thread, inst, [&](std::uint64_t a, std::uint64_t) { return cast_op(*cast, a); });
    }
    switch (inst.getOpcode()) {
      case llvm::Instruction::FNeg:
        return each(thread, inst, [&](std::uint64_t a, std::uint64_t) {
          return a ^ std::uint64_t{1} << (width_of(inst.getType()) - 1);
        });
      case llvm::Instruction::Select:
        return get(thread, inst.getOperand(one(thread, inst.getOperand(0)) != 0 ? 1 : 2));
      case llvm::Instruction::Load:
        return read(thread, *inst.getOperand(0), inst.getType());
      case llvm::Instruction::Freeze:
        return get(thread, inst.getOperand(0));
      case llvm::Instruction::GetElementPtr:
        return {address(thread, llvm::cast<llvm::GetElementPtrInst>(inst))};
      case llvm::Instruction::ExtractElement:
        return {get(thread, inst.getOperand(0)).at(one(thread, inst.getOperand(1)))};
      case llvm::Instruction::ExtractValue: {
        const auto& extract = llvm::cast<llvm::ExtractValueInst>(inst);
        return {get(thread, inst.getOperand(0)).at(extract.getIndices().front())};
      }
      case llvm::Instruction::InsertElement: {
        Bits vector = get(thread, inst.getOperand(0));
        vector.at(one(thread, inst.getOperand(2))) = one(thread, inst.getOperand(1));
        return vector;
      }
      case llvm::Instruction::Call:
        return call_result(thread, llvm::cast<llvm::CallInst>(inst));
      default:
        unknown(inst);
    }
  }

  std::uint64_t address(Thread& thread, const llvm::GetElementPtrInst& gep) const {
    std::uint64_t at = one(thread, gep.getPointerOperand());
    if (gep.getNumIndices() != 1) {
      unknown(gep);
    }
    const llvm::Value* const index = gep.getOperand(1);
    const auto size = layout_.getTypeAllocSize(gep.getSourceElementType()).getFixedValue();
    at +=
        static_cast<std::uint64_t>(extended(one(thread, index), width_of(index->getType()))) * size;
    return gep.getPointerAddressSpace() == kSharedSpace ? masked(at, 32) : at;
  }

  Bits single_arguments(Thread& thread, const llvm::CallInst& call) const {
    Bits arguments;
    for (const llvm::Use& argument : call.args()) {
      arguments.push_back(one(thread, argument.get()));
    }
    return arguments;
  }

  Bits call_result(Thread& thread, const llvm::CallInst& call) {
    if (call.isInlineAsm()) {
      return {assembly_op(call, single_arguments(thread, call))};
    }
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
    if (intrinsic == nullptr) {
      return function_result(thread, call);
    }
    if (const auto number = special_register(program_, thread.id, intrinsic->getIntrinsicID())) {
      return {static_cast<std::uint64_t>(*number)};
    }
    const Bits arguments = single_arguments(thread, call);
    if (copy(thread, intrinsic->getIntrinsicID(), arguments)) {
      return {0};
    }
    return {masked(intrinsic_op(*intrinsic, arguments), width_of(intrinsic->getType()))};
  }

  /// Of a function without branches.
  Bits function_result(Thread& thread, const llvm::CallInst& call) {
    const llvm::Function* const function = call.getCalledFunction();
    if (function == nullptr || function->isDeclaration()) {
      unknown(call);
    }
    for (const llvm::Argument& argument : function->args()) {
      thread.values[&argument] = get(thread, call.getArgOperand(argument.getArgNo()));
    }
    for (const llvm::Instruction& inst : function->getEntryBlock()) {
      if (const auto* back = llvm::dyn_cast<llvm::ReturnInst>(&inst)) {
        return get(thread, back->getReturnValue());
      }
      thread.values[&inst] = result(thread, inst);
    }
    unknown(call);
  }

  /// cp.async and what commits it and waits for it; false for other intrinsics.
  bool copy(const Thread& thread, llvm::Intrinsic::ID id,
            const std::vector<std::uint64_t>& arguments) {
    const auto copy_bytes = [&](std::size_t bytes) {
      shared_.copy(arguments[0], arguments[1], bytes, arguments[2], thread.id);
    };
    switch (id) {
      case llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
        copy_bytes(16);
        return true;
      case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
        copy_bytes(8);
        return true;
      case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
        copy_bytes(4);
        return true;
      case llvm::Intrinsic::nvvm_cp_async_commit_group:
        shared_.commit(thread.id);
        return true;
      case llvm::Intrinsic::nvvm_cp_async_wait_group:
        shared_.wait(arguments[0], thread.id);
        return true;
      default:
        return false;
    }
  }

  // ---- what threads do together ----

  /// Carries out every collective instruction whose threads are all there.
  void meet() {
    if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& thread) {
          return thread.waiting != nullptr && is_block_barrier(*thread.waiting);
        })) {
      shared_.barrier();
      release(threads_);
      return;
    }
    bool is_stuck = true;
    for (std::size_t first = 0; first < threads_.size(); first += kWarpSize) {
      const std::span<Thread> warp(threads_.data() + first, kWarpSize);
      const llvm::Instruction* const inst = warp.front().waiting;
      if (inst == nullptr || is_block_barrier(*inst)) {
        continue;
      }
      for (const Thread& thread : warp) {
        if (thread.waiting != inst) {
          throw SimtFailure("the lanes of a warp are not all at " + text_of(*inst));
        }
      }
      if (is_mma(*inst)) {
        multiply(warp, llvm::cast<llvm::CallInst>(*inst));
      } else if (is_matrix_load(*inst)) {
        load_matrices(warp, llvm::cast<llvm::IntrinsicInst>(*inst));
      } else {
        meet_warp(warp, llvm::cast<llvm::IntrinsicInst>(*inst));
      }
      release(warp);
      is_stuck = false;
    }
    if (is_stuck) {
      throw SimtFailure("threads wait for each other for ever");
    }
  }

  static void release(std::span<Thread> threads) {
    for (Thread& thread : threads) {
      thread.waiting = nullptr;
      ++thread.next;
    }
  }

  /// ldmatrix: the lanes of each eight give the rows of a matrix, 16 bytes each.
  void load_matrices(std::span<Thread> warp, const llvm::IntrinsicInst& inst) {
    const std::size_t matrices = part_count(inst.getType());
    const bool is_transposed = inst.getCalledFunction()->getName().contains(".trans");
    std::vector<Bits> words(kWarpSize);
    for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
      std::array<std::array<std::uint16_t, 8>, 8> rows{};
      for (std::size_t row = 0; row < rows.size(); ++row) {
        Thread& thread = warp[matrix * 8 + row];
        shared_.read(one(thread, inst.getArgOperand(0)), rows[row].data(), sizeof rows[row],
                     thread.id);
      }
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const std::size_t outer = lane / 4;
        const std::size_t inner = lane % 4 * 2;
        const auto half = [&](std::size_t i) -> std::uint32_t {
          return is_transposed ? rows[inner + i][outer] : rows[outer][inner + i];
        };
        words[lane].push_back(half(0) | half(1) << 16);
      }
    }
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      warp[lane].values[&inst] = words[lane];
    }
  }

  void multiply(std::span<Thread> warp, const llvm::CallInst& call) {
    std::vector<Bits> operands;
    for (Thread& thread : warp) {
      Bits& of_lane = operands.emplace_back();
      for (const llvm::Use& argument : call.args()) {
        const Bits parts = get(thread, argument.get());
        of_lane.push_back(
            parts.size() == 1 ? parts[0] : repacked(parts, width_of(argument->getType()), 32)[0]);
      }
    }
    const std::vector<Bits> results = mma(call, operands);
    for (std::size_t lane = 0; lane < warp.size(); ++lane) {
      warp[lane].values[&call] = results[lane];
    }
  }

  void meet_warp(std::span<Thread> warp, const llvm::IntrinsicInst& inst) {
    const auto argument = [&](int lane, unsigned i) {
      return one(warp[static_cast<std::size_t>(lane)], inst.getArgOperand(i));
    };
    std::vector<std::uint64_t> results(kWarpSize);
    switch (inst.getIntrinsicID()) {
      case llvm::Intrinsic::nvvm_bar_warp_sync:
        // Orders memory within the warp; that is all threads if there is but one.
        if (threads_.size() == kWarpSize) {
          shared_.barrier();
        }
        return;
      case llvm::Intrinsic::nvvm_shfl_sync_bfly_i32:
      case llvm::Intrinsic::nvvm_shfl_sync_idx_i32: {
        const bool is_xor = inst.getIntrinsicID() == llvm::Intrinsic::nvvm_shfl_sync_bfly_i32;
        for (int lane = 0; lane < kWarpSize; ++lane) {
          const int other = static_cast<int>(argument(lane, 2)) ^ (is_xor ? lane : 0);
          results[static_cast<std::size_t>(lane)] = argument(other & (kWarpSize - 1), 1);
        }
        break;
      }
      default: {
        std::uint64_t folded = argument(0, 0);
        for (int lane = 1; lane < kWarpSize; ++lane) {
          folded = warp_fold(inst, folded, argument(lane, 0));
        }
        std::fill(results.begin(), results.end(), folded);
      }
    }
    for (int lane = 0; lane < kWarpSize; ++lane) {
      warp[static_cast<std::size_t>(lane)].values[&inst] = {
          results[static_cast<std::size_t>(lane)]};
    }
  }

  const llvm::DataLayout& layout_;
  SharedMemory shared_;
  SimtProgram program_;
  std::vector<Thread> threads_;
};

}  // namespace

struct SimtKernel::Module {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

SimtKernel::SimtKernel(std::string_view llvm_text) : module_(std::make_unique<Module>()) {
  llvm::SMDiagnostic error;
  module_->module = llvm::parseAssemblyString(llvm::StringRef(llvm_text), error, module_->context);
  if (module_->module == nullptr) {
    ADD_FAILURE() << error.getMessage().str();
  }
}

SimtKernel::~SimtKernel() = default;

std::string SimtKernel::run(const std::vector<std::uint64_t>& arguments, int threads,
                            std::uint32_t shared_bytes, const SimtProgram& program) const {
  if (module_->module == nullptr) {
    return "no kernel";
  }
  const auto kernel = std::find_if(module_->module->begin(), module_->module->end(),
                                   [](const llvm::Function& f) { return !f.isDeclaration(); });
  try {
    BlockRun(*kernel, arguments, threads, shared_bytes, program).run();
  } catch (const SimtFailure& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace tilery::testing
