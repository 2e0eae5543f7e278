// `tilery bench`: how long a launch takes, and how much of the GPU's bandwidth that is.
#include "tools/bench.h"

#include "tilery/launch.h"
#include "tilery/prepared_launch.h"
#include "tools/compare.h"
#include "tools/console.h"
#include "tools/report_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json row_json(const BenchRow& row) {
  Json options = Json::object();
  for (const auto& [name, value] : row.choice) {
    options[name] = value;
  }
  return {{"options", std::move(options)},
          {"grid", row.grid},
          {"nothing_ran", row.is_empty()},
          {"median_us", row.median},
          {"p20_us", row.p20},
          {"p80_us", row.p80},
          {"runs", row.runs},
          {"bytes_per_second", optional_json(row.bytes_per_second)},
          {"flops_per_second", optional_json(row.flops_per_second)},
          {"copy_share", optional_json(row.copy_share)},
          {"registers", row.registers ? Json(*row.registers) : Json(nullptr)},
          {"error", row.error}};
}

Json bench_json(const BenchReport& report, int exit_code) {
  Json json = report_head("bench", exit_code);
  json["kernel"] = report.kernel;
  json["device"] = report.device;
  json["timing"] = report.how;
  json["bytes"] = report.bytes ? Json(*report.bytes) : Json(nullptr);
  json["bytes_counted"] = report.bytes_how;
  json["flops"] = report.flops ? Json(*report.flops) : Json(nullptr);
  json["flops_counted"] = report.flops_how;
  json["copy_bytes_per_second"] = report.copy ? Json(report.copy->bytes_per_second) : Json(nullptr);
  json["checked"] = report.checked;
  Json rows = Json::array();
  for (const BenchRow& row : report.rows) {
    rows.push_back(row_json(row));
  }
  json["rows"] = std::move(rows);
  return json;
}

class Bench {
 public:
  explicit Bench(const BenchRequest& request) : request_(request), warnings_(request.call.json) {}

  int operator()() {
    const Result<int> outcome = run();
    const bool json = request_.call.json;
    if (!outcome) {
      return fail("bench", outcome.error(), json);
    }
    if (json) {
      print_json(bench_json(report_, *outcome));
    } else {
      print_out(bench_text(report_));
    }
    return *outcome;
  }

 private:
  Result<int> run() {
    const Result<SweptValues> swept = take_sweeps(request_);
    if (!swept) {
      return swept.error();
    }
    CallRequest plain = request_.call;
    plain.values = swept->values;
    const Result<Call> call = prepare_call(plain);
    if (!call) {
      return with_missing_grid(call.error(), request_.grid);
    }
    if (const Status good = check_input(*call, choices_of(swept->sweeps)); !good) {
      return good.error();
    }
    // After the input, so that its mistakes are told where there is no GPU too.
    const Result<Device> device = choose_device(request_.call.on, "cuda");
    if (!device) {
      return device.error();
    }
    device_ = *device;
    report_.kernel = call->kernel.name();
    report_.device = device_.description();
    if (const Status counted = count(*call, choices_of(swept->sweeps)); !counted) {
      return counted.error();
    }
    const Status measured =
        is_gpu() ? on_gpu(*call, swept->sweeps) : in_interpreter(*call, swept->sweeps);
    if (!measured) {
      return measured.error();
    }
    return std::ranges::all_of(report_.rows, [](const BenchRow& r) { return !r.error.empty(); })
               ? 1
               : exit_code_;
  }

  /// One choice at least must be possible; the others are told in their rows.
  Status check_input(const Call& call, const std::vector<Choice>& choices) const {
    for (const auto& [option, text] :
         {std::pair("--bytes", &request_.bytes), std::pair("--flops", &request_.flops)}) {
      if (!text->empty()) {
        if (const auto value = amount(option, *text, call.arguments); !value) {
          return value.error();
        }
      }
    }
    std::optional<Error> first;
    for (const Choice& choice : choices) {
      const std::optional<Error> mistake = choice_mistake(call, choice);
      if (!mistake) {
        return Ok{};
      }
      first = first ? first : mistake;
    }
    return *first;
  }

  std::optional<Error> choice_mistake(const Call& call, const Choice& choice) const {
    const Result<CallArguments> arguments = with_choice(call.arguments, choice);
    if (!arguments) {
      return arguments.error();
    }
    const std::vector<Error> mistakes = input_mistakes(
        call, *arguments, read_grid(request_.grid, *arguments), request_.call.strict);
    return mistakes.empty() ? std::nullopt : std::optional(together(mistakes));
  }

  [[nodiscard]] bool is_gpu() const { return device_.kind() == Device::Kind::Cuda; }

  [[nodiscard]] LaunchOptions options() {
    LaunchOptions options;
    options.strict = request_.call.strict;
    options.threads = request_.threads;
    options.print = [](std::string_view) {};
    options.warn = warnings_.hook();
    return options;
  }

  // ---- what is counted ----

  Result<std::int64_t> amount(const char* option, const std::string& text,
                              const CallArguments& arguments) const {
    Result<std::int64_t> value = evaluate(text, arguments.names());
    if (!value) {
      return Error{ErrorKind::Usage, fmt::format("{}: {}", option, value.error().message), {}};
    }
    if (*value < 0) {
      return Error{ErrorKind::Usage, fmt::format("{}: {} is below 0", option, *value), {}};
    }
    return value;
  }

  /// Of the first choice that compiles.
  Result<KernelExplanation> explain_any(const Call& call, const std::vector<Choice>& choices) {
    std::string target = "sm_90a";
    if (is_gpu() && !device_.gpu_info()->target.empty()) {
      target = device_.gpu_info()->target;
    }
    std::optional<Error> first;
    for (const Choice& choice : choices) {
      const Result<CallArguments> arguments = with_choice(call.arguments, choice);
      if (!arguments) {
        return arguments.error();
      }
      Result<KernelExplanation> explained =
          explain(call.kernel, arguments->arguments, target, options());
      if (explained) {
        return explained;
      }
      first = first ? first : explained.error();
    }
    return *first;
  }

  Status count(const Call& call, const std::vector<Choice>& choices) {
    const Result<KernelExplanation> explained = explain_any(call, choices);
    // What the GPU's code generator refuses, the interpreter may still run, or refuse by itself.
    if (!explained && is_gpu()) {
      return explained.error();
    }
    if (!request_.bytes.empty()) {
      const Result<std::int64_t> bytes = amount("--bytes", request_.bytes, call.arguments);
      if (!bytes) {
        return bytes.error();
      }
      report_.bytes = *bytes;
      report_.bytes_how = fmt::format("--bytes {}", request_.bytes);
    } else if (explained) {
      CountedBytes counted = count_bytes(*explained, call.arguments);
      report_.bytes = counted.bytes;
      report_.bytes_how = std::move(counted.how);
    }
    if (!request_.flops.empty()) {
      const Result<std::int64_t> flops = amount("--flops", request_.flops, call.arguments);
      if (!flops) {
        return flops.error();
      }
      report_.flops = *flops;
      report_.flops_how = fmt::format("--flops {}", request_.flops);
    } else if (explained && std::ranges::any_of(explained->steps, [](const ExplainedStep& s) {
                 return s.kind == "dot";
               })) {
      return count_dots(call, choices.front());
    }
    return Ok{};
  }

  Status count_dots(const Call& call, const Choice& choice) {
    const Result<CallArguments> arguments = with_choice(call.arguments, choice);
    if (!arguments) {
      return arguments.error();
    }
    const Result<std::vector<std::int64_t>> grid = read_grid(request_.grid, *arguments);
    if (!grid) {
      return grid.error();
    }
    const Result<std::optional<std::int64_t>> flops =
        count_dot_operations(call.kernel, *grid, arguments->arguments, options());
    if (flops && *flops) {
      report_.flops = **flops;
      report_.flops_how = "its dots as they run, padding of the blocks included";
    } else {
      report_.flops_hint =
          "how often its dot runs is not known beforehand: --flops '2*M*N*K', over the arguments, "
          "shows TFLOP/s";
    }
    return Ok{};
  }

  /// Rates from the row's median.
  void fill_rates(BenchRow& row) const {
    if (row.median <= 0 || row.is_empty()) {
      return;
    }
    const double seconds = row.median / 1e6;
    // Of nothing there is no rate: arrays of no elements, a kernel that touches none.
    if (report_.bytes.value_or(0) > 0) {
      row.bytes_per_second = static_cast<double>(*report_.bytes) / seconds;
    }
    if (report_.flops.value_or(0) > 0) {
      row.flops_per_second = static_cast<double>(*report_.flops) / seconds;
    }
    if (report_.copy && row.bytes_per_second) {
      row.copy_share = *row.bytes_per_second / report_.copy->bytes_per_second;
    }
  }

  static void fill_times(BenchRow& row, const Timings& timings) {
    row.median = timings.median();
    row.p20 = timings.quantile(0.2);
    row.p80 = timings.quantile(0.8);
    row.runs = timings.microseconds.size();
  }

  // ---- on a GPU ----

  Status on_gpu(const Call& call, const std::vector<Sweep>& sweeps) {
    report_.how = fmt::format("each launch between two CUDA events, {}; warm-up {} ms, then {} ms",
                              request_.warm_cache ? "L2 cache as the launch before left it"
                                                  : "L2 cache flushed before it",
                              request_.warmup_ms, request_.time_ms);
    const Result<CopyBandwidth> copy = measure_copy(device_);
    if (!copy) {
      return copy.error();
    }
    report_.copy = *copy;
    const Result<CallArguments> there = arguments_on(device_, call.arguments);
    if (!there) {
      return there.error();
    }
    for (const Choice& choice : choices_of(sweeps)) {
      if (const Status status = measure_choice(call, *there, choice); !status) {
        return status;
      }
    }
    return request_.check ? check(call, choices_of(sweeps)) : Status(Ok{});
  }

  /// A launch that its options make impossible is a row of its own where several are tried.
  Status measure_choice(const Call& call, const CallArguments& there, const Choice& choice) {
    BenchRow row;
    row.choice = choice;
    const Status status = measure_into(row, call, there);
    if (!status) {
      if (choice.empty() || status.error().kind == ErrorKind::Machine) {
        return status;
      }
      row.error = status.error().message;
    }
    fill_rates(row);
    report_.rows.push_back(std::move(row));
    return Ok{};
  }

  Status measure_into(BenchRow& row, const Call& call, const CallArguments& there) {
    const Result<CallArguments> arguments = with_choice(there, row.choice);
    if (!arguments) {
      return arguments.error();
    }
    const Result<std::vector<std::int64_t>> grid = read_grid(request_.grid, *arguments);
    if (!grid) {
      return grid.error();
    }
    row.grid = *grid;
    const Result<PreparedLaunch> prepared =
        prepare(device_, call.kernel, *grid, arguments->arguments, options());
    if (!prepared) {
      return prepared.error();
    }
    MeasureOptions how;
    how.warmup = std::chrono::milliseconds(request_.warmup_ms);
    how.time = std::chrono::milliseconds(request_.time_ms);
    how.cold_cache = !request_.warm_cache;
    const Result<Timings> timings = measure(*prepared, how);
    if (!timings) {
      return timings.error();
    }
    fill_times(row, *timings);
    row.registers = prepared->facts().registers;
    return Ok{};
  }

  // ---- in the interpreter ----

  Status in_interpreter(const Call& call, const std::vector<Sweep>& sweeps) {
    report_.how =
        fmt::format("wall time of whole runs with checks, for {} ms, at least 3", request_.time_ms);
    for (const Choice& choice : choices_of(sweeps)) {
      BenchRow row;
      row.choice = choice;
      if (const Status status = interpret_into(row, call); !status) {
        return status;
      }
      fill_rates(row);
      report_.rows.push_back(std::move(row));
    }
    return Ok{};
  }

  Status interpret_into(BenchRow& row, const Call& call) {
    const Result<CallArguments> arguments = with_choice(call.arguments, row.choice);
    if (!arguments) {
      return arguments.error();
    }
    const Result<std::vector<std::int64_t>> grid = read_grid(request_.grid, *arguments);
    if (!grid) {
      return grid.error();
    }
    row.grid = *grid;
    constexpr std::size_t kLeast = 3;
    constexpr std::size_t kMost = 1000;
    Timings timings;
    std::chrono::nanoseconds spent{0};
    // The first run makes the plan and touches the memory.
    for (bool is_first = true; is_first || timings.microseconds.size() < kLeast ||
                               (spent < std::chrono::milliseconds(request_.time_ms) &&
                                timings.microseconds.size() < kMost);
         is_first = false) {
      const Result<LaunchReport> report =
          launch(device_, call.kernel, *grid, arguments->arguments, options());
      if (!report) {
        return report.error();
      }
      if (report->has_errors()) {
        Error error{ErrorKind::Kernel, "the run found errors", report->messages};
        return error;
      }
      if (!is_first) {
        spent += report->run_time;
        timings.microseconds.push_back(static_cast<double>(report->run_time.count()) / 1000);
      }
    }
    std::ranges::sort(timings.microseconds);
    fill_times(row, timings);
    return Ok{};
  }

  // ---- --check ----

  /// One launch of the first choice that launches, on fresh arrays in both engines.
  Status check(const Call& call, const std::vector<Choice>& choices) {
    const auto good =
        std::ranges::find_if(report_.rows, [](const BenchRow& r) { return r.error.empty(); });
    if (good == report_.rows.end()) {
      return Ok{};
    }
    const Choice& choice = choices[static_cast<std::size_t>(good - report_.rows.begin())];
    const Result<CallArguments> want = launch_fresh(Device::interpreter(), call, choice);
    if (!want) {
      return want.error();
    }
    const Result<CallArguments> got = launch_fresh(device_, call, choice);
    if (!got) {
      return got.error();
    }
    for (const auto& [name, buffer] : got->arrays) {
      const Result<Buffer> here = buffer.to(Device::interpreter());
      if (!here) {
        return here.error();
      }
      const Tolerance tolerance{request_.rtol, request_.atol, false};
      if (const std::optional<Mismatch> mismatch =
              compare(*here, want->arrays.at(name), tolerance)) {
        exit_code_ = 1;
        print_error({ErrorKind::Kernel,
                     fmt::format("`{}` differs from the interpreter's: {}", name,
                                 mismatch_text(*mismatch, buffer.shape())),
                     {}});
      }
    }
    report_.checked = exit_code_ == 0 ? fmt::format(
                                            "one launch gives what the interpreter gives (rtol {}, "
                                            "atol {})",
                                            request_.rtol, request_.atol)
                                      : "a launch differs from the interpreter";
    return Ok{};
  }

  Result<CallArguments> launch_fresh(const Device& device, const Call& call, const Choice& choice) {
    Result<CallArguments> copies = arguments_on(device, call.arguments);
    if (!copies) {
      return copies;
    }
    const Result<CallArguments> arguments = with_choice(*copies, choice);
    if (!arguments) {
      return arguments.error();
    }
    const Result<std::vector<std::int64_t>> grid = read_grid(request_.grid, *arguments);
    if (!grid) {
      return grid.error();
    }
    const Result<LaunchReport> report =
        launch(device, call.kernel, *grid, arguments->arguments, options());
    if (!report) {
      return report.error();
    }
    if (report->has_errors()) {
      return Error{ErrorKind::Kernel, "the run found errors", report->messages};
    }
    return copies;
  }

  const BenchRequest& request_;
  EarlyWarnings warnings_;
  Device device_ = Device::interpreter();
  BenchReport report_;
  int exit_code_ = 0;
};

}  // namespace

int bench_command(const BenchRequest& request) {
  return Bench(request)();
}

}  // namespace tilery::tools
