#include "interpreter/state.h"

#include "ir/builder.h"

#include <cmath>

namespace tilery::interpreter {
bool is_finite_element(Scalar scalar, const std::byte* data) {
  return std::isfinite(decode_float(scalar, static_cast<std::uint64_t>(read_int(data, scalar))));
}

const std::byte* every_lane(ProgramState& state, const SlotRef& ref, std::byte* room) {
  const Operand value = operand(state, ref);
  if (!value.is_splat) {
    return static_cast<const std::byte*>(value.data);
  }
  if (ref.lanes == 1) {
    return static_cast<const std::byte*>(value.data);
  }
  kernels().memory(ref.width).fill(room, value.data, ref.lanes);
  return room;
}

void copy_value(ProgramState& state, const SlotRef& from, const SlotRef& to) {
  const std::byte* const source = bytes(state, from);
  std::byte* const target = bytes(state, to);
  switch (to.kind) {
    case SlotKind::Splat:
      // The only element of a tile, if it is held as one.
      std::memcpy(target, source, to.width);
      if (from.kind == SlotKind::Range) {
        *target = std::byte{box(state, from).is_empty(from.shape.rank()) ? std::uint8_t{0}
                                                                         : std::uint8_t{1}};
      }
      return;
    case SlotKind::Affine:
      if (from.kind == SlotKind::Affine) {
        std::memcpy(target, source, sizeof(Affine));
      } else {
        affine(state, to) = Affine{splat_int(state, from), {}};
      }
      return;
    case SlotKind::Range:
      if (from.kind == SlotKind::Range) {
        std::memcpy(target, source, sizeof(Box));
      } else {
        box(state, to) = is_true(state, from) ? Box::full(to.shape) : Box{};
      }
      return;
    case SlotKind::Dense:
      break;
  }
  if (from.kind == SlotKind::Dense) {
    std::memcpy(target, source, to.bytes());
  } else if (from.kind == SlotKind::Splat) {
    kernels().memory(to.width).fill(target, source, to.lanes);
  } else if (from.kind == SlotKind::Affine) {
    spell_out(affine(state, from), from.shape, from.width, target);
  } else {
    spell_out(box(state, from), from.shape, target);
  }
}

}  // namespace tilery::interpreter
