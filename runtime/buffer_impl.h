// What a Buffer is a handle of.
#pragma once

#include "tilery/buffer.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tilery::inline v0 {

struct Buffer::Impl {
  /// Frees what `allocate` gave; borrowed memory has none.
  struct Free {
    void operator()(void* memory) const;
  };

  DType dtype{};
  Extents shape;
  std::int64_t numel = 0;
  std::size_t bytes = 0;
  void* data = nullptr;
  std::unique_ptr<void, Free> owned;
  bool is_read_only = false;
  /// One byte a byte of data, 1 where it was written; empty: all of it was.
  std::vector<std::uint8_t> defined;
};

}  // namespace tilery::inline v0
