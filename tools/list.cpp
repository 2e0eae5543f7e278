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
#include <vector>

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

/// What keeps kernels of the file from being run: annotations and defaults without a value.
std::vector<Message> complaints(const Library& library, const std::vector<Kernel>& kernels) {
  std::vector<Message> messages;
  for (const Kernel& kernel : kernels) {
    const Result<Kernel> usable = library.kernel(kernel.name());
    if (!usable) {
      const std::vector<Message>& own = usable.error().messages;
      messages.insert(messages.end(), own.begin(), own.end());
    }
  }
  return messages;
}

Json nested_json(const std::vector<NestedKernel>& nested) {
  Json list = Json::array();
  for (const NestedKernel& kernel : nested) {
    list.push_back({{"name", kernel.name}, {"owner", kernel.owner}, {"line", kernel.place.line}});
  }
  return list;
}

/// One line for each jit function that is out of reach.
std::string nested_text(const NestedKernel& nested) {
  return fmt::format(
      "tilery: `{}` in line {} is not taken: it is defined inside `{}`, not at the module level\n",
      nested.name, nested.place.line, nested.owner);
}

}  // namespace

int list_command(const ListRequest& request) {
  const Result<Library> library = Library::parse_file(request.file);
  if (!library) {
    return fail("list", library.error(), request.json);
  }
  const std::vector<Kernel> kernels = library->kernels();
  const std::vector<NestedKernel> nested = library->nested_kernels();
  const std::vector<Message> messages = complaints(*library, kernels);
  const int exit_code = messages.empty() ? 0 : 1;
  if (request.json) {
    Json report = report_head("list", exit_code);
    report["kernels"] = Json::array();
    for (const Kernel& kernel : kernels) {
      report["kernels"].push_back(kernel_json(kernel));
    }
    report["nested"] = nested_json(nested);
    report["messages"] = messages_json(messages);
    print_json(report);
    return exit_code;
  }
  for (const Kernel& kernel : kernels) {
    print_out(kernel_text(kernel));
  }
  print_messages(messages);
  for (const NestedKernel& kernel : nested) {
    print_err(nested_text(kernel));
  }
  if (kernels.empty()) {
    print_err(fmt::format("tilery: `{}` has no kernels\n", request.file));
  }
  return exit_code;
}

}  // namespace tilery::tools
