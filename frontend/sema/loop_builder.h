// What run-time loops have in common: the variables that they carry and how they are left.
#pragma once

#include "frontend/sema/specializer.h"

namespace tilery::sema {

/// The variables that exist before a loop and may be assigned in it become region arguments, in the
/// order of the scope; those that turn out unchanged are taken out again. If the loop may be left
/// by `break` or `return`, a flag comes first, and what `return` gave comes last.
class LoopBuilder {
 public:
  LoopBuilder(Specializer& sema, const AssignedNames& assigned, SourceRange range);

  /// Adds an argument for each carried tensor to the region and gives the variables these values.
  void bind(RegionId region);

  /// At the end of a while's condition: what it hands to the body.
  void end_condition() { passed_ = current_values(); }

  /// At the end of the body: takes the exits, and puts the yields together.
  void end_body(RegionId body);
  /// Removes the unchanged variables from the regions that `bind` saw.
  void prune();

  /// i1: true if the loop ends after this iteration; nothing if it cannot be left.
  [[nodiscard]] std::optional<ValueId> exit_flag() const { return exit_flag_; }

  [[nodiscard]] std::vector<ValueId> inits() const;

  [[nodiscard]] const std::vector<ValueId>& yields() const { return yields_; }

  [[nodiscard]] const std::vector<ValueId>& passed() const { return passed_; }

  /// Values that only leave the loop: whether it returned, and what.
  struct Extras {
    std::vector<Type> types;
    std::vector<ValueId> yields;
  };

  [[nodiscard]] const Extras& extras() const { return extras_; }

  /// Gives the variables their values after the loop: `results` are those of the op.
  void leave(std::span<const ValueId> results, bool has_exit);

  [[nodiscard]] const State& base() const { return base_; }

  [[nodiscard]] RegionId outer() const { return outer_; }

 private:
  struct Carried {
    std::size_t index = 0;
    std::vector<Tensor> inits;
    std::vector<std::vector<ValueId>> args;  ///< a region each
    std::uint32_t entry_version = 0;
    bool is_changed = false;
    Variable end;  ///< at the end of the body
  };

  void add(std::string_view name);
  /// The carried variables' values at this point, checked against their types before the loop.
  [[nodiscard]] std::vector<ValueId> current_values();
  std::vector<ValueId> checked_values(Carried& carried, const Variable& now);
  void report_type(const Variable& before, const Variable& after);
  void report_fixed(const Variable& before, const Variable& after);
  [[nodiscard]] std::string type_help(const Variable& before, const Variable& after);
  void add_return_value(const Exits& exits);
  void settle_scope(State& after);

  Specializer& sema_;
  SourceRange range_;
  State base_;
  RegionId outer_;
  std::vector<Carried> carried_;
  std::vector<RegionId> regions_;
  std::vector<ValueId> yields_;
  std::vector<ValueId> passed_;
  std::optional<ValueId> exit_flag_;
  Extras extras_;
  State end_;
  std::optional<std::size_t> returned_extra_;
};

/// Adds a region argument at a position, moving later ones back.
ValueId insert_region_argument(Function& function, RegionId region, std::size_t position,
                               const Type& type);

}  // namespace tilery::sema
