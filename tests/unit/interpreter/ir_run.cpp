#include "tests/unit/interpreter/ir_run.h"

#include "tests/support/ir_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

namespace tilery::testing {

IrRun::IrRun(std::string_view text) : program_(make_program(read_ir(text))) {}

IrRun& IrRun::pointer(void* data, std::size_t bytes, std::size_t width, std::int64_t offset) {
  const Param& param = function_of(*program_).params[arguments_.size()];
  InterpreterArgument argument;
  argument.is_pointer = true;
  argument.byte_offset = offset * static_cast<std::int64_t>(width);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].data == data) {
      argument.buffer = static_cast<int>(i);
    }
  }
  if (argument.buffer < 0) {
    argument.buffer = static_cast<int>(buffers_.size());
    InterpreterBuffer buffer;
    buffer.name = param.name;
    buffer.data = data;
    buffer.bytes = bytes;
    buffer.element = param.type.element.pointee();
    buffers_.push_back(std::move(buffer));
  }
  arguments_.push_back(argument);
  return *this;
}

IrRun& IrRun::null() {
  InterpreterArgument argument;
  argument.is_pointer = true;
  arguments_.push_back(argument);
  return *this;
}

IrRun& IrRun::float32(float value) {
  return bits(std::bit_cast<std::uint32_t>(value));
}

IrRun& IrRun::bits(std::uint64_t value) {
  InterpreterArgument argument;
  argument.bits = value;
  arguments_.push_back(argument);
  return *this;
}

IrRun& IrRun::defined(Definedness& bytes) {
  buffers_.back().defined = &bytes;
  return *this;
}

IrRun& IrRun::read_only() {
  buffers_.back().read_only = true;
  return *this;
}

RunOptions IrRun::one_program() {
  RunOptions options;
  options.threads = 1;
  return options;
}

RunReport IrRun::run(const RunOptions& options) {
  RunOptions with_print = options;
  if (!with_print.print) {
    with_print.print = [this](std::string_view text) { printed_ += text; };
  }
  return tilery::run(*program_, buffers_, arguments_, with_print);
}

RunReport IrRun::run(std::int64_t x, CheckLevel check) {
  RunOptions options = one_program();
  options.grid = {x, 1, 1};
  options.check = check;
  return run(options);
}

std::string_view IrRun::kind(std::string_view name) const {
  return slot_kind(*program_, find_value(function_of(*program_), name));
}

std::string summary(const RunReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += fmt::format("{}: {} (program {}", finding_name(finding.kind), finding.message,
                        finding.program[0]);
    if (finding.lane) {
      text += fmt::format(", lane {}", *finding.lane);
    }
    text += fmt::format(", count {})\n", finding.count);
  }
  return text;
}

}  // namespace tilery::testing
