#include "interpreter/memory_map.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilery::interpreter {
namespace {

constexpr int kBufferShift = 48;
constexpr std::uint64_t kBias = std::uint64_t{1} << 46;
constexpr std::uint64_t kLowBits = 0xFFF;
/// Real addresses lie below this, virtual ones above.
constexpr std::uint64_t kRealLimit = std::uint64_t{1} << kBufferShift;

/// A null pointer, perhaps moved by an index.
bool is_near_null(std::uint64_t address) {
  constexpr std::uint64_t kReach = std::uint64_t{1} << 40;
  return address + kReach < 2 * kReach;
}

}  // namespace

Window window_of(std::uint64_t address) {
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << kBufferShift) - 1;
  if (address <= kOffset) {
    return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
  return {static_cast<std::int64_t>(address & ~kOffset),
          static_cast<std::int64_t>(address | kOffset)};
}

std::uint64_t moved(std::uint64_t address, std::uint64_t target) {
  const Window window = window_of(address);
  const auto wanted = static_cast<std::int64_t>(target);
  return static_cast<std::uint64_t>(std::clamp(wanted, window.low, window.high));
}

MemoryMap::MemoryMap(std::vector<InterpreterBuffer> buffers) : buffers_(std::move(buffers)) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const auto real = reinterpret_cast<std::uintptr_t>(buffers_[i].data);
    base_.push_back(((static_cast<std::uint64_t>(i) + 1) << kBufferShift) + kBias +
                    (real & kLowBits));
  }
}

std::uint64_t MemoryMap::address(int buffer, std::int64_t offset) const {
  return base_[buffer] + static_cast<std::uint64_t>(offset);
}

Place MemoryMap::place(std::uint64_t address, std::int64_t bytes, std::int64_t alignment,
                       bool is_store) const {
  Place place;
  const std::uint64_t id = address >> kBufferShift;
  if (id >= 1 && id <= buffers_.size()) {
    place.buffer = static_cast<int>(id - 1);
    place.offset = static_cast<std::int64_t>(address - base_[place.buffer]);
  } else if (address != 0 && address < kRealLimit) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const auto start = reinterpret_cast<std::uintptr_t>(buffers_[i].data);
      if (address >= start && address - start < buffers_[i].bytes) {
        place.buffer = static_cast<int>(i);
        place.offset = static_cast<std::int64_t>(address - start);
        break;
      }
    }
  }
  if (place.buffer < 0) {
    place.fault = is_near_null(address) ? Fault::Null : Fault::NoBuffer;
    return place;
  }
  const InterpreterBuffer& buffer = buffers_[place.buffer];
  const auto size = static_cast<std::int64_t>(buffer.bytes);
  if (place.offset < 0 || bytes > size || place.offset > size - bytes) {
    place.fault = Fault::OutOfBounds;
  } else if ((address & static_cast<std::uint64_t>(alignment - 1)) != 0) {
    place.fault = Fault::Misaligned;
  } else if (is_store && buffer.read_only) {
    place.fault = Fault::ReadOnly;
  }
  return place;
}

}  // namespace tilery::interpreter
