// Places in shared memory and barriers, of functions written by hand: what needs a barrier, and
// what must not get one. Random programs are walked along random paths with every byte watched.
#include "codegen/analysis/memory_hazards.h"

#include "codegen/analysis/shared_use.h"
#include "codegen/passes/allocate_shared.h"
#include "codegen/passes/insert_barriers.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/printer.h"
#include "tests/support/ir_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tilery::codegen {
namespace {

/// Layouts of values by name; others get the default of their shape.
using Layouts = std::map<std::string, Layout>;

Layout default_layout(const Shape& shape, int num_warps) {
  std::vector<int> order;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    order.push_back(axis);
  }
  return shape.is_scalar() ? scalar_layout(num_warps) : blocked_layout(shape, order, 1, num_warps);
}

Layout by_columns(const Shape& shape, int num_warps) {
  const std::vector<int> order = {0, 1};
  return blocked_layout(shape, order, 1, num_warps);
}

GpuFunction gpu_function(const std::string& body, int num_warps, const Layouts& layouts = {}) {
  const std::string text =
      "func @f(%p: *f32, %q: *f32[256], %r: *f32[64], %n: i32, %go: i1, %x: f32[256], "
      "%y: f32[256], %small: f32[64], %t: f32[64, 64], %u: f32[64, 64], %v: f32) {\n" +
      body + "}\n";
  GpuFunction gpu;
  gpu.function = testing::read_ir(text);
  gpu.num_warps = num_warps;
  for (std::size_t i = 0; i < gpu.function.values.size(); ++i) {
    const Value& value = gpu.function.values[i];
    const auto named = layouts.find(value.name);
    gpu.layouts.set(ValueId(i), named == layouts.end() ? default_layout(value.type.shape, num_warps)
                                                       : named->second);
  }
  return gpu;
}

/// An instruction as the tests name it: by its result, or by its op.
std::string label(const Function& function, InstId id) {
  const Inst& inst = function.inst(id);
  return inst.result_count != 0 ? function.value(inst.result()).name
                                : std::string(op_def(inst.op).id);
}

using Labels = std::vector<std::string>;

Labels barriers_of(GpuFunction& gpu) {
  allocate_shared(gpu);
  Labels result;
  for (const InstId id : find_memory_hazards(gpu)) {
    result.push_back(label(gpu.function, id));
  }
  return result;
}

Labels barriers(const std::string& body, int num_warps = 4, const Layouts& layouts = {}) {
  GpuFunction gpu = gpu_function(body, num_warps, layouts);
  return barriers_of(gpu);
}

/// "%name = reduce %operand …", a sum: of 256 elements over 4 warps it takes scratch.
std::string reduce(const std::string& name, const std::string& operand) {
  return fmt::format(
      "%{0} = reduce %{1} axis=0 : f32 {{\n"
      "combine(%l{0}: f32, %r{0}: f32):\n  %s{0} = add %l{0}, %r{0} : f32\n  yield %s{0}\n}}\n",
      name, operand);
}

/// A conversion of a [64, 64] tile of f32 by way of 16 KiB of shared memory; see kConverted.
std::string convert(const std::string& name, const std::string& operand) {
  return fmt::format("%{} = convert_layout %{} : f32[64, 64]\n", name, operand);
}

const Layouts kConverted = {{"c", by_columns({64, 64}, 4)}, {"d", by_columns({64, 64}, 4)}};

const std::string kLoop =
    "%zero = constant 0 : i32\n%one = constant 1 : i32\n"
    "for %zero, %n, %one {\nbody(%i: i32):\n";

// ---- shared memory ----

TEST(MemoryHazards, SmallScratchOfNeighboursIsKeptApart) {
  EXPECT_EQ(barriers(reduce("a", "x") + reduce("b", "y")), Labels{});
  EXPECT_EQ(barriers(reduce("a", "x") + reduce("b", "y") + reduce("c", "x") + reduce("d", "y")),
            Labels{});
  EXPECT_EQ(barriers(reduce("a", "x") + convert("c", "t"), 4, kConverted), Labels{});
}

TEST(MemoryHazards, LargeScratchIsSharedAndNeedsABarrier) {
  EXPECT_EQ(barriers(convert("c", "t") + convert("d", "u"), 4, kConverted), Labels{"d"});
  // A barrier in between will do, of whatever origin.
  EXPECT_EQ(barriers(convert("c", "t") + "debug_barrier\n" + convert("d", "u"), 4, kConverted),
            Labels{});
  EXPECT_EQ(barriers(convert("c", "t") + reduce("a", "x") + convert("d", "u"), 4, kConverted),
            Labels{});
}

TEST(MemoryHazards, ManyThreadsMayHaveLargeBlocksSideBySide) {
  const Layouts layouts = {{"c", by_columns({64, 64}, 32)}, {"d", by_columns({64, 64}, 32)}};
  EXPECT_EQ(barriers(convert("c", "t") + convert("d", "u"), 32, layouts), Labels{});
}

TEST(MemoryHazards, ALoopMeetsItselfAgain) {
  // Reads of one iteration, writes of the next.
  EXPECT_EQ(barriers(kLoop + reduce("a", "x") + "yield\n}\n"), Labels{"a"});
  // Two in turn clear each other's.
  EXPECT_EQ(barriers(kLoop + reduce("a", "x") + reduce("b", "y") + "yield\n}\n"), Labels{});
  EXPECT_EQ(barriers(kLoop + reduce("a", "x") + reduce("b", "y") + reduce("c", "x") + "yield\n}\n"),
            Labels{});
  EXPECT_EQ(barriers(kLoop + reduce("a", "x") + "debug_barrier\nyield\n}\n"), Labels{});
}

TEST(MemoryHazards, OneBranchIsEnough) {
  const std::string one = "if %go {\nthen():\n" + convert("c", "t") + "yield\nelse():\nyield\n}\n";
  EXPECT_EQ(barriers(one + convert("d", "u"), 4, kConverted), Labels{"d"});
  const std::string cleared =
      "if %go {\nthen():\n" + convert("c", "t") + "debug_barrier\nyield\nelse():\nyield\n}\n";
  EXPECT_EQ(barriers(cleared + convert("d", "u"), 4, kConverted), Labels{});
  // A barrier in one branch only does not help the other.
  const std::string half =
      convert("c", "t") + "if %go {\nthen():\ndebug_barrier\nyield\nelse():\nyield\n}\n";
  EXPECT_EQ(barriers(half + convert("d", "u"), 4, kConverted), Labels{"d"});
}

TEST(MemoryHazards, BranchesDoNotMeetEachOther) {
  EXPECT_EQ(barriers("if %go {\nthen():\n" + convert("c", "t") + "yield\nelse():\n" +
                         convert("d", "u") + "yield\n}\n",
                     4, kConverted),
            Labels{});
}

TEST(MemoryHazards, AWhileEndsAfterItsCondition) {
  const auto loop = [](const std::string& condition, const std::string& body) {
    return "while {\ncond():\n" + condition + "condition %go\nbody():\n" + body + "yield\n}\n";
  };
  // The condition's scratch is read before the body's and the next turn's is written.
  EXPECT_EQ(barriers(loop(convert("c", "t"), ""), 4, kConverted), Labels{"c"});
  EXPECT_EQ(barriers(loop(convert("c", "t"), convert("d", "u")), 4, kConverted),
            (Labels{"c", "d"}));
  // What the condition clears is clear afterwards.
  EXPECT_EQ(barriers(loop("debug_barrier\n", convert("c", "t")) + convert("d", "u"), 4, kConverted),
            Labels{});
  EXPECT_EQ(barriers(loop("", convert("c", "t")) + convert("d", "u"), 4, kConverted),
            (Labels{"c", "d"}));
}

TEST(MemoryHazards, InnerLoopsReachOuterOnes) {
  const std::string inner =
      "for %zero, %n, %one {\nbody(%j: i32):\n" + convert("c", "t") + "yield\n}\n";
  EXPECT_EQ(barriers(kLoop + inner + convert("d", "u") + "yield\n}\n", 4, kConverted),
            (Labels{"c", "d"}));
}

TEST(MemoryHazards, OneWarpWaitsToo) {
  // For the order of its lanes; the barrier is that of a warp.
  const Layouts layouts = {{"c", by_columns({64, 64}, 1)}, {"d", by_columns({64, 64}, 1)}};
  EXPECT_EQ(barriers(convert("c", "t") + convert("d", "u"), 1, layouts), Labels{"d"});
}

// ---- global memory ----

TEST(MemoryHazards, AScalarLoadComesBeforeAnotherWarpsStore) {
  const std::string load = "%a = load %p : f32\n";
  EXPECT_EQ(barriers(load + "store %q, %x\n"), Labels{"store"});
  EXPECT_EQ(barriers(load + "store %p, %v\n"), Labels{"store"});
  EXPECT_EQ(barriers(load + "store %q, %x\n", 1), Labels{});
  EXPECT_EQ(barriers(load + "debug_barrier\nstore %q, %x\n"), Labels{});
  EXPECT_EQ(barriers(load + reduce("b", "x") + "store %q, %x\n"), Labels{});
  // Only the first of two stores waits.
  EXPECT_EQ(barriers(load + "store %q, %x\nstore %q, %y\n"), Labels{"store"});
}

TEST(MemoryHazards, TilesOfWhichEveryWarpHasItsPartNeedNone) {
  EXPECT_EQ(barriers("%a = load %q : f32[256]\nstore %q, %x\n"), Labels{});
  EXPECT_EQ(barriers("store %q, %x\n%a = load %q : f32[256]\n"), Labels{});
  EXPECT_EQ(barriers("store %q, %x\nstore %q, %y\n"), Labels{});
}

TEST(MemoryHazards, TilesSmallerThanTheBlockAreInSeveralWarps) {
  EXPECT_EQ(barriers("%a = load %r : f32[64]\nstore %q, %x\n"), Labels{"store"});
  EXPECT_EQ(barriers("store %r, %small\n%a = load %r : f32[64]\n"), Labels{"a"});
  // The same warp stores both times.
  EXPECT_EQ(barriers("store %r, %small\nstore %r, %small\n"), Labels{});
}

TEST(MemoryHazards, LanesMayChangeWarpsBetweenAccesses) {
  // By default: lanes 1 … 16, warps 32 and 64, a register 128.
  const Layout::Bases bases = default_layout({256}, 4).bases();
  Layout::Bases turned = bases;
  std::swap(turned[0][0], turned[1][4]);
  EXPECT_EQ(barriers("%a = load %q : f32[256]\nstore %q, %x\n", 4, {{"a", {{256}, turned}}}),
            Labels{});
  Layout::Bases swapped = bases;
  std::swap(swapped[1][4], swapped[2][0]);
  const Layout other({256}, swapped);
  EXPECT_EQ(barriers("%a = load %q : f32[256]\nstore %q, %x\n", 4, {{"a", other}}),
            Labels{"store"});
  EXPECT_EQ(barriers("store %q, %x\n%a = load %q : f32[256]\n", 4, {{"a", other}}), Labels{"a"});
  EXPECT_EQ(barriers("store %q, %x\nstore %q, %y\n", 4, {{"x", other}}), Labels{"store"});
}

TEST(MemoryHazards, AScalarStoreComesBeforeItsLoad) {
  EXPECT_EQ(barriers("store %p, %v\n%a = load %p : f32\n"), Labels{"a"});
  EXPECT_EQ(barriers("store %p, %v\nstore %p, %v\n"), Labels{});
}

TEST(MemoryHazards, LoadsOfTheNextIterationComeAfterStores) {
  EXPECT_EQ(barriers(kLoop + "%a = load %p : f32\nstore %p, %a\nyield\n}\n"),
            (Labels{"a", "store"}));
}

// ---- rings ----

const std::string kRingLoop =
    "%zero = constant 0 : i32\n%one = constant 1 : i32\n"
    "%ring = shared_ring : f32[3, 64, 64]\n"
    "%first = ring_insert %ring, %zero, %t : f32[3, 64, 64]\nasync_commit\n"
    "%last = for %zero, %n, %one, %first : f32[3, 64, 64] {\nbody(%i: i32, %now: f32[3, 64, 64]):\n"
    "async_wait pending=1\n"
    "%tile = ring_read %now, %i : f32[64, 64]\n"
    "%next = ring_insert %now, %i, %u : f32[3, 64, 64]\nasync_commit\n";

int count_ops(const Function& function, Op op) {
  int count = 0;
  for_each_inst(function, function.body,
                [&](InstId id) { count += function.inst(id).op == op ? 1 : 0; });
  return count;
}

TEST(MemoryHazards, ARingMindsItself) {
  GpuFunction gpu = gpu_function(kRingLoop + "yield %next\n}\n", 4);
  EXPECT_EQ(barriers_of(gpu), Labels{});
  EXPECT_EQ(count_ops(gpu.function, Op::AsyncWait), 1);
}

TEST(MemoryHazards, CopiesUnderWayAreWaitedForWhereARingsPlaceIsUsedAgain) {
  GpuFunction gpu = gpu_function(kRingLoop + "yield %next\n}\n" + convert("c", "u"), 4, kConverted);
  EXPECT_EQ(barriers_of(gpu), Labels{});
  EXPECT_EQ(count_ops(gpu.function, Op::AsyncWait), 2);
  EXPECT_EQ(gpu.shared_bytes, 3U * 64 * 64 * 4);
  const Region& body = gpu.function.region(gpu.function.body);
  for (std::size_t i = 0; i + 1 < body.insts.size(); ++i) {
    if (gpu.function.inst(body.insts[i]).op == Op::For) {
      EXPECT_EQ(gpu.function.inst(body.insts[i + 1]).op, Op::AsyncWait);
    }
  }
}

TEST(MemoryHazards, ARingsPlaceMayHaveBeenScratch) {
  GpuFunction gpu = gpu_function(convert("c", "u") + kRingLoop + "yield %next\n}\n", 4, kConverted);
  EXPECT_EQ(barriers_of(gpu), Labels{"first"});
}

// ---- places ----

SharedBlock block_of(const GpuFunction& gpu, const std::string& name) {
  SharedBlock result;
  for_each_inst(gpu.function, gpu.function.body, [&](InstId id) {
    if (gpu.function.inst(id).result_count != 0 && label(gpu.function, id) == name) {
      result = gpu.shared.at(id.index);
    }
  });
  return result;
}

TEST(AllocateShared, ScratchInALoopIsClearOfTheRingsThatItCarries) {
  GpuFunction gpu = gpu_function(
      kRingLoop + convert("c", "tile") + "yield %next\n}\n" + convert("d", "u"), 4, kConverted);
  allocate_shared(gpu);
  const SharedBlock ring = block_of(gpu, "ring");
  EXPECT_EQ(ring.offset % 128, 0U);
  EXPECT_EQ(ring.bytes, 3U * 64 * 64 * 4);
  EXPECT_EQ(block_of(gpu, "c").offset, ring.bytes);
  // After the loop the ring's place is free.
  EXPECT_EQ(block_of(gpu, "d").offset, 0U);
  EXPECT_EQ(gpu.shared_bytes, ring.bytes + block_of(gpu, "c").bytes);
}

TEST(AllocateShared, LargeBlocksShareOnePlaceAndSmallOnesStandBeside) {
  GpuFunction gpu =
      gpu_function(convert("c", "t") + reduce("a", "x") + convert("d", "u"), 4, kConverted);
  EXPECT_TRUE(allocate_shared(gpu));
  EXPECT_EQ(block_of(gpu, "c").offset, 0U);
  EXPECT_EQ(block_of(gpu, "d").offset, 0U);
  EXPECT_EQ(block_of(gpu, "a").offset, block_of(gpu, "c").bytes);
  EXPECT_EQ(gpu.shared_bytes, block_of(gpu, "c").bytes + block_of(gpu, "a").bytes);
}

TEST(AllocateShared, ReshapesWhoseElementsMoveTakeScratch) {
  GpuFunction gpu = gpu_function(
      "%a = arange start=0 end=96 : i32[96]\n"
      "%b = reshape %a : i32[6, 16]\n%d = reshape %b : i32[16, 6]\n",
      1);
  allocate_shared(gpu);
  EXPECT_EQ(gpu.shared_bytes, 96U * 4);
}

TEST(AllocateShared, NothingNeedsNothing) {
  GpuFunction gpu = gpu_function("store %q, %x\n", 4);
  EXPECT_FALSE(allocate_shared(gpu));
  EXPECT_EQ(gpu.shared_bytes, 0U);
}

// ---- random programs ----

/// Text of a random function of conversions, reductions, loads and stores in loops and branches.
class RandomText {
 public:
  explicit RandomText(std::mt19937& random) : random_(random) {}

  std::string body(int depth, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += statement(depth);
    }
    return text;
  }

 private:
  std::string name(const char* prefix) { return prefix + std::to_string(next_++); }

  std::string statement(int depth) {
    const auto choice = random_() % (depth == 0 ? 7 : 10);
    const int inside = 1 + static_cast<int>(random_() % 3);
    switch (choice) {
      case 0:
      case 1:
        return convert(name("c"), random_() % 2 == 0 ? "t" : "u");
      case 2:
      case 3:
        return reduce(name("m"), random_() % 2 == 0 ? "x" : "y");
      case 4:
        return random_() % 4 == 0 ? "debug_barrier\n" : "";
      case 5:
        return "%" + name("a") + " = load %p : f32\n";
      case 6:
        return "store %q, %x\n";
      case 7:
        return "for %zero, %n, %one {\nbody(%" + name("i") + ": i32):\n" + body(depth - 1, inside) +
               "yield\n}\n";
      case 8:
        return "if %go {\nthen():\n" + body(depth - 1, inside) + "yield\nelse():\n" +
               body(depth - 1, inside / 2) + "yield\n}\n";
      default:
        return "while {\ncond():\n" + body(depth - 1, inside / 2) + "condition %go\nbody():\n" +
               body(depth - 1, inside) + "yield\n}\n";
    }
  }

  std::mt19937& random_;
  int next_ = 0;
};

/// Walks one path and watches what each byte of shared memory was used for since the last barrier.
class Watcher {
 public:
  Watcher(const GpuFunction& gpu, std::mt19937& random)
      : gpu_(gpu), random_(random), read_(gpu.shared_bytes), written_(gpu.shared_bytes) {}

  void walk(RegionId region) {
    for (const InstId id : gpu_.function.region(region).insts) {
      const Inst& inst = gpu_.function.inst(id);
      if (inst.op == Op::If) {
        walk(inst.regions[random_() % 2]);
      } else if (inst.op == Op::For) {
        for (auto turns = random_() % 3; turns > 0; --turns) {
          walk(inst.regions[0]);
        }
      } else if (inst.op == Op::While) {
        walk(inst.regions[0]);
        for (auto turns = random_() % 3; turns > 0; --turns) {
          walk(inst.regions[1]);
          walk(inst.regions[0]);
        }
      } else {
        step(id, inst);
      }
    }
  }

  int barriers = 0;

 private:
  void clear() {
    read_.assign(read_.size(), false);
    written_.assign(written_.size(), false);
    scalar_was_loaded_ = false;
  }

  void step(InstId id, const Inst& inst) {
    if (gpu_.barriers_before.contains(id.index)) {
      ++barriers;
      clear();
    }
    if (inst.op == Op::DebugBarrier) {
      clear();
    } else if (inst.op == Op::Load) {
      scalar_was_loaded_ = true;
    } else if (inst.op == Op::Store) {
      EXPECT_FALSE(scalar_was_loaded_) << "a store may overtake a load";
    } else if (gpu_.shared.contains(id.index)) {
      // Conversions and reductions of these shapes write all of their block, then read it.
      const SharedBlock& block = gpu_.shared.at(id.index);
      for (std::uint32_t byte = block.offset; byte < block.offset + block.bytes; ++byte) {
        ASSERT_FALSE(read_[byte]) << "written while others may read";
        ASSERT_FALSE(written_[byte]) << "written twice";
      }
      clear();
      for (std::uint32_t byte = block.offset; byte < block.offset + block.bytes; ++byte) {
        read_[byte] = true;
      }
    }
  }

  const GpuFunction& gpu_;
  std::mt19937& random_;
  std::vector<bool> read_;
  std::vector<bool> written_;
  bool scalar_was_loaded_ = false;
};

TEST(MemoryHazards, NoPathOfRandomProgramsHasAny) {
  std::mt19937 random(5);
  int barriers = 0;
  for (int round = 0; round < 150; ++round) {
    const std::string text =
        "%zero = constant 0 : i32\n%one = constant 1 : i32\n" + RandomText(random).body(3, 4);
    GpuFunction gpu = gpu_function(text, 4);
    for (std::size_t i = 0; i < gpu.function.values.size(); ++i) {
      if (gpu.function.values[i].name.starts_with("c")) {
        gpu.layouts.set(ValueId(i), by_columns({64, 64}, 4));
      }
    }
    allocate_shared(gpu);
    insert_barriers(gpu);
    for (int path = 0; path < 20; ++path) {
      Watcher watcher(gpu, random);
      watcher.walk(gpu.function.body);
      barriers += watcher.barriers;
      if (HasFatalFailure() || HasNonfatalFailure()) {
        FAIL() << text;
      }
    }
  }
  EXPECT_GT(barriers, 500);
}

}  // namespace
}  // namespace tilery::codegen
