#include "codegen/layout/shared_plan.h"

#include "codegen/layout/f2.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

namespace tilery::codegen {
namespace {

using Vectors = std::vector<std::uint32_t>;

int log2_of(int power) {
  return std::countr_zero(static_cast<unsigned>(power));
}

Vectors joined(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  Vectors result(a.begin(), a.end());
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

F2Span span_of(std::span<const std::uint32_t> vectors) {
  F2Span span;
  for (const std::uint32_t vector : vectors) {
    span.insert(vector);
  }
  return span;
}

/// The first of the vectors that are independent of each other and of `span`, at most `count`.
Vectors take_independent(F2Span span, std::span<const std::uint32_t> vectors, std::size_t count) {
  Vectors result;
  for (const std::uint32_t vector : vectors) {
    if (result.size() < count && span.insert(vector)) {
      result.push_back(vector);
    }
  }
  return result;
}

/// The base indices that threads of a layout reach.
Vectors thread_bases(const Layout& layout) {
  return joined(layout.bases(Place::Lane), layout.bases(Place::Warp));
}

/// Lanes whose accesses of so many bytes are served together.
int group_bits(int access_bytes) {
  return std::min(kLaneBits, log2_of(kBankLineBytes / std::max(access_bytes, kBankBytes)));
}

/// log2 of the parts that the base tile must be cut into to come below the limit.
int wanted_round_bits(const Layout& layout, int element_bytes) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(element_bytes) << layout.base_bits();
  return bytes <= kScratchLimitBytes ? 0 : std::bit_width((bytes - 1) / kScratchLimitBytes);
}

/// One choice of widths: both sides move the `common` vector bits at once, the wide one the `extra`
/// ones too.
struct Widths {
  Vectors common;
  Vectors extra;
  bool wide_store = false;

  [[nodiscard]] std::size_t vector_bits(bool is_wide) const {
    return common.size() + (is_wide ? extra.size() : 0);
  }
};

/// The plan's columns, from the lowest bit of an element's offset; the last `round_bits` are the
/// rounds.
struct Columns {
  Vectors vectors;
  int round_bits = 0;
};

/// Finds the columns for one choice of widths.
class ColumnFinder {
 public:
  ColumnFinder(const Layout& from, const Layout& to, int element_bytes, const Widths& widths)
      : wide_(widths.wide_store ? from : to),
        narrow_(widths.wide_store ? to : from),
        widths_(widths),
        element_bytes_(element_bytes),
        vector_(joined(widths.common, widths.extra)),
        all_(span_of(vector_)) {}

  [[nodiscard]] Columns find(std::span<const std::uint32_t> shared_registers) {
    for (const std::uint32_t base : thread_bases(wide_)) {
      add(base);
    }
    for (const std::uint32_t base : thread_bases(narrow_)) {
      add_narrow(base);
    }
    Columns columns = {vector_, 0};
    const Vectors rounds = round_columns(shared_registers);
    for (int bit = 0; bit < wide_.base_bits(); ++bit) {
      add(1U << bit);
    }
    append_banks_and_segments(columns.vectors);
    columns.vectors.insert(columns.vectors.end(), rounds.begin(), rounds.end());
    columns.round_bits = static_cast<int>(rounds.size());
    return columns;
  }

 private:
  void add(std::uint32_t vector) {
    if (all_.insert(vector)) {
      rest_.push_back(vector);
    }
  }

  /// A base of the narrow side that is a register direction of the wide one may lie in its vector
  /// as well as elsewhere: that gives the narrow side's lanes more banks.
  void add_narrow(std::uint32_t base) {
    if (all_.contains(base)) {
      const std::uint64_t members = *span_of(joined(vector_, rest_)).solve(base);
      used_extra_ |= members >> widths_.common.size() & ((1U << widths_.extra.size()) - 1);
      return;
    }
    const int free = std::countr_one(used_extra_);
    if (free < static_cast<int>(widths_.extra.size())) {
      used_extra_ |= std::uint64_t{1} << free;
      base ^= widths_.extra[static_cast<std::size_t>(free)];
    }
    add(base);
  }

  /// Takes as many register directions of both sides as it needs to come below the limit.
  Vectors round_columns(std::span<const std::uint32_t> shared_registers) {
    const int wanted = wanted_round_bits(wide_, element_bytes_);
    Vectors rounds = take_independent(all_, shared_registers, static_cast<std::size_t>(wanted));
    for (const std::uint32_t vector : rounds) {
      all_.insert(vector);
    }
    return rounds;
  }

  /// Bases of the lanes of a side that are served at once.
  [[nodiscard]] Vectors group(const Layout& layout, std::size_t vector_size) const {
    const auto lanes = layout.bases(Place::Lane);
    return {lanes.begin(), lanes.begin() + group_bits(element_bytes_ << vector_size)};
  }

  void append_banks_and_segments(Vectors& columns) const {
    const auto bank_bits = static_cast<std::size_t>(
        std::max(0, log2_of(kBankLineBytes / element_bytes_) - static_cast<int>(vector_.size())));
    if (rest_.size() <= bank_bits) {
      columns.insert(columns.end(), rest_.begin(), rest_.end());
      return;
    }
    const Vectors narrow_reach =
        joined(group(narrow_, widths_.common.size()),
               std::span(vector_).first(std::max(widths_.common.size(), word_bits())));
    Vectors a = take_independent({}, common_basis(rest_, group(wide_, vector_.size())), bank_bits);
    Vectors b = take_independent({}, common_basis(rest_, narrow_reach), bank_bits);
    append_complement(columns, a, b, bank_bits);
  }

  /// Vector bits that lie within one word of a bank.
  [[nodiscard]] std::size_t word_bits() const {
    return std::min(vector_.size(), static_cast<std::size_t>(std::max(
                                        0, log2_of(kBankBytes) - log2_of(element_bytes_))));
  }

  /// `bank_bits` columns and, after them, a common complement of the spaces of a and b, which are
  /// extended to that dimension.
  void append_complement(Vectors& columns, const Vectors& a, const Vectors& b,
                         std::size_t bank_bits) const {
    Vectors banks = common_basis(a, b);
    Vectors only_a = take_independent(span_of(banks), a, a.size());
    Vectors only_b = take_independent(span_of(banks), b, b.size());
    const auto move = [&banks](Vectors& only) {
      banks.push_back(only.back());
      only.pop_back();
    };
    while (only_a.size() > only_b.size()) {
      move(only_a);
    }
    while (only_b.size() > only_a.size()) {
      move(only_b);
    }
    while (banks.size() + only_a.size() < bank_bits && !only_a.empty()) {
      move(only_a);
      move(only_b);
    }
    Vectors outside =
        take_independent(span_of(joined(banks, joined(only_a, only_b))), rest_, rest_.size());
    std::reverse(outside.begin(), outside.end());
    while (banks.size() + only_a.size() < bank_bits) {
      move(outside);
    }
    columns.insert(columns.end(), banks.begin(), banks.end());
    columns.insert(columns.end(), only_a.begin(), only_a.end());
    columns.insert(columns.end(), outside.rbegin(), outside.rend());
    for (std::size_t i = 0; i < only_a.size(); ++i) {
      columns.push_back(only_a[i] ^ only_b[i]);
    }
  }

  const Layout& wide_;
  const Layout& narrow_;
  const Widths& widths_;
  int element_bytes_;
  Vectors vector_;
  /// The vector's columns and all others; the others.
  F2Span all_;
  Vectors rest_;
  std::uint64_t used_extra_ = 0;
};

/// What one side does, given the columns.
class SideMaker {
 public:
  SideMaker(const Layout& layout, const Columns& columns, std::size_t vector_bits,
            int element_bytes)
      : layout_(layout),
        columns_(span_of(columns.vectors)),
        round_shift_(static_cast<int>(columns.vectors.size()) - columns.round_bits),
        vector_bits_(static_cast<int>(vector_bits)),
        element_bytes_(element_bytes) {
    for (const std::uint32_t base : layout_.bases(Place::Lane)) {
      threads_.lane_offsets.push_back(bytes_of(base));
    }
    count_wavefronts();
  }

  /// See SharedPlan::cost.
  [[nodiscard]] int cost() const {
    return (layout_.registers() >> vector_bits_) * (threads_.wavefronts + 1);
  }

  /// `repeats_together`: all repeats are in memory at once, else each is in rounds of its own.
  [[nodiscard]] SharedSide make(bool repeats_together) const {
    SharedSide side = threads_;
    for (const std::uint32_t base : layout_.bases(Place::Warp)) {
      side.warp_offsets.push_back(bytes_of(base));
    }
    add_accesses(side, repeats_together);
    return side;
  }

 private:
  [[nodiscard]] std::uint32_t offset_of(std::uint32_t base) const {
    return static_cast<std::uint32_t>(*columns_.solve(base));
  }

  [[nodiscard]] std::uint32_t bytes_of(std::uint32_t base) const {
    return offset_of(base) * static_cast<std::uint32_t>(element_bytes_);
  }

  void add_accesses(SharedSide& side, bool repeats_together) const {
    std::uint32_t reached = 0;
    for (const std::uint32_t offset : joined(side.lane_offsets, side.warp_offsets)) {
      reached |= offset;
    }
    const std::uint32_t in_vector = (1U << vector_bits_) - 1;
    TILERY_CHECK(
        (reached & ((in_vector + 1) * static_cast<std::uint32_t>(element_bytes_) - 1)) == 0,
        "a thread reaches into a vector");
    const int base_registers = 1 << layout_.bits(Place::Register);
    // By the offset of an access in elements: its registers.
    std::vector<std::pair<std::uint32_t, int>> places;
    for (int reg = 0; reg < base_registers; ++reg) {
      const auto base = layout_.base_index(Place::Register, static_cast<std::uint32_t>(reg));
      places.emplace_back(offset_of(base), reg);
    }
    std::sort(places.begin(), places.end());
    const std::uint32_t round_mask = (1U << round_shift_) - 1;
    for (int repeat = 0; repeat < layout_.repeats(); ++repeat) {
      for (std::size_t first = 0; first < places.size(); first += in_vector + 1) {
        SharedAccess access;
        TILERY_CHECK((places[first].first & in_vector) == 0, "a vector is not aligned");
        const auto in_round = places[first].first & round_mask;
        const std::uint32_t bytes = in_round * static_cast<std::uint32_t>(element_bytes_);
        access.flip = bytes & reached;
        access.add = bytes & ~reached;
        access.round = static_cast<int>(places[first].first >> round_shift_);
        if (repeats_together) {
          access.add += static_cast<std::uint32_t>(repeat * element_bytes_) << round_shift_;
        } else {
          access.round += repeat << (columns_.dimension() - round_shift_);
        }
        for (std::uint32_t i = 0; i <= in_vector; ++i) {
          access.registers.push_back(places[first + i].second + repeat * base_registers);
        }
        side.accesses.push_back(std::move(access));
      }
    }
    std::stable_sort(side.accesses.begin(), side.accesses.end(),
                     [](const auto& x, const auto& y) { return x.round < y.round; });
  }

  /// Lanes of one group that differ in the address but not in the bank take turns.
  void count_wavefronts() {
    const int access_bytes = element_bytes_ << vector_bits_;
    const int unit = std::max(access_bytes, kBankBytes);
    F2Span addresses;
    F2Span banks;
    for (int bit = 0; bit < group_bits(access_bytes); ++bit) {
      const std::uint32_t place =
          threads_.lane_offsets[static_cast<std::size_t>(bit)] / static_cast<std::uint32_t>(unit);
      addresses.insert(place);
      banks.insert(place % static_cast<std::uint32_t>(kBankLineBytes / unit));
    }
    threads_.least_wavefronts = unit / kBankBytes;
    threads_.wavefronts = threads_.least_wavefronts << (addresses.dimension() - banks.dimension());
  }

  const Layout& layout_;
  F2Span columns_;
  int round_shift_;
  int vector_bits_;
  int element_bytes_;
  /// The side without warps and accesses.
  SharedSide threads_;
};

/// One way to lay the tile out.
class Candidate {
 public:
  Candidate(const Layout& from, const Layout& to, int element_bytes, const Widths& widths,
            std::span<const std::uint32_t> shared_registers)
      : columns_(ColumnFinder(from, to, element_bytes, widths).find(shared_registers)),
        store_(from, columns_, widths.vector_bits(widths.wide_store), element_bytes),
        load_(to, columns_, widths.vector_bits(!widths.wide_store), element_bytes),
        repeats_(from.repeats()),
        round_bytes_(static_cast<std::uint32_t>(element_bytes)
                     << (from.base_bits() - columns_.round_bits)) {}

  [[nodiscard]] int cost() const { return store_.cost() + load_.cost(); }

  [[nodiscard]] SharedPlan plan() const {
    const std::uint64_t all_bytes = std::uint64_t{round_bytes_} * static_cast<unsigned>(repeats_);
    const bool together = columns_.round_bits == 0 && all_bytes <= kScratchLimitBytes;
    SharedPlan plan;
    plan.store = store_.make(together);
    plan.load = load_.make(together);
    plan.rounds = together ? 1 : repeats_ << columns_.round_bits;
    plan.bytes = together ? static_cast<std::uint32_t>(all_bytes) : round_bytes_;
    return plan;
  }

 private:
  Columns columns_;
  SideMaker store_;
  SideMaker load_;
  int repeats_;
  std::uint32_t round_bytes_;
};

/// Register directions along which only the wide side can be wide, those first that are lanes of
/// the other side: they are banks for it already.
Vectors extra_directions(const Layout& wide, const Layout& narrow, const Vectors& common,
                         std::size_t count) {
  const auto registers = wide.bases(Place::Register);
  const Vectors candidates = joined(common_basis(registers, narrow.bases(Place::Lane)), registers);
  return take_independent(span_of(joined(common, thread_bases(wide))), candidates, count);
}

}  // namespace

int SharedPlan::cost() const {
  const auto side = [](const SharedSide& s) {
    return static_cast<int>(s.accesses.size()) * (s.wavefronts + 1);
  };
  return side(store) + side(load);
}

SharedPlan plan_shared(const Layout& from, const Layout& to, int element_bytes) {
  TILERY_CHECK(from.shape() == to.shape(), "a conversion keeps the shape");
  TILERY_CHECK(from.bits(Place::Block) == 0 && to.bits(Place::Block) == 0,
               "no conversion between blocks");
  const auto most = static_cast<std::size_t>(log2_of(kMaxVectorBytes / element_bytes));
  const Vectors threads = joined(thread_bases(from), thread_bases(to));
  const Vectors shared_registers = take_independent(
      span_of(threads), common_basis(from.bases(Place::Register), to.bases(Place::Register)), 32);
  // Of the directions that could serve either, rounds get what they need but for one.
  const int left =
      static_cast<int>(shared_registers.size()) - wanted_round_bits(from, element_bytes);
  Widths widths;
  widths.common = take_independent({}, shared_registers,
                                   std::min(most, static_cast<std::size_t>(std::max(left, 1))));
  std::optional<Candidate> best;
  best.emplace(from, to, element_bytes, widths, shared_registers);
  for (const bool wide_store : {true, false}) {
    const Layout& wide = wide_store ? from : to;
    const Vectors extra =
        extra_directions(wide, wide_store ? to : from, widths.common, most - widths.common.size());
    for (std::size_t count = 1; count <= extra.size(); ++count) {
      const Widths option = {widths.common, {extra.begin(), extra.begin() + count}, wide_store};
      // The common part has to stay clear of the extra one too.
      F2Span clear = span_of(joined(threads, option.extra));
      if (take_independent(clear, widths.common, most).size() != widths.common.size()) {
        break;
      }
      const Candidate candidate(from, to, element_bytes, option, shared_registers);
      if (candidate.cost() < best->cost()) {
        best.emplace(candidate);
      }
    }
  }
  return best->plan();
}

SharedSwizzle shared_swizzle(int row_bytes) {
  TILERY_CHECK(row_bytes > 0 && row_bytes % 16 == 0, "rows of whole chunks");
  // Rows of an odd number of chunks run through all banks by themselves.
  const int line_bits = std::min(std::countr_zero(static_cast<unsigned>(row_bytes)), 7);
  return {row_bytes, 7 - line_bits, (1 << (line_bits - 4)) - 1};
}

}  // namespace tilery::codegen
