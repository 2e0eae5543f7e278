// Result<T>: a value, or why there is none. Nothing in Tilery's interface throws.
#pragma once

#include "tilery/message.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilery::inline v0 {

/// Who has to act on an error. The command's exit codes are these numbers.
enum class ErrorKind : std::uint8_t {
  Kernel = 1,   ///< the kernel's text is wrong
  Usage = 2,    ///< the caller asked for something that cannot be: a path, an argument, a grid
  Machine = 3,  ///< the machine cannot do it: no memory, no device, an input or output error
};

struct Error {
  ErrorKind kind = ErrorKind::Usage;
  /// For people; ends without a line feed unless it holds rendered diagnostics.
  std::string message;
  /// The diagnostics behind it, if a kernel's text or a launch was at fault: errors and warnings.
  std::vector<Message> messages;
};

/// Holds a T or an Error. Convertible from both, so functions can `return value;` or `return
/// Error{…};`. `value()` of a Result that holds an error is undefined; ask `ok()` first.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }

  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() { return *std::get_if<0>(&state_); }

  [[nodiscard]] const T& value() const { return *std::get_if<0>(&state_); }

  T& operator*() & { return value(); }

  const T& operator*() const& { return value(); }

  /// Of a Result that is given up: the value can be moved from.
  T&& operator*() && { return std::move(value()); }

  T* operator->() { return &value(); }

  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

/// The value of a Result that has nothing to return.
struct Ok {};

using Status = Result<Ok>;

}  // namespace tilery::inline v0
