// `tilery emit`: the stages of a kernel as text.
#include "tilery/gpu_code.h"
#include "tools/call.h"
#include "tools/console.h"
#include "tools/cuda_toolkit.h"
#include "tools/dump.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

/// One text that the command prints: a stage, or the IR after a pass.
struct Emitted {
  std::string title;
  std::string text;
};

/// Collects the texts; warnings go to `messages`.
class Emitter {
 public:
  Emitter(const EmitRequest& request, EarlyWarnings& warnings)
      : request_(request), warnings_(warnings) {}

  Status emit() {
    if (request_.stage == "ast") {
      const Result<Library> library = Library::parse_file(split_file(request_.call.file).file);
      if (!library) {
        return library.error();
      }
      texts.push_back({"ast", library->ast_text()});
      return Ok{};
    }
    const Result<Call> call = prepare_call(request_.call);
    if (!call) {
      return call.error();
    }
    if (is_gpu_stage()) {
      return emit_code(*call);
    }
    const Result<CompileReport> report = compile_call(*call);
    if (!report) {
      return report.error();
    }
    messages = report->messages;
    if (const std::string missing = unknown_pass(); !missing.empty()) {
      return Error{ErrorKind::Usage,
                   fmt::format("--dump-after {}: there is no pass of that name; they are: {}",
                               missing, fmt::join(passes_, ", ")),
                   {}};
    }
    texts.push_back({"ir", report->ir});
    return Ok{};
  }

  std::vector<Emitted> texts;
  std::vector<Message> messages;
  std::optional<GpuCode> code;  ///< of the stages on the way to a GPU

 private:
  bool is_gpu_stage() const {
    return request_.stage == "layout" || request_.stage == "llvm" || request_.stage == "ptx" ||
           request_.stage == "sass";
  }

  Status emit_code(const Call& call) {
    LaunchOptions options;
    options.strict = request_.call.strict;
    options.warn = warnings_.hook();
    Result<GpuCode> made =
        compile_for_target(call.kernel, call.arguments.arguments, request_.target, options,
                           {request_.stage == "layout", request_.stage == "llvm", request_.lines});
    if (!made) {
      return made.error();
    }
    messages = made->messages;
    code = std::move(*made);
    if (request_.stage == "sass") {
      return emit_sass(*code);
    }
    texts.push_back({request_.stage, request_.stage == "layout" ? code->layout
                                     : request_.stage == "llvm" ? code->llvm
                                                                : code->ptx});
    return Ok{};
  }

  Status emit_sass(const GpuCode& made) {
    Result<std::string> sass = disassemble(made);
    if (!sass) {
      Error error = sass.error();
      error.message = fmt::format("--stage sass: {}; --stage ptx needs nothing", error.message);
      return error;
    }
    texts.push_back({"sass", request_.lines ? with_source_text(*sass) : *std::move(sass)});
    return Ok{};
  }

  /// Puts the text of the kernel's lines behind nvdisasm's remarks: `//## File "k.tl", line 10`.
  std::string with_source_text(const std::string& sass) const {
    const std::string file = split_file(request_.call.file).file;
    std::ifstream in(file);
    std::vector<std::string> source;
    for (std::string line; std::getline(in, line);) {
      source.push_back(line);
    }
    const std::string remark = fmt::format("//## File \"{}\", line ", file);
    std::string text;
    std::istringstream lines(sass);
    for (std::string line; std::getline(lines, line);) {
      text += line;
      if (const std::size_t at = line.find(remark); at != std::string::npos) {
        const std::size_t number = std::strtoul(line.c_str() + at + remark.size(), nullptr, 10);
        if (number >= 1 && number <= source.size()) {
          text += fmt::format(": {}", source[number - 1]);
        }
      }
      text += '\n';
    }
    return text;
  }

  bool is_wanted(std::string_view pass) const {
    const std::vector<std::string>& wanted = request_.dump_after;
    return std::ranges::any_of(
        wanted, [&](const std::string& name) { return name == pass || name == "all"; });
  }

  std::string unknown_pass() const {
    for (const std::string& name : request_.dump_after) {
      if (name != "all" && std::ranges::find(passes_, name) == passes_.end()) {
        return name;
      }
    }
    return {};
  }

  Result<CompileReport> compile_call(const Call& call) {
    LaunchOptions options;
    options.strict = request_.call.strict;
    CompileOptions compile_options;
    compile_options.source_lines = request_.lines;
    compile_options.after_pass = [&](std::string_view pass, std::string_view ir) {
      if (std::ranges::find(passes_, pass) == passes_.end()) {
        passes_.emplace_back(pass);
      }
      if (is_wanted(pass)) {
        texts.push_back({fmt::format("after {}", pass), std::string(ir)});
      }
    };
    return compile(call.kernel, call.arguments.arguments, options, compile_options);
  }

  const EmitRequest& request_;
  EarlyWarnings& warnings_;
  std::vector<std::string> passes_;
};

}  // namespace

int emit_command(const EmitRequest& request) {
  const bool json = request.call.json;
  EarlyWarnings warnings(json);
  Emitter emitter(request, warnings);
  const Status status = emitter.emit();
  if (!status) {
    return fail("emit", warnings.rest_of(status.error()), json);
  }
  const int exit_code = request.call.werror && !emitter.messages.empty() ? 1 : 0;
  if (json) {
    Json report = report_head("emit", exit_code);
    report["messages"] = messages_json(emitter.messages);
    Json texts = Json::array();
    for (const Emitted& emitted : emitter.texts) {
      texts.push_back({{"stage", emitted.title}, {"text", emitted.text}});
    }
    if (emitter.code) {
      report["kernel"] = kernel_json(*emitter.code);
    }
    report["texts"] = std::move(texts);
    print_json(report);
    return exit_code;
  }
  warnings.print_rest(emitter.messages);
  if (emitter.code) {
    print_notes(emitter.code->notes);
  }
  for (const Emitted& emitted : emitter.texts) {
    if (emitter.texts.size() > 1) {
      print_out(fmt::format("// ---- {} ----\n", emitted.title));
    }
    print_out(emitted.text);
  }
  return exit_code;
}

}  // namespace tilery::tools
