// `tilery lint`: parse and, with arguments, specialise; nothing runs.
#include "tools/call.h"
#include "tools/console.h"
#include "tools/dump.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace tilery::tools {

namespace {

/// Without arguments there are no types: only what the parser and the signatures show.
Result<CompileReport> lint_syntax(const CallRequest& call) {
  const FileAndKernel target = split_file(call.file);
  const Result<Library> library = Library::parse_file(target.file);
  if (!library) {
    return library.error();
  }
  if (!target.kernel.empty()) {
    const Result<Kernel> kernel = library->kernel(target.kernel);
    return kernel ? Result<CompileReport>(CompileReport()) : kernel.error();
  }
  for (const Kernel& kernel : library->kernels()) {
    if (const Result<Kernel> checked = library->kernel(kernel.name()); !checked) {
      return checked.error();
    }
  }
  return CompileReport();
}

Result<CompileReport> lint_types(const CallRequest& call) {
  const Result<Call> prepared = prepare_call(call);
  if (!prepared) {
    return prepared.error();
  }
  LaunchOptions options;
  options.strict = call.strict;
  const Arguments& arguments = prepared->arguments.arguments;
  if (const std::string directory = dump_directory(); !directory.empty()) {
    const Status dumped =
        dump_stages(directory, prepared->library, prepared->kernel, arguments, options);
    if (!dumped) {
      return dumped.error();
    }
  }
  return compile(prepared->kernel, arguments, options);
}

}  // namespace

int lint_command(const LintRequest& request) {
  const bool json = request.call.json;
  const Result<CompileReport> report =
      request.call.values.empty() ? lint_syntax(request.call) : lint_types(request.call);
  if (!report) {
    return fail("lint", report.error(), json);
  }
  const int exit_code = request.call.werror && !report->messages.empty() ? 1 : 0;
  if (json) {
    nlohmann::ordered_json out = report_head("lint", exit_code);
    out["messages"] = messages_json(report->messages);
    out["output"] = report->static_output;
    print_json(out);
    return exit_code;
  }
  print_out(report->static_output);
  print_messages(report->messages);
  if (report->messages.empty()) {
    print_out(request.call.values.empty()
                  ? fmt::format("{}: the syntax is good; give arguments to check types too\n",
                                request.call.file)
                  : fmt::format("{}: no complaints\n", request.call.file));
  }
  return exit_code;
}

}  // namespace tilery::tools
