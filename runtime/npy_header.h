// The header of a .npy file: magic, version, and a Python dict literal.
//
//     \x93NUMPY 01 00 76 00 {'descr': '<f4', 'fortran_order': False, 'shape': (4, 6), }     \n
//
// It comes from strangers: everything is bounded and checked before anything is allocated.
#pragma once

#include "tilery/buffer.h"
#include "tilery/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilery {

struct NpyHeader {
  std::string descr;  ///< "<f4"
  bool fortran_order = false;
  Extents shape;
};

inline constexpr std::size_t kNpyMaxHeader = 65536;

/// The length of the header's text, from the bytes before it: magic, version and a length of 2
/// bytes in version 1, of 4 in versions 2 and 3. The error says what the file is instead, without
/// its name.
[[nodiscard]] Result<std::size_t> read_npy_preamble(std::string_view bytes);
/// Reads the dict. The error says what is wrong, without the file's name.
[[nodiscard]] Result<NpyHeader> read_npy_header(std::string_view text);
/// Preamble and header of version 1.0, padded so that the data is aligned to 64 bytes.
[[nodiscard]] std::string write_npy_header(const NpyHeader& header);

/// The element type that `descr` means; with `as`, whether it can be read as that. The error says
/// how to save the array differently.
[[nodiscard]] Result<DType> dtype_of_descr(std::string_view descr, std::optional<DType> as);
/// What `dtype` is written as.
[[nodiscard]] std::string descr_of(DType dtype);

}  // namespace tilery
