// The simulator itself: what a GPU would do with kernels written by hand, and the mistakes of
// kernels that it must tell.
#include "tests/unit/codegen/simt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::testing {
namespace {

constexpr int kThreads = 64;

/// A block of 64 threads: thread %t owns word %t of shared memory, at %own, of %x and of %out; its
/// neighbour in the other warp owns the word at %other.
std::string block(std::string_view body) {
  return fmt::format(R"(
target datalayout = "e-p3:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32 immarg)

define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x_own = getelementptr i32, ptr addrspace(1) %x, i32 %t
  %out_own = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  %own2 = getelementptr i32, ptr addrspace(3) %own, i32 64
  %u = xor i32 %t, 32
  %other = getelementptr i32, ptr addrspace(3) @shared, i32 %u
{}
  ret void
}}
)",
                     body);
}

constexpr std::string_view kCopy =
    "  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) %own, ptr addrspace(1) "
    "%x_own, i32 4)\n";
constexpr std::string_view kCopyNothing =
    "  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) %own, ptr addrspace(1) "
    "%x_own, i32 0)\n";
constexpr std::string_view kCopyToSecond =
    "  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) %own2, ptr "
    "addrspace(1) %x_own, i32 4)\n";
constexpr std::string_view kCommit = "  call void @llvm.nvvm.cp.async.commit.group()\n";
constexpr std::string_view kWait = "  call void @llvm.nvvm.cp.async.wait.group(i32 0)\n";
constexpr std::string_view kWaitButOne = "  call void @llvm.nvvm.cp.async.wait.group(i32 1)\n";
constexpr std::string_view kBarrier = "  call void @llvm.nvvm.barrier0()\n";
/// Orders nothing between warps, but all threads come here before one goes on.
constexpr std::string_view kWarpSync = "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n";
constexpr std::string_view kStore = "  store i32 %t, ptr addrspace(3) %own\n";

/// A load of the word at %`place`, which is stored to %out.
std::string read(std::string_view place) {
  return fmt::format(
      "  %v_{0} = load i32, ptr addrspace(3) %{0}\n  store i32 %v_{0}, ptr addrspace(1) "
      "%out_own\n",
      place);
}

struct Outcome {
  std::string failure;
  std::vector<std::int32_t> out;
};

template <class... Parts>
Outcome run(const Parts&... parts) {
  std::string body;
  ((body += parts), ...);
  std::vector<std::int32_t> x(kThreads);
  std::iota(x.begin(), x.end(), 100);
  Outcome outcome{{}, std::vector<std::int32_t>(kThreads, -1)};
  outcome.failure = SimtKernel(block(body))
                        .run({reinterpret_cast<std::uint64_t>(x.data()),
                              reinterpret_cast<std::uint64_t>(outcome.out.data())},
                             kThreads, 2 * kThreads * sizeof(std::int32_t));
  return outcome;
}

TEST(Simt, what_a_thread_wrote_it_reads) {
  const Outcome outcome = run(kStore, read("own"));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.out[5], 5);
}

TEST(Simt, what_others_wrote_is_read_after_a_barrier) {
  const Outcome outcome = run(kStore, kBarrier, read("other"));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.out[5], 37);
  EXPECT_EQ(outcome.out[37], 5);
}

TEST(Simt, without_the_barrier_it_is_a_race) {
  // Thread 0 comes first and finds nothing yet.
  EXPECT_EQ(run(kStore, read("other")).failure, "thread 0 reads shared byte 128, never written");
  EXPECT_EQ(run(kStore, kWarpSync, read("other")).failure, "race: thread 0 reads shared byte 128");
  EXPECT_EQ(run(kStore, kBarrier, read("other"), kWarpSync, kStore).failure,
            "race: thread 0 writes shared byte 0");
}

TEST(Simt, memory_that_nobody_wrote_is_not_read) {
  EXPECT_EQ(run(read("own2")).failure, "thread 0 reads shared byte 256, never written");
}

TEST(SimtCopies, land_when_they_are_waited_for) {
  const Outcome outcome = run(kCopy, kCommit, kWait, read("own"));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.out[5], 105);
}

TEST(SimtCopies, fill_with_zeros_what_they_do_not_read) {
  const Outcome outcome = run(kCopyNothing, kCommit, kWait, read("own"));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.out[5], 0);
}

TEST(SimtCopies, are_not_there_without_a_wait) {
  for (const std::string_view after : {std::string_view{}, kCommit}) {
    EXPECT_EQ(run(kCopy, after, kBarrier, read("own")).failure,
              "thread 0 reads shared byte 0, to which a copy is on its way");
  }
}

TEST(SimtCopies, that_were_not_committed_are_not_waited_for) {
  EXPECT_EQ(run(kCopy, kWait, read("own")).failure,
            "thread 0 reads shared byte 0, to which a copy is on its way");
}

TEST(SimtCopies, of_the_last_groups_may_stay_on_their_way) {
  const Outcome outcome =
      run(kCopy, kCommit, kCopyToSecond, kCommit, kWaitButOne, kBarrier, read("other"));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.out[5], 137);
  EXPECT_EQ(run(kCopy, kCommit, kCopyToSecond, kCommit, kWaitButOne, read("own2")).failure,
            "thread 0 reads shared byte 256, to which a copy is on its way");
}

TEST(SimtCopies, are_read_by_others_after_a_wait_and_a_barrier) {
  EXPECT_EQ(run(kCopy, kCommit, kWait, kBarrier, read("other")).failure, "");
  EXPECT_EQ(run(kStore, kBarrier, kCopy, kCommit, kBarrier, kWait, read("other")).failure,
            "thread 0 reads shared byte 128, to which a copy is on its way");
}

TEST(SimtCopies, must_not_start_over_what_others_may_still_read) {
  EXPECT_EQ(run(kStore, kBarrier, read("other"), kWarpSync, kCopy).failure,
            "race: thread 0 copies to shared byte 0");
  EXPECT_EQ(run(kStore, kBarrier, read("other"), kBarrier, kCopy, kCommit, kWait).failure, "");
}

TEST(SimtCopies, must_have_landed_before_a_store) {
  EXPECT_EQ(run(kCopy, kCommit, kStore).failure,
            "thread 0 writes shared byte 0, to which a copy is on its way");
}

}  // namespace
}  // namespace tilery::testing
