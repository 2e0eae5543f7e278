// The GPU that code is made for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilery::codegen {

/// What one of a chip's multiprocessors (SMs) holds at once.
struct SmLimits {
  int blocks = 0;
  int warps = 0;
  int registers = 65536;  ///< of 32 bits
  std::uint32_t shared_bytes = 0;
};

/// Of the shared memory of an SM, what the system takes for each thread block.
inline constexpr std::uint32_t kReservedSharedBytes = 1024;

/// A chip and the PTX version that code for it is written in: the lowest that has what we use.
struct Target {
  int sm = 80;  ///< compute capability as two digits: 80, 86, 89, 90, 100, 120
  bool exact_chip =
      false;     ///< the chip's own instructions, without forward compatibility ("sm_90a")
  int ptx = 80;  ///< 80 is PTX 8.0

  /// "sm_90a".
  [[nodiscard]] std::string name() const;
  /// Largest shared memory of one thread block, in bytes.
  [[nodiscard]] std::uint32_t max_shared_bytes() const;
  [[nodiscard]] SmLimits sm_limits() const;

  // ---- what the chip can do; the table of gpu features, one line each, is in target.cpp ----
  [[nodiscard]] bool has_fp8_convert() const { return sm >= 89; }

  /// mma.sync of fp8 that keeps to the bound of a dot. The chips with fp8 units in mma.sync (8.9
  /// and 12.x) do not: sums have 13 bits there. The data-centre chips since 9.0 multiply it as
  /// fp16.
  [[nodiscard]] bool has_exact_fp8_mma() const { return sm >= 90 && sm < 120; }

  /// fp64 units in mma.sync, which 8.6, 8.9 and 12.x only pretend to have.
  [[nodiscard]] bool has_f64_mma() const { return sm == 80 || (sm >= 90 && sm < 120); }

  /// mma.sync of fp64 of the shape 16 × 8 × 8; before, 8 × 8 × 4.
  [[nodiscard]] bool has_large_f64_mma() const { return sm >= 90; }

  friend bool operator==(const Target&, const Target&) = default;
};

/// Reads "sm_80", "sm_90a", "sm_100"; none for what we make no code for.
[[nodiscard]] std::optional<Target> parse_target(std::string_view name);
/// The names that code is made for: all but what check_target (llvm_release.h) refuses.
[[nodiscard]] std::span<const std::string_view> target_names();
/// The target for a device of this compute capability: sm_90a on 9.0, the plain one elsewhere; none
/// below 8.0.
[[nodiscard]] std::optional<Target> target_of_device(int major, int minor);

}  // namespace tilery::codegen
