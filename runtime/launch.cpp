#include "tilery/launch.h"

#include "ir/printer.h"
#include "runtime/bind.h"
#include "runtime/library_impl.h"
#include "runtime/messages.h"
#include "runtime/specialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tilery::inline v0 {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMaxExtent = 2147483647;
constexpr const char* kMaxExtentText = "2147483647";

void check_grid(std::span<const std::int64_t> grid, SourceRange where, Diagnostics& diagnostics) {
  if (grid.empty() || grid.size() > 3) {
    diagnostics.report(DiagId::GridRank, where, grid.size())
        .helped("fold the others into one axis and split it with // and % in the kernel");
    return;
  }
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    if (grid[axis] < 0) {
      diagnostics.report(DiagId::GridNegative, where, axis, grid[axis])
          .helped("0 is allowed and runs nothing");
    } else if (grid[axis] > kMaxExtent) {
      diagnostics.report(DiagId::GridTooLarge, where, axis, grid[axis], kMaxExtentText)
          .helped("let each program handle more elements");
    }
  }
  if (diagnostics.has_errors() || std::ranges::find(grid, 0) != grid.end()) {
    return;
  }
  std::int64_t programs = 1;
  for (const std::int64_t extent : grid) {
    if (programs > kMaxExtent / extent) {
      diagnostics
          .report(DiagId::GridTooManyPrograms, where, fmt::format("{}", fmt::join(grid, " x ")),
                  kMaxExtentText)
          .helped("let each program handle more elements");
      return;
    }
    programs *= extent;
  }
}

tilery::CheckLevel check_level(Checks checks) {
  switch (checks) {
    case Checks::None:
      return tilery::CheckLevel::None;
    case Checks::Fast:
      return tilery::CheckLevel::Fast;
    case Checks::Tracked:
      return tilery::CheckLevel::Tracked;
  }
  return tilery::CheckLevel::Fast;
}

RunOptions run_options(std::span<const std::int64_t> grid, const LaunchOptions& options) {
  RunOptions run;
  std::ranges::copy(grid, run.grid.begin());
  run.threads = options.threads;
  run.check = check_level(options.check);
  run.timeout = options.timeout;
  run.max_findings = options.max_findings;
  run.print = options.print;
  if (!run.print) {
    run.print = [](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    };
  }
  run.progress = options.progress;
  return run;
}

/// Binds and checks what the caller gave; an error has ErrorKind::Usage.
Result<BoundCall> checked_call(const Kernel::Impl& kernel, const Arguments& arguments,
                               const LaunchOptions& options,
                               const std::span<const std::int64_t>* grid) {
  Diagnostics diagnostics;
  BoundCall call = bind_arguments(kernel.info, arguments, options, diagnostics);
  if (grid != nullptr) {
    Diagnostics grid_diagnostics;
    check_grid(*grid, {}, grid_diagnostics);
    diagnostics.append(grid_diagnostics);
  }
  if (diagnostics.has_errors()) {
    return error_of(ErrorKind::Usage,
                    messages_of(diagnostics, kernel.library->sources, Phase::Launch));
  }
  return call;
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
  // The interpreter is the only kind of device so far.
  (void)device;
  const Kernel::Impl& impl = *kernel.impl();
  Result<BoundCall> call = checked_call(impl, arguments, options, &grid);
  if (!call) {
    return call.error();
  }
  const Clock::time_point start = Clock::now();
  SpecializationResult made = find_or_specialize(impl, *call);
  if (made.specialization == nullptr) {
    return error_of(ErrorKind::Kernel,
                    messages_of(made.diagnostics, impl.library->sources, Phase::Compile));
  }
  const Clock::time_point compiled = Clock::now();
  LaunchReport report;
  report.compiled = made.is_new;
  report.compile_time = compiled - start;
  if (made.is_new) {
    report.messages = made.specialization->warnings;
  }
  const InterpreterProgram& program = *made.specialization->program;
  RunOptions run_settings = run_options(grid, call->options);
  run_settings.sources = &impl.library->sources;
  if (made.is_new && !made.specialization->static_output.empty()) {
    run_settings.print(made.specialization->static_output);
  }
  RunReport run_report = run(program, std::move(call->buffers), call->values, run_settings);
  if (run_report.missing_bytes != 0) {
    return Error{ErrorKind::Machine,
                 fmt::format("no memory for the tiles of a program: {} bytes a thread; smaller "
                             "blocks or fewer threads need less",
                             run_report.missing_bytes),
                 {}};
  }
  report.run_time = Clock::now() - compiled;
  report.completed = run_report.completed;
  report.programs_run = run_report.programs_run;
  for (const Finding& finding : run_report.findings) {
    report.messages.push_back(message_of(finding, function_of(program), impl.library->sources));
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
  std::optional<Specialized> specialized = specialize_call(impl, *call, after_pass, diagnostics);
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
