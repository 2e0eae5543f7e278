// SHA-256 (FIPS 180-4): names of cache entries and their checksums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilery {

using Sha256Digest = std::array<std::uint8_t, 32>;

/// Takes text in pieces. Two sequences of pieces that concatenate to the same bytes agree.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// Ends the text; nothing may be added after.
  [[nodiscard]] Sha256Digest finish();

 private:
  void add_block(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t size_ = 0;
};

[[nodiscard]] Sha256Digest sha256(std::string_view bytes);
/// 64 lower-case digits.
[[nodiscard]] std::string hex(const Sha256Digest& digest);

}  // namespace tilery
