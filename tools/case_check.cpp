#include "tools/case_check.h"

#include "tools/array_text.h"
#include "tools/case_match.h"
#include "tools/compare.h"
#include "tools/report_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace tilery::tools {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view entry) {
  return std::ranges::find(list, entry) != list.end();
}

bool same_bits(const Buffer& a, const Buffer& b) {
  return a.bytes() == b.bytes() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

/// "error at line 4: …" in one line, for reports.
std::string brief(const Message& message) {
  return message.place.is_known() ? fmt::format("line {}: {}", message.place.line, message.message)
                                  : message.message;
}

/// Collects what differs, one expectation after the other.
class Checker {
 public:
  Checker(const Expectations& expect, const CaseOutcome& outcome, const std::string& mode,
          const CaseOutcome* base)
      : expect_(expect), outcome_(outcome), mode_(mode), base_(base) {}

  CheckResult run() {
    // Elsewhere it is something that nothing unexpected was reported.
    result_.has_checked = !is_on_gpu();
    if (expect_.error) {
      check_error(*expect_.error);
      return std::move(result_);
    }
    if (expect_.completes) {
      result_.has_checked = true;
      return std::move(result_);
    }
    check_diagnostics();
    check_no_surprise();
    // In frontend mode nothing ran, and a report that ended the run leaves the buffers as they
    // were.
    if (mode_ != "frontend" && outcome_.is_completed) {
      check_output();
      check_buffers();
      check_elements();
      check_differences();
    }
    return std::move(result_);
  }

 private:
  void fail(std::string text) { result_.failures.push_back(std::move(text)); }

  void skip(std::string text) { result_.not_applicable.push_back(std::move(text)); }

  /// A GPU computes; it finds nothing.
  bool is_on_gpu() const { return mode_ == "cuda"; }

  // ---- errors ----

  std::vector<const Message*> errors() const {
    std::vector<const Message*> list;
    for (const Message& m : outcome_.messages) {
      if (m.severity == Message::Severity::Error) {
        list.push_back(&m);
      }
    }
    return list;
  }

  void check_error(const ExpectedError& want) {
    result_.has_checked = true;
    // What only a run can show cannot show here.
    if (mode_ == "frontend" && want.phase == "run") {
      return;
    }
    const std::vector<const Message*> got = errors();
    if (got.empty()) {
      fail("an error was expected, and none came");
      return;
    }
    if (want.count && std::cmp_greater(got.size(), *want.count)) {
      fail(fmt::format("{} errors were given, expected {}", got.size(), *want.count));
    }
    std::string closest;
    for (const Message* message : got) {
      const bool is_fault = is_on_gpu() && message->phase == Phase::Run;
      const std::string problem =
          error_problem(*message, is_fault ? told_by_a_fault(*message, want) : want);
      if (problem.empty()) {
        return;
      }
      if (closest.empty()) {
        closest = fmt::format("{} in: {}", problem, brief(*message));
      }
    }
    fail(closest);
  }

  /// Of a fault a GPU tells what it was, and where only if it is an assertion's: the programs,
  /// lanes and values of an expectation are left out, by name, where they are not told.
  ExpectedError told_by_a_fault(const Message& got, const ExpectedError& want) {
    ExpectedError told = want;
    told.lines.clear();
    told.column.reset();
    if (want.line && !got.place.is_known()) {
      skip(fmt::format("the error's line {}", *want.line));
      told.line.reset();
    }
    if (!want.lines.empty() || want.column) {
      skip("the source that the error shows");
    }
    std::erase_if(told.must_mention, [&](const std::vector<std::string>& alternatives) {
      const bool is_number = std::ranges::all_of(alternatives, [](const std::string& text) {
        return text.find_first_not_of("0123456789-+., ()[]") == std::string::npos;
      });
      const bool is_left_out = is_number && missing_mention(got.text, {alternatives}).has_value();
      if (is_left_out) {
        skip(fmt::format("`{}` in the error", fmt::join(alternatives, "` or `")));
      }
      return is_left_out;
    });
    return told;
  }

  static std::string error_problem(const Message& got, const ExpectedError& want) {
    static const std::vector<std::string> phases = {"parse", "compile", "launch", "run"};
    const auto latest = std::ranges::find(phases, want.phase) - phases.begin();
    if (static_cast<std::ptrdiff_t>(got.phase) > latest) {
      return fmt::format("the error came in phase {}", phase_name(got.phase));
    }
    if (want.line && std::cmp_not_equal(got.place.line, *want.line)) {
      return fmt::format("line {} was expected", *want.line);
    }
    if (want.column && std::cmp_less(got.place.column, *want.column)) {
      return fmt::format("column {} was reported, before {}", got.place.column, *want.column);
    }
    const std::vector<std::int64_t> shown = shown_lines(got.text);
    auto at = shown.begin();
    for (const std::int64_t line : want.lines) {
      at = std::find(at, shown.end(), line);
      if (at == shown.end()) {
        return fmt::format("line {} is not shown in its place", line);
      }
    }
    const std::optional<std::string> missing = missing_mention(got.text, want.must_mention);
    return missing ? fmt::format("`{}` is not mentioned", *missing) : std::string();
  }

  // ---- diagnostics ----

  void check_diagnostics() {
    for (const ExpectedDiagnostic& want : expect_.diagnostics) {
      const bool is_meant = want.modes.empty() || contains(want.modes, mode_);
      if (is_on_gpu() && is_finding(want.kind)) {
        skip(fmt::format("the finding `{}`{}", want.kind,
                         want.line ? fmt::format(" in line {}", *want.line) : std::string()));
      } else if (want.is_required && is_meant && mode_ != "frontend") {
        check_diagnostic(want);
      }
    }
    for (const std::string& kind : expect_.forbidden_diagnostics) {
      if (is_on_gpu() && is_finding(kind)) {
        skip(fmt::format("that `{}` is not found", kind));
      }
    }
    for (const Message& m : outcome_.messages) {
      if (contains(expect_.forbidden_diagnostics, m.kind)) {
        fail(fmt::format("`{}` must not be reported, but was: {}", m.kind, brief(m)));
      }
    }
  }

  /// "out-of-bounds" is a finding of a checked run, "ShapesDoNotBroadcast" the compiler's.
  static bool is_finding(std::string_view kind) {
    return !kind.empty() && kind.front() >= 'a' && kind.front() <= 'z';
  }

  void check_diagnostic(const ExpectedDiagnostic& want) {
    std::int64_t count = 0;
    std::string problem = fmt::format("`{}` was not reported", want.kind);
    bool is_found = false;
    for (const Message& m : outcome_.messages) {
      if (m.kind != want.kind || (want.line && std::cmp_not_equal(m.place.line, *want.line))) {
        continue;
      }
      ++count;
      const std::optional<std::string> missing = missing_mention(m.text, want.must_mention);
      const std::string wrong_fact = fact_problem(m, want);
      is_found = is_found || (!missing && wrong_fact.empty());
      problem =
          missing ? fmt::format("`{}` is not mentioned in: {}", *missing, brief(m)) : wrong_fact;
    }
    if (!is_found) {
      fail(problem);
    } else if (want.count && count > *want.count) {
      fail(fmt::format("`{}` was reported {} times, expected {}", want.kind, count, *want.count));
    }
  }

  static std::string fact_problem(const Message& m, const ExpectedDiagnostic& want) {
    for (const auto& [key, accepted] : want.details) {
      const std::string got = fact(m, key);
      if (!contains(accepted, got)) {
        return fmt::format("{} is {}, expected {}", key, got, fmt::join(accepted, " or "));
      }
    }
    return {};
  }

  static std::string fact(const Message& m, const std::string& key) {
    if (key == "lane") {
      return m.lane ? fmt::format("{}", *m.lane) : "none";
    }
    if (key == "program") {
      return fmt::format("[{}]", fmt::join(m.program, ","));
    }
    if (!m.access) {
      return "none";
    }
    if (key == "access") {
      return m.access->is_store ? "store" : "load";
    }
    if (key == "argument") {
      return m.access->argument;
    }
    return fmt::format("{}", key == "index" ? m.access->index : m.access->size);
  }

  /// Errors that nobody expected.
  void check_no_surprise() {
    for (const Message* m : errors()) {
      const bool is_expected = std::ranges::any_of(
          expect_.diagnostics, [&](const ExpectedDiagnostic& d) { return d.kind == m->kind; });
      if (!is_expected) {
        fail(fmt::format("unexpected error: {}", brief(*m)));
      }
    }
  }

  // ---- output and buffers ----

  void check_output() {
    result_.has_checked |= !expect_.stdout_must_contain.empty() || !expect_.stdout_values.empty();
    if (const auto missing = missing_mention(outcome_.output, expect_.stdout_must_contain)) {
      fail(fmt::format("`{}` was not printed", *missing));
    }
    for (const ExpectedValues& want : expect_.stdout_values) {
      if (!shows_values(outcome_.output, want)) {
        fail(fmt::format("the print `{}` does not show its {} values", want.label,
                         want.values.size()));
      }
    }
  }

  void check_buffers() {
    if (!expect_.compares_buffers) {
      return;
    }
    result_.has_checked = true;
    for (const auto& [name, contents] : expect_.buffers) {
      check_buffer(name, contents);
    }
    for (const auto& [name, buffer] : outcome_.after) {
      const bool is_named = std::ranges::any_of(
          expect_.buffers, [&, &n = name](const auto& entry) { return entry.first == n; });
      if (!is_named && !same_bits(buffer, outcome_.before.at(name))) {
        fail(fmt::format("buffer `{}` was changed", name));
      }
    }
  }

  void check_buffer(const std::string& name, const CaseContents& contents) {
    const auto found = outcome_.after.find(name);
    if (found == outcome_.after.end()) {
      fail(fmt::format("there is no buffer `{}`", name));
      return;
    }
    const Buffer& got = found->second;
    const bool has_data = !contents.is_arange && !contents.fill;
    if (has_data && static_cast<std::int64_t>(contents.data.size()) != got.numel()) {
      fail(fmt::format("buffer `{}` has {} elements, {} are expected", name, got.numel(),
                       contents.data.size()));
      return;
    }
    // Tolerances are taken from the number as written; without one it is rounded to the type.
    const bool is_exact = !is_float(got.dtype()) || (expect_.rtol == 0 && expect_.atol == 0);
    const Result<Buffer> want =
        make_buffer(is_exact ? got.dtype() : DType::F64, got.shape(), contents);
    if (!want) {
      fail(fmt::format("buffer `{}`: {}", name, want.error().message));
      return;
    }
    const Tolerance tolerance{expect_.rtol, expect_.atol, contains(expect_.signed_zero, name)};
    if (const std::optional<Mismatch> mismatch = compare(got, *want, tolerance)) {
      fail(fmt::format("buffer `{}`: {}", name, mismatch_text(*mismatch, got.shape())));
      nlohmann::ordered_json difference = {{"array", name}};
      difference.update(mismatch_json(*mismatch, got.shape()));
      result_.differences.push_back(std::move(difference));
    }
  }

  /// As in a whole buffer: exact, integers of 64 bits included, and NaN is NaN.
  static bool is_equal(const Buffer& buffer, std::int64_t index, const CaseNumber& number) {
    CaseContents contents;
    contents.fill = number;
    const auto* element = static_cast<const std::byte*>(buffer.data()) +
                          index * static_cast<std::int64_t>(byte_size(buffer.dtype()));
    const Result<Buffer> want = make_buffer(buffer.dtype(), {1}, contents);
    const Result<Buffer> got = Buffer::copy_of(buffer.dtype(), {1}, element);
    return want && got && !compare(*got, *want, Tolerance{}).has_value();
  }

  void check_elements() {
    result_.has_checked |= !expect_.elements.empty();
    for (const ExpectedElement& want : expect_.elements) {
      const auto found = outcome_.after.find(want.buffer);
      if (found == outcome_.after.end() || want.index < 0 || want.index >= found->second.numel()) {
        fail(fmt::format("there is no element {} of `{}`", want.index, want.buffer));
        continue;
      }
      const Buffer& buffer = found->second;
      const double got = buffer.number(want.index);
      const bool is_good = (!want.eq || is_equal(buffer, want.index, *want.eq)) &&
                           (!want.ge || got >= want.ge->value()) &&
                           (!want.le || got <= want.le->value()) &&
                           (!want.lt || got < want.lt->value());
      if (!is_good) {
        fail(fmt::format("element {} of `{}` is {}", want.index, want.buffer,
                         element_text(buffer, want.index)));
      }
    }
  }

  void check_differences() {
    result_.has_checked |= !expect_.differs_from_base.empty();
    for (const std::string& name : expect_.differs_from_base) {
      const auto got = outcome_.after.find(name);
      const bool has_both =
          base_ != nullptr && got != outcome_.after.end() && base_->after.contains(name);
      if (!has_both || same_bits(got->second, base_->after.at(name))) {
        fail(fmt::format("buffer `{}` does not differ from the case's own", name));
      }
    }
  }

  const Expectations& expect_;
  const CaseOutcome& outcome_;
  const std::string& mode_;
  const CaseOutcome* base_;
  CheckResult result_;
};

}  // namespace

CheckResult check_outcome(const Expectations& expect, const CaseOutcome& outcome,
                          const std::string& mode, const CaseOutcome* base) {
  if (!expect.by_mode.empty()) {
    const auto found = expect.by_mode.find(mode);
    return found == expect.by_mode.end()
               ? CheckResult{{}, {fmt::format("nothing is expected in mode {}", mode)}, false}
               : check_outcome(found->second.front(), outcome, mode, base);
  }
  if (expect.any_of.empty()) {
    return Checker(expect, outcome, mode, base).run();
  }
  std::optional<CheckResult> first;
  for (const Expectations& alternative : expect.any_of) {
    CheckResult result = check_outcome(alternative, outcome, mode, base);
    if (result.failures.empty()) {
      return result;
    }
    first = first ? std::move(first) : std::move(result);
  }
  return first ? *std::move(first) : CheckResult{};
}

bool are_bit_identical(const std::map<std::string, Buffer>& a,
                       const std::map<std::string, Buffer>& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const auto& entry) {
           const auto found = b.find(entry.first);
           return found != b.end() && same_bits(entry.second, found->second);
         });
}

}  // namespace tilery::tools
