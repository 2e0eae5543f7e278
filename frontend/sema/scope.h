// Variables of one function while it is specialised, and how control has left it so far.
//
// A State is plain data: a run-time `if` copies it, runs each branch on a copy and merges the two.
#pragma once

#include "frontend/sema/value.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tilery::sema {

/// One variable. Its name points into the syntax tree.
struct Variable {
  enum class Status : std::uint8_t {
    Defined,
    Poisoned,      ///< its value could not be computed: uses are silent
    OneBranch,     ///< defined on some paths only: uses are errors
    LoopOnly,      ///< defined inside a loop that has ended: uses are errors
    LoopVariable,  ///< of a loop that has ended: uses are errors
  };

  std::string_view name;
  Value value;
  Status status = Status::Defined;
  /// Annotated `tl.constexpr`, or a constexpr parameter.
  bool is_constexpr = false;
  /// Assigned last by a `for`.
  bool is_loop_target = false;
  /// Assigned last by `:=`.
  bool is_named_expression = false;
  /// Where it got its value last: the assignment's target, or the parameter.
  SourceRange definition;
  /// The statement that assigned last; distinguishes a repeated statement from a second one.
  SourceRange statement;
  /// Changes with every assignment.
  std::uint32_t version = 0;

  /// A run-time flag that tells where a variable of status OneBranch is defined: `:=` in an operand
  /// that is evaluated only then.
  struct Assurance {
    ValueId flag;
    bool when = true;           ///< the value of the flag
    std::uint32_t version = 0;  ///< the assignment that this is about
  };

  std::optional<Assurance> assurance;
};

/// The variables of a function, in the order of their first assignment. A copy keeps the positions
/// of the variables that both have.
class Scope {
 public:
  [[nodiscard]] const Variable* find(std::string_view name) const;
  [[nodiscard]] Variable* find(std::string_view name);
  /// The variable `name`, added if there is none.
  Variable& add(std::string_view name);
  /// Forgets a variable; only for one that no copy of this scope has.
  void remove(std::string_view name);

  [[nodiscard]] std::vector<Variable>& variables() { return variables_; }

  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }

  [[nodiscard]] std::size_t size() const { return variables_.size(); }

 private:
  std::vector<Variable> variables_;
};

/// How control left the block being executed. Each flag is a compile-time bool, or an i1 tensor
/// when it depends on run-time values.
struct Exits {
  Value returned{false};
  Value broke{false};
  Value continued{false};
  /// What `return` gave, on paths where `returned` holds; absent until one was met.
  std::optional<Value> return_value;
  bool is_return_poisoned = false;
};

struct State {
  Scope scope;
  Exits exits;
};

/// Whether control reaches the end of what was executed.
enum class Reach : std::uint8_t {
  Always,
  Never,      ///< every path returned, broke or continued
  Sometimes,  ///< some run-time path did
};

[[nodiscard]] Reach reach(const Exits& exits);

}  // namespace tilery::sema
