// Every function of the language and every op of the IR is run by some file of tests/run, which is
// where the interpreter and a GPU are compared; functions may also be run by the kernel library.
#include "codegen/passes/pipeline_loops.h"
#include "ir/op_table.h"
#include "tests/support/golden.h"
#include "tests/support/run_file.h"
#include "tilery/ops.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace tilery {
namespace {

/// The kernels of tests/run and kernels/, without comments.
std::string all_kernels() {
  std::string text;
  for (const char* folder : {"run", "../kernels"}) {
    for (const auto& path : testing::golden_files(folder, ".tl")) {
      for (const std::string& line : testing::read_lines(path)) {
        text += line.substr(0, line.find('#')) + "\n";
      }
    }
  }
  return text;
}

/// True if the text has this name somewhere, and not as a part of a longer one.
bool has_name(std::string_view text, std::string_view name) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins =
        name.front() == '.' || at == 0 || (!is_part(text[at - 1]) && text[at - 1] != '.');
    if (begins && (end == text.size() || !is_part(text[end]))) {
      return true;
    }
  }
  return false;
}

TEST(Coverage, names_are_found_whole) {
  EXPECT_TRUE(has_name("y = tl.max(x, 0)", "tl.max"));
  EXPECT_FALSE(has_name("y = tl.maximum(x, 0)", "tl.max"));
  EXPECT_FALSE(has_name("y = libtl.max(x, 0)", "tl.max"));
  EXPECT_TRUE(has_name("y = x.max(0)", ".max"));
  EXPECT_FALSE(has_name("y = a.int(0)", "int"));
}

TEST(Coverage, every_function_is_run) {
  const std::string kernels = all_kernels();
  for (const BuiltinRow& row : builtin_rows()) {
    if (!row.is_supported) {
      continue;
    }
    // Methods are called on whatever has them.
    const bool is_method = row.is_method || row.name.starts_with("tl.dtype.");
    const std::string method = row.name.substr(row.name.rfind('.') + 1);
    EXPECT_TRUE(has_name(kernels, row.name) || (is_method && has_name(kernels, "." + method)))
        << "no kernel of tests/run or kernels/ uses `" << row.name << "`";
  }
}

/// Adds the ops of the file's kernel.
void add_ops(const testing::GoldenFile& file, bool optimise, bool pipeline, std::set<Op>& ops) {
  testing::RunFile run = testing::read_run_file(file);
  testing::PreparedRun prepared;
  testing::prepare_run(file, run, prepared, optimise);
  ASSERT_TRUE(prepared.specialized) << file.path;
  Function& function = prepared.specialized->function;
  if (pipeline) {
    constexpr int kStages = 3;
    constexpr std::uint32_t kSharedBytes = 1U << 20;
    codegen::pipeline_loops(function, kStages, kSharedBytes);
  }
  for (const Inst& inst : function.insts) {
    if (inst.parent) {
      ops.insert(inst.op);
    }
  }
}

TEST(Coverage, every_op_is_run) {
  std::set<Op> ops;
  for (const auto& path : testing::golden_files("run", ".tl")) {
    const testing::GoldenFile file = testing::read_golden(path);
    add_ops(file, false, false, ops);
    add_ops(file, true, true, ops);
  }
  for (const OpDef& def : all_ops()) {
    // Chosen with the layouts of a GPU, and no part of what a kernel computes:
    // unit/codegen/lower_run_test.cpp runs functions with it.
    if (def.op != Op::ConvertLayout) {
      EXPECT_TRUE(ops.contains(def.op)) << "no kernel of tests/run becomes `" << def.id << "`";
    }
  }
}

}  // namespace
}  // namespace tilery
