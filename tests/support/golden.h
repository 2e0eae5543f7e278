// File tests: a source file that says what to run and what must come out.
//
// The first line holds the command, the last comment lines the expectation; tests/README.md shows
// each form. In a `.tl` file the comment sign is `#`, in an `.ir` file `//`.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tilery::testing {

/// One file test, taken apart.
struct GoldenFile {
  std::filesystem::path path;
  std::string text;     ///< the whole file, as the compiler gets it
  std::string command;  ///< what follows `test:`
  std::vector<std::string>
      expected;  ///< what follows each `expect:`, or the lines after a bare `expect:`
};

/// Reads a file; a missing `test:` line is a failure of the calling test.
[[nodiscard]] GoldenFile read_golden(const std::filesystem::path& path);

/// Compares line by line and fails with both texts. With TILERY_BLESS=1 in the environment the file
/// is rewritten instead. `one_line_each` writes `# expect: LINE` for each line; otherwise the lines
/// follow a bare `# expect:`.
void expect_golden(const GoldenFile& file, const std::vector<std::string>& actual,
                   bool one_line_each);

/// All files with this extension below tests/`folder`, sorted.
[[nodiscard]] std::vector<std::filesystem::path> golden_files(const std::string& folder,
                                                              const std::string& extension);

/// Registers one GoogleTest case a file, named `suite`/<file stem>; `run` gets the file. Called
/// before RUN_ALL_TESTS. Without a file there is one that fails.
void register_golden_tests(const std::string& suite, const std::string& folder,
                           const std::string& extension,
                           const std::function<void(const GoldenFile&)>& run);

/// The lines of a file.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& path);

/// The lines of a text, without a last empty one.
[[nodiscard]] std::vector<std::string> split_lines(const std::string& text);

}  // namespace tilery::testing
