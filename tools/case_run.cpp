#include "tools/case_run.h"

#include "tilery/library.h"
#include "tools/case_contents.h"
#include "tools/output_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace tilery::tools {

namespace {

Error bad_case(const CaseFile& file, std::string message) {
  return {ErrorKind::Usage, fmt::format("case {}: {}", file.id, message), {}};
}

Result<std::string> edited(const CaseFile& file, const CaseVariant& variant) {
  std::string text = file.source;
  for (const auto& [old_text, new_text] : variant.edit) {
    const std::size_t at = text.find(old_text);
    if (at == std::string::npos || text.find(old_text, at + 1) != std::string::npos) {
      return bad_case(file, fmt::format("`{}` does not occur exactly once", old_text));
    }
    text.replace(at, old_text.size(), new_text);
  }
  return text;
}

void replace_arguments(std::vector<CaseLaunch>& launches, const std::vector<CaseArgument>& set) {
  for (CaseLaunch& launch : launches) {
    for (CaseArgument& argument : launch.arguments) {
      for (const CaseArgument& replacement : set) {
        if (argument.name == replacement.name) {
          argument = replacement;
        }
      }
    }
  }
}

void store(DType dtype, void* element, const CaseNumber& number) {
  if (number.is_float) {
    store_number(dtype, element, number.real);
  } else if (is_float(dtype)) {
    store_number(dtype, element, number.value());
  } else {
    store_integer(dtype, element, static_cast<std::int64_t>(number.bits));
  }
}

CaseNumber of_arange(const CaseContents& contents, std::int64_t i) {
  double v = contents.start + contents.step * static_cast<double>(i);
  if (contents.mod) {
    const auto mod = static_cast<double>(*contents.mod);
    v = v - std::floor(v / mod) * mod + static_cast<double>(contents.add);
  }
  return {.is_float = true, .real = v};
}

CaseNumber element_of(const CaseContents& contents, std::int64_t i) {
  if (contents.is_arange) {
    return of_arange(contents, i);
  }
  return contents.fill ? *contents.fill : contents.data[static_cast<std::size_t>(i)];
}

/// Buffers of a case by the names of their arguments; they live through all its launches.
class CaseBuffers {
 public:
  Status make(const std::vector<CaseLaunch>& launches) {
    for (const CaseLaunch& launch : launches) {
      for (const CaseArgument& argument : launch.arguments) {
        if (!argument.buffer || buffers.contains(argument.name)) {
          continue;
        }
        const CaseBuffer& b = *argument.buffer;
        Result<Buffer> buffer = make_buffer(b.dtype, b.shape, b.contents);
        if (!buffer) {
          return Error{buffer.error().kind,
                       fmt::format("argument `{}`: {}", argument.name, buffer.error().message),
                       {}};
        }
        buffers.emplace(argument.name, *buffer);
      }
    }
    return Ok{};
  }

  Result<Argument> argument(const CaseFile& file, const CaseArgument& argument) const {
    if (argument.value) {
      return *argument.value;
    }
    if (argument.is_null) {
      return Argument::null_pointer(argument.buffer->dtype);
    }
    const auto found = buffers.find(argument.alias.empty() ? argument.name : argument.alias);
    if (found == buffers.end()) {
      return bad_case(file, fmt::format("`{}` is an alias of no buffer", argument.name));
    }
    return Argument::pointer(found->second, argument.offset);
  }

  std::map<std::string, Buffer> buffers;
};

std::map<std::string, Buffer> copies_of(const std::map<std::string, Buffer>& buffers) {
  std::map<std::string, Buffer> copies;
  for (const auto& [name, buffer] : buffers) {
    const Result<Buffer> copy = Buffer::copy_of(buffer.dtype(), buffer.shape(), buffer.data());
    if (copy) {
      copies.emplace(name, *copy);
    }
  }
  return copies;
}

Result<LaunchOptions> launch_options(const CaseFile& file, const std::string& mode,
                                     const CaseSettings& settings) {
  LaunchOptions options;
  options.strict = file.is_strict;
  options.threads = settings.threads;
  options.math = settings.math;
  std::vector<std::pair<std::string, Argument>> given = file.options;
  if (const auto found = file.mode_options.find(mode); found != file.mode_options.end()) {
    given.insert(given.end(), found->second.begin(), found->second.end());
  }
  for (const auto& [name, value] : given) {
    if (const Status set = set_launch_option(options, name, value); !set) {
      return bad_case(file, set.error().message);
    }
  }
  return options;
}

/// Takes the messages of a failure as the run's outcome; errors without any are the machine's.
bool take_failure(const Error& error, CaseOutcome& outcome) {
  outcome.messages.insert(outcome.messages.end(), error.messages.begin(), error.messages.end());
  outcome.is_completed = false;
  return !error.messages.empty();
}

/// What the driver says of an assertion: "FILE:LINE: FUNCTION: block: [0,0,0], thread: [2,0,0]
/// Assertion `TEXT` failed." Nothing if there is none.
std::string_view assertion_line(std::string_view output) {
  const std::size_t at = output.find(" Assertion `");
  if (at == std::string_view::npos) {
    return {};
  }
  const std::size_t begin = output.rfind('\n', at) + 1;
  return output.substr(begin, output.find('\n', at) - begin);
}

/// The number between the first two colons of "FILE:LINE: …"; 0 if there is none.
std::uint32_t line_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  std::uint32_t line = 0;
  if (colon != std::string_view::npos) {
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
  }
  return line;
}

/// An error that a GPU gave without a place in the source: a limit that it met before it ran, or a
/// fault. False: the machine's.
bool take_gpu_failure(const CaseFile& file, const Error& error, std::string_view printed,
                      CaseOutcome& outcome) {
  if (!error.messages.empty()) {
    return take_failure(error, outcome);
  }
  if (error.kind == ErrorKind::Machine) {
    return false;
  }
  Message message;
  message.message = error.message;
  message.phase = error.kind == ErrorKind::Usage ? Phase::Launch : Phase::Run;
  message.kind = message.phase == Phase::Launch ? "gpu-limit" : "gpu-fault";
  message.text = error.message;
  if (const std::string_view assertion = assertion_line(printed); !assertion.empty()) {
    message.kind = "assertion-failed";
    message.text = fmt::format("{}\n{}", error.message, assertion);
    if (const std::uint32_t line = line_of(assertion); line != 0) {
      message.place = {file.source_name, line, 1, line, 1};
    }
  }
  outcome.has_lost_gpu = message.phase == Phase::Run;
  outcome.messages.push_back(std::move(message));
  outcome.is_completed = false;
  return true;
}

/// Runs one case in one mode.
class CaseRunner {
 public:
  CaseRunner(const CaseFile& file, const std::string& mode, LaunchOptions options, Device device,
             CaseOutcome& outcome)
      : file_(file),
        is_run_(mode != "frontend"),
        options_(std::move(options)),
        device_(device),
        outcome_(outcome) {
    options_.print = [this](std::string_view text) { outcome_.output += text; };
  }

  /// One launch, or in frontend mode one compilation. False: an error ended the case.
  Result<bool> launch(const Kernel& kernel, const std::vector<std::int64_t>& grid,
                      const Arguments& arguments) {
    if (!is_run_) {
      return compile_only(kernel, arguments);
    }
    return device_.kind() == Device::Kind::Cuda ? launch_on_gpu(kernel, grid, arguments)
                                                : interpret(kernel, grid, arguments);
  }

 private:
  Result<bool> compile_only(const Kernel& kernel, const Arguments& arguments) {
    const Result<CompileReport> report = compile(kernel, arguments, options_);
    if (!report) {
      return failed(report.error(), take_failure(report.error(), outcome_));
    }
    add_messages(report->messages);
    outcome_.output += report->static_output;
    return true;
  }

  Result<bool> interpret(const Kernel& kernel, const std::vector<std::int64_t>& grid,
                         const Arguments& arguments) {
    const Result<LaunchReport> report = tilery::launch(device_, kernel, grid, arguments, options_);
    if (!report) {
      return failed(report.error(), take_failure(report.error(), outcome_));
    }
    add_messages(report->messages);
    outcome_.is_completed = !report->has_errors();
    return outcome_.is_completed;
  }

  Result<bool> launch_on_gpu(const Kernel& kernel, const std::vector<std::int64_t>& grid,
                             const Arguments& arguments) {
    OutputCapture capture;
    const Result<LaunchReport> report = tilery::launch(device_, kernel, grid, arguments, options_);
    const CapturedOutput printed = capture.finish();
    outcome_.output += printed.out;
    if (!report) {
      return failed(report.error(),
                    take_gpu_failure(file_, report.error(), printed.out + printed.err, outcome_));
    }
    add_messages(report->messages);
    return true;
  }

  static Result<bool> failed(const Error& error, bool is_taken) {
    return is_taken ? Result<bool>(false) : Result<bool>(error);
  }

  void add_messages(const std::vector<Message>& messages) {
    outcome_.messages.insert(outcome_.messages.end(), messages.begin(), messages.end());
  }

  const CaseFile& file_;
  bool is_run_;
  LaunchOptions options_;
  Device device_;
  CaseOutcome& outcome_;
};

Result<Device> device_of(const std::string& mode, const CaseSettings& settings) {
  return mode == "cuda" ? Device::cuda(settings.gpu) : Result<Device>(Device::interpreter());
}

}  // namespace

Result<Buffer> make_buffer(DType dtype, const Extents& shape, const CaseContents& contents) {
  Result<Buffer> buffer = Buffer::zeros(dtype, shape);
  if (!buffer) {
    return buffer;
  }
  const auto size = static_cast<std::int64_t>(byte_size(dtype));
  auto* element = static_cast<std::byte*>(buffer->data());
  for (std::int64_t i = 0; i < buffer->numel(); ++i, element += size) {
    const CaseNumber number = element_of(contents, i);
    if (!fits(dtype, number)) {
      return Error{ErrorKind::Usage,
                   fmt::format("element {} is given as {}, which is no {}", i, number_text(number),
                               tilery::name(dtype)),
                   {}};
    }
    store(dtype, element, number);
  }
  return buffer;
}

Result<std::vector<CaseRun>> case_runs(const CaseFile& file) {
  std::vector<CaseRun> runs = {{"", file.source, file.launches, &file.expect, file.modes}};
  for (const CaseVariant& variant : file.variants) {
    Result<std::string> source = edited(file, variant);
    if (!source) {
      return source.error();
    }
    CaseRun run{variant.title, *std::move(source),
                variant.launches.empty() ? file.launches : variant.launches, &variant.expect,
                variant.modes.empty() ? file.modes : variant.modes};
    replace_arguments(run.launches, variant.set);
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<CaseOutcome> run_case(const CaseFile& file, const CaseRun& run, const std::string& mode,
                             const CaseSettings& settings) {
  CaseOutcome outcome;
  Result<LaunchOptions> options = launch_options(file, mode, settings);
  if (!options) {
    return options.error();
  }
  const Result<Device> device = device_of(mode, settings);
  if (!device) {
    return device.error();
  }
  CaseBuffers buffers;
  if (const Status made = buffers.make(run.launches); !made) {
    return made.error();
  }
  outcome.before = copies_of(buffers.buffers);
  outcome.after = buffers.buffers;
  Environment environment;
  environment.named_tuples = file.host_types;
  const Result<Library> library = Library::parse({file.source_name, 1, run.source}, environment);
  if (!library) {
    return take_failure(library.error(), outcome) ? Result<CaseOutcome>(outcome)
                                                  : Result<CaseOutcome>(library.error());
  }
  CaseRunner runner(file, mode, *std::move(options), *device, outcome);
  for (const CaseLaunch& launch : run.launches) {
    const Result<Kernel> kernel = library->kernel(launch.kernel);
    if (!kernel) {
      return take_failure(kernel.error(), outcome) ? Result<CaseOutcome>(outcome)
                                                   : Result<CaseOutcome>(kernel.error());
    }
    Arguments arguments;
    for (const CaseArgument& argument : launch.arguments) {
      const Result<Argument> value = buffers.argument(file, argument);
      if (!value) {
        return value.error();
      }
      arguments.emplace_back(argument.name, *value);
    }
    const Result<bool> goes_on = runner.launch(*kernel, launch.grid, arguments);
    if (!goes_on) {
      return goes_on.error();
    }
    if (!*goes_on) {
      break;
    }
  }
  return outcome;
}

}  // namespace tilery::tools
