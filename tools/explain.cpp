// `tilery explain`: what becomes of each line on a GPU, and why.
#include "tilery/explain.h"

#include "tilery/prepared_launch.h"
#include "tools/call.h"
#include "tools/console.h"
#include "tools/explain_text.h"
#include "tools/ptxas.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

Json by_width(const std::map<int, int>& counts) {
  Json list = Json::array();
  for (const auto& [bytes, number] : counts) {
    list.push_back({{"bytes", bytes}, {"instructions", number}});
  }
  return list;
}

Json instructions_json(const GpuInstructions& i) {
  return {{"loads", by_width(i.loads)},
          {"stores", by_width(i.stores)},
          {"async_copies", by_width(i.copies)},
          {"shared_loads", i.shared_loads},
          {"shared_stores", i.shared_stores},
          {"shuffles", i.shuffles},
          {"warp_folds", i.warp_folds},
          {"barriers", i.barriers},
          {"matrix", i.matrix}};
}

Json arguments_json(const KernelExplanation& e) {
  Json list = Json::array();
  for (const ExplainedArgument& a : e.arguments) {
    list.push_back({{"name", a.name},
                    {"type", a.type},
                    {"divisible_by_16", a.divisible_by_16},
                    {"equals_1", a.equals_1},
                    {"read", a.is_read},
                    {"written", a.is_written}});
  }
  return list;
}

Json values_json(const KernelExplanation& e) {
  Json list = Json::array();
  for (const ExplainedValue& v : e.values) {
    list.push_back({{"range", place_json(v.place)},
                    {"text", v.text},
                    {"variable", v.variable},
                    {"type", v.type},
                    {"constant", v.constant.empty() ? Json(nullptr) : Json(v.constant)}});
  }
  return list;
}

Json accesses_json(const KernelExplanation& e) {
  Json list = Json::array();
  for (const ExplainedAccess& a : e.accesses) {
    list.push_back({{"access", access_name(a.kind)},
                    {"range", place_json(a.place)},
                    {"arguments", a.arguments},
                    {"type", a.type},
                    {"masked", a.is_masked},
                    {"bytes_at_once", a.bytes_at_once},
                    {"instructions", a.instructions},
                    {"sectors", a.sectors},
                    {"sectors_at_least", a.sectors_at_least},
                    {"why", a.why},
                    {"help", a.help},
                    {"layout", a.layout}});
  }
  return list;
}

Json steps_json(const KernelExplanation& e) {
  Json list = Json::array();
  for (const ExplainedStep& s : e.steps) {
    list.push_back({{"step", s.kind},
                    {"range", place_json(s.place)},
                    {"how", s.how},
                    {"why", s.why},
                    {"help", s.help},
                    {"shared_bytes", s.shared_bytes}});
  }
  return list;
}

Json lines_json(const KernelExplanation& e) {
  Json list = Json::array();
  for (const ExplainedLine& l : e.lines) {
    list.push_back(
        {{"file", l.file}, {"line", l.line}, {"instructions", instructions_json(l.instructions)}});
  }
  return list;
}

Json resources_json(const Resources& r) {
  return {{"source", r.source},
          {"registers", r.registers},
          {"spill_bytes", r.spill_bytes ? Json(*r.spill_bytes) : Json()},
          {"local_bytes", r.local_bytes ? Json(*r.local_bytes) : Json()},
          {"blocks_per_multiprocessor", r.blocks},
          {"warps_per_multiprocessor", r.warps},
          {"limit", r.limit}};
}

Json report(const KernelExplanation& e, const std::optional<Resources>& resources,
            const std::string& kernel, int exit_code) {
  Json json = report_head("explain", exit_code);
  json["messages"] = messages_json(e.code.messages);
  json["kernel"] = kernel;
  json["target"] = e.code.target;
  json["num_warps"] = e.code.num_warps;
  json["num_warps_reason"] = e.num_warps_reason;
  json["shared_bytes"] = e.code.shared_bytes;
  json["resources"] = resources ? resources_json(*resources) : Json(nullptr);
  json["notes"] = e.code.notes;
  json["arguments"] = arguments_json(e);
  json["values"] = values_json(e);
  json["accesses"] = accesses_json(e);
  json["steps"] = steps_json(e);
  json["lines"] = lines_json(e);
  return json;
}

class Explain {
 public:
  explicit Explain(const ExplainRequest& request)
      : request_(request), json_(request.call.json), warnings_(json_) {}

  int operator()() {
    const Status chosen = choose_target();
    if (!chosen) {
      return fail("explain", chosen.error(), json_);
    }
    const Result<Call> call = prepare_call(request_.call);
    if (!call) {
      return fail("explain", call.error(), json_);
    }
    LaunchOptions options;
    options.strict = request_.call.strict;
    options.warn = warnings_.hook();
    const Result<KernelExplanation> made =
        explain(call->kernel, call->arguments.arguments, target_, options);
    if (!made) {
      return fail("explain", warnings_.rest_of(made.error()), json_);
    }
    const Result<std::optional<Resources>> resources = find_resources(*call, options, *made);
    if (!resources) {
      return fail("explain", resources.error(), json_);
    }
    const int exit_code = request_.call.werror && !made->code.messages.empty() ? 1 : 0;
    if (json_) {
      print_json(report(*made, *resources, call->kernel.name(), exit_code));
      return exit_code;
    }
    warnings_.print_rest(made->code.messages);
    print_out(explanation_text(*made, *resources, call->kernel));
    return exit_code;
  }

 private:
  /// The device's chip if there is to be one, else --target.
  Status choose_target() {
    target_ = request_.target.empty() ? "sm_90a" : request_.target;
    if (request_.call.on.empty()) {
      return Ok{};
    }
    const Result<Device> device = choose_device(request_.call.on);
    if (!device) {
      return device.error();
    }
    if (device->kind() != Device::Kind::Cuda) {
      return Error{ErrorKind::Usage,
                   fmt::format("--on {}: what lines become is told of GPUs only; leave it out, or "
                               "name one: --on cuda",
                               request_.call.on),
                   {}};
    }
    device_ = *device;
    if (request_.target.empty() && !device->gpu_info()->target.empty()) {
      target_ = device->gpu_info()->target;
    }
    return Ok{};
  }

  /// From the driver if a device was named, else from ptxas if there is one.
  Result<std::optional<Resources>> find_resources(const Call& call, const LaunchOptions& options,
                                                  const KernelExplanation& explained) const {
    if (device_) {
      return ask_driver(call, options, explained.multiprocessor);
    }
    const GpuCode& code = explained.code;
    const std::optional<PtxasReport> said = ask_ptxas(code.ptx, code.target);
    if (!said) {
      return std::optional<Resources>{};
    }
    const Occupancy occupancy =
        occupancy_of(explained.multiprocessor, code.num_warps, said->registers, code.shared_bytes);
    return std::optional(
        Resources{said->version.empty() ? "ptxas" : fmt::format("ptxas {}", said->version),
                  said->registers, said->spill_store_bytes, std::nullopt, occupancy.blocks,
                  occupancy.warps, occupancy.most_warps, occupancy.limit});
  }

  Result<std::optional<Resources>> ask_driver(const Call& call, const LaunchOptions& options,
                                              const MultiprocessorLimits& chip) const {
    const Result<CallArguments> there = arguments_on(*device_, call.arguments);
    if (!there) {
      return there.error();
    }
    const std::int64_t grid[] = {1};
    const Result<PreparedLaunch> prepared =
        prepare(*device_, call.kernel, grid, there->arguments, options);
    if (!prepared) {
      return prepared.error();
    }
    const GpuKernelFacts& facts = prepared->facts();
    const Occupancy known =
        occupancy_of(chip, facts.num_warps, facts.registers, facts.shared_bytes);
    return std::optional(Resources{
        fmt::format("the driver, {}", device_->description()), facts.registers, std::nullopt,
        facts.local_bytes, facts.blocks_per_multiprocessor,
        facts.blocks_per_multiprocessor * facts.num_warps, known.most_warps, known.limit});
  }

  const ExplainRequest& request_;
  bool json_;
  EarlyWarnings warnings_;
  std::string target_;
  std::optional<Device> device_;
};

}  // namespace

int explain_command(const ExplainRequest& request) {
  return Explain(request)();
}

}  // namespace tilery::tools
