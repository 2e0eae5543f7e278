// shared_ring, ring_insert, ring_read, async_commit, async_wait.
//
// All versions of a ring are one block of shared memory; a ring value is a pointer to it. Who keeps
// copies and reads apart is the pass that made the ring (passes/pipeline_loops.h): async_wait ends
// in a barrier, and no slot is filled that was not read before it.
#include "codegen/emit.h"
#include "codegen/emit_access.h"
#include "codegen/ring_layout.h"
#include "ir/support/check.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

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

// ---- filling
// -------------------------------------------------------------------------------------------------------

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
  const InstId load_id = context.function().value(insert.operand(2)).def;
  const Inst& load = context.inst(load_id);
  const Layout& layout = context.layout(load.result());
  const ElementType element = context.type(load.result()).element;
  const int step = access_width(context, load_id, layout, element);
  const Registers pointers = context.registers(load.operand(0));
  const ValueId mask = load.operand(1);
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
  const ValueId tile = insert.operand(2);
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

// ---- reading
// -------------------------------------------------------------------------------------------------------

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

Registers read_matrices(EmitContext& context, const RingLayout& ring, const Layout& layout,
                        const MatrixRead& read, llvm::Value* start, llvm::Type* element) {
  auto& builder = context.builder();
  const int fast = ring.fast_axis();
  const int slow = 1 - fast;
  const std::size_t matrix_bits = read.matrix_bits.size();
  // A lane gives the address of one row of one matrix: rows run along the slow axis in memory.
  std::vector<std::uint32_t> lane_offsets;
  for (int bit = 0; bit < 3; ++bit) {
    Coordinates at{};
    at[slow] = 1 << bit;
    lane_offsets.push_back(ring.offset(at));
  }
  for (const int bit : read.matrix_bits) {
    lane_offsets.push_back(ring.offset(
        coordinates_of(layout, layout.bases(Place::Register)[static_cast<std::size_t>(bit)])));
  }
  SlotOffsets offsets(context, lane_offsets, offsets_of(ring, layout, Place::Warp));
  const int words = 1 << matrix_bits;
  const int per_word = 1 << read.word_bits;
  const int per_step = words * per_word;
  Registers result(static_cast<std::size_t>(layout.registers()));
  for (int reg = 0; reg < layout.registers(); reg += per_step) {
    llvm::Value* const address = offsets.pointer(start, ring.offset(layout.element(reg, 0, 0)));
    llvm::Value* const loaded = builder.CreateIntrinsic(
        matrix_intrinsic(matrix_bits, read.is_transposed), {address->getType()}, {address});
    for (int i = 0; i < words; ++i) {
      llvm::Value* const piece =
          words == 1 ? loaded : builder.CreateExtractValue(loaded, static_cast<unsigned>(i));
      unpack_word(context, piece, element,
                  std::span(result).subspan(static_cast<std::size_t>(reg + i * per_word),
                                            static_cast<std::size_t>(per_word)));
    }
  }
  return result;
}

Registers read_by_loads(EmitContext& context, const RingLayout& ring, const Layout& layout,
                        llvm::Value* start, llvm::Type* element) {
  auto& builder = context.builder();
  SlotOffsets offsets(context, offsets_of(ring, layout, Place::Lane),
                      offsets_of(ring, layout, Place::Warp));
  Registers result;
  for (int reg = 0; reg < layout.registers(); ++reg) {
    llvm::Value* const address = offsets.pointer(start, ring.offset(layout.element(reg, 0, 0)));
    result.push_back(builder.CreateAlignedLoad(
        element, address, llvm::Align(static_cast<std::uint64_t>(ring.element_bytes()))));
  }
  return result;
}

}  // namespace

void emit_shared_ring(EmitContext& context, InstId id) {
  context.set(context.inst(id).result(), {context.shared_pointer(id)});
}

void emit_ring_insert(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const RingLayout ring = ring_layout_of(context.function(), context.axes(), id);
  llvm::Value* const block = context.scalar(inst.operand(0));
  llvm::Value* const start = slot_start(context, ring, block, context.scalar(inst.operand(1)));
  const InstId source = context.function().value(inst.operand(2)).def;
  if (source && context.inst(source).op == Op::Load && is_async_load(context, source)) {
    fill_async(context, inst, ring, start);
  } else {
    fill_by_stores(context, inst, ring, start);
  }
  context.set(inst.result(), {block});
}

void emit_ring_read(EmitContext& context, InstId id) {
  const Inst& inst = context.inst(id);
  const RingLayout ring = ring_layout_of(context.function(), context.axes(), id);
  const Layout& layout = context.layout(inst.result());
  llvm::Value* const start =
      slot_start(context, ring, context.scalar(inst.operand(0)), context.scalar(inst.operand(1)));
  llvm::Type* const element = context.llvm_type(context.type(inst.result()).element);
  const std::optional<MatrixRead> read = matrix_read(ring, layout);
  context.set(inst.result(), read ? read_matrices(context, ring, layout, *read, start, element)
                                  : read_by_loads(context, ring, layout, start, element));
}

void emit_async_commit(EmitContext& context, InstId id) {
  (void)id;
  auto& builder = context.builder();
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::nvvm_cp_async_commit_group, {});
}

void emit_async_wait(EmitContext& context, InstId id) {
  auto& builder = context.builder();
  const std::int64_t pending = context.inst(id).int_attr(0);
  builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::nvvm_cp_async_wait_group,
                          {builder.getInt32(static_cast<std::uint32_t>(pending))});
  context.barrier();
}

}  // namespace tilery::codegen
