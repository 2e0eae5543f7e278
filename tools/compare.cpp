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

/// The number as it is: a long double holds every integer of 64 bits and every float.
long double exact_number(const Buffer& buffer, std::int64_t i) {
  if (is_float(buffer.dtype())) {
    return buffer.number(i);
  }
  const std::int64_t v = load_integer(buffer.dtype(), element(buffer, i));
  return buffer.dtype() == DType::U64 ? static_cast<long double>(static_cast<std::uint64_t>(v))
                                      : static_cast<long double>(v);
}

void keep_larger(std::optional<LargestDifference>& largest, std::int64_t index, long double value) {
  if (!largest || static_cast<double>(value) > largest->value) {
    largest = LargestDifference{index, static_cast<double>(value)};
  }
}

void measure(const Buffer& got, const Buffer& want, std::int64_t i, Mismatch& mismatch) {
  const long double a = exact_number(got, i);
  const long double b = exact_number(want, i);
  if (!std::isfinite(a) || !std::isfinite(b)) {
    return;
  }
  keep_larger(mismatch.absolute, i, std::abs(a - b));
  if (b != 0) {
    keep_larger(mismatch.relative, i, std::abs((a - b) / b));
  }
}

/// "3 [1, 0]"; for one axis "3".
std::string element_place(std::int64_t index, const Extents& shape) {
  return shape.size() > 1 ? fmt::format("{} [{}]", index, fmt::join(place_of(index, shape), ", "))
                          : fmt::format("{}", index);
}

std::string differences_text(const Mismatch& mismatch, const Extents& shape) {
  const auto one = [&](const char* kind, const LargestDifference& d) {
    return fmt::format("{} {:.3g} at element {}", kind, d.value, element_place(d.index, shape));
  };
  if (!mismatch.absolute) {
    return {};
  }
  std::string text = "; largest differences: " + one("absolute", *mismatch.absolute);
  if (mismatch.relative) {
    text += ", " + one("relative", *mismatch.relative);
  }
  return text;
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
      mismatch.emplace();
      mismatch->index = i;
      mismatch->got = is_unwritten ? "" : element_text(got, i);
      mismatch->want = element_text(want, i);
      mismatch->numel = got.numel();
      if (is_float(dtype) && !is_unwritten) {
        mismatch->ulps = ulps_between(dtype, got.number(i), want.number(i));
      }
    }
    ++mismatch->count;
    if (is_unwritten) {
      ++mismatch->unwritten;
    } else {
      measure(got, want, i, *mismatch);
    }
  }
  return mismatch;
}

std::vector<std::int64_t> place_of(std::int64_t index, const Extents& shape) {
  std::vector<std::int64_t> place(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return place;
}

std::string mismatch_text(const Mismatch& mismatch, const Extents& shape) {
  const std::string ulps =
      mismatch.ulps ? fmt::format(" ({} ulps apart)", *mismatch.ulps) : std::string();
  const std::string got =
      mismatch.got.empty() ? "was never written" : fmt::format("is {}", mismatch.got);
  const std::string unwritten =
      mismatch.unwritten > 0 ? fmt::format(", {} of them never written", mismatch.unwritten) : "";
  return fmt::format("element {} {}, expected {}{}; {} of {} elements differ{}{}",
                     element_place(mismatch.index, shape), got, mismatch.want, ulps, mismatch.count,
                     mismatch.numel, unwritten, differences_text(mismatch, shape));
}

}  // namespace tilery::tools
