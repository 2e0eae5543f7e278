// Which thread holds which element of a tile, and in which register.
//
// A layout is a map, linear over F2, from the bits of (register, lane, warp, block) to the bits of
// an element's index, times an integer repeat per axis that lives in registers only.
//
// Each extent n of the shape is split as n = 2^k · m with m odd. The *base tile* has the extents
// 2^k; its index, row-major over the axes (the last axis in the lowest bits), is a number of
// `base_bits()` bits. The layout says for every bit of register, lane, warp and block which base
// index it stands for; a set of bits stands for the XOR of theirs. The remaining factors m are
// repeats: register r of a thread is register r mod 2^bits(Register) of repeat r div
// 2^bits(Register), repeats counting row-major over the axes, and its coordinate along an axis is
//
//     repeat · 2^k + (XOR of the bits' contributions along that axis)
//
//     f32[8, 64] by 2 warps, 4 elements a thread along the last axis:
//     register (0,1) (0,2)            lane (0,4) (0,8) (0,16) (0,32) (1,0)         warp (2,0)
//     and the rest of axis 0 in registers again: register … (4,0)
//
// A bit that stands for 0, or for what other bits already reach, makes copies: several threads then
// hold the same element, with the same value. Stores and atomics are left to one of them
// (owner_bits). Everything here is arithmetic on a few dozen integers; nothing depends on LLVM.
#pragma once

#include "codegen/layout/f2.h"
#include "ir/type.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilery::codegen {

/// What holds elements, from the innermost outwards.
enum class Place : std::uint8_t { Register, Lane, Warp, Block };
inline constexpr int kPlaceCount = 4;
inline constexpr int kLaneBits = 5;
inline constexpr int kWarpSize = 32;

/// An element's index along each axis.
using Coordinates = std::array<std::int32_t, Shape::kMaxRank>;

class Layout {
 public:
  /// For each place, what each of its bits stands for, as a base index.
  using Bases = std::array<std::vector<std::uint32_t>, kPlaceCount>;

  /// A scalar in every thread of one warp.
  Layout();
  /// `bases` must reach every index of the base tile, hold 5 lane bits, and have no register bit
  /// that is 0 or reached by other register bits (a thread never holds an element twice); checked.
  Layout(const Shape& shape, Bases bases);

  [[nodiscard]] const Shape& shape() const { return shape_; }

  // ---- the base tile ----
  /// log2 of the base extent along an axis, and the repeat: extent = repeat · 2^base_bits.
  [[nodiscard]] int base_bits(int axis) const { return axis_bits_[axis]; }

  [[nodiscard]] int repeat(int axis) const {
    return static_cast<int>(shape_[axis] >> axis_bits_[axis]);
  }

  /// Bits of a base index, over all axes.
  [[nodiscard]] int base_bits() const { return total_bits_; }

  /// Lowest bit of the axis in a base index.
  [[nodiscard]] int axis_shift(int axis) const { return axis_shift_[axis]; }

  /// The axis's part of a base index, as a coordinate, and the other way round.
  [[nodiscard]] std::uint32_t axis_part(std::uint32_t base_index, int axis) const;
  [[nodiscard]] std::uint32_t base_index_of(int axis, std::uint32_t coordinate) const;

  // ---- the places ----
  [[nodiscard]] int bits(Place place) const {
    return static_cast<int>(bases_[static_cast<int>(place)].size());
  }

  [[nodiscard]] std::span<const std::uint32_t> bases(Place place) const {
    return bases_[static_cast<int>(place)];
  }

  [[nodiscard]] const Bases& bases() const { return bases_; }

  /// Registers of one thread, repeats included.
  [[nodiscard]] int registers() const { return repeats_ << bits(Place::Register); }

  /// Product of the repeats.
  [[nodiscard]] int repeats() const { return repeats_; }

  [[nodiscard]] int warps() const { return 1 << bits(Place::Warp); }

  [[nodiscard]] int threads() const { return warps() * kWarpSize; }

  /// XOR of the contributions of `index`'s bits.
  [[nodiscard]] std::uint32_t base_index(Place place, std::uint32_t index) const;
  /// The element in a register of a thread.
  [[nodiscard]] Coordinates element(int reg, int lane, int warp, int block = 0) const;
  /// The same as a row-major number over the shape.
  [[nodiscard]] std::int64_t element_number(int reg, int lane, int warp, int block = 0) const;

  /// Row-major number of the element that register `reg` holds in thread 0 (lane, warp and block
  /// 0).
  [[nodiscard]] std::int64_t register_element(int reg) const { return element_number(reg, 0, 0); }

  /// The register in which thread 0 holds this element (row-major number); none if another thread
  /// has it.
  [[nodiscard]] std::optional<int> register_of(std::int64_t element) const;

  /// Mask of the bits of a place (Lane, Warp or Block) that add no element: the threads with all of
  /// them 0 hold every element exactly once. Free bits are looked for in blocks first, then warps,
  /// then lanes.
  [[nodiscard]] std::uint32_t copy_bits(Place place) const {
    return copy_bits_[static_cast<int>(place)];
  }

  /// True if every element is in exactly one thread.
  [[nodiscard]] bool has_copies() const;

  /// Elements along `axis` that consecutive registers of a thread hold consecutively, aligned to
  /// that number: a power of two, at least 1.
  [[nodiscard]] int contiguous_registers(int axis) const;

  /// "f32-free" text for tests, messages and `emit --stage layout`, all bits as coordinates:
  /// "reg[(0,1) (0,2) (4,0)] lane[(0,4) …] warp[(2,0)]", repeats appended as " x(1,3)".
  [[nodiscard]] std::string str() const;
  friend bool operator==(const Layout& a, const Layout& b);

 private:
  Shape shape_;
  Bases bases_;
  std::array<std::uint8_t, Shape::kMaxRank> axis_bits_{};
  std::array<std::uint8_t, Shape::kMaxRank> axis_shift_{};
  std::array<std::uint32_t, kPlaceCount> copy_bits_{};
  F2Span register_span_;
  int total_bits_ = 0;
  int repeats_ = 1;
};

// ---- making layouts
// --------------------------------------------------------------------------------------------

/// A scalar: every thread of `num_warps` warps holds it.
[[nodiscard]] Layout scalar_layout(int num_warps);

/// The layout for coalesced memory access: along order[0] (the fastest axis in memory) first
/// `per_thread` elements a thread, then lanes, then the next axes; warps likewise, outermost; what
/// is left goes into registers. `order` is a permutation of the axes, `per_thread` a power of two
/// (cut to the base extent). Threads beyond the tile hold copies.
[[nodiscard]] Layout blocked_layout(const Shape& shape, std::span<const int> order, int per_thread,
                                    int num_warps);
/// The same with another order of the axes for warps.
[[nodiscard]] Layout blocked_layout(const Shape& shape, std::span<const int> order, int per_thread,
                                    int num_warps, std::span<const int> warp_order);

/// The accumulator of `mma.sync.m16n8k*`: the last two axes are a tile of (M, N), warps_m · warps_n
/// warps (M in the low bits of the warp's number); leading axes are in registers. A register's low
/// bits are the instruction's own registers, then come further instructions along N, then along M,
/// then leading axes; each warp's part is in one piece. Where a base extent is smaller than the
/// instruction's, the lanes beyond it hold copies (an instruction makes the same result of copies
/// of its operands), and the instruction's registers beyond it are missing.
[[nodiscard]] Layout mma_accumulator_layout(const Shape& shape, int warps_m, int warps_n);
/// Operand A (M, K) and B (K, N) of the same, of elements of `bits` bits (8, 16, 32): what a thread
/// hands to the instruction, copied over the warps that share it. The low bits of a register are
/// again the instruction's (elements of one 32-bit operand register lowest), then come further ones
/// along K, then along M or N. Smaller tiles as above; lanes beyond K hold copies, which whoever
/// hands them to an instruction must replace by 0.
[[nodiscard]] Layout mma_a_layout(const Shape& shape, int element_bits, int warps_m, int warps_n);
[[nodiscard]] Layout mma_b_layout(const Shape& shape, int element_bits, int warps_m, int warps_n);

// ---- layouts of results
// -------------------------------------------------------------------------------------------

/// The layout of a reduction over `axis`: the axis is gone, what held it holds copies.
[[nodiscard]] Layout slice_layout(const Layout& parent, int axis);
/// With an axis of extent 1 inserted.
[[nodiscard]] Layout expand_layout(const Layout& source, int axis);
/// Result axis i is source axis order[i].
[[nodiscard]] Layout trans_layout(const Layout& source, std::span<const std::int64_t> order);
/// Same elements in row-major order, in the same registers; none if the elements have to move,
/// which only happens between shapes whose extents are not all powers of two.
[[nodiscard]] std::optional<Layout> reshape_layout(const Layout& source, const Shape& shape);
/// A layout of the shape with the axes of extent 1 in `from` cut to 1: the layout that a
/// `broadcast` operand must have for its result to be in `target` without any data moving.
[[nodiscard]] Layout broadcast_source_layout(const Layout& target, const Shape& from);

// ---- relations between layouts
// ------------------------------------------------------------------------------------

/// For every register of `to`, the register of `from` in the same thread that holds the same
/// element; none if for some register that is not the same one in all threads. Says whether a
/// conversion only renames registers.
[[nodiscard]] std::optional<std::vector<int>> register_map(const Layout& from, const Layout& to);

/// The same between different shapes: axis i of `from` has extent 1 or is axis axes[i] of `to`.
/// `from` may thus be what is reduced, broadcast, expanded or transposed to `to`.
[[nodiscard]] std::optional<std::vector<int>> register_map(const Layout& from, const Layout& to,
                                                           std::span<const int> axes);

}  // namespace tilery::codegen
