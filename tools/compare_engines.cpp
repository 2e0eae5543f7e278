// `tilery compare`: the same launch in the interpreter and on a GPU, element by element.
#include "tilery/launch.h"
#include "tools/call.h"
#include "tools/compare.h"
#include "tools/console.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<std::byte>;

/// The contents of every array argument, in the order of their names.
class Snapshot {
 public:
  explicit Snapshot(const CallArguments& arguments) {
    for (const auto& [name, buffer] : arguments.arrays) {
      const auto* data = static_cast<const std::byte*>(buffer.data());
      contents_.emplace_back(data, data + buffer.bytes());
    }
  }

  void restore(const CallArguments& arguments) const {
    std::size_t i = 0;
    for (const auto& [name, buffer] : arguments.arrays) {
      std::memcpy(buffer.data(), contents_[i].data(), contents_[i].size());
      ++i;
    }
  }

  [[nodiscard]] const Bytes& operator[](std::size_t i) const { return contents_[i]; }

 private:
  std::vector<Bytes> contents_;
};

/// An array after which run differs how from the interpreter's.
struct Difference {
  int run = 0;
  std::string array;
  std::string text;
  Json numbers;  ///< the same as mismatch_json writes it
};

class Comparison {
 public:
  explicit Comparison(const CompareRequest& request)
      : request_(request), json_(request.run.call.json) {}

  int operator()() {
    const std::string on = request_.run.call.on.empty() ? "cuda" : request_.run.call.on;
    if (on == "interpret") {
      return fail(
          "compare",
          {ErrorKind::Usage,
           fmt::format("--on {}: that is what the GPU is compared with; name one: --on cuda", on),
           {}},
          json_);
    }
    const Result<Call> call = prepare_call(request_.run.call);
    if (!call) {
      return fail("compare", with_missing_grid(call.error(), request_.run.grid), json_);
    }
    const Result<std::vector<std::int64_t>> grid = read_grid(request_.run.grid, call->arguments);
    if (const std::vector<Error> mistakes =
            input_mistakes(*call, call->arguments, grid, request_.run.call.strict);
        !mistakes.empty()) {
      return fail("compare", together(mistakes), json_);
    }
    // After the input, so that its mistakes are told where there is no GPU too.
    const Result<Device> device = choose_device(on);
    if (!device) {
      return fail("compare", device.error(), json_);
    }
    const Snapshot before(call->arguments);
    if (const int code = run(Device::interpreter(), *call, *grid); code != 0) {
      return code;
    }
    const Snapshot wanted(call->arguments);
    for (int number = 1; number <= request_.runs; ++number) {
      before.restore(call->arguments);
      if (const int code = run(*device, *call, *grid); code != 0) {
        return code;
      }
      find_differences(number, *call, wanted);
    }
    return finish(*device);
  }

 private:
  /// 0, or the exit code of what was reported.
  int run(const Device& device, const Call& call, const std::vector<std::int64_t>& grid) {
    LaunchOptions options = launch_options(request_.run);
    options.math = MathMode::Reproducible;
    options.print = [](std::string_view) {};
    const Result<LaunchReport> report =
        launch(device, call.kernel, grid, call.arguments.arguments, options);
    if (!report) {
      return fail("compare", report.error(), json_);
    }
    if (report->has_errors()) {
      print_messages(report->messages);
      return 1;
    }
    return 0;
  }

  void find_differences(int number, const Call& call, const Snapshot& wanted) {
    const Tolerance tolerance{request_.run.rtol, request_.run.atol, false};
    std::size_t i = 0;
    for (const auto& [name, buffer] : call.arguments.arrays) {
      const Result<Buffer> want = Buffer::copy_of(buffer.dtype(), buffer.shape(), wanted[i].data());
      ++i;
      if (!want) {
        continue;
      }
      if (const std::optional<Mismatch> mismatch = compare(buffer, *want, tolerance)) {
        differences_.push_back({number, name, mismatch_text(*mismatch, buffer.shape()),
                                mismatch_json(*mismatch, buffer.shape())});
      }
    }
  }

  [[nodiscard]] int finish(const Device& device) const {
    const int exit_code = differences_.empty() ? 0 : 1;
    if (json_) {
      Json report = report_head("compare", exit_code);
      report["device"] = device.name();
      report["runs"] = request_.runs;
      Json list = Json::array();
      for (const Difference& d : differences_) {
        Json entry = {{"run", d.run}, {"array", d.array}};
        entry.update(d.numbers);
        entry["text"] = d.text;
        list.push_back(std::move(entry));
      }
      report["differences"] = std::move(list);
      print_json(report);
      return exit_code;
    }
    for (const Difference& d : differences_) {
      print_out(fmt::format("run {}: `{}` on {} differs from the interpreter: {}\n", d.run, d.array,
                            device.name(), d.text));
    }
    if (differences_.empty()) {
      print_out(fmt::format("{} gives what the interpreter gives, {} time{}\n",
                            device.description(), request_.runs, request_.runs == 1 ? "" : "s"));
    }
    return exit_code;
  }

  const CompareRequest& request_;
  bool json_;
  std::vector<Difference> differences_;
};

}  // namespace

int compare_command(const CompareRequest& request) {
  return Comparison(request)();
}

}  // namespace tilery::tools
