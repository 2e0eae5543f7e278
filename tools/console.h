// What people see: messages, errors, a progress bar.
#pragma once

#include "tilery/message.h"
#include "tilery/result.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace tilery::tools {

/// True on a terminal, unless the environment variable NO_COLOR is set to anything.
[[nodiscard]] bool use_color(std::FILE* stream);

/// Writes to standard output or error; a closed pipe is no error of ours.
void print_out(std::string_view text);
void print_err(std::string_view text);

/// All messages on standard error, in colour where it suits.
void print_messages(const std::vector<Message>& messages);
/// The error's messages, or "tilery: error: …" if it has none.
void print_error(const Error& error);

/// The first few notes on standard error; they are no warnings, so they never fill the screen.
void print_notes(const std::vector<std::string>& notes);

/// Warnings that are shown while a command is at work, each once: a report that repeats them leaves
/// them out.
class EarlyWarnings {
 public:
  /// `is_silent`: all are left to the report (JSON).
  explicit EarlyWarnings(bool is_silent) : is_silent_(is_silent) {}

  EarlyWarnings(const EarlyWarnings&) = delete;
  EarlyWarnings& operator=(const EarlyWarnings&) = delete;

  /// For LaunchOptions::warn; must not outlive this.
  [[nodiscard]] std::function<void(const Message&)> hook();
  /// The messages that were not shown yet.
  void print_rest(const std::vector<Message>& messages) const;
  /// The error without those that were shown.
  [[nodiscard]] Error rest_of(Error error) const;

 private:
  [[nodiscard]] bool is_shown(const Message& message) const;

  bool is_silent_;
  std::vector<std::string> shown_;
};

/// The exit code that an error asks for.
[[nodiscard]] int exit_code(const Error& error);

/// A bar on standard error that appears when a run takes longer than two seconds. On terminals
/// only.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::int64_t done, std::int64_t total);
  /// Wipes the bar; what is printed next starts on a clean line.
  void clear();

 private:
  std::string what_;
  bool is_terminal_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tilery::tools
