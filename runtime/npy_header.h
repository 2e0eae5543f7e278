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

/// Bytes before the header's text: magic, version and length. Version 1 has a length of 2 bytes,
/// versions 2 and 3 of 4.
struct NpyPreamble {
  std::size_t preamble_bytes = 0;
  std::size_t header_bytes = 0;
};

inline constexpr std::size_t kNpyMaxPreamble = 12;
inline constexpr std::size_t kNpyMaxHeader = 65536;

/// Reads the first bytes of a file (up to kNpyMaxPreamble of them). The error says what the file
/// is instead, without its name.
[[nodiscard]] Result<NpyPreamble> read_npy_preamble(std::string_view bytes);
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
