// The core of the specialiser: walks the syntax tree of one kernel, keeps its variables, and makes
// instructions in the order of execution.
//
// Control flow. A run-time `if` or loop becomes an op with regions; what its regions assign becomes
// results. `return`, `break` and `continue` set a flag of the State (scope.h). While the flag is a
// compile-time value, what follows is either live or dead. Where it depends on run-time values,
//
//     if a:                        %r = if %a { yield true } else { … yield false }
//         return                   if %r { } else { the rest of the block }
//     …
//
// and where one branch always leaves, the rest of the block simply moves into the other branch. A
// loop that may be left carries the flag: `for` as its exit flag, `while` in its condition. Values
// that a path leaves undefined are zeros that nobody reads.
//
// Failure: a statement that could not be specialised poisons the variables it assigns, and
// specialisation goes on with the next statement.
#pragma once

#include "frontend/sema/assigned_names.h"
#include "frontend/sema/names.h"
#include "frontend/sema/scope.h"
#include "frontend/sema/sema.h"
#include "ir/support/stack_budget.h"

#include <functional>
#include <map>
#include <set>
#include <span>

namespace tilery::sema {

/// One activation of a function: the kernel, an inlined helper, or a module's level.
struct Frame {
  const Unit* unit = nullptr;
  std::string_view name;
  SourceRange definition;  ///< of the function's name
  Frame* caller = nullptr;
  SourceRange call_range;
  LocId call_loc;
  State state;

  /// A `return` and the type that it gave, for the message about types that differ.
  struct ReturnSite {
    SourceRange range;
    std::string type;
  };

  std::vector<ReturnSite> returns;
  /// Names that `name: tl.constexpr` without a value announced.
  std::vector<std::string_view> announced_constexpr;
  bool is_kernel = false;
  /// Compile-time Python (a constexpr function, the module level): values stay Python objects and
  /// control flow must be known.
  bool is_compile_time = false;
  int run_time_depth = 0;  ///< run-time branches and loops around the current statement
  int loop_depth = 0;      ///< run-time loops around it
  bool has_reported_returns = false;
};

class LoopBuilder;

class Specializer final : public Sema {
 public:
  Specializer(const Unit& unit, const SourceMap& sources, const SpecializeOptions& options,
              Diagnostics& diagnostics, Function& function);

  /// Executes the body of the kernel in the function's body region.
  void run_kernel(const ast::FunctionDef& def, std::vector<Value> arguments);

  MaybeValue call(const Value& callee, std::span<const CallArgument> arguments,
                  SourceRange range) override;

  // ---- combine.cpp ----

  std::optional<RegionId> combine_region(const Value& callee, std::span<const Type> element_types,
                                         SourceRange range) override;

  // ---- names.cpp ----

  /// The value of a name where it is used.
  MaybeValue lookup(std::string_view name, SourceRange range);
  /// The value of a module-level name of a unit, or nothing (reported). `is_use` applies the rules
  /// of kernels for plain constants.
  MaybeValue unit_attribute(const Unit& unit, std::string_view name, SourceRange range);
  /// True if the expression names `tl.constexpr`, also as a string annotation.
  bool is_constexpr_annotation(const Unit& unit, ast::ExprId annotation);
  [[nodiscard]] UnitNames& names_of(const Unit& unit);
  /// Evaluates an expression of the module level (a constant, a default value, an annotation).
  MaybeValue evaluate_at_module_level(const Unit& unit, ast::ExprId expr);

  // ---- expressions*.cpp ----

  MaybeValue evaluate(ast::ExprId id);

  // ---- used by the parts of the core ----

  [[nodiscard]] Frame& frame() { return *frame_; }

  [[nodiscard]] State& state() { return frame_->state; }

  [[nodiscard]] const ast::Module& module() const { return frame_->unit->module; }

  /// A variable could not be computed, or a limit stopped the specialisation: some error must have
  /// been reported.
  [[nodiscard]] bool has_failed() const { return has_failed_ || is_stopped_; }

  /// Gives a variable a value that is used as it is.
  Variable& define(std::string_view name, Value value, SourceRange definition,
                   SourceRange statement);
  void poison(std::string_view name, SourceRange range);
  void poison(std::span<const std::string_view> names, SourceRange range);

  [[nodiscard]] std::uint32_t next_version() { return ++version_; }

  /// Names the values of a tensor or tuple after a variable.
  void name_values(const Value& value, std::string_view name);
  /// A value with the fewest assumptions for a place that is never read.
  [[nodiscard]] ValueId zero(const Type& type);
  /// `return` types differ: lists all returns of the function, once.
  void report_returns_differ();

  /// Executes statements. `is_tail`: the function ends with them, so that nothing reads variables
  /// afterwards.
  void execute_block(std::span<const ast::StmtId> stmts, bool is_tail);

 protected:
  Diagnostic& with_calls(Diagnostic& diagnostic) override;
  LocId location(SourceRange range) override;

 private:
  using Body = std::function<void()>;

  /// Counts nested blocks and expressions; past a limit, or where the C++ stack runs short, it
  /// reports and stops.
  class DepthGuard {
   public:
    DepthGuard(Specializer& sema, SourceRange range);

    ~DepthGuard() { --sema_.depth_; }

    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

   private:
    Specializer& sema_;
  };

  // ---- statements.cpp ----

  void execute(ast::StmtId id);
  void execute(const ast::ExprStmt& stmt, SourceRange range);
  void execute(const ast::Assign& stmt, SourceRange range);
  void execute(const ast::AnnotatedAssign& stmt, SourceRange range);
  void execute(const ast::AugmentedAssign& stmt, SourceRange range);
  void execute(const ast::For& stmt, SourceRange range);
  void execute(const ast::While& stmt, SourceRange range);
  void execute(const ast::Break& stmt, SourceRange range);
  void execute(const ast::Continue& stmt, SourceRange range);
  void execute(const ast::Pass& stmt, SourceRange range);
  void execute(const ast::Return& stmt, SourceRange range);
  void execute(const ast::Assert& stmt, SourceRange range);
  void execute(const ast::Raise& stmt, SourceRange range);
  void execute(const ast::With& stmt, SourceRange range);
  void execute(const ast::Import& stmt, SourceRange range);
  void execute(const ast::FunctionDef& stmt, SourceRange range);
  void execute(const ast::Unsupported& stmt, SourceRange range);
  void execute(const ast::If& stmt, SourceRange range);

  /// The instructions made in the current region since there were `first` only compute values, and
  /// promise nothing about them.
  [[nodiscard]] bool only_computes(std::size_t first);
  /// What to write instead of an expression whose value nobody uses.
  std::string unused_help(ast::ExprId id);

  /// Assigns to a name, or element by element to a tuple of targets. False: reported.
  bool assign(ast::ExprId target, const Value& value, SourceRange value_range,
              SourceRange statement);
  bool assign_name(std::string_view name, const Value& value, SourceRange name_range,
                   SourceRange value_range, SourceRange statement);
  bool assign_elements(std::span<const ast::ExprId> targets, const Value& value,
                       SourceRange target_range, SourceRange value_range, SourceRange statement);
  void poison_target(ast::ExprId target, SourceRange range);
  void define_constexpr(std::string_view name, const Value& value, SourceRange name_range,
                        SourceRange value_range, SourceRange statement);
  bool check_redefinition(std::string_view name, SourceRange name_range, SourceRange statement);
  /// Ends the path with a `return` of this value; nothing: it could not be computed.
  void leave(MaybeValue value, SourceRange range);
  [[nodiscard]] bool count_step(SourceRange range);
  /// Reports an extension of the language in strict mode, with what to write instead.
  [[nodiscard]] bool allow(std::string_view what, SourceRange range, std::string_view rewrite);

  // ---- control_flow_if.cpp ----

  /// The result of a function that returns no value.
  [[nodiscard]] Value nothing_returned() const;
  /// What the end of a function's body is: a return of nothing on paths that come there.
  void return_at_end();

  /// Executes an `if` and, where that is simplest, the statements after it; true if it did those.
  bool execute_if(const ast::If& stmt, SourceRange range, std::span<const ast::StmtId> rest,
                  bool is_tail);
  bool execute_run_time_if(const Tensor& condition, const ast::If& stmt, SourceRange range,
                           std::span<const ast::StmtId> rest, bool is_tail);
  /// Executes `body` only on the paths that have not left (state().exits is Sometimes).
  void execute_guarded(bool is_tail, SourceRange range, const Body& body);
  /// What a compile-time condition is; nothing: reported. Only bool, int and None are allowed.
  std::optional<bool> static_condition(const Value& value, SourceRange range);

  /// The condition of `if`, `while` or `?:`: known, or a run-time i1 scalar.
  struct Condition {
    std::optional<bool> known;
    Tensor tensor;
  };

  std::optional<Condition> evaluate_condition(ast::ExprId id);

  // ---- control_flow_loops.cpp, control_flow_static.cpp ----

  void execute_loop_body(const ast::Block& stmts, RegionId body);
  /// Ends the body of a `for` and gives the carried values of the op to be made.
  InstSpec close_counted_loop(const LoopBuilder& loop, RegionId body);
  void finish_loop(LoopBuilder& loop, Op op, InstSpec spec, bool has_exit);
  void execute_counted_loop(const ast::For& stmt, SourceRange range, const RangeValue& values);
  void execute_unrolled_loop(const ast::For& stmt, SourceRange range,
                             const std::vector<Value>& values);
  std::optional<std::vector<Value>> static_values(const RangeValue& values, SourceRange range);
  void execute_compile_time_while(const ast::While& stmt, SourceRange range);
  void execute_run_time_while(const ast::While& stmt, SourceRange range);

  /// The end of a while's cond region.
  struct WhileTest {
    ValueId go;
    bool is_never = false;  ///< known to fail the first time: there is no loop
  };

  ast::ExprId while_condition(ast::ExprId id, bool& disable_licm);
  std::optional<WhileTest> while_test(ast::ExprId id, std::optional<ValueId> exit);
  void finish_while(LoopBuilder& loop, RegionId cond, RegionId body, ValueId go,
                    std::optional<ValueId> exit, bool disable_licm);
  bool bind_loop_target(ast::ExprId target, const Value& value, SourceRange range);
  /// The loop cannot be specialised: poisons what it assigns.
  void abandon_loop(const ast::Block& body, ast::ExprId target, SourceRange range);
  const AssignedNames& names_assigned_in(const ast::Block& block, ast::ExprId condition = {});

  // ---- expressions.cpp ----

  MaybeValue evaluate_node(const ast::Name& node, SourceRange range);
  MaybeValue evaluate_node(const ast::IntLiteral& node, SourceRange range);
  MaybeValue evaluate_node(const ast::FloatLiteral& node, SourceRange range);
  MaybeValue evaluate_node(const ast::StringLiteral& node, SourceRange range);
  MaybeValue evaluate_node(const ast::BoolLiteral& node, SourceRange range);
  MaybeValue evaluate_node(const ast::NoneLiteral& node, SourceRange range);
  MaybeValue evaluate_node(const ast::EllipsisLiteral& node, SourceRange range);
  MaybeValue evaluate_node(const ast::FString& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Tuple& node, SourceRange range);
  MaybeValue evaluate_node(const ast::List& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Dict& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Unary& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Binary& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Logical& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Compare& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Conditional& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Call& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Attribute& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Subscript& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Slice& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Lambda& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Comprehension& node, SourceRange range);
  MaybeValue evaluate_node(const ast::Starred& node, SourceRange range);
  MaybeValue evaluate_node(const ast::NamedExpr& node, SourceRange range);

  MaybeValue evaluate_elements(std::span<const ast::ExprId> elements, SourceRange range);
  MaybeValue compare_pair(ast::CompareOp op, const Value& lhs, const Value& rhs,
                          BinaryRanges ranges);
  MaybeValue compare_chain(const ast::Compare& node, SourceRange range);
  MaybeValue short_circuit(ast::BoolOp op, const Tensor& lhs, ast::ExprId rhs, BinaryRanges ranges);
  /// Whether `:=` assigns anything in the expression.
  bool assigns_names(ast::ExprId id) const;
  /// Where the flag is known to be so, what it assures is defined.
  void assume(ValueId flag, bool when);
  /// After an operand that was evaluated where `flag` is `when`: what the flag assured before, and
  /// what the operand defined, `result` assures now.
  void pass_assurances(const State& base, ValueId flag, const Value& result, bool when);
  /// Leaves unknown what `:=` assigns in an expression that failed.
  void poison_assigned(ast::ExprId id);
  bool comprehension_clause(const ast::Comprehension& node, std::size_t clause,
                            std::vector<Value>& out);
  std::optional<std::vector<Value>> iterate(const Value& iterable, SourceRange range);
  std::optional<SubscriptIndex> subscript_index(ast::ExprId id);
  std::optional<std::vector<CallArgument>> evaluate_arguments(
      std::span<const ast::Argument> arguments);

  // ---- calls.cpp ----

  MaybeValue call_function(const FunctionRef& callee, std::span<const CallArgument> arguments,
                           SourceRange range);
  MaybeValue construct(const ClassRef& callee, std::span<const CallArgument> arguments,
                       SourceRange range);
  /// Values of the parameters in order; defaults come from the unit's module level.
  std::optional<std::vector<Value>> bind(const FunctionRef& callee,
                                         std::span<const ast::Parameter> parameters,
                                         std::string_view name,
                                         std::span<const CallArgument> arguments,
                                         SourceRange range);
  /// The default of a parameter, where Python would evaluate it.
  MaybeValue default_of(const FunctionRef& callee, const ast::Parameter& parameter);
  bool check_parameters(const FunctionRef& callee, std::string_view name,
                        std::span<const ast::Parameter> parameters,
                        const std::vector<Value>& values, SourceRange range);
  void define_parameter(const ast::Parameter& parameter, Value value);

  // ---- combine.cpp ----

  std::optional<std::vector<ValueId>> combine_results(const Value& result,
                                                      std::span<const Type> element_types,
                                                      SourceRange range);
  /// Without branches; false after a report of what a fold cannot hold.
  bool finish_combine(RegionId region, SourceRange range);

  // ---- names.cpp ----

  MaybeValue use_variable(const Variable& variable, SourceRange range);
  MaybeValue resolve(const Unit& unit, std::string_view name, ModuleName& entry, SourceRange range);
  MaybeValue compute(const Unit& unit, std::string_view name, ModuleName& entry, SourceRange range);
  MaybeValue module_value(const Unit& unit, const std::string& path, SourceRange range);
  bool allow_global(const Unit& unit, std::string_view name, const ModuleName& entry,
                    const Value& value, SourceRange range);
  bool is_constexpr_expression(const Unit& unit, ast::ExprId expr);
  MaybeValue star_import(const Unit& unit, std::string_view name, SourceRange range);
  MaybeValue undefined(std::string_view name, SourceRange range);

  const Unit& unit_;
  Frame* frame_ = nullptr;
  ast::ExprId current_;  ///< the expression whose evaluation began last
  int depth_ = 0;        ///< nested evaluations
  StackBudget stack_;    ///< begins where the specialiser is made
  int call_depth_ = 0;
  std::uint32_t version_ = 0;
  std::uint64_t steps_ = 0;
  bool has_failed_ = false;
  bool is_stopped_ = false;  ///< a limit was hit: unwind without further reports
  Diagnostic repeated_;      ///< takes what chained calls add to a repeated report
  std::set<std::tuple<DiagId, FileId, std::uint32_t, std::uint32_t>> reported_;
  std::vector<std::pair<const Unit*, std::unique_ptr<UnitNames>>> names_;
  std::map<std::pair<const ast::Block*, std::uint32_t>, AssignedNames> assigned_;
  /// The last location made.
  SourceRange last_range_;
  LocId last_call_loc_;
  LocId last_loc_;
};

/// The tensors in a value, in order: itself, or those of a tuple's elements.
void flatten(const Value& value, std::vector<Tensor>& out);
[[nodiscard]] bool has_tensors(const Value& value);
/// A value of the same form with its tensors replaced by `ids`, from `next` on, which is advanced.
[[nodiscard]] Value rebuild(const Value& like, std::span<const ValueId> ids, std::size_t& next);

/// The dtype as kernels write it: `tl.float32`.
[[nodiscard]] std::string dtype_text(Scalar scalar);

/// A host value as a compile-time one; functions are those of `unit`.
[[nodiscard]] Value from_host(const Unit& unit, const HostValue& value);
/// The reverse; nothing for what the host has no form for.
[[nodiscard]] std::optional<HostValue> to_host(const Value& value);
/// The def of this name in the unit, or nothing.
[[nodiscard]] std::optional<ast::StmtId> find_function(const Unit& unit, std::string_view name);

}  // namespace tilery::sema
