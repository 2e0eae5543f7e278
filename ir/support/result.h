// Result<T>: a value, or why the world (a file, the machine, a driver) did not give it.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tilery {

/// Who has to act on an error; the command's exit codes follow it (2 and 3).
enum class ErrorKind {
  Usage,    ///< the caller asked for something that cannot be (wrong path, wrong argument)
  Machine,  ///< the machine cannot do it (no memory, no device, input or output error)
};

struct Error {
  ErrorKind kind = ErrorKind::Usage;
  std::string message;
};

/// Holds a T or an Error. Convertible from both, so functions can `return value;` or `return
/// Error{…};`.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }

  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() { return std::get<0>(state_); }

  [[nodiscard]] const T& value() const { return std::get<0>(state_); }

  T& operator*() { return value(); }

  const T& operator*() const { return value(); }

  T* operator->() { return &value(); }

  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// The value of a Result that has nothing to return.
struct Ok {};

using Status = Result<Ok>;

}  // namespace tilery
