// The form of a KernelBinary on disk.
//
//     "TILERYKB"  version  key  length of the rest  checksum of the rest  |  the binary's fields
//
// Numbers are little-endian; texts and lists carry their length. A file is read as if an enemy had
// written it: every field is checked, and whatever is wrong makes it no file of ours.
#pragma once

#include "codegen/kernel_binary.h"
#include "runtime/sha256.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilery {

/// The bytes of the file for `key`.
[[nodiscard]] std::string write_kernel_file(const Sha256Digest& key,
                                            const codegen::KernelBinary& binary);
/// The binary, or nothing if the bytes are damaged, of another version or of another key.
[[nodiscard]] std::optional<codegen::KernelBinary> read_kernel_file(const Sha256Digest& key,
                                                                    std::string_view bytes);

}  // namespace tilery
