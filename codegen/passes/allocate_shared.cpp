#include "codegen/passes/allocate_shared.h"

#include "codegen/analysis/shared_use.h"
#include "codegen/ring_layout.h"
#include "ir/analysis/loops.h"
#include "ir/attributes.h"
#include "ir/builder.h"

#include <algorithm>
#include <vector>

namespace tilery::codegen {
namespace {

constexpr std::uint32_t kScratchAlignment = 16;
/// Rows of rings are swizzled over lines of all banks.
constexpr std::uint32_t kRingAlignment = 128;
/// Neighbours in time are kept apart if one of them is this small, or both together take no more
/// than this for each thread: then shared memory does not limit how many blocks a multiprocessor
/// runs (some 110 bytes a thread fill it).
constexpr std::uint32_t kSmallBytes = 2048;
constexpr std::uint32_t kBytesPerThread = 96;

/// A block and when it is in use: instructions are numbered in the order of the region tree.
struct Block {
  InstId owner;
  std::uint32_t bytes = 0;
  bool is_ring = false;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t offset = 0;

  [[nodiscard]] bool overlaps_in_time(const Block& other) const {
    return first <= other.last && other.first <= last;
  }

  [[nodiscard]] bool overlaps_in_space(const Block& other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// Finds the blocks of a function, in order, and which come right after which.
class BlockFinder {
 public:
  explicit BlockFinder(const GpuFunction& gpu) : gpu_(gpu) { visit(gpu.function.body); }

  [[nodiscard]] std::vector<Block>& blocks() { return blocks_; }

  /// Pairs of blocks of which the second may be used right after the first.
  [[nodiscard]] const std::vector<std::pair<std::size_t, std::size_t>>& neighbours() const {
    return neighbours_;
  }

 private:
  void visit(RegionId region) {
    for (const InstId id : gpu_.function.region(region).insts) {
      const Inst& inst = gpu_.function.inst(id);
      const std::uint32_t start = next_++;
      add_block(id, start);
      extend_rings(inst, start);
      const std::size_t first_inside = blocks_.size();
      for (const RegionId nested : inst.regions) {
        visit(nested);
      }
      if (is_loop(inst.op)) {
        close_loop(start, first_inside);
      }
    }
  }

  void add_block(InstId id, std::uint32_t number) {
    const std::uint32_t bytes = own_block_bytes(gpu_, id);
    if (bytes == 0) {
      return;
    }
    const bool is_ring = gpu_.function.inst(id).op == Op::SharedRing;
    blocks_.push_back({id, bytes, is_ring, number, number, 0});
    if (!is_ring) {
      add_neighbour(blocks_.size() - 1);
    }
  }

  void add_neighbour(std::size_t block) {
    if (has_last_scratch_) {
      neighbours_.emplace_back(last_scratch_, block);
    }
    last_scratch_ = block;
    has_last_scratch_ = true;
  }

  void extend_rings(const Inst& inst, std::uint32_t number) {
    for (const ValueId operand : inst.operands) {
      if (operand.index < is_ring_.size() && is_ring_[operand.index]) {
        const InstId root = ring_root(gpu_.function, operand);
        const auto block = std::find_if(blocks_.begin(), blocks_.end(),
                                        [&](const Block& b) { return b.owner == root; });
        block->last = std::max(block->last, number);
      }
    }
  }

  /// What a loop uses of a ring from outside, it uses until it ends. Its last scratch comes before
  /// its first.
  void close_loop(std::uint32_t start, std::size_t first_inside) {
    for (std::size_t i = 0; i < first_inside; ++i) {
      if (blocks_[i].is_ring && blocks_[i].last >= start) {
        blocks_[i].last = next_ - 1;
      }
    }
    const auto first = std::find_if(blocks_.begin() + static_cast<std::ptrdiff_t>(first_inside),
                                    blocks_.end(), [](const Block& b) { return !b.is_ring; });
    if (first != blocks_.end()) {
      neighbours_.emplace_back(last_scratch_, static_cast<std::size_t>(first - blocks_.begin()));
    }
  }

  const GpuFunction& gpu_;
  std::vector<bool> is_ring_ = find_ring_values(gpu_.function);
  std::vector<Block> blocks_;
  std::vector<std::pair<std::size_t, std::size_t>> neighbours_;
  std::size_t last_scratch_ = 0;
  bool has_last_scratch_ = false;
  std::uint32_t next_ = 0;
};

/// Block i must not share memory with those of its list, which come before it.
std::vector<std::vector<std::size_t>> conflicts_of(BlockFinder& finder, int num_warps) {
  const auto plenty = static_cast<std::uint32_t>(num_warps * kWarpSize) * kBytesPerThread;
  const std::vector<Block>& blocks = finder.blocks();
  std::vector<std::vector<std::size_t>> conflicts(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (blocks[i].overlaps_in_time(blocks[j])) {
        conflicts[i].push_back(j);
      }
    }
  }
  for (const auto& [a, b] : finder.neighbours()) {
    const bool is_cheap = std::min(blocks[a].bytes, blocks[b].bytes) <= kSmallBytes ||
                          blocks[a].bytes + blocks[b].bytes <= plenty;
    if (a != b && is_cheap) {
      conflicts[std::max(a, b)].push_back(std::min(a, b));
    }
  }
  return conflicts;
}

/// The lowest place that is clear of the given blocks.
std::uint32_t first_fit(const Block& block, const std::vector<Block>& blocks,
                        const std::vector<std::size_t>& conflicts) {
  const std::uint32_t alignment = block.is_ring ? kRingAlignment : kScratchAlignment;
  Block placed = block;
  placed.offset = 0;
  for (bool is_clear = false; !is_clear;) {
    is_clear = true;
    for (const std::size_t other : conflicts) {
      if (placed.overlaps_in_space(blocks[other])) {
        const std::uint32_t end = blocks[other].offset + blocks[other].bytes;
        placed.offset = (end + alignment - 1) / alignment * alignment;
        is_clear = false;
      }
    }
  }
  return placed.offset;
}

/// The last instruction of the ring's own region that uses it, by itself or inside.
InstId last_user(const Function& function, const std::vector<bool>& is_ring, InstId root) {
  InstId last = root;
  for (const InstId id : function.region(function.inst(root).parent).insts) {
    bool uses = false;
    const auto look = [&](const Inst& inst) {
      for (const ValueId operand : inst.operands) {
        uses = uses || (is_ring[operand.index] && ring_root(function, operand) == root);
      }
    };
    look(function.inst(id));
    for (const RegionId region : function.inst(id).regions) {
      for_each_inst(function, region, [&](InstId nested) { look(function.inst(nested)); });
    }
    if (uses) {
      last = id;
    }
  }
  return last;
}

void wait_for_copies(Function& function, InstId root) {
  const InstId last = last_user(function, find_ring_values(function), root);
  Region& region = function.region(function.inst(last).parent);
  const auto place = std::find(region.insts.begin(), region.insts.end(), last) + 1;
  if (place != region.insts.end() && function.inst(*place).op == Op::AsyncWait &&
      int_attr<"pending">(function.inst(*place)) == 0) {
    return;
  }
  Builder builder(function);
  builder.set_before(*place);
  builder.set_loc(function.inst(last).loc);
  builder.create(Op::AsyncWait, {{}, {{"pending", std::int64_t{0}}}, {}, {}});
}

}  // namespace

bool allocate_shared(GpuFunction& gpu) {
  BlockFinder finder(gpu);
  std::vector<Block>& blocks = finder.blocks();
  const auto conflicts = conflicts_of(finder, gpu.num_warps);
  gpu.shared.clear();
  gpu.shared_bytes = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    block.offset = first_fit(block, blocks, conflicts[i]);
    gpu.shared[block.owner.index] = {block.offset, block.bytes};
    gpu.shared_bytes = std::max(gpu.shared_bytes, block.offset + block.bytes);
  }
  for (const Block& ring : blocks) {
    const auto reuses = [&](const Block& other) {
      return other.owner != ring.owner && other.overlaps_in_space(ring);
    };
    if (ring.is_ring && std::any_of(blocks.begin(), blocks.end(), reuses)) {
      wait_for_copies(gpu.function, ring.owner);
    }
  }
  return !blocks.empty();
}

}  // namespace tilery::codegen
