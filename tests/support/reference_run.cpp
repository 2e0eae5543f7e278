#include "tests/support/reference_run.h"

#include "codegen/dot_plan.h"
#include "interpreter/interpreter.h"
#include "ir/builder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilery::testing {
namespace {

/// Payloads of NaNs are free.
bool is_same(Scalar scalar, std::uint64_t a, std::uint64_t b) {
  const bool can_be_nan = is_float(scalar) && !is_fp8(scalar);
  return a == b ||
         (can_be_nan && std::isnan(decode_float(scalar, a)) && std::isnan(decode_float(scalar, b)));
}

void expect_same_bits(const RunBuffer& expected, const RunBuffer& got) {
  const auto width = static_cast<std::size_t>(byte_size(expected.dtype));
  for (std::size_t i = 0; i < expected.data.size(); i += width) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::memcpy(&a, &expected.data[i], width);
    std::memcpy(&b, &got.data[i], width);
    ASSERT_TRUE(is_same(expected.dtype, a, b)) << fmt::format(
        "{}[{}]: the interpreter has bits {:x}, the threads {:x}", expected.name, i / width, a, b);
  }
}

}  // namespace

bool is_rounding_dot(const Function& function, const Inst& inst, const codegen::Target& target) {
  return inst.op == Op::Dot && inst.parent &&
         is_float(function.type(inst.operand(0)).element.scalar) &&
         codegen::plan_dot(function, inst, target).path == codegen::DotPath::TensorCore;
}

bool is_interpreter_only(const GoldenFile& file, const RunFile& run) {
  const auto is_fault = [](const ExpectedFinding& finding) {
    return finding.kind == "out-of-bounds" || finding.kind == "broken-promise";
  };
  return file.path.stem() == "store_last_wins" || std::ranges::any_of(run.findings, is_fault);
}

std::vector<RunBuffer> interpreted(const GoldenFile& file) {
  RunFile run = read_run_file(file);
  PreparedRun prepared;
  prepare_run(file, run, prepared);
  const auto program = make_program(prepared.specialized->function);
  RunOptions options;
  options.grid = run.grid;
  options.check = CheckLevel::None;
  options.print = [](std::string_view) {};
  (void)tilery::run(*program, prepared.buffers, prepared.arguments, options);
  return run.buffers;
}

void expect_agreement(const RunFile& run, const std::vector<RunBuffer>& inputs,
                      const std::vector<RunBuffer>& reference, const Function& function,
                      const codegen::Target& target) {
  expect_buffers(run, inputs);
  if (std::ranges::any_of(function.insts, [&](const Inst& inst) {
        return is_rounding_dot(function, inst, target);
      })) {
    return;
  }
  for (std::size_t i = 0; i < reference.size(); ++i) {
    expect_same_bits(reference[i], run.buffers[i]);
  }
}

}  // namespace tilery::testing
