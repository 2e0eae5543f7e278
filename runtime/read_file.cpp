#include "runtime/read_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

namespace tilery {

namespace {

// The parser's limit (frontend/parser.h); one byte more shows that a file is beyond it.
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Error cannot_read(const std::string& path, int error) {
  const ErrorKind kind = error == ENOENT || error == EACCES || error == ENOTDIR ||
                                 error == EISDIR || error == ELOOP || error == ENAMETOOLONG
                             ? ErrorKind::Usage
                             : ErrorKind::Machine;
  return {kind, fmt::format("cannot read `{}`: {}", path, std::strerror(error)), {}};
}

}  // namespace

Result<std::string> read_source_file(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    return cannot_read(path, errno);
  }
  if (S_ISDIR(info.st_mode)) {
    return Error{
        ErrorKind::Usage, fmt::format("`{}` is a directory; a kernel file is needed", path), {}};
  }
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return cannot_read(path, errno);
  }
  std::string text;
  char chunk[1 << 16];
  while (text.size() <= kMaxBytes) {
    const std::size_t wanted = std::min(sizeof chunk, kMaxBytes + 1 - text.size());
    const std::size_t got = std::fread(chunk, 1, wanted, file.get());
    text.append(chunk, got);
    if (got < wanted) {
      break;
    }
  }
  if (std::ferror(file.get()) != 0) {
    return cannot_read(path, errno);
  }
  return text;
}

}  // namespace tilery
