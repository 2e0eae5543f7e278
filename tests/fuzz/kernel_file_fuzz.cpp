// Fuzz target of the reader of cached kernels. The input is what stands behind the checksum, which
// no fuzzer guesses; the head is made here. Any fields are refused or give a binary that is written
// as the very same bytes.
#include "ir/support/check.h"
#include "runtime/kernel_file.h"
#include "tests/fuzz/fuzz_target.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilery {
namespace {

// magic, version, key, length of the rest, checksum
constexpr std::size_t kLengthAt = 8 + 4 + 32;
constexpr std::size_t kFieldsAt = kLengthAt + 8 + 32;

/// A sound file with its fields replaced, and length and checksum to match.
std::string file_with(const Sha256Digest& key, std::string_view fields) {
  std::string file = write_kernel_file(key, {}).substr(0, kLengthAt);
  for (int i = 0; i < 8; ++i) {
    file += static_cast<char>(fields.size() >> (8 * i));
  }
  const Sha256Digest sum = sha256(fields);
  file.append(reinterpret_cast<const char*>(sum.data()), sum.size());
  TILERY_CHECK(file.size() == kFieldsAt, "the form of a kernel file has changed");
  return file.append(fields);
}

}  // namespace
}  // namespace tilery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const tilery::Sha256Digest key{};
  // As it is: damage to the head.
  (void)tilery::read_kernel_file(key, bytes);
  const std::string file = tilery::file_with(key, bytes);
  if (const std::optional<tilery::codegen::KernelBinary> binary =
          tilery::read_kernel_file(key, file)) {
    TILERY_CHECK(tilery::write_kernel_file(key, *binary) == file,
                 "the binary is not written as it was read");
  }
  return 0;
}
