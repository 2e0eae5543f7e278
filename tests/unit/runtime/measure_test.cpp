// Measuring, on the stand-in for the driver.
#include "tilery/measure.h"

#include "tests/fake_cuda/fake_gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace tilery::testing {
namespace {

TEST(Timings, quantiles_lie_between_the_runs) {
  const Timings timings{{1, 2, 3, 4, 10}};
  EXPECT_DOUBLE_EQ(timings.median(), 3);
  EXPECT_DOUBLE_EQ(timings.quantile(0), 1);
  EXPECT_DOUBLE_EQ(timings.quantile(1), 10);
  // place 0.8 · 4 = 3.2: a fifth of the way from 4 to 10
  EXPECT_DOUBLE_EQ(timings.quantile(0.8), 5.2);
  EXPECT_DOUBLE_EQ(Timings{}.median(), 0);
}

class Measure : public FakeGpu {
 protected:
  static Result<PreparedLaunch> prepared() {
    const Buffer from = *numbers({1, 2, 3}).to(gpu());
    const Buffer to = *Buffer::zeros(DType::F32, {3}, gpu());
    const std::int64_t grid[] = {1};
    return prepare(gpu(), kernel(copy_text()), grid, {from, to, 3});
  }

  Variable memory_{"FAKE_CUDA_MEMORY", "100000000"};
};

MeasureOptions quick() {
  MeasureOptions options;
  options.warmup = std::chrono::milliseconds(0);
  options.time = std::chrono::milliseconds(1);
  options.least_runs = 20;
  return options;
}

TEST_F(Measure, gives_sorted_times_of_at_least_so_many_runs) {
  const auto launch = prepared();
  ASSERT_TRUE(launch) << launch.error().message;
  const auto timings = measure(*launch, quick());
  ASSERT_TRUE(timings) << timings.error().message;
  EXPECT_GE(timings->microseconds.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(timings->microseconds));
}

TEST_F(Measure, writes_the_cache_full_before_each_launch_if_asked) {
  const auto launch = prepared();
  ASSERT_TRUE(launch) << launch.error().message;
  MeasureOptions options = quick();
  const long launches = fake_cuda().calls("cuLaunchKernel");
  const long fills = fake_cuda().calls("cuMemsetD8Async");
  ASSERT_TRUE(measure(*launch, options));
  EXPECT_EQ(fake_cuda().calls("cuMemsetD8Async") - fills,
            fake_cuda().calls("cuLaunchKernel") - launches);
  options.cold_cache = false;
  const long before = fake_cuda().calls("cuMemsetD8Async");
  ASSERT_TRUE(measure(*launch, options));
  EXPECT_EQ(fake_cuda().calls("cuMemsetD8Async"), before);
}

TEST_F(Measure, leaves_no_event_and_no_memory_behind) {
  const auto launch = prepared();
  ASSERT_TRUE(launch) << launch.error().message;
  const long allocations = fake_cuda().allocations();
  ASSERT_TRUE(measure(*launch, quick()));
  EXPECT_EQ(fake_cuda().allocations(), allocations);
  EXPECT_EQ(fake_cuda().calls("cuEventCreate"), fake_cuda().calls("cuEventDestroy"));
}

TEST_F(Measure, a_failure_names_the_call_and_the_kernel) {
  const auto launch = prepared();
  ASSERT_TRUE(launch) << launch.error().message;
  const Variable fail("FAKE_CUDA_FAIL", "cuEventRecord=719");
  const auto timings = measure(*launch, quick());
  ASSERT_FALSE(timings);
  EXPECT_NE(timings.error().message.find("cuEventRecord"), std::string::npos);
  EXPECT_NE(timings.error().message.find("`copy`"), std::string::npos);
}

TEST_F(Measure, copies_are_counted_as_read_and_written) {
  const auto copy = measure_copy(gpu());
  ASSERT_TRUE(copy) << copy.error().message;
  // An eighth of the free half of 100,000,000 bytes, as a multiple of 256.
  EXPECT_EQ(copy->array_bytes, 6249984U);
  EXPECT_GT(copy->bytes_per_second, 0);
  EXPECT_FALSE(measure_copy(Device::interpreter()));
}

}  // namespace
}  // namespace tilery::testing
