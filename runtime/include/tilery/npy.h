// NumPy's .npy files.
//
// Format versions 1 to 3 are read, C order and little-endian only; 1.0 is written. bf16 is stored
// as ml_dtypes stores it, with the type `<V2`; fp8 as `|V1`, which does not tell the five fp8 types
// apart, so that reading one needs `as`. Both are also read from arrays of uint16 and uint8 when
// `as` asks for them.
#pragma once

#include "tilery/buffer.h"
#include "tilery/result.h"

#include <optional>
#include <string>

namespace tilery::inline v0 {

/// Reads an array. With `as` the file must hold that type (or bare bits of its size, see above).
/// The error says what the file holds and how to save it so that it can be read.
[[nodiscard]] TILERY_API Result<Buffer> load_npy(const std::string& path,
                                                 std::optional<DType> as = {});
/// Writes an array to a temporary file beside `path` and renames it: there is never a half-written
/// file. A symbolic link stays one; into a device or a pipe the array is written directly.
TILERY_API Status save_npy(const std::string& path, const Buffer& buffer);

}  // namespace tilery::inline v0
