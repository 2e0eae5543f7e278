// Reads every #include of the project against the arrows of README.md:
//
//     frontend → ir ← {interpreter, codegen} ← runtime ← tools
//
// (A → B: A includes B; runtime also → frontend). Of runtime, tools includes the public headers
// only; bench and tests may include everything. Boost.Spirit stays in frontend/grammar, LLVM in
// codegen.
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tilery {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>>& allowed_arrows() {
  static const std::map<std::string, std::set<std::string>> arrows = {
      {"ir", {"ir"}},
      {"frontend", {"frontend", "ir"}},
      {"interpreter", {"interpreter", "ir"}},
      {"codegen", {"codegen", "ir"}},
      {"runtime", {"runtime", "frontend", "interpreter", "codegen", "ir"}},
  };
  return arrows;
}

/// One include of one file: `"ir/type.h"` or `<vector>`, without the marks.
struct Include {
  std::string target;
  bool is_angled = false;
};

/// Why `folder` may not include this, or empty.
std::string violation(const fs::path& file, const std::string& folder, const Include& include) {
  const std::string& target = include.target;
  if (target.starts_with("boost/")) {
    return file.parent_path().filename() == "grammar" ? "" : "Boost outside frontend/grammar";
  }
  if (target.starts_with("llvm/") || target.starts_with("llvm-c/")) {
    // codegen itself, and tests/unit/codegen.
    const bool is_codegen = folder == "codegen" || file.parent_path().filename() == "codegen";
    return is_codegen ? "" : "LLVM outside codegen";
  }
  if (target == "cuda.h" || target.starts_with("cuda_") || target.starts_with("nv")) {
    return "CUDA's headers are declared by runtime/cuda_api, never included";
  }
  if (include.is_angled || folder == "bench" || folder == "tests") {
    return "";
  }
  if (folder == "tools") {
    const bool is_public = target.starts_with("tools/") || target.starts_with("tilery/");
    return is_public ? "" : "tools stands on the public interface";
  }
  // The public headers are included as users do.
  if (target.starts_with("tilery/")) {
    return folder == "runtime" ? "" : "a public header below runtime";
  }
  const std::string from = target.substr(0, target.find('/'));
  return allowed_arrows().at(folder).contains(from) ? "" : "no arrow " + folder + " → " + from;
}

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line.compare(at, 8, "#include") != 0) {
      continue;
    }
    at = line.find_first_of("\"<", at);
    if (at == std::string::npos) {
      continue;
    }
    const bool angled = line[at] == '<';
    result.push_back({line.substr(at + 1, line.find(angled ? '>' : '"', at + 1) - at - 1), angled});
  }
  return result;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cpp" || path.extension() == ".def" ||
         path.extension() == ".inc";
}

TEST(Layering, every_include_follows_an_arrow) {
  const fs::path root = TILERY_SOURCE_DIR;
  int files = 0;
  for (const char* folder :
       {"ir", "frontend", "interpreter", "codegen", "runtime", "tools", "bench", "tests"}) {
    if (!fs::exists(root / folder)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!is_source(entry.path())) {
        continue;
      }
      ++files;
      std::ifstream in(entry.path());
      std::ostringstream text;
      text << in.rdbuf();
      for (const Include& include : includes_of(text.str())) {
        EXPECT_EQ(violation(entry.path(), folder, include), "")
            << entry.path() << " includes " << include.target;
      }
    }
  }
  EXPECT_GT(files, 50) << "the sources were not found";
}

TEST(Layering, a_forbidden_include_is_seen) {
  const auto first = [](const std::string& text) { return includes_of(text).at(0); };
  EXPECT_NE(violation("tools/run.cpp", "tools", first("#include \"runtime/bind.h\"\n")), "");
  EXPECT_EQ(violation("tools/run.cpp", "tools", first("#include \"tilery/launch.h\"\n")), "");
  EXPECT_NE(violation("ir/type.cpp", "ir", first("#include \"frontend/ast.h\"\n")), "");
  EXPECT_NE(
      violation("frontend/parser.cpp", "frontend", first("#include \"interpreter/plan.h\"\n")), "");
  EXPECT_NE(
      violation("interpreter/plan.cpp", "interpreter", first("  #include \"runtime/npy.h\"\n")),
      "");
  EXPECT_NE(
      violation("frontend/parser.cpp", "frontend", first("#include <boost/spirit/home/x3.hpp>\n")),
      "");
  EXPECT_NE(violation("runtime/device.cpp", "runtime", first("#include <llvm/IR/Module.h>\n")), "");
  EXPECT_EQ(violation("frontend/grammar/rule.cpp", "frontend",
                      first("#include <boost/spirit/home/x3.hpp>\n")),
            "");
  EXPECT_EQ(
      violation("runtime/device.cpp", "runtime", first("#include \"interpreter/interpreter.h\"\n")),
      "");
}

}  // namespace
}  // namespace tilery
