// Calls of functions of the unit: arguments to parameters, then the body in place of the call.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/specializer.h"
#include "frontend/sema/tensor_ops.h"
#include "ir/support/plural.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery::sema {
namespace {

constexpr int kMaxCallDepth = 100;

/// What a call enters: a def or a lambda.
struct Callee {
  const ast::FunctionDef* def = nullptr;
  const ast::Lambda* lambda = nullptr;

  [[nodiscard]] std::span<const ast::Parameter> parameters() const {
    return def != nullptr ? def->parameters : lambda->parameters;
  }

  [[nodiscard]] std::string_view name() const {
    return def != nullptr ? std::string_view(def->name) : "lambda";
  }
};

Callee callee_of(const FunctionRef& function) {
  const ast::Module& module = function.unit->module;
  if (function.lambda) {
    return {nullptr, module.as<ast::Lambda>(function.lambda)};
  }
  return {module.as<ast::FunctionDef>(function.def), nullptr};
}

/// "it is called as `f(x, n=…)`".
std::string signature_help(std::string_view name, std::span<const ast::Parameter> parameters) {
  std::string text;
  bool is_keyword_only = false;
  bool has_positional_only = false;
  for (const ast::Parameter& parameter : parameters) {
    using Kind = ast::Parameter::Kind;
    if (parameter.kind == Kind::KeywordOnly && !is_keyword_only) {
      text += text.empty() ? "*" : ", *";
    }
    if (parameter.kind != Kind::PositionalOnly && has_positional_only) {
      text += ", /";
    }
    has_positional_only = parameter.kind == Kind::PositionalOnly;
    is_keyword_only = parameter.kind == Kind::KeywordOnly || parameter.kind == Kind::Star;
    text +=
        fmt::format("{}{}{}{}", text.empty() ? "" : ", ", parameter.kind == Kind::Star ? "*" : "",
                    parameter.name, parameter.default_value ? "=…" : "");
  }
  text += has_positional_only ? ", /" : "";
  return fmt::format("it is called as `{}({})`", name, text);
}

/// Puts arguments into parameters as Python does.
class ArgumentBinder {
 public:
  ArgumentBinder(Sema& sema, std::span<const ast::Parameter> parameters, std::string_view name,
                 SourceRange range)
      : sema_(sema),
        parameters_(parameters),
        name_(name),
        range_(range),
        values_(parameters.size()) {}

  bool bind(std::span<const CallArgument> arguments) {
    positional_count_ = std::ranges::count_if(
        arguments, [](const CallArgument& argument) { return argument.keyword.empty(); });
    for (const CallArgument& argument : arguments) {
      const bool fits = argument.keyword.empty() ? add_positional(argument) : add_keyword(argument);
      if (!fits) {
        return false;
      }
    }
    // `*args` takes what is left, also nothing.
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].kind == ast::Parameter::Kind::Star) {
        values_[i] = Value{TupleValue{rest_, {}, {}}};
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<std::optional<Value>>& values() { return values_; }

 private:
  bool add_positional(const CallArgument& argument) {
    using Kind = ast::Parameter::Kind;
    const auto is_positional = [](const ast::Parameter& p) {
      return p.kind == Kind::Normal || p.kind == Kind::PositionalOnly;
    };
    const bool has_place = next_ < parameters_.size() && is_positional(parameters_[next_]);
    if (has_place) {
      values_[next_++] = argument.value;
      return true;
    }
    const bool takes_rest = std::ranges::any_of(
        parameters_, [](const ast::Parameter& p) { return p.kind == Kind::Star; });
    if (takes_rest) {
      rest_.push_back(argument.value);
      return true;
    }
    const auto count = static_cast<std::size_t>(std::ranges::count_if(parameters_, is_positional));
    sema_
        .report(DiagId::TooManyArguments, argument.range, name_,
                plural(count, "positional argument"), fmt::format("{} were", positional_count_))
        .helped(signature_help(name_, parameters_));
    return false;
  }

  bool add_keyword(const CallArgument& argument) {
    const auto found = std::ranges::find(parameters_, argument.keyword, &ast::Parameter::name);
    const bool is_known =
        found != parameters_.end() && (found->kind == ast::Parameter::Kind::Normal ||
                                       found->kind == ast::Parameter::Kind::KeywordOnly);
    if (!is_known) {
      Diagnostic& diagnostic =
          sema_.report(DiagId::UnexpectedArgument, argument.keyword_range, name_, argument.keyword);
      std::vector<std::string_view> names;
      for (const ast::Parameter& parameter : parameters_) {
        if (parameter.kind != ast::Parameter::Kind::PositionalOnly) {
          names.emplace_back(parameter.name);
        }
      }
      const std::string close = closest_name(argument.keyword, names);
      diagnostic.helped(close.empty() ? signature_help(name_, parameters_)
                                      : fmt::format("did you mean `{}`?", close));
      return false;
    }
    std::optional<Value>& value = values_[static_cast<std::size_t>(found - parameters_.begin())];
    if (value) {
      sema_.report(DiagId::DuplicateArgument, argument.keyword_range, name_, argument.keyword)
          .helped(signature_help(name_, parameters_));
      return false;
    }
    value = argument.value;
    return true;
  }

  Sema& sema_;
  std::span<const ast::Parameter> parameters_;
  std::string_view name_;
  SourceRange range_;
  std::vector<std::optional<Value>> values_;
  std::vector<Value> rest_;
  std::size_t next_ = 0;
  std::ptrdiff_t positional_count_ = 0;
};

}  // namespace

MaybeValue Specializer::call(const Value& callee, std::span<const CallArgument> arguments,
                             SourceRange range) {
  if (const auto* function = callee.as<FunctionRef>()) {
    return call_function(*function, arguments, range);
  }
  if (const auto* builtin = callee.as<BuiltinRef>()) {
    set_range(range);
    return call_builtin(*this, *builtin, arguments, range);
  }
  if (const auto* cls = callee.as<ClassRef>()) {
    return construct(*cls, arguments, range);
  }
  Diagnostic& diagnostic = report(DiagId::NotCallable, range, describe(callee));
  if (callee.is<Tensor>() || callee.is_number()) {
    diagnostic.helped("a `*` may be missing before the parenthesis");
  } else if (callee.is<ModuleRef>()) {
    diagnostic.helped("name the function: `module.function(…)`");
  } else if (callee.is<TypeObject>()) {
    diagnostic.helped(
        "`x.to(tl.float32)` converts to a type; `tl.full((), 0, tl.float32)` makes a scalar of "
        "one");
  }
  explain_nothing(diagnostic, callee);
  return {};
}

std::optional<std::vector<Value>> Specializer::bind(const FunctionRef& callee,
                                                    std::span<const ast::Parameter> parameters,
                                                    std::string_view name,
                                                    std::span<const CallArgument> arguments,
                                                    SourceRange range) {
  const auto keywords =
      std::ranges::find(parameters, ast::Parameter::Kind::StarStar, &ast::Parameter::kind);
  if (keywords != parameters.end()) {
    report(DiagId::UnsupportedExpression, keywords->range, "a parameter with `**`")
        .helped("write the keyword parameters out");
    return {};
  }
  ArgumentBinder binder(*this, parameters, name, range);
  if (!binder.bind(arguments)) {
    return {};
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::optional<Value>& value = binder.values()[i];
    if (!value && parameters[i].default_value) {
      value = default_of(callee, parameters[i]);
      if (!value) {
        return {};
      }
    }
    if (!value) {
      report(DiagId::MissingArgument, range, name, parameters[i].name)
          .note(fmt::format("`{}` is declared here", parameters[i].name), parameters[i].range)
          .helped(signature_help(name, parameters));
      return {};
    }
    values.push_back(std::move(*value));
  }
  return values;
}

MaybeValue Specializer::default_of(const FunctionRef& callee, const ast::Parameter& parameter) {
  if (callee.captured == nullptr) {
    return evaluate_at_module_level(*callee.unit, parameter.default_value);
  }
  Frame surroundings;
  surroundings.unit = callee.unit;
  surroundings.name = frame_->name;
  surroundings.caller = frame_;
  surroundings.call_loc = frame_->call_loc;
  surroundings.state.scope = *callee.captured;
  frame_ = &surroundings;
  MaybeValue value = evaluate(parameter.default_value);
  frame_ = surroundings.caller;
  return value;
}

bool Specializer::check_parameters(const FunctionRef& callee, std::string_view name,
                                   std::span<const ast::Parameter> parameters,
                                   const std::vector<Value>& values, SourceRange range) {
  const auto* def = callee.unit->module.as<ast::FunctionDef>(callee.def);
  const bool is_compile_time = !callee.lambda && def != nullptr &&
                               has_decorator(callee.unit->module, *def, "constexpr_function");
  bool fits = true;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (is_compile_time && !values[i].is_compile_time()) {
      report(DiagId::RunTimeArgument, range, name, parameters[i].name, describe(values[i]))
          .note(fmt::format("`{}` is a constexpr function", name), def->name_range)
          .helped("make it a jit function, or pass compile-time values");
      fits = false;
    } else if (values[i].is<Tensor>() &&
               is_constexpr_annotation(*callee.unit, parameters[i].annotation)) {
      report(DiagId::ConstexprParameter, range, parameters[i].name, name, describe(values[i]))
          .note(fmt::format("`{}` is declared here", parameters[i].name), parameters[i].range)
          .helped("leave out the annotation there, or pass a compile-time value");
      fits = false;
    }
  }
  return fits;
}

MaybeValue Specializer::call_function(const FunctionRef& function,
                                      std::span<const CallArgument> arguments, SourceRange range) {
  const Callee callee = callee_of(function);
  if (call_depth_ >= kMaxCallDepth) {
    report(DiagId::EndlessRecursion, range, callee.name(), kMaxCallDepth)
        .helped("end the recursion with an `if` on a compile-time value, or use a loop");
    is_stopped_ = true;
    return {};
  }
  const auto parameters = callee.parameters();
  std::optional<std::vector<Value>> values =
      bind(function, parameters, callee.name(), arguments, range);
  if (!values || !check_parameters(function, callee.name(), parameters, *values, range)) {
    return {};
  }
  Frame frame;
  frame.unit = function.unit;
  frame.name = callee.name();
  frame.definition = callee.def != nullptr ? callee.def->name_range : range;
  frame.caller = frame_;
  frame.call_range = range;
  frame.call_loc = location(range);
  frame.run_time_depth = frame_->run_time_depth;
  frame.is_compile_time = frame_->is_compile_time ||
                          (callee.def != nullptr &&
                           has_decorator(function.unit->module, *callee.def, "constexpr_function"));
  if (function.captured != nullptr) {
    frame.state.scope = *function.captured;
  }
  frame_ = &frame;
  ++call_depth_;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    define_parameter(parameters[i], std::move((*values)[i]));
  }
  if (callee.def != nullptr) {
    execute_block(callee.def->body, true);
  } else {
    leave(evaluate(callee.lambda->body), range);
  }
  --call_depth_;
  frame_ = frame.caller;
  set_range(range);
  const Exits& exits = frame.state.exits;
  if (is_stopped_ || exits.is_return_poisoned || !exits.return_value) {
    return {};
  }
  return exits.return_value;
}

void Specializer::define_parameter(const ast::Parameter& parameter, Value value) {
  const bool is_constexpr = is_constexpr_annotation(*frame_->unit, parameter.annotation);
  name_values(value, parameter.name);
  define(parameter.name, std::move(value), parameter.range, parameter.range).is_constexpr =
      is_constexpr;
}

void Specializer::report_returns_differ() {
  if (frame_->has_reported_returns) {
    return;
  }
  frame_->has_reported_returns = true;
  const std::vector<Frame::ReturnSite>& returns = frame_->returns;
  // The first one that differs from the return at the top.
  const auto differs = [&](const Frame::ReturnSite& site) {
    return site.type != returns.front().type;
  };
  const auto found = std::ranges::find_if(returns, differs);
  const Frame::ReturnSite& shown = found != returns.end() ? *found : returns.back();
  const SourceRange place = shown.range.is_valid() ? shown.range : returns.front().range;
  Diagnostic& diagnostic =
      report(DiagId::ReturnTypesDiffer, place, frame_->name, returns.front().type, shown.type);
  for (const Frame::ReturnSite& site : returns) {
    if (site.range.is_valid()) {
      diagnostic.note(fmt::format("returns {}", site.type), site.range);
    } else {
      diagnostic.note("the end of the function returns None");
    }
  }
  diagnostic.helped("all returns of a function must give the same type");
}

// ---- namedtuples ----

MaybeValue Specializer::construct(const ClassRef& callee, std::span<const CallArgument> arguments,
                                  SourceRange range) {
  // Fields are parameters without defaults.
  std::vector<ast::Parameter> parameters;
  for (const std::string& field : callee.type.fields) {
    parameters.push_back({ast::Parameter::Kind::Normal, field, range, {}, {}});
  }
  ArgumentBinder binder(*this, parameters, callee.type.name, range);
  if (!binder.bind(arguments)) {
    return {};
  }
  TupleValue tuple{{}, callee.type.name, callee.type.fields};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!binder.values()[i]) {
      report(DiagId::MissingArgument, range, callee.type.name, parameters[i].name);
      return {};
    }
    tuple.elements.push_back(std::move(*binder.values()[i]));
  }
  return Value{std::move(tuple)};
}

}  // namespace tilery::sema
