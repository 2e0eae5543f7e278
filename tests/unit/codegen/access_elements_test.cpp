// How many elements of a tile an access may move at once, and along which axis.
#include "codegen/analysis/axis_info.h"
#include "tests/support/ir_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilery::codegen {
namespace {

/// A function with one access.
class Subject {
 public:
  explicit Subject(const std::string& text)
      : function_(testing::read_ir(text)), table_(find_axis_info(function_)) {
    for (std::size_t i = 0; i < function_.insts.size(); ++i) {
      access_ = function_.insts[i].op == Op::Load ? InstId(i) : access_;
    }
  }

  /// That the load moves at once along an axis.
  [[nodiscard]] int elements(int axis = 0) const {
    return access_elements(table_, function_, access_, axis);
  }

  [[nodiscard]] std::vector<int> order() const { return access_order(table_, function_, access_); }

 private:
  Function function_;
  AxisTable table_;
  InstId access_;
};

/// A masked row load: x[row * stride + cols], cols < n.
std::string row_load(const std::string& type, const std::string& stride, const std::string& n) {
  return "func @f(%p: *" + type + " {div16}, %stride: i32" + stride + ", %n: i32" + n + R"() {
  %row = program_id axis=0 : i32
  %start = mul %row, %stride : i32
  %base = addptr %p, %start : *)" +
         type + R"(
  %cols = arange start=0 end=1024 : i32[1024]
  %ns = splat %n : i32[1024]
  %mask = lt %cols, %ns : i1[1024]
  %bases = splat %base : *)" +
         type + R"([1024]
  %ptrs = addptr %bases, %cols : *)" +
         type + R"([1024]
  %x = load %ptrs, %mask : )" +
         type + R"([1024]
})";
}

TEST(AccessElements, are_16_bytes_where_stride_and_length_are_multiples_of_16) {
  EXPECT_EQ(Subject(row_load("f32", " {div16}", " {div16}")).elements(), 4);
  EXPECT_EQ(Subject(row_load("bf16", " {div16}", " {div16}")).elements(), 8);
  EXPECT_EQ(Subject(row_load("i8", " {div16}", " {div16}")).elements(), 16);
  EXPECT_EQ(Subject(row_load("f64", " {div16}", " {div16}")).elements(), 2);
}

TEST(AccessElements, are_single_where_rows_start_anywhere) {
  // n = stride = 781.
  EXPECT_EQ(Subject(row_load("f32", "", "")).elements(), 1);
  EXPECT_EQ(Subject(row_load("f32", "", " {div16}")).elements(), 1);
  EXPECT_EQ(Subject(row_load("f32", " {div16}", "")).elements(), 1);
}

TEST(AccessElements, order_follows_the_unit_stride) {
  const Subject s(R"(func @f(%p: *f32 {div16}, %one: i32 {eq1}, %stride: i32 {div16}) {
  %i = arange start=0 end=16 : i32[16]
  %rows = expand_dims %i axis=1 : i32[16, 1]
  %cols = expand_dims %i axis=0 : i32[1, 16]
  %s0 = splat %one : i32[16, 1]
  %s1 = splat %stride : i32[1, 16]
  %r = mul %rows, %s0 : i32[16, 1]
  %c = mul %cols, %s1 : i32[1, 16]
  %rb = broadcast %r : i32[16, 16]
  %cb = broadcast %c : i32[16, 16]
  %offs = add %rb, %cb : i32[16, 16]
  %ps = splat %p : *f32[16, 16]
  %ptrs = addptr %ps, %offs : *f32[16, 16]
  %x = load %ptrs : f32[16, 16]
})");
  EXPECT_EQ(s.order(), (std::vector<int>{0, 1}));
  EXPECT_EQ(s.elements(0), 4);
  EXPECT_EQ(s.elements(1), 1);
}

TEST(AccessElements, order_of_equals_is_the_last_axis_first) {
  const Subject s(R"(func @f(%p: *f32) {
  %ps = splat %p : *f32[4, 4, 4]
  %x = load %ps : f32[4, 4, 4]
})");
  EXPECT_EQ(s.order(), (std::vector<int>{2, 1, 0}));
}

}  // namespace
}  // namespace tilery::codegen
