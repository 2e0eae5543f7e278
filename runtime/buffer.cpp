#include "tilery/buffer.h"

#include "runtime/buffer_impl.h"
#include "runtime/cuda_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <unistd.h>

namespace tilery {

std::string array_text(DType dtype, const Extents& shape) {
  return fmt::format("{}[{}]", name(dtype), fmt::join(shape, ", "));
}

}  // namespace tilery

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

Error no_memory(const Buffer::Impl& impl) {
  return {ErrorKind::Machine,
          fmt::format("no memory for an array of {} ({} bytes)", array_text(impl.dtype, impl.shape),
                      impl.bytes),
          {}};
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
    return no_memory(impl);
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
  (*impl)->defined = Definedness::none_of((*impl)->bytes);
  if ((*impl)->defined == nullptr) {
    return no_memory(**impl);
  }
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

Result<Buffer> Buffer::uninitialised(DType dtype, Extents shape, const Device& device) {
  if (device.kind() == Device::Kind::Interpreter) {
    return uninitialised(dtype, std::move(shape));
  }
  auto impl = describe(dtype, std::move(shape));
  if (!impl) {
    return impl.error();
  }
  if (const Status status = allocate_on_gpu(*device.cuda_device(), **impl); !status) {
    return status.error();
  }
  return Buffer(*std::move(impl));
}

Result<Buffer> Buffer::zeros(DType dtype, Extents shape, const Device& device) {
  if (device.kind() == Device::Kind::Interpreter) {
    return zeros(dtype, std::move(shape));
  }
  Result<Buffer> buffer = uninitialised(dtype, std::move(shape), device);
  if (buffer) {
    if (const Status status = clear_on_gpu(*buffer->impl_); !status) {
      return status.error();
    }
  }
  return buffer;
}

Result<Buffer> Buffer::borrow(DType dtype, Extents shape, void* data, const Device& device) {
  Result<Buffer> buffer = borrow(dtype, std::move(shape), data);
  if (buffer && device.kind() == Device::Kind::Cuda) {
    if (const Status status = place_on_gpu(*device.cuda_device(), *buffer->impl_); !status) {
      return status.error();
    }
  }
  return buffer;
}

Device Buffer::device() const {
  return is_on_gpu() ? *Device::cuda(impl_->context->device->ordinal()) : Device::interpreter();
}

bool Buffer::is_on_gpu() const {
  return impl_->context != nullptr;
}

Status Buffer::copy_from(const void* host, Stream stream) const {
  if (is_on_gpu()) {
    return upload(*impl_, 0, impl_->bytes, host, stream);
  }
  if (impl_->bytes != 0) {
    std::memcpy(impl_->data, host, impl_->bytes);
  }
  impl_->defined.reset();
  return Ok{};
}

Status Buffer::copy_to(void* host, Stream stream) const {
  if (is_on_gpu()) {
    return download(*impl_, 0, impl_->bytes, host, stream);
  }
  if (impl_->bytes != 0) {
    std::memcpy(host, impl_->data, impl_->bytes);
  }
  return Ok{};
}

Result<Buffer> Buffer::to(const Device& device) const {
  Result<Buffer> copy = uninitialised(impl_->dtype, impl_->shape, device);
  if (!copy) {
    return copy;
  }
  Status status = Ok{};
  if (!is_on_gpu()) {
    status = copy->copy_from(impl_->data);
    if (!copy->is_on_gpu() && impl_->defined != nullptr) {
      copy->impl_->defined = impl_->defined->copy();
      if (copy->impl_->defined == nullptr) {
        return no_memory(*impl_);
      }
    }
  } else if (!copy->is_on_gpu()) {
    status = copy_to(copy->data());
    copy->mark_defined();
  } else {
    status = copy_on_gpu(*impl_, *copy->impl_);
  }
  if (!status) {
    return status.error();
  }
  return copy;
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
  const std::size_t size = byte_size(impl_->dtype);
  const std::size_t offset = static_cast<std::size_t>(index) * size;
  if (!is_on_gpu()) {
    return load_number(impl_->dtype, static_cast<const std::byte*>(impl_->data) + offset);
  }
  std::uint64_t element = 0;
  return download(*impl_, offset, size, &element, {}) ? load_number(impl_->dtype, &element)
                                                      : std::numeric_limits<double>::quiet_NaN();
}

void Buffer::set_number(std::int64_t index, double value) {
  const std::size_t size = byte_size(impl_->dtype);
  const std::size_t offset = static_cast<std::size_t>(index) * size;
  if (is_on_gpu()) {
    std::uint64_t element = 0;
    store_number(impl_->dtype, &element, value);
    (void)upload(*impl_, offset, size, &element, {});
    return;
  }
  store_number(impl_->dtype, static_cast<std::byte*>(impl_->data) + offset, value);
  if (impl_->defined != nullptr) {
    impl_->defined->mark(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }
}

bool Buffer::is_defined(std::int64_t index) const {
  const auto size = static_cast<std::size_t>(byte_size(impl_->dtype));
  return impl_->defined == nullptr ||
         impl_->defined->is_marked(static_cast<std::size_t>(index) * size, size);
}

void Buffer::mark_defined() {
  impl_->defined.reset();
}

}  // namespace tilery::inline v0
