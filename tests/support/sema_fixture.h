// Specialising a kernel given as text, for tests of the front end.
#pragma once

#include "frontend/parser.h"
#include "frontend/sema/specialize.h"
#include "ir/printer.h"
#include "ir/support/diagnostic.h"
#include "ir/verifier.h"
#include "tests/support/signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilery::testing {

/// Whether a text contains another; a failure shows both.
inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "expected \"" << part << "\" in:\n" << text;
}

/// One specialisation of the last function of a text (or the one the signature names), before any
/// pass.
class SemaRun {
 public:
  /// `signature` is as in file tests: `x=*f32 n=i32 B=8 strict`.
  SemaRun(const std::string& text, const std::string& signature,
          const std::string& file_name = "test.tl", Unit environment = {})
      : unit_(std::make_unique<Unit>(std::move(environment))) {
    const FileId file = sources_.add(file_name, 1, text);
    std::optional<ast::Module> module = parse(sources_, file, module_kind(file_name), diagnostics_);
    if (!module) {
      ADD_FAILURE() << "syntax error: " << messages();
      return;
    }
    unit_->module = std::move(*module);
    const Signature parsed = parse_signature(signature);
    const std::vector<KernelInfo> kernels = list_kernels(*unit_, sources_, diagnostics_);
    const KernelInfo* kernel = &kernels.back();
    for (const KernelInfo& candidate : kernels) {
      kernel = candidate.name == parsed.kernel ? &candidate : kernel;
    }
    result_ = specialize(*unit_, sources_, kernel->name, arguments_for(parsed, *kernel),
                         parsed.options, diagnostics_, false);
    if (result_) {
      const std::vector<std::string> violations = verify(result_->function);
      EXPECT_TRUE(violations.empty()) << violations.front() << "\n" << ir();
    }
  }

  [[nodiscard]] bool ok() const { return result_.has_value(); }

  /// The printed function, or what was reported.
  [[nodiscard]] std::string ir() const { return result_ ? print(result_->function) : messages(); }

  /// Every diagnostic as a user sees it.
  [[nodiscard]] std::string messages() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics_.all()) {
      text += render(diagnostic, sources_);
    }
    return text;
  }

  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_.all(); }

  [[nodiscard]] const std::string& static_output() const { return result_->static_output; }

  [[nodiscard]] const Function& function() const { return result_->function; }

  /// How many instructions of this op the function contains, nested regions included.
  [[nodiscard]] int count(Op op) const {
    int result = 0;
    if (result_) {
      for (const Inst& inst : result_->function.insts) {
        result += inst.op == op && inst.parent && is_reachable(inst.parent) ? 1 : 0;
      }
    }
    return result;
  }

  /// The only instruction of this op.
  [[nodiscard]] const Inst& only(Op op) const {
    const auto& insts = result_->function.insts;
    const auto found = std::find_if(insts.begin(), insts.end(), [&](const Inst& inst) {
      return inst.op == op && inst.parent && is_reachable(inst.parent);
    });
    EXPECT_EQ(count(op), 1) << ir();
    return *found;
  }

  /// The types of an instruction's results, as text.
  [[nodiscard]] std::vector<std::string> result_types(const Inst& inst) const {
    std::vector<std::string> types;
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      types.push_back(result_->function.type(inst.result(i)).str());
    }
    return types;
  }

 private:
  [[nodiscard]] bool is_reachable(RegionId region) const {
    const Function& function = result_->function;
    while (function.region(region).owner) {
      region = function.inst(function.region(region).owner).parent;
      if (!region) {
        return false;
      }
    }
    return region == function.body;
  }

  SourceMap sources_;
  Diagnostics diagnostics_;
  std::unique_ptr<Unit> unit_;
  std::optional<Specialized> result_;
};

}  // namespace tilery::testing
