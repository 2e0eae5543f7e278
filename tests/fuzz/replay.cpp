// Stands in for libFuzzer in ordinary builds: runs every file of the given folders through the
// target, once as it is.
//
//     parse_fuzz [--damage=COUNT] [--seed=NUMBER] FILE-OR-FOLDER…
//
// With --damage, COUNT damaged copies follow: a few random changes each, or a piece of another file
// put in. That is fuzzing without coverage, but needs no clang, and runs as fast as the release.
// The input at work stands in ./fuzz-input, so that a crash leaves it there.
//
// Fails if a folder is missing or there is no file at all, so that seeds cannot vanish unseen.
#include "tests/fuzz/damage.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The files below `path`, in order, so that a failure is found again.
std::vector<fs::path> files_below(const fs::path& path) {
  if (fs::is_regular_file(path)) {
    return {path};
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

void run(std::string_view text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

void run_damaged(const std::vector<std::string>& texts, unsigned count, unsigned seed) {
  tilery::Damage damage(texts, seed);
  for (unsigned i = 0; i < count; ++i) {
    const std::string text = damage.next();
    std::ofstream("fuzz-input", std::ios::binary) << text;
    run(text);
  }
  if (count != 0) {
    fs::remove("fuzz-input");
  }
}

/// Whether the argument is `name` and a number, which is then read.
bool read_option(std::string_view argument, std::string_view name, unsigned& value) {
  if (!argument.starts_with(name)) {
    return false;
  }
  std::from_chars(argument.data() + name.size(), argument.data() + argument.size(), value);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned damaged_count = 0;
  unsigned seed = 1;
  std::vector<std::string> texts;
  for (int i = 1; i < argc; ++i) {
    if (read_option(argv[i], "--damage=", damaged_count) || read_option(argv[i], "--seed=", seed)) {
      continue;
    }
    if (!fs::exists(argv[i])) {
      std::fprintf(stderr, "there is no %s\n", argv[i]);
      return 1;
    }
    for (const fs::path& path : files_below(argv[i])) {
      // Named before it runs: a crash tells nothing itself.
      std::fprintf(stderr, "%s\n", path.c_str());
      run(texts.emplace_back(read(path)));
    }
  }
  if (texts.empty()) {
    return 1;
  }
  run_damaged(texts, damaged_count, seed);
  std::printf("%zu inputs, %u damaged\n", texts.size(), damaged_count);
  return 0;
}
