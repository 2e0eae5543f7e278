#include "tools/value.h"

#include "tools/expression.h"
#include "tools/slip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace tilery::tools {

namespace {

constexpr int kMaxDepth = 20;

Error wrong(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    return false;
  }
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') {
      return false;
    }
  }
  return true;
}

// ---- numbers and words ----

/// A whole number of at most 64 bits, decimal or 0x; nothing if the text is no such number.
std::optional<Argument> integer(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text.substr(is_negative || text.starts_with('+') ? 1 : 0);
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  digits.remove_prefix(is_hex ? 2 : 0);
  std::uint64_t magnitude = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, magnitude, is_hex ? 16 : 10);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  if (is_negative) {
    return magnitude > kLimit ? std::nullopt
                              : std::optional<Argument>(static_cast<std::int64_t>(0 - magnitude));
  }
  return magnitude < kLimit ? Argument(static_cast<std::int64_t>(magnitude)) : Argument(magnitude);
}

std::optional<double> floating(std::string_view text) {
  std::string_view body = text;
  const bool is_negative = body.starts_with('-');
  body.remove_prefix(is_negative || body.starts_with('+') ? 1 : 0);
  if (body.empty() || (std::isdigit(static_cast<unsigned char>(body.front())) == 0 &&
                       body.front() != '.' && body != "inf" && body != "nan")) {
    return std::nullopt;
  }
  // Digits alone are a whole number, which may just be too large.
  if (body.find_first_not_of("0123456789") == std::string_view::npos) {
    return std::nullopt;
  }
  double v = 0;
  const auto [stop, error] = std::from_chars(body.data(), body.data() + body.size(), v);
  if (stop != body.data() + body.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    // 1e400 and 1e-400, as in Python.
    v = std::strtod(std::string(body).c_str(), nullptr);
  }
  return is_negative ? -v : v;
}

std::optional<Argument> number(std::string_view text) {
  if (std::optional<Argument> v = integer(text)) {
    return v;
  }
  if (const std::optional<double> v = floating(text)) {
    return Argument(*v);
  }
  return std::nullopt;
}

std::optional<Argument> word(std::string_view text) {
  if (text == "true" || text == "True") {
    return Argument(true);
  }
  if (text == "false" || text == "False") {
    return Argument(false);
  }
  if (text == "none" || text == "None") {
    return Argument(None{});
  }
  return std::nullopt;
}

/// True if `dtype` has `v`, or rounds it to a neighbour: too large a number is none of them. An
/// infinity or NaN fits only where the type has one.
bool fits_float(DType dtype, double v) {
  std::uint64_t bits = 0;
  store_number(dtype, &bits, v);
  const double stored = load_number(dtype, &bits);
  if (!std::isfinite(v)) {
    return std::isnan(v) ? std::isnan(stored) : stored == v;
  }
  if (!std::isfinite(stored)) {
    return false;
  }
  const std::uint64_t above_bits = bits + 1;
  const double above = std::abs(load_number(dtype, &above_bits));
  if (std::isfinite(above) && above > std::abs(stored)) {
    return true;
  }
  // The largest number, at which some types stop: what is nearer to the next one is past it.
  const std::uint64_t below_bits = bits - 1;
  const double gap = std::abs(stored) - std::abs(load_number(dtype, &below_bits));
  return std::abs(v) - std::abs(stored) < gap / 2;
}

bool is_infinity_word(std::string_view text) {
  return text.ends_with("inf");
}

/// `f16:0.5`, `i8:-3`, `i1:true`.
Result<Value> typed_number(DType dtype, std::string_view text) {
  std::optional<Argument> v = number(text);
  if (const std::optional<Argument> w = word(text); w && w->as<bool>() != nullptr) {
    v = Argument(static_cast<std::int64_t>(*w->as<bool>()));
  }
  if (!v) {
    return wrong(fmt::format("`{}` is no number", text));
  }
  if (is_float(dtype)) {
    const auto* i = v->as<std::int64_t>();
    const auto* u = v->as<std::uint64_t>();
    const double d = i != nullptr   ? static_cast<double>(*i)
                     : u != nullptr ? static_cast<double>(*u)
                                    : *v->as<double>();
    if (!fits_float(dtype, d) || (std::isinf(d) && !is_infinity_word(text))) {
      return wrong(fmt::format("`{}` does not fit {}", text, name(dtype)));
    }
    return Value{Argument::scalar(dtype, d)};
  }
  if (v->as<double>() != nullptr) {
    return wrong(
        fmt::format("`{}` is no whole number, but {} holds only those", text, name(dtype)));
  }
  const auto* i = v->as<std::int64_t>();
  const std::int64_t bits = i != nullptr ? *i : static_cast<std::int64_t>(*v->as<std::uint64_t>());
  const Argument scalar = Argument::scalar(dtype, bits);
  const std::int64_t stored = load_integer(dtype, &scalar.as<TypedScalar>()->bits);
  const bool is_huge = i == nullptr;
  const bool is_lost = dtype == DType::U64 ? !is_huge && bits < 0 : is_huge || stored != bits;
  if (is_lost) {
    return wrong(fmt::format("`{}` does not fit {}", text, name(dtype)));
  }
  return Value{scalar};
}

// ---- arrays ----

/// Reads `dtype[extents]`, the part after the colon of a fill.
Result<FillValue> fill_type(FillValue fill, std::string_view text) {
  const std::size_t bracket = text.find('[');
  const std::string_view type_name = text.substr(0, bracket);
  const std::optional<DType> dtype = dtype_named(type_name);
  if (!dtype) {
    return wrong(no_element_type(type_name));
  }
  if (bracket == std::string_view::npos || !text.ends_with(']')) {
    return wrong(
        fmt::format("`{}` lacks the shape: write {}[8] or {}[4,6]", text, type_name, type_name));
  }
  fill.dtype = *dtype;
  const std::string_view extents = text.substr(bracket + 1, text.size() - bracket - 2);
  if (!extents.empty()) {
    fill.extents = split_top_level(extents);
  }
  return fill;
}

/// The numbers in `full(2.5)`, `randint(0,9)`; nothing if there are others or another count.
std::optional<std::vector<Argument>> call_numbers(std::string_view inside, std::size_t count) {
  std::vector<Argument> numbers;
  for (const std::string& part : split_top_level(inside)) {
    const std::optional<Argument> v = number(part);
    if (!v) {
      return std::nullopt;
    }
    numbers.push_back(*v);
  }
  return numbers.size() == count ? std::optional(numbers) : std::nullopt;
}

using FillRow = std::pair<std::string_view, FillValue::Kind>;
constexpr std::array kPlainFills = {
    FillRow{"zeros", FillValue::Kind::Zeros}, FillRow{"ones", FillValue::Kind::Ones},
    FillRow{"empty", FillValue::Kind::Empty}, FillRow{"rand", FillValue::Kind::Rand},
    FillRow{"randn", FillValue::Kind::Randn}, FillRow{"arange", FillValue::Kind::Arange},
};

/// The head of a fill, `zeros` or `full(2.5)`; nothing if it is none.
Result<std::optional<FillValue>> fill_head(std::string_view head) {
  FillValue fill;
  for (const auto& [name, kind] : kPlainFills) {
    if (head == name) {
      fill.kind = kind;
      return std::optional(fill);
    }
  }
  const bool has_parts = head.ends_with(')');
  if (head.starts_with("full(") && has_parts) {
    if (!call_numbers(head.substr(5, head.size() - 6), 1)) {
      return wrong(fmt::format("`{}` takes one number, as in full(2.5):f32[8]", head));
    }
    fill.kind = FillValue::Kind::Full;
    return std::optional(fill);
  }
  if (head.starts_with("randint(") && has_parts) {
    const auto numbers = call_numbers(head.substr(8, head.size() - 9), 2);
    const auto* low = numbers ? (*numbers)[0].as<std::int64_t>() : nullptr;
    const auto* high = numbers ? (*numbers)[1].as<std::int64_t>() : nullptr;
    if (low == nullptr || high == nullptr || *low >= *high) {
      return wrong(fmt::format(
          "`{}` takes two whole numbers, the lowest and the one after the highest, as in "
          "randint(0,9):i32[8]",
          head));
    }
    fill.kind = FillValue::Kind::Randint;
    fill.low = *low;
    fill.high = *high;
    return std::optional(fill);
  }
  return std::optional<FillValue>();
}

/// The numbers of `full(…)` and `randint(…)` in the array's type, which must hold them.
Result<FillValue> in_type(FillValue fill, std::string_view head) {
  if (fill.kind == FillValue::Kind::Full) {
    const Result<Value> number = typed_number(fill.dtype, head.substr(5, head.size() - 6));
    if (!number) {
      return number.error();
    }
    fill.full = *std::get<Argument>(number->data).as<TypedScalar>();
  }
  if (fill.kind == FillValue::Kind::Randint) {
    for (const std::int64_t end : {fill.low, fill.high - 1}) {
      const Result<Value> number = typed_number(fill.dtype, std::to_string(end));
      if (!number) {
        return number.error();
      }
    }
  }
  return fill;
}

// ---- the whole ----

Result<Value> parse_nested(std::string_view text, int depth);

Result<Value> parse_tuple(std::string_view text, int depth) {
  TupleValue tuple;
  std::string_view inside = text.substr(1, text.size() - 2);
  std::vector<std::string> parts = split_top_level(inside);
  if (parts.size() > 1 && parts.back().empty()) {
    parts.pop_back();
  }
  if (parts.size() == 1 && parts.front().empty()) {
    parts.clear();
  }
  for (const std::string& part : parts) {
    Result<Value> element = parse_nested(part, depth + 1);
    if (!element) {
      return element;
    }
    tuple.elements.push_back(*std::move(element));
  }
  return Value{std::move(tuple)};
}

/// `head:rest`: a type before a file or number, or a fill.
Result<Value> parse_prefixed(std::string_view head, std::string_view rest) {
  if (const std::optional<DType> dtype = dtype_named(head)) {
    return rest.starts_with('@') ? Value{FileValue{std::string(rest.substr(1)), dtype}}
                                 : typed_number(*dtype, rest);
  }
  Result<std::optional<FillValue>> fill = fill_head(head);
  if (!fill) {
    return fill.error();
  }
  if (!*fill) {
    return wrong(
        fmt::format("`{}:` is neither a type nor one of zeros, ones, empty, full(v), rand, "
                    "randn, arange, randint(a,b)",
                    head));
  }
  Result<FillValue> whole = fill_type(**fill, rest);
  if (whole) {
    whole = in_type(*std::move(whole), head);
  }
  if (!whole) {
    return whole.error();
  }
  return Value{*std::move(whole)};
}

/// Why a text is no value, and what to write.
std::string no_value(std::string_view text) {
  if (text.ends_with(".npy")) {
    return fmt::format("`{}` is no value; write @{} for the array in that file", text, text);
  }
  if (text.starts_with('*')) {
    return fmt::format(
        "`{}` is no value; a type stands for an array only where nothing runs: give "
        "lint, emit, explain and build a pointer as *f32 or *f32:16, and others an "
        "array, such as zeros:f32[8]",
        text);
  }
  if (text.ends_with('*') && dtype_named(text.substr(0, text.size() - 1))) {
    return fmt::format("`{}` is no value; a pointer type is written *{}", text,
                       text.substr(0, text.size() - 1));
  }
  if (const std::size_t bracket = text.find('[');
      bracket != std::string_view::npos && text.ends_with(']')) {
    return fmt::format("`{}` is no value; an array needs its element type: {}:f32{}", text,
                       dtype_named(text.substr(0, bracket)) ? "zeros" : text.substr(0, bracket),
                       text.substr(bracket));
  }
  return fmt::format("`{}` is no value; a string needs quotes: '\"{}\"'", text, text);
}

/// `x`, `x+4`, `like(x)`, `tl.float16`.
Result<Value> parse_name(std::string_view text) {
  if (text.starts_with("like(") && text.ends_with(')')) {
    const std::string_view array = text.substr(5, text.size() - 6);
    return is_name(array) ? Result<Value>(Value{LikeValue{std::string(array)}})
                          : wrong(fmt::format("`{}` names no argument", text));
  }
  if (const std::optional<DType> dtype = dtype_named(text)) {
    return Value{Argument(*dtype)};
  }
  const std::size_t sign = text.find_first_of("+-");
  const std::string_view array = text.substr(0, sign);
  if (!is_name(array)) {
    return wrong(no_value(text));
  }
  NameValue value{std::string(array), 0, sign != std::string_view::npos};
  if (value.has_offset) {
    const std::optional<Argument> offset = integer(text.substr(sign));
    if (!offset || offset->as<std::int64_t>() == nullptr) {
      return wrong(fmt::format("`{}` is no offset in `{}`", text.substr(sign), text));
    }
    value.offset = *offset->as<std::int64_t>();
  }
  return Value{std::move(value)};
}

Result<Value> parse_nested(std::string_view text, int depth) {
  if (depth > kMaxDepth) {
    return wrong("the tuple is nested too deeply");
  }
  if (text.empty()) {
    return wrong("the value is missing");
  }
  if (text.front() == '@') {
    return text.size() > 1 ? Result<Value>(Value{FileValue{std::string(text.substr(1)), {}}})
                           : wrong("`@` needs the name of a file");
  }
  if (text.front() == '"' || text.front() == '\'') {
    const bool is_closed = text.size() > 1 && text.back() == text.front();
    return is_closed ? Result<Value>(Value{Argument(std::string(text.substr(1, text.size() - 2)))})
                     : wrong(fmt::format("the string {} is not closed", text));
  }
  if (text.front() == '(' && text.back() == ')') {
    return parse_tuple(text, depth);
  }
  std::optional<Argument> constant = number(text);
  constant = constant ? constant : word(text);
  if (constant) {
    return Value{*std::move(constant)};
  }
  const bool starts_number =
      std::isdigit(static_cast<unsigned char>(text.front())) != 0 || text.front() == '-';
  if (starts_number) {
    return wrong(fmt::format("`{}` is no number of at most 64 bits", text));
  }
  if (text.front() == '*') {
    return wrong(no_value(text));
  }
  const std::size_t colon = text.find(':');
  return colon == std::string_view::npos
             ? parse_name(text)
             : parse_prefixed(text.substr(0, colon), text.substr(colon + 1));
}

}  // namespace

std::string no_element_type(std::string_view text) {
  constexpr std::array<std::string_view, 18> kNames = {
      "i1",  "i8",   "i16", "i32", "i64",    "u8",   "u16",     "u32",    "u64",
      "f16", "bf16", "f32", "f64", "f8e4nv", "f8e5", "f8e4b15", "f8e4b8", "f8e5b16"};
  const auto close =
      std::ranges::find_if(kNames, [&](std::string_view name) { return is_one_slip(text, name); });
  return fmt::format("`{}` is no element type; there are {}{}", text, fmt::join(kNames, " "),
                     close == kNames.end() ? "" : fmt::format("; did you mean `{}`?", *close));
}

Result<Value> parse_value(std::string_view text) {
  return parse_nested(text, 0);
}

}  // namespace tilery::tools
