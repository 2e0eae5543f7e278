#include "tests/unit/codegen/simt_shared.h"

#include "tests/unit/codegen/simt_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tilery::testing {
namespace {

template <class Access>
bool conflicts(const Access& before, const Access& now) {
  return before.epoch == now.epoch && before.thread != now.thread;
}

[[noreturn]] void fail_in_flight(std::string_view verb, std::uint64_t at, int thread) {
  throw SimtFailure(
      fmt::format("thread {} {} shared byte {}, to which a copy is on its way", thread, verb, at));
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes, int threads, bool allows_copies)
    : bytes_(bytes),
      touched_(bytes),
      queues_(static_cast<std::size_t>(threads)),
      allows_copies_(allows_copies) {}

bool SharedMemory::may_share(int before, int thread) const {
  return before / kWarpSize == thread / kWarpSize || (allows_copies_ && before >= 0);
}

void SharedMemory::check_range(std::uint64_t at, std::size_t size) const {
  if (at + size > bytes_.size() || at % size != 0) {
    throw SimtFailure(
        fmt::format("shared access of {} bytes at {} of {}", size, at, bytes_.size()));
  }
}

void SharedMemory::write(std::uint64_t at, const void* data, std::size_t size, int thread) {
  check_range(at, size);
  for (std::size_t i = 0; i < size; ++i) {
    if (touched_[at + i].copies != 0) {
      fail_in_flight("writes", at + i, thread);
    }
  }
  put(at, data, size, thread);
}

void SharedMemory::put(std::uint64_t at, const void* data, std::size_t size, int thread) {
  for (std::size_t i = 0; i < size; ++i) {
    Touch& touch = touched_[at + i];
    const bool is_copy = may_share(touch.written.thread, thread) &&
                         bytes_[at + i] == static_cast<const std::byte*>(data)[i];
    if ((conflicts(touch.written, now(thread)) && !is_copy) || conflicts(touch.read, now(thread))) {
      throw SimtFailure(fmt::format("race: thread {} writes shared byte {}", thread, at + i));
    }
    touch.written = now(thread);
  }
  std::memcpy(bytes_.data() + at, data, size);
}

void SharedMemory::read(std::uint64_t at, void* data, std::size_t size, int thread) {
  check_range(at, size);
  for (std::size_t i = 0; i < size; ++i) {
    Touch& touch = touched_[at + i];
    if (touch.copies != 0) {
      fail_in_flight("reads", at + i, thread);
    }
    if (touch.written.thread < 0) {
      throw SimtFailure(
          fmt::format("thread {} reads shared byte {}, never written", thread, at + i));
    }
    if (conflicts(touch.written, now(thread))) {
      throw SimtFailure(fmt::format("race: thread {} reads shared byte {}", thread, at + i));
    }
    // Of several readers one of another thread is kept, if any.
    touch.read = touch.read.epoch == epoch_ && touch.read.thread != thread && touch.read.thread >= 0
                     ? Access{kMany, epoch_}
                     : now(thread);
  }
  std::memcpy(data, bytes_.data() + at, size);
}

void SharedMemory::copy(std::uint64_t at, std::uint64_t from, std::size_t size,
                        std::size_t from_memory, int thread) {
  check_range(at, size);
  for (std::size_t i = 0; i < size; ++i) {
    Touch& touch = touched_[at + i];
    if (touch.copies != 0 && !may_share(touch.copied_by, thread)) {
      fail_in_flight("copies to", at + i, thread);
    }
    // It may land at once.
    const bool is_shared = may_share(touch.written.thread, thread);
    if ((conflicts(touch.written, now(thread)) && !is_shared) ||
        conflicts(touch.read, now(thread))) {
      throw SimtFailure(fmt::format("race: thread {} copies to shared byte {}", thread, at + i));
    }
    ++touch.copies;
    touch.copied_by = thread;
  }
  queues_[static_cast<std::size_t>(thread)].open.push_back({at, from, size, from_memory});
}

void SharedMemory::commit(int thread) {
  Queue& queue = queues_[static_cast<std::size_t>(thread)];
  queue.groups.push_back(std::move(queue.open));
  queue.open.clear();
}

void SharedMemory::wait(std::size_t pending, int thread) {
  auto& groups = queues_[static_cast<std::size_t>(thread)].groups;
  const std::size_t landing = groups.size() - std::min(pending, groups.size());
  for (std::size_t i = 0; i < landing; ++i) {
    for (const Copy& copy : groups[i]) {
      land(copy, thread);
    }
  }
  groups.erase(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(landing));
}

void SharedMemory::land(const Copy& copy, int thread) {
  std::array<std::byte, 16> data{};
  std::memcpy(data.data(), reinterpret_cast<const void*>(copy.from), copy.from_memory);
  for (std::size_t i = 0; i < copy.size; ++i) {
    --touched_[copy.at + i].copies;
  }
  put(copy.at, data.data(), copy.size, thread);
}

}  // namespace tilery::testing
