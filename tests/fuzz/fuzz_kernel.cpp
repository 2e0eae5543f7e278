#include "tests/fuzz/fuzz_kernel.h"

#include "frontend/parser.h"
#include "ir/support/check.h"
#include "ir/verifier.h"
#include "tests/support/signature.h"

#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace tilery {
namespace {

/// Only so many kernels of a text: a damaged one of many would take its time again and again.
constexpr std::size_t kMaxKernels = 3;

/// What stands between `begin` and the first of `ends` after it.
std::string_view until(std::string_view text, std::size_t begin, std::string_view ends) {
  return text.substr(begin, std::min(text.find_first_of(ends, begin), text.size()) - begin);
}

/// The token of parse_signature that the text gives for a parameter; empty if it gives none.
std::string token_in_text(std::string_view text, const std::string& name) {
  const std::string_view first_line = until(text, 0, "\n");
  if (const std::size_t at = first_line.find(" " + name + "="); at != std::string_view::npos) {
    return std::string(until(first_line, at + 1, " "));
  }
  const std::string line = "# arg: " + name + " = ";
  const std::size_t at = text.find(line);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string value(until(text, at + line.size(), ":\n"));
  const std::size_t bracket = value.find('[');
  return name + "=" + (bracket == std::string::npos ? value : "*" + value.substr(0, bracket));
}

std::optional<ArgumentSpec> read_token(const std::string& token) {
  try {
    testing::Signature signature = testing::parse_signature(token);
    if (signature.arguments.size() == 1) {
      return std::move(signature.arguments.front().second);
    }
  } catch (const std::invalid_argument&) {
    // The text was damaged here.
  }
  return std::nullopt;
}

ArgumentSpec argument_for(std::string_view text, const KernelParameter& parameter) {
  if (const std::string token = token_in_text(text, parameter.name); !token.empty()) {
    if (std::optional<ArgumentSpec> spec = read_token(token)) {
      return *std::move(spec);
    }
  }
  ArgumentSpec spec;
  if (parameter.is_constexpr || parameter.default_value) {
    spec.kind = ArgumentSpec::Kind::Constexpr;
    spec.value = parameter.default_value.value_or(HostValue{std::int64_t{16}});
  } else if (parameter.annotated) {
    spec.type = *parameter.annotated;
  } else {
    const bool is_pointer = parameter.name.ends_with("ptr") || parameter.name.size() == 1;
    spec.type = is_pointer ? Type(ElementType(Scalar::F32, 1)) : Type(Scalar::I32);
  }
  spec.type.element.is_const |= parameter.is_const_pointer;
  return spec;
}

void check_diagnostics(const Diagnostics& diagnostics, const SourceMap& sources, FileId file,
                       std::size_t size) {
  for (const Diagnostic& d : diagnostics.all()) {
    TILERY_CHECK(!d.range.is_valid() ||
                     (d.range.file == file && d.range.begin <= d.range.end && d.range.end <= size),
                 "a diagnostic lies outside the file");
    (void)render(d, sources);
  }
}

/// A unit of the text, or nothing if it does not parse.
std::optional<Unit> parse_unit(SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  Unit unit;
  std::optional<ast::Module> module = parse(sources, file, ModuleKind::Tilery, diagnostics);
  if (!module) {
    return std::nullopt;
  }
  unit.module = *std::move(module);
  return unit;
}

}  // namespace

void specialize_text(const std::string& text, bool optimise, const OnSpecialized& on_specialized) {
  SourceMap sources;
  const FileId file = sources.add("fuzz.tl", 1, text);
  Diagnostics diagnostics;
  const std::optional<Unit> unit = parse_unit(sources, file, diagnostics);
  if (!unit) {
    check_diagnostics(diagnostics, sources, file, text.size());
    return;
  }
  const std::vector<KernelInfo> kernels = list_kernels(*unit, sources, diagnostics);
  check_diagnostics(diagnostics, sources, file, text.size());
  const std::size_t first = kernels.size() - std::min(kernels.size(), kMaxKernels);
  for (std::size_t i = first; i < kernels.size(); ++i) {
    std::vector<ArgumentSpec> arguments;
    for (const KernelParameter& parameter : kernels[i].parameters) {
      arguments.push_back(argument_for(text, parameter));
    }
    Diagnostics own;
    SpecializeOptions options;
    options.debug = true;
    std::optional<Specialized> specialized =
        specialize(*unit, sources, kernels[i].name, arguments, options, own, optimise);
    check_diagnostics(own, sources, file, text.size());
    TILERY_CHECK(specialized.has_value() != own.has_errors(),
                 "a result and errors exclude each other");
    if (specialized) {
      check_valid(specialized->function, "specialize");
      on_specialized(sources, *std::move(specialized));
    }
  }
}

}  // namespace tilery
