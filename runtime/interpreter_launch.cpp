#include "runtime/interpreter_launch.h"

#include "interpreter/interpreter.h"
#include "runtime/buffer_impl.h"
#include "runtime/convert.h"
#include "runtime/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace tilery {

namespace {

CheckLevel check_level(Checks checks) {
  switch (checks) {
    case Checks::None:
      return CheckLevel::None;
    case Checks::Fast:
      return CheckLevel::Fast;
    case Checks::Tracked:
      return CheckLevel::Tracked;
  }
  return CheckLevel::Fast;
}

RunOptions run_options(std::span<const std::int64_t> grid, const LaunchOptions& options,
                       const SourceMap& sources) {
  RunOptions run;
  std::ranges::copy(grid, run.grid.begin());
  run.threads = options.threads;
  run.check = check_level(options.check);
  run.timeout = options.timeout;
  run.max_findings = options.max_findings;
  run.sources = &sources;
  run.print = options.print;
  run.progress = options.progress;
  return run;
}

Error not_in_host_memory(const BoundBuffer& bound) {
  return {ErrorKind::Usage,
          fmt::format("`{}` lies on {}, and the interpreter reads host memory: give it "
                      "`buffer.to(Device::interpreter())`, or launch on that GPU",
                      bound.name, bound.buffer.device().description()),
          {}};
}

InterpreterBuffer interpreter_buffer(const BoundBuffer& bound) {
  Buffer::Impl& impl = *bound.buffer.impl();
  InterpreterBuffer buffer;
  buffer.name = bound.name;
  buffer.data = impl.data;
  buffer.bytes = impl.bytes;
  buffer.element = ElementType(scalar_of(impl.dtype));
  buffer.defined = impl.defined.get();
  buffer.read_only = impl.is_read_only;
  return buffer;
}

}  // namespace

Status run_in_interpreter(const Specialization& specialization, const BoundCall& call,
                          std::span<const std::int64_t> grid, const SourceMap& sources,
                          LaunchReport& report) {
  std::vector<InterpreterBuffer> buffers;
  buffers.reserve(call.buffers.size());
  for (const BoundBuffer& bound : call.buffers) {
    if (bound.buffer.is_on_gpu()) {
      return not_in_host_memory(bound);
    }
    buffers.push_back(interpreter_buffer(bound));
  }
  std::vector<InterpreterArgument> arguments;
  arguments.reserve(call.values.size());
  for (const BoundArgument& v : call.values) {
    arguments.push_back({v.is_pointer, v.bits, v.buffer, v.byte_offset});
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const InterpreterProgram& program = specialization.interpreter_program();
  const Clock::time_point planned = Clock::now();
  report.compile_time += planned - start;
  const RunReport run_report =
      run(program, std::move(buffers), arguments, run_options(grid, call.options, sources));
  if (run_report.missing_bytes != 0) {
    return Error{ErrorKind::Machine,
                 fmt::format("no memory for the tiles of a program: {} bytes a thread; smaller "
                             "blocks or fewer threads need less",
                             run_report.missing_bytes),
                 {}};
  }
  report.run_time = Clock::now() - planned;
  report.completed = run_report.completed;
  report.programs_run = run_report.programs_run;
  for (const Finding& finding : run_report.findings) {
    report.messages.push_back(message_of(finding, function_of(program), sources));
  }
  return Ok{};
}

}  // namespace tilery
