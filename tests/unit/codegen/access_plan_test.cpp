// How wide accesses are, and what is told to keep them narrow.
#include "codegen/access_plan.h"

#include "codegen/notes.h"
#include "ir/builder.h"
#include "tests/support/lowered_kernel.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilery::codegen {
namespace {

/// One load and what is told of it.
struct Told {
  AccessPlan plan;
  AccessReason reason;
};

/// The first load of a kernel with the parameters (x, y, stride, n, B); `lines` compute `p`, the
/// pointers, and `m`, the mask.
Told told(const std::string& lines, const std::string& facts, int num_warps = 1) {
  CodegenOptions options;
  options.num_warps = num_warps;
  const GpuFunction gpu = testing::lowered_text(
      "@triton.jit\ndef f(x, y, stride, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n" + lines +
          "    v = tl.load(p, mask=m)\n    tl.store(y + i, v)\n",
      facts + " B=1024", options);
  const AxisTable axes = find_axis_info(gpu.function);
  Told result;
  bool is_found = false;
  for_each_inst(gpu.function, gpu.function.body, [&](InstId id) {
    const Inst& inst = gpu.function.inst(id);
    if (inst.op == Op::Load && !is_found && !gpu.function.type(inst.result()).is_scalar() &&
        gpu.function.type(inst.result()).element.is(Scalar::F32)) {
      is_found = true;
      const Layout& layout = gpu.layouts.of(inst.result());
      const ElementType element = gpu.function.type(inst.result()).element;
      result.plan = plan_access(axes, gpu.function, id, layout, element);
      result.reason = explain_access(axes, gpu.function, id, layout, result.plan);
    }
  });
  EXPECT_TRUE(is_found);
  return result;
}

constexpr const char* kAligned = "x=*f32/16 y=*f32/16 stride=i32/16 n=i32/16";

TEST(AccessPlan, a_regular_access_moves_16_bytes) {
  const Told t = told("    p = x + tl.program_id(0) * stride + i\n    m = i < n\n", kAligned);
  EXPECT_EQ(t.plan.elements, 4);
  EXPECT_EQ(t.plan.limit, AccessLimit::None);
  EXPECT_EQ(t.reason.why, "");
}

TEST(AccessPlan, names_the_stride_that_may_be_odd) {
  const Told t = told("    p = x + tl.program_id(0) * stride + i\n    m = i < n\n",
                      "x=*f32/16 y=*f32/16 stride=i32 n=i32/16");
  EXPECT_EQ(t.plan.elements, 1);
  EXPECT_EQ(t.plan.limit, AccessLimit::Alignment);
  EXPECT_NE(t.reason.why.find("`stride` is not known to be a multiple of 16"), std::string::npos);
}

TEST(AccessPlan, names_the_pointer_that_may_be_unaligned) {
  const Told t = told("    p = x + tl.program_id(0) * stride + i\n    m = i < n\n",
                      "x=*f32 y=*f32/16 stride=i32/16 n=i32/16");
  EXPECT_EQ(t.plan.elements, 1);
  EXPECT_EQ(t.reason.why, "the address `x` is not known to be a multiple of 16 bytes");
}

TEST(AccessPlan, names_the_bound_that_may_cut_a_piece) {
  const Told t = told("    p = x + tl.program_id(0) * stride + i\n    m = i < n\n",
                      "x=*f32/16 y=*f32/16 stride=i32/16 n=i32");
  EXPECT_EQ(t.plan.elements, 1);
  EXPECT_EQ(t.plan.limit, AccessLimit::Mask);
  EXPECT_NE(t.reason.why.find("`n` is not known to be a multiple of 16"), std::string::npos);
}

TEST(AccessPlan, names_the_stride_between_neighbours) {
  const Told t = told("    p = x + i * stride\n    m = i < n\n", kAligned);
  EXPECT_EQ(t.plan.elements, 1);
  EXPECT_EQ(t.plan.limit, AccessLimit::Contiguity);
  EXPECT_EQ(t.reason.why, "neighbours lie `stride` elements apart, which is not known to be 1");
}

TEST(AccessPlan, tells_a_constant_stride) {
  const Told t = told("    p = x + i * 3\n    m = i < n\n", kAligned);
  EXPECT_EQ(t.reason.why, "neighbours lie 3 elements apart");
}

TEST(AccessPlan, tells_of_addresses_from_memory) {
  const Told t = told("    p = x + tl.load(stride + i)\n    m = i < n\n",
                      "x=*f32/16 y=*f32/16 stride=*i32/16 n=i32/16");
  EXPECT_EQ(t.plan.limit, AccessLimit::Contiguity);
  EXPECT_EQ(t.reason.why,
            "the addresses come from memory, and nothing says that they follow each other");
}

TEST(AccessPlan, a_constant_offset_breaks_alignment) {
  const Told t = told("    p = x + 3 + i\n    m = i < n\n", kAligned);
  EXPECT_EQ(t.plan.elements, 1);
  EXPECT_EQ(t.plan.limit, AccessLimit::Alignment);
  EXPECT_NE(t.reason.why.find("the constant 3"), std::string::npos) << t.reason.why;
}

TEST(AccessPlan, tells_when_a_thread_has_no_more) {
  // 1024 elements on 32 · 32 threads: one each
  const Told t = told("    p = x + i\n    m = i < n\n", kAligned, 32);
  EXPECT_EQ(t.plan.elements, 1);
  EXPECT_EQ(t.plan.limit, AccessLimit::Elements);
  EXPECT_EQ(t.reason.why,
            "a thread has only 1 element of the tile's 1024, which 1024 threads share");
}

TEST(Notes, tell_each_narrow_access_once_with_its_place) {
  CodegenOptions options;
  const GpuFunction gpu = testing::lowered_kernel(
      "kernels/stable_softmax.tl",
      "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32 N=i32/16 BLOCK_N=4096", options);
  const std::vector<std::string> notes = notes_of(gpu, find_axis_info(gpu.function), nullptr);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(notes[0].find("num_warps is 8: "), 0U);
  EXPECT_EQ(notes[1].find("load moves 4 bytes at once, not 16: `stride_row`"), 0U);
  EXPECT_EQ(notes[2].find("store moves 4 bytes at once, not 16: `stride_row`"), 0U);
}

TEST(Notes, one_byte_is_singular) {
  CodegenOptions options;
  const GpuFunction gpu =
      testing::lowered_kernel("kernels/vector_add.tl",
                              "x_ptr=*i8/16 y_ptr=*i8/16 out_ptr=*i8/16 n=i32 BLOCK=1024", options);
  const std::vector<std::string> notes = notes_of(gpu, find_axis_info(gpu.function), nullptr);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_EQ(notes[1].find("load moves 1 byte at once, not 16: `n`"), 0U) << notes[1];
}

TEST(Notes, a_regular_kernel_with_its_own_num_warps_has_none) {
  CodegenOptions options;
  options.num_warps = 8;
  const GpuFunction gpu = testing::lowered_kernel(
      "kernels/stable_softmax.tl",
      "x_ptr=*f32/16 out_ptr=*f32/16 stride_row=i32/16 N=i32/16 BLOCK_N=4096", options);
  EXPECT_TRUE(notes_of(gpu, find_axis_info(gpu.function), nullptr).empty());
}

}  // namespace
}  // namespace tilery::codegen
