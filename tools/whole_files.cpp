#include "tools/whole_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace tilery::tools {

namespace {

namespace fs = std::filesystem;

Error write_error(const std::string& path, int error) {
  const bool is_usage = error == ENOENT || error == EACCES || error == ENOTDIR || error == EISDIR ||
                        error == ENAMETOOLONG;
  return {is_usage ? ErrorKind::Usage : ErrorKind::Machine, cannot_write(path, error), {}};
}

/// 0 or an errno.
int write_bytes(const std::string& path, const std::string& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr) {
    return errno;
  }
  errno = 0;
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = is_written ? 0 : errno;
  if (std::fclose(file) != 0 && error == 0) {
    return errno;
  }
  return error;
}

/// One file on its way; the temporary one goes with the object.
class PendingFile {
 public:
  explicit PendingFile(const FileToWrite& file) : path_(file.path) {
    std::error_code is_new;
    const fs::path resolved = fs::canonical(file.path, is_new);
    target_ = is_new ? file.path : resolved.string();
    temporary_ = fmt::format("{}.{}.tmp", target_, getpid());
  }

  ~PendingFile() {
    if (is_pending_) {
      std::remove(temporary_.c_str());
    }
  }

  PendingFile(PendingFile&& other) noexcept = delete;
  PendingFile& operator=(PendingFile&& other) noexcept = delete;

  Status write(const std::string& bytes) {
    std::error_code ignored;
    if (fs::is_directory(target_, ignored)) {
      return write_error(path_, EISDIR);
    }
    std::remove(temporary_.c_str());
    const int error = write_bytes(temporary_, bytes);
    is_pending_ = error != EEXIST && error != ENOENT;
    return error == 0 ? Status(Ok{}) : Status(write_error(path_, error));
  }

  Status move() {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      return write_error(path_, errno);
    }
    is_pending_ = false;
    return Ok{};
  }

 private:
  std::string path_;
  std::string target_;
  std::string temporary_;
  bool is_pending_ = false;
};

}  // namespace

std::string cannot_write(const std::string& path, int error) {
  const std::string folder = fs::path(path).parent_path().string();
  std::error_code ignored;
  if (error == ENOENT && !folder.empty() && !fs::exists(folder, ignored)) {
    return fmt::format("cannot write `{}`: there is no folder `{}`; make it first", path, folder);
  }
  return fmt::format("cannot write `{}`: {}", path, std::strerror(error));
}

Status write_whole_files(const std::vector<FileToWrite>& files) {
  std::vector<std::unique_ptr<PendingFile>> pending;
  for (const FileToWrite& file : files) {
    pending.push_back(std::make_unique<PendingFile>(file));
    if (const Status written = pending.back()->write(file.bytes); !written) {
      return written;
    }
  }
  for (const auto& file : pending) {
    if (const Status moved = file->move(); !moved) {
      return moved;
    }
  }
  return Ok{};
}

}  // namespace tilery::tools
