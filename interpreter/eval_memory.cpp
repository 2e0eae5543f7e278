// load, store, addptr, debug_barrier.
//
// Three ways to access memory, the first that fits:
//   linear     the pointer is a splat or affine: the box of active lanes is checked by its two ends
//              and moved row by row
//   gathered   any tile of pointers into one buffer: checked and moved lane by lane in a kernel
//   by lanes   anything, also what is refused (access.h)
#include "interpreter/access.h"
#include "interpreter/check/masked_flow.h"
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/eval_affine.h"
#include "interpreter/state.h"

#include <algorithm>
#include <utility>

namespace tilery::interpreter {
namespace {

/// Something about the access needs another level or plan to be told or done.
template <CheckLevel level>
std::uint32_t refuse(ProgramState& state, const Step& step) {
  if constexpr (level == CheckLevel::Fast) {
    return kGoTracked;
  }
  const auto& access = data_of<AccessStep>(step);
  if (!access.is_plain) {
    return kGoPlain;
  }
  access.is_store ? store_lanes<level>(state, step) : load_lanes<level>(state, step);
  return step.next;
}

/// One piece of a row of a linear access: `count` lanes from `first` on.
struct RowPiece {
  std::byte* data = nullptr;
  std::uint8_t* defined = nullptr;
  std::int64_t stride = 0;  ///< bytes between neighbours
  std::size_t first = 0;    ///< lane in the tile
  std::size_t count = 0;
};

bool is_packed(const RowPiece& piece, std::size_t width) {
  return piece.stride == static_cast<std::int64_t>(width);
}

/// Merges axes whose rows follow each other in memory, so that rows become long.
void merge_axes(Shape& shape, Affine& pointer) {
  while (shape.rank() > 1) {
    const int last = shape.rank() - 1;
    if (pointer.stride[last - 1] != pointer.stride[last] * shape[last]) {
      return;
    }
    const std::int64_t extent = shape[last - 1] * shape[last];
    pointer.stride[last - 1] = pointer.stride[last];
    shape.erase(last);
    shape.set(last - 1, extent);
  }
}

/// Calls `visit(piece, before, after)` for each row: the lanes inside the box, and how many lanes
/// of the row lie before and after it.
template <class Visit>
class PieceWalk {
 public:
  PieceWalk(ProgramState& state, const LinearAccess& linear, const Box& box, Visit&& visit)
      : memory_(*state.launch->memory), linear_(linear), box_(box), visit_(visit) {}

  void walk(const Shape& shape) {
    if (shape.rank() <= 1) {
      const std::size_t length = row_length(shape);
      const bool is_scalar = shape.is_scalar();
      piece_.stride = is_scalar ? 0 : linear_.pointer.stride[0];
      return emit(linear_.origin, 0, length, is_scalar ? 0 : static_cast<std::size_t>(box_.low[0]),
                  is_scalar ? 1 : static_cast<std::size_t>(box_.high[0]));
    }
    if (box_.is_full(shape)) {
      Shape merged = shape;
      Affine pointer = linear_.pointer;
      merge_axes(merged, pointer);
      return walk_rows(merged, pointer, Box::full(merged));
    }
    walk_rows(shape, linear_.pointer, box_);
  }

 private:
  void walk_rows(const Shape& shape, const Affine& pointer, const Box& box) {
    const int last = shape.rank() - 1;
    piece_.stride = pointer.stride[last];
    for_each_row(shape, [&](const auto& index, std::size_t row) {
      bool is_inside = true;
      Place place = linear_.origin;
      for (int axis = 0; axis < last; ++axis) {
        is_inside = is_inside && index[axis] >= box.low[axis] && index[axis] < box.high[axis];
        place.offset += pointer.stride[axis] * index[axis];
      }
      emit(place, row, row_length(shape), is_inside ? static_cast<std::size_t>(box.low[last]) : 0,
           is_inside ? static_cast<std::size_t>(box.high[last]) : 0);
    });
  }

  void emit(Place place, std::size_t row, std::size_t length, std::size_t low, std::size_t high) {
    piece_.first = row * length + low;
    piece_.count = high - low;
    if (piece_.count != 0) {
      place.offset += static_cast<std::int64_t>(low) * piece_.stride;
      piece_.data = memory_.data(place);
      piece_.defined = memory_.defined(place);
    }
    visit_(piece_, low, length - high);
  }

  const MemoryMap& memory_;
  const LinearAccess& linear_;
  const Box& box_;
  Visit& visit_;
  RowPiece piece_;
};

template <class Visit>
void for_each_piece(ProgramState& state, const LinearAccess& linear, const Shape& shape,
                    const Box& box, Visit&& visit) {
  PieceWalk<Visit>(state, linear, box, std::forward<Visit>(visit)).walk(shape);
}

// ---- load ---------------------------------------------------------------------------------------

void write_other(const AccessStep& access, const Operand& other, std::byte* out, std::size_t first,
                 std::size_t count) {
  if (count == 0) {
    return;
  }
  std::byte* const target = out + first * access.width;
  if (other.data == nullptr) {
    std::memset(target, 0, count * access.width);
  } else if (other.is_splat) {
    kernels().memory(access.width).fill(target, other.data, count);
  } else {
    std::memcpy(target, static_cast<const std::byte*>(other.data) + first * access.width,
                count * access.width);
  }
}

Operand from_lane(const Operand& operand, std::size_t lane, std::size_t width) {
  if (operand.data == nullptr || operand.is_splat) {
    return operand;
  }
  return {static_cast<const std::byte*>(operand.data) + lane * width, false};
}

void load_piece(const AccessStep& access, const RowPiece& piece, const std::uint8_t* mask,
                const Operand& other, std::byte* out) {
  std::byte* const target = out + piece.first * access.width;
  const MemoryKernels& memory = kernels().memory(access.width);
  if (mask != nullptr) {
    memory.load_strided(target, piece.data, piece.stride, mask + piece.first,
                        from_lane(other, piece.first, access.width), piece.count);
  } else if (is_packed(piece, access.width)) {
    std::memcpy(target, piece.data, piece.count * access.width);
  } else if (piece.stride == 0) {
    memory.fill(target, piece.data, piece.count);
  } else {
    memory.load_strided(target, piece.data, piece.stride, nullptr, {}, piece.count);
  }
}

bool is_defined(const RowPiece& piece, const std::uint8_t* mask, std::size_t width) {
  if (piece.defined == nullptr) {
    return true;
  }
  if (mask == nullptr && is_packed(piece, width)) {
    return std::memchr(piece.defined, 0, piece.count * width) == nullptr;
  }
  for (std::size_t i = 0; i < piece.count; ++i) {
    const std::uint8_t* const cell = piece.defined + static_cast<std::int64_t>(i) * piece.stride;
    if ((mask == nullptr || mask[piece.first + i] != 0) && std::memchr(cell, 0, width) != nullptr) {
      return false;
    }
  }
  return true;
}

bool is_defined(const GatheredAccess& gathered, const std::uint8_t* mask,
                const AccessStep& access) {
  for (std::size_t i = 0; gathered.defined != nullptr && i < access.lanes; ++i) {
    if ((mask == nullptr || mask[i] != 0) &&
        std::memchr(gathered.defined + gathered.offsets[i], 0, access.width) != nullptr) {
      return false;
    }
  }
  return true;
}

void finish_load(const AccessStep& access, std::byte* out) {
  if (access.is_bool) {
    for (std::size_t i = 0; i < access.lanes; ++i) {
      out[i] = std::byte{out[i] != std::byte{0} ? std::uint8_t{1} : std::uint8_t{0}};
    }
  }
}

template <CheckLevel level>
std::uint32_t run_load_gathered(ProgramState& state, const Step& step) {
  const auto& access = data_of<AccessStep>(step);
  const std::uint8_t* const mask = mask_bytes(state, access);
  if constexpr (level == CheckLevel::Fast) {
    if (access.may_leak && mask != nullptr &&
        kernels().count_true(mask, access.lanes) != access.lanes) {
      return kGoTracked;
    }
  }
  const auto gathered = gathered_access(state, access, mask);
  if (!gathered) {
    if (!all_lanes_allowed(state, access, mask)) {
      return refuse<level>(state, step);
    }
    load_lanes<CheckLevel::None>(state, step);
    return step.next;
  }
  if (level == CheckLevel::Fast && !is_defined(*gathered, mask, access)) {
    return kGoTracked;
  }
  const Operand other = access.value ? operand(state, access.value) : Operand{};
  std::byte* const out = bytes(state, access.out);
  kernels()
      .memory(access.width)
      .gather(out, gathered->data, gathered->offsets, mask, other, access.lanes);
  finish_load(access, out);
  return step.next;
}

template <CheckLevel level>
std::uint32_t run_load_linear(ProgramState& state, const Step& step) {
  const auto& access = data_of<AccessStep>(step);
  const ActiveLanes active = active_lanes(state, access);
  if (level == CheckLevel::Fast && access.may_leak && !active.is_all) {
    return kGoTracked;
  }
  const Operand other = access.value ? operand(state, access.value) : Operand{};
  std::byte* const out = bytes(state, access.out);
  const bool is_off =
      active.box.is_empty(access.shape.rank()) || (access.shape.is_scalar() && !active.is_all);
  if (is_off) {
    write_other(access, other, out, 0, access.lanes);
    return step.next;
  }
  const auto linear = linear_access(state, access, active.box);
  if (!linear) {
    return active.bytes != nullptr ? run_load_gathered<level>(state, step)
                                   : refuse<level>(state, step);
  }
  bool defined = true;
  for_each_piece(state, *linear, access.shape, active.box,
                 [&](const RowPiece& piece, std::size_t before, std::size_t after) {
                   write_other(access, other, out, piece.first - before, before);
                   if (piece.count != 0) {
                     defined = defined && is_defined(piece, active.bytes, access.width);
                     load_piece(access, piece, active.bytes, other, out);
                   }
                   write_other(access, other, out, piece.first + piece.count, after);
                 });
  if (level == CheckLevel::Fast && !defined) {
    return kGoTracked;
  }
  finish_load(access, out);
  return step.next;
}

std::uint32_t run_load_tracked(ProgramState& state, const Step& step) {
  load_lanes<CheckLevel::Tracked>(state, step);
  return step.next;
}

// ---- store --------------------------------------------------------------------------------------

void mark_defined(const RowPiece& piece, const std::uint8_t* mask, std::size_t width) {
  if (piece.defined == nullptr) {
    return;
  }
  if (mask == nullptr && is_packed(piece, width)) {
    std::memset(piece.defined, 1, piece.count * width);
    return;
  }
  for (std::size_t i = 0; i < piece.count; ++i) {
    if (mask == nullptr || mask[piece.first + i] != 0) {
      std::memset(piece.defined + static_cast<std::int64_t>(i) * piece.stride, 1, width);
    }
  }
}

void store_piece(const AccessStep& access, const RowPiece& piece, const std::uint8_t* mask,
                 const Operand& value) {
  const MemoryKernels& memory = kernels().memory(access.width);
  const Operand from = from_lane(value, piece.first, access.width);
  if (mask == nullptr && is_packed(piece, access.width)) {
    if (value.is_splat) {
      memory.fill(piece.data, from.data, piece.count);
    } else {
      std::memcpy(piece.data, from.data, piece.count * access.width);
    }
  } else {
    memory.store_strided(piece.data, piece.stride, mask == nullptr ? nullptr : mask + piece.first,
                         from, piece.count);
  }
  mark_defined(piece, mask, access.width);
}

template <CheckLevel level>
std::uint32_t run_store_gathered(ProgramState& state, const Step& step) {
  const auto& access = data_of<AccessStep>(step);
  const std::uint8_t* const mask = mask_bytes(state, access);
  const auto gathered = gathered_access(state, access, mask);
  if (!gathered) {
    if (!all_lanes_allowed(state, access, mask)) {
      return refuse<level>(state, step);
    }
    store_lanes<CheckLevel::None>(state, step);
    return step.next;
  }
  kernels()
      .memory(access.width)
      .scatter(gathered->data, gathered->offsets, mask, operand(state, access.value), access.lanes);
  for (std::size_t i = 0; gathered->defined != nullptr && i < access.lanes; ++i) {
    if (mask == nullptr || mask[i] != 0) {
      std::memset(gathered->defined + gathered->offsets[i], 1, access.width);
    }
  }
  return step.next;
}

template <CheckLevel level>
std::uint32_t run_store_linear(ProgramState& state, const Step& step) {
  const auto& access = data_of<AccessStep>(step);
  const ActiveLanes active = active_lanes(state, access);
  const bool is_off =
      active.box.is_empty(access.shape.rank()) || (access.shape.is_scalar() && !active.is_all);
  if (is_off) {
    return step.next;
  }
  const auto linear = linear_access(state, access, active.box);
  if (!linear) {
    return active.bytes != nullptr ? run_store_gathered<level>(state, step)
                                   : refuse<level>(state, step);
  }
  const Operand value = operand(state, access.value);
  for_each_piece(state, *linear, access.shape, active.box,
                 [&](const RowPiece& piece, std::size_t before, std::size_t after) {
                   (void)before;
                   (void)after;
                   if (piece.count != 0) {
                     store_piece(access, piece, active.bytes, value);
                   }
                 });
  return step.next;
}

std::uint32_t run_store_tracked(ProgramState& state, const Step& step) {
  store_lanes<CheckLevel::Tracked>(state, step);
  return step.next;
}

// ---- addptr -------------------------------------------------------------------------------------

struct AddPtrStep {
  SlotRef out;
  SlotRef pointer;
  SlotRef offset;
  std::uint64_t scale = 1;
  void (*kernel)(std::uint64_t* out, const Operand& pointer, const Operand& offset,
                 std::uint64_t scale, std::size_t n) = nullptr;
};

template <class T>
void add_offsets(std::uint64_t* out, const Operand& pointer, const Operand& offset,
                 std::uint64_t scale, std::size_t n) {
  const auto* const pointers = static_cast<const std::uint64_t*>(pointer.data);
  const auto* const offsets = static_cast<const T*>(offset.data);
  const auto bytes_of = [scale](T count) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(count)) * scale;
  };
  if (offset.is_splat) {
    const std::uint64_t moved = bytes_of(offsets[0]);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = pointers[pointer.is_splat ? 0 : i] + moved;
    }
  } else if (pointer.is_splat) {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = pointers[0] + bytes_of(offsets[i]);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = pointers[i] + bytes_of(offsets[i]);
    }
  }
}

auto add_offsets_of(Scalar scalar) {
  const bool is_signed = is_signed_integer(scalar);
  switch (byte_size(scalar)) {
    case 1:
      return is_signed ? add_offsets<std::int8_t> : add_offsets<std::uint8_t>;
    case 2:
      return is_signed ? add_offsets<std::int16_t> : add_offsets<std::uint16_t>;
    case 4:
      return is_signed ? add_offsets<std::int32_t> : add_offsets<std::uint32_t>;
  }
  return add_offsets<std::int64_t>;
}

template <CheckLevel level>
std::uint32_t run_add_ptr(ProgramState& state, const Step& step) {
  const auto& data = data_of<AddPtrStep>(step);
  data.kernel(reinterpret_cast<std::uint64_t*>(bytes(state, data.out)),
              operand(state, data.pointer), operand(state, data.offset), data.scale,
              data.out.is_splat() ? 1 : data.out.lanes);
  if constexpr (level == CheckLevel::Tracked) {
    const std::array<SlotRef, 2> in{data.pointer, data.offset};
    join_shadows(state, in, data.out, false);
  }
  return step.next;
}

// ---- planning -----------------------------------------------------------------------------------

/// The parts that loads and stores share; `tile` is the value that is moved.
AccessStep& plan_access(Planner& planner, InstId id, ValueId mask, const SlotRef& tile) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<AccessStep>();
  data.is_plain = planner.is_plain();
  data.pointer = planner.spelled(inst.operand(0));
  data.mask = planner.spelled(mask);
  data.width = tile.width;
  const ElementType element = planner.function().type(inst.operand(0)).element.pointee();
  data.is_bool = element.is(Scalar::I1);
  const bool is_single =
      tile.is_splat() && data.pointer.is_splat() && (!data.mask || data.mask.is_splat());
  data.shape = is_single ? Shape{} : tile.shape;
  data.lanes = is_single ? 1 : tile.lanes;
  if (data.mask && data.mask.is_splat()) {
    data.mask.scratch = planner.scratch(data.lanes);
  }
  data.offsets = planner.scratch(data.lanes * sizeof(std::int64_t));
  return data;
}

bool is_linear(const AccessStep& access) {
  return access.pointer.kind == SlotKind::Affine || access.pointer.is_splat();
}

}  // namespace

void eval_load(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  const SlotRef out = planner.result(id);
  AccessStep& data = plan_access(planner, id, inst.operand(1), out);
  data.out = out;
  data.value = planner.spelled(inst.operand(2));
  data.may_leak = planner.flow().may_leak(id);
  if (is_linear(data)) {
    planner.emit(
        id,
        {run_load_linear<CheckLevel::None>, run_load_linear<CheckLevel::Fast>, run_load_tracked},
        &data);
  } else {
    planner.emit(id,
                 {run_load_gathered<CheckLevel::None>, run_load_gathered<CheckLevel::Fast>,
                  run_load_tracked},
                 &data);
  }
}

void eval_store(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  AccessStep& data = plan_access(planner, id, inst.operand(2), planner.ref(inst.operand(1)));
  data.value = planner.spelled(inst.operand(1));
  data.is_store = true;
  if (is_linear(data)) {
    planner.emit(
        id,
        {run_store_linear<CheckLevel::None>, run_store_linear<CheckLevel::Fast>, run_store_tracked},
        &data);
  } else {
    planner.emit(id,
                 {run_store_gathered<CheckLevel::None>, run_store_gathered<CheckLevel::Fast>,
                  run_store_tracked},
                 &data);
  }
}

void eval_addptr(Planner& planner, InstId id) {
  if (plan_affine(planner, id)) {
    return;
  }
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<AddPtrStep>();
  data.out = planner.result(id);
  data.pointer = planner.spelled(inst.operand(0));
  data.offset = planner.spelled(inst.operand(1));
  data.scale = static_cast<std::uint64_t>(
      planner.function().type(inst.result()).element.pointee().byte_size());
  data.kernel = add_offsets_of(data.offset.scalar);
  planner.emit(id, TILERY_STEP_FNS(run_add_ptr), &data);
}

void eval_debug_barrier(Planner& planner, InstId inst) {
  // The lanes of a program run in order.
  (void)planner;
  (void)inst;
}

}  // namespace tilery::interpreter
