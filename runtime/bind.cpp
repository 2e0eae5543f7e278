#include "runtime/bind.h"

#include "runtime/bind_value.h"
#include "runtime/launch_options.h"
#include "runtime/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tilery {

namespace {

/// Which argument each parameter gets; nullptr: none was given.
class Assignment {
 public:
  Assignment(const KernelInfo& kernel, BoundCall& call, Diagnostics& diagnostics)
      : kernel_(kernel), call_(call), diagnostics_(diagnostics) {
    slots_.resize(kernel.parameters.size());
  }

  void assign(const Arguments& arguments) {
    std::size_t position = 0;
    for (const NamedArgument& argument : arguments) {
      if (argument.name.empty()) {
        assign_position(position++, argument.value);
      } else {
        assign_name(argument.name, argument.value);
      }
    }
    if (position > slots_.size()) {
      diagnostics_.report(DiagId::ArgumentsTooMany, kernel_.range, kernel_.name, slots_.size(),
                          position);
    }
  }

  [[nodiscard]] const Argument* operator[](std::size_t i) const { return slots_[i]; }

 private:
  void assign_position(std::size_t position, const Argument& value) {
    if (position < slots_.size()) {
      assign_slot(position, value);
    }
  }

  void assign_name(const std::string& name, const Argument& value) {
    const auto& parameters = kernel_.parameters;
    const auto found =
        std::ranges::find_if(parameters, [&](const auto& p) { return p.name == name; });
    if (found != parameters.end()) {
      assign_slot(static_cast<std::size_t>(found - parameters.begin()), value);
    } else if (is_launch_option(name)) {
      assign_option(name, value);
    } else {
      report_unknown(name);
    }
  }

  void assign_slot(std::size_t i, const Argument& value) {
    if (slots_[i] != nullptr) {
      diagnostics_.report(DiagId::ArgumentRepeated, kernel_.parameters[i].range,
                          kernel_.parameters[i].name);
      return;
    }
    slots_[i] = &value;
  }

  void assign_option(const std::string& name, const Argument& value) {
    if (std::ranges::find(options_given_, name) != options_given_.end()) {
      diagnostics_.report(DiagId::ArgumentRepeated, {}, name);
      return;
    }
    options_given_.push_back(name);
    if (set_option(call_.options, name, value, diagnostics_)) {
      note_if_without_effect(name, value, call_.notes);
    }
  }

  void report_unknown(const std::string& name) {
    std::vector<std::string> names;
    names.reserve(kernel_.parameters.size());
    for (const auto& parameter : kernel_.parameters) {
      names.push_back(parameter.name);
    }
    const std::string parameters = fmt::format("{}", fmt::join(names, ", "));
    names.insert(names.end(), launch_option_names().begin(), launch_option_names().end());
    const std::string closest = closest_spelling(name, names);
    Diagnostic& d = diagnostics_.report(DiagId::ArgumentUnknown, kernel_.range, name, kernel_.name);
    d.note(fmt::format("its parameters are: {}", parameters.empty() ? "none" : parameters));
    if (!closest.empty()) {
      d.helped(fmt::format("did you mean `{}`?", closest));
    }
  }

  const KernelInfo& kernel_;
  BoundCall& call_;
  Diagnostics& diagnostics_;
  std::vector<const Argument*> slots_;
  std::vector<std::string> options_given_;
};

void report_missing(const KernelInfo& kernel, const KernelParameter& parameter,
                    Diagnostics& diagnostics) {
  Diagnostic& d =
      diagnostics.report(DiagId::ArgumentMissing, parameter.range, parameter.name, kernel.name);
  if (parameter.is_constexpr) {
    d.helped(fmt::format("`{}` is known when the kernel is compiled: give a value such as {}=128",
                         parameter.name, parameter.name));
  } else {
    d.helped(fmt::format("give it as {}=VALUE", parameter.name));
  }
}

}  // namespace

BoundCall bind_arguments(const KernelInfo& kernel, const Arguments& arguments,
                         const LaunchOptions& options, Diagnostics& diagnostics) {
  BoundCall call;
  call.options = options;
  Assignment assignment(kernel, call, diagnostics);
  assignment.assign(arguments);
  note_if_without_effect(call.options, call.notes);
  check_options(call.options, diagnostics);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const KernelParameter& parameter = kernel.parameters[i];
    Argument default_value;
    const Argument* argument = assignment[i];
    if (argument == nullptr && parameter.default_value) {
      default_value = argument_of(*parameter.default_value);
      argument = &default_value;
    }
    if (argument == nullptr) {
      report_missing(kernel, parameter, diagnostics);
    } else {
      call.specs.push_back(bind_value(parameter, *argument, call, diagnostics));
    }
  }
  return call;
}

}  // namespace tilery
