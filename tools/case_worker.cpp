// The child answers with one JSON text a line for each file: a verdict, or the error of a case file
// or the machine. A file without an answer is the one that ended it.
#include "tools/case_worker.h"

#include "tools/case_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tilery::tools {

namespace {

using Json = nlohmann::ordered_json;

Result<Verdict> judge_file(const CasePlan& plan, const std::string& path) {
  const Result<CaseFile> file = read_case(path);
  if (!file) {
    return file.error();
  }
  return judge_case(*file, plan.modes, plan.settings);
}

// ---- the child ----

std::string answer_of(const Result<Verdict>& verdict) {
  Json json;
  if (verdict) {
    json["verdict"] = verdict_json(*verdict);
    json["has_lost_gpu"] = verdict->has_lost_gpu;
  } else {
    json["kind"] = static_cast<int>(verdict.error().kind);
    json["error"] = verdict.error().message;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Judges the files from `first` on. No destructor or handler of the parent runs here a second
/// time.
[[noreturn]] void be_child(const CasePlan& plan, std::size_t first, int answers) {
  for (std::size_t i = first; i < plan.files.size(); ++i) {
    const Result<Verdict> verdict = judge_file(plan, plan.files[i]);
    if (!write_all(answers, answer_of(verdict)) || !verdict || verdict->has_lost_gpu) {
      break;
    }
  }
  _exit(0);
}

// ---- the parent ----

Result<Verdict> read_answer(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.contains("error")) {
      return Error{static_cast<ErrorKind>(json.at("kind").get<int>()),
                   json.at("error").get<std::string>(),
                   {}};
    }
    Verdict verdict = verdict_from_json(json.at("verdict"));
    verdict.has_lost_gpu = json.at("has_lost_gpu").get<bool>();
    return verdict;
  } catch (const std::exception& error) {
    return Error{
        ErrorKind::Machine, fmt::format("the process that ran a case: {}", error.what()), {}};
  }
}

/// A child and the pipe that it answers on.
class Child {
 public:
  /// Starts it on the files from `first` on.
  static Result<Child> start(const CasePlan& plan, std::size_t first) {
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      return failure("a pipe");
    }
    const pid_t pid = fork();
    if (pid == 0) {
      close(ends[0]);
      be_child(plan, first, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
      close(ends[0]);
      return failure("a process");
    }
    return Child(pid, ends[0]);
  }

  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), answers_(std::exchange(other.answers_, -1)) {}

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child& operator=(Child&&) = delete;

  ~Child() {
    if (pid_ >= 0) {
      kill(pid_, SIGKILL);
      (void)end();
    }
  }

  /// The next line; none at the end, or when `seconds` (0: any time) have passed.
  std::optional<std::string> line(int seconds) {
    for (;;) {
      if (const std::size_t at = text_.find('\n'); at != std::string::npos) {
        std::string line = text_.substr(0, at);
        text_.erase(0, at + 1);
        return line;
      }
      pollfd wait{answers_, POLLIN, 0};
      const int ready = poll(&wait, 1, seconds == 0 ? -1 : seconds * 1000);
      if (ready < 0 && errno == EINTR) {
        continue;
      }
      if (ready <= 0) {
        is_late_ = ready == 0;
        return {};
      }
      std::array<char, 65536> chunk{};
      const ssize_t got = read(answers_, chunk.data(), chunk.size());
      if (got <= 0) {
        return {};
      }
      text_.append(chunk.data(), static_cast<std::size_t>(got));
    }
  }

  /// Waits for its end, after a kill if it is late, and says how it came.
  std::string end() {
    if (is_late_) {
      kill(pid_, SIGKILL);
    }
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    close(answers_);
    pid_ = -1;
    if (is_late_) {
      return "it did not end in time";
    }
    if (WIFSIGNALED(status)) {
      return fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    }
    return fmt::format("its process ended early, with exit code {}", WEXITSTATUS(status));
  }

 private:
  Child(pid_t pid, int answers) : pid_(pid), answers_(answers) {}

  static Error failure(const char* what) {
    return {ErrorKind::Machine,
            fmt::format("cannot make {} to run cases in: {}", what, std::strerror(errno)),
            {}};
  }

  pid_t pid_;
  int answers_;
  std::string text_;
  bool is_late_ = false;
};

/// The verdict on a case that took its process along.
Verdict ended(const std::string& path, const std::string& how) {
  Verdict verdict;
  verdict.state = CaseState::Fail;
  verdict.id = std::filesystem::path(path).stem().string();
  verdict.details.push_back(how);
  return verdict;
}

}  // namespace

void judge_here(const CasePlan& plan, const TakeVerdict& take) {
  for (const std::string& path : plan.files) {
    if (!take(judge_file(plan, path))) {
      return;
    }
  }
}

void judge_apart(const CasePlan& plan, const TakeVerdict& take) {
  std::size_t next = 0;
  while (next < plan.files.size()) {
    Result<Child> child = Child::start(plan, next);
    if (!child) {
      (void)take(child.error());
      return;
    }
    bool goes_on = true;
    while (goes_on && next < plan.files.size()) {
      const std::optional<std::string> line = child->line(plan.timeout_seconds);
      const Result<Verdict> verdict =
          line ? read_answer(*line) : Result<Verdict>(ended(plan.files[next], child->end()));
      ++next;
      if (!take(verdict)) {
        return;
      }
      goes_on = line.has_value() && verdict && !verdict->has_lost_gpu;
    }
  }
}

}  // namespace tilery::tools
