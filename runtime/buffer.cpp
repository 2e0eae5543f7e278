#include "tilery/buffer.h"

#include "runtime/buffer_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace tilery::inline v0 {

namespace {

constexpr std::size_t kAlignment = 64;

std::string shape_text(const Extents& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// The buffer's facts without memory; fails if the size makes no sense.
Result<std::shared_ptr<Buffer::Impl>> describe(DType dtype, Extents shape) {
  auto impl = std::make_shared<Buffer::Impl>();
  auto bytes = static_cast<std::int64_t>(byte_size(dtype));
  const bool is_empty = std::ranges::find(shape, 0) != shape.end();
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      return Error{
          ErrorKind::Usage, fmt::format("an array cannot have shape {}", shape_text(shape)), {}};
    }
    if (!is_empty && __builtin_mul_overflow(bytes, extent, &bytes)) {
      return Error{
          ErrorKind::Usage,
          fmt::format("an array of shape {} has more bytes than 64 bits count", shape_text(shape)),
          {}};
    }
  }
  impl->dtype = dtype;
  impl->bytes = is_empty ? 0 : static_cast<std::size_t>(bytes);
  impl->numel = static_cast<std::int64_t>(impl->bytes / byte_size(dtype));
  impl->shape = std::move(shape);
  return impl;
}

/// The machine's memory. Linux promises more than there is and kills who uses it, so ask first.
std::size_t memory_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Result<std::shared_ptr<Buffer::Impl>> allocate(DType dtype, Extents shape) {
  auto described = describe(dtype, std::move(shape));
  if (!described) {
    return described;
  }
  Buffer::Impl& impl = **described;
  // Whole cache lines, and at least one: the address of an empty array is a good one too.
  const std::size_t size = (impl.bytes / kAlignment + 1) * kAlignment;
  if (size <= memory_bytes()) {
    impl.data = std::aligned_alloc(kAlignment, size);
    impl.owned.reset(impl.data);
  }
  if (impl.data == nullptr) {
    return Error{ErrorKind::Machine,
                 fmt::format("no memory for an array of {}{} ({} bytes)", name(dtype),
                             shape_text(impl.shape), impl.bytes),
                 {}};
  }
  return described;
}

}  // namespace

Result<Buffer> Buffer::uninitialised(DType dtype, Extents shape) {
  auto impl = allocate(dtype, std::move(shape));
  if (!impl) {
    return impl.error();
  }
  // A pattern that catches the eye: 0xCB gives large negative numbers in every type.
  std::memset((*impl)->data, dtype == DType::I1 ? 0 : 0xCB, (*impl)->bytes);
  (*impl)->defined.assign((*impl)->bytes, 0);
  return Buffer(*std::move(impl));
}

Result<Buffer> Buffer::zeros(DType dtype, Extents shape) {
  auto impl = allocate(dtype, std::move(shape));
  if (!impl) {
    return impl.error();
  }
  std::memset((*impl)->data, 0, (*impl)->bytes);
  return Buffer(*std::move(impl));
}

Result<Buffer> Buffer::copy_of(DType dtype, Extents shape, const void* data) {
  auto impl = allocate(dtype, std::move(shape));
  if (!impl) {
    return impl.error();
  }
  if ((*impl)->bytes != 0) {
    std::memcpy((*impl)->data, data, (*impl)->bytes);
  }
  return Buffer(*std::move(impl));
}

Result<Buffer> Buffer::borrow(DType dtype, Extents shape, void* data) {
  auto impl = describe(dtype, std::move(shape));
  if (!impl) {
    return impl.error();
  }
  (*impl)->data = data;
  return Buffer(*std::move(impl));
}

Result<Buffer> Buffer::borrow_read_only(DType dtype, Extents shape, const void* data) {
  // Nothing writes through the pointer: launches pass the flag on to the interpreter.
  Result<Buffer> buffer = borrow(dtype, std::move(shape), const_cast<void*>(data));
  if (buffer) {
    buffer->impl_->is_read_only = true;
  }
  return buffer;
}

DType Buffer::dtype() const {
  return impl_->dtype;
}

const Extents& Buffer::shape() const {
  return impl_->shape;
}

std::int64_t Buffer::numel() const {
  return impl_->numel;
}

std::size_t Buffer::bytes() const {
  return impl_->bytes;
}

void* Buffer::data() const {
  return impl_->data;
}

bool Buffer::is_read_only() const {
  return impl_->is_read_only;
}

double Buffer::number(std::int64_t index) const {
  return load_number(impl_->dtype, static_cast<const std::byte*>(impl_->data) +
                                       index * static_cast<std::int64_t>(byte_size(impl_->dtype)));
}

void Buffer::set_number(std::int64_t index, double value) {
  const auto size = static_cast<std::int64_t>(byte_size(impl_->dtype));
  store_number(impl_->dtype, static_cast<std::byte*>(impl_->data) + index * size, value);
  if (!impl_->defined.empty()) {
    std::fill_n(impl_->defined.begin() + index * size, size, std::uint8_t{1});
  }
}

bool Buffer::is_defined(std::int64_t index) const {
  if (impl_->defined.empty()) {
    return true;
  }
  const auto size = static_cast<std::int64_t>(byte_size(impl_->dtype));
  const auto first = impl_->defined.begin() + index * size;
  return std::all_of(first, first + size, [](std::uint8_t d) { return d != 0; });
}

void Buffer::mark_defined() {
  impl_->defined.clear();
}

}  // namespace tilery::inline v0
