// Arrays that kernels read and write.
#pragma once

#include "tilery/device.h"
#include "tilery/dtype.h"
#include "tilery/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tilery::inline v0 {

/// Extents of an array from the outermost to the innermost axis; empty for a single element.
using Extents = std::vector<std::int64_t>;

/// A CUDA stream (CUstream, cudaStream_t) to work on; nullptr is CUDA's default stream. None: a
/// stream of Tilery's own, which waits for the default stream, and the call returns when its work
/// is done.
using Stream = std::optional<void*>;

/// A contiguous array, row-major, in host memory or on a GPU. A Buffer is a handle: copies share
/// the memory, which lives as long as the last of them (borrowed memory: as long as its owner keeps
/// it).
///
/// A launch on a GPU takes both kinds: arrays in host memory are copied there and back, once each;
/// arrays on the GPU are used where they are. The interpreter takes host memory only.
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

  /// The same on a device: memory of a GPU, aligned to 256 bytes. Freeing it waits for the work
  /// that uses it.
  static Result<Buffer> uninitialised(DType dtype, Extents shape, const Device& device);
  static Result<Buffer> zeros(DType dtype, Extents shape, const Device& device);
  /// The caller's memory on a device, such as that of a PyTorch tensor. Fails with ErrorKind::Usage
  /// if `data` is no address of it.
  static Result<Buffer> borrow(DType dtype, Extents shape, void* data, const Device& device);

  [[nodiscard]] DType dtype() const;
  [[nodiscard]] const Extents& shape() const;
  /// Number of elements.
  [[nodiscard]] std::int64_t numel() const;
  [[nodiscard]] std::size_t bytes() const;
  /// The first element; an address on the GPU if the array lies there. Never null for memory of our
  /// own, even without elements.
  [[nodiscard]] void* data() const;
  [[nodiscard]] bool is_read_only() const;
  /// Where the elements lie; `Device::interpreter()` for host memory.
  [[nodiscard]] Device device() const;
  [[nodiscard]] bool is_on_gpu() const;

  /// Copies all elements from or to host memory. On a stream the copy may still be under way when
  /// the call returns; then `host` must stay until it is done.
  Status copy_from(const void* host, Stream stream = {}) const;
  Status copy_to(void* host, Stream stream = {}) const;
  /// A new array with the same elements on `device`.
  [[nodiscard]] Result<Buffer> to(const Device& device) const;

  /// Element `index` in row-major order as a number, and writing one (it then counts as written).
  /// On a GPU each call copies one element, which is slow; NaN if that fails.
  [[nodiscard]] double number(std::int64_t index) const;
  void set_number(std::int64_t index, double value);
  /// True if the element was ever written. Always true unless made by `uninitialised` in host
  /// memory.
  [[nodiscard]] bool is_defined(std::int64_t index) const;
  /// Declares all elements written, after filling `data()` by other means.
  void mark_defined();

  /// The elements as an array of T, whose size must be the element type's. Host memory only: empty
  /// for an array on a GPU.
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {is_on_gpu() ? nullptr : static_cast<T*>(data()), is_on_gpu() ? 0 : bytes() / sizeof(T)};
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
