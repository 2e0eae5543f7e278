#include "tests/support/run_file.h"

#include "frontend/parser.h"
#include "ir/builder.h"
#include "tests/support/signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace tilery::testing {
namespace {

[[noreturn]] void fail(const std::string& line, const std::string& why) {
  throw std::invalid_argument(why + ": " + line);
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) {
    result.push_back(word);
  }
  return result;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::uint64_t parse_bits(Scalar dtype, const std::string& word) {
  if (is_float(dtype)) {
    if (word.starts_with("bits:")) {
      return std::stoull(word.substr(5), nullptr, 16);
    }
    return encode_float(dtype, std::strtod(word.c_str(), nullptr));
  }
  if (word.front() == '-') {
    return encode_int(dtype, std::stoll(word, nullptr, 0));
  }
  return encode_int(dtype, static_cast<std::int64_t>(std::stoull(word, nullptr, 0)));
}

/// "1 2 3", "fill 7", "arange 0 1", each a whole buffer of `count` numbers (0: as many as written).
std::vector<std::uint64_t> parse_numbers(Scalar dtype, const std::string& text, std::size_t count) {
  const std::vector<std::string> list = words(text);
  std::vector<std::uint64_t> bits;
  if (!list.empty() && list[0] == "fill") {
    bits.assign(count, parse_bits(dtype, list.at(1)));
  } else if (!list.empty() && list[0] == "arange") {
    const double start = std::stod(list.at(1));
    const double step = std::stod(list.at(2));
    for (std::size_t i = 0; i < count; ++i) {
      const double v = start + step * static_cast<double>(i);
      bits.push_back(is_float(dtype) ? encode_float(dtype, v)
                                     : encode_int(dtype, static_cast<std::int64_t>(v)));
    }
  } else {
    for (const std::string& word : list) {
      bits.push_back(parse_bits(dtype, word));
    }
  }
  if (bits.size() != count) {
    throw std::invalid_argument(
        fmt::format("{} numbers where {} are needed: {}", bits.size(), count, text));
  }
  return bits;
}

void store_bits(RunBuffer& buffer, const std::vector<std::uint64_t>& bits) {
  const auto width = static_cast<std::size_t>(byte_size(buffer.dtype));
  buffer.data.resize(bits.size() * width);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(buffer.data.data() + i * width, &bits[i], width);
  }
}

std::uint64_t load_bits(const RunBuffer& buffer, std::size_t i) {
  const auto width = static_cast<std::size_t>(byte_size(buffer.dtype));
  std::uint64_t bits = 0;
  std::memcpy(&bits, buffer.data.data() + i * width, width);
  return bits;
}

/// `arg: x = f32[4]: 1 2 3 4`, `arg: n = i32: 4`, or `arg: B = 8` (compile-time).
void read_argument(const std::string& text, RunFile& run) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    fail(text, "`arg:` needs NAME = VALUE");
  }
  const std::string name = trimmed(text.substr(0, equals));
  const std::string value = trimmed(text.substr(equals + 1));
  const std::size_t colon = value.find(':');
  Type type;
  if (colon == std::string::npos || !parse_type(trimmed(value.substr(0, colon)), type)) {
    run.signature += " " + name + "=" + value;
    return;
  }
  const Scalar dtype = type.element.scalar;
  const std::string numbers = value.substr(colon + 1);
  if (type.is_scalar()) {
    run.signature += " " + name + "=" + std::string(ir_name(dtype));
    run.scalars.emplace_back(name, std::to_string(parse_numbers(dtype, numbers, 1).at(0)));
    return;
  }
  run.signature += " " + name + "=*" + std::string(ir_name(dtype));
  RunBuffer buffer{name, dtype, {}};
  store_bits(buffer, parse_numbers(dtype, numbers, static_cast<std::size_t>(type.numel())));
  run.buffers.push_back(std::move(buffer));
}

/// `o: 1 2 3`, `o rtol 1e-6: …`, `finding out-of-bounds 7`, `print pid …`.
void read_expectation(const std::string& text, RunFile& run) {
  if (text.starts_with("finding ")) {
    const std::vector<std::string> parts = words(text);
    run.findings.push_back({parts.at(1), static_cast<std::uint32_t>(std::stoul(parts.at(2)))});
    return;
  }
  if (text.starts_with("print ")) {
    run.prints.push_back(text.substr(6));
    return;
  }
  const std::size_t colon = text.find(':');
  const std::vector<std::string> head = words(text.substr(0, colon));
  if (colon == std::string::npos || head.empty()) {
    fail(text, "`expect:` needs BUFFER: NUMBERS");
  }
  ExpectedBuffer expected{head[0], {}};
  for (std::size_t i = 1; i < head.size(); ++i) {
    if (head[i] == "rtol") {
      expected.rtol = std::stod(head.at(++i));
    } else if (head[i] == "atol") {
      expected.atol = std::stod(head.at(++i));
    } else if (head[i] == "signed_zero") {
      expected.signed_zero = true;
    } else {
      fail(text, "unknown word " + head[i]);
    }
  }
  const auto buffer = std::find_if(run.buffers.begin(), run.buffers.end(),
                                   [&](const RunBuffer& b) { return b.name == expected.name; });
  if (buffer == run.buffers.end()) {
    fail(text, "no buffer of that name");
  }
  expected.bits = parse_numbers(buffer->dtype, text.substr(colon + 1), buffer->size());
  run.expected.push_back(std::move(expected));
}

void read_command(const std::string& command, RunFile& run) {
  for (const std::string& word : words(command)) {
    if (word.starts_with("grid=")) {
      std::istringstream in(word.substr(5));
      char comma = ',';
      for (std::size_t axis = 0; axis < 3 && comma == ',' && in >> run.grid[axis]; ++axis) {
        comma = ' ';
        in >> comma;
      }
    } else if (word != "run") {
      run.signature += " " + word;
    }
  }
}

bool matches(const ExpectedBuffer& expected, Scalar dtype, std::uint64_t want, std::uint64_t got) {
  if (!is_float(dtype)) {
    return want == got;
  }
  const double w = decode_float(dtype, want);
  const double g = decode_float(dtype, got);
  if (std::isnan(w) || std::isnan(g)) {
    return std::isnan(w) && std::isnan(g);
  }
  if (expected.signed_zero && std::signbit(w) != std::signbit(g)) {
    return false;
  }
  return w == g || std::abs(g - w) <= expected.atol + expected.rtol * std::abs(w);
}

std::string shown(Scalar dtype, std::uint64_t bits) {
  return is_float(dtype) ? fmt::format("{}", decode_float(dtype, bits))
                         : fmt::format("{}", decode_int(dtype, bits));
}

}  // namespace

RunFile read_run_file(const GoldenFile& file) {
  RunFile run;
  read_command(file.command, run);
  for (const std::string& line : split_lines(file.text)) {
    if (line.starts_with("# arg:")) {
      read_argument(line.substr(6), run);
    }
  }
  for (const std::string& line : file.expected) {
    read_expectation(line, run);
  }
  return run;
}

void prepare_run(const GoldenFile& file, RunFile& run, PreparedRun& prepared, bool optimise) {
  const FileId id = prepared.sources.add(file.path.filename().string(), 1, file.text);
  std::optional<ast::Module> module =
      parse(prepared.sources, id, module_kind(file.path.filename().string()), prepared.diagnostics);
  if (!module) {
    return;
  }
  Unit unit;
  unit.module = std::move(*module);
  const Signature signature = parse_signature(run.signature);
  const std::vector<KernelInfo> kernels =
      list_kernels(unit, prepared.sources, prepared.diagnostics);
  const auto kernel = std::find_if(kernels.rbegin(), kernels.rend(), [&](const KernelInfo& k) {
    return signature.kernel.empty() || k.name == signature.kernel;
  });
  if (kernel == kernels.rend()) {
    throw std::invalid_argument("no such kernel");
  }
  prepared.specialized =
      specialize(unit, prepared.sources, kernel->name, arguments_for(signature, *kernel),
                 signature.options, prepared.diagnostics, optimise);
  for (RunBuffer& buffer : run.buffers) {
    prepared.buffers.push_back({buffer.name, buffer.data.data(), buffer.data.size(), buffer.dtype});
  }
  if (!prepared.specialized) {
    return;
  }
  for (const Param& param : prepared.specialized->function.params) {
    InterpreterArgument argument;
    for (std::size_t i = 0; i < run.buffers.size(); ++i) {
      if (run.buffers[i].name == param.name) {
        argument.is_pointer = true;
        argument.buffer = static_cast<int>(i);
      }
    }
    for (const auto& [name, bits] : run.scalars) {
      argument.bits = name == param.name ? std::stoull(bits) : argument.bits;
    }
    prepared.arguments.push_back(argument);
  }
}

void expect_buffers(const RunFile& run, const std::vector<RunBuffer>& inputs) {
  for (std::size_t b = 0; b < run.buffers.size(); ++b) {
    const RunBuffer& buffer = run.buffers[b];
    const auto expected =
        std::find_if(run.expected.begin(), run.expected.end(),
                     [&](const ExpectedBuffer& e) { return e.name == buffer.name; });
    if (expected == run.expected.end()) {
      EXPECT_EQ(buffer.data, inputs[b].data) << buffer.name << " must not change";
      continue;
    }
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      const std::uint64_t got = load_bits(buffer, i);
      EXPECT_TRUE(matches(*expected, buffer.dtype, expected->bits[i], got))
          << buffer.name << "[" << i << "] is " << shown(buffer.dtype, got) << ", not "
          << shown(buffer.dtype, expected->bits[i]);
    }
  }
}

}  // namespace tilery::testing
