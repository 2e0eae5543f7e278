// Where a loop's values are, in a `for`, a `while` and an `if`, by the names in the text.
#include "ir/analysis/loops.h"

#include "ir/analysis/pointer_roots.h"
#include "ir/builder.h"
#include "tests/support/ir_text.h"

#include <gtest/gtest.h>

#include <map>

namespace tilery {
namespace {

class Loops : public ::testing::Test {
 protected:
  void read(const std::string& text) {
    function_ = testing::read_ir(text);
    for (std::uint32_t i = 0; i < function_.values.size(); ++i) {
      named_[function_.values[i].name] = ValueId(i);
    }
  }

  [[nodiscard]] ValueId at(const std::string& name) const { return named_.at(name); }

  [[nodiscard]] const Inst& def(const std::string& name) const {
    return function_.inst(function_.value(at(name)).def);
  }

  Function function_;
  std::map<std::string, ValueId> named_;
};

TEST_F(Loops, for_carries_what_its_body_yields) {
  read(R"(func @f(%o: *i32, %n: i32, %z: i32, %one: i32, %x: i32) {
  %r, %s = for %z, %n, %one, %x, %n : i32, i32 {
  body(%i: i32, %a: i32, %b: i32):
    %c = add %a, %i : i32
    yield %b, %c
  }
  store %o, %r
  store %o, %s
})");
  const Inst& loop = def("r");
  EXPECT_FALSE(has_exit(loop));
  EXPECT_EQ(counter_arg(function_, loop), at("i"));
  ASSERT_EQ(carried_count(loop), 2U);
  const Carried second = carried_value(function_, loop, 1);
  EXPECT_EQ(second.init, at("n"));
  EXPECT_EQ(second.arg, at("b"));
  EXPECT_EQ(second.passed, at("b"));
  EXPECT_EQ(second.body_arg, at("b"));
  EXPECT_EQ(second.next, at("c"));
  EXPECT_EQ(second.result, at("s"));
  EXPECT_EQ(loop.operands[first_init(loop)], at("x"));

  const auto place = carried_place(function_, at("b"));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->loop, function_.value(at("r")).def);
  EXPECT_EQ(place->index, 1U);
  EXPECT_FALSE(carried_place(function_, at("i"))) << "a counter";
  EXPECT_FALSE(carried_place(function_, at("n"))) << "a parameter";
  EXPECT_FALSE(carried_place(function_, at("c"))) << "a result";
}

TEST_F(Loops, while_passes_its_values_from_the_condition_to_the_body) {
  read(R"(func @w(%p: *i32, %q: *i32, %z: i32, %m: i32) {
  %r, %s = while %m, %p : i32, *i32 {
  cond(%n: i32, %a: *i32):
    %go = gt %n, %z : i1
    %n2 = add %n, %m : i32
    condition %go, %n2, %q
  body(%k: i32, %b: *i32):
    %next = sub %k, %m : i32
    yield %next, %b
  }
  store %s, %r
})");
  const Inst& loop = def("r");
  const Carried first = carried_value(function_, loop, 0);
  EXPECT_EQ(first.init, at("m"));
  EXPECT_EQ(first.arg, at("n"));
  EXPECT_EQ(first.passed, at("n2"));
  EXPECT_EQ(first.body_arg, at("k"));
  EXPECT_EQ(first.next, at("next"));
  EXPECT_EQ(first.result, at("r"));
  EXPECT_EQ(first_passed(function_.terminator(loop.regions[0])), 1U);
  EXPECT_EQ(carried_place(function_, at("n"))->index, 0U);
  EXPECT_EQ(carried_place(function_, at("b"))->index, 1U);

  // The result comes from the condition, not from what the loop began with alone.
  EXPECT_EQ(pointer_roots(function_, at("s")), (std::set<std::size_t>{0, 1}));
}

TEST_F(Loops, if_passes_one_value_of_each_side) {
  read(R"(func @i(%o: *i32, %c: i1, %x: i32, %y: i32) {
  %r = if %c : i32 {
  then:
    yield %x
  else:
    yield %y
  }
  store %o, %r
})");
  const Inst& branch = def("r");
  EXPECT_FALSE(is_loop(branch.op));
  EXPECT_EQ(passed_values(function_, branch.regions[0])[0], at("x"));
  EXPECT_EQ(passed_values(function_, branch.regions[1])[0], at("y"));
}

}  // namespace
}  // namespace tilery
