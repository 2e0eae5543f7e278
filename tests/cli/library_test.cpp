// The installed face of the project: what libtilery.so exports, how targets are compiled, what the
// public headers include.
#include "tests/cli/command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tilery {
namespace {

namespace fs = std::filesystem;
using testing::ProcessResult;
using testing::run_process;

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(SharedLibrary, exports_the_public_interface_and_nothing_else) {
  const ProcessResult r = run_process({"nm", "-D", "--defined-only", "-C", TILERY_LIBRARY});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  int exported = 0;
  for (const std::string& line : lines_of(r.out)) {
    // "00000000000a1b20 T tilery::v0::launch(…)"
    const std::size_t kind = line.find(' ');
    ASSERT_NE(kind, std::string::npos);
    const std::string name = line.substr(kind + 3);
    EXPECT_TRUE(name.starts_with("tilery::v0::") || name.starts_with("tilery_")) << line;
    EXPECT_EQ(name.find("Impl"), std::string::npos) << line;
    ++exported;
  }
  EXPECT_GT(exported, 30);
}

TEST(SharedLibrary, needs_nothing_of_the_machine_but_its_c_library) {
#ifdef TILERY_SANITIZED
  GTEST_SKIP() << "sanitizers bring their own libraries";
#else
  const ProcessResult r = run_process({"readelf", "-d", TILERY_LIBRARY});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  for (const char* name :
       {"libstdc++", "libgcc_s", "libfmt", "libLLVM", "libz.", "libzstd", "libz3", "libcuda"}) {
    EXPECT_EQ(r.out.find(name), std::string::npos) << name;
  }
#endif
}

TEST(Build, nothing_contracts_or_reorders_floating_point) {
  const std::string text = read_file(TILERY_COMPILE_COMMANDS);
  int commands = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.find("\"command\":") == std::string::npos ||
        line.find("public_headers") != std::string::npos) {
      continue;
    }
    ++commands;
    EXPECT_NE(line.find("-ffp-contract=off"), std::string::npos) << line;
    EXPECT_NE(line.find("-fno-fast-math"), std::string::npos) << line;
    EXPECT_EQ(line.find("-ffast-math"), std::string::npos) << line;
    EXPECT_EQ(line.find("-Ofast"), std::string::npos) << line;
  }
  EXPECT_GT(commands, 50) << "compile_commands.json was not found";
}

TEST(PublicHeaders, include_the_standard_library_and_each_other_only) {
  const fs::path folder = fs::path(TILERY_SOURCE_DIR) / "runtime/include/tilery";
  int headers = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    ++headers;
    for (const std::string& line : lines_of(read_file(entry.path()))) {
      if (!line.starts_with("#include ")) {
        continue;
      }
      const std::string target = line.substr(9);
      const bool is_ours = target.starts_with("\"tilery/");
      const bool is_std =
          target.starts_with("<") && target.find_first_of("/.") == std::string::npos;
      EXPECT_TRUE(is_ours || is_std) << entry.path() << ": " << line;
    }
  }
  EXPECT_GE(headers, 12);
}

TEST(Command, starts_fast) {
#ifdef TILERY_SANITIZED
  GTEST_SKIP() << "measured without sanitizers";
#else
  // Processor time, the best of several starts: wall time depends on what else the machine does,
  // and is measured by the benchmarks.
  const testing::TempDir dir;
  const std::vector<std::string> arguments = {TILERY_COMMAND,
                                              "run",
                                              dir.write("k.tl", testing::kAdd),
                                              "x=ones:f32[1000]",
                                              "y=ones:f32[1000]",
                                              "out=zeros:f32[1000]",
                                              "n=1000",
                                              "BLOCK=256",
                                              "--grid",
                                              "4"};
  double best = 1;
  for (int i = 0; i < 10; ++i) {
    const ProcessResult r = run_process(arguments);
    ASSERT_EQ(r.exit_code, 0) << r.err;
    best = std::min(best, r.cpu_seconds);
  }
  EXPECT_LT(best, 0.012);
#endif
}

}  // namespace
}  // namespace tilery
