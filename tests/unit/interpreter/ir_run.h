// Runs IR text in the interpreter, on vectors.
#pragma once

#include "interpreter/interpreter.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilery::testing {

/// A program and the arguments of one launch, which are added in the order of the parameters.
class IrRun {
 public:
  explicit IrRun(std::string_view text);

  /// A pointer to element `offset` of a vector, which must outlive the run. Passing the same vector
  /// again passes the same buffer.
  template <class T>
  IrRun& array(std::vector<T>& data, std::int64_t offset = 0) {
    return pointer(data.data(), data.size() * sizeof(T), sizeof(T), offset);
  }

  IrRun& null();

  IrRun& int32(std::int64_t value) { return bits(static_cast<std::uint64_t>(value) & 0xFFFFFFFF); }

  IrRun& int64(std::int64_t value) { return bits(static_cast<std::uint64_t>(value)); }

  IrRun& float32(float value);
  IrRun& bits(std::uint64_t value);

  /// The last buffer is only in part written.
  IrRun& defined(Definedness& bytes);
  IrRun& read_only();

  RunReport run(const RunOptions& options = one_program());
  /// Runs with one thread on a grid of `x` programs.
  RunReport run(std::int64_t x, CheckLevel check = CheckLevel::Fast);

  [[nodiscard]] const std::string& printed() const { return printed_; }

  [[nodiscard]] const InterpreterProgram& program() const { return *program_; }

  [[nodiscard]] std::string_view kind(std::string_view name) const;

  [[nodiscard]] const std::vector<InterpreterBuffer>& buffers() const { return buffers_; }

  [[nodiscard]] const std::vector<InterpreterArgument>& arguments() const { return arguments_; }

  [[nodiscard]] static RunOptions one_program();

 private:
  IrRun& pointer(void* data, std::size_t bytes, std::size_t width, std::int64_t offset);

  std::shared_ptr<const InterpreterProgram> program_;
  std::vector<InterpreterBuffer> buffers_;
  std::vector<InterpreterArgument> arguments_;
  std::string printed_;
};

/// "out-of-bounds: load of `x` element 6 is outside its 5 elements (program 0, lane 3, count 2)",
/// one line a finding.
[[nodiscard]] std::string summary(const RunReport& report);

/// 0, 1, 2, … as T.
template <class T>
std::vector<T> iota(std::size_t count, T first = T{0}) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(first + static_cast<T>(i));
  }
  return values;
}

}  // namespace tilery::testing
