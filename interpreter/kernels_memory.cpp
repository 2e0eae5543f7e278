// Moving elements between buffers and tiles. Offsets are checked before; here nothing is.
//
// Masks are mostly all true or all false over long stretches, so contiguous accesses look at eight
// mask bytes at a time and go lane by lane only where they are mixed.
#include "interpreter/kernels_lanes.h"
#include "interpreter/kernels_table.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

inline constexpr std::size_t kGroup = 8;
inline constexpr std::uint64_t kAllTrue = 0x0101010101010101U;

std::uint64_t mask_group(const std::uint8_t* mask) {
  std::uint64_t group = 0;
  std::memcpy(&group, mask, sizeof group);
  return group;
}

template <class U>
U load_one(const std::byte* p) {
  U value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class U>
void fill(void* out_data, const void* value, std::size_t n) {
  U* out = static_cast<U*>(out_data);
  const U element = *static_cast<const U*>(value);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = element;
  }
}

/// The value of masked-off lanes: one a lane, or one for all, or zero.
template <class U>
struct Other {
  U zero = 0;
  const U* data;
  std::size_t step;

  explicit Other(const Operand& other)
      : data(other.data == nullptr ? &zero : static_cast<const U*>(other.data)),
        step(other.data == nullptr || other.is_splat ? 0 : 1) {}

  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  [[nodiscard]] U at(std::size_t i) const { return data[i * step]; }
};

template <class U>
void load_masked_row(U* out, const std::byte* base, const std::uint8_t* mask,
                     const Operand& operand, std::size_t n) {
  const Other<U> other(operand);
  std::size_t i = 0;
  for (; i + kGroup <= n; i += kGroup) {
    const std::uint64_t group = mask_group(mask + i);
    if (group == kAllTrue) {
      std::memcpy(out + i, base + (i * sizeof(U)), kGroup * sizeof(U));
      continue;
    }
    for (std::size_t j = i; j < i + kGroup; ++j) {
      out[j] = mask[j] != 0 ? load_one<U>(base + (j * sizeof(U))) : other.at(j);
    }
  }
  for (; i < n; ++i) {
    out[i] = mask[i] != 0 ? load_one<U>(base + (i * sizeof(U))) : other.at(i);
  }
}

template <class U>
void load_strided(void* out_data, const std::byte* base, std::int64_t stride,
                  const std::uint8_t* mask, Operand operand, std::size_t n) {
  U* out = static_cast<U*>(out_data);
  const bool is_contiguous = stride == std::int64_t{sizeof(U)};
  if (mask == nullptr) {
    if (is_contiguous) {
      std::memcpy(out, base, n * sizeof(U));
      return;
    }
    for (std::size_t i = 0; i < n; ++i, base += stride) {
      out[i] = load_one<U>(base);
    }
    return;
  }
  if (is_contiguous) {
    load_masked_row(out, base, mask, operand, n);
    return;
  }
  const Other<U> other(operand);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] =
        mask[i] != 0 ? load_one<U>(base + (static_cast<std::int64_t>(i) * stride)) : other.at(i);
  }
}

template <class U>
void store_strided(std::byte* base, std::int64_t stride, const std::uint8_t* mask, Operand operand,
                   std::size_t n) {
  const U* value = static_cast<const U*>(operand.data);
  const std::size_t step = operand.is_splat ? 0 : 1;
  const bool is_row = stride == std::int64_t{sizeof(U)} && step == 1;
  if (mask == nullptr && is_row) {
    std::memcpy(base, value, n * sizeof(U));
    return;
  }
  std::size_t i = 0;
  for (; is_row && i + kGroup <= n && mask_group(mask + i) == kAllTrue; i += kGroup) {
    std::memcpy(base + (i * sizeof(U)), value + i, kGroup * sizeof(U));
  }
  for (; i < n; ++i) {
    if (mask == nullptr || mask[i] != 0) {
      std::memcpy(base + (static_cast<std::int64_t>(i) * stride), value + (i * step), sizeof(U));
    }
  }
}

template <class U>
void gather(void* out_data, const std::byte* base, const std::int64_t* offsets,
            const std::uint8_t* mask, Operand operand, std::size_t n) {
  U* out = static_cast<U*>(out_data);
  if (mask == nullptr) {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = load_one<U>(base + offsets[i]);
    }
    return;
  }
  const Other<U> other(operand);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = mask[i] != 0 ? load_one<U>(base + offsets[i]) : other.at(i);
  }
}

template <class U>
void scatter(std::byte* base, const std::int64_t* offsets, const std::uint8_t* mask,
             Operand operand, std::size_t n) {
  const U* value = static_cast<const U*>(operand.data);
  const std::size_t step = operand.is_splat ? 0 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (mask == nullptr || mask[i] != 0) {
      std::memcpy(base + offsets[i], value + (i * step), sizeof(U));
    }
  }
}

/// In tiles, so that both sides stay in the cache.
template <class U>
void transpose(void* out_data, const void* in_data, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kTile = 16;
  U* out = static_cast<U*>(out_data);
  const U* in = static_cast<const U*>(in_data);
  for (std::size_t r = 0; r < rows; r += kTile) {
    const std::size_t last_row = r + kTile < rows ? r + kTile : rows;
    for (std::size_t c = 0; c < columns; c += kTile) {
      const std::size_t last_column = c + kTile < columns ? c + kTile : columns;
      for (std::size_t j = c; j < last_column; ++j) {
        for (std::size_t i = r; i < last_row; ++i) {
          out[(j * rows) + i] = in[(i * columns) + j];
        }
      }
    }
  }
}

template <class U>
constexpr MemoryKernels memory_kernels() {
  return {load_strided<U>, store_strided<U>, gather<U>, scatter<U>, fill<U>, transpose<U>};
}

template <class T, class U>
void iota(T* out, T first, T step, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<T>(static_cast<U>(first) + (static_cast<U>(step) * static_cast<U>(i)));
  }
}

bool all_within(const std::int64_t* values, const std::uint8_t* mask, std::int64_t low,
                std::int64_t high, std::size_t n) {
  std::int64_t outside = 0;
  if (mask == nullptr) {
    for (std::size_t i = 0; i < n; ++i) {
      outside |= (values[i] < low) | (values[i] >= high) ? 1 : 0;
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      outside |= ((values[i] < low) | (values[i] >= high)) & (mask[i] != 0) ? 1 : 0;
    }
  }
  return outside == 0;
}

std::size_t count_true(const std::uint8_t* mask, std::size_t n) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    count += mask[i];
  }
  return count;
}

}  // namespace

void fill_memory(KernelTables& tables, Kernels& kernels) {
  tables.memory[0] = memory_kernels<std::uint8_t>();
  tables.memory[1] = memory_kernels<std::uint16_t>();
  tables.memory[2] = memory_kernels<std::uint32_t>();
  tables.memory[3] = memory_kernels<std::uint64_t>();
  kernels.iota_i32 = iota<std::int32_t, std::uint32_t>;
  kernels.iota_i64 = iota<std::int64_t, std::uint64_t>;
  kernels.all_within = all_within;
  kernels.count_true = count_true;
}

}  // namespace tilery::interpreter::TILERY_ISA
