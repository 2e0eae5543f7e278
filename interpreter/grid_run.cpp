// Programs are handed out in chunks of consecutive numbers, x fastest. How the grid is cut does not
// depend on the threads, and findings are merged in the order of chunks, so a report is the same
// however the chunks were spread.
//
// A run ends early when there are max_findings distinct errors. That too is decided in the order of
// chunks: the run ends after the first chunk with which there are enough, all chunks up to it are
// finished, and what later ones found is dropped.
#include "interpreter/grid_run.h"

#include "interpreter/engine.h"
#include "interpreter/program.h"
#include "ir/support/check.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

namespace tilery::interpreter {
namespace {

using Clock = std::chrono::steady_clock;

/// Steps between two looks at the clock. A step may work on a million elements.
constexpr std::uint64_t kStepsPerLook = 512;
/// Programs between two looks at the clock, for those that end before 512 steps.
constexpr std::int64_t kProgramsPerLook = 64;
constexpr std::int64_t kMostChunks = 1024;

class GridRun {
 public:
  GridRun(const InterpreterProgram& program, const MemoryMap& memory,
          const std::vector<InterpreterArgument>& arguments, const RunOptions& options)
      : program_(program),
        arguments_(arguments),
        options_(options),
        lines_(program.function, options.sources),
        total_(options.grid[0] * options.grid[1] * options.grid[2]),
        chunk_size_(std::max<std::int64_t>(1, total_ / kMostChunks)),
        chunk_count_((total_ + chunk_size_ - 1) / chunk_size_) {
    launch_ = {&program.function, &memory, options.grid, &lines_};
    if (options.timeout.count() > 0) {
      deadline_ = Clock::now() + options.timeout;
    }
  }

  RunReport run() {
    const int threads = thread_count();
    {
      std::vector<std::jthread> workers;
      for (int i = 1; i < threads && add_worker(workers); ++i) {
      }
      work(true);
    }
    if (options_.progress) {
      options_.progress(done_, total_);
    }
    return report();
  }

 private:
  [[nodiscard]] int thread_count() const {
    const unsigned machine = std::max(1U, std::thread::hardware_concurrency());
    const std::int64_t wanted = options_.threads > 0 ? options_.threads : machine;
    return static_cast<int>(std::min(wanted, chunk_count_));
  }

  /// False if the machine gives no more threads: those that there are do all the work.
  bool add_worker(std::vector<std::jthread>& workers) {
    try {
      workers.emplace_back([this] { work(false); });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void work(bool is_caller) {
    ProgramRunner runner(program_, launch_, arguments_, options_.check);
    if (runner.missing_bytes() != 0) {
      // Others may have got enough, and then do all the work.
      missing_bytes_ = runner.missing_bytes();
      return;
    }
    while (!is_cancelled_) {
      const std::int64_t chunk = next_chunk_++;
      if (chunk >= chunk_count_ || chunk > last_chunk_) {
        return;
      }
      run_chunk(runner, chunk);
      if (is_caller && options_.progress) {
        options_.progress(done_, total_);
      }
    }
  }

  void run_chunk(ProgramRunner& runner, std::int64_t chunk) {
    FindingLog log;
    std::string printed;
    const std::int64_t end = std::min(total_, (chunk + 1) * chunk_size_);
    for (std::int64_t number = chunk * chunk_size_; number < end && !is_cancelled_; ++number) {
      if (number % kProgramsPerLook == 0 && is_time_up()) {
        report_timeout({}, number, "time is up: this program and later ones did not start");
        break;
      }
      runner.start(program_ids(number), number, log, printed);
      if (!run_program(runner, number)) {
        break;
      }
      if (runner.missing_bytes() != 0) {
        missing_bytes_ = runner.missing_bytes();
        is_cut_short_ = true;
        is_cancelled_ = true;
        break;
      }
      ++done_;
      flush(printed);
    }
    flush(printed);
    if (!log.is_empty()) {
      submit(chunk, std::move(log));
    }
  }

  [[nodiscard]] std::array<std::int64_t, 3> program_ids(std::int64_t number) const {
    const auto& grid = options_.grid;
    return {number % grid[0], number / grid[0] % grid[1], number / (grid[0] * grid[1])};
  }

  /// False if time is up.
  bool run_program(ProgramRunner& runner, std::int64_t number) {
    while (!runner.run(kStepsPerLook)) {
      if (is_cancelled_) {
        return false;
      }
      if (is_time_up()) {
        report_timeout(program_.function.inst(runner.next_inst()).loc, number,
                       "time is up: this program was still running");
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_time_up() const { return deadline_ && Clock::now() > *deadline_; }

  void report_timeout(LocId loc, std::int64_t number, std::string message) {
    const std::scoped_lock lock(mutex_);
    is_cancelled_ = true;
    if (timeout_ && timeout_->first <= number) {
      return;
    }
    Finding finding;
    finding.kind = FindingKind::Timeout;
    finding.loc = loc;
    finding.program = program_ids(number);
    finding.message = std::move(message);
    timeout_ = {number, std::move(finding)};
  }

  void flush(std::string& printed) {
    if (!printed.empty() && options_.print) {
      const std::scoped_lock lock(mutex_);
      options_.print(printed);
    }
    printed.clear();
  }

  void submit(std::int64_t chunk, FindingLog log) {
    const std::scoped_lock lock(mutex_);
    for (FindingLog::Key& key : log.error_keys()) {
      const auto [entry, is_new] = first_chunk_.try_emplace(std::move(key), chunk);
      entry->second = std::min(entry->second, chunk);
    }
    logs_.emplace(chunk, std::move(log));
    if (first_chunk_.size() < most_findings()) {
      return;
    }
    std::vector<std::int64_t> chunks;
    for (const auto& [key, first] : first_chunk_) {
      chunks.push_back(first);
    }
    std::nth_element(chunks.begin(),
                     chunks.begin() + static_cast<std::ptrdiff_t>(most_findings()) - 1,
                     chunks.end());
    last_chunk_ = chunks[most_findings() - 1];
  }

  [[nodiscard]] std::size_t most_findings() const {
    return static_cast<std::size_t>(std::max(1, options_.max_findings));
  }

  RunReport report() {
    RunReport report;
    report.programs_run = done_;
    report.completed = done_ == total_;
    const bool nobody_began = next_chunk_ == 0;
    report.missing_bytes = nobody_began || is_cut_short_ ? missing_bytes_.load() : 0;
    FindingLog merged;
    for (auto& [chunk, log] : logs_) {
      if (chunk <= last_chunk_) {
        merged.merge(std::move(log));
      }
    }
    report.findings = std::move(merged).sorted(most_findings());
    if (timeout_) {
      report.findings.push_back(std::move(timeout_->second));
    }
    return report;
  }

  const InterpreterProgram& program_;
  const std::vector<InterpreterArgument>& arguments_;
  const RunOptions& options_;
  LineIndex lines_;
  Launch launch_;
  std::int64_t total_ = 0;
  std::int64_t chunk_size_ = 1;
  std::int64_t chunk_count_ = 0;
  std::optional<Clock::time_point> deadline_;
  /// What threads write often lies on lines of its own.
  alignas(64) std::atomic<std::int64_t> next_chunk_{0};
  /// Chunks after this one need not run.
  alignas(64) std::atomic<std::int64_t> last_chunk_{std::numeric_limits<std::int64_t>::max()};
  std::atomic<bool> is_cancelled_{false};
  /// Of a worker that got no memory; a program may have been cut short by that.
  std::atomic<std::size_t> missing_bytes_{0};
  std::atomic<bool> is_cut_short_{false};
  alignas(64) std::atomic<std::int64_t> done_{0};
  std::mutex mutex_;
  std::map<std::int64_t, FindingLog> logs_;
  /// For each distinct error, the first chunk that has it.
  std::map<FindingLog::Key, std::int64_t> first_chunk_;
  std::optional<std::pair<std::int64_t, Finding>> timeout_;
};

}  // namespace

RunReport run_grid(const InterpreterProgram& program, std::vector<InterpreterBuffer> buffers,
                   const std::vector<InterpreterArgument>& arguments, const RunOptions& options) {
  TILERY_CHECK(arguments.size() == program.function.params.size(),
               "a launch passes one argument a parameter");
  if (options.grid[0] <= 0 || options.grid[1] <= 0 || options.grid[2] <= 0) {
    return {};
  }
  const MemoryMap memory(std::move(buffers));
  return GridRun(program, memory, arguments, options).run();
}

}  // namespace tilery::interpreter
