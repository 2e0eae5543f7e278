#include "codegen/emit.h"
#include "codegen/emit_lines.h"
#include "codegen/emit_map.h"
#include "codegen/llvm_versions.h"
#include "codegen/ring_layout.h"
#include "ir/support/check.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <bit>

namespace tilery::codegen {
namespace {

using EmitFn = void (*)(EmitContext&, InstId);

/// By Op.
constexpr EmitFn kEmitters[] = {
#define TILERY_OP(Name, id, level, family, signature, effects, summary) emit_##id,
#include "ir/ops.def"
};

/// Consecutive bits of the thread id whose bases are consecutive single bits: they move as one
/// field.
struct BitRun {
  int first = 0;
  int count = 0;
  std::uint32_t base = 0;  ///< of the first bit
};

std::vector<BitRun> bit_runs(std::span<const std::uint32_t> bases) {
  std::vector<BitRun> runs;
  for (int bit = 0; bit < static_cast<int>(bases.size()); ++bit) {
    const std::uint32_t base = bases[bit];
    if (base == 0) {
      continue;
    }
    if (!runs.empty()) {
      BitRun& last = runs.back();
      if (last.first + last.count == bit && std::has_single_bit(last.base) &&
          base == last.base << last.count) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({bit, 1, base});
  }
  return runs;
}

std::uint32_t reach(const BitRun& run) {
  return std::has_single_bit(run.base) ? run.base * ((1U << run.count) - 1) : run.base;
}

}  // namespace

EmitContext::EmitContext(const GpuFunction& gpu, const AxisTable& axes, llvm::Module& module,
                         llvm::Function& kernel)
    : gpu_(gpu), axes_(axes), module_(module), kernel_(kernel), builder_(module.getContext()) {
  auto& context = module.getContext();
  auto* entry = llvm::BasicBlock::Create(context, "entry", &kernel);
  auto* body = llvm::BasicBlock::Create(context, "body", &kernel);
  builder_.SetInsertPoint(entry);
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  values_.resize(gpu.function.values.size());
  is_ring_ = find_ring_values(gpu.function);
  uses_ = find_uses(gpu.function);
}

llvm::IRBuilder<> EmitContext::prologue() {
  return llvm::IRBuilder<>(kernel_.getEntryBlock().getTerminator());
}

const Registers& EmitContext::registers(ValueId value) const {
  const Registers& found = values_[value.index];
  TILERY_CHECK(!found.empty(), "a value is used before it is emitted");
  return found;
}

void EmitContext::set(ValueId value, Registers registers) {
  values_[value.index] = std::move(registers);
}

llvm::Type* EmitContext::llvm_type(ElementType element) const {
  return element_type(module_.getContext(), element);
}

llvm::Type* EmitContext::register_type(ValueId value) const {
  return is_ring(value) ? llvm::PointerType::get(module_.getContext(), kSharedMemory)
                        : llvm_type(type(value).element);
}

llvm::Value* EmitContext::thread_id() {
  if (thread_id_ == nullptr) {
    auto entry = prologue();
    thread_id_ =
        entry.CreateIntrinsic(entry.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  }
  return thread_id_;
}

llvm::Value* EmitContext::lane_id() {
  if (lane_id_ == nullptr) {
    llvm::Value* thread = thread_id();
    auto entry = prologue();
    lane_id_ = entry.CreateAnd(thread, entry.getInt32(kWarpSize - 1));
  }
  return lane_id_;
}

llvm::Value* EmitContext::warp_id() {
  if (warp_id_ == nullptr) {
    llvm::Value* thread = thread_id();
    auto entry = prologue();
    warp_id_ = entry.CreateLShr(thread, entry.getInt32(kLaneBits));
  }
  return warp_id_;
}

llvm::Value* EmitContext::xor_of_bits(std::span<const std::uint32_t> lane_bases,
                                      std::span<const std::uint32_t> warp_bases) {
  std::vector<std::uint32_t> bases(lane_bases.begin(), lane_bases.end());
  bases.resize(kLaneBits);
  bases.insert(bases.end(), warp_bases.begin(), warp_bases.end());
  const auto [place, is_new] = bit_sums_.try_emplace(std::move(bases), nullptr);
  if (!is_new) {
    return place->second;
  }
  llvm::Value* const thread = thread_id();
  auto entry = prologue();
  llvm::Value* sum = entry.getInt32(0);
  std::uint32_t reached = 0;
  for (const BitRun& run : bit_runs(place->first)) {
    llvm::Value* field = nullptr;
    if (std::has_single_bit(run.base)) {
      const int shift = std::countr_zero(run.base) - run.first;
      field = entry.CreateAnd(thread, entry.getInt32(((1U << run.count) - 1) << run.first));
      field = shift >= 0
                  ? entry.CreateShl(field, entry.getInt32(static_cast<std::uint32_t>(shift)))
                  : entry.CreateLShr(field, entry.getInt32(static_cast<std::uint32_t>(-shift)));
    } else {
      llvm::Value* bit = entry.CreateAnd(thread, entry.getInt32(1U << run.first));
      field = entry.CreateSelect(entry.CreateIsNotNull(bit), entry.getInt32(run.base),
                                 entry.getInt32(0));
    }
    sum = (reached & reach(run)) == 0 ? create_disjoint_or(entry, sum, field)
                                      : entry.CreateXor(sum, field);
    reached |= reach(run);
  }
  place->second = sum;
  return sum;
}

llvm::Value* EmitContext::thread_part(const Layout& layout, int axis) {
  std::array<std::vector<std::uint32_t>, 2> parts;
  for (const auto& [place, part] : {std::pair{Place::Lane, 0}, std::pair{Place::Warp, 1}}) {
    for (const std::uint32_t base : layout.bases(place)) {
      parts[part].push_back(layout.axis_part(base, axis));
    }
  }
  return xor_of_bits(parts[0], parts[1]);
}

namespace {

/// The bits of the axis's coordinate that some thread bit reaches.
std::uint32_t thread_reach(const Layout& layout, int axis) {
  std::uint32_t reached = 0;
  for (const Place place : {Place::Lane, Place::Warp}) {
    for (const std::uint32_t base : layout.bases(place)) {
      reached |= layout.axis_part(base, axis);
    }
  }
  return reached;
}

}  // namespace

llvm::Value* EmitContext::coordinate(const Layout& layout, int reg, int axis) {
  llvm::Value* const part = thread_part(layout, axis);
  const auto constant = static_cast<std::uint32_t>(layout.element(reg, 0, 0)[axis]);
  const std::uint32_t base_mask = (1U << layout.base_bits(axis)) - 1;
  const std::uint32_t in_base = constant & base_mask;
  if ((in_base & thread_reach(layout, axis)) == 0) {
    return builder_.CreateAdd(part, builder_.getInt32(constant), "", true, true);
  }
  llvm::Value* const mixed = builder_.CreateXor(part, builder_.getInt32(in_base));
  return builder_.CreateAdd(mixed, builder_.getInt32(constant - in_base), "", true, true);
}

llvm::Value* EmitContext::owner_predicate(const Layout& layout) {
  const std::uint32_t copies = layout.copy_bits(Place::Lane) | layout.copy_bits(Place::Warp)
                                                                   << kLaneBits;
  if (copies == 0) {
    return nullptr;
  }
  llvm::Value* const thread = thread_id();
  auto entry = prologue();
  return entry.CreateIsNull(entry.CreateAnd(thread, entry.getInt32(copies)));
}

llvm::Value* EmitContext::shared_base() {
  constexpr const char* kName = "shared_memory";
  if (llvm::GlobalVariable* found = module_.getGlobalVariable(kName)) {
    return found;
  }
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(llvm()), 0);
  auto* base =
      new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                               kName, nullptr, llvm::GlobalValue::NotThreadLocal, kSharedMemory);
  base->setAlignment(llvm::Align(1024));
  return base;
}

llvm::Value* EmitContext::shared_pointer(InstId id, llvm::Value* byte_offset) {
  const SharedBlock& block = gpu_.shared.at(id.index);
  llvm::Value* const start =
      builder_.CreateConstGEP1_32(builder_.getInt8Ty(), shared_base(), block.offset);
  return byte_offset == nullptr ? start
                                : builder_.CreateGEP(builder_.getInt8Ty(), start, byte_offset);
}

void EmitContext::barrier() {
  if (gpu_.num_warps == 1) {
    warp_barrier();
    return;
  }
  create_block_barrier(builder_);
}

void EmitContext::warp_barrier() {
  builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {},
                           {builder_.getInt32(0xFFFFFFFFU)});
}

void EmitContext::emit_region(RegionId id) {
  const Region& region = gpu_.function.region(id);
  for (std::size_t i = 0; i + 1 < region.insts.size(); ++i) {
    const InstId inst_id = region.insts[i];
    if (lines_ != nullptr) {
      lines_->enter(builder_, inst(inst_id).loc);
    }
    if (gpu_.barriers_before.contains(inst_id.index)) {
      barrier();
    }
    kEmitters[static_cast<int>(inst(inst_id).op)](*this, inst_id);
  }
}

Registers EmitContext::emit_combine(RegionId id, std::span<llvm::Value* const> left,
                                    std::span<llvm::Value* const> right) {
  const Region& region = gpu_.function.region(id);
  TILERY_CHECK(region.args.size() == left.size() + right.size(), "operands of a combine region");
  for (std::size_t i = 0; i < left.size(); ++i) {
    set(region.args[i], {left[i]});
    set(region.args[left.size() + i], {right[i]});
  }
  emit_region(id);
  Registers results;
  for (const ValueId value : gpu_.function.terminator(id).operands) {
    results.push_back(scalar(value));
  }
  return results;
}

}  // namespace tilery::codegen
