// shared_ring, ring_insert, ring_read, async_commit, async_wait.
//
// All versions of a ring are one block of shared memory; a ring value is a pointer to it. Who keeps
// copies and reads apart is the pass that made the ring (passes/pipeline_loops.h): async_wait ends
// in a barrier, and no slot is filled that was not read before it.
#include "codegen/dot_plan.h"
#include "codegen/emit.h"
#include "codegen/emit_access.h"
#include "codegen/emit_ring.h"
#include "codegen/ring_layout.h"
#include "ir/attributes.h"
#include "ir/operands.h"
#include "ir/support/check.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace tilery::codegen {
namespace {

/// Offsets in a slot: the XOR of what register, lane and warp bits contribute.
class SlotOffsets {
 public:
  SlotOffsets(EmitContext& context, std::span<const std::uint32_t> lane_offsets,
              std::span<const std::uint32_t> warp_offsets)
      : context_(context),
        lanes_(lane_offsets.begin(), lane_offsets.end()),
        warps_(warp_offsets.begin(), warp_offsets.end()) {
    for (const std::uint32_t offset : lanes_) {
      reach_ |= offset;
    }
    for (const std::uint32_t offset : warps_) {
      reach_ |= offset;
    }
  }

  /// Pointer to `offset` XOR the thread's own in the slot. The part that mixes is computed once for
  /// the whole kernel.
  llvm::Value* pointer(llvm::Value* slot_start, std::uint32_t offset) {
    const std::uint32_t mixed = offset & reach_;
    llvm::Value*& thread = mixed_[mixed];
    if (thread == nullptr) {
      llvm::Value* const own = context_.xor_of_bits(lanes_, warps_);
      auto entry = context_.prologue();
      thread = entry.CreateXor(own, entry.getInt32(mixed));
    }
    auto& builder = context_.builder();
    llvm::Value* const start = builder.CreateInBoundsGEP(builder.getInt8Ty(), slot_start, thread);
    return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), start, offset - mixed);
  }

 private:
  EmitContext& context_;
  std::vector<std::uint32_t> lanes_;
  std::vector<std::uint32_t> warps_;
  std::uint32_t reach_ = 0;
  std::map<std::uint32_t, llvm::Value*> mixed_;
};

Coordinates coordinates_of(const Layout& layout, std::uint32_t base_index) {
  Coordinates at{};
  for (int axis = 0; axis < layout.shape().rank(); ++axis) {
    at[axis] = static_cast<std::int32_t>(layout.axis_part(base_index, axis));
  }
  return at;
}

std::vector<std::uint32_t> offsets_of(const RingLayout& ring, const Layout& layout, Place place) {
  std::vector<std::uint32_t> offsets;
  for (const std::uint32_t base : layout.bases(place)) {
    offsets.push_back(ring.offset(coordinates_of(layout, base)));
  }
  return offsets;
}

llvm::Value* slot_start(EmitContext& context, const RingLayout& ring, llvm::Value* start,
                        llvm::Value* slot) {
  auto& builder = context.builder();
  llvm::Value* const bytes =
      builder.CreateMul(slot, builder.getInt32(ring.slot_bytes()), "", true, true);
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), start, bytes);
}

// ---- filling ----

/// Copies `bytes` (4, 8 or 16) from global to shared memory; where the predicate is off, zeros.
void copy_async(EmitContext& context, llvm::Value* to, llvm::Value* from, int bytes,
                llvm::Value* predicate) {
  auto& builder = context.builder();
  llvm::Intrinsic::ID intrinsic = llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s;
  if (bytes == 8) {
    intrinsic = llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8_s;
  } else if (bytes == 4) {
    intrinsic = llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4_s;
  }
  llvm::Value* const size = builder.getInt32(static_cast<std::uint32_t>(bytes));
  llvm::Value* const read =
      predicate == nullptr ? size : builder.CreateSelect(predicate, size, builder.getInt32(0));
  builder.CreateIntrinsic(builder.getVoidTy(), intrinsic, {to, from, read});
}

void fill_async(EmitContext& context, const Inst& insert, const RingLayout& ring,
                llvm::Value* start) {
  const InstId load_id = context.function().value(operand<"tile">(insert)).def;
  const Inst& load = context.inst(load_id);
  const Layout& layout = context.layout(load.result());
  const ElementType element = context.type(load.result()).element;
  const int step = access_width(context, load_id, layout, element);
  const Registers pointers = context.registers(operand<"ptr">(load));
  const ValueId mask = operand<"mask">(load);
  const Registers masks = mask ? context.registers(mask) : Registers{};
  SlotOffsets offsets(context, offsets_of(ring, layout, Place::Lane),
                      offsets_of(ring, layout, Place::Warp));
  for (int reg = 0; reg < layout.registers(); reg += step) {
    const auto index = static_cast<std::size_t>(reg);
    copy_async(context, offsets.pointer(start, ring.offset(layout.element(reg, 0, 0))),
               pointers[index], step * element.byte_size(), masks.empty() ? nullptr : masks[index]);
  }
}

void fill_by_stores(EmitContext& context, const Inst& insert, const RingLayout& ring,
                    llvm::Value* start) {
  auto& builder = context.builder();
  const ValueId tile = operand<"tile">(insert);
  const Layout& layout = context.layout(tile);
  const Registers registers = context.registers(tile);
  SlotOffsets offsets(context, offsets_of(ring, layout, Place::Lane),
                      offsets_of(ring, layout, Place::Warp));
  for (int reg = 0; reg < layout.registers(); ++reg) {
    builder.CreateAlignedStore(registers[static_cast<std::size_t>(reg)],
                               offsets.pointer(start, ring.offset(layout.element(reg, 0, 0))),
                               llvm::Align(static_cast<std::uint64_t>(ring.element_bytes())));
  }
}

// ---- reading ----

/// How ldmatrix serves a layout: a matrix is 8 rows of 16 bytes, and a thread gets 4 bytes of one
/// row, or, transposed, two 16-bit elements of one column.
struct MatrixRead {
  bool is_transposed = false;
  int word_bits = 0;  ///< register bits below the matrix: the elements of a thread's 4 bytes
  std::vector<int>
      matrix_bits;  ///< register bits that choose among the matrices of one instruction, at most 2
};

/// Base index with `coordinate` along an axis of the tile.
std::uint32_t base_of(const Layout& layout, int axis, int coordinate) {
  return layout.base_index_of(axis, static_cast<std::uint32_t>(coordinate));
}

/// True if the lane bits are those of a thread's place in matrices: along `inner` beyond the word,
/// then along `outer`.
bool lanes_match(const Layout& layout, int inner, int inner_step, int outer) {
  const auto lanes = layout.bases(Place::Lane);
  return lanes[0] == base_of(layout, inner, inner_step) &&
         lanes[1] == base_of(layout, inner, 2 * inner_step) &&
         lanes[2] == base_of(layout, outer, 1) && lanes[3] == base_of(layout, outer, 2) &&
         lanes[4] == base_of(layout, outer, 4);
}

std::optional<MatrixRead> matrix_read(const RingLayout& ring, const Layout& layout) {
  const int rank = layout.shape().rank();
  if (rank != 2 || layout.repeats() != 1 || ring.element_bytes() > 4) {
    return {};
  }
  const int fast = ring.fast_axis();
  const int slow = 1 - fast;
  const auto registers = layout.bases(Place::Register);
  const int per_word = 4 / ring.element_bytes();
  MatrixRead read;
  read.word_bits = std::countr_zero(static_cast<unsigned>(per_word));
  if (static_cast<int>(registers.size()) < read.word_bits || layout.shape()[slow] < 8 ||
      layout.shape()[fast] * ring.element_bytes() < 16) {
    return {};
  }
  bool is_straight = lanes_match(layout, fast, per_word, slow);
  for (int bit = 0; bit < read.word_bits; ++bit) {
    is_straight =
        is_straight && registers[static_cast<std::size_t>(bit)] == base_of(layout, fast, 1 << bit);
  }
  read.is_transposed = !is_straight && ring.element_bytes() == 2 &&
                       lanes_match(layout, slow, 2, fast) &&
                       registers[0] == base_of(layout, slow, 1);
  if (!is_straight && !read.is_transposed) {
    return {};
  }
  for (int bit = read.word_bits;
       bit < static_cast<int>(registers.size()) && read.matrix_bits.size() < 2; ++bit) {
    read.matrix_bits.push_back(bit);
  }
  return read;
}

llvm::Intrinsic::ID matrix_intrinsic(std::size_t bits, bool is_transposed) {
  constexpr std::array kStraight{llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16,
                                 llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16,
                                 llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16};
  constexpr std::array kTransposed{llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16,
                                   llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16,
                                   llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16};
  return is_transposed ? kTransposed[bits] : kStraight[bits];
}

/// The elements of a thread's word.
void unpack_word(EmitContext& context, llvm::Value* word, llvm::Type* element,
                 std::span<llvm::Value*> into) {
  auto& builder = context.builder();
  if (into.size() == 1) {
    into[0] = builder.CreateBitCast(word, element);
    return;
  }
  llvm::Value* const vector = builder.CreateBitCast(
      word, llvm::FixedVectorType::get(element, static_cast<unsigned>(into.size())));
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = builder.CreateExtractElement(vector, i);
  }
}

/// The lanes' part of a matrix's row address: rows run along the slow axis in memory, matrices as
/// the register bits say.
std::vector<std::uint32_t> row_address_offsets(const RingLayout& ring, const Layout& layout,
                                               const MatrixRead& read) {
  std::vector<std::uint32_t> offsets;
  for (int bit = 0; bit < 3; ++bit) {
    Coordinates at{};
    at[1 - ring.fast_axis()] = 1 << bit;
    offsets.push_back(ring.offset(at));
  }
  for (const int bit : read.matrix_bits) {
    offsets.push_back(ring.offset(
        coordinates_of(layout, layout.bases(Place::Register)[static_cast<std::size_t>(bit)])));
  }
  return offsets;
}

}  // namespace

struct RingReader::State {
  EmitContext& context;
  RingLayout ring;
  const Layout& layout;
  llvm::Type* element = nullptr;
  llvm::Value* start = nullptr;
  std::optional<MatrixRead> read;
  std::optional<SlotOffsets> offsets;
  Registers loaded;

  /// The registers that one ldmatrix gives, from `first` on.
  void load_matrices(int first) {
    auto& builder = context.builder();
    const int words = 1 << read->matrix_bits.size();
    const int per_word = 1 << read->word_bits;
    llvm::Value* const address = offsets->pointer(start, ring.offset(layout.element(first, 0, 0)));
    llvm::Value* const result =
        builder.CreateIntrinsic(matrix_intrinsic(read->matrix_bits.size(), read->is_transposed),
                                {address->getType()}, {address});
    for (int i = 0; i < words; ++i) {
      llvm::Value* const word =
          words == 1 ? result : builder.CreateExtractValue(result, static_cast<unsigned>(i));
      unpack_word(context, word, element,
                  std::span(loaded).subspan(static_cast<std::size_t>(first + i * per_word),
                                            static_cast<std::size_t>(per_word)));
    }
  }

  void load_element(int reg) {
    llvm::Value* const address = offsets->pointer(start, ring.offset(layout.element(reg, 0, 0)));
    loaded[static_cast<std::size_t>(reg)] = context.builder().CreateAlignedLoad(
        element, address, llvm::Align(static_cast<std::uint64_t>(ring.element_bytes())));
  }
};

RingReader::RingReader(EmitContext& context, InstId ring_read) {
  const Inst& inst = context.inst(ring_read);
  const Layout& layout = context.layout(inst.result());
  state_ =
      std::make_unique<State>(State{context,
                                    ring_layout_of(context.function(), context.axes(), ring_read),
                                    layout,
                                    context.llvm_type(context.type(inst.result()).element),
                                    nullptr,
                                    {},
                                    {},
                                    {}});
  state_->start = slot_start(context, state_->ring, context.scalar(operand<"ring">(inst)),
                             context.scalar(operand<"slot">(inst)));
  state_->read = matrix_read(state_->ring, layout);
  const std::vector<std::uint32_t> lanes =
      state_->read ? row_address_offsets(state_->ring, layout, *state_->read)
                   : offsets_of(state_->ring, layout, Place::Lane);
  state_->offsets.emplace(context, lanes, offsets_of(state_->ring, layout, Place::Warp));
  state_->loaded.resize(static_cast<std::size_t>(layout.registers()));
}

RingReader::~RingReader() = default;
RingReader::RingReader(RingReader&&) noexcept = default;

llvm::Value* RingReader::at(int reg) {
  llvm::Value*& value = state_->loaded[static_cast<std::size_t>(reg)];
  if (value == nullptr) {
    if (state_->read) {
      const int group = 1 << (state_->read->matrix_bits.size() +
                              static_cast<std::size_t>(state_->read->word_bits));
      state_->load_matrices(reg / group * group);
    } else {
      state_->load_element(reg);
    }
  }
  return value;
}

namespace {

bool is_factor(EmitContext& context, const Use& use) {
  const Inst& user = context.inst(use.user);
  return user.op == Op::Dot && use.operand < 2 &&
         plan_dot(context.function(), user, context.gpu().target).path == DotPath::TensorCore;
}

bool is_only_factor(EmitContext& context, ValueId value) {
  return std::ranges::all_of(context.uses().of(value),
                             [&](const Use& use) { return is_factor(context, use); });
}

}  // namespace

InstId deferred_read(EmitContext& context, ValueId value) {
  InstId def = context.function().value(value).def;
  if (!def) {
    return {};
  }
  if (context.inst(def).op == Op::Trans) {
    const ValueId source = operand<"x">(context.inst(def));
    const auto uses = context.uses().of(source);
    const bool is_alone = std::ranges::all_of(uses, [&](const Use& use) {
      return context.inst(use.user).op == Op::Trans &&
             is_only_factor(context, context.inst(use.user).result());
    });
    def = is_alone ? context.function().value(source).def : InstId();
  } else if (!is_only_factor(context, value)) {
    return {};
  }
  return def && context.inst(def).op == Op::RingRead ? def : InstId();
}

namespace {

/// A ring_read that all its dots do themselves.
bool is_deferred(EmitContext& context, const Inst& ring_read) {
  const auto uses = context.uses().of(ring_read.result());
  return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
    const Inst& user = context.inst(use.user);
    return static_cast<bool>(
        deferred_read(context, user.op == Op::Trans ? user.result() : ring_read.result()));
  });
}

}  // namespace

void emit_shared_ring(EmitContext& context, InstId id) {
  context.set(context.inst(id).result(), {context.shared_pointer(id)});
}

void emit_ring_insert(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const RingLayout ring = ring_layout_of(context.function(), context.axes(), id);
  llvm::Value* const block = context.scalar(operand<"ring">(inst));
  llvm::Value* const start =
      slot_start(context, ring, block, context.scalar(operand<"slot">(inst)));
  const InstId source = context.function().value(operand<"tile">(inst)).def;
  if (source && context.inst(source).op == Op::Load && is_async_load(context, source)) {
    fill_async(context, inst, ring, start);
  } else {
    fill_by_stores(context, inst, ring, start);
  }
  context.set(inst.result(), {block});
}

void emit_ring_read(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  if (is_deferred(context, inst)) {
    return;
  }
  RingReader reader(context, id);
  Registers registers;
  for (int reg = 0; reg < context.layout(inst.result()).registers(); ++reg) {
    registers.push_back(reader.at(reg));
  }
  context.set(inst.result(), std::move(registers));
}

void emit_async_commit(EmitContext& context, InstId id) {
  (void)id;
  auto& builder = context.builder();
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::nvvm_cp_async_commit_group, {});
}

void emit_async_wait(EmitContext& context, InstId id) {
  auto& builder = context.builder();
  const std::int64_t pending = int_attr<"pending">(context.inst(id));
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::nvvm_cp_async_wait_group,
                          {builder.getInt32(static_cast<std::uint32_t>(pending))});
  context.barrier();
}

}  // namespace tilery::codegen
