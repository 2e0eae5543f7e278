#include "codegen/layout/holding.h"

#include "ir/support/check.h"

namespace tilery::codegen {
namespace {

void clear_bits(Vectors& vectors, std::uint32_t bits) {
  for (std::uint32_t& vector : vectors) {
    vector &= ~bits;
  }
}

}  // namespace

std::uint32_t holders(const Vectors& vectors, std::uint32_t bit) {
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    mask |= (vectors[i] & bit) != 0 ? 1U << i : 0;
  }
  return mask;
}

void insert_all(F2Span& span, const Vectors& vectors) {
  for (const std::uint32_t vector : vectors) {
    span.insert(vector);
  }
}

Places places_of(const Holding& held, std::uint32_t target) {
  F2Span span;
  for (const Vectors* vectors : {&held.registers, &held.lanes, &held.warps}) {
    insert_all(span, *vectors);
  }
  const auto found = span.solve(target);
  TILERY_CHECK(found.has_value(), "a layout reaches every element");
  const auto part = [&](std::size_t first, std::size_t count) {
    return static_cast<std::uint32_t>(*found >> first & ((1U << count) - 1));
  };
  const std::size_t lane = held.registers.size();
  const std::size_t warp = lane + held.lanes.size();
  return {part(0, lane), part(lane, held.lanes.size()), part(warp, held.warps.size())};
}

ThreadParity copies_of(const Holding& held) {
  F2Span span;
  insert_all(span, held.registers);
  ThreadParity copies;
  for (std::size_t i = 0; i < held.lanes.size(); ++i) {
    copies.lanes |= span.insert(held.lanes[i]) ? 0 : 1U << i;
  }
  for (std::size_t i = 0; i < held.warps.size(); ++i) {
    copies.warps |= span.insert(held.warps[i]) ? 0 : 1U << i;
  }
  return copies;
}

void Holding::forget(std::uint32_t bits) {
  clear_bits(registers, bits);
  clear_bits(lanes, bits);
  clear_bits(warps, bits);
}

}  // namespace tilery::codegen
