#include "tools/case_judge.h"

#include "tools/case_check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

bool contains(const std::vector<std::string>& list, const std::string& entry) {
  return std::ranges::find(list, entry) != list.end();
}

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
  CaseJudge(const CaseFile& file, const std::vector<std::string>& modes,
            const CaseSettings& settings)
      : file_(file), asked_modes_(modes), settings_(settings) {
    verdict_.id = file.id;
    verdict_.title = file.title;
  }

  Result<Verdict> judge() {
    if (file_.is_manual) {
      verdict_.state = CaseState::Manual;
      verdict_.details.push_back(file_.procedure);
      return verdict_;
    }
    const Result<std::vector<CaseRun>> runs = case_runs(file_);
    if (!runs) {
      return runs.error();
    }
    for (const std::string& mode : asked_modes_) {
      if (const Status done = judge_mode(*runs, mode); !done) {
        return done.error();
      }
      if (verdict_.has_lost_gpu) {
        break;
      }
    }
    finish();
    return verdict_;
  }

 private:
  void finish() {
    if (verdict_.state == CaseState::Fail) {
      return;
    }
    if (verdict_.modes.empty()) {
      verdict_.state = CaseState::OtherMode;
      verdict_.details.push_back(fmt::format("for {} only", fmt::join(file_.modes, ", ")));
    } else if (!verdict_.waits.empty()) {
      verdict_.state = CaseState::Waits;
    } else if (!has_checked_) {
      verdict_.state = CaseState::NotApplicable;
    }
  }

  Status judge_mode(const std::vector<CaseRun>& runs, const std::string& mode) {
    std::optional<CaseOutcome> base;
    const bool has_mode =
        std::ranges::any_of(runs, [&](const CaseRun& run) { return contains(run.modes, mode); });
    for (const CaseRun& run : runs) {
      if (!contains(run.modes, mode)) {
        if (has_mode && mode == "cuda") {
          skip(run, mode, fmt::format("for {} only", fmt::join(run.modes, ", ")));
        }
        continue;
      }
      if (verdict_.has_lost_gpu) {
        fail(run, mode, "not run: an earlier run of this case took the GPU down");
        continue;
      }
      if (const Status done = judge_run(run, mode, base); !done) {
        return done.error();
      }
    }
    return Ok{};
  }

  Status judge_run(const CaseRun& run, const std::string& mode, std::optional<CaseOutcome>& base) {
    if (verdict_.modes.empty() || verdict_.modes.back() != mode) {
      verdict_.modes.push_back(mode);
    }
    Result<CaseOutcome> outcome = run_case(file_, run, mode, settings_);
    if (!outcome) {
      return outcome.error();
    }
    verdict_.has_lost_gpu = outcome->has_lost_gpu;
    check(run, mode, *outcome, base ? &*base : nullptr);
    if (const Status repeated = repeat(run, mode, *outcome); !repeated) {
      return repeated.error();
    }
    if (!base) {
      base = *std::move(outcome);
    }
    return Ok{};
  }

  void check(const CaseRun& run, const std::string& mode, const CaseOutcome& outcome,
             const CaseOutcome* base) {
    const std::vector<std::string> missing = missing_operations(outcome);
    for (const std::string& name : missing) {
      if (!contains(verdict_.waits, name)) {
        verdict_.waits.push_back(name);
      }
    }
    if (!missing.empty()) {
      return;
    }
    const CheckResult result = check_outcome(*run.expect, outcome, mode, base);
    has_checked_ = has_checked_ || result.has_checked;
    for (const std::string& failure : result.failures) {
      fail(run, mode, failure);
    }
    for (const Json& numbers : result.differences) {
      Json difference = {{"mode", mode}, {"run", run.title}};
      difference.update(numbers);
      verdict_.differences.push_back(std::move(difference));
    }
    for (const std::string& what : result.not_applicable) {
      skip(run, mode, what);
    }
  }

  static std::string placed(const CaseRun& run, const std::string& mode, const std::string& text) {
    return run.title.empty() ? fmt::format("{}: {}", mode, text)
                             : fmt::format("{}, {}: {}", mode, run.title, text);
  }

  void fail(const CaseRun& run, const std::string& mode, const std::string& failure) {
    verdict_.state = CaseState::Fail;
    verdict_.details.push_back(placed(run, mode, failure));
  }

  void skip(const CaseRun& run, const std::string& mode, const std::string& what) {
    verdict_.not_applicable.push_back(placed(run, mode, what));
  }

  Status repeat(const CaseRun& run, const std::string& mode, const CaseOutcome& first) {
    if (!first.is_completed || mode == "frontend") {
      return Ok{};
    }
    const bool is_repeated = contains(file_.repeat.bit_identical, mode);
    for (int i = 1; is_repeated && i < file_.repeat.times; ++i) {
      const Result<CaseOutcome> again = run_case(file_, run, mode, settings_);
      if (!again) {
        return again.error();
      }
      if (!are_bit_identical(first.after, again->after)) {
        fail(run, mode, fmt::format("run {} gives other bits than the first", i + 1));
      }
    }
    return mode == "cuda" && file_.repeat.same_in_all_modes ? match_interpreter(run, first)
                                                            : Status(Ok{});
  }

  Status match_interpreter(const CaseRun& run, const CaseOutcome& on_gpu) {
    const Result<CaseOutcome> interpreted = run_case(file_, run, "interpret", settings_);
    if (!interpreted) {
      return interpreted.error();
    }
    if (!are_bit_identical(interpreted->after, on_gpu.after)) {
      fail(run, "cuda", "gives other bits than the interpreter");
    }
    return Ok{};
  }

  const CaseFile& file_;
  const std::vector<std::string>& asked_modes_;
  const CaseSettings& settings_;
  bool has_checked_ = false;
  Verdict verdict_;
};

constexpr std::array kStates = {CaseState::Pass,   CaseState::NotApplicable, CaseState::OtherMode,
                                CaseState::Manual, CaseState::Waits,         CaseState::Fail};

std::string state_key(CaseState state) {
  std::string name = state_name(state);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

const char* state_name(CaseState state) {
  switch (state) {
    case CaseState::Pass:
      return "pass";
    case CaseState::NotApplicable:
      return "n/a";
    case CaseState::OtherMode:
      return "other-mode";
    case CaseState::Manual:
      return "manual";
    case CaseState::Waits:
      return "waits";
    case CaseState::Fail:
      return "FAIL";
  }
  return "";
}

Result<Verdict> judge_case(const CaseFile& file, const std::vector<std::string>& modes,
                           const CaseSettings& settings) {
  return CaseJudge(file, modes, settings).judge();
}

Json verdict_json(const Verdict& verdict) {
  return {{"id", verdict.id},
          {"title", verdict.title},
          {"state", state_key(verdict.state)},
          {"modes", verdict.modes},
          {"waits", verdict.waits},
          {"details", verdict.details},
          {"differences", verdict.differences},
          {"not_applicable", verdict.not_applicable}};
}

Verdict verdict_from_json(const Json& json) {
  Verdict verdict;
  verdict.id = json.at("id").get<std::string>();
  verdict.title = json.at("title").get<std::string>();
  const auto state = json.at("state").get<std::string>();
  const auto found = std::ranges::find(kStates, state, state_key);
  verdict.state = found == kStates.end() ? CaseState::Fail : *found;
  json.at("modes").get_to(verdict.modes);
  json.at("waits").get_to(verdict.waits);
  json.at("details").get_to(verdict.details);
  verdict.differences = json.at("differences");
  json.at("not_applicable").get_to(verdict.not_applicable);
  return verdict;
}

}  // namespace tilery::tools
