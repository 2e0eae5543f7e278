#include "tools/case_file.h"

#include "tools/case_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace tilery::tools {

namespace {

using Json = nlohmann::json;

/// A misspelt mode would be one in which nothing is ever run or compared.
const std::string& known_mode(const std::string& mode) {
  if (mode != "interpret" && mode != "frontend" && mode != "cuda") {
    bad(fmt::format("`{}` is no mode; there are interpret, frontend and cuda", mode));
  }
  return mode;
}

/// The list of modes under `key`; empty if there is none.
std::vector<std::string> modes(const Json& json, const char* key) {
  const auto list = json.value(key, std::vector<std::string>());
  std::ranges::for_each(list, known_mode);
  return list;
}

void check_keys(const Json& json, const std::string& where,
                std::initializer_list<std::string_view> known) {
  if (!json.is_object()) {
    bad(fmt::format("{} must be an object", where));
  }
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      bad(fmt::format("{} has an unknown key `{}`", where, key));
    }
  }
}

// ---- numbers and contents ----

CaseNumber number(const Json& json) {
  CaseNumber n;
  if (json.is_number_unsigned()) {
    n.bits = json.get<std::uint64_t>();
  } else if (json.is_number_integer()) {
    n.bits = static_cast<std::uint64_t>(json.get<std::int64_t>());
    n.is_negative = json.get<std::int64_t>() < 0;
  } else if (json.is_boolean()) {
    n.bits = json.get<bool>() ? 1 : 0;
  } else if (json.is_number_float()) {
    n.is_float = true;
    n.real = json.get<double>();
  } else if (json.is_string()) {
    const std::string text = json.get<std::string>();
    n.is_float = true;
    n.real = text == "inf"    ? std::numeric_limits<double>::infinity()
             : text == "-inf" ? -std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
    if (text != "inf" && text != "-inf" && text != "nan") {
      bad(fmt::format("`{}` is no number", text));
    }
  } else {
    bad(fmt::format("`{}` is no number", json.dump()));
  }
  return n;
}

void read_contents(const Json& json, CaseContents& contents) {
  if (json.contains("data")) {
    for (const Json& element : json["data"]) {
      contents.data.push_back(number(element));
    }
  } else if (json.contains("fill")) {
    contents.fill = number(json["fill"]);
  } else if (json.contains("arange")) {
    contents.is_arange = true;
    contents.start = number(json["arange"].at(0)).value();
    contents.step = number(json["arange"].at(1)).value();
    if (json.contains("mod")) {
      contents.mod = whole(json["mod"]);
      if (*contents.mod <= 0) {
        bad("`mod` must be positive");
      }
    }
    contents.add = whole_or(json, "add", 0);
  } else {
    bad("a buffer needs `data`, `fill` or `arange`");
  }
}

DType dtype(const Json& json) {
  const std::string text = json.get<std::string>();
  const std::optional<DType> type = dtype_named(text);
  if (!type) {
    bad(fmt::format("`{}` is no element type", text));
  }
  return *type;
}

CaseBuffer buffer(const Json& json) {
  check_keys(json, "a buffer", {"dtype", "shape", "data", "fill", "arange", "mod", "add"});
  CaseBuffer b;
  b.dtype = dtype(json.at("dtype"));
  b.shape = wholes(json.at("shape"));
  read_contents(json, b.contents);
  const std::int64_t numel = numel_of(b.shape);
  if (json.contains("data") && std::cmp_not_equal(b.contents.data.size(), numel)) {
    bad(fmt::format("a buffer of {} elements has {} in its `data`", numel, b.contents.data.size()));
  }
  return b;
}

// ---- arguments ----

Argument constant(const Json& json) {
  if (json.is_null()) {
    return None{};
  }
  if (json.is_boolean()) {
    return json.get<bool>();
  }
  if (json.is_string()) {
    const std::string text = json.get<std::string>();
    if (text.starts_with("tl.") && dtype_named(text)) {
      return *dtype_named(text);
    }
    return text;
  }
  if (json.is_array()) {
    Argument::Tuple tuple;
    for (const Json& element : json) {
      tuple.elements.push_back(constant(element));
    }
    return tuple;
  }
  const CaseNumber n = number(json);
  if (n.is_float) {
    return n.real;
  }
  return n.is_negative ? Argument(static_cast<std::int64_t>(n.bits)) : Argument(n.bits);
}

Argument scalar(const Json& json, DType type) {
  const CaseNumber n = number(json);
  return n.is_float ? Argument::scalar(type, n.real)
                    : Argument::scalar(type, static_cast<std::int64_t>(n.bits));
}

CaseArgument argument(const Json& json, const std::string& name) {
  check_keys(json, fmt::format("argument `{}`", name),
             {"name", "buffer", "offset", "strides", "null", "memory", "compiled_as", "alias",
              "scalar", "dtype", "constexpr", "none"});
  CaseArgument a;
  a.name = name;
  a.offset = whole_or(json, "offset", 0);
  a.is_null = json.value("null", false);
  a.compiled_as = json.value("compiled_as", "");
  if (json.contains("buffer")) {
    a.buffer = buffer(json["buffer"]);
  } else if (json.contains("alias")) {
    a.alias = json["alias"].get<std::string>();
  } else if (json.contains("scalar")) {
    a.value = scalar(json["scalar"], dtype(json.at("dtype")));
  } else if (json.contains("constexpr")) {
    a.value = constant(json["constexpr"]);
  } else if (json.value("none", false)) {
    a.value = None{};
  } else {
    bad(fmt::format("argument `{}` has no value", name));
  }
  if (a.is_null && !a.buffer) {
    bad(fmt::format("argument `{}` is null: a `buffer` must say of what type", name));
  }
  return a;
}

std::vector<CaseArgument> arguments(const Json& json) {
  std::vector<CaseArgument> list;
  for (const Json& entry : json) {
    list.push_back(argument(entry, entry.at("name").get<std::string>()));
  }
  return list;
}

std::vector<std::pair<std::string, Argument>> options(const Json& json) {
  std::vector<std::pair<std::string, Argument>> list;
  for (const auto& [name, value] : json.items()) {
    list.emplace_back(name, constant(value));
  }
  return list;
}

std::vector<CaseLaunch> launches(const Json& json, const CaseFile& file) {
  std::vector<CaseLaunch> list;
  for (const Json& entry : json) {
    check_keys(entry, "a launch", {"kernel", "grid", "args"});
    CaseLaunch launch;
    launch.kernel = entry.at("kernel").get<std::string>();
    launch.grid = wholes(entry.at("grid"));
    launch.arguments = entry.contains("args") ? arguments(entry["args"]) : file.arguments;
    list.push_back(std::move(launch));
  }
  return list;
}

// ---- expectations ----

Mentions mentions(const Json& json) {
  Mentions list;
  for (const Json& entry : json) {
    list.push_back(entry.is_array() ? entry.get<std::vector<std::string>>()
                                    : std::vector{entry.get<std::string>()});
  }
  return list;
}

std::optional<std::int64_t> optional_int(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(whole(json[key])) : std::nullopt;
}

ExpectedError expected_error(const Json& json) {
  check_keys(json, "an expected error",
             {"phase", "line", "lines", "column", "count", "must_mention", "facts"});
  ExpectedError e;
  e.phase = json.at("phase").get<std::string>();
  e.line = optional_int(json, "line");
  e.lines = wholes(json.value("lines", Json::array()));
  e.column = optional_int(json, "column");
  e.count = optional_int(json, "count");
  e.must_mention = mentions(json.value("must_mention", Json::array()));
  return e;
}

ExpectedDiagnostic expected_diagnostic(const Json& json) {
  check_keys(json, "an expected diagnostic",
             {"kind", "line", "count", "must_mention", "facts", "details", "modes", "required"});
  ExpectedDiagnostic d;
  d.kind = json.at("kind").get<std::string>();
  d.line = optional_int(json, "line");
  d.count = optional_int(json, "count");
  d.must_mention = mentions(json.value("must_mention", Json::array()));
  d.modes = modes(json, "modes");
  d.is_required = json.value("required", true);
  // Named: a temporary would be gone before the loop begins.
  const Json details = json.value("details", Json::object());
  for (const auto& [key, value] : details.items()) {
    std::vector<std::string> accepted;
    // Of `index`, a list means any of them; `program` is a list itself.
    if (value.is_array() && key != "program") {
      for (const Json& v : value) {
        accepted.push_back(v.dump());
      }
    } else {
      accepted.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
    d.details.emplace_back(key, std::move(accepted));
  }
  return d;
}

ExpectedElement expected_element(const Json& json) {
  check_keys(json, "an expected element", {"buffer", "index", "eq", "ge", "le", "lt"});
  ExpectedElement e;
  e.buffer = json.at("buffer").get<std::string>();
  e.index = whole(json.at("index"));
  const auto bound = [&](const char* key) {
    return json.contains(key) ? std::optional(number(json[key])) : std::nullopt;
  };
  e.eq = bound("eq");
  e.ge = bound("ge");
  e.le = bound("le");
  e.lt = bound("lt");
  return e;
}

ExpectedValues expected_values(const Json& json) {
  check_keys(json, "an entry of stdout_values", {"label", "values", "shape", "fill", "bool"});
  ExpectedValues v;
  v.label = json.at("label").get<std::string>();
  v.as_bool = json.value("bool", false);
  if (json.contains("values")) {
    for (const Json& value : json["values"]) {
      v.values.push_back(number(value).value());
    }
    return v;
  }
  const std::int64_t count = numel_of(wholes(json.at("shape")));
  constexpr std::int64_t kMaxTile = std::int64_t{1} << 20;
  if (count > kMaxTile) {
    bad(fmt::format("stdout_values wants {} values; no tile has more than {}", count, kMaxTile));
  }
  v.values.assign(static_cast<std::size_t>(count), number(json.at("fill")).value());
  return v;
}

Expectations expectations(const Json& json);

void read_outcomes(const Json& json, Expectations& e) {
  for (const Json& entry : json.value("any_of", Json::array())) {
    e.any_of.push_back(expectations(entry));
  }
  const Json by_mode = json.value("by_mode", Json::object());
  for (const auto& [mode, entry] : by_mode.items()) {
    e.by_mode[known_mode(mode)].push_back(expectations(entry));
  }
}

Expectations expectations(const Json& json) {
  check_keys(json, "`expect`",
             {"buffers", "rtol", "atol", "signed_zero", "elements", "error", "diagnostics",
              "forbidden_diagnostics", "stdout_must_contain", "stdout_values", "completes",
              "differs_from_base", "any_of", "only_if", "by_mode"});
  Expectations e;
  if (json.contains("buffers")) {
    e.compares_buffers = true;
    for (const auto& [name, value] : json["buffers"].items()) {
      CaseContents contents;
      read_contents(value.is_array() ? Json{{"data", value}} : value, contents);
      e.buffers.emplace_back(name, std::move(contents));
    }
  }
  e.rtol = json.value("rtol", 0.0);
  e.atol = json.value("atol", 0.0);
  e.signed_zero = json.value("signed_zero", std::vector<std::string>());
  for (const Json& element : json.value("elements", Json::array())) {
    e.elements.push_back(expected_element(element));
  }
  if (json.contains("error")) {
    e.error = expected_error(json["error"]);
  }
  for (const Json& diagnostic : json.value("diagnostics", Json::array())) {
    e.diagnostics.push_back(expected_diagnostic(diagnostic));
  }
  e.forbidden_diagnostics = json.value("forbidden_diagnostics", std::vector<std::string>());
  e.stdout_must_contain = mentions(json.value("stdout_must_contain", Json::array()));
  for (const Json& values : json.value("stdout_values", Json::array())) {
    e.stdout_values.push_back(expected_values(values));
  }
  e.completes = json.value("completes", false);
  e.differs_from_base = json.value("differs_from_base", std::vector<std::string>());
  read_outcomes(json, e);
  return e;
}

// ---- the whole ----

CaseVariant variant(const Json& json, const CaseFile& file) {
  check_keys(json, "a variant", {"title", "modes", "set", "edit", "launches", "expect"});
  CaseVariant v;
  v.title = json.value("title", "");
  v.modes = modes(json, "modes");
  const Json set = json.value("set", Json::object());
  for (const auto& [name, value] : set.items()) {
    v.set.push_back(argument(value, name));
  }
  v.edit = json.value("edit", std::vector<std::pair<std::string, std::string>>());
  v.launches = launches(json.value("launches", Json::array()), file);
  v.expect = expectations(json.at("expect"));
  return v;
}

std::vector<NamedTupleType> host_types(const Json& json) {
  std::vector<NamedTupleType> types;
  for (const Json& entry : json) {
    check_keys(entry, "a host type", {"name", "kind", "fields"});
    if (entry.at("kind") != "namedtuple") {
      bad("a host type must be a namedtuple");
    }
    NamedTupleType type{entry.at("name").get<std::string>(), {}};
    for (const Json& field : entry.at("fields")) {
      type.fields.push_back(field.at(0).get<std::string>());
    }
    types.push_back(std::move(type));
  }
  return types;
}

CaseRepeat repeat(const Json& json) {
  check_keys(json, "`repeat`", {"times", "bit_identical", "same_in_all_modes"});
  const std::int64_t times = whole_or(json, "times", 1);
  if (times < 1 || times > 1'000'000) {
    bad(fmt::format("a case cannot be repeated {} times", times));
  }
  return {static_cast<int>(times), modes(json, "bit_identical"),
          json.value("same_in_all_modes", false)};
}

CaseFile case_file(const Json& json) {
  check_keys(json, "a case",
             {"id", "title", "source", "modes", "file", "kernel", "grid", "options", "strict",
              "mode_options", "host_types", "args", "launches", "expect", "variants", "repeat",
              "notes", "manual", "procedure"});
  CaseFile file;
  file.id = json.at("id").get<std::string>();
  file.title = json.value("title", "");
  file.modes = modes(json, "modes");
  if (file.modes.empty()) {
    bad("a case needs `modes`: in which it is run");
  }
  file.source_name = json.at("file").get<std::string>();
  file.is_manual = json.value("manual", false);
  file.procedure = json.value("procedure", "");
  file.is_strict = json.value("strict", false);
  file.options = options(json.value("options", Json::object()));
  const Json mode_options = json.value("mode_options", Json::object());
  for (const auto& [mode, value] : mode_options.items()) {
    file.mode_options[known_mode(mode)] = options(value);
  }
  file.host_types = host_types(json.value("host_types", Json::array()));
  file.arguments = arguments(json.value("args", Json::array()));
  if (json.contains("launches")) {
    file.launches = launches(json["launches"], file);
  } else {
    file.launches = {
        {json.at("kernel").get<std::string>(), wholes(json.at("grid")), file.arguments}};
  }
  file.expect = expectations(json.at("expect"));
  for (const Json& entry : json.value("variants", Json::array())) {
    file.variants.push_back(variant(entry, file));
  }
  if (json.contains("repeat")) {
    file.repeat = repeat(json["repeat"]);
  }
  return file;
}

/// The library's words without "[json.exception.NAME.NUMBER] " before them.
std::string_view reason(const Json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return end == std::string_view::npos ? text : text.substr(end + 2);
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// A whole file of at most 64 MiB. Throws BadCase with the reason if it cannot be read.
std::string read_text(const std::string& path) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  struct stat info{};
  const bool is_there = stat(path.c_str(), &info) == 0;
  if (is_there && !S_ISREG(info.st_mode)) {
    bad(fmt::format("cannot read `{}`: it is no regular file", path));
  }
  if (is_there && std::cmp_greater(info.st_size, kMaxBytes)) {
    bad(fmt::format("cannot read `{}`: it is larger than 64 MiB", path));
  }
  const std::unique_ptr<std::FILE, CloseFile> file(is_there ? std::fopen(path.c_str(), "rb")
                                                            : nullptr);
  if (file == nullptr) {
    bad(fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

}  // namespace

double CaseNumber::value() const {
  if (is_float) {
    return real;
  }
  return is_negative ? static_cast<double>(static_cast<std::int64_t>(bits))
                     : static_cast<double>(bits);
}

Result<CaseFile> read_case(const std::string& path) {
  try {
    CaseFile file = case_file(parse_json(read_text(path)));
    file.source =
        read_text((std::filesystem::path(path).parent_path() / file.source_name).string());
    return file;
  } catch (const BadCase& error) {
    return Error{ErrorKind::Usage, fmt::format("case `{}`: {}", path, error.message), {}};
  } catch (const Json::exception& error) {
    return Error{ErrorKind::Usage, fmt::format("case `{}`: {}", path, reason(error)), {}};
  }
}

}  // namespace tilery::tools
