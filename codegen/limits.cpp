#include "codegen/limits.h"

#include "codegen/passes/choose_warps.h"
#include "ir/builder.h"
#include "ir/call_chain.h"
#include "ir/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tilery::codegen {
namespace {

// ---- registers ----------------------------------------------------------------------------------

constexpr std::int64_t kMostThreads = kMostWarps * kWarpSize;
/// Of one tile in one thread, which has 255 registers.
constexpr std::int64_t kFillingElements = 256;

// ---- shared memory ------------------------------------------------------------------------------

using Owner = std::pair<InstId, SharedBlock>;

/// The owners of shared memory, the largest first; of equals, the first in the kernel.
std::vector<Owner> owners_of(const GpuFunction& gpu) {
  std::vector<Owner> owners;
  for_each_inst(gpu.function, gpu.function.body, [&](InstId id) {
    if (const auto found = gpu.shared.find(id.index); found != gpu.shared.end()) {
      owners.emplace_back(id, found->second);
    }
  });
  std::ranges::stable_sort(
      owners, [](const Owner& a, const Owner& b) { return a.second.bytes > b.second.bytes; });
  return owners;
}

std::string tile_text(const Function& function, ValueId value) {
  return function.type(value).str();
}

std::int64_t ring_stages(const Function& function, const Inst& ring) {
  return function.type(ring.result()).shape[0];
}

/// What the instruction keeps in shared memory, as a phrase.
std::string content_of(const Function& function, const Inst& inst) {
  if (inst.op == Op::SharedRing) {
    return fmt::format("{} stages of a tile that is loaded ahead for a dot",
                       ring_stages(function, inst));
  }
  if (inst.op == Op::Dot) {
    return fmt::format("both operands of a dot that takes no tensor cores, {} and {}",
                       tile_text(function, inst.operand(0)), tile_text(function, inst.operand(1)));
  }
  const std::string tile = tile_text(function, inst.operands[0]);
  const bool is_fold = inst.op == Op::Reduce || inst.op == Op::Scan;
  return is_fold ? fmt::format("what warps tell each other of {}", tile)
                 : fmt::format("{} on its way to other threads", tile);
}

std::int64_t most_stages(const Function& function, const std::vector<Owner>& owners) {
  std::int64_t most = 0;
  for (const auto& [id, block] : owners) {
    const Inst& inst = function.inst(id);
    most = std::max(most, inst.op == Op::SharedRing ? ring_stages(function, inst) : 0);
  }
  return most;
}

/// The bytes that all rings would take with fewer stages, for "num_stages=2 would fit".
std::int64_t bytes_with_stages(const GpuFunction& gpu, const std::vector<Owner>& owners,
                               std::int64_t stages) {
  std::int64_t bytes = gpu.shared_bytes;
  for (const auto& [id, block] : owners) {
    const Inst& inst = gpu.function.inst(id);
    if (inst.op == Op::SharedRing && ring_stages(gpu.function, inst) > stages) {
      bytes -= block.bytes - block.bytes / ring_stages(gpu.function, inst) * stages;
    }
  }
  return bytes;
}

std::string way_out(const GpuFunction& gpu, const std::vector<Owner>& owners) {
  for (std::int64_t stages = most_stages(gpu.function, owners) - 1; stages >= 2; --stages) {
    if (bytes_with_stages(gpu, owners, stages) <= gpu.target.max_shared_bytes()) {
      return fmt::format("num_stages={} would fit; so would smaller blocks", stages);
    }
  }
  const Inst& inst = gpu.function.inst(owners.front().first);
  if (inst.op != Op::Dot) {
    return "make the blocks of this line smaller: half the elements take half the memory";
  }
  const bool is_fp32 = gpu.function.type(inst.operand(0)).element == ElementType(Scalar::F32);
  return fmt::format(
      "make the blocks smaller, along K first: half the elements take half the memory{}",
      is_fp32 ? "; with input_precision=\"tf32\" or \"tf32x3\" the dot runs on tensor "
                "cores and needs none of it"
              : "");
}

// ---- code ---------------------------------------------------------------------------------------

/// Of one operation: 2,000 copies of exp over 128 numbers become PTX in a second.
constexpr std::int64_t kMostCopies = 2000;
/// Of mma.sync m16n8k16 in one warp, when 32 share the dot: twice what tiles of 256 by 256 by 256,
/// the largest in use, come to.
constexpr std::int64_t kMostProducts = 512;
constexpr std::int64_t kProductsOfMma = 16 * 8 * 16;

/// An operation at one place of the source, over a tile: a scalar costs next to nothing.
using PlacedOp = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Op>;

bool is_tile_op(const Function& function, const Inst& inst) {
  return inst.result_count > 0
             ? function.type(inst.result()).numel() > 1
             : !inst.operands.empty() && function.type(inst.operands[0]).numel() > 1;
}

void warn_of_copies(const Function& function, Diagnostics& diagnostics) {
  std::map<PlacedOp, std::int64_t> copies;
  std::int64_t most = kMostCopies;
  LocId worst;
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    const SourceRange range = function.range(inst.loc);
    if (!range.is_valid() || inst.op == Op::Constant || !is_tile_op(function, inst)) {
      return;
    }
    const std::int64_t count = ++copies[{range.file, range.begin, range.end, inst.op}];
    if (count > most) {
      most = count;
      worst = inst.loc;
    }
  });
  if (!worst) {
    return;
  }
  Diagnostic& diagnostic = diagnostics.report(DiagId::CodeRepeated, function.range(worst), most);
  diagnostic.helped("loop with `tl.range` instead of `tl.static_range`, or in fewer turns");
  add_calls(diagnostic, function, worst);
}

/// True for the element types that mma.sync.m16n8k16 multiplies.
bool is_narrow(const Function& function, ValueId value) {
  const ElementType element = function.type(value).element;
  return element == ElementType(Scalar::F16) || element == ElementType(Scalar::BF16);
}

void warn_of_long_dots(const Function& function, Diagnostics& diagnostics) {
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    if (inst.op != Op::Dot || !is_narrow(function, operand<"a">(inst))) {
      return;
    }
    const Shape& a = function.type(operand<"a">(inst)).shape;
    const Shape& b = function.type(operand<"b">(inst)).shape;
    const std::int64_t k = a[a.rank() - 1];
    const std::int64_t products =
        function.type(inst.result()).numel() * k / kProductsOfMma / kMostWarps;
    if (products <= kMostProducts) {
      return;
    }
    Diagnostic& diagnostic =
        diagnostics.report(DiagId::DotFillsCode, function.range(inst.loc), a[a.rank() - 2], k,
                           b[b.rank() - 1], products, kMostWarps);
    diagnostic.helped("make the blocks smaller, along K first: a loop over K takes less code");
    add_calls(diagnostic, function, inst.loc);
  });
}

}  // namespace

void warn_of_large_code(const Function& function, Diagnostics& diagnostics) {
  warn_of_copies(function, diagnostics);
  warn_of_long_dots(function, diagnostics);
}

void report_shared_memory(const GpuFunction& gpu, Diagnostics& diagnostics) {
  constexpr std::size_t kOthersShown = 3;
  const std::vector<Owner> owners = owners_of(gpu);
  const auto& [id, block] = owners.front();
  const Function& function = gpu.function;
  const auto range_of = [&](InstId inst) { return function.range(function.inst(inst).loc); };
  Diagnostic& diagnostic = diagnostics.report(DiagId::SharedMemory, range_of(id), gpu.shared_bytes,
                                              gpu.target.name(), gpu.target.max_shared_bytes());
  diagnostic.note(
      fmt::format("{} bytes are for {}", block.bytes, content_of(function, function.inst(id))));
  std::size_t shown = 0;
  for (const auto& [other, place] : owners) {
    // Others may lie in the same memory, at another time.
    const bool is_beside =
        place.offset >= block.offset + block.bytes || block.offset >= place.offset + place.bytes;
    if (is_beside && shown < kOthersShown) {
      diagnostic.note(fmt::format("{} bytes beside it are for {}", place.bytes,
                                  content_of(function, function.inst(other))),
                      range_of(other));
      ++shown;
    }
  }
  diagnostic.helped(way_out(gpu, owners));
  add_calls(diagnostic, function, function.inst(id).loc);
}

void warn_of_large_tiles(const Function& function, Diagnostics& diagnostics) {
  InstId largest;
  std::int64_t elements = kFillingElements * kMostThreads;
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      if (function.type(inst.result(i)).numel() > elements) {
        elements = function.type(inst.result(i)).numel();
        largest = id;
      }
    }
  });
  if (!largest) {
    return;
  }
  const LocId loc = function.inst(largest).loc;
  Diagnostic& diagnostic = diagnostics.report(DiagId::TileFillsRegisters, function.range(loc),
                                              elements, elements / kMostThreads, kMostThreads);
  diagnostic.helped(
      fmt::format("give a program fewer elements, or let it loop over pieces: at {} elements a "
                  "thread of 32 warps, the most there are, has {}",
                  kMostElements * kMostThreads, kMostElements));
  add_calls(diagnostic, function, loc);
}

}  // namespace tilery::codegen
