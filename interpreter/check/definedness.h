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
// byte.
//
// Nothing takes a lock, since scattered stores ask for a word of another page at every lane. What
// needs care is a page's last byte: other threads may still be reading the bits that it makes
// needless. So who reads bits counts as a reader from then on, and needless bits are freed at a
// moment without readers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tilery {

/// Thread-safe, but for copying: nobody may mark meanwhile.
class Definedness {
  struct Page;

 public:
  /// Of a buffer of `bytes` bytes, none written; nullptr if there is no memory for it.
  [[nodiscard]] static std::unique_ptr<Definedness> none_of(std::size_t bytes);
  /// The same bytes; nullptr if there is no memory for it.
  [[nodiscard]] std::unique_ptr<Definedness> copy() const;

  ~Definedness();
  Definedness(const Definedness&) = delete;
  Definedness& operator=(const Definedness&) = delete;

  /// What marks and asks. One for many calls is cheaper than one each; needless bits stay as long
  /// as it is there.
  class Access {
   public:
    explicit Access(Definedness& of) : of_(of) {}

    ~Access();
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

    /// Bytes `first` to `first + count - 1`, which must lie in the buffer, are written. Should
    /// there be no memory for a page's bits, the whole page counts as written: better a finding
    /// missed than a wrong one.
    void mark(std::size_t first, std::size_t count);
    /// True if all of these bytes were written.
    [[nodiscard]] bool is_marked(std::size_t first, std::size_t count);
    /// A hint that this byte comes soon; it may lie outside the buffer. Scattered bytes wait for
    /// memory most of their time.
    void expect(std::size_t byte);

   private:
    Page* read(const std::atomic<Page*>& state);
    void mark_in_page(std::size_t page, std::size_t first, std::size_t count);
    [[nodiscard]] bool is_marked_in_page(std::size_t page, std::size_t first, std::size_t count);

    Definedness& of_;
    bool is_reader_ = false;
  };

  void mark(std::size_t first, std::size_t count) { Access(*this).mark(first, count); }

  [[nodiscard]] bool is_marked(std::size_t first, std::size_t count) {
    return Access(*this).is_marked(first, count);
  }

  /// What all of this takes; nobody may mark meanwhile.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kPageBytes = 4096;

  /// The state of a page of which all is written.
  static Page* whole();

  explicit Definedness(std::size_t bytes);
  [[nodiscard]] std::size_t page_count() const;
  [[nodiscard]] std::size_t page_size(std::size_t page) const;
  void add_needless(Page* first);
  void free_needless();

  std::size_t bytes_;
  std::unique_ptr<std::atomic<Page*>[]> pages_;  ///< nullptr, whole(), or owned bits
  std::atomic<Page*> needless_{nullptr};         ///< a list: bits of pages that are whole by now
  std::atomic<std::size_t> readers_{0};
};

}  // namespace tilery
