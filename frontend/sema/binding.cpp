// Calls of builtins: arguments to parameters by position and keyword, as Python does it.
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"
#include "ir/support/check.h"
#include "ir/support/plural.h"

#include <charconv>

namespace tilery::sema {
namespace {

/// The value of a default as the table writes it.
Value default_value(std::string_view text) {
  if (text == "None") {
    return {NoneValue()};
  }
  if (text == "True" || text == "False") {
    return {text == "True"};
  }
  if (text == "()") {
    return {TupleValue()};
  }
  if (text == "\"\\n\"") {
    return {std::string("\n")};
  }
  if (text.starts_with('"')) {
    return {std::string(text.substr(1, text.size() - 2))};
  }
  if (text == "0.0") {
    return {0.0};
  }
  if (text.starts_with("PropagateNan.")) {
    return {EnumValue{std::string(text)}};
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  TILERY_CHECK(error == std::errc() && end == text.data() + text.size(),
               "a default in builtins.def that binding.cpp does not know");
  return {BigInt{number}};
}

/// Fills the parameters of one call.
class Binder {
 public:
  Binder(Sema& sema, const Builtin& builtin, SourceRange range) : sema_(sema), builtin_(builtin) {
    bound_.call = range;
    bound_.callee = &builtin;
    bound_.values.resize(builtin.parameters.size());
    bound_.ranges.resize(builtin.parameters.size());
    bound_.elements.resize(builtin.parameters.size());
    given_.resize(builtin.parameters.size());
  }

  bool bind(const BuiltinRef& callee, std::span<const CallArgument> arguments) {
    const std::size_t count = arguments.size() + (callee.self != nullptr ? 1 : 0);
    if (callee.self != nullptr && !add_positional({{}, *callee.self, callee.self_range}, count)) {
      return false;
    }
    for (const CallArgument& argument : arguments) {
      const bool fits =
          argument.keyword.empty() ? add_positional(argument, count) : add_keyword(argument);
      if (!fits) {
        return false;
      }
    }
    return fill_defaults();
  }

  [[nodiscard]] const BoundArguments& bound() const { return bound_; }

 private:
  bool add_positional(const CallArgument& argument, std::size_t count) {
    if (next_ == builtin_.parameters.size()) {
      return report_too_many(argument.range, count);
    }
    if (builtin_.parameters[next_].is_variadic) {
      add_variadic(argument);
      return true;
    }
    set(next_++, argument);
    return true;
  }

  void add_variadic(const CallArgument& argument) {
    if (bound_.variadic.empty()) {
      bound_.variadic_elements = argument.elements;
    }
    bound_.variadic.push_back(argument.value);
    bound_.variadic_ranges.push_back(argument.range);
  }

  bool add_keyword(const CallArgument& argument) {
    for (std::size_t i = 0; i < builtin_.parameters.size(); ++i) {
      const BuiltinParameter& parameter = builtin_.parameters[i];
      if (parameter.name != argument.keyword) {
        continue;
      }
      if (given_[i]) {
        sema_
            .report(DiagId::DuplicateArgument, argument.keyword_range, display_name(builtin_),
                    argument.keyword)
            .helped(signature_help());
        return false;
      }
      if (parameter.is_variadic) {
        add_variadic(argument);
      }
      set(i, argument);
      return true;
    }
    return report_unexpected(argument);
  }

  void set(std::size_t i, const CallArgument& argument) {
    bound_.values[i] = argument.value;
    bound_.ranges[i] = argument.range;
    bound_.elements[i] = argument.elements;
    given_[i] = true;
  }

  bool fill_defaults() {
    std::string missing;
    for (std::size_t i = 0; i < builtin_.parameters.size(); ++i) {
      const BuiltinParameter& parameter = builtin_.parameters[i];
      if (given_[i] || parameter.is_variadic) {
        continue;
      }
      if (!parameter.default_text) {
        missing += fmt::format("{}{}", missing.empty() ? "" : "`, `", parameter.name);
        continue;
      }
      bound_.values[i] = default_value(*parameter.default_text);
    }
    if (missing.empty()) {
      return true;
    }
    sema_.report(DiagId::MissingArgument, bound_.call, display_name(builtin_), missing)
        .helped(signature_help());
    return false;
  }

  [[nodiscard]] std::string signature_help() const {
    return fmt::format("it is called as `{}{}`", display_name(builtin_), builtin_.signature);
  }

  bool report_too_many(SourceRange range, std::size_t given) {
    const auto most = static_cast<std::int64_t>(builtin_.parameters.size());
    sema_
        .report(DiagId::TooManyArguments, range.is_valid() ? range : bound_.call,
                display_name(builtin_),
                fmt::format("{}{}", has_defaults() ? "at most " : "",
                            plural(most, "positional argument")),
                fmt::format("{} {}", given, given == 1 ? "was" : "were"))
        .helped(signature_help());
    return false;
  }

  bool report_unexpected(const CallArgument& argument) {
    std::vector<std::string_view> names;
    for (const BuiltinParameter& parameter : builtin_.parameters) {
      names.push_back(parameter.name);
    }
    const std::string closest = closest_name(argument.keyword, names);
    sema_
        .report(DiagId::UnexpectedArgument, argument.keyword_range, display_name(builtin_),
                argument.keyword)
        .helped(closest.empty() ? signature_help() : fmt::format("did you mean `{}`?", closest));
    return false;
  }

  [[nodiscard]] bool has_defaults() const {
    for (const BuiltinParameter& parameter : builtin_.parameters) {
      if (parameter.default_text) {
        return true;
      }
    }
    return false;
  }

  Sema& sema_;
  const Builtin& builtin_;
  BoundArguments bound_;
  std::vector<bool> given_;
  std::size_t next_ = 0;
};

/// None stands for an argument that is not given. Where a helper without `return` gave it, the call
/// works without what was meant, such as its mask.
void warn_of_nothing_given(Sema& sema, const BoundArguments& bound) {
  if (!bound.callee->module.starts_with("triton")) {
    return;
  }
  for (std::size_t i = 0; i < bound.values.size(); ++i) {
    const auto* none = bound.values[i].as<NoneValue>();
    if (none != nullptr && !none->function.empty()) {
      explain_nothing(sema.report(DiagId::NothingGiven, bound.ranges[i],
                                  bound.callee->parameters[i].name, display_name(*bound.callee)),
                      bound.values[i]);
    }
  }
}

}  // namespace

MaybeValue call_builtin(Sema& sema, const BuiltinRef& callee,
                        std::span<const CallArgument> arguments, SourceRange range) {
  const Builtin& builtin = *callee.builtin;
  if (builtin.fn == nullptr) {
    sema.report(DiagId::NotSupportedYet, range, display_name(builtin))
        .helped(builtin.instead.empty()
                    ? std::string("nothing replaces it yet; `tilery ops` lists what there is")
                    : std::string(builtin.instead));
    return {};
  }
  Binder binder(sema, builtin, range);
  if (!binder.bind(callee, arguments)) {
    return {};
  }
  sema.set_range(range);
  MaybeValue result = builtin.fn(sema, binder.bound());
  if (result) {
    warn_of_nothing_given(sema, binder.bound());
  }
  return result;
}

}  // namespace tilery::sema
