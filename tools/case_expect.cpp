#include "tools/case_expect.h"

#include "tools/case_contents.h"
#include "tools/case_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace tilery::tools {

namespace {

using Json = nlohmann::json;

std::vector<std::string> alternatives(const Json& entry) {
  if (entry.is_string()) {
    return {text_of(entry, "an entry")};
  }
  std::vector<std::string> list;
  for (const Json& alternative : list_of(entry, "an entry with alternatives")) {
    list.push_back(text_of(alternative, "an alternative"));
  }
  return list;
}

/// Texts of which each must be found; an empty one would be found anywhere.
Mentions mentions(const Json& json, const char* key) {
  Mentions list;
  for (const Json& entry : list_or_none(json, key)) {
    list.push_back(alternatives(entry));
    if (list.back().empty() || std::ranges::find(list.back(), "") != list.back().end()) {
      bad(fmt::format("`{}` has an empty entry: write the text that must be there", key));
    }
  }
  return list;
}

std::optional<std::int64_t> optional_int(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(whole(json[key])) : std::nullopt;
}

std::string phase(const Json& json) {
  std::string name = text_at(json, "phase");
  if (name != "parse" && name != "compile" && name != "launch" && name != "run") {
    bad(fmt::format("`{}` is no phase; there are parse, compile, launch and run", name));
  }
  return name;
}

ExpectedError expected_error(const Json& json) {
  check_keys(json, "an expected error",
             {"phase", "line", "lines", "column", "count", "must_mention", "facts"});
  ExpectedError e;
  e.phase = phase(json);
  e.line = optional_int(json, "line");
  e.lines = wholes(json.value("lines", Json::array()));
  e.column = optional_int(json, "column");
  e.count = optional_int(json, "count");
  e.must_mention = mentions(json, "must_mention");
  return e;
}

/// Of the findings all; of the compiler's messages, which begin with a capital letter, any.
bool is_kind(const std::string& name) {
  constexpr std::array<std::string_view, 10> kFindings{
      "out-of-bounds", "race",           "uninitialised",    "overflow", "numeric-warning",
      "masked-lanes",  "broken-promise", "assertion-failed", "bad-loop", "timeout"};
  return std::ranges::find(kFindings, name) != kFindings.end() ||
         (!name.empty() && name.front() >= 'A' && name.front() <= 'Z');
}

/// A misspelt kind is never reported, which is what a case may ask for.
const std::string& known_kind(const std::string& name) {
  if (!is_kind(name)) {
    bad(fmt::format("`{}` is no kind of report; docs/semantics.md lists those of a checked run",
                    name));
  }
  return name;
}

std::vector<std::string> accepted_values(const std::string& key, const Json& value) {
  // Of `index`, a list means any of them; `program` is a list itself.
  if (!value.is_array() || key == "program") {
    return {value.is_string() ? value.get<std::string>() : value.dump()};
  }
  std::vector<std::string> accepted;
  for (const Json& v : value) {
    accepted.push_back(v.dump());
  }
  return accepted;
}

ExpectedDiagnostic expected_diagnostic(const Json& json) {
  check_keys(json, "an expected diagnostic",
             {"kind", "line", "count", "must_mention", "facts", "details", "modes", "required"});
  ExpectedDiagnostic d;
  d.kind = known_kind(text_at(json, "kind"));
  d.line = optional_int(json, "line");
  d.count = optional_int(json, "count");
  d.must_mention = mentions(json, "must_mention");
  d.modes = modes(json, "modes");
  d.is_required = flag(json, "required", true);
  // Named: a temporary would be gone before the loop begins.
  const Json details = object_or_none(json, "details");
  check_keys(details, "`details`", {"access", "argument", "index", "size", "lane", "program"});
  for (const auto& [key, value] : details.items()) {
    d.details.emplace_back(key, accepted_values(key, value));
  }
  return d;
}

ExpectedElement expected_element(const Json& json) {
  check_keys(json, "an expected element", {"buffer", "index", "eq", "ge", "le", "lt"});
  ExpectedElement e;
  e.buffer = text_at(json, "buffer");
  e.index = whole(at(json, "index"));
  if (e.index < 0) {
    bad(fmt::format("`index` is {}; the first element is 0", e.index));
  }
  const auto bound = [&](const char* key) {
    return json.contains(key) ? std::optional(number(json[key])) : std::nullopt;
  };
  e.eq = bound("eq");
  e.ge = bound("ge");
  e.le = bound("le");
  e.lt = bound("lt");
  if (!e.eq && !e.ge && !e.le && !e.lt) {
    bad("an expected element needs `eq`, `ge`, `le` or `lt`");
  }
  return e;
}

ExpectedValues expected_values(const Json& json) {
  check_keys(json, "an entry of stdout_values", {"label", "values", "shape", "fill", "bool"});
  ExpectedValues v;
  v.label = text_at(json, "label");
  v.as_bool = flag(json, "bool", false);
  need_one_of(json, "an entry of stdout_values", {"values", "fill"});
  if (json.contains("values")) {
    for (const Json& value : list_at(json, "values")) {
      v.values.push_back(number(value).value());
    }
    if (v.values.empty()) {
      bad("`values` is empty: write what must be printed after the label");
    }
    return v;
  }
  const std::int64_t count = numel_of(wholes(at(json, "shape")));
  constexpr std::int64_t kMaxTile = std::int64_t{1} << 20;
  if (count > kMaxTile) {
    bad(fmt::format("stdout_values wants {} values; no tile has more than {}", count, kMaxTile));
  }
  v.values.assign(static_cast<std::size_t>(count), number(at(json, "fill")).value());
  return v;
}

double tolerance(const Json& json, const char* key) {
  const Json value = json.value(key, Json(0.0));
  if (!value.is_number() || value.get<double>() < 0) {
    bad(fmt::format("`{}` is `{}`; a tolerance is a number that is not negative", key,
                    value.dump()));
  }
  return value.get<double>();
}

CaseContents expected_contents(const std::string& name, const Json& json) {
  if (json.is_array()) {
    return contents_of(Json{{"data", json}});
  }
  check_keys(json, fmt::format("the expectation of `{}`", name),
             {"data", "fill", "arange", "mod", "add"});
  return contents_of(json);
}

/// A sign that counts in a buffer that is not compared counts nowhere.
std::vector<std::string> signed_zero(const Json& json) {
  std::vector<std::string> names = texts(json, "signed_zero");
  for (const std::string& name : names) {
    if (!json.contains("buffers") || !json["buffers"].contains(name)) {
      bad(fmt::format("`signed_zero` names `{}`, which `buffers` does not", name));
    }
  }
  return names;
}

Expectations expectations(const Json& json);

void read_outcomes(const Json& json, Expectations& e) {
  for (const Json& entry : list_or_none(json, "any_of")) {
    e.any_of.push_back(expectations(entry));
  }
  const Json by_mode = object_or_none(json, "by_mode");
  for (const auto& [mode, entry] : by_mode.items()) {
    e.by_mode[known_mode(mode)].push_back(expectations(entry));
  }
}

void read_reports(const Json& json, Expectations& e) {
  if (json.contains("error")) {
    e.error = expected_error(json["error"]);
  }
  for (const Json& diagnostic : list_or_none(json, "diagnostics")) {
    e.diagnostics.push_back(expected_diagnostic(diagnostic));
  }
  e.forbidden_diagnostics = texts(json, "forbidden_diagnostics");
  std::ranges::for_each(e.forbidden_diagnostics, known_kind);
  e.stdout_must_contain = mentions(json, "stdout_must_contain");
  for (const Json& values : list_or_none(json, "stdout_values")) {
    e.stdout_values.push_back(expected_values(values));
  }
}

void read_values(const Json& json, Expectations& e) {
  if (json.contains("buffers")) {
    e.compares_buffers = true;
    for (const auto& [name, value] : object_of(json["buffers"], "`buffers`").items()) {
      e.buffers.emplace_back(name, expected_contents(name, value));
    }
  }
  e.rtol = tolerance(json, "rtol");
  e.atol = tolerance(json, "atol");
  e.signed_zero = signed_zero(json);
  for (const Json& element : list_or_none(json, "elements")) {
    e.elements.push_back(expected_element(element));
  }
  e.differs_from_base = texts(json, "differs_from_base");
}

/// What stands beside these is looked at by nobody: an error leaves no values, `any_of` and
/// `by_mode` have outcomes of their own.
void check_alone(const Json& json, const char* key) {
  if (!json.contains(key)) {
    return;
  }
  for (const auto& [other, value] : json.items()) {
    if (other != key && other != "only_if") {
      bad(fmt::format("`expect` has `{}` and `{}`: beside `{}` nothing else is compared", key,
                      other, key));
    }
  }
}

void check_says_something(const Json& json) {
  constexpr std::array<std::string_view, 4> kNothing{"rtol", "atol", "signed_zero", "only_if"};
  bool says_something = false;
  for (const auto& [key, value] : json.items()) {
    const bool is_empty = (value.is_structured() && value.empty()) || value == Json(false);
    // Without a name in it, `buffers` still says that none may change.
    says_something |=
        std::ranges::find(kNothing, key) == kNothing.end() && (!is_empty || key == "buffers");
  }
  if (!says_something) {
    bad("`expect` holds whatever happens: say what must come, such as `buffers` or `error`");
  }
}

Expectations expectations(const Json& json) {
  check_keys(json, "`expect`",
             {"buffers", "rtol", "atol", "signed_zero", "elements", "error", "diagnostics",
              "forbidden_diagnostics", "stdout_must_contain", "stdout_values", "completes",
              "differs_from_base", "any_of", "only_if", "by_mode"});
  check_says_something(json);
  for (const char* key : {"error", "any_of", "by_mode"}) {
    check_alone(json, key);
  }
  Expectations e;
  read_values(json, e);
  read_reports(json, e);
  e.completes = flag(json, "completes", false);
  if (e.completes) {
    check_alone(json, "completes");
  }
  read_outcomes(json, e);
  return e;
}

}  // namespace

Expectations read_expectations(const Json& owner) {
  return expectations(at(owner, "expect"));
}

}  // namespace tilery::tools
