#include "tilery/library.h"

#include "frontend/ast_printer.h"
#include "frontend/parser.h"
#include "frontend/text.h"
#include "runtime/convert.h"
#include "runtime/imports.h"
#include "runtime/library_impl.h"
#include "runtime/messages.h"
#include "runtime/read_file.h"
#include "runtime/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tilery::inline v0 {

namespace {

std::vector<HostType> host_types(const Environment& environment) {
  std::vector<HostType> types;
  types.reserve(environment.named_tuples.size());
  for (const NamedTupleType& type : environment.named_tuples) {
    types.push_back({type.name, type.fields});
  }
  return types;
}

/// The text in UTF-8: Python files may declare Latin-1.
std::string utf8_text(const Source& source) {
  const bool is_converted =
      module_kind(source.name) == ModuleKind::Python && is_latin1(declared_encoding(source.text));
  return is_converted ? latin1_to_utf8(source.text) : source.text;
}

/// Parses a text into `sources`, and the texts that it imports with it. Reports and returns nothing
/// if there are errors.
std::optional<Unit> make_unit(const Source& source, const Environment& environment,
                              SourceMap& sources, Diagnostics& diagnostics) {
  const FileId file = sources.add(source.name, source.first_line, utf8_text(source));
  std::optional<ast::Module> module = parse(sources, file, module_kind(source.name), diagnostics);
  if (!module) {
    return std::nullopt;
  }
  Unit unit;
  unit.module = *std::move(module);
  unit.host_types = host_types(environment);
  for (const auto& [name, value] : environment.constants) {
    std::optional<HostValue> constant = host_value(value);
    if (constant) {
      unit.constants.emplace_back(name, *std::move(constant));
    }
  }
  for (const auto& [name, library] : environment.imports) {
    const Library::Impl& imported = *library.impl();
    std::optional<Unit> other =
        make_unit(imported.source, imported.environment, sources, diagnostics);
    if (!other) {
      return std::nullopt;
    }
    unit.imports.emplace_back(name, std::make_shared<const Unit>(*std::move(other)));
  }
  return unit;
}

Error no_such_constant(const std::string& name) {
  return {ErrorKind::Usage,
          fmt::format("the constant `{}` of the environment is an array; constants are known when "
                      "a kernel is compiled",
                      name),
          {}};
}

std::shared_ptr<const Kernel::Impl> kernel_impl(const std::shared_ptr<Library::Impl>& library,
                                                const KernelInfo& info) {
  auto impl = std::make_shared<Kernel::Impl>();
  impl->library = library;
  impl->info = info;
  impl->place = place_of(info.range, library->sources);
  impl->is_helper = is_used_by_others(library->unit.module, info.name);
  for (const KernelParameter& p : info.parameters) {
    Parameter parameter;
    parameter.name = p.name;
    parameter.is_constexpr = p.is_constexpr;
    parameter.type = p.annotated ? language_text(p.annotated->element) : "";
    parameter.has_default = p.default_value.has_value();
    parameter.default_text = p.default_value ? python_text(*p.default_value) : "";
    parameter.place = place_of(p.range, library->sources);
    impl->parameters.push_back(std::move(parameter));
  }
  return impl;
}

std::string name_list(const std::vector<Kernel>& kernels) {
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const Kernel& kernel : kernels) {
    names.push_back("`" + kernel.name() + "`");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Error usage_error(const Diagnostics& diagnostics, const SourceMap& sources) {
  return error_of(ErrorKind::Usage, messages_of(diagnostics, sources, Phase::Launch));
}

}  // namespace

Result<Library> Library::parse(Source source, const Environment& environment) {
  for (const auto& [name, value] : environment.constants) {
    if (!host_value(value)) {
      return no_such_constant(name);
    }
  }
  auto impl = std::make_shared<Impl>();
  Diagnostics diagnostics;
  std::optional<Unit> unit = make_unit(source, environment, impl->sources, diagnostics);
  if (!unit) {
    return error_of(ErrorKind::Kernel, messages_of(diagnostics, impl->sources, Phase::Parse));
  }
  impl->source = std::move(source);
  impl->environment = environment;
  impl->unit = *std::move(unit);
  impl->kernels = list_kernels(impl->unit, impl->sources, impl->kernel_diagnostics);
  return Library(std::move(impl));
}

Result<Library> Library::parse_file(const std::string& path, const Environment& environment) {
  Result<std::string> text = read_source_file(path);
  if (!text) {
    return text.error();
  }
  Environment extended = environment;
  if (std::optional<Error> error = add_neighbours(path, *text, extended)) {
    return *std::move(error);
  }
  return parse({path, 1, *std::move(text)}, extended);
}

std::vector<Kernel> Library::kernels() const {
  std::vector<Kernel> kernels;
  for (const KernelInfo& info : impl_->kernels) {
    if (info.is_jit) {
      kernels.emplace_back(kernel_impl(impl_, info));
    }
  }
  return kernels;
}

std::vector<NestedKernel> Library::nested_kernels() const {
  std::vector<NestedKernel> nested;
  for (const ast::NestedKernel& kernel : impl_->unit.module.nested_kernels) {
    nested.push_back({kernel.name, kernel.owner, place_of(kernel.range, impl_->sources)});
  }
  return nested;
}

Result<Kernel> Library::kernel(std::string_view name) const {
  const std::vector<Kernel> all = kernels();
  const auto found = std::ranges::find_if(all, [&](const Kernel& k) { return k.name() == name; });
  if (found != all.end()) {
    const std::vector<Diagnostic> own =
        diagnostics_within(impl_->unit.module, name, impl_->kernel_diagnostics);
    if (std::ranges::any_of(own,
                            [](const Diagnostic& d) { return d.severity == Severity::Error; })) {
      return error_of(ErrorKind::Kernel, messages_of(own, impl_->sources, Phase::Compile));
    }
    return *found;
  }
  Diagnostics diagnostics;
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Kernel& kernel : all) {
    names.push_back(kernel.name());
  }
  Diagnostic& d = diagnostics.report(DiagId::KernelNotFound, {}, impl_->source.name, name);
  const std::string closest = closest_spelling(name, names);
  d.note(all.empty() ? "it has no kernels" : "it has " + name_list(all));
  const auto& nested = impl_->unit.module.nested_kernels;
  const auto inside = std::ranges::find(nested, name, &ast::NestedKernel::name);
  if (inside != nested.end()) {
    d.note(fmt::format("`{}` is defined inside `{}`", name, inside->owner), inside->range)
        .helped("move it to the module level");
  } else if (!closest.empty()) {
    d.helped(fmt::format("did you mean `{}`?", closest));
  }
  return usage_error(diagnostics, impl_->sources);
}

Result<Kernel> Library::only_kernel() const {
  const std::vector<Kernel> all = kernels();
  std::vector<Kernel> candidates;
  std::ranges::copy_if(all, std::back_inserter(candidates),
                       [](const Kernel& k) { return !k.is_helper(); });
  if (candidates.empty()) {
    candidates = all;
  }
  if (candidates.size() == 1) {
    return kernel(candidates.front().name());
  }
  Diagnostics diagnostics;
  const std::string& file = impl_->source.name;
  if (candidates.empty()) {
    diagnostics.report(DiagId::KernelMissing, {}, file)
        .helped(impl_->unit.module.is_python
                    ? "in a .py file, kernels are the functions under `@triton.jit`"
                    : "write one with `def name(parameters):`");
  } else {
    diagnostics.report(DiagId::KernelNotChosen, {}, file, candidates.size())
        .note("they are " + name_list(candidates))
        .helped(fmt::format("{}::{}", file, candidates.front().name()));
  }
  return usage_error(diagnostics, impl_->sources);
}

std::string Library::ast_text() const {
  return ast::print(impl_->unit.module);
}

std::size_t Library::specialisation_count() const {
  return impl_->specialization_count;
}

}  // namespace tilery::inline v0
