// `tilery list`: a file's kernels and their parameters.
#include "tilery/library.h"
#include "tools/console.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

std::string parameter_text(const Parameter& parameter) {
  std::string text = parameter.name;
  if (parameter.is_constexpr) {
    text += ": tl.constexpr";
  } else if (!parameter.type.empty()) {
    text += ": " + parameter.type;
  }
  return parameter.has_default ? text + " = " + parameter.default_text : text;
}

std::string kernel_text(const Kernel& kernel) {
  std::string parameters;
  for (const Parameter& parameter : kernel.parameters()) {
    parameters += (parameters.empty() ? "" : ", ") + parameter_text(parameter);
  }
  std::string text = fmt::format("{}({}){}\n", kernel.name(), parameters,
                                 kernel.is_helper() ? "  (used by others)" : "");
  const std::string_view doc = kernel.docstring();
  const std::size_t begin = doc.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos) {
    text += fmt::format("    {}\n", doc.substr(begin, doc.find('\n', begin) - begin));
  }
  return text;
}

Json kernel_json(const Kernel& kernel) {
  Json parameters = Json::array();
  for (const Parameter& p : kernel.parameters()) {
    parameters.push_back({{"name", p.name},
                          {"constexpr", p.is_constexpr},
                          {"type", p.type.empty() ? Json(nullptr) : Json(p.type)},
                          {"default", p.has_default ? Json(p.default_text) : Json(nullptr)}});
  }
  return {{"name", kernel.name()},
          {"line", kernel.place().line},
          {"helper", kernel.is_helper()},
          {"docstring", kernel.docstring()},
          {"parameters", std::move(parameters)}};
}

}  // namespace

int list_command(const ListRequest& request) {
  const Result<Library> library = Library::parse_file(request.file);
  if (!library) {
    return fail("list", library.error(), request.json);
  }
  Json kernels = Json::array();
  for (const Kernel& kernel : library->kernels()) {
    if (request.json) {
      kernels.push_back(kernel_json(kernel));
    } else {
      print_out(kernel_text(kernel));
    }
  }
  if (request.json) {
    Json report = report_head("list", 0);
    report["kernels"] = std::move(kernels);
    print_json(report);
  } else if (library->kernels().empty()) {
    print_err(fmt::format("tilery: `{}` has no kernels\n", request.file));
  }
  return 0;
}

}  // namespace tilery::tools
