// What a launch checks before anything runs, and what it gives back. Kernels are as small as they
// can be: the language itself is tested elsewhere.
#include "tilery/launch.h"

#include "tilery/library.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace tilery {
namespace {

constexpr const char* kCopy = R"(
def copy(x, o, n, B: tl.constexpr = 8):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n, other=0), mask=i < n)
)";

Library parse(const std::string& text) {
  Result<Library> library = Library::parse({"k.tl", 1, text});
  EXPECT_TRUE(library.ok()) << (library ? "" : library.error().message);
  return *library;
}

Kernel only_kernel(const std::string& text) {
  const Result<Kernel> kernel = parse(text).only_kernel();
  EXPECT_TRUE(kernel.ok()) << (kernel ? "" : kernel.error().message);
  return *kernel;
}

Buffer numbers(DType dtype, const std::vector<double>& values) {
  Result<Buffer> buffer = Buffer::zeros(dtype, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    buffer->set_number(static_cast<std::int64_t>(i), values[i]);
  }
  return *buffer;
}

Result<LaunchReport> launch_on(const std::string& text, const Arguments& arguments,
                               std::vector<std::int64_t> grid = {1},
                               const LaunchOptions& options = {}) {
  return launch(Device::interpreter(), only_kernel(text), grid, arguments, options);
}

/// The kinds of the messages of a launch that must fail as wrong usage.
std::vector<std::string> refusal(const std::string& text, const Arguments& arguments,
                                 std::vector<std::int64_t> grid = {1}) {
  const Result<LaunchReport> report = launch_on(text, arguments, std::move(grid));
  EXPECT_FALSE(report.ok());
  if (report) {
    return {};
  }
  EXPECT_EQ(report.error().kind, ErrorKind::Usage) << report.error().message;
  std::vector<std::string> kinds;
  for (const Message& message : report.error().messages) {
    EXPECT_EQ(message.phase, Phase::Launch);
    kinds.push_back(message.kind);
  }
  return kinds;
}

using Kinds = std::vector<std::string>;

TEST(Launch, runs_a_kernel_on_buffers) {
  const Buffer x = numbers(DType::F32, {1, 2.5, -3});
  const Buffer o = numbers(DType::F32, {9, 9, 9});
  const Result<LaunchReport> report = launch_on(kCopy, {x, o, 2});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_FALSE(report->has_errors());
  EXPECT_TRUE(report->compiled);
  EXPECT_EQ(report->programs_run, 1);
  EXPECT_EQ(o.number(0), 1);
  EXPECT_EQ(o.number(1), 2.5);
  EXPECT_EQ(o.number(2), 9) << "the mask keeps this one";
}

TEST(Launch, arguments_bind_by_position_and_name) {
  const Buffer x = numbers(DType::I32, {1, 2});
  const Buffer o = numbers(DType::I32, {0, 0});
  const Result<LaunchReport> report = launch_on(kCopy, {x, {"n", 2}, {"o", o}, {"B", 2}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(o.number(1), 2);
}

TEST(Launch, wrong_argument_lists_are_refused) {
  const Buffer x = numbers(DType::F32, {1});
  EXPECT_EQ(refusal(kCopy, {x, x}), (Kinds{"ArgumentMissing"}));
  EXPECT_EQ(refusal(kCopy, {x}), (Kinds{"ArgumentMissing", "ArgumentMissing"}));
  EXPECT_EQ(refusal(kCopy, {x, x, 1, 8, 5}), (Kinds{"ArgumentsTooMany"}));
  EXPECT_EQ(refusal(kCopy, {x, x, 1, {"x", x}}), (Kinds{"ArgumentRepeated"}));
  EXPECT_EQ(refusal(kCopy, {x, x, 1, {"num_warp", 4}}), (Kinds{"ArgumentUnknown"}));
}

TEST(Launch, a_misspelt_name_is_guessed) {
  const Buffer x = numbers(DType::F32, {1});
  const Result<LaunchReport> report = launch_on(kCopy, {x, x, 1, {"num_warp", 4}});
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("did you mean `num_warps`?"), std::string::npos)
      << report.error().message;
}

TEST(Launch, messages_point_at_the_parameter) {
  const Buffer x = numbers(DType::F32, {1});
  const Result<LaunchReport> report = launch_on(kCopy, {x, x});
  ASSERT_FALSE(report.ok());
  const Place& place = report.error().messages.at(0).place;
  EXPECT_EQ(place.file, "k.tl");
  EXPECT_EQ(place.line, 2U);
  EXPECT_EQ(place.column, 16U) << "`n` in `def copy(x, o, n`";
}

TEST(Launch, annotations_decide_what_an_argument_may_be) {
  const std::string scalar = "def k(n: tl.int8):\n    pass\n";
  const Buffer x = numbers(DType::F32, {1});
  EXPECT_TRUE(launch_on(scalar, {-128}).ok());
  EXPECT_TRUE(launch_on(scalar, {127}).ok());
  EXPECT_EQ(refusal(scalar, {128}), (Kinds{"ArgumentOutOfRange"}));
  EXPECT_EQ(refusal(scalar, {-129}), (Kinds{"ArgumentOutOfRange"}));
  EXPECT_EQ(refusal(scalar, {1.5}), (Kinds{"ArgumentKind"}));
  EXPECT_EQ(refusal(scalar, {x}), (Kinds{"ArgumentKind"}));
  EXPECT_EQ(refusal(scalar, {None{}}), (Kinds{"ArgumentKind"}));
  EXPECT_EQ(refusal(scalar, {"text"}), (Kinds{"ArgumentKind"}));
  const std::string half = "def k(a: tl.float16):\n    pass\n";
  EXPECT_TRUE(launch_on(half, {65504.0}).ok());
  EXPECT_TRUE(launch_on(half, {INFINITY}).ok());
  EXPECT_EQ(refusal(half, {65520.0}), (Kinds{"ArgumentOutOfRange"})) << "rounds to infinity";
  const std::string pointer = "def k(x: \"*bf16\"):\n    pass\n";
  EXPECT_TRUE(launch_on(pointer, {numbers(DType::BF16, {1})}).ok());
  EXPECT_EQ(refusal(pointer, {x}), (Kinds{"ArgumentDtype"}));
  EXPECT_EQ(refusal(pointer, {4}), (Kinds{"ArgumentKind"}));
}

TEST(Launch, a_wrong_element_type_names_both) {
  const std::string pointer = "def k(x: \"*bf16\"):\n    pass\n";
  const Result<LaunchReport> report = launch_on(pointer, {numbers(DType::F32, {1})});
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("fp32"), std::string::npos);
  EXPECT_NE(report.error().message.find("bf16"), std::string::npos);
}

TEST(Launch, strings_and_huge_floats_need_an_annotation) {
  const std::string plain = "def k(a):\n    pass\n";
  EXPECT_EQ(refusal(plain, {"text"}), (Kinds{"ArgumentKind"}));
  EXPECT_EQ(refusal(plain, {1e300}), (Kinds{"ArgumentOutOfRange"}));
  EXPECT_TRUE(launch_on(plain, {None{}}).ok());
  EXPECT_TRUE(launch_on(plain, {true}).ok());
  EXPECT_TRUE(launch_on(plain, {Argument::scalar(DType::F64, 1e300)}).ok());
}

TEST(Launch, a_constexpr_takes_no_array) {
  const Buffer x = numbers(DType::F32, {1});
  EXPECT_EQ(refusal(kCopy, {x, x, 1, {"B", x}}), (Kinds{"ArgumentNotConstant"}));
}

TEST(Launch, integers_take_the_first_type_that_holds_them) {
  const std::string kernel = "def k(o, a):\n    tl.store(o, a)\n";
  const auto stored = [&](const Argument& a) {
    const Buffer o = numbers(DType::U64, {0});
    const Result<LaunchReport> report = launch_on(kernel, {o, a});
    EXPECT_TRUE(report.ok()) << report.error().message;
    return o.as<std::uint64_t>()[0];
  };
  // Stored into u64: an int32 or int64 is extended with its sign, a uint64 keeps its bits.
  EXPECT_EQ(stored(-1), UINT64_MAX);
  EXPECT_EQ(stored(std::int64_t{1} << 40), std::uint64_t{1} << 40);
  EXPECT_EQ(stored(std::uint64_t{1} << 63), std::uint64_t{1} << 63);
}

TEST(Launch, launch_options_are_keywords_too) {
  const Buffer x = numbers(DType::F32, {1});
  EXPECT_TRUE(launch_on(kCopy, {x, x, 1, {"num_warps", 8}, {"enable_fp_fusion", false}}).ok());
  EXPECT_EQ(refusal(kCopy, {x, x, 1, {"num_warps", 3}}), (Kinds{"LaunchOptionValue"}));
  EXPECT_EQ(refusal(kCopy, {x, x, 1, {"num_warps", 64}}), (Kinds{"LaunchOptionValue"}));
  EXPECT_EQ(refusal(kCopy, {x, x, 1, {"math", "slow"}}), (Kinds{"LaunchOptionValue"}));
  EXPECT_EQ(refusal(kCopy, {x, x, 1, {"debug", 1}}), (Kinds{"LaunchOptionValue"}));
}

TEST(Launch, a_parameter_wins_over_an_option_of_its_name) {
  const Buffer o = numbers(DType::I32, {0});
  const Result<LaunchReport> report =
      launch_on("def k(o, num_warps):\n    tl.store(o, num_warps)\n", {o, {"num_warps", 3}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(o.number(0), 3);
}

TEST(Launch, option_members_are_checked_as_well) {
  LaunchOptions options;
  options.num_warps = 5;
  const Result<LaunchReport> report = launch_on("def k():\n    pass\n", {}, {1}, options);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().messages.at(0).kind, "LaunchOptionValue");
  const Status unknown = set_launch_option(options, "device", 0);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("launch option `device` is not known"), std::string::npos)
      << unknown.error().message;
  EXPECT_TRUE(set_launch_option(options, "maxnreg", 128).ok());
  EXPECT_EQ(options.maxnreg, 128);
}

TEST(Launch, grids_are_checked) {
  const std::string kernel = "def k():\n    pass\n";
  EXPECT_EQ(refusal(kernel, {}, {1, 1, 1, 1}), (Kinds{"GridRank"}));
  EXPECT_EQ(refusal(kernel, {}, {}), (Kinds{"GridRank"}));
  EXPECT_EQ(refusal(kernel, {}, {-1}), (Kinds{"GridNegative"}));
  EXPECT_EQ(refusal(kernel, {}, {3'000'000'000}), (Kinds{"GridTooLarge"}));
  EXPECT_EQ(refusal(kernel, {}, {65536, 65536}), (Kinds{"GridTooManyPrograms"}));
  EXPECT_EQ(refusal(kernel, {}, {2147483647, 2147483647, 2147483647}),
            (Kinds{"GridTooManyPrograms"}));
}

TEST(Launch, an_empty_grid_compiles_and_runs_nothing) {
  const Buffer o = numbers(DType::I32, {5});
  const std::string kernel = "def k(o):\n    tl.store(o, 1)\n";
  const Result<LaunchReport> report = launch_on(kernel, {o}, {4, 0});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->compiled);
  EXPECT_EQ(report->programs_run, 0);
  EXPECT_EQ(o.number(0), 5);
  EXPECT_FALSE(launch_on("def k(o):\n    tl.store(o, 1, mas=1)\n", {o}, {0}).ok());
}

TEST(Launch, all_three_axes_count) {
  const Buffer o = numbers(DType::I32, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const std::string kernel =
      "def k(o):\n"
      "    x = tl.program_id(0)\n    y = tl.program_id(1)\n    z = tl.program_id(2)\n"
      "    tl.store(o + (x * 3 + y) * 2 + z, x * 100 + y * 10 + z)\n";
  const Result<LaunchReport> report = launch_on(kernel, {o}, {2, 3, 2});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->programs_run, 12);
  EXPECT_EQ(o.number(11), 121);
  EXPECT_EQ(o.number(1), 1);
}

TEST(Launch, a_view_starts_at_its_offset) {
  const Buffer x = numbers(DType::I32, {1, 2, 3, 4});
  const Buffer o = numbers(DType::I32, {0, 0});
  const Result<LaunchReport> report = launch_on(kCopy, {Argument::pointer(x, 2), o, 2, {"B", 2}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(o.number(0), 3);
}

// 2^46 elements on lie where the interpreter puts another buffer, 2^62 where 64 bits have come
// round.
TEST(Launch, a_view_that_starts_far_away_is_outside) {
  const Buffer x = numbers(DType::F32, {1, 2, 3, 4});
  const Buffer o = numbers(DType::F32, {0, 0, 0, 0});
  for (const int bit : {46, 61, 62}) {
    for (const std::int64_t sign : {1, -1}) {
      const std::int64_t offset = sign * (std::int64_t{1} << bit);
      const Result<LaunchReport> report =
          launch_on(kCopy, {Argument::pointer(x, offset), o, 2, {"B", 2}});
      ASSERT_TRUE(report.ok()) << report.error().message;
      ASSERT_FALSE(report->messages.empty()) << offset;
      EXPECT_NE(report->messages[0].text.find("is outside its 4 elements"), std::string::npos)
          << report->messages[0].text;
    }
  }
}

TEST(Launch, tuples_are_taken_apart_in_the_kernel) {
  const Buffer o = numbers(DType::I32, {0});
  const Argument::Tuple pair{{Argument(40), Argument(2)}, "", {}};
  const Result<LaunchReport> report =
      launch_on("def k(o, t):\n    tl.store(o, t[0] + t[1])\n", {o, pair});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(o.number(0), 42);
}

TEST(Launch, a_finding_carries_its_facts) {
  const Buffer x = numbers(DType::F32, {1, 2, 3});
  const Buffer o = numbers(DType::F32, {0, 0, 0, 0});
  const Result<LaunchReport> report = launch_on(kCopy, {x, o, 4, {"B", 4}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->has_errors());
  ASSERT_FALSE(report->messages.empty());
  const Message& finding = report->messages[0];
  EXPECT_EQ(finding.kind, "out-of-bounds");
  EXPECT_TRUE(finding.is_finding);
  EXPECT_EQ(finding.place.line, 4U);
  ASSERT_TRUE(finding.access.has_value());
  EXPECT_FALSE(finding.access->is_store);
  EXPECT_EQ(finding.access->argument, "x");
  EXPECT_EQ(finding.access->index, 3);
  EXPECT_EQ(finding.access->size, 3);
  EXPECT_EQ(finding.lane, 3);
  EXPECT_NE(finding.text.find("error[out-of-bounds]"), std::string::npos) << finding.text;
  EXPECT_NE(finding.text.find("program (0, 0, 0)"), std::string::npos) << finding.text;
}

TEST(Launch, read_only_memory_is_guarded) {
  const std::array<float, 1> memory = {1.0F};
  const Result<Buffer> o = Buffer::borrow_read_only(DType::F32, {1}, memory.data());
  const Result<LaunchReport> report = launch_on("def k(o):\n    tl.store(o, 2.0)\n", {*o});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->has_errors());
  EXPECT_EQ(memory[0], 1.0F);
}

TEST(Launch, device_print_goes_where_it_is_sent) {
  std::string printed;
  LaunchOptions options;
  options.print = [&](std::string_view text) { printed += text; };
  const Result<LaunchReport> report =
      launch_on("def k(n):\n    tl.device_print(\"n is\", n)\n", {7}, {1}, options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_NE(printed.find("n is"), std::string::npos);
  EXPECT_NE(printed.find('7'), std::string::npos);
}

TEST(Compile, gives_the_ir_and_its_stages) {
  const Buffer x = numbers(DType::F32, {1});
  std::vector<std::string> passes;
  CompileOptions options;
  options.after_pass = [&](std::string_view pass, std::string_view) { passes.emplace_back(pass); };
  const Result<CompileReport> report = compile(only_kernel(kCopy), {x, x, 1}, {}, options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_NE(report->ir.find("func @copy"), std::string::npos) << report->ir;
  ASSERT_GT(passes.size(), 1U);
  EXPECT_EQ(passes[0], "sema");
}

TEST(Compile, several_errors_come_at_once) {
  const Result<CompileReport> report =
      compile(only_kernel("def k(o):\n    tl.store(o, a)\n    tl.store(o, b)\n"),
              {numbers(DType::F32, {1})});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::Kernel);
  EXPECT_EQ(report.error().messages.size(), 2U);
}

}  // namespace
}  // namespace tilery
