#include "runtime/cuda_buffer.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tilery {

namespace {

using cuda::Code;

cuda::DevicePointer address(const Buffer::Impl& impl) {
  return reinterpret_cast<cuda::DevicePointer>(impl.data);
}

/// Calls `work(api, stream)`, and waits for it if the caller named no stream.
template <class Work>
Status on_stream(const Buffer::Impl& impl, Stream stream, std::string_view call,
                 std::string_view act, std::size_t bytes, Work work) {
  if (bytes == 0) {
    return Ok{};
  }
  const CudaApi& api = impl.context->device->api();
  const ContextScope scope(*impl.context);
  Code code = work(api, stream ? static_cast<cuda::Stream>(*stream) : impl.context->stream);
  if (code == Code::Success && !stream) {
    call = "cuStreamSynchronize";
    code = api.cuStreamSynchronize(impl.context->stream);
  }
  if (code != Code::Success) {
    return api.failure(
        code, call,
        fmt::format("cannot {} {} bytes of an array {} on {}", act, grouped(bytes),
                    array_text(impl.dtype, impl.shape), impl.context->device->full_name()));
  }
  return Ok{};
}

Error wrong_address(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

}  // namespace

Status allocate_on_gpu(CudaDevice& device, Buffer::Impl& impl) {
  const Result<CudaContext*> context = device.context();
  if (!context) {
    return context.error();
  }
  Result<CudaMemory> memory = CudaMemory::allocate(
      **context, impl.bytes, fmt::format("an array {}", array_text(impl.dtype, impl.shape)));
  if (!memory) {
    return memory.error();
  }
  impl.context = *context;
  impl.owned_on_gpu = *std::move(memory);
  impl.data = cuda::pointer_of(impl.owned_on_gpu.pointer());
  return Ok{};
}

Status place_on_gpu(CudaDevice& device, Buffer::Impl& impl) {
  const Result<CudaContext*> context = device.context();
  if (!context) {
    return context.error();
  }
  impl.context = *context;
  // PyTorch gives empty tensors a null address.
  if (impl.bytes == 0) {
    return Ok{};
  }
  const ContextScope scope(**context);
  int ordinal = -1;
  const Code code = device.api().cuPointerGetAttribute(
      &ordinal, cuda::PointerAttribute::DeviceOrdinal, address(impl));
  if (code != Code::Success) {
    return wrong_address(
        fmt::format("{} is no address that {} knows; borrow host memory without naming a device, "
                    "and launches copy it",
                    impl.data, device.full_name()));
  }
  if (ordinal != device.ordinal()) {
    return wrong_address(
        fmt::format("{} lies on cuda:{}, not on {}", impl.data, ordinal, device.full_name()));
  }
  return Ok{};
}

Status clear_on_gpu(const Buffer::Impl& impl) {
  return on_stream(impl, {}, "cuMemsetD8Async", "clear", impl.bytes,
                   [&](const CudaApi& api, cuda::Stream stream) {
                     return api.cuMemsetD8Async(address(impl), 0, impl.bytes, stream);
                   });
}

Status upload(const Buffer::Impl& impl, std::size_t offset, std::size_t bytes, const void* host,
              Stream stream) {
  return on_stream(impl, stream, "cuMemcpyHtoDAsync", "write", bytes,
                   [&](const CudaApi& api, cuda::Stream s) {
                     return api.cuMemcpyHtoDAsync(address(impl) + offset, host, bytes, s);
                   });
}

Status download(const Buffer::Impl& impl, std::size_t offset, std::size_t bytes, void* host,
                Stream stream) {
  return on_stream(impl, stream, "cuMemcpyDtoHAsync", "read", bytes,
                   [&](const CudaApi& api, cuda::Stream s) {
                     return api.cuMemcpyDtoHAsync(host, address(impl) + offset, bytes, s);
                   });
}

Status copy_on_gpu(const Buffer::Impl& from, const Buffer::Impl& to) {
  return on_stream(to, {}, "cuMemcpyAsync", "write", to.bytes,
                   [&](const CudaApi& api, cuda::Stream stream) {
                     return api.cuMemcpyAsync(address(to), address(from), to.bytes, stream);
                   });
}

}  // namespace tilery
