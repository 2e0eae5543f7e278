// Files that are written whole or not at all.
#pragma once

#include "tilery/result.h"

#include <string>
#include <vector>

namespace tilery::tools {

struct FileToWrite {
  std::string path;
  std::string bytes;
};

/// Writes each beside its place first and moves all there only when all are written: where one
/// cannot be, none changes. A symbolic link is followed. Fails with ErrorKind::Usage for a path
/// that cannot be written to, with ErrorKind::Machine for a full disk and the like.
[[nodiscard]] Status write_whole_files(const std::vector<FileToWrite>& files);

/// Why a file cannot be written, for people: `error` is an errno.
[[nodiscard]] std::string cannot_write(const std::string& path, int error);

}  // namespace tilery::tools
