// `tilery ops`: the functions of the language and the ops of the IR.
#include "tilery/ops.h"

#include "tools/console.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

bool is_wanted(const std::string& name, const std::string& part) {
  return part.empty() || name.find(part) != std::string::npos;
}

Error no_such_name(const std::string& part) {
  return {ErrorKind::Usage, fmt::format("no function and no op has `{}` in its name", part), {}};
}

int print_ops_json(const std::string& part) {
  Json builtins = Json::array();
  for (const BuiltinRow& row : builtin_rows()) {
    if (is_wanted(row.name, part)) {
      builtins.push_back({{"name", row.name},
                          {"signature", row.signature},
                          {"method", row.is_method},
                          {"supported", row.is_supported},
                          {"summary", row.summary}});
    }
  }
  Json ops = Json::array();
  for (const OpRow& row : op_rows()) {
    if (is_wanted(row.name, part)) {
      ops.push_back({{"name", row.name},
                     {"family", row.family},
                     {"signature", row.signature},
                     {"effects", row.effects},
                     {"summary", row.summary}});
    }
  }
  if (builtins.empty() && ops.empty()) {
    return fail("ops", no_such_name(part), true);
  }
  Json report = report_head("ops", 0);
  report["functions"] = std::move(builtins);
  report["ops"] = std::move(ops);
  print_json(report);
  return 0;
}

}  // namespace

int ops_command(const OpsRequest& request) {
  if (request.markdown) {
    print_out(ops_markdown());
    return 0;
  }
  if (request.json) {
    return print_ops_json(request.name);
  }
  std::string text;
  for (const BuiltinRow& row : builtin_rows()) {
    if (is_wanted(row.name, request.name)) {
      text += fmt::format("  {}\n      {}{}{}\n", row.signature, row.summary,
                          row.is_method ? " (also a method)" : "",
                          row.is_supported ? "" : " (not supported yet)");
    }
  }
  print_out(text.empty() ? "" : "Functions of the language\n\n" + text + "\n");
  std::string ops;
  for (const OpRow& row : op_rows()) {
    if (is_wanted(row.name, request.name)) {
      ops += fmt::format("  {} {}\n      {} ({}, {})\n", row.name, row.signature, row.summary,
                         row.family, row.effects);
    }
  }
  print_out(ops.empty() ? "" : "Ops of the typed block IR\n\n" + ops);
  if (text.empty() && ops.empty()) {
    return fail("ops", no_such_name(request.name), false);
  }
  return 0;
}

}  // namespace tilery::tools
