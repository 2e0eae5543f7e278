// Running kernels of kernels/ through the public interface, and references in float64.
#pragma once

#include "tilery/tilery.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilery::testing {

/// Numbers that repeat from run to run: roughly normal, mean 0, deviation `scale`, made from a
/// fixed generator.
[[nodiscard]] std::vector<double> random_numbers(std::size_t count, double scale,
                                                 std::uint32_t seed);

/// A buffer of `dtype` with these numbers, each rounded to it.
[[nodiscard]] Buffer buffer_of(DType dtype, Extents shape, const std::vector<double>& numbers);
/// A buffer whose elements count as never written.
[[nodiscard]] Buffer output(DType dtype, Extents shape);
/// The elements as doubles: what a kernel reads when it loads them.
[[nodiscard]] std::vector<double> numbers_of(const Buffer& buffer);

/// Runs kernel `name` of kernels/`file`. The calling test fails if it does not compile, or if a
/// message comes that is not in `expected_messages` (texts that must each occur in one message, in
/// this order).
LaunchReport run_kernel(const std::string& file, const std::string& name,
                        const std::vector<std::int64_t>& grid, const Arguments& arguments,
                        const std::vector<std::string>& expected_messages = {});

/// Fails at the first element with |got - want| > atol + rtol * |want|; NaN matches NaN.
void expect_near(const Buffer& got, const std::vector<double>& want, double rtol, double atol = 0);

/// Softmax of rows in float64, by the definition with the maximum taken off.
[[nodiscard]] std::vector<double> softmax_rows(const std::vector<double>& x, std::size_t columns);

/// Half a unit in the last place of 1.0, for tolerances: fp32 2^-24, bf16 2^-8, fp16 2^-11.
[[nodiscard]] double unit_roundoff(DType dtype);

}  // namespace tilery::testing
