// The addresses that a program sees.
//
// Buffer i occupies the virtual addresses from (i + 1)·2^48 + 2^46 on (plus the low bits of its
// real address, so that alignment is what it really is). The buffers are so far apart that a
// pointer says by itself which buffer it came from, however it was computed, selected, cast, stored
// and loaded again; one that ran off the end of its buffer, or below its start, is still recognised
// as that buffer's and caught. Null is 0. Real addresses, all below 2^47, stand for themselves:
// host code may put them into an array of pointers, and they are looked up among the buffers.
#pragma once

#include "interpreter/interpreter.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilery::interpreter {

/// Why an access is refused.
enum class Fault : std::uint8_t { None, OutOfBounds, Null, NoBuffer, Misaligned, ReadOnly };

/// An address taken apart.
struct Place {
  Fault fault = Fault::None;
  int buffer = -1;          ///< -1 if the address belongs to none
  std::int64_t offset = 0;  ///< bytes from the buffer's start
};

/// The addresses that belong to the same buffer as this one; all 64 bits if it belongs to none.
struct Window {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

[[nodiscard]] Window window_of(std::uint64_t address);

/// `address` moved to `target`. If that would be another buffer's address, the end of the own
/// window instead, far outside of the buffer.
[[nodiscard]] std::uint64_t moved(std::uint64_t address, std::uint64_t target);

class MemoryMap {
 public:
  explicit MemoryMap(std::vector<InterpreterBuffer> buffers);

  [[nodiscard]] const std::vector<InterpreterBuffer>& buffers() const { return buffers_; }

  [[nodiscard]] const InterpreterBuffer& buffer(int index) const { return buffers_[index]; }

  /// The virtual address of a byte of a buffer (which may lie outside of it).
  [[nodiscard]] std::uint64_t address(int buffer, std::int64_t offset) const;

  /// Finds the buffer of an access of `bytes` bytes and whether it is allowed. `alignment` is that
  /// of the element, a power of two.
  [[nodiscard]] Place place(std::uint64_t address, std::int64_t bytes, std::int64_t alignment,
                            bool is_store) const;

  [[nodiscard]] std::byte* data(const Place& place) const {
    return static_cast<std::byte*>(buffers_[place.buffer].data) + place.offset;
  }

  /// Which of the place's buffer was written, or nullptr if all of it was.
  [[nodiscard]] Definedness* defined(const Place& place) const {
    return buffers_[place.buffer].defined;
  }

 private:
  std::vector<InterpreterBuffer> buffers_;
  std::vector<std::uint64_t> base_;
};

}  // namespace tilery::interpreter
