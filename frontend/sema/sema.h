// The state of one specialisation, and the services that statements, expressions and builtins
// share.
//
// Files: sema.cpp (entry, units, reporting) · statements.cpp · control_flow*.cpp (if, for, while,
// break/continue/return as flags) · expressions.cpp · constexpr_ops.cpp (compile-time Python) ·
// calls.cpp (binding, inlining) · scope.h (variables) and, on the type side: promotion.cpp ·
// operators.cpp · indexing.cpp · conversion.cpp · builtins.def + builtins_<family>.cpp ·
// methods.cpp.
//
// Failure: a function that reported an error returns an empty optional; the caller passes it on
// without reporting again, up to the statement, where specialisation goes on with the next one (a
// variable that could not be computed is marked "poisoned", and uses of it are silent).
#pragma once

#include "frontend/sema/value.h"
#include "ir/builder.h"
#include "ir/support/diagnostic.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tilery::sema {

using MaybeValue = std::optional<Value>;
using MaybeTensor = std::optional<Tensor>;

/// An evaluated argument of a call.
struct CallArgument {
  std::string keyword;  ///< empty: positional
  Value value;
  SourceRange range;
  SourceRange keyword_range = {};
  /// Where the elements stand, if the argument is written as a tuple or a list.
  std::vector<SourceRange> elements = {};
};

/// What builtins and operators may use. The class behind it (Specializer, private to the core) adds
/// scopes and statements.
class Sema {
 public:
  Sema(const SourceMap& sources, const SpecializeOptions& options, Diagnostics& diagnostics,
       Function& function)
      : sources_(sources), options_(options), diagnostics_(diagnostics), builder_(function) {}

  virtual ~Sema() = default;

  [[nodiscard]] Builder& builder() { return builder_; }

  [[nodiscard]] const SpecializeOptions& options() const { return options_; }

  /// The launch's number of warps, for a kernel that asks: its code then holds for this number
  /// only.
  [[nodiscard]] int num_warps() {
    reads_num_warps_ = true;
    return options_.num_warps;
  }

  [[nodiscard]] bool reads_num_warps() const { return reads_num_warps_; }

  [[nodiscard]] const SourceMap& sources() const { return sources_; }

  [[nodiscard]] Function& function() { return builder_.function(); }

  /// Reports at `range`, adding the call chain of the helper that is being inlined. Use as
  /// `sema.report(DiagId::X, range, args…).label(…).helped(…); return {};`.
  template <class... Args>
  Diagnostic& report(DiagId id, SourceRange range, const Args&... args) {
    return with_calls(diagnostics_.report(id, range, args...));
  }

  /// Instructions made from now on get this source range (and the current call chain).
  void set_range(SourceRange range);

  /// Calls a function value (jit function, lambda, builtin, namedtuple class) as the expression
  /// `range` would. Results of inlined functions that return nothing are None.
  virtual MaybeValue call(const Value& callee, std::span<const CallArgument> arguments,
                          SourceRange range) = 0;
  /// Inlines a user function into a fresh region of `reduce`/`scan`: `element_types` twice as
  /// scalar arguments, yields checked against `element_types`. Reports and returns nothing on a
  /// mismatch.
  virtual std::optional<RegionId> combine_region(const Value& callee,
                                                 std::span<const Type> element_types,
                                                 SourceRange range) = 0;

  /// Text that tl.static_print appends to.
  [[nodiscard]] std::string& static_output() { return static_output_; }

 protected:
  virtual Diagnostic& with_calls(Diagnostic& diagnostic) = 0;
  [[nodiscard]] virtual LocId location(SourceRange range) = 0;

  const SourceMap& sources_;
  const SpecializeOptions& options_;
  Diagnostics& diagnostics_;
  Builder builder_;
  std::string static_output_;
  bool reads_num_warps_ = false;
};

// ---- compile-time views of a value ----

/// The integer of a compile-time int or bool, or of a scalar tensor that a constant defines;
/// nothing otherwise (no report).
[[nodiscard]] std::optional<BigInt> known_int(Sema& sema, const Value& value);
/// The truth of a compile-time value or known scalar; nothing if it is run-time.
[[nodiscard]] std::optional<bool> known_truth(Sema& sema, const Value& value);

// ---- conversion.cpp ----

/// A literal becomes a tensor of the type that its value has on its own (strong typing,
/// semantics 1.3); tensors pass through. Reports what cannot become a tensor.
[[nodiscard]] MaybeTensor to_tensor(Sema& sema, const Value& value, SourceRange range);
/// A weak scalar materialised directly in `element` (range-checked for integers); tensors are cast
/// by value. Pointers: only equal types.
[[nodiscard]] MaybeTensor to_element(Sema& sema, const Value& value, ElementType element,
                                     SourceRange range);
/// `x.to(element)` with all its checks and its routes (semantics 1.7).
[[nodiscard]] MaybeTensor cast(Sema& sema, const Tensor& x, ElementType element, SourceRange range,
                               std::optional<std::string> rounding = {}, bool bitcast = false);
/// What plain assignment makes of a value (decay, semantics 1.2): numbers become scalar tensors,
/// tuples element by element.
[[nodiscard]] MaybeValue decay(Sema& sema, const Value& value, SourceRange range);

// ---- operators.cpp, indexing.cpp (type checks, promotion, broadcasting; compile-time operands are
// folded as Python) ----

[[nodiscard]] MaybeValue unary_operator(Sema& sema, ast::UnaryOp op, const Value& x,
                                        SourceRange range, SourceRange operand);

/// `op_range` is the whole expression; `lhs_range`/`rhs_range` its operands, for labels.
struct BinaryRanges {
  SourceRange whole, lhs, rhs;
};

[[nodiscard]] MaybeValue binary_operator(Sema& sema, ast::BinaryOp op, const Value& lhs,
                                         const Value& rhs, BinaryRanges ranges);
[[nodiscard]] MaybeValue compare_operator(Sema& sema, ast::CompareOp op, const Value& lhs,
                                          const Value& rhs, BinaryRanges ranges);
/// Element-wise `and`/`or` of two tensors that sema could not short-circuit (warns for blocks).
[[nodiscard]] MaybeValue logical_operator(Sema& sema, ast::BoolOp op, const Value& lhs,
                                          const Value& rhs, BinaryRanges ranges);
/// The condition of `if`, `while`, `?:`, `not` as an i1 scalar; reports blocks (row 15).
[[nodiscard]] MaybeTensor condition(Sema& sema, const Value& value, SourceRange range);
/// `tl.where` and the conditional expression's selection; `ranges` are those of x and y.
[[nodiscard]] MaybeValue select(Sema& sema, const Value& condition, const Value& x, const Value& y,
                                SourceRange condition_range, BinaryRanges ranges);

/// One index of a subscript.
struct SubscriptIndex {
  enum class Kind : std::uint8_t { None, FullSlice, Slice, Ellipsis, Value };
  Kind kind = Kind::Value;
  sema::Value value;                            ///< Value
  std::optional<sema::Value> begin, end, step;  ///< Slice
  SourceRange range;
};

/// `x[…]` on tensors (None and `:` only) and tuples (compile-time index or slice).
[[nodiscard]] MaybeValue subscript(Sema& sema, const Value& object,
                                   std::span<const SubscriptIndex> indices, SourceRange range,
                                   SourceRange object_range);
/// `x.name` on tensors (shape, dtype, T, methods …), dtypes, tuples' fields, modules, strings.
[[nodiscard]] MaybeValue attribute(Sema& sema, const Value& object, std::string_view name,
                                   SourceRange range, SourceRange name_range);

/// What stands in the source where two tensors meet, if they were converted since; nullptr: they
/// were not.
struct WrittenOperands {
  const Value* lhs = nullptr;
  const Value* rhs = nullptr;
};

/// Both broadcast to the common shape (semantics 2.2); reports with both operands' labels, which
/// tell what was written.
[[nodiscard]] std::optional<std::pair<Tensor, Tensor>> broadcast_pair(Sema& sema, const Tensor& a,
                                                                      const Tensor& b,
                                                                      BinaryRanges ranges,
                                                                      WrittenOperands written = {});
[[nodiscard]] MaybeTensor broadcast_to(Sema& sema, const Tensor& x, const Shape& shape,
                                       SourceRange range);

// ---- builtins.def ----

/// One parameter of a builtin.
struct BuiltinParameter {
  std::string_view name;
  bool is_variadic = false;  ///< `*shape`
  std::optional<std::string_view>
      default_text;  ///< as in the language reference: "None", "False", "\"\""
};

/// Bound arguments, one a parameter in order. Absent ones with a default are the default's value
/// with an invalid range.
struct BoundArguments {
  std::vector<Value> values;
  std::vector<SourceRange> ranges;
  std::vector<std::vector<SourceRange>> elements;  ///< of the arguments written as tuples
  std::vector<Value> variadic;
  std::vector<SourceRange> variadic_ranges;
  std::vector<SourceRange> variadic_elements;  ///< of the first one
  SourceRange call;                            ///< the whole call expression
  const Builtin* callee = nullptr;
};

using BuiltinFn = MaybeValue (*)(Sema& sema, const BoundArguments& arguments);

/// A function of `triton.language`, a sub-module, `triton`, `math`, or a Python builtin.
struct Builtin {
  std::string_view name;    ///< "sum"
  std::string_view module;  ///< canonical module path; "builtins" for len, min, print …
  bool is_method = false;   ///< also callable on a tensor
  std::vector<BuiltinParameter> parameters;
  std::string_view summary;
  BuiltinFn fn = nullptr;      ///< null: known to the language, but not supported yet
  bool is_function = true;     ///< false: a method only
  std::string_view modules;    ///< as in the row: "tl tl.math"
  std::string_view signature;  ///< as in the row: "(x, y=None)"
  std::string_view instead;    ///< of what is not supported yet: what works; may be empty
};

/// The name that messages use: "tl.exp", "libdevice.tanh", "len".
[[nodiscard]] std::string display_name(const Builtin& builtin);

/// The builtin `name` of a module, or nullptr.
[[nodiscard]] const Builtin* find_builtin(std::string_view module, std::string_view name);
/// The method `name` of tensors, or nullptr.
[[nodiscard]] const Builtin* find_method(std::string_view name);
[[nodiscard]] std::span<const Builtin> all_builtins();
/// The names of the builtins that a module has, for "did you mean".
[[nodiscard]] std::vector<std::string_view> builtin_names(std::string_view module);
/// Binds by position and keyword with Python's messages (missing, unexpected, given twice), then
/// calls.
[[nodiscard]] MaybeValue call_builtin(Sema& sema, const BuiltinRef& callee,
                                      std::span<const CallArgument> arguments, SourceRange range);
/// A value that is no function: dtypes, sub-modules, enumerators, constants of a module
/// (`tl.float32`, `tl.math`, `math.pi`).
[[nodiscard]] MaybeValue module_attribute(Sema& sema, const ModuleRef& module,
                                          std::string_view name, SourceRange range);

/// The closest of `candidates` to a misspelt name, for "did you mean"; empty if none is close.
[[nodiscard]] std::string closest_name(std::string_view name,
                                       std::span<const std::string_view> candidates);

}  // namespace tilery::sema
