// Python's own functions at compile time, ranges, and what prints or asserts while compiling.
#include "tests/unit/frontend/types_fixture.h"

#include <cmath>

namespace tilery::sema {
namespace {

Value text(const char* value) {
  return Value{std::string(value)};
}

Value builtin_value(std::string_view module, std::string_view name) {
  return Value{BuiltinRef{find_builtin(module, name), nullptr}};
}

class PythonBuiltins : public ::testing::Test {
 protected:
  std::string call(const char* name, const std::vector<Value>& arguments) {
    return sema_.text(sema_.call_named(name, arguments));
  }

  double number_of(const char* name, const std::vector<Value>& arguments) {
    const MaybeValue result = sema_.call_named(name, arguments);
    const auto* value = result ? result->as<double>() : nullptr;
    EXPECT_NE(value, nullptr) << name;
    return value != nullptr ? *value : 0.0;
  }

  FakeSema sema_;
};

TEST_F(PythonBuiltins, FloatReadsTextsAsPython) {
  EXPECT_EQ(number_of("float", {text("inf")}), HUGE_VAL);
  EXPECT_EQ(number_of("float", {text("-Infinity")}), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(number_of("float", {text("nan")})));
  EXPECT_EQ(number_of("float", {text(" 1_0e3 ")}), 10000.0);
  EXPECT_EQ(number_of("float", {text("+.5")}), 0.5);
  EXPECT_EQ(number_of("float", {text("1e999")}), HUGE_VAL);
  EXPECT_EQ(number_of("float", {number(std::int64_t{3})}), 3.0);
  EXPECT_EQ(call("float", {text("one")}), "PythonMath");
  EXPECT_EQ(call("float", {text("--1")}), "PythonMath");
  EXPECT_EQ(call("float", {text("")}), "PythonMath");
  EXPECT_EQ(call("float", {sema_.value(Scalar::I32)}), "ArgumentNotConstexpr");
}

TEST_F(PythonBuiltins, IntTruncates) {
  EXPECT_EQ(call("int", {number(2.9)}), "int 2");
  EXPECT_EQ(call("int", {number(-2.9)}), "int -2");
  EXPECT_EQ(call("int", {Value{true}}), "int 1");
  EXPECT_EQ(call("int", {text("12")}), "int 12");
  EXPECT_EQ(call("int", {number(HUGE_VAL)}), "PythonMath");
  EXPECT_EQ(call("int", {sema_.value(Scalar::F32)}), "ArgumentNotConstexpr");
}

TEST_F(PythonBuiltins, LenCountsElementsAndCharacters) {
  EXPECT_EQ(call("len", {tuple({none(), none()})}), "int 2");
  EXPECT_EQ(call("len", {text("h\xC3\xA9")}), "int 2");
  EXPECT_EQ(call("len", {sema_.block(Scalar::I32, {8})}), "ArgumentType");
}

TEST_F(PythonBuiltins, MinAndMaxAtCompileTimeAndAtRunTime) {
  const auto n = [](std::int64_t x) { return number(x); };
  EXPECT_EQ(call("max", {n(3), n(9), n(4)}), "int 9");
  EXPECT_EQ(call("min", {n(3), number(2.5)}), "float 2.5");
  EXPECT_EQ(call("min", {n(3), number(std::nan(""))}), "MinMaxArgument");
  EXPECT_EQ(call("min", {n(3), number(-0.0)}), "MinMaxArgument");
  EXPECT_EQ(call("min", {n(3)}), "MissingArgument");
  EXPECT_EQ(call("max", {sema_.value(Scalar::I32), n(1), sema_.value(Scalar::I64)}), "int64");
}

TEST_F(PythonBuiltins, IsinstanceKnowsTheKindsOfValues) {
  const Value tensor_class = *module_attribute(sema_, {"triton.language", nullptr}, "tensor", {});
  const Value x = sema_.value(Scalar::F32);
  EXPECT_EQ(call("isinstance", {x, tensor_class}), "True");
  EXPECT_EQ(call("isinstance", {number(1.0), tensor_class}), "False");
  EXPECT_EQ(call("isinstance", {number(1.0), builtin_value("builtins", "float")}), "True");
  EXPECT_EQ(call("isinstance", {Value{true}, builtin_value("builtins", "int")}), "True");
  EXPECT_EQ(call("isinstance", {number(1.0), builtin_value("triton.language", "constexpr")}),
            "True");
  EXPECT_EQ(
      call("isinstance", {x, tuple({builtin_value("triton.language", "constexpr"), tensor_class})}),
      "True");
  EXPECT_EQ(call("isinstance", {x, number(1.0)}), "ArgumentType");
}

TEST_F(PythonBuiltins, GetattrAndHasattr) {
  const Value x = sema_.block(Scalar::F32, {8});
  EXPECT_EQ(call("hasattr", {x, text("shape")}), "True");
  EXPECT_EQ(call("hasattr", {x, text("size")}), "False");
  EXPECT_EQ(call("getattr", {x, text("numel")}), "int 8");
  EXPECT_EQ(call("getattr", {x, text("size"), number(std::int64_t{7})}), "int 7");
  EXPECT_EQ(call("getattr", {x, text("size")}), "NoAttribute");
}

TEST_F(PythonBuiltins, Math) {
  EXPECT_EQ(number_of("math.sqrt", {number(16.0)}), 4.0);
  EXPECT_EQ(number_of("math.log2", {number(std::int64_t{8})}), 3.0);
  EXPECT_EQ(number_of("math.log", {number(8.0), number(2.0)}), 3.0);
  EXPECT_EQ(number_of("math.pow", {number(2.0), number(10.0)}), 1024.0);
  EXPECT_EQ(call("math.floor", {number(-1.5)}), "int -2");
  EXPECT_EQ(call("math.ceil", {number(-1.5)}), "int -1");
  EXPECT_EQ(call("math.trunc", {number(-1.5)}), "int -1");
  EXPECT_EQ(call("math.sqrt", {number(-1.0)}), "PythonMath");
  EXPECT_EQ(call("math.exp", {sema_.value(Scalar::F32)}), "ArgumentNotConstexpr");
}

TEST_F(PythonBuiltins, TritonHelpers) {
  const auto n = [](std::int64_t x) { return number(x); };
  EXPECT_EQ(call("triton.next_power_of_2", {n(48)}), "int 64");
  EXPECT_EQ(call("triton.next_power_of_2", {n(64)}), "int 64");
  EXPECT_EQ(call("triton.next_power_of_2", {n(0)}), "int 0");
  EXPECT_EQ(call("triton.cdiv", {n(1000), n(64)}), "int 16");
}

TEST_F(PythonBuiltins, Ranges) {
  const auto n = [](std::int64_t x) { return number(x); };
  const auto bounds = [](const MaybeValue& value) {
    const auto& range = *value->as<RangeValue>();
    return describe(*range.start) + ", " + describe(*range.stop) + ", " + describe(*range.step);
  };
  EXPECT_EQ(bounds(sema_.call_named("range", {n(8)})), "int 0, int 8, int 1");
  EXPECT_EQ(bounds(sema_.call_named("range", {n(2), n(8)})), "int 2, int 8, int 1");
  EXPECT_EQ(bounds(sema_.call_named("range", {n(2), n(8)}, {{"step", n(3)}})),
            "int 2, int 8, int 3");
  const MaybeValue hinted =
      sema_.call_named("tl.range", {n(8)}, {{"num_stages", n(3)}, {"loop_unroll_factor", n(2)}});
  EXPECT_EQ(hinted->as<RangeValue>()->stages, 3);
  EXPECT_EQ(hinted->as<RangeValue>()->unroll, 2);
  EXPECT_FALSE(hinted->as<RangeValue>()->is_static);
  EXPECT_TRUE(sema_.call_named("tl.static_range", {n(8)})->as<RangeValue>()->is_static);
  EXPECT_EQ(call("tl.range", {n(8), n(9), n(1), n(-1)}), "ArgumentValue");
}

TEST_F(PythonBuiltins, StaticPrintWritesLikePython) {
  (void)sema_.call_named("tl.static_print", {text("n ="), number(std::int64_t{3}), number(0.5)});
  (void)sema_.call_named("tl.static_print", {sema_.block(Scalar::F32, {4, 8}), Value{true}},
                         {{"sep", text("|")}, {"end", text("!")}});
  EXPECT_EQ(sema_.static_output(), "n = 3 0.5\nfp32[4, 8]|True!");
}

TEST_F(PythonBuiltins, StaticAssertTakesKnownConditions) {
  EXPECT_EQ(call("tl.static_assert", {Value{true}}), "None");
  EXPECT_EQ(call("tl.static_assert", {Value{false}, text("why")}), "StaticAssertFailed");
  EXPECT_EQ(sema_.reported().back().message, "static assertion failed: why");
  EXPECT_EQ(call("tl.static_assert", {sema_.value(Scalar::I1)}), "StaticAssertNotConstexpr");
}

}  // namespace
}  // namespace tilery::sema
