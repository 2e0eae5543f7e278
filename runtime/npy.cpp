#include "tilery/npy.h"

#include "runtime/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tilery::inline v0 {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

using File = std::unique_ptr<std::FILE, CloseFile>;

Error file_error(const std::string& path, const std::string& what,
                 ErrorKind kind = ErrorKind::Usage) {
  return {kind, fmt::format("cannot read `{}`: {}", path, what), {}};
}

/// Opens a file for reading; directories and what is not there are refused.
Result<File> open_to_read(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    return file_error(path, std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) {
    return file_error(path, "it is a directory");
  }
  File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return file_error(path, std::strerror(errno));
  }
  return file;
}

/// Up to `size` bytes; fewer at the end of the file.
std::string read_bytes(std::FILE* file, std::size_t size) {
  std::string bytes(size, '\0');
  if (size == 0 || std::feof(file) != 0 || std::ferror(file) != 0) {
    return {};
  }
  bytes.resize(std::fread(bytes.data(), 1, size, file));
  return bytes;
}

Result<NpyHeader> read_header(std::FILE* file) {
  // Version 1 has a shorter preamble: read on only as far as it goes.
  std::string start = read_bytes(file, 8);
  if (start.size() == 8) {
    start += read_bytes(file, start[6] == '\x01' ? 2 : 4);
  }
  const Result<std::size_t> header_bytes = read_npy_preamble(start);
  if (!header_bytes) {
    return header_bytes.error();
  }
  const std::string text = read_bytes(file, *header_bytes);
  if (std::ferror(file) != 0) {
    return Error{ErrorKind::Machine, std::strerror(errno), {}};
  }
  if (text.size() < *header_bytes) {
    return Error{ErrorKind::Usage, "it ends within its header", {}};
  }
  return read_npy_header(text);
}

/// An array with at most one axis longer than 1 looks the same in both orders.
bool order_matters(const Extents& shape) {
  return std::count_if(shape.begin(), shape.end(), [](std::int64_t e) { return e > 1; }) > 1 &&
         std::ranges::find(shape, 0) == shape.end();
}

/// The bytes that remain in a regular file; nothing for pipes.
std::optional<std::size_t> remaining_bytes(std::FILE* file) {
  struct stat info{};
  const long at = std::ftell(file);
  if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode) || at < 0) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(info.st_size) - std::min<std::size_t>(at, info.st_size);
}

/// Refuses a shape that the file cannot hold before any memory is taken for it.
Status check_size(const NpyHeader& header, DType dtype, std::FILE* file) {
  if (std::ranges::find(header.shape, 0) != header.shape.end()) {
    return Ok{};
  }
  auto bytes = static_cast<std::int64_t>(byte_size(dtype));
  for (const std::int64_t extent : header.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      return Error{ErrorKind::Usage, "its shape is larger than 64 bits count", {}};
    }
  }
  const std::optional<std::size_t> there = remaining_bytes(file);
  if (there && std::cmp_less(*there, bytes)) {
    return Error{ErrorKind::Usage,
                 fmt::format("it is cut short: shape [{}] of {} needs {} bytes, {} are there",
                             fmt::join(header.shape, ", "), language_name(dtype), bytes, *there),
                 {}};
  }
  return Ok{};
}

Result<Buffer> read_array(std::FILE* file, std::optional<DType> as) {
  Result<NpyHeader> header = read_header(file);
  if (!header) {
    return header.error();
  }
  const Result<DType> dtype = dtype_of_descr(header->descr, as);
  if (!dtype) {
    return dtype.error();
  }
  if (header->fortran_order && order_matters(header->shape)) {
    return Error{ErrorKind::Usage,
                 "it is in Fortran order; save it with np.save(f, np.ascontiguousarray(x))",
                 {}};
  }
  if (Status size = check_size(*header, *dtype, file); !size) {
    return size.error();
  }
  Result<Buffer> buffer = Buffer::zeros(*dtype, header->shape);
  if (!buffer) {
    return buffer;
  }
  const std::size_t got = buffer->bytes() == 0 || std::feof(file) != 0
                              ? 0
                              : std::fread(buffer->data(), 1, buffer->bytes(), file);
  if (got < buffer->bytes()) {
    return Error{ErrorKind::Usage, "it is cut short", {}};
  }
  if (*dtype == DType::I1) {
    // A bool is 0 or 1 to everything that follows, whatever the file says.
    for (std::uint8_t& element : buffer->as<std::uint8_t>()) {
      element = element != 0 ? 1 : 0;
    }
  }
  return buffer;
}

Error write_error(const std::string& path, int error) {
  const bool is_usage = error == ENOENT || error == EACCES || error == ENOTDIR || error == EISDIR;
  return {is_usage ? ErrorKind::Usage : ErrorKind::Machine,
          fmt::format("cannot write `{}`: {}", path, std::strerror(error)),
          {}};
}

bool write_all(std::FILE* file, const void* data, std::size_t size) {
  return size == 0 || std::fwrite(data, 1, size, file) == size;
}

/// Writes an array as the contents of `path`; 0, or the `errno` of what failed.
int write_array(const std::string& path, const Buffer& buffer) {
  const File file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) {
    return errno;
  }
  const std::string header = write_npy_header({descr_of(buffer.dtype()), false, buffer.shape()});
  const bool is_written = write_all(file.get(), header.data(), header.size()) &&
                          write_all(file.get(), buffer.data(), buffer.bytes()) &&
                          std::fflush(file.get()) == 0;
  return is_written ? 0 : errno;
}

}  // namespace

Result<Buffer> load_npy(const std::string& path, std::optional<DType> as) {
  Result<File> file = open_to_read(path);
  if (!file) {
    return file.error();
  }
  Result<Buffer> buffer = read_array(file->get(), as);
  if (!buffer) {
    return file_error(path, buffer.error().message, buffer.error().kind);
  }
  return buffer;
}

Status save_npy(const std::string& path, const Buffer& buffer) {
  if (buffer.is_on_gpu()) {
    const Result<Buffer> copy = buffer.to(Device::interpreter());
    return copy ? save_npy(path, *copy) : Status(copy.error());
  }
  struct stat info{};
  const bool is_there = stat(path.c_str(), &info) == 0;
  if (is_there && S_ISDIR(info.st_mode)) {
    return write_error(path, EISDIR);
  }
  // A rename would put a file in the place of the device or pipe.
  if (is_there && !S_ISREG(info.st_mode)) {
    const int error = write_array(path, buffer);
    return error == 0 ? Status(Ok{}) : write_error(path, error);
  }
  // It would take the place of a symbolic link, too, instead of the file that this leads to.
  std::error_code no_such_file;
  const std::filesystem::path resolved = std::filesystem::canonical(path, no_such_file);
  const std::string target = no_such_file ? path : resolved.string();
  const std::string temporary = fmt::format("{}.{}.tmp", target, getpid());
  int error = write_array(temporary, buffer);
  if (error == 0 && std::rename(temporary.c_str(), target.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    std::remove(temporary.c_str());
    return write_error(path, error);
  }
  return Ok{};
}

}  // namespace tilery::inline v0
