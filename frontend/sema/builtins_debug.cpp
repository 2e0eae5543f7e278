// Hints, printing and assertions (semantics 3.7 and 8.6).
#include "frontend/sema/builtins.h"
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/tensor_ops.h"

namespace tilery::sema {
namespace {

Op hint_op(std::string_view name) {
  if (name == "multiple_of") {
    return Op::MultipleOf;
  }
  return name == "max_contiguous" ? Op::MaxContiguous : Op::MaxConstancy;
}

/// A number or block as booleans, true where it is not 0.
MaybeTensor truth_of(Sema& sema, const ArgumentReader& reader, int i) {
  const MaybeTensor x = reader.tensor(i);
  if (!x) {
    return {};
  }
  if (x->type.is_pointer() || !is_integer(x->type.element.scalar)) {
    Diagnostic& diagnostic =
        sema.report(DiagId::ArgumentType, reader.range(i), reader.parameter_name(i),
                    reader.function_name(), "boolean or integer", type_text(x->type));
    label_operand(sema, diagnostic, reader.range(i), reader.value(i));
    diagnostic.helped("compare it: `x != 0`");
    return {};
  }
  return is_nonzero(sema, *x);
}

std::optional<std::string> print_label(Sema& sema, const ArgumentReader& reader) {
  if (const auto* text = reader.value(0).as<std::string>()) {
    return *text;
  }
  sema.report(DiagId::PrintLabel, reader.range(0), reader.function_name(),
              describe(reader.value(0)))
      .helped(fmt::format("label it: `{}(\"{}\", {})`", reader.function_name(), "x",
                          operand_text(sema, reader.range(0))));
  return {};
}

/// Emits the assertion in debug runs; `mask` is argument `i`, None for all lanes. False: reported.
bool checked(Sema& sema, const ArgumentReader& reader, const Tensor& flag, int i,
             const std::string& message) {
  Tensor condition = flag;
  MaybeTensor mask;
  if (!reader.is_none(i)) {
    mask = truth_of(sema, reader, i);
    const auto pair = mask ? broadcast_pair(sema, flag, *mask, reader.ranges(0, i)) : std::nullopt;
    if (!pair) {
      return false;
    }
    condition = pair->first;
    mask = pair->second;
  }
  if (!sema.options().debug) {
    return true;
  }
  InstSpec spec;
  spec.groups = {{condition.id}, {}};
  if (mask) {
    spec.groups[1].push_back(mask->id);
  }
  spec.attrs = {{"message", message}};
  sema.builder().create(Op::DeviceAssert, std::move(spec));
  return true;
}

/// Text of a message argument; other compile-time values as Python prints them.
std::string message_text(const Value& value) {
  const auto* text = value.as<std::string>();
  return text != nullptr ? *text : value.is<NoneValue>() ? std::string() : python_str(value);
}

}  // namespace

namespace builtins {

MaybeValue hint(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  if (!reader.value(0).is<Tensor>() && reader.value(0).is_number()) {
    return reader.value(0);
  }
  const MaybeTensor x = reader.tensor(0);
  const auto values = reader.integers(1);
  if (!x || !values) {
    return {};
  }
  const auto wanted = static_cast<std::size_t>(std::max(x->type.shape.rank(), 1));
  if (values->size() != wanted) {
    sema.report(DiagId::ArgumentValue, reader.range(1), "values", reader.function_name(),
                fmt::format("{} numbers", values->size()),
                fmt::format("{} needs {}", type_text(x->type), wanted))
        .helped("give one number an axis");
    return {};
  }
  return Value{make(sema, hint_op(arguments.callee->name), {*x}, {{"values", *values}})};
}

MaybeValue assume(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor flag = condition(sema, reader.value(0), reader.range(0));
  if (!flag) {
    return {};
  }
  if (reader.value(0).is<Tensor>()) {
    InstSpec spec;
    spec.groups = {{flag->id}};
    sema.builder().create(Op::Assume, std::move(spec));
  }
  return Value{NoneValue()};
}

MaybeValue device_print(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto label = print_label(sema, reader);
  const auto is_hex = reader.flag(2);
  if (!label || !is_hex) {
    return {};
  }
  InstSpec spec;
  spec.groups.emplace_back();
  for (std::size_t i = 0; i < arguments.variadic.size(); ++i) {
    const MaybeTensor x = to_tensor(sema, arguments.variadic[i], arguments.variadic_ranges[i]);
    if (!x) {
      return {};
    }
    spec.groups[0].push_back(x->id);
  }
  spec.attrs = {{"prefix", *label}, {"hex", *is_hex}};
  sema.builder().create(Op::DevicePrint, std::move(spec));
  return Value{NoneValue()};
}

MaybeValue device_assert(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor flag = truth_of(sema, reader, 0);
  if (!flag) {
    return {};
  }
  return checked(sema, reader, *flag, 2, message_text(reader.value(1)))
             ? MaybeValue(Value{NoneValue()})
             : std::nullopt;
}

MaybeValue expect_zero(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const MaybeTensor x = reader.tensor(0);
  if (!x) {
    return {};
  }
  const MaybeValue is_zero =
      compare_operator(sema, ast::CompareOp::Eq, Value{*x}, Value{BigInt{0}}, reader.ranges(0, 0));
  if (!is_zero ||
      !checked(sema, reader, *is_zero->as<Tensor>(), 1, "expected zeros under the mask")) {
    return {};
  }
  return Value{*x};
}

MaybeValue loop_condition(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  return reader.flag(1) ? MaybeValue(reader.value(0)) : std::nullopt;
}

MaybeValue static_assertion(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto holds = known_truth(sema, reader.value(0));
  if (!holds) {
    Diagnostic& diagnostic =
        sema.report(DiagId::StaticAssertNotConstexpr, reader.range(0), describe(reader.value(0)));
    label_operand(sema, diagnostic, reader.range(0), reader.value(0));
    diagnostic.helped("`tl.device_assert` checks run-time values");
    return {};
  }
  if (!*holds) {
    const std::string message = message_text(reader.value(1));
    Diagnostic& diagnostic = sema.report(DiagId::StaticAssertFailed, arguments.call,
                                         message.empty() ? "" : ": " + message);
    diagnostic.helped(fmt::format("choose compile-time values for which `{}` holds",
                                  operand_text(sema, reader.range(0))));
    return {};
  }
  return Value{NoneValue()};
}

MaybeValue static_print(Sema& sema, const BoundArguments& arguments) {
  const ArgumentReader reader(sema, arguments);
  const auto separator = reader.is_none(1) ? std::string(" ") : reader.text(1);
  const auto end = reader.is_none(2) ? std::string("\n") : reader.text(2);
  if (!separator || !end) {
    return {};
  }
  std::string line;
  for (std::size_t i = 0; i < arguments.variadic.size(); ++i) {
    line += (i == 0 ? "" : *separator) + python_str(arguments.variadic[i]);
  }
  sema.static_output() += line + *end;
  return Value{NoneValue()};
}

}  // namespace builtins
}  // namespace tilery::sema
