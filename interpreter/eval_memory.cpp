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
#include "interpreter/row_access.h"
#include "interpreter/state.h"
#include "ir/operands.h"

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

// ---- load ---------------------------------------------------------------------------------------

/// Calls `visit(first, count)` for the bytes of all active lanes, as for_each_run does.
template <class Visit>
bool for_each_gathered_run(const GatheredAccess& gathered, const std::uint8_t* mask,
                           const AccessStep& access, Definedness::Access& defined,
                           const Visit& visit) {
  // About as many as the processor has under way at once.
  constexpr std::size_t kAhead = 12;
  const auto offset_of = [&](std::size_t lane) {
    const std::int64_t offset = gathered.offsets[lane];
    if (lane + kAhead < access.lanes) {
      const std::int64_t later = gathered.offsets[lane + kAhead];
      if (later != offset + static_cast<std::int64_t>(kAhead * access.width)) {
        defined.expect(static_cast<std::size_t>(later));
      }
    }
    return offset;
  };
  return for_each_run(mask, access.lanes, access.width, offset_of, visit);
}

bool is_defined(const GatheredAccess& gathered, const std::uint8_t* mask,
                const AccessStep& access) {
  if (gathered.defined == nullptr) {
    return true;
  }
  Definedness::Access defined(*gathered.defined);
  return for_each_gathered_run(
      gathered, mask, access, defined,
      [&](std::size_t first, std::size_t count) { return defined.is_marked(first, count); });
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
  if (gathered->defined != nullptr) {
    Definedness::Access defined(*gathered->defined);
    for_each_gathered_run(*gathered, mask, access, defined,
                          [&](std::size_t first, std::size_t count) {
                            defined.mark(first, count);
                            return true;
                          });
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
  const auto target = [&](std::size_t i) {
    const auto count = static_cast<std::int64_t>(offsets[offset.is_splat ? 0 : i]);
    return pointers[pointer.is_splat ? 0 : i] + static_cast<std::uint64_t>(count) * scale;
  };
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = target(i);
    changed |= out[i] ^ pointers[pointer.is_splat ? 0 : i];
  }
  constexpr std::uint64_t kOffsetBits = (std::uint64_t{1} << 46) - 1;
  if (changed <= kOffsetBits) {
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = moved(pointers[pointer.is_splat ? 0 : i], target(i));
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
AccessStep& plan_access(Planner& planner, InstId id, const SlotRef& tile) {
  const Inst& inst = planner.inst(id);
  auto& data = planner.data<AccessStep>();
  data.is_plain = planner.is_plain();
  data.pointer = planner.spelled(operand<"ptr">(inst));
  data.mask = planner.spelled(operand<"mask">(inst));
  data.width = tile.width;
  const ElementType element = planner.function().type(operand<"ptr">(inst)).element.pointee();
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
  AccessStep& data = plan_access(planner, id, out);
  data.out = out;
  data.value = planner.spelled(operand<"other">(inst));
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
  AccessStep& data = plan_access(planner, id, planner.ref(operand<"value">(inst)));
  data.value = planner.spelled(operand<"value">(inst));
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
  data.pointer = planner.spelled(operand<"ptr">(inst));
  data.offset = planner.spelled(operand<"offset">(inst));
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
