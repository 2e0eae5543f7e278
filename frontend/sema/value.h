// What an expression can evaluate to while a kernel is specialised.
//
// A Value is either a run-time tensor (an IR value: scalar or block) or a compile-time Python
// object. Numbers that are still Python objects are the language's "weak" scalars (promotion.h);
// assignment to a plain variable makes them tensors (decay).
#pragma once

#include "frontend/ast.h"
#include "frontend/sema/specialize.h"
#include "ir/function.h"

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilery::sema {

struct Builtin;
struct Value;
class Scope;

/// Compile-time integers: Python's are unbounded; results past 127 bits are reported.
__extension__ using BigInt = __int128;

/// A run-time value. Rank 0: a scalar tensor.
struct Tensor {
  ValueId id;
  Type type;
};

/// None, and which function's result it is, if that function ended without returning a value.
struct NoneValue {
  std::string_view function;  ///< empty: None was written, or passed
  SourceRange definition;     ///< of the function's name
};

struct EllipsisValue {};

/// A dtype, pointer type or block type object: `tl.float32`, `x.dtype`, `x.type`.
struct TypeObject {
  Type type;
};

/// Names such as `tl`, `triton`, `tl.math`, `tl.extra.libdevice`, `math`, or an imported unit.
struct ModuleRef {
  std::string path;  ///< canonical: "triton", "triton.language", "triton.language.math", "math", …
  std::shared_ptr<const Unit> unit;  ///< for an imported unit
};

/// A def of some unit. Lambdas are calls too: `lambda` names the expression and `captured` is the
/// scope that it was made in.
struct FunctionRef {
  const Unit* unit = nullptr;
  ast::StmtId def;
  ast::ExprId lambda;                     ///< the lambda expression, if it is one
  std::shared_ptr<const Scope> captured;  ///< a lambda's surroundings, as they were where it stands
};

/// A builtin of the language, or one bound to an object (`x.sum` carries x).
struct BuiltinRef {
  const Builtin* builtin = nullptr;
  std::shared_ptr<const Value> self;
  SourceRange self_range = {};
};

/// A namedtuple class.
struct ClassRef {
  HostType type;
};

/// Tuples and lists (a list display becomes a tuple). With field names: a namedtuple.
struct TupleValue {
  std::vector<Value> elements;
  std::string type_name;
  std::vector<std::string> field_names;
};

/// `range(…)`, `tl.range(…)`, `tl.static_range(…)` as an object, consumed by `for`.
struct RangeValue {
  bool is_static = false;
  std::shared_ptr<const Value> start, stop, step;
  SourceRange start_range, stop_range, step_range;  ///< of those that are written
  std::int64_t stages = 0;
  std::int64_t unroll = 0;
  bool flatten = false;
  bool warp_specialize = false;
  bool disable_licm = false;
};

/// A slice inside a subscript, or an enumerator such as `tl.PropagateNan.ALL` (kept as its name).
struct EnumValue {
  std::string name;
};

struct Value {
  std::variant<NoneValue, Tensor, bool, BigInt, double, std::string, TypeObject, TupleValue,
               FunctionRef, BuiltinRef, ClassRef, ModuleRef, RangeValue, EnumValue, EllipsisValue>
      data;

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&data);
  }

  template <class T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(data);
  }

  /// A Python number: bool, int or float.
  [[nodiscard]] bool is_number() const { return is<bool>() || is<BigInt>() || is<double>(); }

  /// Everything but a tensor (tuples: if all their elements are).
  [[nodiscard]] bool is_compile_time() const;
};

/// For messages: `fp32[64, 32]`, `int 3`, `the string "x"`, `None`, `the function f`. Uses the
/// language's type names.
[[nodiscard]] std::string describe(const Value& value);
/// For messages: `fp32`, `int32[8]`, `pointer<fp32>[64]`.
[[nodiscard]] std::string type_text(const Type& type);

}  // namespace tilery::sema
