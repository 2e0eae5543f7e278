#include "tests/kernels/kernel_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tilery::testing {
namespace {

/// Numerical Recipes' linear congruential generator; 24 good bits a call.
double next_uniform(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return static_cast<double>(state >> 8U) / 16777216.0;
}

Library library_of(const std::string& file) {
  Result<Library> library =
      Library::parse_file(std::string(TILERY_SOURCE_DIR) + "/kernels/" + file);
  if (!library) {
    throw std::runtime_error(library.error().message);
  }
  return *library;
}

}  // namespace

std::vector<double> random_numbers(std::size_t count, double scale, std::uint32_t seed) {
  std::uint32_t state = seed * 2654435761U + 12345U;
  std::vector<double> numbers(count);
  for (double& v : numbers) {
    // The sum of four uniforms is close enough to normal; its variance is 1/3.
    const double sum =
        next_uniform(state) + next_uniform(state) + next_uniform(state) + next_uniform(state);
    v = (sum - 2.0) * std::sqrt(3.0) * scale;
  }
  return numbers;
}

Buffer buffer_of(DType dtype, Extents shape, const std::vector<double>& numbers) {
  Buffer buffer = *Buffer::zeros(dtype, std::move(shape));
  EXPECT_EQ(static_cast<std::size_t>(buffer.numel()), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    buffer.set_number(static_cast<std::int64_t>(i), numbers[i]);
  }
  return buffer;
}

Buffer output(DType dtype, Extents shape) {
  return *Buffer::uninitialised(dtype, std::move(shape));
}

std::vector<double> numbers_of(const Buffer& buffer) {
  std::vector<double> numbers(static_cast<std::size_t>(buffer.numel()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = buffer.number(static_cast<std::int64_t>(i));
  }
  return numbers;
}

LaunchReport run_kernel(const std::string& file, const std::string& name,
                        const std::vector<std::int64_t>& grid, const Arguments& arguments,
                        const std::vector<std::string>& expected_messages) {
  const Library library = library_of(file);
  const Result<Kernel> kernel = library.kernel(name);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().message;
    return {};
  }
  Result<LaunchReport> report = launch(Device::interpreter(), *kernel, grid, arguments);
  if (!report) {
    ADD_FAILURE() << report.error().message;
    return {};
  }
  const std::vector<Message>& messages = report->messages;
  for (std::size_t i = 0; i < std::max(messages.size(), expected_messages.size()); ++i) {
    const std::string got = i < messages.size() ? messages[i].text : "no message";
    const std::string want = i < expected_messages.size() ? expected_messages[i] : "no message";
    EXPECT_NE(got.find(want), std::string::npos) << got << "where this was expected: " << want;
  }
  return *report;
}

void expect_near(const Buffer& got, const std::vector<double>& want, double rtol, double atol) {
  const std::vector<double> values = numbers_of(got);
  ASSERT_EQ(values.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const bool both_nan = std::isnan(values[i]) && std::isnan(want[i]);
    const bool close =
        values[i] == want[i] || std::abs(values[i] - want[i]) <= atol + rtol * std::abs(want[i]);
    ASSERT_TRUE(both_nan || close) << "element " << i << " is " << values[i] << ", not " << want[i];
  }
}

std::vector<double> softmax_rows(const std::vector<double>& x, std::size_t columns) {
  std::vector<double> result(x.size());
  for (std::size_t row = 0; row < x.size(); row += columns) {
    double top = x[row];
    for (std::size_t j = 0; j < columns; ++j) {
      top = std::max(top, x[row + j]);
    }
    double total = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      total += std::exp(x[row + j] - top);
    }
    for (std::size_t j = 0; j < columns; ++j) {
      result[row + j] = std::exp(x[row + j] - top) / total;
    }
  }
  return result;
}

double unit_roundoff(DType dtype) {
  return dtype == DType::BF16 ? 0x1p-8 : dtype == DType::F16 ? 0x1p-11 : 0x1p-24;
}

}  // namespace tilery::testing
