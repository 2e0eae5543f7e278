// The folder of compiled kernels under everything that can happen to it.
#include "runtime/kernel_cache.h"

#include "runtime/kernel_file.h"
#include "tests/support/temp_dir.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tilery {
namespace {

namespace fs = std::filesystem;
using codegen::KernelBinary;
using testing::TempDir;

KernelBinary binary_of_size(std::size_t bytes, char fill = 'x') {
  KernelBinary binary;
  binary.entry = "k";
  binary.form = KernelBinary::Form::Cubin;
  binary.code = std::string(bytes, fill);
  binary.target = "sm_80";
  return binary;
}

Sha256Digest key(int number) {
  return sha256(fmt::format("key {}", number));
}

class KernelCacheTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string folder() const { return dir_.file("a/b"); }

  [[nodiscard]] fs::path file(int number) const {
    return fs::path(folder()) / (hex(key(number)) + ".kernel");
  }

  /// Names of the files with this ending.
  [[nodiscard]] int count(const std::string& ending) const {
    int n = 0;
    for (const auto& entry : fs::directory_iterator(folder())) {
      n += entry.path().string().ends_with(ending) ? 1 : 0;
    }
    return n;
  }

  TempDir dir_;
};

TEST_F(KernelCacheTest, keeps_what_is_stored_and_makes_its_folders) {
  const KernelCache cache(folder());
  EXPECT_FALSE(cache.load(key(1)).has_value());
  cache.store(key(1), binary_of_size(100));
  ASSERT_TRUE(cache.load(key(1)).has_value());
  EXPECT_EQ(*cache.load(key(1)), binary_of_size(100));
  EXPECT_FALSE(cache.load(key(2)).has_value());
  EXPECT_EQ(count(".tmp"), 0);
  struct stat info{};
  ASSERT_EQ(stat(folder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U) << "for no one else's eyes";
}

TEST_F(KernelCacheTest, whatever_lies_under_the_name_is_a_miss) {
  const KernelCache cache(folder());
  cache.store(key(1), binary_of_size(100));
  const auto expect_miss = [&](const std::string& bytes) {
    std::ofstream(file(1), std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_FALSE(cache.load(key(1)).has_value());
  };
  expect_miss("");
  expect_miss("TILERYKB");
  expect_miss(std::string(5000, '\xFF'));
  fs::remove(file(1));
  fs::create_directory(file(1));
  EXPECT_FALSE(cache.load(key(1)).has_value()) << "a folder";
  fs::remove(file(1));
  ASSERT_EQ(mkfifo(file(1).c_str(), 0600), 0);
  EXPECT_FALSE(cache.load(key(1)).has_value()) << "a pipe, which must not be waited for";
  fs::remove(file(1));
  fs::create_symlink("/dev/zero", file(1));
  EXPECT_FALSE(cache.load(key(1)).has_value()) << "a device without end";
  // A new file takes the place of all that.
  cache.store(key(1), binary_of_size(100));
  EXPECT_TRUE(cache.load(key(1)).has_value());
}

TEST_F(KernelCacheTest, a_full_disk_leaves_no_partial_file) {
  const KernelCache cache(folder());
  cache.store(key(1), binary_of_size(100));
  // In a child process, where no file may grow beyond 4 KiB.
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    cache.store(key(2), binary_of_size(100000));
    cache.store(key(1), binary_of_size(100000, 'y'));
    _exit(cache.load(key(2)).has_value() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count(".tmp"), 0);
  EXPECT_EQ(*cache.load(key(1)), binary_of_size(100)) << "what was there stays";
}

TEST_F(KernelCacheTest, a_folder_that_cannot_be_is_no_error) {
  for (const std::string& bad :
       {std::string("/proc/nothing/here"), dir_.write("file", "x") + "/sub", std::string(5000, 'a'),
        std::string("")}) {
    const KernelCache cache(bad);
    cache.store(key(1), binary_of_size(10));
    EXPECT_FALSE(cache.load(key(1)).has_value());
    EXPECT_FALSE(cache.lock(key(1)).is_held());
    cache.shrink();
  }
}

TEST_F(KernelCacheTest, a_read_only_folder_is_read) {
  const KernelCache cache(folder());
  cache.store(key(1), binary_of_size(10));
  fs::permissions(folder(), fs::perms::owner_read | fs::perms::owner_exec);
  if (access(folder().c_str(), W_OK) == 0) {
    // The superuser writes everywhere; another user can be played in a child process.
    const pid_t child = fork();
    if (child == 0) {
      fs::permissions(dir_.path(), fs::perms::all);
      fs::permissions(dir_.path() / "a", fs::perms::all);
      fs::permissions(folder(), fs::perms(0555));
      fs::permissions(file(1), fs::perms(0444));
      const bool is_other = setuid(65534) == 0;
      cache.store(key(2), binary_of_size(10));
      const bool is_good = is_other && cache.load(key(1)).has_value() &&
                           !cache.load(key(2)).has_value() && !cache.lock(key(2)).is_held();
      _exit(is_good ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  } else {
    cache.store(key(2), binary_of_size(10));
    EXPECT_TRUE(cache.load(key(1)).has_value());
    EXPECT_FALSE(cache.load(key(2)).has_value());
  }
  fs::permissions(folder(), fs::perms::owner_all);
}

TEST_F(KernelCacheTest, past_the_limit_the_least_recently_used_go) {
  const KernelCache cache(folder(), 50000);
  for (int i = 0; i < 10; ++i) {
    cache.store(key(i), binary_of_size(9000));
    const auto age = std::chrono::hours(100 - i);
    fs::last_write_time(file(i), fs::file_time_type::clock::now() - age);
  }
  ASSERT_TRUE(cache.load(key(0)).has_value()) << "the oldest, but used just now";
  cache.shrink();
  // 43,750 bytes hold four files of 9,1xx: 0 and the youngest three.
  std::vector<int> kept;
  for (int i = 0; i < 10; ++i) {
    if (fs::exists(file(i))) {
      kept.push_back(i);
    }
  }
  EXPECT_EQ(kept, (std::vector<int>{0, 7, 8, 9}));
}

TEST_F(KernelCacheTest, storing_keeps_the_limit_by_itself) {
  const KernelCache cache(folder(), 100000);
  for (int i = 0; i < 300; ++i) {
    cache.store(key(i), binary_of_size(1000));
  }
  // Looked at every 64 files: never more than the limit and what 64 add.
  EXPECT_LT(count(".kernel"), 90 + 64);
}

TEST_F(KernelCacheTest, what_killed_processes_leave_goes_when_it_is_old) {
  const KernelCache cache(folder());
  cache.store(key(1), binary_of_size(10));
  const auto litter = [&](const std::string& name, int minutes) {
    const fs::path path = fs::path(folder()) / name;
    std::ofstream(path) << "x";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  litter("a.1.2.tmp", 90);
  litter("b.1.2.tmp", 5);
  litter("a.lock", 90);
  litter("someone-elses-file", 9000);
  cache.shrink();
  EXPECT_EQ(count(".tmp"), 1) << "a young one may be in use";
  EXPECT_EQ(count(".lock"), 0);
  EXPECT_TRUE(fs::exists(fs::path(folder()) / "someone-elses-file"));
  EXPECT_TRUE(cache.load(key(1)).has_value());
}

TEST_F(KernelCacheTest, a_lock_keeps_others_out_and_leaves_no_file) {
  const KernelCache cache(folder());
  {
    const CacheLock held = cache.lock(key(1));
    EXPECT_TRUE(held.is_held());
    EXPECT_FALSE(cache.lock(key(1), std::chrono::milliseconds(30)).is_held());
    EXPECT_TRUE(cache.lock(key(2)).is_held()) << "another key";
  }
  EXPECT_TRUE(cache.lock(key(1), std::chrono::milliseconds(30)).is_held());
  EXPECT_EQ(count(".lock"), 0);
}

/// Runs `work(i)` in so many processes at once; all must end with 0.
void in_processes(int processes, const std::function<int(int)>& work) {
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      _exit(work(i));
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(KernelCacheTest, processes_take_turns) {
  const KernelCache cache(folder());
  const std::string counter = dir_.write("counter", "0");
  in_processes(6, [&](int) {
    const CacheLock lock = cache.lock(key(1));
    int n = -1;
    std::ifstream(counter) >> n;
    usleep(5000);
    std::ofstream(counter) << n + 1;
    return lock.is_held() ? 0 : 1;
  });
  EXPECT_EQ(dir_.read("counter"), "6");
}

TEST_F(KernelCacheTest, a_killed_holder_stops_no_one) {
  const KernelCache cache(folder());
  const pid_t child = fork();
  if (child == 0) {
    const CacheLock lock = cache.lock(key(1));
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(count(".lock"), 1) << "its file is still there";
  EXPECT_TRUE(cache.lock(key(1), std::chrono::milliseconds(100)).is_held());
}

TEST_F(KernelCacheTest, processes_share_a_folder_under_load) {
  // Everyone writes, reads, removes and shrinks the same few entries; whoever reads, reads whole
  // ones.
  const KernelCache cache(folder(), 40000);
  in_processes(4, [&](int process) {
    for (int round = 0; round < 100; ++round) {
      const int number = (process + round) % 8;
      const auto fill = static_cast<char>('a' + number);
      const std::optional<KernelBinary> found = cache.load(key(number));
      if (found && *found != binary_of_size(9000, fill)) {
        return 1;
      }
      cache.store(key(number), binary_of_size(9000, fill));
      if (round % 10 == 0) {
        cache.shrink();
      }
    }
    return 0;
  });
  EXPECT_EQ(count(".tmp"), 0);
}

TEST_F(KernelCacheTest, a_killed_writer_leaves_no_entry) {
  const KernelCache cache(folder());
  for (int round = 0; round < 10; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) {
        cache.store(key(1), binary_of_size(200000));
      }
    }
    usleep(static_cast<useconds_t>(3000 + 1000 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::optional<KernelBinary> found = cache.load(key(1));
    EXPECT_TRUE(!found || *found == binary_of_size(200000));
  }
}

TEST(KernelCacheEnvironment, the_folder_follows_the_variables) {
  const auto folder = [](const char* own, const char* xdg, const char* home) {
    for (const auto& [name, value] : {std::pair("TILERY_CACHE_DIR", own),
                                      std::pair("XDG_CACHE_HOME", xdg), std::pair("HOME", home)}) {
      value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    }
    return KernelCache::from_environment().folder();
  };
  EXPECT_EQ(folder("/own", "/xdg", "/home/me"), "/own");
  EXPECT_EQ(folder(nullptr, "/xdg", "/home/me"), "/xdg/tilery");
  EXPECT_EQ(folder("", "relative", "/home/me"), "/home/me/.cache/tilery");
  EXPECT_EQ(folder(nullptr, nullptr, "/home/me"), "/home/me/.cache/tilery");
  EXPECT_EQ(folder(nullptr, nullptr, nullptr), "");
  setenv("TILERY_CACHE_SIZE", "0", 1);
  EXPECT_EQ(folder("/own", nullptr, nullptr), "") << "switched off";
  setenv("TILERY_CACHE_SIZE", "much", 1);
  EXPECT_EQ(folder("/own", nullptr, nullptr), "/own") << "no number: the default";
  unsetenv("TILERY_CACHE_SIZE");
}

}  // namespace
}  // namespace tilery
