#include "tests/support/process.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilery::testing {

namespace {

[[noreturn]] void become(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  for (const auto& [name, value] : options.environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  if (!options.working_directory.empty() && chdir(options.working_directory.c_str()) != 0) {
    _exit(126);
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

/// Appends what there is to read; false at the end of the stream.
bool read_some(int fd, std::string& text) {
  std::array<char, 65536> chunk{};
  const ssize_t got = read(fd, chunk.data(), chunk.size());
  if (got > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return got > 0;
}

/// Reads both streams until both have ended.
void read_all(std::array<int, 2> fds, ProcessResult& result) {
  std::array<pollfd, 2> polls = {{{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}}};
  const std::array<std::string*, 2> texts = {&result.out, &result.err};
  while (polls[0].fd >= 0 || polls[1].fd >= 0) {
    if (poll(polls.data(), polls.size(), -1) < 0) {
      return;
    }
    for (std::size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].revents != 0 && !read_some(polls[i].fd, *texts[i])) {
        close(polls[i].fd);
        polls[i].fd = -1;
      }
    }
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments,
                          const ProcessOptions& options) {
  ProcessResult result;
  const auto start = std::chrono::steady_clock::now();
  std::array<int, 2> out_pipe = {-1, -1};
  std::array<int, 2> err_pipe = {-1, -1};
  int terminal = -1;
  pid_t child = -1;
  if (options.on_terminal) {
    child = forkpty(&terminal, nullptr, nullptr, nullptr);
  } else if (pipe2(out_pipe.data(), O_CLOEXEC) == 0 && pipe2(err_pipe.data(), O_CLOEXEC) == 0) {
    child = fork();
    if (child == 0) {
      dup2(out_pipe[1], 1);
      dup2(err_pipe[1], 2);
    }
  }
  if (child == 0) {
    become(arguments, options);
  }
  if (child < 0) {
    return result;
  }
  if (options.on_terminal) {
    read_all({terminal, -1}, result);
  } else {
    close(out_pipe[1]);
    close(err_pipe[1]);
    read_all({out_pipe[0], err_pipe[0]}, result);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const auto seconds_of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  result.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  // Linux counts in units of 1024 bytes (getrusage(2)).
  result.peak_megabytes = static_cast<double>(usage.ru_maxrss) * 1024e-6;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace tilery::testing
