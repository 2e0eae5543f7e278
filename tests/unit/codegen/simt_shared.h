// Shared memory in the simulator (simt.h): the bytes, who touched them since which barrier, and the
// copies that are on their way to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilery::testing {

/// Every access throws SimtFailure if it is out of bounds or not aligned, if it races with another
/// thread's since the last barrier, or if it touches a byte that a copy is on its way to.
class SharedMemory {
 public:
  /// `allows_copies`: see SimtProgram.
  SharedMemory(std::size_t bytes, int threads, bool allows_copies);

  void write(std::uint64_t at, const void* data, std::size_t size, int thread);
  /// Also throws for a byte that nobody wrote.
  void read(std::uint64_t at, void* data, std::size_t size, int thread);

  void barrier() { ++epoch_; }

  // ---- cp.async: a copy lands when its thread waits for it, as late as the hardware may ----

  /// Of `size` bytes the first `from_memory` are those at `from`, the others 0.
  void copy(std::uint64_t at, std::uint64_t from, std::size_t size, std::size_t from_memory,
            int thread);
  /// The thread's copies since the last call become a group.
  void commit(int thread);
  /// Lands the thread's groups, but for its last `pending` ones.
  void wait(std::size_t pending, int thread);

 private:
  static constexpr int kMany = 1 << 20;

  struct Access {
    int thread = -1;
    int epoch = -1;
  };

  struct Touch {
    Access written;
    Access read;
    int copies = 0;      ///< on their way
    int copied_by = -1;  ///< the last of them
  };

  struct Copy {
    std::uint64_t at = 0;
    std::uint64_t from = 0;
    std::size_t size = 0;
    std::size_t from_memory = 0;
  };

  struct Queue {
    std::vector<Copy> open;
    std::vector<std::vector<Copy>> groups;
  };

  [[nodiscard]] Access now(int thread) const { return {thread, epoch_}; }

  /// Threads that hold the same element may write it together.
  [[nodiscard]] bool may_share(int before, int thread) const;
  void check_range(std::uint64_t at, std::size_t size) const;
  void put(std::uint64_t at, const void* data, std::size_t size, int thread);
  void land(const Copy& copy, int thread);

  std::vector<std::byte> bytes_;
  std::vector<Touch> touched_;
  std::vector<Queue> queues_;  ///< by thread
  bool allows_copies_;
  int epoch_ = 0;
};

}  // namespace tilery::testing
