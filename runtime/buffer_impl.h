// What a Buffer is a handle of.
#pragma once

#include "interpreter/check/definedness.h"
#include "runtime/cuda_device.h"
#include "tilery/buffer.h"

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace tilery {

/// Frees memory of std::aligned_alloc.
struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace tilery

namespace tilery::inline v0 {

struct Buffer::Impl {
  DType dtype{};
  Extents shape;
  std::int64_t numel = 0;
  std::size_t bytes = 0;
  /// In host memory, or in that of `context`'s GPU.
  void* data = nullptr;
  /// Our own memory; none if it is borrowed.
  std::unique_ptr<void, FreeMemory> owned;
  CudaMemory owned_on_gpu;
  /// The context on whose GPU the elements lie; nullptr: they lie in host memory.
  CudaContext* context = nullptr;
  bool is_read_only = false;
  /// Which of the data was written; none: all of it was.
  std::unique_ptr<Definedness> defined;
};

}  // namespace tilery::inline v0

namespace tilery {

/// "f32[4, 6]", for messages.
[[nodiscard]] std::string array_text(DType dtype, const Extents& shape);

}  // namespace tilery
