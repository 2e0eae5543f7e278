// The table of builtins, the binding of their arguments, and the types that they give.
#include "frontend/sema/constexpr_ops.h"
#include "tests/unit/frontend/types_fixture.h"

#include <algorithm>
#include <set>

namespace tilery::sema {
namespace {

TEST(BuiltinTable, RowsAreReadAndFound) {
  std::set<std::string> seen;
  for (const Builtin& builtin : all_builtins()) {
    EXPECT_FALSE(builtin.summary.empty()) << builtin.name;
    EXPECT_TRUE(builtin.signature.starts_with('(')) << builtin.name;
    EXPECT_TRUE(seen.insert(display_name(builtin) + (builtin.is_function ? "" : "()")).second)
        << display_name(builtin) << " has two rows";
    if (builtin.is_function) {
      EXPECT_EQ(find_builtin(builtin.module, builtin.name), &builtin);
    }
    if (builtin.is_method) {
      EXPECT_EQ(find_method(builtin.name), &builtin);
    }
  }
}

TEST(BuiltinTable, SignaturesAreRead) {
  const Builtin* load = find_builtin("triton.language", "load");
  ASSERT_NE(load, nullptr);
  ASSERT_EQ(load->parameters.size(), 8U);
  EXPECT_EQ(load->parameters[0].name, "pointer");
  EXPECT_FALSE(load->parameters[0].default_text);
  EXPECT_EQ(load->parameters[3].default_text, "()");
  EXPECT_EQ(load->parameters[5].default_text, "\"\"");
  const Builtin* reshape = find_method("reshape");
  ASSERT_NE(reshape, nullptr);
  EXPECT_TRUE(reshape->parameters[1].is_variadic);
}

TEST(BuiltinTable, OtherPathsReachTheSameRow) {
  const Builtin* exp = find_builtin("triton.language", "exp");
  for (const char* path :
       {"triton.language.core", "triton.language.math", "triton.language.extra.libdevice",
        "triton.language.libdevice", "triton.language.extra.cuda.libdevice"}) {
    EXPECT_EQ(find_builtin(path, "exp"), exp) << path;
  }
  EXPECT_EQ(find_builtin("triton.language.standard", "sum"),
            find_builtin("triton.language", "sum"));
  EXPECT_NE(find_builtin("triton.language.math", "tanh"), nullptr);
  EXPECT_EQ(find_builtin("triton.language", "tanh"), nullptr);
  EXPECT_EQ(find_builtin("triton.language", "to"), nullptr);
}

TEST(BuiltinTable, ClosestName) {
  const std::array<std::string_view, 3> names{"load", "store", "logical"};
  EXPECT_EQ(closest_name("lod", names), "load");
  EXPECT_EQ(closest_name("stroe", names), "store");
  EXPECT_EQ(closest_name("xyz", names), "");
}

TEST(Binding, PythonRules) {
  FakeSema sema;
  const Value x = sema.value(Scalar::F32);
  const Value block = sema.block(Scalar::F32, {8});
  EXPECT_EQ(sema.text(sema.call_named("tl.exp", {x})), "fp32");
  EXPECT_EQ(sema.text(sema.call_named("tl.exp", {}, {{"x", x}})), "fp32");
  EXPECT_EQ(sema.text(sema.call_named("tl.exp", {})), "MissingArgument");
  EXPECT_EQ(sema.text(sema.call_named("tl.exp", {x, x})), "TooManyArguments");
  EXPECT_EQ(sema.text(sema.call_named("tl.exp", {x}, {{"x", x}})), "DuplicateArgument");
  EXPECT_EQ(sema.text(sema.call_named("tl.exp", {x}, {{"y", x}})), "UnexpectedArgument");
  EXPECT_EQ(sema.text(sema.call_named("tl.sum", {block}, {{"keep_dims", Value{true}}})), "fp32[1]");
}

TEST(Binding, MessagesNameWhatIsWrong) {
  FakeSema sema;
  (void)sema.call_named("tl.arange", {number(std::int64_t{8})});
  EXPECT_EQ(sema.reported().back().message, "`tl.arange` is missing the argument `end`");
  EXPECT_EQ(sema.reported().back().help, "it is called as `tl.arange(start, end)`");
  (void)sema.call_named("tl.load", {none()}, {{"msk", none()}});
  EXPECT_EQ(sema.reported().back().message, "`tl.load` got an unexpected keyword argument `msk`");
  EXPECT_EQ(sema.reported().back().help, "did you mean `mask`?");
  (void)sema.call_named("tl.exp", {none(), none()});
  EXPECT_EQ(sema.reported().back().message,
            "`tl.exp` takes 1 positional argument but 2 were given");
}

/// Result types of the reductions and scans, from the language's rules.
struct FoldTypes {
  Scalar input;
  const char* sum;
  const char* max;
  const char* arg_value;  ///< the value that comes with an index
  const char* cumsum;
  const char* cumprod;
};

TEST(Folds, ResultTypes) {
  const FoldTypes table[] = {
      {Scalar::I1, "uint32", "int32", "int1", "uint32", "int1"},
      {Scalar::I8, "int32", "int32", "int8", "int32", "int8"},
      {Scalar::U8, "uint32", "int32", "uint8", "uint32", "uint8"},
      {Scalar::I16, "int32", "int32", "int16", "int32", "int16"},
      {Scalar::U16, "uint32", "int32", "uint16", "uint32", "uint16"},
      {Scalar::I32, "int32", "int32", "int32", "int32", "int32"},
      {Scalar::U32, "uint32", "uint32", "uint32", "uint32", "uint32"},
      {Scalar::I64, "int64", "int64", "int64", "int64", "int64"},
      {Scalar::U64, "uint64", "uint64", "uint64", "uint64", "uint64"},
      {Scalar::F16, "fp16", "fp32", "fp16", "fp16", "fp16"},
      {Scalar::BF16, "bf16", "fp32", "fp32", "fp32", "fp32"},
      {Scalar::F32, "fp32", "fp32", "fp32", "fp32", "fp32"},
      {Scalar::F64, "fp64", "fp64", "fp64", "fp64", "fp64"},
  };
  for (const FoldTypes& row : table) {
    FakeSema sema;
    const Value x = sema.block(row.input, {8});
    const Value axis = number(std::int64_t{0});
    const std::string name(language_name(row.input));
    EXPECT_EQ(sema.text(sema.call_named("tl.sum", {x})), row.sum) << name;
    EXPECT_EQ(sema.text(sema.call_named("tl.max", {x, axis})), row.max) << name;
    EXPECT_EQ(sema.text(sema.call_named("tl.min", {x})), row.max) << name;
    EXPECT_EQ(sema.text(sema.call_named("tl.max", {x, axis, Value{true}})),
              std::string("tuple (") + row.arg_value + ", int32)")
        << name;
    EXPECT_EQ(sema.text(sema.call_named("tl.argmin", {x, axis})), "int32") << name;
    EXPECT_EQ(sema.text(sema.call_named("tl.cumsum", {x})), std::string(row.cumsum) + "[8]");
    EXPECT_EQ(sema.text(sema.call_named("tl.cumprod", {x})), std::string(row.cumprod) + "[8]");
  }
}

TEST(Folds, Axes) {
  FakeSema sema;
  const Value x = sema.block(Scalar::F32, {2, 4, 8});
  const auto sum = [&](const Value& axis, bool keep) {
    return sema.text(sema.call_named("tl.sum", {x, axis, Value{keep}}));
  };
  EXPECT_EQ(sum(none(), false), "fp32");
  EXPECT_EQ(sum(none(), true), "fp32[1, 1, 1]");
  EXPECT_EQ(sum(number(std::int64_t{0}), false), "fp32[4, 8]");
  EXPECT_EQ(sum(number(std::int64_t{-1}), false), "fp32[2, 4]");
  EXPECT_EQ(sum(number(std::int64_t{1}), true), "fp32[2, 1, 8]");
  EXPECT_EQ(sum(number(std::int64_t{3}), false), "AxisOutOfRange");
  EXPECT_EQ(sema.text(sema.call_named("tl.argmax", {x, number(std::int64_t{-3})})), "int32[4, 8]");
  EXPECT_EQ(sema.text(sema.call_named("tl.sum", {sema.value(Scalar::F32)})), "ReduceScalar");
  EXPECT_EQ(sema.text(sema.call_named("tl.xor_sum", {x})), "IntegersOnly");
  EXPECT_EQ(sema.text(sema.call_named("tl.cumsum", {x, none()})), "ScanAxis");
}

/// The leftmost arg-fold is built so that its recogniser knows it.
TEST(Folds, ArgmaxIsTheLeftmostFold) {
  FakeSema sema;
  (void)sema.call_named("tl.argmax", {sema.block(Scalar::F32, {8}), number(std::int64_t{0})});
  const Function& f = sema.function();
  const Inst& reduce = f.inst(f.region(f.body).insts.back());
  ASSERT_EQ(reduce.op, Op::Reduce);
  EXPECT_EQ(combine_kind(f, reduce.regions[0]), CombineKind::ArgMaxLeft);
}

TEST(Shapes, Functions) {
  FakeSema sema;
  const Value x = sema.block(Scalar::I32, {4, 8});
  const auto n = [](std::int64_t value) { return number(value); };
  const auto call = [&](const char* name, const std::vector<Value>& arguments) {
    return sema.text(sema.call_named(name, arguments));
  };
  EXPECT_EQ(call("tl.reshape", {x, n(2), n(16)}), "int32[2, 16]");
  EXPECT_EQ(call("tl.reshape", {x, tuple({n(32)})}), "int32[32]");
  EXPECT_EQ(call("tl.reshape", {x, n(3)}), "ReshapeCount");
  EXPECT_EQ(call("tl.ravel", {x}), "int32[32]");
  EXPECT_EQ(call("tl.trans", {x}), "int32[8, 4]");
  EXPECT_EQ(call("tl.permute", {x, n(1), n(0)}), "int32[8, 4]");
  EXPECT_EQ(call("tl.permute", {x, n(-1), n(0)}), "NotAPermutation");
  EXPECT_EQ(call("tl.expand_dims", {x, tuple({n(0), n(-1)})}), "int32[1, 4, 8, 1]");
  EXPECT_EQ(call("tl.join", {x, x}), "int32[4, 8, 2]");
  EXPECT_EQ(call("tl.interleave", {x, x}), "int32[4, 16]");
  EXPECT_EQ(call("tl.cat", {x, x, Value{false}, n(0)}), "int32[8, 8]");
  EXPECT_EQ(call("tl.cat", {x, x, Value{false}, n(-1)}), "int32[4, 16]");
  EXPECT_EQ(call("tl.split", {sema.block(Scalar::F16, {4, 2})}), "tuple (fp16[4], fp16[4])");
  EXPECT_EQ(call("tl.split", {sema.block(Scalar::F16, {2})}), "tuple (fp16, fp16)");
  EXPECT_EQ(call("tl.join", {sema.value(Scalar::I8), sema.value(Scalar::I8)}), "int8[2]");
  EXPECT_EQ(call("tl.full", {tuple({}), n(1), dtype(Scalar::I8)}), "int8");
}

TEST(Shapes, PowersOfTwoMatterInStrictModeOnly) {
  FakeSema sema;
  const auto n = [](std::int64_t value) { return number(value); };
  EXPECT_EQ(sema.text(sema.call_named("tl.arange", {n(0), n(48)})), "int32[48]");
  EXPECT_EQ(sema.text(sema.call_named("tl.arange", {n(3), n(7)})), "int32[4]");
  EXPECT_EQ(sema.text(sema.call_named("tl.arange", {n(4), n(4)})), "EmptyRange");
  EXPECT_EQ(sema.text(sema.call_named("tl.arange", {n(0), n((1 << 20) + 1)})), "BlockTooLarge");
  FakeSema strict;
  strict.fake_options.strict = true;
  EXPECT_EQ(strict.text(strict.call_named("tl.arange", {n(3), n(7)})), "int32[4]");
  EXPECT_EQ(strict.text(strict.call_named("tl.arange", {n(0), n(48)})), "RangeNotPowerOfTwo");
  EXPECT_EQ(strict.text(strict.call_named("tl.arange", {n(-4), n(0)})), "ArgumentValue");
  EXPECT_EQ(strict.text(strict.call_named("tl.zeros", {tuple({n(48)}), dtype(Scalar::F32)})),
            "ExtentNotPowerOfTwo");
}

/// Which calls take literals by their own type (strong), and which by the other operand's.
TEST(Elementwise, LiteralsWeakAndStrong) {
  FakeSema sema;
  const Value h = sema.value(Scalar::F16);
  const auto call = [&](const char* name, const std::vector<Value>& arguments) {
    return sema.text(sema.call_named(name, arguments));
  };
  const Value c = sema.value(Scalar::I1);
  EXPECT_EQ(call("tl.maximum", {h, number(0.0)}), "fp32");
  EXPECT_EQ(call("tl.maximum", {h, number(std::int64_t{0})}), "fp16");
  EXPECT_EQ(call("tl.clamp", {h, number(0.0), number(1.0)}), "fp32");
  EXPECT_EQ(call("tl.fma", {h, number(2.0), number(1.0)}), "fp32");
  EXPECT_EQ(call("tl.where", {c, h, number(0.0)}), "fp16");
  EXPECT_EQ(call("tl.where", {c, number(1.0), number(std::int64_t{0})}), "fp32");
  EXPECT_EQ(call("tl.where", {c, number(std::int64_t{1}), number(std::int64_t{0})}), "int32");
  EXPECT_EQ(call("tl.maximum", {sema.value(Scalar::BF16), sema.value(Scalar::BF16)}), "fp32");
  EXPECT_EQ(call("tl.exp", {number(1.0)}), "fp32");
  EXPECT_EQ(call("tl.sqrt", {number(std::int64_t{2})}), "fp32");
  EXPECT_EQ(call("tl.exp", {h}), "MathOperandType");
  EXPECT_EQ(call("tl.sqrt_rn", {sema.value(Scalar::F64)}), "MathOperandType");
  EXPECT_EQ(call("tl.add", {h, number(2.0)}), "fp16");
  EXPECT_EQ(call("min", {sema.value(Scalar::I32), number(std::int64_t{8})}), "int32");
  EXPECT_EQ(call("min", {number(std::int64_t{9}), number(std::int64_t{8})}), "int 8");
}

TEST(Elementwise, CeilingDivision) {
  FakeSema sema;
  const auto divide = [&](std::int64_t x, std::int64_t y) {
    return sema.text(sema.call_named("tl.cdiv", {number(x), number(y)}));
  };
  EXPECT_EQ(divide(7, 2), "int 4");
  EXPECT_EQ(divide(-36, 5), "int -7");
  EXPECT_EQ(divide(36, -5), "int -7");
  EXPECT_EQ(divide(-36, -5), "int 8");
  EXPECT_EQ(divide(8, 2), "int 4");
  EXPECT_EQ(
      sema.text(sema.call_named("tl.cdiv", {sema.value(Scalar::I64), number(std::int64_t{2})})),
      "int64");
}

TEST(Memory, PointersMasksAndValues) {
  FakeSema sema;
  const Value p = sema.value(Type(ElementType(Scalar::F16, 1)));
  const Value ps = sema.value(Type(ElementType(Scalar::F16, 1), Shape{8}));
  const Value readonly = sema.value(Type(ElementType(Scalar::F16, 1, true)));
  const Value mask = sema.block(Scalar::I1, {8});
  const Value table = sema.block(Scalar::I1, {4, 8});
  const auto call = [&](const char* name, const std::vector<Value>& arguments) {
    return sema.text(sema.call_named(name, arguments));
  };
  EXPECT_EQ(call("tl.load", {p}), "fp16");
  EXPECT_EQ(call("tl.load", {ps, mask, number(0.0)}), "fp16[8]");
  EXPECT_EQ(call("tl.load", {ps, table}), "fp16[4, 8]");
  EXPECT_EQ(call("tl.load", {p, mask}), "BlockWithScalarPointer");
  EXPECT_EQ(call("tl.load", {ps, none(), number(0.0)}), "OtherWithoutMask");
  EXPECT_EQ(call("tl.load", {ps, number(std::int64_t{1})}), "MaskNotBoolean");
  EXPECT_EQ(call("tl.load", {mask}), "NotAPointer");
  EXPECT_EQ(call("tl.store", {ps, number(std::int64_t{1}), mask}), "None");
  EXPECT_EQ(call("tl.store", {ps, sema.block(Scalar::F64, {1})}), "None");
  EXPECT_EQ(call("tl.store", {ps, table}), "StorePointerTooSmall");
  EXPECT_EQ(call("tl.store", {ps, number(1.0), table}), "StorePointerTooSmall");
  EXPECT_EQ(call("tl.store", {ps, none()}), "ArgumentType");
  EXPECT_EQ(call("tl.store", {readonly, number(1.0)}), "StoreToConst");
}

TEST(Dot, ResultTypes) {
  FakeSema sema;
  const auto dot = [&](Scalar operand, const std::vector<std::pair<std::string, Value>>& keywords) {
    return sema.text(sema.call_named(
        "tl.dot", {sema.block(operand, {16, 32}), sema.block(operand, {32, 8})}, keywords));
  };
  const Value half = dtype(Scalar::F16);
  const Value half_acc = sema.block(Scalar::F16, {16, 8});
  const Value wide_acc = sema.block(Scalar::F32, {16, 8});
  EXPECT_EQ(dot(Scalar::I8, {}), "int32[16, 8]");
  EXPECT_EQ(dot(Scalar::F16, {}), "fp32[16, 8]");
  EXPECT_EQ(dot(Scalar::F16, {{"out_dtype", half}}), "fp16[16, 8]");
  EXPECT_EQ(dot(Scalar::F16, {{"acc", half_acc}}), "fp16[16, 8]");
  EXPECT_EQ(dot(Scalar::BF16, {{"out_dtype", half}}), "fp32[16, 8]");
  EXPECT_EQ(dot(Scalar::F32, {{"acc", wide_acc}}), "fp32[16, 8]");
  EXPECT_EQ(dot(Scalar::F64, {}), "fp64[16, 8]");
  EXPECT_EQ(dot(Scalar::F32, {{"acc", half_acc}}), "DotAccumulator");
  EXPECT_EQ(dot(Scalar::I8, {{"acc", wide_acc}}), "DotAccumulator");
  EXPECT_EQ(dot(Scalar::I32, {}), "DotOperandTypes");
  EXPECT_EQ(dot(Scalar::U8, {}), "int32[16, 8]");
  EXPECT_EQ(dot(Scalar::I16, {}), "DotOperandTypes");
  EXPECT_EQ(dot(Scalar::F32, {{"out_dtype", dtype(Scalar::BF16)}}), "ArgumentValue");
  EXPECT_EQ(dot(Scalar::F32, {{"input_precision", Value{std::string("IEEE")}}}), "fp32[16, 8]");
}

TEST(Attributes, OfTensorsAndTypes) {
  FakeSema sema;
  const Value pointers = sema.value(Type(ElementType(Scalar::F16, 1), Shape{4, 8}));
  const auto get = [&](const Value& object, const char* name) {
    return sema.text(attribute(sema, object, name, {}, {}));
  };
  EXPECT_EQ(get(pointers, "shape"), "tuple (int 4, int 8)");
  EXPECT_EQ(get(pointers, "numel"), "int 32");
  EXPECT_EQ(get(pointers, "dtype"), "the type pointer<fp16>");
  EXPECT_EQ(get(pointers, "type"), "the type pointer<fp16>[4, 8]");
  EXPECT_EQ(get(pointers, "T"), "pointer<fp16>[8, 4]");
  EXPECT_EQ(get(pointers, "colour"), "NoAttribute");
  const Value pointer_type = *attribute(sema, pointers, "dtype", {}, {});
  EXPECT_EQ(get(pointer_type, "element_ty"), "the type fp16");
  EXPECT_EQ(get(pointer_type, "primitive_bitwidth"), "int 64");
  EXPECT_EQ(get(dtype(Scalar::BF16), "primitive_bitwidth"), "int 16");
  EXPECT_EQ(get(dtype(Scalar::BF16), "itemsize"), "int 2");
  EXPECT_EQ(get(dtype(Scalar::I1), "primitive_bitwidth"), "int 1");
  EXPECT_EQ(get(sema.value(Scalar::I32), "shape"), "tuple ()");
  const Value named{TupleValue{{number(std::int64_t{1})}, "Pair", {"lo"}}};
  EXPECT_EQ(get(named, "lo"), "int 1");
  EXPECT_EQ(get(named, "hi"), "NoAttribute");
}

/// Each builtin, called with every kind of value in each place, gives a result or an error and
/// never both, whatever it is.
TEST(AllBuiltins, ResultOrError) {
  const auto make_values = [](FakeSema& sema) {
    return std::vector<Value>{
        none(),
        Value{true},
        number(std::int64_t{1}),
        number(std::int64_t{-3}),
        Value{BigInt{1} << 70},
        number(0.5),
        number(std::nan("")),
        Value{std::string("text")},
        tuple({}),
        tuple({number(std::int64_t{8}), number(std::int64_t{4})}),
        dtype(Scalar::F32),
        Value{EnumValue{"PropagateNan.ALL"}},
        Value{ModuleRef{"triton.language", nullptr}},
        sema.value(Scalar::I32),
        sema.value(Scalar::F32),
        sema.value(Type(ElementType(Scalar::F32, 1))),
        sema.block(Scalar::I1, {8}),
        sema.block(Scalar::F32, {8}),
        sema.block(Scalar::F16, {8, 2}),
        sema.block(Scalar::F8E5, {8}),
        sema.value(Type(ElementType(Scalar::I8, 1), Shape{8})),
    };
  };
  const std::size_t kinds = [&] {
    FakeSema sema;
    return make_values(sema).size();
  }();
  for (const Builtin& builtin : all_builtins()) {
    const auto required = static_cast<std::size_t>(
        std::ranges::count_if(builtin.parameters, [](const BuiltinParameter& parameter) {
          return !parameter.default_text && !parameter.is_variadic;
        }));
    const std::size_t places =
        std::min(builtin.parameters.size(), std::clamp<std::size_t>(required, 2, 3));
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < places; ++i) {
      combinations *= kinds;
    }
    // Methods of dtype objects are only ever bound to dtypes.
    if (builtin.modules == "dtype") {
      continue;
    }
    for (std::size_t code = 0; code < combinations; ++code) {
      FakeSema sema;
      const std::vector<Value> values = make_values(sema);
      std::vector<CallArgument> arguments;
      std::size_t rest = code;
      for (std::size_t i = 0; i < places; ++i) {
        arguments.push_back({{}, values[rest % kinds], {}});
        rest /= kinds;
      }
      const bool has_result =
          call_builtin(sema, BuiltinRef{&builtin, nullptr}, arguments, {}).has_value();
      ASSERT_EQ(has_result, sema.fake_diagnostics.error_count() == 0)
          << display_name(builtin) << " of combination " << code;
    }
  }
}

}  // namespace
}  // namespace tilery::sema
