// The functions of Python's `math`, and small helpers of Triton's host side, on compile-time
// values.
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilery::sema {
namespace {

struct MathFunction {
  std::string_view name;
  double (*fn)(double);
};

constexpr auto kMathFunctions = std::to_array<MathFunction>({
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"exp2", [](double x) { return std::exp2(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"fabs", [](double x) { return std::fabs(x); }},
});

std::optional<double> math_argument(Sema& sema, const ArgumentReader& reader, const Value& value,
                                    SourceRange range) {
  if (const auto* number = value.as<double>()) {
    return *number;
  }
  if (const auto* integer = value.as<BigInt>()) {
    return static_cast<double>(*integer);
  }
  if (const auto* flag = value.as<bool>()) {
    return *flag ? 1.0 : 0.0;
  }
  sema.report(DiagId::ArgumentNotConstexpr, range, "x", reader.function_name(), "a number",
              describe(value))
      .helped(fmt::format("at run time use the functions of `tl`, such as `tl.{}`",
                          reader.function_name().substr(5)));
  return {};
}

MaybeValue math_result(Sema& sema, const ArgumentReader& reader, double argument, double result,
                       SourceRange call) {
  const bool is_domain_error = (std::isnan(result) && !std::isnan(argument)) ||
                               (std::isinf(result) && std::isfinite(argument));
  if (is_domain_error) {
    sema.report(DiagId::PythonMath, call, reader.function_name(), python_str(Value{argument}),
                std::isnan(result) ? "the argument is outside the function's domain"
                                   : "the result is not finite")
        .helped("test the argument first: `f(x) if x > 0 else …` computes one side only");
    return {};
  }
  return Value{result};
}

}  // namespace

namespace builtins {

MaybeValue next_power_of_2(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto n = reader.integer(0);
  if (!n) {
    return {};
  }
  BigInt power = *n <= 0 ? 0 : 1;
  while (power < *n) {
    power *= 2;
  }
  return Value{power};
}

MaybeValue python_math(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto x = math_argument(sema, reader, reader.value(0), reader.range(0));
  if (!x) {
    return {};
  }
  const std::string_view name = arguments.callee->name;
  if (name == "pow") {
    const auto y = math_argument(sema, reader, reader.value(1), reader.range(1));
    return y ? math_result(sema, reader, *x, std::pow(*x, *y), arguments.call) : std::nullopt;
  }
  if (name == "log" && !arguments.variadic.empty()) {
    const auto base =
        math_argument(sema, reader, arguments.variadic[0], arguments.variadic_ranges[0]);
    return base ? math_result(sema, reader, *x, std::log(*x) / std::log(*base), arguments.call)
                : std::nullopt;
  }
  const auto* function = std::ranges::find(kMathFunctions, name, &MathFunction::name);
  return math_result(sema, reader, *x, function->fn(*x), arguments.call);
}

MaybeValue python_math_rounding(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  if (reader.value(0).is<BigInt>()) {
    return reader.value(0);
  }
  const auto x = math_argument(sema, reader, reader.value(0), reader.range(0));
  if (!x) {
    return {};
  }
  if (!(std::fabs(*x) < 0x1p100)) {
    sema.report(DiagId::PythonMath, arguments.call, reader.function_name(),
                python_str(reader.value(0)), "it is no integer of less than 100 bits")
        .helped("give a finite number below 2^100");
    return {};
  }
  const std::string_view name = arguments.callee->name;
  const double rounded = name == "floor"  ? std::floor(*x)
                         : name == "ceil" ? std::ceil(*x)
                                          : std::trunc(*x);
  return Value{static_cast<BigInt>(rounded)};
}

}  // namespace builtins
}  // namespace tilery::sema
