#include "tools/compare.h"

#include "tools/array_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace tilery::tools {

namespace {

const std::byte* element(const Buffer& buffer, std::int64_t index) {
  return static_cast<const std::byte*>(buffer.data()) +
         index * static_cast<std::int64_t>(byte_size(buffer.dtype()));
}

/// Integers: the same bits once both are 64 wide; u64 above 2^63 differs from every signed number.
bool are_equal_integers(const Buffer& got, const Buffer& want, std::int64_t i) {
  const std::int64_t a = load_integer(got.dtype(), element(got, i));
  const std::int64_t b = load_integer(want.dtype(), element(want, i));
  const bool same_reading = (got.dtype() == DType::U64) == (want.dtype() == DType::U64) || a >= 0;
  return a == b && same_reading;
}

bool are_equal_floats(DType dtype, double got, double want, const Tolerance& tolerance) {
  if (std::isnan(want) || std::isnan(got)) {
    return std::isnan(want) && std::isnan(got);
  }
  std::uint64_t bits = 0;
  store_number(dtype, &bits, want);
  const double rounded = load_number(dtype, &bits);
  if (got == rounded) {
    return !tolerance.signed_zero || std::signbit(got) == std::signbit(rounded);
  }
  return std::isfinite(got) && std::isfinite(want) &&
         std::abs(got - want) <= tolerance.atol + tolerance.rtol * std::abs(want);
}

/// Position of a float among all floats of its type: neighbours differ by one.
std::int64_t position(DType dtype, double v) {
  std::uint64_t bits = 0;
  store_number(dtype, &bits, v);
  const std::uint64_t sign = std::uint64_t{1} << (byte_size(dtype) * 8 - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::optional<std::uint64_t> ulps_between(DType dtype, double got, double want) {
  if (!std::isfinite(got) || !std::isfinite(want)) {
    return std::nullopt;
  }
  const std::int64_t a = position(dtype, got);
  const std::int64_t b = position(dtype, want);
  return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
               : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

}  // namespace

bool are_comparable(DType a, DType b) {
  return is_float(a) == is_float(b);
}

std::optional<Mismatch> compare(const Buffer& got, const Buffer& want, const Tolerance& tolerance) {
  const DType dtype = got.dtype();
  std::optional<Mismatch> mismatch;
  for (std::int64_t i = 0; i < got.numel(); ++i) {
    // What lies in memory that was never written may be the right number by chance.
    const bool is_unwritten = tolerance.needs_written && !got.is_defined(i);
    const bool is_equal = is_float(dtype)
                              ? are_equal_floats(dtype, got.number(i), want.number(i), tolerance)
                              : are_equal_integers(got, want, i);
    if (is_equal && !is_unwritten) {
      continue;
    }
    if (!mismatch) {
      mismatch = Mismatch{
          i, is_unwritten ? "" : element_text(got, i), element_text(want, i), {}, 0, got.numel()};
      if (is_float(dtype) && !is_unwritten) {
        mismatch->ulps = ulps_between(dtype, got.number(i), want.number(i));
      }
    }
    ++mismatch->count;
    mismatch->unwritten += is_unwritten ? 1 : 0;
  }
  return mismatch;
}

std::string mismatch_text(const Mismatch& mismatch, const Extents& shape) {
  std::vector<std::int64_t> place(shape.size());
  std::int64_t rest = mismatch.index;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  const std::string where =
      shape.size() > 1 ? fmt::format(" [{}]", fmt::join(place, ", ")) : std::string();
  const std::string ulps =
      mismatch.ulps ? fmt::format(" ({} ulps apart)", *mismatch.ulps) : std::string();
  const std::string got =
      mismatch.got.empty() ? "was never written" : fmt::format("is {}", mismatch.got);
  const std::string unwritten =
      mismatch.unwritten > 0 ? fmt::format(", {} of them never written", mismatch.unwritten) : "";
  return fmt::format("element {}{} {}, expected {}{}; {} of {} elements differ{}", mismatch.index,
                     where, got, mismatch.want, ulps, mismatch.count, mismatch.numel, unwritten);
}

}  // namespace tilery::tools
