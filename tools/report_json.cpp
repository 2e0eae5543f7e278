#include "tools/report_json.h"

#include "tilery/version.h"
#include "tools/array_text.h"
#include "tools/console.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <utility>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

Json texts_json(const std::vector<PlacedText>& texts) {
  Json list = Json::array();
  for (const PlacedText& text : texts) {
    list.push_back({{"text", text.text}, {"range", place_json(text.place)}});
  }
  return list;
}

void add_finding(Json& json, const Message& message) {
  json["program"] = message.program;
  json["lane"] = message.lane ? Json(*message.lane) : Json(nullptr);
  json["lane_index"] = message.lane_index;
  json["count"] = message.count;
  if (message.access) {
    const Access& a = *message.access;
    json["access"] = {{"access", a.is_store ? "store" : "load"},
                      {"argument", a.argument},
                      {"index", a.index},
                      {"size", a.size},
                      {"mask", a.mask}};
  }
}

Json message_json(const Message& message) {
  Json json = {{"severity", message.severity == Message::Severity::Error ? "error" : "warning"},
               {"phase", phase_name(message.phase)},
               {"kind", message.kind},
               {"message", message.message},
               {"range", place_json(message.place)},
               {"labels", texts_json(message.labels)},
               {"notes", texts_json(message.notes)},
               {"help", message.help},
               {"calls", texts_json(message.calls)},
               {"text", message.text}};
  if (message.is_finding) {
    add_finding(json, message);
  }
  return json;
}

Json element_json(const Buffer& buffer, std::int64_t index) {
  if (!buffer.is_defined(index)) {
    return nullptr;
  }
  const DType dtype = buffer.dtype();
  const auto* element = static_cast<const std::byte*>(buffer.data()) +
                        index * static_cast<std::int64_t>(byte_size(dtype));
  if (is_float(dtype)) {
    const double v = load_number(dtype, element);
    return std::isfinite(v) ? Json(v) : Json(element_text(dtype, element));
  }
  const std::int64_t v = load_integer(dtype, element);
  return dtype == DType::U64 ? Json(static_cast<std::uint64_t>(v)) : Json(v);
}

}  // namespace

Json place_json(const Place& place) {
  if (!place.is_known()) {
    return nullptr;
  }
  return {{"file", place.file},
          {"start", {{"line", place.line}, {"column", place.column}}},
          {"end", {{"line", place.end_line}, {"column", place.end_column}}}};
}

Json report_head(const char* command, int exit_code) {
  constexpr const char* kStatus[] = {"ok", "kernel-error", "usage-error", "machine-error"};
  return {{"tool", "tilery"},
          {"version", version()},
          {"command", command},
          {"status", kStatus[exit_code]},
          {"exit_code", exit_code}};
}

Json messages_json(const std::vector<Message>& messages) {
  Json list = Json::array();
  for (const Message& message : messages) {
    list.push_back(message_json(message));
  }
  return list;
}

Json array_json(const Buffer& buffer) {
  Json data = Json::array();
  for (std::int64_t i = 0; i < buffer.numel(); ++i) {
    data.push_back(element_json(buffer, i));
  }
  return {{"dtype", name(buffer.dtype())}, {"shape", buffer.shape()}, {"data", std::move(data)}};
}

Json mismatch_json(const Mismatch& mismatch, const Extents& shape) {
  const auto largest = [&](const std::optional<LargestDifference>& d) {
    return d ? Json{{"index", place_of(d->index, shape)}, {"value", d->value}} : Json(nullptr);
  };
  return {{"elements", mismatch.count},
          {"of", mismatch.numel},
          {"unwritten", mismatch.unwritten},
          {"first", place_of(mismatch.index, shape)},
          {"largest_absolute", largest(mismatch.absolute)},
          {"largest_relative", largest(mismatch.relative)}};
}

nlohmann::ordered_json kernel_json(const GpuCode& code) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const GpuParameter& parameter : code.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"type", parameter.type},
                          {"bytes", parameter.bytes},
                          {"pointer", parameter.is_pointer},
                          {"divisible_by_16", parameter.is_divisible_by_16},
                          {"equals_1", parameter.is_one}});
  }
  nlohmann::ordered_json constants = nlohmann::ordered_json::object();
  for (const GpuConstant& constant : code.constants) {
    constants[constant.name] = constant.text;
  }
  return {{"name", code.kernel},
          {"target", code.target},
          {"entry", code.entry},
          {"num_warps", code.num_warps},
          {"num_ctas", code.num_ctas},
          {"programs_per_block", code.programs_per_block},
          {"shared_bytes", code.shared_bytes},
          {"parameters", std::move(parameters)},
          {"constants", std::move(constants)}};
}

Json error_json(const char* command, const Error& error) {
  Json report = report_head(command, exit_code(error));
  report["error"] = error.message;
  report["messages"] = messages_json(error.messages);
  return report;
}

void print_json(const Json& report) {
  print_out(report.dump(2, ' ', false, Json::error_handler_t::replace));
  print_out("\n");
}

int fail(const char* command, const Error& error, bool json) {
  if (json) {
    print_json(error_json(command, error));
  } else {
    print_error(error);
  }
  return exit_code(error);
}

}  // namespace tilery::tools
