// `tilery case`: launches written down with their outcome, one line each.
#include "tools/case_check.h"
#include "tools/case_file.h"
#include "tools/case_run.h"
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

/// How a case ended, from good to bad; the worst of its runs counts.
enum class State : std::uint8_t { Pass, OtherMode, Manual, Waits, Fail };

const char* state_name(State state) {
  switch (state) {
    case State::Pass:
      return "pass";
    case State::OtherMode:
      return "other-mode";
    case State::Manual:
      return "manual";
    case State::Waits:
      return "waits";
    case State::Fail:
      return "FAIL";
  }
  return "";
}

struct Verdict {
  State state = State::Pass;
  std::string id;
  std::string title;
  std::vector<std::string> modes;    ///< those that were tried
  std::vector<std::string> waits;    ///< operations that this version lacks
  std::vector<std::string> details;  ///< what failed, and where
};

/// The text between the first pair of backticks: what a NotSupportedYet message is about.
std::string quoted_name(const std::string& message) {
  const std::size_t begin = message.find('`');
  const std::size_t end = message.find('`', begin + 1);
  return end == std::string::npos ? message : message.substr(begin + 1, end - begin - 1);
}

/// The operations that an outcome says are missing.
std::vector<std::string> missing_operations(const CaseOutcome& outcome) {
  std::vector<std::string> names;
  for (const Message& message : outcome.messages) {
    if (message.kind == "NotSupportedYet") {
      names.push_back(quoted_name(message.message));
    }
  }
  return names;
}

/// Runs a case in all the modes that are asked for.
class CaseJudge {
 public:
  CaseJudge(const CaseRequest& request, const CaseFile& file) : request_(request), file_(file) {
    verdict_.id = file.id;
    verdict_.title = file.title;
  }

  Result<Verdict> judge() {
    if (file_.is_manual) {
      verdict_.state = State::Manual;
      verdict_.details.push_back(file_.procedure);
      return verdict_;
    }
    const Result<std::vector<CaseRun>> runs = case_runs(file_);
    if (!runs) {
      return runs.error();
    }
    for (const std::string& mode : asked_modes()) {
      if (const Status done = judge_mode(*runs, mode); !done) {
        return done.error();
      }
    }
    if (verdict_.modes.empty()) {
      verdict_.state = State::OtherMode;
      verdict_.details.push_back(fmt::format("for {} only", fmt::join(file_.modes, ", ")));
    } else if (!verdict_.waits.empty() && verdict_.state != State::Fail) {
      verdict_.state = State::Waits;
    }
    return verdict_;
  }

 private:
  std::vector<std::string> asked_modes() const {
    return request_.modes.empty() ? std::vector<std::string>{"interpret", "frontend"}
                                  : request_.modes;
  }

  Status judge_mode(const std::vector<CaseRun>& runs, const std::string& mode) {
    std::optional<CaseOutcome> base;
    for (const CaseRun& run : runs) {
      if (std::ranges::find(run.modes, mode) == run.modes.end()) {
        continue;
      }
      if (verdict_.modes.empty() || verdict_.modes.back() != mode) {
        verdict_.modes.push_back(mode);
      }
      Result<CaseOutcome> outcome = run_case(file_, run, mode, request_.threads);
      if (!outcome) {
        return outcome.error();
      }
      check(run, mode, *outcome, base ? &*base : nullptr);
      if (const Status repeated = repeat(run, mode, *outcome); !repeated) {
        return repeated.error();
      }
      if (!base) {
        base = *std::move(outcome);
      }
    }
    return Ok{};
  }

  void check(const CaseRun& run, const std::string& mode, const CaseOutcome& outcome,
             const CaseOutcome* base) {
    const std::vector<std::string> missing = missing_operations(outcome);
    for (const std::string& name : missing) {
      if (std::ranges::find(verdict_.waits, name) == verdict_.waits.end()) {
        verdict_.waits.push_back(name);
      }
    }
    if (!missing.empty()) {
      return;
    }
    for (const std::string& failure : check_outcome(*run.expect, outcome, mode, base)) {
      fail(run, mode, failure);
    }
  }

  void fail(const CaseRun& run, const std::string& mode, const std::string& failure) {
    verdict_.state = State::Fail;
    verdict_.details.push_back(run.title.empty()
                                   ? fmt::format("{}: {}", mode, failure)
                                   : fmt::format("{}, {}: {}", mode, run.title, failure));
  }

  Status repeat(const CaseRun& run, const std::string& mode, const CaseOutcome& first) {
    const std::vector<std::string>& modes = file_.repeat.bit_identical;
    if (std::ranges::find(modes, mode) == modes.end()) {
      return Ok{};
    }
    for (int i = 1; i < file_.repeat.times; ++i) {
      const Result<CaseOutcome> again = run_case(file_, run, mode, request_.threads);
      if (!again) {
        return again.error();
      }
      if (!are_bit_identical(first.after, again->after)) {
        fail(run, mode, fmt::format("run {} gives other bits than the first", i + 1));
      }
    }
    return Ok{};
  }

  const CaseRequest& request_;
  const CaseFile& file_;
  Verdict verdict_;
};

std::string verdict_line(const Verdict& verdict) {
  std::string line =
      fmt::format("{:<10} {}  {}", state_name(verdict.state), verdict.id, verdict.title);
  if (!verdict.modes.empty()) {
    line += fmt::format(" ({})", fmt::join(verdict.modes, ", "));
  }
  if (verdict.state == State::Waits) {
    line += fmt::format(": waits for `{}`", fmt::join(verdict.waits, "`, `"));
  }
  line += '\n';
  if (verdict.state == State::Fail) {
    for (const std::string& detail : verdict.details) {
      line += fmt::format("             {}\n", detail);
    }
  }
  return line;
}

/// "64 pass, 0 fail, 12 wait (`tl.sort` 3, `tl.rand` 2), 2 manual, 5 for other modes".
std::string summary(const std::vector<Verdict>& verdicts) {
  std::map<State, int> counts;
  std::map<std::string, int> waits;
  for (const Verdict& verdict : verdicts) {
    ++counts[verdict.state];
    for (const std::string& name : verdict.waits) {
      waits[name] += verdict.state == State::Waits ? 1 : 0;
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, count] : waits) {
    if (count > 0) {
      names.push_back(fmt::format("`{}` {}", name, count));
    }
  }
  return fmt::format("{} {}: {} pass, {} fail, {} wait{}, {} manual, {} for other modes",
                     verdicts.size(), verdicts.size() == 1 ? "case" : "cases", counts[State::Pass],
                     counts[State::Fail], counts[State::Waits],
                     names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")),
                     counts[State::Manual], counts[State::OtherMode]);
}

Json verdict_json(const Verdict& verdict) {
  std::string state = state_name(verdict.state);
  std::ranges::transform(state, state.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {{"id", verdict.id},       {"title", verdict.title}, {"state", state},
          {"modes", verdict.modes}, {"waits", verdict.waits}, {"details", verdict.details}};
}

}  // namespace

int case_command(const CaseRequest& request) {
  std::vector<Verdict> verdicts;
  int exit_code = 0;
  for (const std::string& path : request.files) {
    const Result<CaseFile> file = read_case(path);
    if (!file) {
      return fail("case", file.error(), request.json);
    }
    const Result<Verdict> verdict = CaseJudge(request, *file).judge();
    if (!verdict) {
      return fail("case", verdict.error(), request.json);
    }
    exit_code = verdict->state == State::Fail ? 1 : exit_code;
    if (!request.json && (!request.quiet || verdict->state != State::Pass)) {
      print_out(verdict_line(*verdict));
      std::fflush(stdout);
    }
    verdicts.push_back(*verdict);
  }
  if (request.json) {
    Json report = report_head("case", exit_code);
    Json list = Json::array();
    for (const Verdict& verdict : verdicts) {
      list.push_back(verdict_json(verdict));
    }
    report["cases"] = std::move(list);
    report["summary"] = summary(verdicts);
    print_json(report);
  } else {
    print_out(summary(verdicts) + "\n");
  }
  return exit_code;
}

}  // namespace tilery::tools
