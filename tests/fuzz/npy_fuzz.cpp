// Fuzz target of the .npy reader: any bytes get an error or an array, which is written as a file
// that reads as the same array.
#include "ir/support/check.h"
#include "runtime/npy_header.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tilery/npy.h"

#include <optional>
#include <string>

namespace tilery {
namespace {

/// The header that save_npy would write says what the array is.
void check_header(const Buffer& array) {
  const std::string bytes = write_npy_header({descr_of(array.dtype()), false, array.shape()});
  const Result<std::size_t> header_bytes = read_npy_preamble(bytes);
  TILERY_CHECK(header_bytes && *header_bytes < bytes.size(), "the written preamble does not read");
  const Result<NpyHeader> header = read_npy_header(bytes.substr(bytes.size() - *header_bytes));
  TILERY_CHECK(header && header->shape == array.shape() && !header->fortran_order,
               "the written header does not read as the same");
  const Result<DType> dtype = dtype_of_descr(header->descr, array.dtype());
  TILERY_CHECK(dtype && *dtype == array.dtype(), "the written type does not read as the same");
}

}  // namespace
}  // namespace tilery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tilery::FuzzFile file(data, size);
  for (const std::optional<tilery::DType> as :
       {std::optional<tilery::DType>(), std::optional(tilery::DType::BF16),
        std::optional(tilery::DType::F8E4NV)}) {
    if (const tilery::Result<tilery::Buffer> array = tilery::load_npy(file.path(), as)) {
      tilery::check_header(*array);
    }
  }
  return 0;
}
