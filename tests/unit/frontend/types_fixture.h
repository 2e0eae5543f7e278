// A specialiser without a parser: functions of frontend/sema called with values made by hand.
#pragma once

#include "frontend/sema/sema.h"
#include "ir/analysis/combine_kind.h"
#include "ir/builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilery::sema {

/// What FakeSema refers to; a base so that it is built first.
struct FakeSemaState {
  SourceMap fake_sources;
  SpecializeOptions fake_options;
  Diagnostics fake_diagnostics;
  Function fake_function = make_function("k", {});
};

/// Makes instructions in the body of an empty function. User functions are not available: calls
/// give nothing, combine functions are sums.
class FakeSema : public FakeSemaState, public Sema {
 public:
  FakeSema() : Sema(fake_sources, fake_options, fake_diagnostics, fake_function) {
    builder().set_region(function().body);
  }

  MaybeValue call(const Value& /*callee*/, std::span<const CallArgument> /*arguments*/,
                  SourceRange /*range*/) override {
    return {};
  }

  std::optional<RegionId> combine_region(const Value& /*callee*/, std::span<const Type> types,
                                         SourceRange /*range*/) override {
    if (types.size() != 1 || types[0].is_pointer()) {
      report(DiagId::CombineResult, {}, "something", "something else");
      return {};
    }
    return build_combine(function(), CombineKind::Add, types, LocId());
  }

  /// A run-time value of this type, which nothing is known about.
  Value value(const Type& type) {
    return Value{Tensor{builder().add_region_argument(function().body, type), type}};
  }

  Value block(Scalar scalar, std::initializer_list<std::int64_t> extents) {
    return value(Type(scalar, Shape(extents)));
  }

  /// Calls a builtin by the path that a kernel writes: "tl.exp", "len".
  MaybeValue call_named(const std::string& path, const std::vector<Value>& positional,
                        const std::vector<std::pair<std::string, Value>>& keywords = {}) {
    const std::size_t dot = path.rfind('.');
    std::string module = dot == std::string::npos ? "builtins" : path.substr(0, dot);
    if (module.starts_with("tl")) {
      module = "triton.language" + module.substr(2);
    }
    const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
    const Builtin* builtin = find_builtin(module, name);
    if (builtin == nullptr) {
      ADD_FAILURE() << "no builtin " << path;
      return {};
    }
    std::vector<CallArgument> arguments;
    for (const Value& argument : positional) {
      arguments.push_back({{}, argument, {}});
    }
    for (const auto& [keyword, argument] : keywords) {
      arguments.push_back({keyword, argument, {}});
    }
    return call_builtin(*this, BuiltinRef{builtin, nullptr}, arguments, {});
  }

  /// The text of a result's type; of an error's id if there is none.
  std::string text(const MaybeValue& result) {
    if (result) {
      return describe(*result);
    }
    const auto& all = fake_diagnostics.all();
    return all.empty() ? "nothing reported" : std::string(diagnostic_name(all.back().id));
  }

  [[nodiscard]] const std::vector<Diagnostic>& reported() const { return fake_diagnostics.all(); }

 protected:
  Diagnostic& with_calls(Diagnostic& diagnostic) override { return diagnostic; }

  LocId location(SourceRange /*range*/) override { return {}; }
};

inline Value number(std::int64_t x) {
  return Value{BigInt{x}};
}

inline Value number(double x) {
  return Value{x};
}

inline Value dtype(Scalar scalar) {
  return Value{TypeObject{Type(scalar)}};
}

inline Value tuple(std::vector<Value> elements) {
  return Value{TupleValue{std::move(elements), {}, {}}};
}

inline Value none() {
  return Value{NoneValue()};
}

}  // namespace tilery::sema
