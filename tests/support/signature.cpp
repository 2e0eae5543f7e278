#include "tests/support/signature.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace tilery::testing {
namespace {

ArgumentSpec constexpr_spec(HostValue value) {
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Kind::Constexpr;
  spec.value = std::move(value);
  return spec;
}

/// Splits at commas that stand outside parentheses.
std::vector<std::string> split_elements(std::string_view text) {
  std::vector<std::string> parts;
  std::string current;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(current));
      current.clear();
    } else {
      current += c;
    }
  }
  if (!current.empty()) {
    parts.push_back(std::move(current));
  }
  return parts;
}

bool parse_runtime(std::string text, ArgumentSpec& spec) {
  if (text.size() > 3 && text.ends_with("/16")) {
    spec.facts.divisible_by_16 = true;
    text.resize(text.size() - 3);
  } else if (text.size() > 2 && text.ends_with("/1")) {
    spec.facts.equals_1 = true;
    text.resize(text.size() - 2);
  }
  std::replace(text.begin(), text.end(), ':', ' ');
  spec.kind = ArgumentSpec::Kind::Runtime;
  return parse_type(text, spec.type);
}

bool parse_number(const std::string& text, HostValue& value) {
  char* end = nullptr;
  const long long integer = std::strtoll(text.c_str(), &end, 0);
  if (*end == '\0' && !text.empty()) {
    value.data = static_cast<std::int64_t>(integer);
    return true;
  }
  const double number = std::strtod(text.c_str(), &end);
  value.data = number;
  return *end == '\0' && !text.empty();
}

ElementType dtype_named(std::string_view name) {
  for (int i = 0; i < kScalarCount; ++i) {
    const auto scalar = static_cast<Scalar>(i);
    if (language_name(scalar) == name || ir_name(scalar) == name) {
      return scalar;
    }
  }
  throw std::invalid_argument("no dtype is called " + std::string(name));
}

ArgumentSpec parse_value(const std::string& text) {
  ArgumentSpec spec;
  HostValue value;
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    spec.kind = ArgumentSpec::Kind::Tuple;
    for (const std::string& part : split_elements(text.substr(1, text.size() - 2))) {
      spec.elements.push_back(parse_value(part));
    }
    return spec;
  }
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    value.data = text.substr(1, text.size() - 2);
  } else if (text == "true" || text == "false") {
    value.data = text == "true";
  } else if (text == "none") {
    value.data = HostNone{};
  } else if (text.starts_with("dtype:")) {
    value.data = dtype_named(text.substr(6));
  } else if (text.starts_with("fn:")) {
    value.data = HostFunction{text.substr(3)};
  } else if (parse_runtime(text, spec)) {
    return spec;
  } else if (!parse_number(text, value)) {
    throw std::invalid_argument("cannot read the argument value " + text);
  }
  return constexpr_spec(std::move(value));
}

std::vector<std::string> tokens(std::string_view text) {
  std::vector<std::string> result;
  std::string current;
  bool quoted = false;
  for (const char c : text) {
    quoted ^= c == '"';
    if (c == ' ' && !quoted) {
      if (!current.empty()) {
        result.push_back(std::move(current));
      }
      current.clear();
    } else {
      current += c;
    }
  }
  if (!current.empty()) {
    result.push_back(std::move(current));
  }
  return result;
}

}  // namespace

Signature parse_signature(std::string_view text) {
  Signature signature;
  signature.options.debug = true;
  for (const std::string& token : tokens(text)) {
    const std::size_t equals = token.find('=');
    if (token == "strict") {
      signature.options.strict = true;
    } else if (token == "nofuse") {
      signature.options.fuse_fma = false;
    } else if (equals == std::string::npos) {
      throw std::invalid_argument("cannot read the token " + token);
    } else if (token.starts_with("kernel=")) {
      signature.kernel = token.substr(equals + 1);
    } else {
      signature.arguments.emplace_back(token.substr(0, equals),
                                       parse_value(token.substr(equals + 1)));
    }
  }
  return signature;
}

std::vector<ArgumentSpec> arguments_for(const Signature& signature, const KernelInfo& kernel) {
  std::vector<ArgumentSpec> result;
  for (const KernelParameter& parameter : kernel.parameters) {
    const auto found = std::find_if(signature.arguments.begin(), signature.arguments.end(),
                                    [&](const auto& a) { return a.first == parameter.name; });
    if (found != signature.arguments.end()) {
      result.push_back(found->second);
      result.back().type.element.is_const |= parameter.is_const_pointer;
    } else if (parameter.default_value) {
      result.push_back(constexpr_spec(*parameter.default_value));
    } else {
      throw std::invalid_argument("no value for the parameter " + parameter.name);
    }
  }
  return result;
}

}  // namespace tilery::testing
