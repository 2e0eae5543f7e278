// Which bytes of a buffer were ever written.
//
// A byte for each byte would double the buffer, a bit for each would still take an eighth of it.
// But kernels fill what they write, a piece at a time, so that nearly every page of 4 KiB is at
// nearly every moment either untouched or whole:
//
//     page      0       1       2       3       4
//     state   whole   whole   bits    none    none        8 bytes a page, and 0.5 KiB of bits for
//                                                         the few that are in the making
//
// A page gets its bits at the first write that does not cover it, and gives them back with the last
// byte. Writes to untouched or half-written pages take a lock (one of a few, by page), whole pages
// need none.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace tilery {

/// Thread-safe, but for copying: nobody may mark meanwhile.
class Definedness {
 public:
  /// Of a buffer of `bytes` bytes, none written; nullptr if there is no memory for it.
  [[nodiscard]] static std::unique_ptr<Definedness> none_of(std::size_t bytes);
  /// The same bytes; nullptr if there is no memory for it.
  [[nodiscard]] std::unique_ptr<Definedness> copy() const;

  ~Definedness();
  Definedness(const Definedness&) = delete;
  Definedness& operator=(const Definedness&) = delete;

  /// Bytes `first` to `first + count - 1`, which must lie in the buffer, are written. Should there
  /// be no memory for a page's bits, the whole page counts as written: better a finding missed than
  /// a wrong one.
  void mark(std::size_t first, std::size_t count);
  /// True if all of these bytes were written.
  [[nodiscard]] bool is_marked(std::size_t first, std::size_t count) const;

  /// What all of this takes.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kLocks = 16;

  struct Page;
  /// A page of which all is written.
  static Page* whole();

  explicit Definedness(std::size_t bytes);
  [[nodiscard]] std::size_t page_count() const;
  void mark_in_page(std::size_t page, std::size_t first, std::size_t count);
  [[nodiscard]] bool is_marked_in_page(std::size_t page, std::size_t first,
                                       std::size_t count) const;

  std::size_t bytes_;
  std::unique_ptr<std::atomic<Page*>[]> pages_;  ///< nullptr, whole(), or owned bits
  mutable std::array<std::mutex, kLocks> locks_;
};

}  // namespace tilery
