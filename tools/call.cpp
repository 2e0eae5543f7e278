#include "tools/call.h"

#include "tools/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace tilery::tools {

namespace {

Error wrong(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

/// An error of the command line in the form of the kernel's.
Message as_message(const Error& error) {
  Message message;
  message.severity = Message::Severity::Error;
  message.kind = "usage";
  message.message = error.message;
  message.text = fmt::format("tilery: error: {}\n", error.message);
  message.colored_text = message.text;
  return message;
}

/// The value of an environment variable that switches something, or nothing if it is unset.
std::optional<bool> switch_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') {
    return std::nullopt;
  }
  const std::string_view value = text;
  return value != "0" && value != "false" && value != "off" && value != "no";
}

/// Copies arrays to a device, each once, and puts the copies in their places.
class ArrayMover {
 public:
  explicit ArrayMover(const Device& device) : device_(device) {}

  /// What went wrong; nothing if all is well.
  std::optional<Error> move(Argument& argument) {
    if (auto* pointer = std::get_if<Pointer>(&argument.data); pointer && pointer->buffer) {
      const Result<Buffer> there = copy_of(*pointer->buffer);
      if (!there) {
        return there.error();
      }
      pointer->buffer = *there;
    } else if (auto* tuple = std::get_if<Argument::Tuple>(&argument.data)) {
      for (Argument& element : tuple->elements) {
        if (std::optional<Error> error = move(element)) {
          return error;
        }
      }
    }
    return std::nullopt;
  }

  Result<Buffer> copy_of(const Buffer& here) {
    for (const auto& [original, copy] : copies_) {
      if (original == here) {
        return copy;
      }
    }
    Result<Buffer> there = here.to(device_);
    if (there) {
      copies_.emplace_back(here, *there);
    }
    return there;
  }

 private:
  const Device& device_;
  std::vector<std::pair<Buffer, Buffer>> copies_;
};

/// The extents in `4,2`, and in `(4, 2)` and `(4,)`, as Python writes them.
std::vector<std::string> grid_extents(std::string_view text) {
  if (text.front() == '(' && text.back() == ')' && split_top_level(text).size() == 1) {
    std::vector<std::string> inside = split_top_level(text.substr(1, text.size() - 2));
    if (inside.size() > 1) {
      if (inside.back().empty()) {
        inside.pop_back();
      }
      return inside;
    }
  }
  return split_top_level(text);
}

}  // namespace

ExpressionNames CallArguments::names() const {
  return {[this](std::string_view name) -> std::optional<std::int64_t> {
            const auto found = numbers.find(name);
            return found == numbers.end() ? std::nullopt : std::optional(found->second);
          },
          [this](std::string_view name) -> std::optional<Extents> {
            const auto found = arrays.find(name);
            return found == arrays.end() ? std::nullopt : std::optional(found->second.shape());
          }};
}

std::optional<std::int64_t> expression_number(const Argument& value) {
  if (const auto* integer = value.as<std::int64_t>()) {
    return *integer;
  }
  const auto* typed = value.as<TypedScalar>();
  return typed != nullptr && !is_float(typed->dtype)
             ? std::optional(load_integer(typed->dtype, &typed->bits))
             : std::nullopt;
}

FileAndKernel split_file(const std::string& text) {
  const std::size_t colons = text.rfind("::");
  if (colons == std::string::npos) {
    return {text, ""};
  }
  return {text.substr(0, colons), text.substr(colons + 2)};
}

Result<std::pair<std::string, std::string>> split_pair(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return wrong(fmt::format("`{}` is not of the form NAME=VALUE", text));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<Kernel> find_kernel(const Library& library, const std::string& name) {
  return name.empty() ? library.only_kernel() : library.kernel(name);
}

Result<Call> prepare_call(const CallRequest& request) {
  const FileAndKernel target = split_file(request.file);
  const Result<Library> library = Library::parse_file(target.file);
  if (!library) {
    return library.error();
  }
  const Result<Kernel> kernel = find_kernel(*library, target.kernel);
  if (!kernel) {
    return kernel.error();
  }
  Result<CallArguments> arguments = read_arguments(request, *library, *kernel);
  if (!arguments) {
    return arguments.error();
  }
  return Call{*library, *kernel, *std::move(arguments)};
}

std::optional<int> gpu_ordinal(std::string_view on) {
  if (on == "cuda") {
    return 0;
  }
  constexpr std::string_view kPrefix = "cuda:";
  if (!on.starts_with(kPrefix)) {
    return {};
  }
  on.remove_prefix(kPrefix.size());
  int ordinal = 0;
  const auto [end, error] = std::from_chars(on.data(), on.data() + on.size(), ordinal);
  const bool is_number = error == std::errc() && end == on.data() + on.size() && ordinal >= 0;
  return is_number && !on.empty() ? std::optional(ordinal) : std::nullopt;
}

Result<CallArguments> arguments_on(const Device& device, const CallArguments& arguments) {
  ArrayMover mover(device);
  CallArguments moved = arguments;
  for (NamedArgument& argument : moved.arguments) {
    if (std::optional<Error> error = mover.move(argument.value)) {
      return *std::move(error);
    }
  }
  for (auto& [name, buffer] : moved.arrays) {
    const Result<Buffer> there = mover.copy_of(buffer);
    if (!there) {
      return there.error();
    }
    buffer = *there;
  }
  return moved;
}

Result<Device> choose_device(const std::string& on, const std::string& fallback) {
  if (on.empty()) {
    std::optional<bool> interpret = switch_of("TILERY_INTERPRET");
    interpret = interpret ? interpret : switch_of("TRITON_INTERPRET");
    return choose_device(interpret.value_or(false) ? "interpret" : fallback, fallback);
  }
  if (on == "interpret") {
    return Device::interpreter();
  }
  if (const std::optional<int> ordinal = gpu_ordinal(on)) {
    return Device::cuda(*ordinal);
  }
  return wrong(fmt::format("--on {}: there are interpret, cuda and cuda:N", on));
}

Result<std::vector<std::int64_t>> read_grid(const std::string& text,
                                            const CallArguments& arguments) {
  if (text.empty()) {
    return wrong(
        "--grid is missing: how many programs shall run? --grid 1 for a single one, "
        "--grid 'cdiv(n, BLOCK)' for as many as cover n elements");
  }
  std::vector<std::int64_t> grid;
  for (const std::string& extent : grid_extents(text)) {
    if (extent.empty()) {
      return wrong(
          fmt::format("--grid {}: an extent is missing; write X[,Y[,Z]], such as 4 or 4,2", text));
    }
    const Result<std::int64_t> value = evaluate(extent, arguments.names());
    if (!value) {
      return wrong("--grid: " + value.error().message);
    }
    grid.push_back(*value);
  }
  return grid;
}

std::vector<Error> input_mistakes(const Call& call, const CallArguments& arguments,
                                  const Result<std::vector<std::int64_t>>& grid, bool strict) {
  std::vector<Error> mistakes;
  LaunchOptions options;
  options.strict = strict;
  const Result<CompileReport> compiled = compile(call.kernel, arguments.arguments, options);
  if (!compiled && compiled.error().kind == ErrorKind::Usage) {
    mistakes.push_back(compiled.error());
  }
  if (!grid) {
    mistakes.push_back(grid.error());
  }
  return mistakes;
}

Error together(const std::vector<Error>& mistakes) {
  if (mistakes.size() == 1) {
    return mistakes.front();
  }
  Error all{mistakes.front().kind, {}, {}};
  for (const Error& mistake : mistakes) {
    all.message += (all.message.empty() ? "" : "\n") + mistake.message;
    if (mistake.messages.empty()) {
      all.messages.push_back(as_message(mistake));
    }
    all.messages.insert(all.messages.end(), mistake.messages.begin(), mistake.messages.end());
  }
  return all;
}

Error with_missing_grid(const Error& error, const std::string& grid) {
  if (!grid.empty() || error.kind != ErrorKind::Usage) {
    return error;
  }
  return together({error, read_grid("", {}).error()});
}

LaunchOptions launch_options(const RunRequest& request) {
  LaunchOptions options;
  options.strict = request.call.strict;
  options.threads = request.threads;
  options.timeout = std::chrono::milliseconds(
      static_cast<std::int64_t>(std::ceil(request.timeout_seconds * 1000)));
  options.check = request.check == "none"      ? Checks::None
                  : request.check == "tracked" ? Checks::Tracked
                                               : Checks::Fast;
  return options;
}

}  // namespace tilery::tools
