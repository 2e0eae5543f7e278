#include "tilery/library.h"

#include "tests/support/temp_dir.h"
#include "tilery/launch.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace tilery {
namespace {

using testing::TempDir;

Result<Library> parse(const std::string& text, const Environment& environment = {},
                      const std::string& name = "k.tl") {
  return Library::parse({name, 1, text}, environment);
}

std::vector<std::string> names(const Library& library) {
  std::vector<std::string> list;
  for (const Kernel& kernel : library.kernels()) {
    list.push_back(kernel.name());
  }
  return list;
}

double run_and_get(const Kernel& kernel) {
  Result<Buffer> o = Buffer::zeros(DType::F32, {1});
  const std::vector<std::int64_t> grid = {1};
  const Result<LaunchReport> report = launch(Device::interpreter(), kernel, grid, {{"o", *o}});
  EXPECT_TRUE(report.ok()) << (report ? "" : report.error().message);
  return o->number(0);
}

TEST(Library, lists_kernels_with_their_parameters) {
  const Result<Library> library =
      parse("def add(x, n: tl.int64, B: tl.constexpr = 128):\n    \"\"\"Adds.\"\"\"\n    pass\n");
  ASSERT_TRUE(library.ok());
  const Kernel kernel = library->kernels().at(0);
  EXPECT_EQ(kernel.name(), "add");
  EXPECT_EQ(kernel.docstring(), "Adds.");
  EXPECT_EQ(kernel.place().line, 1U);
  ASSERT_EQ(kernel.parameters().size(), 3U);
  EXPECT_EQ(kernel.parameters()[1].type, "int64");
  EXPECT_TRUE(kernel.parameters()[2].is_constexpr);
  EXPECT_EQ(kernel.parameters()[2].default_text, "128");
}

TEST(Library, syntax_errors_come_with_their_lines) {
  const Result<Library> library = Library::parse({"cell.tl", 40, "def k(x):\n    y = = 1\n"});
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().kind, ErrorKind::Kernel);
  ASSERT_FALSE(library.error().messages.empty());
  EXPECT_EQ(library.error().messages[0].phase, Phase::Parse);
  EXPECT_EQ(library.error().messages[0].place.line, 41U) << "lines count from the first line given";
}

TEST(Library, the_only_kernel_is_the_one_that_no_other_uses) {
  const Result<Library> library =
      parse("def helper(x):\n    return x + 1\n\ndef k(o):\n    tl.store(o, helper(1.0))\n");
  ASSERT_TRUE(library.ok());
  const Result<Kernel> kernel = library->only_kernel();
  ASSERT_TRUE(kernel.ok());
  EXPECT_EQ(kernel->name(), "k");
  EXPECT_FALSE(kernel->is_helper());
  EXPECT_TRUE(library->kernel("helper")->is_helper());
}

TEST(Library, several_kernels_have_to_be_told_apart) {
  const Result<Library> library = parse("def a():\n    pass\n\ndef b():\n    pass\n");
  const Result<Kernel> kernel = library->only_kernel();
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().kind, ErrorKind::Usage);
  EXPECT_NE(kernel.error().message.find("`a`, `b`"), std::string::npos) << kernel.error().message;
}

TEST(Library, a_missing_kernel_is_guessed) {
  const Result<Library> library = parse("def softmax():\n    pass\n");
  const Result<Kernel> kernel = library->kernel("sofmax");
  ASSERT_FALSE(kernel.ok());
  EXPECT_NE(kernel.error().message.find("did you mean `softmax`?"), std::string::npos);
}

TEST(Library, a_file_may_have_no_kernel) {
  const Result<Kernel> kernel = parse("X = 3\n")->only_kernel();
  ASSERT_FALSE(kernel.ok());
  EXPECT_NE(kernel.error().message.find("has no kernel"), std::string::npos)
      << kernel.error().message;
}

TEST(Library, of_python_only_decorated_functions_are_kernels) {
  const Result<Library> library = parse(
      "import triton\nimport triton.language as tl\n\n"
      "@triton.jit\ndef k(o):\n    tl.store(o, 2.0)\n\n"
      "def host(x):\n    with open(x) as f:\n        return [l for l in f if l]\n\n"
      "class C:\n    pass\n",
      {}, "k.py");
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_EQ(names(*library), (std::vector<std::string>{"k"}));
  EXPECT_EQ(run_and_get(*library->only_kernel()), 2.0);
}

TEST(Library, constants_of_the_environment_are_seen) {
  Environment environment;
  environment.constants.emplace_back("SCALE", 2.5);
  const Result<Library> library = parse("def k(o):\n    tl.store(o, SCALE)\n", environment);
  ASSERT_TRUE(library.ok());
  EXPECT_EQ(run_and_get(*library->only_kernel()), 2.5);
}

TEST(Library, an_array_is_no_constant) {
  Environment environment;
  environment.constants.emplace_back("X", *Buffer::zeros(DType::F32, {1}));
  EXPECT_EQ(parse("def k():\n    pass\n", environment).error().kind, ErrorKind::Usage);
}

TEST(Library, imports_of_the_environment_are_found) {
  Environment environment;
  environment.imports.emplace_back("helpers", *parse("def twice(x):\n    return x * 2\n"));
  const Result<Library> library =
      parse("from helpers import twice\n\ndef k(o):\n    tl.store(o, twice(4.0))\n", environment);
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_EQ(run_and_get(*library->kernel("k")), 8.0);
}

TEST(Library, neighbouring_files_are_imported) {
  const TempDir dir;
  dir.write("helpers.tl", "def twice(x):\n    return x * 2\n");
  const std::string path = dir.write(
      "k.tl",
      "import triton\nfrom helpers import twice\n\ndef k(o):\n    tl.store(o, twice(4.0))\n");
  const Result<Library> library = Library::parse_file(path);
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_EQ(run_and_get(*library->kernel("k")), 8.0);
}

TEST(Library, files_that_import_each_other_end) {
  const TempDir dir;
  dir.write("a.tl", "from b import g\n\ndef f(x):\n    return x\n");
  const std::string path =
      dir.write("b.tl", "from a import f\n\ndef g(o):\n    tl.store(o, f(1.0))\n");
  const Result<Library> library = Library::parse_file(path);
  ASSERT_TRUE(library.ok()) << library.error().message;
  EXPECT_EQ(run_and_get(*library->kernel("g")), 1.0);
}

TEST(Library, an_error_in_an_imported_file_names_that_file) {
  const TempDir dir;
  dir.write("helpers.tl", "def twice(x):\n    return x x\n");
  const Result<Library> library =
      Library::parse_file(dir.write("k.tl", "import helpers\n\ndef k():\n    pass\n"));
  ASSERT_FALSE(library.ok());
  EXPECT_NE(library.error().message.find("helpers.tl:2"), std::string::npos)
      << library.error().message;
}

TEST(Library, the_tree_is_printed_as_source) {
  EXPECT_EQ(parse("def  k( x ):\n  y=(x+1)\n")->ast_text(), "def k(x):\n    y = x + 1\n");
}

// ---- specialisations ----

constexpr const char* kFacts = "def k(o, n, B: tl.constexpr):\n    tl.store(o, n + B)\n";

bool compiles(const Kernel& kernel, const Arguments& arguments) {
  const std::vector<std::int64_t> grid = {1};
  const Result<LaunchReport> report = launch(Device::interpreter(), kernel, grid, arguments);
  EXPECT_TRUE(report.ok()) << (report ? "" : report.error().message);
  return report && report->compiled;
}

TEST(Specialisation, is_made_once_per_signature) {
  const Result<Library> library = parse(kFacts);
  const Kernel kernel = *library->only_kernel();
  Result<Buffer> o = Buffer::zeros(DType::I32, {64});
  EXPECT_TRUE(compiles(kernel, {*o, 5, 1}));
  EXPECT_FALSE(compiles(kernel, {*o, 7, 1})) << "5 and 7 have the same facts";
  EXPECT_TRUE(compiles(kernel, {*o, 1, 1})) << "equals 1";
  EXPECT_TRUE(compiles(kernel, {*o, 32, 1})) << "divisible by 16";
  EXPECT_TRUE(compiles(kernel, {*o, 7, 2})) << "another constexpr";
  EXPECT_TRUE(compiles(kernel, {*o, std::int64_t{1} << 40, 1})) << "another type";
  EXPECT_TRUE(compiles(kernel, {Argument::pointer(*o, 1), 7, 1})) << "not aligned to 16 bytes";
  EXPECT_FALSE(compiles(kernel, {Argument::pointer(*o, 4), 7, 1})) << "aligned again";
  EXPECT_TRUE(compiles(kernel, {*o, 7, 1, {"num_warps", 8}})) << "another option";
  EXPECT_EQ(library->specialisation_count(), 7U);
}

TEST(Specialisation, constants_of_other_kinds_are_other_keys) {
  const Result<Library> library = parse("def k(o, C: tl.constexpr):\n    tl.store(o, 1)\n");
  const Kernel kernel = *library->only_kernel();
  Result<Buffer> o = Buffer::zeros(DType::I32, {1});
  const Argument::Tuple tuple{{Argument(1), Argument(2)}, "", {}};
  EXPECT_TRUE(compiles(kernel, {*o, 1}));
  EXPECT_TRUE(compiles(kernel, {*o, 1.0}));
  EXPECT_TRUE(compiles(kernel, {*o, true}));
  EXPECT_TRUE(compiles(kernel, {*o, "1"}));
  EXPECT_TRUE(compiles(kernel, {*o, 0.0}));
  EXPECT_TRUE(compiles(kernel, {*o, -0.0}));
  EXPECT_TRUE(compiles(kernel, {*o, DType::F16}));
  EXPECT_TRUE(compiles(kernel, {*o, tuple}));
  EXPECT_TRUE(compiles(kernel, {*o, None{}}));
  EXPECT_FALSE(compiles(kernel, {*o, tuple}));
}

TEST(Specialisation, threads_may_launch_at_once) {
  const Result<Library> library = parse(kFacts);
  const Kernel kernel = *library->only_kernel();
  std::vector<std::thread> threads;
  std::vector<double> results(8);
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      Result<Buffer> o = Buffer::zeros(DType::I32, {1});
      const std::vector<std::int64_t> grid = {1};
      const auto n = static_cast<int>(100 + i % 2);
      if (launch(Device::interpreter(), kernel, grid, {*o, n, 3}).ok()) {
        results[i] = o->number(0);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i], 103.0 + static_cast<double>(i % 2));
  }
}

}  // namespace
}  // namespace tilery
