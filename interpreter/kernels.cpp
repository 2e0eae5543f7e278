#include "interpreter/kernels.h"

#include "interpreter/kernels_table.h"
#include "ir/support/check.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>

namespace tilery::interpreter {
namespace {

/// Stays where it is: the kernels point to their tables.
class KernelSet {
 public:
  KernelSet(const char* isa, const KernelFamilies& fill) {
    kernels_.isa = isa;
    kernels_.tables = &tables_;
    fill.map(tables_);
    fill.math(tables_);
    fill.half(tables_);
    fill.cast(tables_);
    fill.reduce(tables_);
    fill.scan(tables_);
    fill.dot(tables_);
    fill.events(tables_);
    fill.memory(tables_, kernels_);
  }

  KernelSet(const KernelSet&) = delete;
  KernelSet& operator=(const KernelSet&) = delete;

  [[nodiscard]] const Kernels* get() const { return &kernels_; }

 private:
  KernelTables tables_;
  Kernels kernels_{};
};

int level_wanted() {
  const char* text = std::getenv("TILERY_CPU");
  const std::string_view name = text == nullptr ? "" : text;
  if (name == "v2") {
    return 2;
  }
  return name == "v3" ? 3 : 4;
}

}  // namespace

const Kernels* kernels_of_level(int level) {
  if (level == 4 && __builtin_cpu_supports("x86-64-v4") != 0) {
    static const KernelSet set("x86-64-v4", v4::kFamilies);
    return set.get();
  }
  if (level == 3 && __builtin_cpu_supports("x86-64-v3") != 0) {
    static const KernelSet set("x86-64-v3", v3::kFamilies);
    return set.get();
  }
  if (level == 2) {
    static const KernelSet set("x86-64-v2", v2::kFamilies);
    return set.get();
  }
  return nullptr;
}

const Kernels& kernels() {
  static const Kernels* const chosen = [] {
    int level = level_wanted();
    while (kernels_of_level(level) == nullptr) {
      --level;
    }
    return kernels_of_level(level);
  }();
  return *chosen;
}

MapFn Kernels::map(Op op, Scalar dtype, bool propagate_nan) const {
  if (propagate_nan && op == Op::Minimum && is_float(dtype)) {
    return tables->minimum_nan[index_of(dtype)];
  }
  if (propagate_nan && op == Op::Maximum && is_float(dtype)) {
    return tables->maximum_nan[index_of(dtype)];
  }
  return tables->map[index_of(op)][index_of(dtype)];
}

MapFn Kernels::cast(Scalar from, Scalar to, bool round_to_zero) const {
  const auto& table = round_to_zero ? tables->cast_to_zero : tables->cast;
  return table[index_of(from)][index_of(to)];
}

ReduceFn Kernels::reduce(ReduceOp op, Scalar dtype) const {
  return tables->reduce[static_cast<int>(op)][index_of(dtype)];
}

ArgReduceFn Kernels::arg_reduce(ArgReduceOp op, Scalar dtype) const {
  return tables->arg_reduce[static_cast<int>(op)][index_of(dtype)];
}

ScanFn Kernels::scan(ScanOp op, Scalar dtype) const {
  return tables->scan[static_cast<int>(op)][index_of(dtype)];
}

DotFn Kernels::dot(Scalar operand, Scalar out, DotPrecision precision) const {
  return tables->dot[static_cast<int>(precision)][index_of(operand)][index_of(out)];
}

NonfiniteFn Kernels::has_nonfinite(Scalar dtype) const {
  return tables->nonfinite[index_of(dtype)];
}

EventFn Kernels::map_events(Op op, Scalar dtype) const {
  return tables->map_events[index_of(op)][index_of(dtype)];
}

EventFn Kernels::cast_events(Scalar from, Scalar to) const {
  return tables->cast_events[index_of(from)][index_of(to)];
}

ReduceEventFn Kernels::reduce_events(Scalar dtype) const {
  return tables->reduce_events[index_of(dtype)];
}

const MemoryKernels& Kernels::memory(std::size_t element_bytes) const {
  TILERY_CHECK(std::has_single_bit(element_bytes) && element_bytes <= 8, "no such element width");
  return tables->memory[std::countr_zero(element_bytes)];
}

std::size_t reduce_scratch_bytes(Scalar dtype, const AxisView& view) {
  // The first level of the tree leaves at most the next power of two's half, rounded up here to
  // `length`.
  const std::size_t element = std::max<std::size_t>(byte_size(dtype), sizeof(float));
  return (view.length * view.inner * element) + 64;
}

std::size_t dot_scratch_bytes(Scalar operand, Scalar out, const DotShape& shape) {
  if (operand == Scalar::F64) {
    return 64;
  }
  const std::size_t operands = (shape.m * shape.k) + (shape.k * shape.n);
  const std::size_t results = out == Scalar::F16 ? shape.m * shape.n : 0;
  return ((operands + results) * sizeof(float)) + 64;
}

}  // namespace tilery::interpreter
