// Arrays that kernels read and write.
#pragma once

#include "tilery/dtype.h"
#include "tilery/result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tilery::inline v0 {

/// Extents of an array from the outermost to the innermost axis; empty for a single element.
using Extents = std::vector<std::int64_t>;

/// A contiguous array in host memory, row-major. A Buffer is a handle: copies share the memory,
/// which lives as long as the last of them (borrowed memory: as long as its owner keeps it).
class TILERY_API Buffer {
 public:
  /// New memory, aligned to 64 bytes, whose elements count as never written: a checked run reports
  /// the use of one. Fails if an extent is negative or the machine has no such memory.
  static Result<Buffer> uninitialised(DType dtype, Extents shape);
  /// New memory filled with zeros.
  static Result<Buffer> zeros(DType dtype, Extents shape);
  /// New memory with a copy of the elements at `data`.
  static Result<Buffer> copy_of(DType dtype, Extents shape, const void* data);
  /// The caller's memory, which must hold all elements and outlive every launch that gets it.
  static Result<Buffer> borrow(DType dtype, Extents shape, void* data);
  /// The same for memory that no kernel may write; a store to it is a finding.
  static Result<Buffer> borrow_read_only(DType dtype, Extents shape, const void* data);

  [[nodiscard]] DType dtype() const;
  [[nodiscard]] const Extents& shape() const;
  /// Number of elements.
  [[nodiscard]] std::int64_t numel() const;
  [[nodiscard]] std::size_t bytes() const;
  /// The first element. Never null for memory of our own, even without elements.
  [[nodiscard]] void* data() const;
  [[nodiscard]] bool is_read_only() const;

  /// Element `index` in row-major order as a number, and writing one (it then counts as written).
  [[nodiscard]] double number(std::int64_t index) const;
  void set_number(std::int64_t index, double value);
  /// True if the element was ever written. Always true unless made by `uninitialised`.
  [[nodiscard]] bool is_defined(std::int64_t index) const;
  /// Declares all elements written, after filling `data()` by other means.
  void mark_defined();

  /// The elements as an array of T, whose size must be the element type's.
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {static_cast<T*>(data()), bytes() / sizeof(T)};
  }

  /// True if both are handles of the same memory.
  friend bool operator==(const Buffer&, const Buffer&) = default;

  struct Impl;

  [[nodiscard]] const std::shared_ptr<Impl>& impl() const { return impl_; }

 private:
  explicit Buffer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<Impl> impl_;
};

}  // namespace tilery::inline v0
