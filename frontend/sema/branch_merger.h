// Merges what the two regions of a run-time `if` did into the op's results.
#pragma once

#include "frontend/sema/specializer.h"

namespace tilery::sema {

/// Whether a branch reaches its end, and if not, who may still see its variables.
enum class BranchEnd : std::uint8_t {
  Falls,
  Leaves,   ///< by `break` or `continue`: its loop still carries the variables
  Returns,  ///< nothing reads its variables any more
};

[[nodiscard]] BranchEnd branch_end(const Exits& exits);

class BranchMerger {
 public:
  /// What becomes of two compile-time numbers that differ, or of one that meets a tensor.
  enum class Numbers : std::uint8_t { BecomeTensors, MustAgree };

  /// A merged value: its form, and where its tensors begin among the results of the op.
  struct Slot {
    Value like;
    std::size_t first = 0;
  };

  /// Both regions are finished but for their terminators.
  BranchMerger(Specializer& sema, RegionId then_region, RegionId else_region)
      : sema_(sema), then_(then_region), else_(else_region), outer_(sema.builder().region()) {}

  /// Yields `a` from the first region and `b` from the second. Nothing if they have no common type.
  std::optional<Slot> join(const Value& a, const Value& b, Numbers numbers, std::string_view name);
  /// Yields a value of one region, and zeros, which are never read, from the other.
  Slot pad(const Value& value, bool is_in_then, std::string_view name);
  /// Makes the `if` in the surrounding region.
  void finish(const Tensor& condition);
  /// The merged value, once finished.
  [[nodiscard]] Value value(const Slot& slot) const;

  struct Options {
    BranchEnd then_end = BranchEnd::Falls;
    BranchEnd else_end = BranchEnd::Falls;
    /// Nothing after the `if` reads variables.
    bool is_tail = false;
    /// The first region is the empty side of paths that have left already (`condition` is their
    /// flag), and the exits before the `if` hold there.
    bool is_guard = false;
    /// A variable that only one branch defines keeps its value (and zeros from the other), for
    /// those who know which branch was taken.
    bool keeps_added = false;
  };

  /// Merges the states at the ends of both regions and makes the `if`. `base` is the state before
  /// it.
  [[nodiscard]] State merge(const State& base, const State& then_state, const State& else_state,
                            const Tensor& condition, const Options& options);

 private:
  struct Pending {
    std::size_t variable = 0;
    Slot slot;
  };

  std::optional<std::pair<Value, Value>> unify(const Value& a, const Value& b, Numbers numbers);
  std::optional<std::pair<Value, Value>> unify_tensors(const Value& a, const Value& b);
  Slot yield_pair(const Value& a, const Value& b, std::string_view name);
  void merge_variables();
  void merge_existing(std::size_t index);
  void merge_added(const Variable* a, const Variable* b);
  void take_live(Variable& out, const Variable& live, bool is_in_then, const Variable* before);
  void join_variables(Variable& out, const Variable& a, const Variable& b, const Variable* before);
  void report_existing(const Variable& before, const Variable& a, const Variable& b);
  void report_added(const Variable& a, const Variable& b);
  void merge_exits();
  void merge_flag(Value Exits::* flag);
  void merge_return_value();
  [[nodiscard]] bool is_last_exit(Value Exits::* flag) const;

  Specializer& sema_;
  RegionId then_;
  RegionId else_;
  RegionId outer_;
  std::vector<ValueId> then_yields_;
  std::vector<ValueId> else_yields_;
  std::vector<std::string_view> names_;
  std::vector<ValueId> results_;

  // While merging states.
  const State* base_ = nullptr;
  const State* a_ = nullptr;
  const State* b_ = nullptr;
  Options options_;
  State merged_;
  std::vector<Pending> pending_;
  std::vector<std::pair<Value Exits::*, Slot>> pending_flags_;
  std::optional<Slot> pending_return_;
};

}  // namespace tilery::sema
