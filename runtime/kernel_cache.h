// Compiled kernels on disk, shared by all processes of a user.
//
// One file a key, `<key>.kernel`. A file appears whole or not at all: it is written under a
// temporary name and renamed. Processes that miss the same key at once take turns by a lock on
// `<key>.lock`, which the kernel drops with the process, so that only the first compiles. Nothing
// that goes wrong here is an error: a damaged file is a miss, and where nothing can be written (no
// home, a read-only or full disk) kernels are compiled anew each time.
//
// The folder is TILERY_CACHE_DIR, else $XDG_CACHE_HOME/tilery, else ~/.cache/tilery. Past its size
// limit (TILERY_CACHE_SIZE, bytes; 1 GiB by default, 0: no cache) the files go that were not used
// for the longest time.
#pragma once

#include "codegen/kernel_binary.h"
#include "runtime/sha256.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tilery {

/// Holds the lock of one key while it lives; several processes and threads may want it.
class CacheLock {
 public:
  CacheLock() = default;
  ~CacheLock();
  CacheLock(CacheLock&& other) noexcept;
  CacheLock& operator=(CacheLock&& other) noexcept;
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

  [[nodiscard]] bool is_held() const { return file_ >= 0; }

 private:
  friend class KernelCache;
  int file_ = -1;
  std::string path_;
};

/// The cache of one folder. A plain value; all state is on disk.
class KernelCache {
 public:
  static constexpr std::uint64_t kDefaultSize = std::uint64_t{1} << 30;

  /// With an empty folder, or a limit of 0, nothing is kept.
  explicit KernelCache(std::string folder, std::uint64_t size_limit = kDefaultSize);
  /// As the environment says.
  [[nodiscard]] static KernelCache from_environment();

  /// Empty if nothing is kept.
  [[nodiscard]] const std::string& folder() const { return folder_; }

  /// The binary of the key, which then counts as just used.
  [[nodiscard]] std::optional<codegen::KernelBinary> load(const Sha256Digest& key) const;
  /// Keeps the binary if that is possible; now and then removes what is too much.
  void store(const Sha256Digest& key, const codegen::KernelBinary& binary) const;
  /// Waits until no one else holds the key's lock, but at most this long: a process that hangs must
  /// not stop the others.
  [[nodiscard]] CacheLock lock(const Sha256Digest& key,
                               std::chrono::milliseconds patience = std::chrono::minutes(1)) const;
  /// Removes the least recently used files until the limit is kept, and what killed processes left.
  void shrink() const;

 private:
  [[nodiscard]] std::string path(const Sha256Digest& key, const char* ending) const;

  std::string folder_;
  std::uint64_t size_limit_;
};

}  // namespace tilery
