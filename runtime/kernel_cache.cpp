#include "runtime/kernel_cache.h"

#include "runtime/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tilery {

namespace {

constexpr const char* kKernelEnding = ".kernel";
constexpr const char* kLockEnding = ".lock";
constexpr const char* kTemporaryEnding = ".tmp";
/// No sound file is larger.
constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 30;
/// What a process that was killed leaves is removed when it is this old, in seconds.
constexpr std::int64_t kStaleSeconds = 3600;
/// A process looks at the folder's size when it first writes, and then after this many files.
constexpr unsigned kStoresBetweenShrinks = 64;
/// Shrinking goes below the limit by this part, so that it need not come again with the next file.
constexpr std::uint64_t kSlackDivisor = 8;

/// A file descriptor, closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}

  ~Descriptor() { (void)close(); }

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return file_; }

  /// False if the disk tells only now that it could not write.
  bool close() { return file_ < 0 || ::close(std::exchange(file_, -1)) == 0; }

 private:
  int file_;
};

std::string text_of_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string folder_of_environment() {
  if (std::string folder = text_of_variable("TILERY_CACHE_DIR"); !folder.empty()) {
    return folder;
  }
  // By its specification a relative XDG_CACHE_HOME does not count.
  if (const std::string base = text_of_variable("XDG_CACHE_HOME"); base.starts_with('/')) {
    return base + "/tilery";
  }
  const std::string home = text_of_variable("HOME");
  return home.starts_with('/') ? home + "/.cache/tilery" : "";
}

/// Makes the folder and those above it; whether it exists shows when a file in it is opened.
void make_folders(const std::string& folder) {
  for (std::size_t at = folder.find('/', 1); at != std::string::npos;
       at = folder.find('/', at + 1)) {
    (void)mkdir(folder.substr(0, at).c_str(), 0700);
  }
  (void)mkdir(folder.c_str(), 0700);
}

std::optional<std::string> read_whole(int file) {
  struct stat info{};
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > kMaxFileBytes) {
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return std::nullopt;
    }
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

bool write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// A file of the cache, as shrinking sees it.
struct Entry {
  std::string name;
  std::uint64_t bytes = 0;
  struct timespec used{};
};

bool is_older(const Entry& a, const Entry& b) {
  return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
}

/// The kernels of a folder; on the way, removes what killed processes left.
std::vector<Entry> list_kernels_of(DIR* folder) {
  std::vector<Entry> entries;
  const std::int64_t now = time(nullptr);
  while (const dirent* file = readdir(folder)) {
    const std::string_view name = file->d_name;
    const bool is_kernel = name.ends_with(kKernelEnding);
    const bool is_litter = name.ends_with(kTemporaryEnding) || name.ends_with(kLockEnding);
    struct stat info{};
    if ((!is_kernel && !is_litter) ||
        fstatat(dirfd(folder), file->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (is_kernel) {
      entries.push_back(
          {std::string(name), static_cast<std::uint64_t>(info.st_size), info.st_mtim});
    } else if (now - info.st_mtim.tv_sec > kStaleSeconds) {
      (void)unlinkat(dirfd(folder), file->d_name, 0);
    }
  }
  return entries;
}

}  // namespace

CacheLock::~CacheLock() {
  if (file_ >= 0) {
    // While it is held, so that no one else can hold this very file.
    (void)unlink(path_.c_str());
    (void)close(file_);
  }
}

CacheLock::CacheLock(CacheLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

CacheLock& CacheLock::operator=(CacheLock&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
}

KernelCache::KernelCache(std::string folder, std::uint64_t size_limit)
    : folder_(size_limit == 0 ? "" : std::move(folder)), size_limit_(size_limit) {}

KernelCache KernelCache::from_environment() {
  const std::string limit_text = text_of_variable("TILERY_CACHE_SIZE");
  std::uint64_t limit = kDefaultSize;
  const char* end = limit_text.data() + limit_text.size();
  std::uint64_t number = 0;
  if (const auto [stop, error] = std::from_chars(limit_text.data(), end, number);
      error == std::errc() && stop == end) {
    limit = number;
  }
  return KernelCache(folder_of_environment(), limit);
}

std::string KernelCache::path(const Sha256Digest& key, const char* ending) const {
  return fmt::format("{}/{}{}", folder_, hex(key), ending);
}

std::optional<codegen::KernelBinary> KernelCache::load(const Sha256Digest& key) const {
  if (folder_.empty()) {
    return std::nullopt;
  }
  // O_NONBLOCK: a pipe of this name must not stop us.
  const Descriptor file(open(path(key, kKernelEnding).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::optional<std::string> bytes = file.get() < 0 ? std::nullopt : read_whole(file.get());
  std::optional<codegen::KernelBinary> binary =
      bytes ? read_kernel_file(key, *bytes) : std::nullopt;
  if (binary) {
    (void)futimens(file.get(), nullptr);
  }
  return binary;
}

void KernelCache::store(const Sha256Digest& key, const codegen::KernelBinary& binary) const {
  if (folder_.empty()) {
    return;
  }
  static std::atomic<unsigned> stores{0};
  const unsigned number = stores++;
  const std::string temporary =
      fmt::format("{}/{}.{}.{}{}", folder_, hex(key), getpid(), number, kTemporaryEnding);
  const auto open_new = [&] {
    return open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  };
  int opened = open_new();
  if (opened < 0 && errno == ENOENT) {
    make_folders(folder_);
    opened = open_new();
  }
  if (opened < 0) {
    return;
  }
  Descriptor file(opened);
  const bool is_written = write_whole(file.get(), write_kernel_file(key, binary)) && file.close();
  if (!is_written || std::rename(temporary.c_str(), path(key, kKernelEnding).c_str()) != 0) {
    (void)unlink(temporary.c_str());
  }
  if (number % kStoresBetweenShrinks == 0) {
    shrink();
  }
}

CacheLock KernelCache::lock(const Sha256Digest& key, std::chrono::milliseconds patience) const {
  CacheLock lock;
  if (folder_.empty()) {
    return lock;
  }
  const std::string name = path(key, kLockEnding);
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (auto pause = std::chrono::milliseconds(1); std::chrono::steady_clock::now() < give_up;
       pause = std::min(2 * pause, std::chrono::milliseconds(20))) {
    int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file < 0 && errno == ENOENT) {
      make_folders(folder_);
      file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    }
    if (file < 0) {
      return lock;
    }
    if (flock(file, LOCK_EX | LOCK_NB) == 0) {
      // The holder before us may have removed the file between our open and our lock.
      struct stat ours{};
      struct stat named{};
      if (fstat(file, &ours) == 0 && stat(name.c_str(), &named) == 0 &&
          ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) {
        lock.file_ = file;
        lock.path_ = name;
        return lock;
      }
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      // A file system without locks.
      (void)close(file);
      return lock;
    }
    (void)close(file);
    std::this_thread::sleep_for(pause);
  }
  return lock;
}

void KernelCache::shrink() const {
  DIR* folder = opendir(folder_.c_str());
  if (folder == nullptr) {
    return;
  }
  std::vector<Entry> entries = list_kernels_of(folder);
  std::uint64_t total = 0;
  for (const Entry& entry : entries) {
    total += entry.bytes;
  }
  if (total > size_limit_) {
    std::ranges::sort(entries, is_older);
    for (const Entry& entry : entries) {
      if (total <= size_limit_ - size_limit_ / kSlackDivisor) {
        break;
      }
      if (unlinkat(dirfd(folder), entry.name.c_str(), 0) == 0) {
        total -= entry.bytes;
      }
    }
  }
  (void)closedir(folder);
}

}  // namespace tilery
