#include "runtime/launch_options.h"

#include "runtime/convert.h"
#include "runtime/messages.h"
#include "runtime/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace tilery {

namespace {

std::optional<std::int64_t> integer(const Argument& value) {
  const auto* v = value.as<std::int64_t>();
  return v != nullptr ? std::optional(*v) : std::nullopt;
}

std::optional<bool> boolean(const Argument& value) {
  const auto* v = value.as<bool>();
  return v != nullptr ? std::optional(*v) : std::nullopt;
}

bool is_power_of_2(std::int64_t v) {
  return v > 0 && (v & (v - 1)) == 0;
}

constexpr const char* kWarpsRule = "a power of two from 1 to 32, or None";
constexpr const char* kStagesRule = "an integer from 0 to 32";
constexpr const char* kCtasRule = "a power of two from 1 to 16";
constexpr const char* kRegistersRule = "an integer from 16 to 255, or None";
constexpr const char* kBoolRule = "True or False";
constexpr const char* kMathRule = R"("fast" or "reproducible")";

bool is_warps(std::int64_t v) {
  return is_power_of_2(v) && v <= 32;
}

bool is_stages(std::int64_t v) {
  return v >= 0 && v <= 32;
}

bool is_ctas(std::int64_t v) {
  return is_power_of_2(v) && v <= 16;
}

bool is_registers(std::int64_t v) {
  return v >= 16 && v <= 255;
}

/// Each setter puts the value in and returns nullptr, or returns what the option takes.
using Setter = const char* (*)(LaunchOptions & options, const Argument& value);

const char* set_int(int& option, const Argument& value, bool (*accepts)(std::int64_t),
                    const char* rule) {
  const std::optional<std::int64_t> v = integer(value);
  if (!v || !accepts(*v)) {
    return rule;
  }
  option = static_cast<int>(*v);
  return nullptr;
}

const char* set_bool(bool& option, const Argument& value) {
  const std::optional<bool> v = boolean(value);
  if (!v) {
    return kBoolRule;
  }
  option = *v;
  return nullptr;
}

/// None leaves the choice to the compiler.
const char* set_optional_int(std::optional<int>& option, const Argument& value,
                             bool (*accepts)(std::int64_t), const char* rule) {
  if (value.as<None>() != nullptr) {
    option.reset();
    return nullptr;
  }
  int v = 0;
  if (set_int(v, value, accepts, rule) != nullptr) {
    return rule;
  }
  option = v;
  return nullptr;
}

const char* set_math(LaunchOptions& options, const Argument& value) {
  const auto* v = value.as<std::string>();
  if (v == nullptr || (*v != "fast" && *v != "reproducible")) {
    return kMathRule;
  }
  options.math = *v == "fast" ? MathMode::Fast : MathMode::Reproducible;
  return nullptr;
}

/// For options of Triton's launches that change nothing here but may be passed.
const char* accept_bool(LaunchOptions& options, const Argument& value) {
  (void)options;
  return boolean(value) ? nullptr : kBoolRule;
}

struct OptionRow {
  const char* name;
  Setter set;
  /// Why True changes nothing; nullptr if it does, or if LaunchOptions keeps the value.
  const char* without_effect = nullptr;
};

constexpr std::array kOptions = {
    OptionRow{"num_warps",
              [](LaunchOptions& o, const Argument& v) {
                return set_optional_int(o.num_warps, v, is_warps, kWarpsRule);
              }},
    OptionRow{"num_stages",
              [](LaunchOptions& o, const Argument& v) {
                return set_int(o.num_stages, v, is_stages, kStagesRule);
              }},
    OptionRow{"num_ctas",
              [](LaunchOptions& o, const Argument& v) {
                return set_int(o.num_ctas, v, is_ctas, kCtasRule);
              }},
    OptionRow{"maxnreg",
              [](LaunchOptions& o, const Argument& v) {
                return set_optional_int(o.maxnreg, v, is_registers, kRegistersRule);
              }},
    OptionRow{"enable_fp_fusion",
              [](LaunchOptions& o, const Argument& v) { return set_bool(o.enable_fp_fusion, v); }},
    OptionRow{"debug", [](LaunchOptions& o, const Argument& v) { return set_bool(o.debug, v); }},
    OptionRow{"math", set_math},
    OptionRow{"enable_reflect_ftz", accept_bool, "no function flushes subnormals"},
    OptionRow{"sanitize_overflow", accept_bool, "integers wrap unnoticed"},
    OptionRow{"launch_cooperative_grid", accept_bool,
              "blocks are launched without a promise to run together"},
    OptionRow{"launch_pdl", accept_bool, "the kernel waits for the one before it"},
};

void report_value(Diagnostics& diagnostics, std::string_view name, const char* rule,
                  const std::string& got) {
  Diagnostic& d = diagnostics.report(DiagId::LaunchOptionValue, {}, name, rule, got);
  if (name == "num_warps") {
    d.helped("leave it out and the compiler chooses it from the kernel's tiles");
  }
}

}  // namespace

const std::vector<std::string>& launch_option_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    list.reserve(kOptions.size());
    for (const OptionRow& row : kOptions) {
      list.emplace_back(row.name);
    }
    return list;
  }();
  return names;
}

bool is_launch_option(std::string_view name) {
  return std::ranges::any_of(kOptions, [&](const OptionRow& row) { return row.name == name; });
}

bool set_option(LaunchOptions& options, std::string_view name, const Argument& value,
                Diagnostics& diagnostics) {
  for (const OptionRow& row : kOptions) {
    if (row.name == name) {
      const char* rule = row.set(options, value);
      if (rule != nullptr) {
        report_value(diagnostics, name, rule, describe_argument(value));
      }
      return rule == nullptr;
    }
  }
  Diagnostic& d = diagnostics.report(DiagId::LaunchOptionUnknown, {}, name);
  const std::string closest = closest_spelling(name, launch_option_names());
  d.helped(closest.empty() ? fmt::format("there are: {}", fmt::join(launch_option_names(), ", "))
                           : fmt::format("did you mean `{}`?", closest));
  return false;
}

void note_if_without_effect(std::string_view name, const Argument& value,
                            std::vector<std::string>& notes) {
  for (const OptionRow& row : kOptions) {
    if (row.name == name && row.without_effect != nullptr && boolean(value).value_or(false)) {
      notes.push_back(fmt::format("{}=True changes nothing yet: {}", name, row.without_effect));
    }
  }
}

void note_if_without_effect(const LaunchOptions& options, std::vector<std::string>& notes) {
  if (options.num_ctas != 1) {
    notes.push_back(fmt::format("num_ctas={} changes nothing yet: one thread block runs a program",
                                options.num_ctas));
  }
}

void check_options(const LaunchOptions& options, Diagnostics& diagnostics) {
  const auto check = [&](const char* name, std::int64_t v, bool (*accepts)(std::int64_t),
                         const char* rule) {
    if (!accepts(v)) {
      report_value(diagnostics, name, rule, fmt::format("the integer {}", v));
    }
  };
  check("num_stages", options.num_stages, is_stages, kStagesRule);
  check("num_ctas", options.num_ctas, is_ctas, kCtasRule);
  if (options.num_warps) {
    check("num_warps", *options.num_warps, is_warps, kWarpsRule);
  }
  if (options.maxnreg) {
    check("maxnreg", *options.maxnreg, is_registers, kRegistersRule);
  }
}

inline namespace v0 {

Status set_launch_option(LaunchOptions& options, std::string_view name, const Argument& value) {
  Diagnostics diagnostics;
  if (set_option(options, name, value, diagnostics)) {
    return Ok{};
  }
  return error_of(ErrorKind::Usage, messages_of(diagnostics, SourceMap(), Phase::Launch));
}

}  // namespace v0

}  // namespace tilery
