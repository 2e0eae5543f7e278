// The GPU's side of Buffer: memory there, and copies from and to it. All work on `impl.context`.
#pragma once

#include "runtime/buffer_impl.h"
#include "runtime/cuda_device.h"
#include "tilery/buffer.h"

#include <cstddef>

namespace tilery {

/// Gives a described array memory on the device.
[[nodiscard]] Status allocate_on_gpu(CudaDevice& device, Buffer::Impl& impl);
/// Declares the array's borrowed address to lie on the device. Fails with ErrorKind::Usage if the
/// driver knows better.
[[nodiscard]] Status place_on_gpu(CudaDevice& device, Buffer::Impl& impl);
/// Fills the array with zero bytes.
[[nodiscard]] Status clear_on_gpu(const Buffer::Impl& impl);
/// Copies `bytes` at `offset` of the array from host memory; without a stream, waits until done.
[[nodiscard]] Status upload(const Buffer::Impl& impl, std::size_t offset, std::size_t bytes,
                            const void* host, Stream stream);
/// The same to host memory.
[[nodiscard]] Status download(const Buffer::Impl& impl, std::size_t offset, std::size_t bytes,
                              void* host, Stream stream);
/// Copies all of `from` into `to`, both on GPUs, the same one or two; waits until done.
[[nodiscard]] Status copy_on_gpu(const Buffer::Impl& from, const Buffer::Impl& to);

}  // namespace tilery
