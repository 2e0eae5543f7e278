// Runs every file test of tests/golden that goes through the front end.
#include "tests/support/golden.h"

#include "frontend/ast_printer.h"
#include "frontend/parser.h"
#include "frontend/sema/specialize.h"
#include "ir/printer.h"
#include "ir/support/diagnostic.h"
#include "tests/support/signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tilery {
namespace {

using testing::GoldenFile;

/// What a front-end run of one file gives.
struct Outcome {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<Specialized> specialized;
};

/// The diagnostics' names that some file test produced; the coverage test reads it.
std::set<std::string>& seen_diagnostics() {
  static std::set<std::string> names;
  return names;
}

/// "12:7", or nothing for no place.
std::string place(const Outcome& outcome, SourceRange range) {
  if (!range.is_valid()) {
    return {};
  }
  const LineColumn at = outcome.sources.line_column(range.file, range.begin);
  return fmt::format("{}:{}", at.line, at.column);
}

std::string at_place(const Outcome& outcome, SourceRange range) {
  const std::string at = place(outcome, range);
  return at.empty() ? at : " at " + at;
}

/// One diagnostic as a file test shows it: the message, and indented below it the operands' types,
/// the notes, the way out and the call chain.
void append_lines(const Outcome& outcome, const Diagnostic& d, std::vector<std::string>& lines) {
  const char* severity = d.severity == Severity::Error ? "error" : "warning";
  const std::string at = place(outcome, d.range);
  lines.push_back(fmt::format("{}{}{}: {}", at, at.empty() ? "" : ": ", severity, d.message));
  for (const DiagnosticLabel& label : d.labels) {
    lines.push_back(fmt::format("  {}: {}", place(outcome, label.range), label.text));
  }
  for (const DiagnosticNote& note : d.notes) {
    lines.push_back(fmt::format("  note: {}{}", note.text, at_place(outcome, note.range)));
  }
  if (!d.help.empty()) {
    lines.push_back("  help: " + d.help);
  }
  for (const DiagnosticNote& call : d.calls) {
    lines.push_back(fmt::format("  called from `{}`{}", call.text, at_place(outcome, call.range)));
  }
}

std::vector<std::string> diagnostic_lines(const Outcome& outcome) {
  std::vector<std::string> lines;
  for (const Diagnostic& d : outcome.diagnostics.all()) {
    append_lines(outcome, d, lines);
    seen_diagnostics().insert(std::string(diagnostic_name(d.id)));
  }
  return lines;
}

/// The command's arguments: what follows `args:`.
std::string arguments_of(const std::string& command) {
  const std::size_t at = command.find("args:");
  return at == std::string::npos ? std::string() : command.substr(at + 5);
}

const KernelInfo* find_kernel(const std::vector<KernelInfo>& kernels, const std::string& name) {
  if (name.empty()) {
    return kernels.empty() ? nullptr : &kernels.back();
  }
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelInfo& k) { return k.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

void specialize_file(const GoldenFile& file, Outcome& outcome, ast::Module module) {
  Unit unit;
  unit.module = std::move(module);
  const testing::Signature signature = testing::parse_signature(arguments_of(file.command));
  const std::vector<KernelInfo> kernels = list_kernels(unit, outcome.sources, outcome.diagnostics);
  const KernelInfo* kernel = find_kernel(kernels, signature.kernel);
  ASSERT_NE(kernel, nullptr) << "no kernel `" << signature.kernel << "` in " << file.path;
  if (!outcome.diagnostics.has_errors()) {
    outcome.specialized =
        specialize(unit, outcome.sources, kernel->name, testing::arguments_for(signature, *kernel),
                   signature.options, outcome.diagnostics);
  }
  for (const Diagnostic& d : outcome.diagnostics.all()) {
    EXPECT_FALSE(d.help.empty()) << "no way out: " << d.message;
  }
  EXPECT_EQ(outcome.specialized.has_value(), !outcome.diagnostics.has_errors())
      << "a result and errors exclude each other";
}

void run_file(const GoldenFile& file, Outcome& outcome) {
  const ModuleKind kind = module_kind(file.path.filename().string());
  const FileId id = outcome.sources.add(file.path.filename().string(), 1, file.text);
  std::optional<ast::Module> module = parse(outcome.sources, id, kind, outcome.diagnostics);
  EXPECT_EQ(module.has_value(), !outcome.diagnostics.has_errors());
  if (module && !file.command.starts_with("parse")) {
    specialize_file(file, outcome, std::move(*module));
  }
}

void run_diag(const GoldenFile& file) {
  Outcome outcome;
  run_file(file, outcome);
  const std::vector<std::string> lines = diagnostic_lines(outcome);
  EXPECT_FALSE(lines.empty()) << file.path << " reports nothing";
  testing::expect_golden(file, lines, true);
}

void run_ir(const GoldenFile& file) {
  Outcome outcome;
  run_file(file, outcome);
  std::vector<std::string> lines = diagnostic_lines(outcome);
  if (outcome.specialized) {
    const std::vector<std::string> ir = testing::split_lines(print(outcome.specialized->function));
    lines.insert(lines.end(), ir.begin(), ir.end());
  }
  testing::expect_golden(file, lines, false);
}

void run_parse(const GoldenFile& file) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId id = sources.add(file.path.filename().string(), 1, file.text);
  const auto module = parse(sources, id, module_kind(file.path.string()), diagnostics);
  ASSERT_TRUE(module) << render(diagnostics.all().front(), sources);
  testing::expect_golden(file, testing::split_lines(ast::print(*module)), false);
}

/// A row that no file in diag/ can show, with the test that does.
struct ShownElsewhere {
  std::string_view name;
  std::string_view file;  ///< below tests/
  std::string_view suite;
  std::string_view test;
};

constexpr ShownElsewhere kShownElsewhere[] = {
#include "tests/golden/diag/shown_elsewhere.inc"
};

bool is_shown_elsewhere(std::string_view name) {
  return std::ranges::find(kShownElsewhere, name, &ShownElsewhere::name) !=
         std::end(kShownElsewhere);
}

TEST(ShownElsewhere, names_diagnostics_and_tests_that_exist) {
  std::set<std::string_view> known;
  for (std::size_t i = 0; i < diagnostic_count(); ++i) {
    known.insert(diagnostic_name(static_cast<DiagId>(i)));
  }
  for (const ShownElsewhere& shown : kShownElsewhere) {
    EXPECT_TRUE(known.contains(shown.name)) << shown.name;
    const auto path = std::filesystem::path(TILERY_SOURCE_DIR) / "tests" / shown.file;
    const std::vector<std::string> lines = testing::read_lines(path);
    const std::string test = fmt::format("({}, {})", shown.suite, shown.test);
    EXPECT_TRUE(std::ranges::any_of(lines,
                                    [&](const std::string& line) {
                                      return line.starts_with("TEST") &&
                                             line.find(test) != std::string::npos;
                                    }))
        << "no TEST" << test << " in " << path;
  }
}

/// Registered last, so that the files have run.
class DiagnosticsCoverage : public ::testing::Test {
 public:
  void TestBody() override {
    if (::testing::GTEST_FLAG(filter) != "*") {
      GTEST_SKIP() << "needs the whole suite in one process";
    }
    for (std::size_t i = 0; i < diagnostic_count(); ++i) {
      const std::string name(diagnostic_name(static_cast<DiagId>(i)));
      EXPECT_TRUE(seen_diagnostics().contains(name) || is_shown_elsewhere(name))
          << name << " appears in no file of tests/golden/diag";
    }
  }
};

}  // namespace
}  // namespace tilery

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tilery::testing::register_golden_tests("Diag", "golden/diag", ".tl", tilery::run_diag);
  tilery::testing::register_golden_tests("Sema", "golden/sema", ".tl", tilery::run_ir);
  tilery::testing::register_golden_tests("Parse", "golden/parse", ".tl", tilery::run_parse);
  ::testing::RegisterTest("ZCoverage", "every_diagnostic_has_a_file", nullptr, nullptr, __FILE__,
                          __LINE__,
                          []() -> ::testing::Test* { return new tilery::DiagnosticsCoverage; });
  return RUN_ALL_TESTS();
}
