// `tilery case`: launches written down with their outcome, one line each.
#include "tools/call.h"
#include "tools/case_judge.h"
#include "tools/case_worker.h"
#include "tools/console.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

Error wrong(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

/// `--on` and `--mode` name the engine; given both, they must agree.
Result<CasePlan> plan_of(const CaseRequest& request) {
  CasePlan plan{request.files, request.modes, {}, request.timeout_seconds};
  plan.settings.threads = request.threads;
  if (!request.math.empty()) {
    plan.settings.math = request.math == "fast" ? MathMode::Fast : MathMode::Reproducible;
  }
  const std::optional<int> gpu = gpu_ordinal(request.on);
  if (!request.on.empty() && request.on != "interpret" && !gpu) {
    return wrong(fmt::format("--on {}: there are interpret, cuda and cuda:N", request.on));
  }
  plan.settings.gpu = gpu.value_or(0);
  if (request.on.empty()) {
    if (plan.modes.empty()) {
      plan.modes = {"interpret", "frontend"};
    }
    return plan;
  }
  const std::string mode = gpu ? "cuda" : "interpret";
  if (plan.modes.empty()) {
    plan.modes = {mode};
  } else if (std::ranges::find(plan.modes, mode) == plan.modes.end()) {
    return wrong(fmt::format("--on {} is mode {}, which --mode leaves out", request.on, mode));
  }
  return plan;
}

std::string verdict_line(const Verdict& verdict) {
  std::string line =
      fmt::format("{:<10} {}  {}", state_name(verdict.state), verdict.id, verdict.title);
  if (!verdict.modes.empty()) {
    line += fmt::format(" ({})", fmt::join(verdict.modes, ", "));
  }
  if (verdict.state == CaseState::Waits) {
    line += fmt::format(": waits for `{}`", fmt::join(verdict.waits, "`, `"));
  } else if (verdict.state == CaseState::OtherMode) {
    line += fmt::format(": {}", fmt::join(verdict.details, ", "));
  }
  line += '\n';
  if (verdict.state == CaseState::Fail) {
    for (const std::string& detail : verdict.details) {
      line += fmt::format("             {}\n", detail);
    }
  }
  for (const std::string& what : verdict.not_applicable) {
    line += fmt::format("             not applicable: {}\n", what);
  }
  return line;
}

/// "64 pass, 0 fail, 12 wait (`tl.sort` 3, `tl.rand` 2), 2 manual, 5 for other modes".
std::string summary(const std::vector<Verdict>& verdicts) {
  std::map<CaseState, int> counts;
  std::map<std::string, int> waits;
  for (const Verdict& verdict : verdicts) {
    ++counts[verdict.state];
    for (const std::string& name : verdict.waits) {
      waits[name] += verdict.state == CaseState::Waits ? 1 : 0;
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, count] : waits) {
    if (count > 0) {
      names.push_back(fmt::format("`{}` {}", name, count));
    }
  }
  return fmt::format(
      "{} {}: {} pass, {} fail, {} wait{}, {} manual, {} for other "
      "modes{}",
      verdicts.size(), verdicts.size() == 1 ? "case" : "cases", counts[CaseState::Pass],
      counts[CaseState::Fail], counts[CaseState::Waits],
      names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")), counts[CaseState::Manual],
      counts[CaseState::OtherMode],
      counts[CaseState::NotApplicable] == 0
          ? ""
          : fmt::format(", {} not applicable", counts[CaseState::NotApplicable]));
}

/// Prints each verdict as it comes, and all of them as JSON.
class CaseReporter {
 public:
  explicit CaseReporter(const CaseRequest& request) : request_(request) {}

  /// False: an error of a case file or the machine, which ends the command.
  bool take(const Result<Verdict>& verdict) {
    if (!verdict) {
      error_code_ = fail("case", verdict.error(), request_.json);
      return false;
    }
    const bool is_clean = verdict->state == CaseState::Pass && verdict->not_applicable.empty();
    if (!request_.json && (!request_.quiet || !is_clean)) {
      print_out(verdict_line(*verdict));
      std::fflush(stdout);
    }
    verdicts_.push_back(*verdict);
    return true;
  }

  [[nodiscard]] int finish() const {
    if (error_code_ != 0) {
      return error_code_;
    }
    const bool has_failed =
        std::ranges::any_of(verdicts_, [](const Verdict& v) { return v.state == CaseState::Fail; });
    const int exit_code = has_failed ? 1 : 0;
    if (!request_.json) {
      print_out(summary(verdicts_) + "\n");
      return exit_code;
    }
    Json report = report_head("case", exit_code);
    Json list = Json::array();
    for (const Verdict& verdict : verdicts_) {
      list.push_back(verdict_json(verdict));
    }
    report["cases"] = std::move(list);
    report["summary"] = summary(verdicts_);
    print_json(report);
    return exit_code;
  }

 private:
  const CaseRequest& request_;
  std::vector<Verdict> verdicts_;
  int error_code_ = 0;
};

}  // namespace

int case_command(const CaseRequest& request) {
  const Result<CasePlan> plan = plan_of(request);
  if (!plan) {
    return fail("case", plan.error(), request.json);
  }
  CaseReporter reporter(request);
  const TakeVerdict take = [&](const Result<Verdict>& v) { return reporter.take(v); };
  if (std::ranges::find(plan->modes, "cuda") == plan->modes.end()) {
    judge_here(*plan, take);
  } else {
    judge_apart(*plan, take);
  }
  return reporter.finish();
}

}  // namespace tilery::tools
