#include "tools/case_file.h"

#include "tools/case_contents.h"
#include "tools/case_expect.h"
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

DType dtype(const Json& json) {
  const std::string text = text_of(json, "`dtype`");
  const std::optional<DType> type = dtype_named(text);
  if (!type) {
    bad(fmt::format("`{}` is no element type", text));
  }
  return *type;
}

CaseBuffer buffer(const Json& json) {
  check_keys(json, "a buffer", {"dtype", "shape", "data", "fill", "arange", "mod", "add"});
  CaseBuffer b;
  b.dtype = dtype(at(json, "dtype"));
  b.shape = wholes(at(json, "shape"));
  b.contents = contents_of(json);
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
  if (!fits(type, n)) {
    bad(fmt::format("`{}` is no {}", json.dump(), tilery::name(type)));
  }
  return n.is_float ? Argument::scalar(type, n.real)
                    : Argument::scalar(type, static_cast<std::int64_t>(n.bits));
}

CaseArgument argument(const Json& json, const std::string& name) {
  check_keys(json, fmt::format("argument `{}`", name),
             {"name", "buffer", "offset", "strides", "null", "memory", "compiled_as", "alias",
              "scalar", "dtype", "constexpr", "none"});
  CaseArgument a;
  a.name = name;
  need_one_of(json, fmt::format("argument `{}`", name),
              {"buffer", "alias", "scalar", "constexpr", "none"});
  a.offset = whole_or(json, "offset", 0);
  a.is_null = flag(json, "null", false);
  a.compiled_as = text_or_none(json, "compiled_as");
  if (json.contains("buffer")) {
    a.buffer = buffer(json["buffer"]);
  } else if (json.contains("alias")) {
    a.alias = text_at(json, "alias");
  } else if (json.contains("scalar")) {
    a.value = scalar(json["scalar"], dtype(at(json, "dtype")));
  } else if (json.contains("constexpr")) {
    a.value = constant(json["constexpr"]);
  } else if (flag(json, "none", false)) {
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
    list.push_back(argument(entry, text_at(entry, "name")));
  }
  return list;
}

std::vector<std::pair<std::string, Argument>> options(const Json& json) {
  std::vector<std::pair<std::string, Argument>> list;
  for (const auto& [name, value] : object_of(json, "a set of options").items()) {
    list.emplace_back(name, constant(value));
  }
  return list;
}

std::vector<CaseLaunch> launches(const Json& json, const CaseFile& file) {
  std::vector<CaseLaunch> list;
  for (const Json& entry : json) {
    check_keys(entry, "a launch", {"kernel", "grid", "args"});
    CaseLaunch launch;
    launch.kernel = text_at(entry, "kernel");
    launch.grid = wholes(at(entry, "grid"));
    launch.arguments = entry.contains("args") ? arguments(list_at(entry, "args")) : file.arguments;
    list.push_back(std::move(launch));
  }
  if (list.empty()) {
    bad("`launches` is empty: a case launches a kernel at least once");
  }
  return list;
}

// ---- the whole ----

/// What replaces no argument would leave the variant the case itself.
void check_is_argument(const CaseFile& file, const std::string& name) {
  const auto has_it = [&](const CaseLaunch& launch) {
    return std::ranges::find(launch.arguments, name, &CaseArgument::name) != launch.arguments.end();
  };
  if (std::ranges::none_of(file.launches, has_it)) {
    bad(fmt::format("`set` names `{}`, which is no argument of the case", name));
  }
}

CaseVariant variant(const Json& json, const CaseFile& file) {
  check_keys(json, "a variant", {"title", "modes", "set", "edit", "launches", "expect"});
  CaseVariant v;
  v.title = text_or_none(json, "title");
  v.modes = modes(json, "modes");
  const Json set = object_or_none(json, "set");
  for (const auto& [name, value] : set.items()) {
    check_is_argument(file, name);
    v.set.push_back(argument(value, name));
  }
  v.edit = json.value("edit", std::vector<std::pair<std::string, std::string>>());
  if (json.contains("launches")) {
    v.launches = launches(list_at(json, "launches"), file);
  }
  v.expect = read_expectations(json);
  return v;
}

std::vector<NamedTupleType> host_types(const Json& json) {
  std::vector<NamedTupleType> types;
  for (const Json& entry : json) {
    check_keys(entry, "a host type", {"name", "kind", "fields"});
    if (entry.at("kind") != "namedtuple") {
      bad("a host type must be a namedtuple");
    }
    NamedTupleType type{text_at(entry, "name"), {}};
    for (const Json& field : list_at(entry, "fields")) {
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
          flag(json, "same_in_all_modes", false)};
}

CaseFile case_file(const Json& json) {
  check_keys(json, "a case",
             {"id", "title", "source", "modes", "file", "kernel", "grid", "options", "strict",
              "mode_options", "host_types", "args", "launches", "expect", "variants", "repeat",
              "notes", "manual", "procedure"});
  CaseFile file;
  file.id = text_at(json, "id");
  file.title = text_or_none(json, "title");
  file.modes = modes(json, "modes");
  if (file.modes.empty()) {
    bad("a case needs `modes`: in which it is run");
  }
  file.source_name = text_at(json, "file");
  file.is_manual = flag(json, "manual", false);
  file.procedure = text_or_none(json, "procedure");
  file.is_strict = flag(json, "strict", false);
  file.options = options(object_or_none(json, "options"));
  const Json mode_options = object_or_none(json, "mode_options");
  for (const auto& [mode, value] : mode_options.items()) {
    file.mode_options[known_mode(mode)] = options(value);
  }
  file.host_types = host_types(list_or_none(json, "host_types"));
  file.arguments = arguments(list_or_none(json, "args"));
  if (json.contains("launches")) {
    file.launches = launches(list_at(json, "launches"), file);
  } else {
    file.launches = {{text_at(json, "kernel"), wholes(at(json, "grid")), file.arguments}};
  }
  file.expect = read_expectations(json);
  for (const Json& entry : list_or_none(json, "variants")) {
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
