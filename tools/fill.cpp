#include "tools/fill.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>

namespace tilery::tools {

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): one 64-bit word per step, any seed is a good one.
class Random {
 public:
  Random(std::uint64_t seed, std::string_view name) : state_(seed) {
    for (const char c : name) {
      state_ = next() ^ static_cast<unsigned char>(c);
    }
  }

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1) with `bits` bits after the point.
  double uniform(int bits) { return std::ldexp(static_cast<double>(next() >> (64 - bits)), -bits); }

  /// Box and Muller's normal numbers.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(53)));
    return radius * std::cos(2.0 * std::numbers::pi * uniform(53));
  }

 private:
  std::uint64_t state_;
};

/// Bits that a number in [1/2, 1) has in this type: with so few, rounding never gives 1.
int significand_bits(DType dtype) {
  switch (byte_size(dtype)) {
    case 1:
      return 3;
    case 2:
      return dtype == DType::BF16 ? 8 : 11;
    case 4:
      return 24;
    default:
      return 53;
  }
}

void fill_integers(Buffer& buffer, Random& random, std::int64_t low, std::int64_t high) {
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::size_t size = byte_size(buffer.dtype());
  auto* element = static_cast<std::byte*>(buffer.data());
  for (std::int64_t i = 0; i < buffer.numel(); ++i, element += size) {
    const auto v =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + random.next() % span);
    store_integer(buffer.dtype(), element, v);
  }
}

/// Element i is `value(i)`.
template <class F>
void fill_numbers(Buffer& buffer, F&& value) {
  const std::size_t size = byte_size(buffer.dtype());
  auto* element = static_cast<std::byte*>(buffer.data());
  for (std::int64_t i = 0; i < buffer.numel(); ++i, element += size) {
    store_number(buffer.dtype(), element, value(i));
  }
}

void fill_copies(Buffer& buffer, const TypedScalar& value) {
  const std::size_t size = byte_size(buffer.dtype());
  auto* element = static_cast<std::byte*>(buffer.data());
  for (std::int64_t i = 0; i < buffer.numel(); ++i, element += size) {
    std::memcpy(element, &value.bits, size);
  }
}

/// True if 0, 1, … reach further than the type does.
bool counts_too_far(const Buffer& buffer) {
  if (buffer.numel() == 0) {
    return false;
  }
  const std::int64_t last = buffer.numel() - 1;
  std::uint64_t stored = 0;
  if (is_float(buffer.dtype())) {
    // Rounded, but not past the largest number, where some types stop and others are infinite.
    const auto wanted = static_cast<double>(last);
    store_number(buffer.dtype(), &stored, wanted);
    const double reached = load_number(buffer.dtype(), &stored);
    return !std::isfinite(reached) || wanted - reached > reached / 8;
  }
  store_integer(buffer.dtype(), &stored, last);
  return load_integer(buffer.dtype(), &stored) != last;
}

}  // namespace

Result<Buffer> make_array(const FillValue& fill, const Extents& shape, std::uint64_t seed,
                          std::string_view name) {
  if (fill.kind == FillValue::Kind::Empty) {
    return Buffer::uninitialised(fill.dtype, shape);
  }
  Result<Buffer> buffer = Buffer::zeros(fill.dtype, shape);
  if (!buffer) {
    return buffer;
  }
  Random random(seed, name);
  switch (fill.kind) {
    case FillValue::Kind::Zeros:
    case FillValue::Kind::Empty:
      break;
    case FillValue::Kind::Ones:
      fill_numbers(*buffer, [](std::int64_t) { return 1.0; });
      break;
    case FillValue::Kind::Full:
      fill_copies(*buffer, fill.full);
      break;
    case FillValue::Kind::Arange:
      if (counts_too_far(*buffer)) {
        return Error{ErrorKind::Usage,
                     fmt::format("arange: counts to {}, which does not fit {}", buffer->numel() - 1,
                                 tilery::name(fill.dtype)),
                     {}};
      }
      fill_numbers(*buffer, [](std::int64_t i) { return static_cast<double>(i); });
      break;
    case FillValue::Kind::Rand: {
      const int bits = significand_bits(fill.dtype);
      fill_numbers(*buffer, [&](std::int64_t) { return random.uniform(bits); });
      break;
    }
    case FillValue::Kind::Randn:
      fill_numbers(*buffer, [&](std::int64_t) { return random.normal(); });
      break;
    case FillValue::Kind::Randint:
      fill_integers(*buffer, random, fill.low, fill.high);
      break;
  }
  return buffer;
}

}  // namespace tilery::tools
