#include "interpreter/check/definedness.h"

#include <algorithm>
#include <bit>
#include <new>

namespace tilery {

struct Definedness::Page {
  static constexpr std::size_t kWordBits = 64;

  std::array<std::uint64_t, kPageBytes / kWordBits> bits{};
  std::size_t marked = 0;

  /// Calls `visit(word, mask)` for the words that hold the bits of these bytes, until it gives
  /// false; true if it never did.
  template <class Visit>
  static bool for_each_word(std::size_t first, std::size_t count, Visit&& visit) {
    while (count != 0) {
      const std::size_t low = first % kWordBits;
      const std::size_t here = std::min(count, kWordBits - low);
      const std::uint64_t ones =
          here == kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
      if (!visit(first / kWordBits, ones << low)) {
        return false;
      }
      first += here;
      count -= here;
    }
    return true;
  }

  void mark(std::size_t first, std::size_t count) {
    for_each_word(first, count, [this](std::size_t word, std::uint64_t mask) {
      marked += static_cast<std::size_t>(std::popcount(mask & ~bits[word]));
      bits[word] |= mask;
      return true;
    });
  }

  [[nodiscard]] bool is_marked(std::size_t first, std::size_t count) const {
    return for_each_word(first, count, [this](std::size_t word, std::uint64_t mask) {
      return (bits[word] & mask) == mask;
    });
  }
};

Definedness::Page* Definedness::whole() {
  static Page page;
  return &page;
}

Definedness::Definedness(std::size_t bytes)
    : bytes_(bytes), pages_(new (std::nothrow) std::atomic<Page*>[page_count()]()) {}

Definedness::~Definedness() {
  for (std::size_t page = 0; pages_ != nullptr && page < page_count(); ++page) {
    Page* const state = pages_[page].load(std::memory_order_relaxed);
    if (state != whole()) {
      delete state;
    }
  }
}

std::size_t Definedness::page_count() const {
  return (bytes_ + kPageBytes - 1) / kPageBytes;
}

std::unique_ptr<Definedness> Definedness::none_of(std::size_t bytes) {
  std::unique_ptr<Definedness> result(new (std::nothrow) Definedness(bytes));
  return result != nullptr && result->pages_ != nullptr ? std::move(result) : nullptr;
}

std::unique_ptr<Definedness> Definedness::copy() const {
  std::unique_ptr<Definedness> result = none_of(bytes_);
  for (std::size_t page = 0; result != nullptr && page < page_count(); ++page) {
    Page* state = pages_[page].load(std::memory_order_relaxed);
    if (state != nullptr && state != whole()) {
      state = new (std::nothrow) Page(*state);
      if (state == nullptr) {
        return nullptr;
      }
    }
    result->pages_[page].store(state, std::memory_order_relaxed);
  }
  return result;
}

void Definedness::mark(std::size_t first, std::size_t count) {
  while (count != 0) {
    const std::size_t offset = first % kPageBytes;
    const std::size_t here = std::min(count, kPageBytes - offset);
    mark_in_page(first / kPageBytes, offset, here);
    first += here;
    count -= here;
  }
}

void Definedness::mark_in_page(std::size_t page, std::size_t first, std::size_t count) {
  std::atomic<Page*>& state = pages_[page];
  if (state.load(std::memory_order_relaxed) == whole()) {
    return;
  }
  const std::lock_guard lock(locks_[page % kLocks]);
  Page* bits = state.load(std::memory_order_relaxed);
  if (bits == whole()) {
    return;
  }
  const std::size_t size = std::min(kPageBytes, bytes_ - page * kPageBytes);
  if (bits == nullptr && count != size) {
    bits = new (std::nothrow) Page;
  }
  if (bits != nullptr) {
    bits->mark(first, count);
    if (bits->marked != size) {
      state.store(bits, std::memory_order_release);
      return;
    }
    delete bits;
  }
  state.store(whole(), std::memory_order_release);
}

bool Definedness::is_marked(std::size_t first, std::size_t count) const {
  while (count != 0) {
    const std::size_t offset = first % kPageBytes;
    const std::size_t here = std::min(count, kPageBytes - offset);
    if (!is_marked_in_page(first / kPageBytes, offset, here)) {
      return false;
    }
    first += here;
    count -= here;
  }
  return true;
}

bool Definedness::is_marked_in_page(std::size_t page, std::size_t first, std::size_t count) const {
  const std::atomic<Page*>& state = pages_[page];
  if (Page* const seen = state.load(std::memory_order_acquire);
      seen == whole() || seen == nullptr) {
    return seen != nullptr;
  }
  const std::lock_guard lock(locks_[page % kLocks]);
  const Page* const bits = state.load(std::memory_order_relaxed);
  return bits == whole() || bits->is_marked(first, count);
}

std::size_t Definedness::memory_bytes() const {
  std::size_t result = sizeof(*this) + page_count() * sizeof(pages_[0]);
  for (std::size_t page = 0; page < page_count(); ++page) {
    Page* const state = pages_[page].load(std::memory_order_acquire);
    result += state != nullptr && state != whole() ? sizeof(Page) : 0;
  }
  return result;
}

}  // namespace tilery
