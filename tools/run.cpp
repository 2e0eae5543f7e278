// `tilery run`: arguments → launch → arrays printed, compared, written.
#include "tilery/launch.h"
#include "tilery/npy.h"
#include "tools/array_text.h"
#include "tools/call.h"
#include "tools/compare.h"
#include "tools/console.h"
#include "tools/dump.h"
#include "tools/report_json.h"
#include "tools/requests.h"
#include "tools/whole_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

Error wrong(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

/// An array that is named on the command line, with the file that goes with it.
struct NamedFile {
  std::string name;
  Buffer buffer;
  std::string path;
};

struct Expectation {
  NamedFile file;
  Buffer want;
};

/// What is to be done after the run; all of it is looked up and loaded before.
struct Wishes {
  std::vector<std::pair<std::string, Buffer>> print;
  std::vector<NamedFile> out;
  std::vector<Expectation> expect;
};

Error no_array(const CallArguments& arguments, const std::string& option, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(arguments.arrays.size());
  for (const auto& [known, buffer] : arguments.arrays) {
    names.push_back(known);
  }
  return wrong(fmt::format("{} {}: there is no array argument of that name; there {}: {}", option,
                           name, names.size() == 1 ? "is" : "are",
                           names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

Result<std::vector<NamedFile>> named_files(const CallArguments& arguments, const char* option,
                                           const std::vector<std::string>& texts) {
  std::vector<NamedFile> files;
  for (const std::string& text : texts) {
    const Result<std::pair<std::string, std::string>> pair = split_pair(text);
    if (!pair || pair->second.empty()) {
      return wrong(fmt::format("{} {}: write NAME=FILE.npy", option, text));
    }
    const auto found = arguments.arrays.find(pair->first);
    if (found == arguments.arrays.end()) {
      return no_array(arguments, option, pair->first);
    }
    // `@` is how arguments name files; accept it here too.
    const std::string path = pair->second.starts_with('@') ? pair->second.substr(1) : pair->second;
    files.push_back({pair->first, found->second, path});
  }
  return files;
}

/// Refuses before the run what could not be written after it.
std::optional<Error> writing_problem(const std::vector<NamedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& path = files[i].path;
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (access(folder.c_str(), W_OK) != 0) {
      return wrong(cannot_write(path, errno));
    }
    if (std::any_of(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const NamedFile& other) { return other.path == path; })) {
      return wrong(fmt::format("--out: `{}` would be written twice", path));
    }
  }
  return std::nullopt;
}

Result<Expectation> load_expectation(const NamedFile& file) {
  const DType dtype = file.buffer.dtype();
  // bf16 and fp8 may lie in the file as raw bits.
  const bool is_raw = is_float(dtype) && (byte_size(dtype) == 1 || dtype == DType::BF16);
  Result<Buffer> want = load_npy(file.path);
  if (is_raw && (!want || !is_float(want->dtype()))) {
    want = load_npy(file.path, dtype);
  }
  if (!want) {
    return want.error();
  }
  if (want->shape() != file.buffer.shape() || !are_comparable(dtype, want->dtype())) {
    return wrong(fmt::format("--expect {}={}: the file holds {}, the argument is {}", file.name,
                             file.path, array_type_text(*want), array_type_text(file.buffer)));
  }
  return Expectation{file, *want};
}

Result<Wishes> read_wishes(const RunRequest& request, const CallArguments& arguments) {
  Wishes wishes;
  if (request.print_all) {
    wishes.print.assign(arguments.arrays.begin(), arguments.arrays.end());
  } else if (!request.print.empty()) {
    for (const std::string& name : split_top_level(request.print)) {
      if (name.empty()) {
        return wrong(
            fmt::format("--print {}: a name is missing; write NAME[,NAME]", request.print));
      }
      const auto found = arguments.arrays.find(name);
      if (found == arguments.arrays.end()) {
        return no_array(arguments, "--print", name);
      }
      wishes.print.emplace_back(name, found->second);
    }
  }
  Result<std::vector<NamedFile>> out = named_files(arguments, "--out", request.out);
  if (!out) {
    return out.error();
  }
  if (std::optional<Error> problem = writing_problem(*out)) {
    return *std::move(problem);
  }
  wishes.out = *std::move(out);
  const Result<std::vector<NamedFile>> expect = named_files(arguments, "--expect", request.expect);
  if (!expect) {
    return expect.error();
  }
  for (const NamedFile& file : *expect) {
    Result<Expectation> expectation = load_expectation(file);
    if (!expectation) {
      return expectation.error();
    }
    wishes.expect.push_back(*std::move(expectation));
  }
  return wishes;
}

std::optional<Message> unwritten_warning(const NamedFile& file) {
  const Buffer& buffer = file.buffer;
  std::int64_t count = 0;
  std::int64_t first = 0;
  for (std::int64_t i = buffer.numel(); i-- > 0;) {
    if (!buffer.is_defined(i)) {
      ++count;
      first = i;
    }
  }
  if (count == 0) {
    return std::nullopt;
  }
  Message message;
  message.severity = Message::Severity::Warning;
  message.phase = Phase::Run;
  message.kind = "never-written";
  message.message = fmt::format(
      "`{}` has {} of {} elements that were never written, the first at [{}]: `{}` holds what lay "
      "in memory",
      file.name, count, buffer.numel(), fmt::join(place_of(first, buffer.shape()), ", "),
      file.path);
  message.help =
      fmt::format("begin with `{}=zeros:…` if the kernel need not write them all", file.name);
  message.text = fmt::format("tilery: warning: {}\n  help: {}\n", message.message, message.help);
  message.colored_text = message.text;
  return message;
}

/// Everything that a run has to tell.
struct Outcome {
  LaunchReport launch;
  std::string output;  ///< device_print and static_print, kept for JSON
  std::vector<std::string> mismatches;
  Json differences = Json::array();  ///< the same in numbers
  int exit_code = 0;
};

class Run {
 public:
  explicit Run(const RunRequest& request)
      : request_(request), json_(request.call.json), warnings_(json_) {}

  int operator()() {
    const Result<Device> device = choose_device(request_.call.on);
    if (!device) {
      return fail("run", device.error(), json_);
    }
    const Result<Call> call = prepare_call(request_.call);
    if (!call) {
      return fail("run", with_missing_grid(call.error(), request_.grid), json_);
    }
    const Result<std::vector<std::int64_t>> grid = read_grid(request_.grid, call->arguments);
    const Result<Wishes> wishes = read_wishes(request_, call->arguments);
    if (!grid || !wishes) {
      return fail("run", all_mistakes(*call, grid, wishes), json_);
    }
    if (const Status dumped = dump(*call); !dumped) {
      return fail("run", dumped.error(), json_);
    }
    Result<LaunchReport> report = launch_call(*device, *call, *grid);
    if (!report) {
      return fail("run", report.error(), json_);
    }
    outcome_.launch = *std::move(report);
    if (device->kind() != Device::Kind::Cuda) {
      note_of_grid(*grid);
    }
    return finish(*wishes);
  }

 private:
  Error all_mistakes(const Call& call, const Result<std::vector<std::int64_t>>& grid,
                     const Result<Wishes>& wishes) const {
    std::vector<Error> mistakes = input_mistakes(call, call.arguments, grid, request_.call.strict);
    if (!wishes) {
      mistakes.push_back(wishes.error());
    }
    return together(mistakes);
  }

  /// The interpreter takes grids that no GPU does.
  void note_of_grid(const std::vector<std::int64_t>& grid) {
    constexpr std::int64_t kMostOnGpu = 65535;
    for (std::size_t axis = 1; axis < grid.size(); ++axis) {
      if (grid[axis] > kMostOnGpu) {
        outcome_.launch.notes.push_back(
            fmt::format("--grid: no GPU takes more than {} programs along axis {}, and this is "
                        "{}; put the longest extent first",
                        kMostOnGpu, axis, grid[axis]));
        return;
      }
    }
  }

  Status dump(const Call& call) const {
    const std::string directory = dump_directory();
    return directory.empty() ? Status(Ok{})
                             : dump_stages(directory, call.library, call.kernel,
                                           call.arguments.arguments, launch_options(request_));
  }

  Result<LaunchReport> launch_call(const Device& device, const Call& call,
                                   const std::vector<std::int64_t>& grid) {
    LaunchOptions options = launch_options(request_);
    ProgressBar progress(call.kernel.name());
    options.progress = [&](std::int64_t done, std::int64_t total) { progress.update(done, total); };
    options.print = [&](std::string_view text) {
      progress.clear();
      show(text);
    };
    options.warn = warnings_.hook();
    return launch(device, call.kernel, grid, call.arguments.arguments, options);
  }

  void show(std::string_view text) {
    if (json_) {
      outcome_.output += text;
    } else {
      print_out(text);
    }
  }

  bool is_good() const {
    return !outcome_.launch.has_errors() &&
           (!request_.call.werror || outcome_.launch.messages.empty());
  }

  int finish(const Wishes& wishes) {
    if (is_good()) {
      warn_of_unwritten(wishes.out);
    }
    if (!json_) {
      warnings_.print_rest(outcome_.launch.messages);
      print_notes(outcome_.launch.notes);
    }
    outcome_.exit_code = is_good() ? 0 : 1;
    if (is_good()) {
      check_expectations(wishes);
      for (const NamedFile& file : wishes.out) {
        if (const Status saved = save_npy(file.path, file.buffer); !saved) {
          return fail("run", saved.error(), json_);
        }
      }
    }
    if (json_) {
      print_json(report(wishes));
    } else {
      print_arrays(wishes);
    }
    return outcome_.exit_code;
  }

  /// A file has no sign for an element that was never written.
  void warn_of_unwritten(const std::vector<NamedFile>& files) {
    for (const NamedFile& file : files) {
      if (std::optional<Message> warning = unwritten_warning(file)) {
        outcome_.launch.messages.push_back(*std::move(warning));
      }
    }
  }

  void check_expectations(const Wishes& wishes) {
    const Tolerance tolerance{request_.rtol, request_.atol, false, true};
    for (const Expectation& e : wishes.expect) {
      const std::optional<Mismatch> mismatch = compare(e.file.buffer, e.want, tolerance);
      if (mismatch) {
        outcome_.mismatches.push_back(fmt::format("`{}` differs from `{}`: {}", e.file.name,
                                                  e.file.path,
                                                  mismatch_text(*mismatch, e.file.buffer.shape())));
        Json entry = {{"array", e.file.name}, {"file", e.file.path}};
        entry.update(mismatch_json(*mismatch, e.file.buffer.shape()));
        outcome_.differences.push_back(std::move(entry));
        outcome_.exit_code = 1;
      }
    }
  }

  void print_arrays(const Wishes& wishes) const {
    if (is_good()) {
      for (const auto& [name, buffer] : wishes.print) {
        print_out(fmt::format("{}: {}\n{}\n", name, array_type_text(buffer), array_text(buffer)));
      }
    }
    for (const std::string& mismatch : outcome_.mismatches) {
      print_error({ErrorKind::Kernel, mismatch, {}});
    }
  }

  Json report(const Wishes& wishes) const {
    const LaunchReport& launch = outcome_.launch;
    Json json = report_head("run", outcome_.exit_code);
    json["messages"] = messages_json(launch.messages);
    json["output"] = outcome_.output;
    json["completed"] = launch.completed;
    json["programs_run"] = launch.programs_run;
    json["compile_ns"] = launch.compile_time.count();
    json["run_ns"] = launch.run_time.count();
    json["notes"] = launch.notes;
    json["mismatches"] = outcome_.mismatches;
    json["differences"] = outcome_.differences;
    Json arrays = Json::object();
    if (is_good()) {
      for (const auto& [name, buffer] : wishes.print) {
        arrays[name] = array_json(buffer);
      }
    }
    json["arrays"] = std::move(arrays);
    return json;
  }

  const RunRequest& request_;
  bool json_;
  EarlyWarnings warnings_;
  Outcome outcome_;
};

}  // namespace

int run_command(const RunRequest& request) {
  return Run(request)();
}

}  // namespace tilery::tools
