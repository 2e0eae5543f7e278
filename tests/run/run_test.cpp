// Runs every file of tests/run in the interpreter: at all three check levels, with and without the
// pass pipeline, with loops over dots pipelined as for a GPU, on one thread and on three. All must
// give the same, expected result.
#include "codegen/passes/pipeline_loops.h"
#include "interpreter/interpreter.h"
#include "ir/verifier.h"
#include "tests/support/golden.h"
#include "tests/support/run_file.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilery {
namespace {

using testing::ExpectedFinding;

struct Variant {
  const char* name;
  CheckLevel check;
  bool optimise;
  int threads;
  bool pipeline = false;
};

constexpr Variant kVariants[] = {
    {"fast", CheckLevel::Fast, true, 1},
    {"tracked", CheckLevel::Tracked, true, 1},
    {"unchecked", CheckLevel::None, true, 1},
    {"fast, passes off", CheckLevel::Fast, false, 1},
    {"fast, three threads", CheckLevel::Fast, true, 3},
    {"fast, loops pipelined", CheckLevel::Fast, true, 1, true},
    {"tracked, loops pipelined", CheckLevel::Tracked, true, 1, true},
};

std::vector<ExpectedFinding> findings_of(const RunReport& report, const Function& function,
                                         const SourceMap& sources) {
  std::vector<ExpectedFinding> result;
  for (const Finding& finding : report.findings) {
    const SourceRange range = function.range(finding.loc);
    const std::uint32_t line =
        range.is_valid() ? sources.line_column(range.file, range.begin).line : 0;
    result.push_back({std::string(finding_name(finding.kind)), line});
  }
  return result;
}

void run_variant(const testing::GoldenFile& file, const Variant& variant) {
  SCOPED_TRACE(variant.name);
  testing::RunFile run = testing::read_run_file(file);
  const std::vector<testing::RunBuffer> inputs = run.buffers;
  testing::PreparedRun prepared;
  testing::prepare_run(file, run, prepared, variant.optimise);
  ASSERT_TRUE(prepared.specialized) << render(prepared.diagnostics.all().front(), prepared.sources);
  if (variant.pipeline) {
    constexpr int kStages = 3;
    constexpr std::uint32_t kSharedBytes = 1U << 20;
    codegen::pipeline_loops(prepared.specialized->function, kStages, kSharedBytes);
    check_valid(prepared.specialized->function, "pipeline_loops");
  }
  const auto program = make_program(prepared.specialized->function);
  RunOptions options;
  options.grid = run.grid;
  options.threads = variant.threads;
  options.check = variant.check;
  std::string printed;
  options.print = [&](std::string_view text) { printed += text; };
  const RunReport report = tilery::run(*program, prepared.buffers, prepared.arguments, options);
  testing::expect_buffers(run, inputs);
  for (const std::string& line : run.prints) {
    EXPECT_NE(printed.find(line), std::string::npos) << "`" << line << "` was not printed in\n"
                                                     << printed;
  }
  if (variant.check != CheckLevel::None) {
    EXPECT_TRUE(findings_of(report, function_of(*program), prepared.sources) == run.findings)
        << ::testing::PrintToString([&] {
             std::vector<std::string> all;
             for (const Finding& f : report.findings) {
               all.push_back(std::string(finding_name(f.kind)) + ": " + f.message);
             }
             return all;
           }());
  }
}

void run_file(const testing::GoldenFile& file) {
  for (const Variant& variant : kVariants) {
    try {
      run_variant(file, variant);
    } catch (const std::invalid_argument& error) {
      FAIL() << file.path << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace tilery

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tilery::testing::register_golden_tests("Run", "run", ".tl", tilery::run_file);
  return RUN_ALL_TESTS();
}
