#include "tilery/launch.h"

#include "ir/printer.h"
#include "runtime/checked_call.h"
#include "runtime/cuda_launch.h"
#include "runtime/interpreter_launch.h"
#include "runtime/library_impl.h"
#include "runtime/messages.h"
#include "runtime/specialization.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tilery::inline v0 {

namespace {

using Clock = std::chrono::steady_clock;

void print_to_stdout(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

Status run_on(const Device& device, const Specialization& specialization, const BoundCall& call,
              std::span<const std::int64_t> grid, const SourceMap& sources, LaunchReport& report) {
  switch (device.kind()) {
    case Device::Kind::Interpreter:
      return run_in_interpreter(specialization, call, grid, sources, report);
    case Device::Kind::Cuda:
      return run_on_cuda(*device.cuda_device(), specialization, call, grid, sources, report);
  }
  return Ok{};
}

}  // namespace

bool LaunchReport::has_errors() const {
  return !completed || std::ranges::any_of(messages, [](const Message& m) {
    return m.severity == Message::Severity::Error;
  });
}

Result<LaunchReport> launch(const Device& device, const Kernel& kernel,
                            std::span<const std::int64_t> grid, const Arguments& arguments,
                            const LaunchOptions& options) {
  const Kernel::Impl& impl = *kernel.impl();
  const SourceMap& sources = impl.library->sources;
  Result<BoundCall> call = checked_call(impl, arguments, options, &grid);
  if (!call) {
    return call.error();
  }
  const Clock::time_point start = Clock::now();
  const SpecializationResult made = find_or_specialize(impl, *call, device.kind());
  if (made.specialization == nullptr) {
    return error_of(ErrorKind::Kernel, messages_of(made.diagnostics, sources, Phase::Compile));
  }
  const Specialization& specialization = *made.specialization;
  LaunchReport report;
  report.compiled = made.is_new;
  report.notes = call->notes;
  report.compile_time = Clock::now() - start;
  if (!call->options.print) {
    call->options.print = print_to_stdout;
  }
  if (made.is_new) {
    report.messages = specialization.warnings();
    if (!specialization.static_output().empty()) {
      call->options.print(specialization.static_output());
    }
  }
  const Status status = run_on(device, specialization, *call, grid, sources, report);
  if (!status) {
    return status.error();
  }
  return report;
}

Result<CompileReport> compile(const Kernel& kernel, const Arguments& arguments,
                              const LaunchOptions& options, const CompileOptions& compile_options) {
  const Kernel::Impl& impl = *kernel.impl();
  const SourceMap& sources = impl.library->sources;
  Result<BoundCall> call = checked_call(impl, arguments, options, nullptr);
  if (!call) {
    return call.error();
  }
  const PrintOptions print_options{compile_options.source_lines ? &sources : nullptr};
  AfterPass after_pass;
  if (compile_options.after_pass) {
    after_pass = [&](std::string_view pass, const Function& function) {
      compile_options.after_pass(pass, print(function, print_options));
    };
  }
  Diagnostics diagnostics;
  std::optional<Specialized> specialized =
      specialize_call(impl, *call, Device::Kind::Interpreter, after_pass, diagnostics);
  CompileReport report;
  report.messages = messages_of(diagnostics, sources, Phase::Compile);
  if (!specialized) {
    return error_of(ErrorKind::Kernel, std::move(report.messages));
  }
  report.static_output = std::move(specialized->static_output);
  report.ir = print(specialized->function, print_options);
  return report;
}

}  // namespace tilery::inline v0
