// Python's own functions, as far as kernels see them, and ranges.
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tilery::sema {
namespace {

MaybeValue number_of_type(Sema& sema, const ArgumentReader& reader, std::string_view name) {
  Diagnostic& diagnostic =
      sema.report(DiagId::ArgumentNotConstexpr, reader.range(0), reader.parameter_name(0), name,
                  "a value", describe(reader.value(0)));
  diagnostic.helped(name == "int" ? "at run time convert with `x.to(tl.int32)`"
                                  : "at run time convert with `x.to(tl.float32)`");
  return {};
}

std::string lower_trimmed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '_' && c != '\t' && c != '\n') {
      result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return result;
}

/// A float as Python's `float(text)` reads it; nothing if it is none.
std::optional<double> float_text(std::string_view text) {
  std::string lower = lower_trimmed(text);
  const bool is_negative = lower.starts_with('-');
  if (is_negative || lower.starts_with('+')) {
    lower.erase(0, 1);
  }
  double value = 0;
  if (lower == "inf" || lower == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (lower == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const char* end = lower.data() + lower.size();
    const auto [stop, error] = std::from_chars(lower.data(), end, value);
    if (stop != end || lower.empty() || lower[0] == '-') {
      return {};
    }
    if (error == std::errc::result_out_of_range) {
      // Python gives inf or 0 here; strtod agrees.
      value = std::strtod(lower.c_str(), nullptr);
    } else if (error != std::errc()) {
      return {};
    }
  }
  return is_negative ? -value : value;
}

bool is_class(const Value& cls, std::string_view name) {
  if (const auto* builtin = cls.as<BuiltinRef>()) {
    return builtin->builtin->name == name;
  }
  const auto* entry = cls.as<EnumValue>();
  return entry != nullptr && entry->name == name;
}

/// One class of `isinstance`.
bool is_instance(const Value& value, const Value& cls) {
  if (const auto* host = cls.as<ClassRef>()) {
    const auto* tuple = value.as<TupleValue>();
    return tuple != nullptr && tuple->type_name == host->type.name;
  }
  if (is_class(cls, "tensor")) {
    return value.is<Tensor>();
  }
  if (is_class(cls, "constexpr")) {
    return value.is_compile_time() && !value.is<TupleValue>();
  }
  if (is_class(cls, "dtype") || is_class(cls, "pointer_type")) {
    const auto* type = value.as<TypeObject>();
    return type != nullptr && (is_class(cls, "dtype") || type->type.is_pointer());
  }
  if (is_class(cls, "tuple") || is_class(cls, "list")) {
    return value.is<TupleValue>();
  }
  if (is_class(cls, "int")) {
    return value.is<BigInt>() || value.is<bool>();
  }
  return is_class(cls, "float") && value.is<double>();
}

bool is_plain_class(const Value& cls) {
  constexpr std::array<std::string_view, 8> kClasses{"tensor", "constexpr", "dtype", "pointer_type",
                                                     "tuple",  "list",      "int",   "float"};
  return cls.is<ClassRef>() ||
         std::ranges::any_of(kClasses, [&](std::string_view name) { return is_class(cls, name); });
}

/// Python's choice among compile-time numbers.
MaybeValue folded_extremum(Sema& sema, bool is_max, const BoundArguments& arguments) {
  Value best = arguments.variadic[0];
  for (std::size_t i = 0; i < arguments.variadic.size(); ++i) {
    const Value& value = arguments.variadic[i];
    const auto* number = value.as<double>();
    const bool is_odd =
        number != nullptr && (std::isnan(*number) || (*number == 0.0 && std::signbit(*number)));
    if (is_odd || !value.is_number()) {
      sema.report(DiagId::MinMaxArgument, arguments.variadic_ranges[i], is_max ? "max" : "min",
                  describe(value))
          .helped(value.is_number()
                      ? fmt::format("use `tl.{}`, which says what it does with NaN and zeros",
                                    is_max ? "maximum" : "minimum")
                      : "give numbers only");
      return {};
    }
    const MaybeValue is_better =
        fold_compare(sema, is_max ? ast::CompareOp::Gt : ast::CompareOp::Lt, value, best,
                     {arguments.call, arguments.variadic_ranges[i], arguments.variadic_ranges[0]});
    if (!is_better) {
      return {};
    }
    best = truth(*is_better) ? value : best;
  }
  return best;
}

MaybeValue run_time_extremum(Sema& sema, bool is_max, const BoundArguments& arguments) {
  Value result = arguments.variadic[0];
  for (std::size_t i = 1; i < arguments.variadic.size(); ++i) {
    const BinaryRanges ranges{arguments.call, arguments.variadic_ranges[i - 1],
                              arguments.variadic_ranges[i]};
    const MaybeValue next =
        extremum_of_two(sema, is_max, result, arguments.variadic[i], false, ranges);
    if (!next) {
      return {};
    }
    result = *next;
  }
  if (!result.as<Tensor>()->type.is_scalar()) {
    sema.report(DiagId::MinMaxOnBlocks, arguments.call, is_max ? "max" : "min")
        .helped(is_max ? "write `tl.maximum(x, y)`" : "write `tl.minimum(x, y)`");
  }
  return result;
}

std::shared_ptr<const Value> shared(Value value) {
  return std::make_shared<const Value>(std::move(value));
}

/// start, stop and step of arguments 0 to 2 as Python's range reads them.
RangeValue range_bounds(const ArgumentReader& reader) {
  RangeValue range;
  const bool has_start = !reader.is_none(1);
  range.start = shared(has_start ? reader.value(0) : Value{BigInt{0}});
  range.stop = shared(has_start ? reader.value(1) : reader.value(0));
  range.step = shared(reader.is_none(2) ? Value{BigInt{1}} : reader.value(2));
  range.start_range = has_start ? reader.range(0) : SourceRange();
  range.stop_range = reader.range(has_start ? 1 : 0);
  range.step_range = reader.is_none(2) ? SourceRange() : reader.range(2);
  return range;
}

/// A hint of tl.range: a small compile-time integer, 0 for None.
std::optional<std::int64_t> loop_hint(Sema& sema, const ArgumentReader& reader, int i) {
  constexpr BigInt kLargest = 1 << 20;
  if (reader.is_none(i)) {
    return 0;
  }
  const auto value = reader.integer(i);
  if (!value) {
    return {};
  }
  if (*value < 0 || *value > kLargest) {
    sema.report(DiagId::ArgumentValue, reader.range(i), reader.parameter_name(i),
                reader.function_name(), to_string(*value), "it must be between 0 and 2^20")
        .helped("leave the hint out");
    return {};
  }
  return static_cast<std::int64_t>(*value);
}

}  // namespace

namespace builtins {

MaybeValue python_len(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  if (const auto* tuple = reader.value(0).as<TupleValue>()) {
    return Value{static_cast<BigInt>(tuple->elements.size())};
  }
  if (const auto* text = reader.value(0).as<std::string>()) {
    const auto count = std::ranges::count_if(
        *text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    return Value{static_cast<BigInt>(count)};
  }
  Diagnostic& diagnostic = sema.report(DiagId::ArgumentType, reader.range(0), "obj", "len",
                                       "a tuple or a string", describe(reader.value(0)));
  if (reader.value(0).is<Tensor>()) {
    diagnostic.helped("write `x.shape[0]`");
  }
  return {};
}

MaybeValue python_min_max(Sema& sema, const BoundArguments& arguments) {
  const bool is_max = arguments.callee->name == "max";
  if (arguments.variadic.size() < 2) {
    sema.report(DiagId::MissingArgument, arguments.call, arguments.callee->name, "second")
        .helped(is_max ? "to reduce a block use `tl.max(x)`" : "to reduce a block use `tl.min(x)`");
    return {};
  }
  const bool is_folded =
      std::ranges::none_of(arguments.variadic, [](const Value& v) { return v.is<Tensor>(); });
  return is_folded ? folded_extremum(sema, is_max, arguments)
                   : run_time_extremum(sema, is_max, arguments);
}

MaybeValue python_int(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const Value& value = reader.value(0);
  if (value.is<BigInt>()) {
    return value;
  }
  if (const auto* flag = value.as<bool>()) {
    return Value{BigInt{*flag ? 1 : 0}};
  }
  if (const auto* number = value.as<double>()) {
    if (std::fabs(*number) < 0x1p100) {
      return Value{static_cast<BigInt>(std::trunc(*number))};
    }
    sema.report(DiagId::PythonMath, arguments.call, "int", python_str(value),
                "it is no integer of less than 100 bits")
        .helped("give a finite number below 2^100");
    return {};
  }
  if (const auto* text = value.as<std::string>()) {
    const std::string digits = lower_trimmed(*text);
    std::int64_t integer = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, integer);
    if (stop == end && error == std::errc()) {
      return Value{BigInt{integer}};
    }
    sema.report(DiagId::PythonMath, arguments.call, "int", python_repr(value),
                "the text is no integer")
        .helped("such as `int(\"12\")`: digits, with a sign if wanted");
    return {};
  }
  return number_of_type(sema, reader, "int");
}

MaybeValue python_float(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const Value& value = reader.value(0);
  if (const auto* text = value.as<std::string>()) {
    const auto number = float_text(*text);
    if (!number) {
      sema.report(DiagId::PythonMath, arguments.call, "float", python_repr(value),
                  "the text is no number")
          .helped("such as `float(\"1e-5\")`, `float(\"inf\")` or `float(\"nan\")`");
      return {};
    }
    return Value{*number};
  }
  if (const auto* integer = value.as<BigInt>()) {
    return Value{static_cast<double>(*integer)};
  }
  if (const auto* flag = value.as<bool>()) {
    return Value{*flag ? 1.0 : 0.0};
  }
  return value.is<double>() ? MaybeValue(value) : number_of_type(sema, reader, "float");
}

MaybeValue python_list(Sema& /*sema*/, const BoundArguments& arguments) {
  if (const auto* tuple = arguments.values[0].as<TupleValue>()) {
    return Value{TupleValue{tuple->elements, {}, {}}};
  }
  return arguments.values[0];
}

MaybeValue python_isinstance(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  std::vector<Value> classes{reader.value(1)};
  if (const auto* tuple = reader.value(1).as<TupleValue>()) {
    classes = tuple->elements;
  }
  for (const Value& cls : classes) {
    if (!is_plain_class(cls)) {
      reader.report_type(1, "a class such as `tl.tensor`, `tl.constexpr`, `int` or `float`");
      return {};
    }
  }
  return Value{std::ranges::any_of(
      classes, [&](const Value& cls) { return is_instance(reader.value(0), cls); })};
}

MaybeValue python_getattr(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto name = reader.text(1);
  if (!name) {
    return {};
  }
  if (!arguments.variadic.empty() && !has_attribute(reader.value(0), *name)) {
    return arguments.variadic[0];
  }
  return attribute(sema, reader.value(0), *name, arguments.call, reader.range(1));
}

MaybeValue python_hasattr(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto name = reader.text(1);
  return name ? MaybeValue(Value{has_attribute(reader.value(0), *name)}) : std::nullopt;
}

MaybeValue python_range(Sema& sema, const BoundArguments& arguments) {
  return Value{range_bounds(ArgumentReader(sema, arguments))};
}

MaybeValue static_range(Sema& sema, const BoundArguments& arguments) {
  RangeValue range = range_bounds(ArgumentReader(sema, arguments));
  range.is_static = true;
  return Value{std::move(range)};
}

MaybeValue language_range(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  RangeValue range = range_bounds(reader);
  const auto stages = loop_hint(sema, reader, 3);
  const auto unroll = loop_hint(sema, reader, 4);
  const auto flatten = reader.flag(6);
  const auto specialize = reader.flag(7);
  const auto disable_licm = reader.flag(8);
  if (!stages || !unroll || !reader.flag(5) || !flatten || !specialize || !disable_licm) {
    return {};
  }
  range.stages = *stages;
  range.unroll = *unroll;
  range.flatten = *flatten;
  range.warp_specialize = *specialize;
  range.disable_licm = *disable_licm;
  return Value{std::move(range)};
}

}  // namespace builtins
}  // namespace tilery::sema
