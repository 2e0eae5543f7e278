// `tilery build`: a kernel's code and a C header that loads and launches it, ahead of time.
#include "tilery/gpu_code.h"
#include "tools/build_header.h"
#include "tools/call.h"
#include "tools/console.h"
#include "tools/cuda_tool_path.h"
#include "tools/cuda_toolkit.h"
#include "tools/report_json.h"
#include "tools/requests.h"
#include "tools/whole_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Error wrong(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

/// By ptxas, else by the driver of a GPU of that kind.
Result<std::string> machine_code(const GpuCode& code) {
  if (find_cuda_tool("ptxas")) {
    return assemble_with_ptxas(code);
  }
  const Result<int> count = Device::cuda_count();
  for (int i = 0; count && i < *count; ++i) {
    const Result<Device> device = Device::cuda(i);
    if (device && device->gpu_info()->target == code.target) {
      return assemble_with_driver(code, *device);
    }
  }
  return Error{
      ErrorKind::Machine,
      fmt::format("--format cubin needs the assembler `ptxas` of NVIDIA's CUDA toolkit ({}) "
                  "or a GPU of target {} ({}); --format ptx needs nothing",
                  cuda_tool_places(), code.target,
                  count ? fmt::format("{} here, none of it", *count) : count.error().message),
      {}};
}

/// The command line as it could be typed again.
std::string command_text(const BuildRequest& request) {
  std::string text = "tilery build " + request.call.file;
  for (const std::string& value : request.call.values) {
    const bool is_plain = value.find_first_of("'\"$`\\ *()[];&|<>") == std::string::npos;
    text += is_plain ? " " + value : fmt::format(" '{}'", value);
  }
  return text + fmt::format(" --target {} --format {} --out {}", request.target, request.format,
                            request.out);
}

class Builder {
 public:
  Builder(const BuildRequest& request, EarlyWarnings& warnings)
      : request_(request), warnings_(warnings) {}

  Status build() {
    const std::string name = fs::path(request_.out).filename().string();
    if (name.empty() || name == "." || name == "..") {
      return wrong(
          fmt::format("--out {}: a path without its ending, as in --out build/add, which "
                      "gives build/add.h",
                      request_.out));
    }
    if (const std::string& given = request_.name; !given.empty() && c_identifier(given) != given) {
      return wrong(fmt::format(
          "--name {}: C names begin with it, so it takes letters, digits and `_`, a letter first; "
          "{} would do",
          given, c_identifier(given)));
    }
    const Result<Call> call = prepare_call(request_.call);
    if (!call) {
      return call.error();
    }
    LaunchOptions options;
    options.strict = request_.call.strict;
    options.warn = warnings_.hook();
    Result<GpuCode> made =
        compile_for_target(call->kernel, call->arguments.arguments, request_.target, options);
    if (!made) {
      return made.error();
    }
    code = *std::move(made);
    if (request_.call.werror && !code.messages.empty()) {
      return Ok{};
    }
    const bool is_ptx = request_.format == "ptx";
    Result<std::string> image = is_ptx ? Result<std::string>(code.ptx) : machine_code(code);
    if (!image) {
      return image.error();
    }
    HeaderRequest header;
    header.prefix = c_identifier(request_.name.empty() ? name : request_.name);
    header.source = fs::path(split_file(request_.call.file).file).filename().string();
    header.command = command_text(request_);
    header.image = *image;
    header.is_ptx = is_ptx;
    prefix = header.prefix;
    files = {fmt::format("{}.{}", request_.out, request_.format), request_.out + ".h"};
    return write_whole_files({{files[0], *image}, {files[1], header_text(code, header)}});
  }

  GpuCode code;
  std::string prefix;
  std::vector<std::string> files;  ///< those written

 private:
  const BuildRequest& request_;
  EarlyWarnings& warnings_;
};

}  // namespace

int build_command(const BuildRequest& request) {
  const bool json = request.call.json;
  EarlyWarnings warnings(json);
  Builder builder(request, warnings);
  if (const Status status = builder.build(); !status) {
    return fail("build", warnings.rest_of(status.error()), json);
  }
  const int exit_code = builder.files.empty() ? 1 : 0;
  if (json) {
    Json report = report_head("build", exit_code);
    report["messages"] = messages_json(builder.code.messages);
    report["files"] = builder.files;
    report["prefix"] = builder.prefix;
    report["kernel"] = kernel_json(builder.code);
    print_json(report);
    return exit_code;
  }
  warnings.print_rest(builder.code.messages);
  print_notes(builder.code.notes);
  for (const std::string& file : builder.files) {
    print_out(fmt::format("wrote {}\n", file));
  }
  return exit_code;
}

}  // namespace tilery::tools
