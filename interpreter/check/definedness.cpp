#include "interpreter/check/definedness.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace tilery {

struct Definedness::Page {
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t kWords = kPageBytes / kWordBits;
  static constexpr std::uint64_t kFull = ~std::uint64_t{0};

  std::array<std::atomic<std::uint64_t>, kWords> bits{};
  Page* next = nullptr;  ///< in a list of needless ones

  /// What a buffer's last page lacks counts as written.
  explicit Page(std::size_t size) { mark(size, kPageBytes - size); }

  Page(const Page& other) {
    std::transform(other.bits.begin(), other.bits.end(), bits.begin(),
                   [](const auto& word) { return word.load(); });
  }

  Page& operator=(const Page&) = delete;
  ~Page() = default;

  /// Calls `visit(word, mask)` for the words that hold the bits of these bytes, until it gives
  /// false; true if it never did.
  template <class Visit>
  static bool for_each_word(std::size_t first, std::size_t count, Visit&& visit) {
    while (count != 0) {
      const std::size_t low = first % kWordBits;
      const std::size_t here = std::min(count, kWordBits - low);
      const std::uint64_t ones = here == kWordBits ? kFull : (std::uint64_t{1} << here) - 1;
      if (!visit(first / kWordBits, ones << low)) {
        return false;
      }
      first += here;
      count -= here;
    }
    return true;
  }

  /// True if the page may be whole now. Of two threads that write its last bytes at once neither
  /// may see it; then the bits stay, which are right all the same.
  bool mark(std::size_t first, std::size_t count) {
    bool is_word_full = false;
    for_each_word(first, count, [&](std::size_t word, std::uint64_t mask) {
      std::uint64_t now = kFull;
      if (mask == kFull) {
        bits[word].store(kFull, std::memory_order_relaxed);
      } else if (now = bits[word]; (now & mask) != mask) {
        now = bits[word].fetch_or(mask) | mask;
      }
      is_word_full = is_word_full || now == kFull;
      return true;
    });
    return is_word_full;
  }

  [[nodiscard]] bool is_marked(std::size_t first, std::size_t count) const {
    return for_each_word(first, count, [this](std::size_t word, std::uint64_t mask) {
      return (bits[word] & mask) == mask;
    });
  }

  /// Looks behind `first` to begin with, where a page that is written from front to back lacks
  /// something.
  [[nodiscard]] bool is_whole(std::size_t first) const {
    for (std::size_t i = 1; i <= kWords; ++i) {
      if (bits[(first / kWordBits + i) % kWords] != kFull) {
        return false;
      }
    }
    return true;
  }
};

Definedness::Page* Definedness::whole() {
  static Page page(kPageBytes);
  return &page;
}

Definedness::Definedness(std::size_t bytes)
    : bytes_(bytes), pages_(new (std::nothrow) std::atomic<Page*>[page_count()]()) {}

Definedness::~Definedness() {
  for (std::size_t page = 0; pages_ != nullptr && page < page_count(); ++page) {
    if (Page* const state = pages_[page]; state != whole()) {
      delete state;
    }
  }
  free_needless();
}

std::size_t Definedness::page_count() const {
  return (bytes_ + kPageBytes - 1) / kPageBytes;
}

std::size_t Definedness::page_size(std::size_t page) const {
  return std::min(kPageBytes, bytes_ - page * kPageBytes);
}

std::unique_ptr<Definedness> Definedness::none_of(std::size_t bytes) {
  std::unique_ptr<Definedness> result(new (std::nothrow) Definedness(bytes));
  return result != nullptr && result->pages_ != nullptr ? std::move(result) : nullptr;
}

std::unique_ptr<Definedness> Definedness::copy() const {
  std::unique_ptr<Definedness> result = none_of(bytes_);
  for (std::size_t page = 0; result != nullptr && page < page_count(); ++page) {
    Page* state = pages_[page];
    if (state != nullptr && state != whole()) {
      state = new (std::nothrow) Page(*state);
      if (state == nullptr) {
        return nullptr;
      }
    }
    result->pages_[page] = state;
  }
  return result;
}

// ---- needless bits ------------------------------------------------------------------------------

// A reader counts itself before it takes a page's bits from `pages_`, and they were taken from
// there before they came into the list. So what is in the list at a moment without readers is seen
// by nobody, then or later. All of these operations are in one order that every thread agrees on
// (memory_order_seq_cst, the default).

void Definedness::add_needless(Page* first) {
  Page* last = first;
  while (last->next != nullptr) {
    last = last->next;
  }
  last->next = needless_;
  while (!needless_.compare_exchange_weak(last->next, first)) {
  }
}

void Definedness::free_needless() {
  Page* list = needless_.exchange(nullptr);
  if (list != nullptr && readers_ != 0) {
    add_needless(list);
    return;
  }
  while (list != nullptr) {
    delete std::exchange(list, list->next);
  }
}

Definedness::Access::~Access() {
  if (is_reader_ && --of_.readers_ == 0 && of_.needless_ != nullptr) {
    of_.free_needless();
  }
}

/// The state of a page, from now on to be relied on.
Definedness::Page* Definedness::Access::read(const std::atomic<Page*>& state) {
  if (!is_reader_) {
    ++of_.readers_;
    is_reader_ = true;
  }
  return state;
}

// ---- marks --------------------------------------------------------------------------------------

void Definedness::Access::mark(std::size_t first, std::size_t count) {
  while (count != 0) {
    const std::size_t offset = first % kPageBytes;
    const std::size_t here = std::min(count, kPageBytes - offset);
    mark_in_page(first / kPageBytes, offset, here);
    first += here;
    count -= here;
  }
}

void Definedness::Access::mark_in_page(std::size_t page, std::size_t first, std::size_t count) {
  std::atomic<Page*>& state = of_.pages_[page];
  if (state == whole()) {
    return;
  }
  const std::size_t size = of_.page_size(page);
  Page* bits = nullptr;
  if (count == size && state.compare_exchange_strong(bits, whole())) {
    return;
  }
  bits = read(state);
  if (bits == nullptr) {
    Page* const made = new (std::nothrow) Page(size);
    if (state.compare_exchange_strong(bits, made != nullptr ? made : whole())) {
      bits = made != nullptr ? made : whole();
    } else {
      delete made;
    }
  }
  if (bits == whole() || !bits->mark(first, count) || !bits->is_whole(first)) {
    return;
  }
  if (Page* expected = bits; state.compare_exchange_strong(expected, whole())) {
    of_.add_needless(bits);
  }
}

bool Definedness::Access::is_marked(std::size_t first, std::size_t count) {
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

bool Definedness::Access::is_marked_in_page(std::size_t page, std::size_t first,
                                            std::size_t count) {
  const std::atomic<Page*>& state = of_.pages_[page];
  if (Page* const seen = state; seen == whole() || seen == nullptr) {
    return seen != nullptr;
  }
  const Page* const bits = read(state);
  return bits == whole() || bits->is_marked(first, count);
}

void Definedness::Access::expect(std::size_t byte) {
  if (byte >= of_.bytes_) {
    return;
  }
  const Page* const bits = read(of_.pages_[byte / kPageBytes]);
  if (bits != nullptr && bits != whole()) {
    __builtin_prefetch(&bits->bits[byte % kPageBytes / Page::kWordBits], 1);
  }
}

std::size_t Definedness::memory_bytes() const {
  std::size_t result = sizeof(*this) + page_count() * sizeof(pages_[0]);
  for (std::size_t page = 0; page < page_count(); ++page) {
    Page* const state = pages_[page];
    result += state != nullptr && state != whole() ? sizeof(Page) : 0;
  }
  for (const Page* page = needless_; page != nullptr; page = page->next) {
    result += sizeof(Page);
  }
  return result;
}

}  // namespace tilery
