// The text form in both directions. A text in canonical form reads and prints as itself.
#include "ir/reader.h"

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/fuzz/random_ir.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tilery {
namespace {

/// What reading a text gave: the function printed again, or the first message with its place.
std::string outcome(std::string_view text) {
  SourceMap sources;
  const FileId file = sources.add("t.ir", 1, std::string(text));
  Diagnostics diagnostics;
  const std::optional<Function> function = read_function(sources, file, diagnostics);
  if (function) {
    EXPECT_TRUE(diagnostics.all().empty());
    EXPECT_TRUE(verify(*function).empty());
    return print(*function);
  }
  if (!diagnostics.has_errors()) {
    return "nothing, without an error";
  }
  const Diagnostic& first = diagnostics.all().front();
  const LineColumn at = sources.line_column(file, first.range.begin);
  return fmt::format("{}:{}: {}", at.line, at.column, first.message);
}

/// One instruction, in a function with these parameters.
std::string body(std::string_view lines) {
  return fmt::format("func @f(%p: *f32[8], %x: f32[8], %m: i1[8], %n: i32, %c: i1) {{\n{}\n}}\n",
                     lines);
}

void expect_identity(const std::string& text) {
  EXPECT_EQ(outcome(text), text);
}

TEST(Text, KernelReadsAsItself) {
  expect_identity(
      "func @row_sum(%x_ptr: *f32 {div16}, %out: *f32, %n: i32 {div16, eq1}) {\n"
      "  %row = program_id axis=0 : i32\n"
      "  %cols = arange start=0 end=8 : i32[8]\n"
      "  %0 = splat %n : i32[8]\n"
      "  %mask = lt %cols, %0 : i1[8]\n"
      "  %1 = splat %x_ptr : *f32[8]\n"
      "  %2 = addptr %1, %cols : *f32[8]\n"
      "  %x = load %2, %mask : f32[8]\n"
      "  %sum = reduce %x axis=0 : f32 {\n"
      "  combine(%a: f32, %b: f32):\n"
      "    %3 = add %a, %b : f32\n"
      "    yield %3\n"
      "  }\n"
      "  %4 = addptr %out, %row : *f32\n"
      "  store %4, %sum\n"
      "}\n");
}

TEST(Text, LoopsAndBranchesNest) {
  expect_identity(
      "func @f(%n: i32, %c: i1) {\n"
      "  %zero = constant 0 : i32\n"
      "  %one = constant 1 : i32\n"
      "  %stop, %acc = for %zero, %n, %one, %c, %zero has_exit=true stages=3 : i1, i32 {\n"
      "  body(%i: i32, %s: i1, %a: i32):\n"
      "    if %s {\n"
      "    then:\n"
      "      debug_barrier\n"
      "    else:\n"
      "    }\n"
      "    %a.1 = add %a, %i : i32\n"
      "    yield %s, %a.1\n"
      "  }\n"
      "  %0 = while %acc disable_licm=true : i32 {\n"
      "  cond(%1: i32):\n"
      "    %2 = lt %1, %n : i1\n"
      "    condition %2, %1\n"
      "  body(%3: i32):\n"
      "    %4 = add %3, %one : i32\n"
      "    yield %4\n"
      "  }\n"
      "}\n");
}

TEST(Text, AttributesOfEveryKind) {
  expect_identity(
      body("  %0 = trans %x order=[0] : f32[8]\n"
           "  %1 = load %p, %m, %x cache=\".cg\" volatile=true : f32[8]\n"
           "  %2 = cast %x rounding=rtz : f16[8]\n"
           "  %3 = multiple_of %n values=[] : i32\n"
           "  device_print %x, %n prefix=\"a\\\"b\\\\c\\n\\t\\x01\" hex=true\n"
           "  device_print prefix=\"\""));
}

TEST(Text, DefaultsAreLeftOut) {
  EXPECT_EQ(outcome(body("  %0 = load %p cache=\"\" eviction=\"\" volatile=false : f32[8]")),
            body("  %0 = load %p : f32[8]"));
}

TEST(Text, AbsentOperandsHaveAPlaceholder) {
  expect_identity(body("  %0 = load %p, _, %x : f32[8]"));
}

TEST(Text, ConstantsOfEveryType) {
  expect_identity(
      body("  %0 = constant 1.5 : f32[8]\n"
           "  %1 = constant -7 : i32\n"
           "  %2 = constant true : i1\n"
           "  %3 = constant 0x7fc00001 : f32\n"
           "  %4 = constant -inf : f16\n"
           "  %5 = constant nan : bf16[2, 3]\n"
           "  %6 = constant -0.0 : f64\n"
           "  %7 = constant 18446744073709551615 : u64\n"
           "  %8 = constant 0x0 : *f32\n"
           "  %9 = constant 1e-45 : f32\n"
           "  %10 = constant 0x7c : f8e5\n"
           "  %11 = constant 448.0 : f8e4nv"));
}

TEST(Text, CommentsBlanksAndLineEndsDoNotMatter) {
  EXPECT_EQ(outcome("\xEF\xBB\xBF// head\r\n\r\nfunc @f( %n : i32 ) { // a\r\n\r\n"
                    "  %a  =  add %n ,%n:i32 // b\r\n}\r\n// tail"),
            "func @f(%n: i32) {\n  %a = add %n, %n : i32\n}\n");
}

TEST(Text, NumbersAreCountedAnew) {
  EXPECT_EQ(outcome(body("  %7 = neg %n : i32\n  %3 = neg %7 : i32")),
            body("  %0 = neg %n : i32\n  %1 = neg %0 : i32"));
}

TEST(Printer, MakesNamesUnique) {
  Function function = make_function("f", {{"x", Scalar::I32, {}, {}}});
  Builder builder(function);
  builder.set_region(function.body);
  ValueId last = function.region(function.body).args[0];
  for (const char* name : {"x.1", "x", "x", "7up", "a b", "größe", "x"}) {
    last = builder.map(Op::Neg, {last});
    function.value(last).name = name;
  }
  builder.yield({});
  const std::string text = print(function);
  EXPECT_EQ(text,
            "func @f(%x: i32) {\n"
            "  %x.1 = neg %x : i32\n"
            "  %x.2 = neg %x.1 : i32\n"
            "  %x.3 = neg %x.2 : i32\n"
            "  %_7up = neg %x.3 : i32\n"
            "  %a_b = neg %_7up : i32\n"
            "  %größe = neg %a_b : i32\n"
            "  %x.4 = neg %größe : i32\n"
            "}\n");
  EXPECT_EQ(outcome(text), text);
}

TEST(Printer, ShowsOneInstructionOnOneLine) {
  Function function = make_function("f", {{"c", Scalar::I1, {}, {}}});
  Builder builder(function);
  std::vector<RegionId> branches;
  for (int i = 0; i < 2; ++i) {
    branches.push_back(builder.make_region({}));
    builder.set_region(branches.back());
    builder.yield({});
  }
  builder.set_region(function.body);
  const ValueId condition = function.region(function.body).args[0];
  const InstId branch = builder.create(Op::If, {{{condition}}, {}, {}, branches});
  EXPECT_EQ(print_inst(function, branch), "if %c {…}");
}

TEST(Printer, ShowsSourceLinesWhenAsked) {
  SourceMap sources;
  const FileId file = sources.add("t.ir", 1, body("  %0 = neg %n : i32"));
  Diagnostics diagnostics;
  const std::optional<Function> function = read_function(sources, file, diagnostics);
  ASSERT_TRUE(function);
  const std::string text = print(*function, {.sources = &sources});
  EXPECT_NE(text.find("  %0 = neg %n : i32  // t.ir:2\n"), std::string::npos) << text;
  EXPECT_EQ(outcome(text), print(*function));
}

TEST(Reader, LocationsAreTheTextsOwnLines) {
  SourceMap sources;
  const FileId file = sources.add("t.ir", 1, body("  %0 = neg %n : i32  // why"));
  Diagnostics diagnostics;
  const std::optional<Function> function = read_function(sources, file, diagnostics);
  ASSERT_TRUE(function);
  const InstId first = function->region(function->body).insts[0];
  EXPECT_EQ(sources.text(function->range(function->inst(first).loc)), "%0 = neg %n : i32");
  EXPECT_EQ(sources.text(function->params[3].range), "%n: i32");
}

struct ErrorCase {
  std::string text;
  std::string message;
};

TEST(ReaderErrors, SayWhatWasExpected) {
  const ErrorCase cases[] = {
      {"", "1:1: expected `func`, found the end of the text"},
      {"kernel @f() {\n}\n", "1:1: expected `func`, found `kernel`"},
      {"func f() {\n}\n", "1:6: expected `@`, found `f`"},
      {"func @f(%x i32) {\n}\n", "1:12: expected `:`, found `i32`"},
      {"func @f(%x: i33) {\n}\n", "1:13: expected a type such as `f32[64, 32]`, found `i33`"},
      {"func @f(%x: i32 {div8}) {\n}\n", "1:22: unknown fact `div8`, expected `div16` or `eq1`"},
      {"func @f(%x: i32, %x: i32) {\n}\n", "1:18: value `%x` is defined twice"},
      {"func @f() {\n", "2:1: expected an operation, found the end of the text"},
      {"func @f() {\n}\nx", "3:1: expected the end of the text, found `x`"},
      {body("  %0 = frob %n : i32"), "2:8: there is no operation `frob`"},
      {body("  %0 = neg %k : i32"), "2:12: value `%k` is not defined"},
      {body("  %n = neg %n : i32"), "2:3: value `%n` is defined twice"},
      {body("  %0 = neg %n"), "2:14: expected `:`, found the end of the line"},
      {body("  %0 = neg %n : i32 i32"), "2:21: expected the end of the line, found `i32`"},
      {body("  %0, %1 = neg %n : i32"), "2:24: 2 results, but 1 types"},
      {body("  %0 = program_id : i32"), "2:19: attribute `axis` of `program_id` is missing"},
      {body("  %0 = program_id axis=0 axis=0 : i32"), "2:26: attribute `axis` is given twice"},
      {body("  %0 = neg %n axis=0 : i32"), "2:15: `neg` has no attribute `axis`"},
      {body("  %0 = program_id axis=x : i32"), "2:24: expected an integer of 64 bits, found `x`"},
      {body("  %0 = cast %x rounding=up : i32[8]"), "2:25: `up` is not one of rtne|rtz"},
      {body("  device_print prefix=\"a"), "2:25: the string does not end on its line"},
      {body("  device_print prefix=\"\\q\""), "2:24: unknown escape in a string"},
      {body("  %0 = constant : i32"), "2:17: expected a number, found `:`"},
      {body("  %0 = constant 1.5 : i32"), "2:26: `1.5` is not a value of type `i32`"},
      {body("  if %c {\n  otherwise:\n  }"), "3:3: expected `then`, found `otherwise`"},
      {body("  %0 = neg %n : i32 {\n  body:\n  }"), "3:3: `neg` has no regions"},
  };
  for (const ErrorCase& c : cases) {
    EXPECT_EQ(outcome(c.text), c.message) << c.text;
  }
}

TEST(ReaderErrors, TheVerifierHasTheLastWord) {
  EXPECT_EQ(outcome(body("  %0 = add %n, %x : i32")),
            "2:3: `rhs` of `add` is `f32[8]`, but `lhs` is `i32`: `rhs` must have element type "
            "`i32`");
  EXPECT_EQ(outcome(body("  %0 = neg %n : i64")), "2:3: `neg` gives (i32) here, not (i64)");
  EXPECT_EQ(outcome(body("  if %c {\n  then:\n  }")), "2:3: `if` has 2 regions, got 1");
}

TEST(ReaderErrors, DeepNestingIsRefused) {
  std::string text = "func @f(%c: i1) {\n";
  for (int i = 0; i < 100000; ++i) {
    text += "if %c {\nthen:\n";
  }
  EXPECT_EQ(outcome(text), "403:1: regions nest deeper than 200");
}

// ---- many texts ----

TEST(RandomText, PrintReadPrintIsTheIdentity) {
  std::set<Op> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Function function = random_function(seed, 40);
    ASSERT_TRUE(verify(function).empty()) << seed << "\n" << verify(function)[0];
    for_each_inst(function, function.body,
                  [&](InstId inst) { seen.insert(function.inst(inst).op); });
    const std::string text = print(function);
    ASSERT_EQ(outcome(text), text) << seed;
  }
  for (const OpDef& def : all_ops()) {
    const bool is_tile = def.level == OpLevel::Tile;
    EXPECT_TRUE(!is_tile || seen.contains(def.op)) << "never generated: " << def.id;
  }
}

/// A few bytes changed, doubled or removed.
std::string mutated(std::string text, std::mt19937_64& random) {
  static constexpr std::string_view kBytes = "%@{}()[]:,=\"\\_-.0x9 \n\r/*\x80\xFF";
  for (std::uint64_t n = random() % 4 + 1; n > 0 && !text.empty(); --n) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text[at] = kBytes[random() % kBytes.size()];
        break;
      case 1:
        text.erase(at, random() % 12);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), random() % 30));
        break;
      default:
        text.insert(at, 1, static_cast<char>(random()));
    }
  }
  return text;
}

// What still reads must be a function that prints and reads again; the rest gets an error.
TEST(RandomText, JunkNeverCrashes) {
  std::mt19937_64 random(3);
  int readable = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::string text = print(random_function(seed, 12));
    for (int i = 0; i < 60; ++i) {
      const std::string result = outcome(mutated(text, random));
      ASSERT_FALSE(result.empty());
      ASSERT_NE(result, "nothing, without an error");
      if (result.starts_with("func @")) {
        ++readable;
        ASSERT_EQ(outcome(result), result);
      }
    }
  }
  EXPECT_GT(readable, 20) << "the mutations are too harsh to test much";
}

}  // namespace
}  // namespace tilery
