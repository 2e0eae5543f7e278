// Every file of tests/run as LLVM IR, run on the CPU with all threads of a block in step, and
// compared bit by bit with the interpreter: the whole way of a kernel to the GPU but for LLVM's own
// part of it. A dot on tensor cores may round otherwise; there the file's tolerances decide.
#include "codegen/codegen.h"
#include "codegen/dot_plan.h"
#include "interpreter/interpreter.h"
#include "ir/builder.h"
#include "tests/support/golden.h"
#include "tests/support/run_file.h"
#include "tests/unit/codegen/emitted_llvm.h"
#include "tests/unit/codegen/simt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

namespace tilery {
namespace {

using testing::GoldenFile;
using testing::PreparedRun;
using testing::RunFile;

constexpr std::array kWarpCounts{1, 4, 16};

/// Files that the simulator is not for, and why.
struct LeftOut {
  std::string_view stem;
  std::string_view why;
};

constexpr auto kLeftOut = std::to_array<LeftOut>({
    {"store_last_wins", "which lane wins is open on a GPU"},
    {"umulhi", "computed in 128 bits, and the simulator has 64"},
});

bool is_left_out(const GoldenFile& file, const RunFile& run) {
  const auto is_fault = [](const testing::ExpectedFinding& finding) {
    return finding.kind == "out-of-bounds" || finding.kind == "assertion-failed" ||
           finding.kind == "broken-promise";
  };
  return std::ranges::any_of(run.findings, is_fault) || !run.prints.empty() ||
         std::ranges::find(kLeftOut, file.path.stem().string(), &LeftOut::stem) != kLeftOut.end();
}

bool has_rounding_dot(const Function& function, const codegen::Target& target) {
  return std::ranges::any_of(function.insts, [&](const Inst& inst) {
    return inst.op == Op::Dot && inst.parent &&
           is_float(function.type(inst.operand(0)).element.scalar) &&
           codegen::plan_dot(function, inst, target).path == codegen::DotPath::TensorCore;
  });
}

std::vector<testing::RunBuffer> interpreted(const GoldenFile& file) {
  RunFile run = testing::read_run_file(file);
  PreparedRun prepared;
  testing::prepare_run(file, run, prepared);
  const auto program = make_program(prepared.specialized->function);
  RunOptions options;
  options.grid = run.grid;
  options.check = CheckLevel::None;
  options.print = [](std::string_view) {};
  (void)tilery::run(*program, prepared.buffers, prepared.arguments, options);
  return run.buffers;
}

/// Payloads of NaNs are free.
bool is_same(Scalar scalar, std::uint64_t a, std::uint64_t b) {
  const bool can_be_nan = is_float(scalar) && !is_fp8(scalar);
  return a == b ||
         (can_be_nan && std::isnan(decode_float(scalar, a)) && std::isnan(decode_float(scalar, b)));
}

void expect_same_bits(const testing::RunBuffer& expected, const testing::RunBuffer& got) {
  const auto width = static_cast<std::size_t>(byte_size(expected.dtype));
  for (std::size_t i = 0; i < expected.data.size(); i += width) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::memcpy(&a, &expected.data[i], width);
    std::memcpy(&b, &got.data[i], width);
    ASSERT_TRUE(is_same(expected.dtype, a, b))
        << fmt::format("{}[{}]: the interpreter has bits {:x}, the simulated threads {:x}",
                       expected.name, i / width, a, b);
  }
}

/// All programs of the grid, one after the other.
std::string simulate(const codegen::GpuFunction& gpu, const PreparedRun& prepared, RunFile& run) {
  const testing::SimtKernel kernel(codegen::emitted_llvm(gpu));
  std::vector<std::uint64_t> arguments;
  for (const InterpreterArgument& argument : prepared.arguments) {
    std::uint64_t bits = argument.bits;
    if (argument.is_pointer) {
      bits = static_cast<std::uint64_t>(argument.byte_offset);
      if (argument.buffer >= 0) {
        bits += reinterpret_cast<std::uint64_t>(
            run.buffers[static_cast<std::size_t>(argument.buffer)].data.data());
      }
    }
    arguments.push_back(bits);
  }
  testing::SimtProgram program;
  program.grid = run.grid;
  program.allows_copies = true;
  auto& [x, y, z] = program.index;
  for (z = 0; z < run.grid[2]; ++z) {
    for (y = 0; y < run.grid[1]; ++y) {
      for (x = 0; x < run.grid[0]; ++x) {
        std::string failure = kernel.run(arguments, gpu.num_warps * 32, gpu.shared_bytes, program);
        if (!failure.empty()) {
          return failure;
        }
      }
    }
  }
  return {};
}

void run_with(const GoldenFile& file, const std::vector<testing::RunBuffer>& reference,
              int num_warps) {
  SCOPED_TRACE(fmt::format("{} warps", num_warps));
  RunFile run = testing::read_run_file(file);
  const std::vector<testing::RunBuffer> inputs = run.buffers;
  PreparedRun prepared;
  testing::prepare_run(file, run, prepared);
  codegen::CodegenOptions options;
  options.num_warps = num_warps;
  options.math = codegen::GpuMath::Reproducible;
  const codegen::Target target;
  const auto gpu = codegen::lower_to_gpu(prepared.specialized->function, target, options);
  ASSERT_TRUE(gpu) << gpu.error().message;
  ASSERT_EQ(simulate(*gpu, prepared, run), "");
  testing::expect_buffers(run, inputs);
  if (!has_rounding_dot(prepared.specialized->function, target)) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
      expect_same_bits(reference[i], run.buffers[i]);
    }
  }
}

void run_file(const GoldenFile& file) {
  if (is_left_out(file, testing::read_run_file(file))) {
    return;
  }
  const std::vector<testing::RunBuffer> reference = interpreted(file);
  for (const int num_warps : kWarpCounts) {
    run_with(file, reference, num_warps);
  }
}

}  // namespace
}  // namespace tilery

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tilery::testing::register_golden_tests("SimtRun", "run", ".tl", tilery::run_file);
  return RUN_ALL_TESTS();
}
