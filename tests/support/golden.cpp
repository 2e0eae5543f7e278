#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tilery::testing {
namespace {

std::string comment_sign(const std::filesystem::path& path) {
  return path.extension() == ".ir" ? "// " : "# ";
}

/// What follows `sign + key` at the start of a line, or nothing.
bool directive(const std::string& line, const std::string& sign, const std::string& key,
               std::string& rest) {
  const std::string head = sign + key;
  if (line.compare(0, head.size(), head) != 0) {
    return false;
  }
  rest = line.substr(std::min(line.size(), head.size() + (line.size() > head.size() ? 1 : 0)));
  return true;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The file without its expectation.
std::string text_before_expectation(const GoldenFile& file) {
  const std::string sign = comment_sign(file.path);
  std::string kept;
  std::string rest;
  for (const std::string& line : split_lines(file.text)) {
    if (directive(line, sign, "expect:", rest)) {
      break;
    }
    kept += line + "\n";
  }
  return kept;
}

void bless(const GoldenFile& file, const std::vector<std::string>& actual, bool one_line_each) {
  const std::string sign = comment_sign(file.path);
  std::string text = text_before_expectation(file);
  if (!one_line_each) {
    text += sign + "expect:\n";
  }
  for (const std::string& line : actual) {
    std::string out = sign + (one_line_each ? "expect: " : "") + line;
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  std::ofstream(file.path, std::ios::binary) << text;
}

class GoldenTest : public ::testing::Test {
 public:
  GoldenTest(std::filesystem::path path, std::function<void(const GoldenFile&)> run)
      : path_(std::move(path)), run_(std::move(run)) {}

  void TestBody() override {
    const GoldenFile file = read_golden(path_);
    if (!HasFailure()) {
      run_(file);
    }
  }

 private:
  std::filesystem::path path_;
  std::function<void(const GoldenFile&)> run_;
};

/// Fails: a suite without a file would pass whatever is broken.
class NoFiles : public ::testing::Test {
 public:
  explicit NoFiles(std::string message) : message_(std::move(message)) {}

  void TestBody() override { FAIL() << message_; }

 private:
  std::string message_;
};

}  // namespace

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  return split_lines(read_file(path));
}

GoldenFile read_golden(const std::filesystem::path& path) {
  GoldenFile file{path, read_file(path), {}, {}};
  const std::string sign = comment_sign(path);
  bool in_block = false;
  bool found = false;
  for (const std::string& line : split_lines(file.text)) {
    std::string rest;
    if (!found && directive(line, sign, "test:", rest)) {
      file.command = rest;
      found = true;
    } else if (directive(line, sign, "expect:", rest)) {
      in_block = rest.empty();
      if (!rest.empty()) {
        file.expected.push_back(rest);
      }
    } else if (in_block) {
      const std::size_t skip = std::min(line.size(), sign.size());
      file.expected.push_back(line.substr(skip));
    }
  }
  EXPECT_TRUE(found) << path << " has no `" << sign << "test:` line";
  return file;
}

void expect_golden(const GoldenFile& file, const std::vector<std::string>& actual,
                   bool one_line_each) {
  const char* blessing = std::getenv("TILERY_BLESS");
  if (blessing != nullptr && *blessing == '1') {
    bless(file, actual, one_line_each);
    return;
  }
  const auto join = [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
      text += line + "\n";
    }
    return text;
  };
  EXPECT_EQ(join(file.expected), join(actual)) << file.path.string();
}

std::vector<std::filesystem::path> golden_files(const std::string& folder,
                                                const std::string& extension) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = std::filesystem::path(TILERY_SOURCE_DIR) / "tests" / folder;
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root, none)) {
    if (entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void register_golden_tests(const std::string& suite, const std::string& folder,
                           const std::string& extension,
                           const std::function<void(const GoldenFile&)>& run) {
  const std::vector<std::filesystem::path> files = golden_files(folder, extension);
  if (files.empty()) {
    ::testing::RegisterTest(suite.c_str(), "has_files", nullptr, nullptr, __FILE__, __LINE__,
                            [folder, extension]() -> ::testing::Test* {
                              return new NoFiles("no file " + extension + " in tests/" + folder);
                            });
  }
  for (const std::filesystem::path& path : files) {
    ::testing::RegisterTest(
        suite.c_str(), path.stem().string().c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [path, run]() -> ::testing::Test* { return new GoldenTest(path, run); });
  }
}

}  // namespace tilery::testing
