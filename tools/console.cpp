#include "tools/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace tilery::tools {

namespace {

using Clock = std::chrono::steady_clock;

bool is_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

/// Control characters of names and files must not steer the terminal.
std::string without_controls(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
    result += is_control ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result;
}

}  // namespace

bool use_color(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && is_terminal(stream);
}

void print_out(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_err(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_messages(const std::vector<Message>& messages) {
  std::fflush(stdout);
  const bool color = use_color(stderr);
  for (const Message& message : messages) {
    print_err(color ? message.colored_text : message.text);
  }
}

void print_error(const Error& error) {
  if (!error.messages.empty()) {
    print_messages(error.messages);
    return;
  }
  std::fflush(stdout);
  print_err(use_color(stderr) ? "tilery: \x1b[1;31merror:\x1b[0m " : "tilery: error: ");
  print_err(without_controls(error.message) + "\n");
}

void print_notes(const std::vector<std::string>& notes) {
  constexpr std::size_t kShown = 4;
  std::fflush(stdout);
  for (std::size_t i = 0; i < std::min(notes.size(), kShown); ++i) {
    print_err(fmt::format("note: {}\n", notes[i]));
  }
  if (notes.size() > kShown) {
    print_err(fmt::format("note: {} more; --json lists all, `tilery explain` shows them by line\n",
                          notes.size() - kShown));
  }
}

std::function<void(const Message&)> EarlyWarnings::hook() {
  if (is_silent_) {
    return {};
  }
  return [this](const Message& message) {
    if (!is_shown(message)) {
      print_messages({message});
      std::fflush(stderr);
      shown_.push_back(message.text);
    }
  };
}

void EarlyWarnings::print_rest(const std::vector<Message>& messages) const {
  std::vector<Message> rest;
  std::ranges::copy_if(messages, std::back_inserter(rest),
                       [&](const Message& message) { return !is_shown(message); });
  print_messages(rest);
}

Error EarlyWarnings::rest_of(Error error) const {
  std::erase_if(error.messages, [&](const Message& message) { return is_shown(message); });
  return error;
}

bool EarlyWarnings::is_shown(const Message& message) const {
  return std::ranges::find(shown_, message.text) != shown_.end();
}

int exit_code(const Error& error) {
  return static_cast<int>(error.kind);
}

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)),
      is_terminal_(is_terminal(stderr)),
      start_(Clock::now()),
      last_(start_) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::update(std::int64_t done, std::int64_t total) {
  constexpr auto kDelay = std::chrono::seconds(2);
  constexpr auto kInterval = std::chrono::milliseconds(100);
  constexpr std::int64_t kWidth = 30;
  const Clock::time_point now = Clock::now();
  if (!is_terminal_ || total <= 0 || now - start_ < kDelay || now - last_ < kInterval) {
    return;
  }
  last_ = now;
  is_shown_ = true;
  const std::int64_t filled = std::clamp(done * kWidth / total, std::int64_t{0}, kWidth);
  print_err(fmt::format("\r{} [{}{}] {}% ({} of {} programs, {:.0f} s)\x1b[K", what_,
                        std::string(static_cast<std::size_t>(filled), '#'),
                        std::string(static_cast<std::size_t>(kWidth - filled), '.'),
                        done * 100 / total, done, total,
                        std::chrono::duration<double>(now - start_).count()));
}

void ProgressBar::clear() {
  if (is_shown_) {
    print_err("\r\x1b[K");
    is_shown_ = false;
  }
}

}  // namespace tilery::tools
