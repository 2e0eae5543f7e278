#include "codegen/passes/pipeline_loops.h"

#include "ir/analysis/effects.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/uses.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>

namespace tilery::codegen {
namespace {

/// A load whose tile is to be copied ahead.
struct Candidate {
  InstId load;
  ValueId pointer;
  ValueId mask;  ///< may be none
};

/// What of a loop's body computes the candidates' addresses and masks.
struct Slice {
  std::set<std::uint32_t> insts;    ///< of the body, pure
  std::set<std::size_t> recurrent;  ///< carried values that the slice reads, and so advances
};

/// The unsigned integer that is as wide as this one.
Scalar unsigned_of(Scalar integer) {
  const auto* const found = std::ranges::find_if(kScalarFacts, [&](const ScalarFacts& facts) {
    return !facts.is_float && !facts.is_signed && facts.bits == bit_width(integer);
  });
  return static_cast<Scalar>(found - std::begin(kScalarFacts));
}

class LoopPipeliner {
 public:
  LoopPipeliner(Function& function, InstId loop, int stages, std::uint32_t shared_limit)
      : function_(function), loop_(loop), stages_(stages), shared_limit_(shared_limit) {}

  bool run() {
    if (stages_ < 2) {
      why_ = "num_stages is below 2";
    }
    if (stages_ < 2 || !is_suitable() || !find_candidates()) {
      stages_ = 1;
      return false;
    }
    lower_stages();
    if (stages_ < 2) {
      return false;
    }
    rewrite();
    return true;
  }

  /// After `run`: the stages that the loop has, and why no more.
  [[nodiscard]] int stages() const { return stages_; }

  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  [[nodiscard]] const Inst& loop() const { return function_.inst(loop_); }

  [[nodiscard]] RegionId body() const { return loop().regions[0]; }

  // ---- what can be pipelined ----

  [[nodiscard]] bool is_suitable() {
    const std::optional<std::uint64_t> step = function_.constant_bits(operand<"step">(loop()));
    const ElementType counter = function_.type(operand<"lower">(loop())).element;
    const Effects effects = effects_of(function_, body());
    if (!step || !is_signed_integer(counter.scalar) || decode_int(counter.scalar, *step) <= 0) {
      why_ = "its step is no positive constant";
    } else if (bool_attr<"has_exit">(loop())) {
      why_ = "it may end early, by `break` or `return`";
    } else if (effects.writes || effects.observes) {
      why_ = effects.writes ? "it stores" : "it prints or asserts";
    }
    return why_.empty();
  }

  /// True if the value, by pure ops of the body, becomes a factor of a dot.
  [[nodiscard]] bool feeds_dot(const Uses& uses, ValueId value, int depth = 0) const {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) {
      return false;
    }
    return std::ranges::any_of(uses.of(value), [&](const Use& use) {
      const Inst& user = function_.inst(use.user);
      if (user.op == Op::Dot) {
        return use.operand < 2;
      }
      const OpFamily family = op_def(user.op).family;
      const bool passes_on =
          (family == OpFamily::Map || family == OpFamily::Shape) && user.parent == body();
      return passes_on && feeds_dot(uses, user.result(), depth + 1);
    });
  }

  bool find_candidates() {
    const Uses uses = find_uses(function_);
    why_ = "no load in it feeds a dot";
    for (const InstId id : function_.region(body()).insts) {
      const Inst& inst = function_.inst(id);
      if (inst.op != Op::Load || inst.parent != body() || !feeds_dot(uses, inst.result())) {
        continue;
      }
      if (!is_copyable(inst)) {
        why_ =
            "a load that feeds a dot cannot be copied ahead: it needs two axes of powers of two, "
            "and `other` of 0 or none";
      } else {
        why_ = "the address of a load that feeds a dot depends on what the loop loads";
        Slice slice = slice_;
        const Candidate candidate{id, operand<"ptr">(inst), operand<"mask">(inst)};
        if (extend(slice, candidate.pointer) &&
            (!candidate.mask || extend(slice, candidate.mask))) {
          slice_ = std::move(slice);
          candidates_.push_back(candidate);
        }
      }
    }
    return !candidates_.empty();
  }

  /// Lanes that are off read 0 from a ring, a tile needs two axes to be worth it, and a ring's
  /// extents are powers of two.
  [[nodiscard]] bool is_copyable(const Inst& load) const {
    const ValueId other = operand<"other">(load);
    const Shape& shape = function_.type(load.result()).shape;
    const bool fits = std::ranges::all_of(shape, [](std::int32_t extent) {
      return std::has_single_bit(static_cast<std::uint32_t>(extent));
    });
    return fits && shape.rank() >= 2 && !bool_attr<"volatile">(load) && (!other || is_zero(other));
  }

  [[nodiscard]] bool is_zero(ValueId value) const {
    const Value& v = function_.value(value);
    if (v.def && function_.inst(v.def).op == Op::Splat) {
      return is_zero(function_.inst(v.def).operand(0));
    }
    return function_.constant_bits(value) == std::uint64_t{0};
  }

  /// Adds what computes the value to the slice; false if something cannot run ahead.
  bool extend(Slice& slice, ValueId value) const {
    const Value& v = function_.value(value);
    if (!v.def) {
      return v.region != body() || extend_argument(slice, v.index);
    }
    const Inst& inst = function_.inst(v.def);
    if (inst.parent != body() || slice.insts.contains(v.def.index)) {
      return !is_inside(function_, value, loop_) || inst.parent == body();
    }
    if (!op_def(inst.op).is_pure() || !inst.regions.empty()) {
      return false;
    }
    slice.insts.insert(v.def.index);
    return std::ranges::all_of(inst.operands,
                               [&](ValueId operand) { return extend(slice, operand); });
  }

  bool extend_argument(Slice& slice, std::uint32_t index) const {
    if (index == 0 || !slice.recurrent.insert(index - 1).second) {
      return true;
    }
    return extend(slice, passed_values(function_, body())[index - 1]);
  }

  /// As few stages as the rings' bytes allow.
  void lower_stages() {
    std::int64_t bytes = 0;
    for (const Candidate& candidate : candidates_) {
      const Type& type = function_.type(function_.inst(candidate.load).result());
      bytes += type.numel() * type.element.byte_size();
    }
    const int asked = stages_;
    while (stages_ > 1 && bytes * stages_ > static_cast<std::int64_t>(shared_limit_)) {
      --stages_;
    }
    why_ = stages_ == asked ? std::string()
                            : fmt::format(
                                  "{} stages of {} bytes would not fit the {} bytes of "
                                  "shared memory that rings may take",
                                  asked, bytes, shared_limit_);
  }

  // ---- the rewriting ----

  /// The values of one iteration of the chain that runs ahead.
  struct Ahead {
    ValueId counter;
    std::vector<ValueId> carried;  ///< one a member of recurrent, in order
  };

  void rewrite() {
    Builder before(function_);
    before.set_before(loop_);
    before.set_loc(loop().loc);
    Ahead ahead;
    ahead.counter = operand<"lower">(loop());
    for (const std::size_t i : slice_.recurrent) {
      ahead.carried.push_back(initial_values(loop())[i]);
    }
    std::vector<ValueId> rings = make_rings(before);
    for (int slot = 0; slot + 1 < stages_; ++slot) {
      const ValueId runs = prologue_runs(before, slot);
      copy_ahead(before, before.constant_int(Scalar::I32, slot), runs, ahead, rings);
      before.create(Op::AsyncCommit, {});
    }
    replace_loop(before, ahead, rings);
  }

  std::vector<ValueId> make_rings(Builder& builder) {
    std::vector<ValueId> rings;
    for (const Candidate& candidate : candidates_) {
      Type type = function_.type(function_.inst(candidate.load).result());
      type.shape.insert(0, stages_);
      rings.push_back(builder.value(Op::SharedRing, {{}, {}, {type}, {}}));
    }
    return rings;
  }

  [[nodiscard]] Scalar counter_type() const {
    return function_.type(operand<"lower">(loop())).element.scalar;
  }

  [[nodiscard]] std::int64_t step() const {
    return decode_int(counter_type(), *function_.constant_bits(operand<"step">(loop())));
  }

  /// True if iteration `number` exists, counted from a counter that is below the upper bound if
  /// `is_below`: their distance, which fits the unsigned type, exceeds number steps.
  ValueId is_reached(Builder& builder, ValueId counter, int number) {
    const Scalar scalar = counter_type();
    const auto to_unsigned = [&](ValueId value) {
      return builder.bitcast(value, unsigned_of(scalar));
    };
    const ValueId distance = to_unsigned(builder.map(Op::Sub, {operand<"upper">(loop()), counter}));
    const Type type = function_.type(distance);
    const std::uint64_t needed =
        static_cast<std::uint64_t>(number) * static_cast<std::uint64_t>(step());
    const int bits = bit_width(scalar);
    if (bits < 64 && (needed >> bits) != 0) {
      return builder.constant_bits(Type(Scalar::I1), 0);
    }
    return builder.map(Op::Gt, {distance, builder.constant_bits(type, needed)});
  }

  ValueId prologue_runs(Builder& builder, int number) {
    const ValueId lower = operand<"lower">(loop());
    const ValueId is_below = builder.map(Op::Lt, {lower, operand<"upper">(loop())});
    return number == 0 ? is_below
                       : builder.map(Op::And, {is_below, is_reached(builder, lower, number)});
  }

  /// Copies the slice for the iteration of `ahead`, loads the candidates' tiles into the rings'
  /// slot, and advances `ahead`.
  void copy_ahead(Builder& builder, ValueId slot, ValueId runs, Ahead& ahead,
                  std::vector<ValueId>& rings) {
    std::vector<ValueId> map(function_.values.size());
    map[counter_arg(function_, loop()).index] = ahead.counter;
    std::size_t position = 0;
    for (const std::size_t i : slice_.recurrent) {
      map[body_arg(function_, loop(), i).index] = ahead.carried[position++];
    }
    for (const InstId id : std::vector<InstId>(function_.region(body()).insts)) {
      if (slice_.insts.contains(id.index)) {
        copy_inst(builder, id, map);
      }
    }
    const auto mapped = [&](ValueId value) {
      return value.index < map.size() && map[value.index] ? map[value.index] : value;
    };
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      rings[i] = copy_tile(builder, candidates_[i], slot, runs, rings[i], mapped);
    }
    position = 0;
    for (const std::size_t i : slice_.recurrent) {
      ahead.carried[position++] = mapped(passed_values(function_, body())[i]);
    }
    ahead.counter = builder.map(Op::Add, {ahead.counter, operand<"step">(loop())});
  }

  template <class Mapped>
  ValueId copy_tile(Builder& builder, const Candidate& candidate, ValueId slot, ValueId runs,
                    ValueId ring, Mapped&& mapped) {
    const Inst load = function_.inst(candidate.load);
    const Shape shape = function_.type(load.result()).shape;
    ValueId mask = builder.splat_to(runs, shape);
    if (candidate.mask) {
      mask = builder.map(Op::And, {mask, mapped(candidate.mask)});
    }
    builder.set_loc(load.loc);
    std::vector<ValueId> other;
    if (operand<"other">(load)) {
      other.push_back(builder.constant_bits(function_.type(load.result()), 0));
    }
    const auto attr = [&](std::string_view name) {
      return std::pair{name, load.attrs[static_cast<std::size_t>(attr_index(Op::Load, name))]};
    };
    const ValueId tile = builder.value(
        Op::Load,
        {{{mapped(candidate.pointer)}, {mask}, other}, {attr("cache"), attr("eviction")}, {}, {}});
    return builder.value(Op::RingInsert, {{{ring}, {slot}, {tile}}, {}, {}, {}});
  }

  /// (value + 1) modulo the number of stages.
  ValueId next_slot(Builder& builder, ValueId slot) {
    const ValueId next = builder.map(Op::Add, {slot, builder.constant_int(Scalar::I32, 1)});
    const ValueId wraps = builder.map(Op::Ge, {next, builder.constant_int(Scalar::I32, stages_)});
    return builder.map(Op::Select, {wraps, builder.constant_int(Scalar::I32, 0), next});
  }

  void replace_loop(Builder& before, const Ahead& ahead, const std::vector<ValueId>& rings) {
    const Inst old = loop();
    const std::size_t carried = carried_count(old);
    // Carried: the loop's own values, the chain ahead, the rings, the slots to read and to fill.
    const std::span<const ValueId> own = initial_values(old);
    std::vector<ValueId> init(own.begin(), own.end());
    init.push_back(ahead.counter);
    init.insert(init.end(), ahead.carried.begin(), ahead.carried.end());
    init.insert(init.end(), rings.begin(), rings.end());
    init.push_back(before.constant_int(Scalar::I32, 0));
    init.push_back(before.constant_int(Scalar::I32, stages_ - 1));

    const ValueId lower = operand<"lower">(old);
    std::vector<Type> argument_types{function_.type(lower)};
    for (const ValueId value : init) {
      argument_types.push_back(function_.type(value));
    }
    const RegionId region = before.make_region(argument_types);
    fill_body(region, carried);

    std::vector<std::pair<std::string_view, Attr>> attrs;
    const OpDef& def = op_def(Op::For);
    for (std::size_t i = 0; i < old.attrs.size(); ++i) {
      attrs.emplace_back(def.attr_patterns()[i].name, old.attrs[i]);
    }
    const InstId made = before.create(
        Op::For,
        {{{lower}, {operand<"upper">(old)}, {operand<"step">(old)}, init}, attrs, {}, {region}});
    for (std::size_t i = 0; i < carried; ++i) {
      const auto index = static_cast<std::uint32_t>(i);
      function_.value(function_.inst(made).result(index)).name =
          function_.value(old.result(index)).name;
      replace_uses(function_, old.result(index), function_.inst(made).result(index));
    }
    erase(function_, loop_);
  }

  void fill_body(RegionId region, std::size_t carried) {
    Builder inside(function_);
    inside.set_region(region);
    inside.set_loc(loop().loc);
    const std::vector<ValueId> args = function_.region(region).args;
    const std::vector<ValueId> old_args = function_.region(body()).args;
    std::size_t next = 1 + carried;
    Ahead ahead;
    ahead.counter = args[next++];
    for (std::size_t i = 0; i < slice_.recurrent.size(); ++i) {
      ahead.carried.push_back(args[next++]);
    }
    std::vector<ValueId> rings(
        args.begin() + static_cast<std::ptrdiff_t>(next),
        args.begin() + static_cast<std::ptrdiff_t>(next + candidates_.size()));
    next += candidates_.size();
    const ValueId read_slot = args[next++];
    const ValueId fill_slot = args[next];

    inside.create(Op::AsyncWait, {{}, {{"pending", std::int64_t{stages_ - 2}}}, {}, {}});
    std::vector<ValueId> map(function_.values.size());
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const ValueId tile = inside.value(Op::RingRead, {{{rings[i]}, {read_slot}}, {}, {}, {}});
      map[function_.inst(candidates_[i].load).result().index] = tile;
    }
    // The counter of this iteration lies below the bound, so the distance tells which later ones
    // exist.
    copy_ahead(inside, fill_slot, is_reached(inside, args[0], stages_ - 1), ahead, rings);
    inside.create(Op::AsyncCommit, {});
    for (std::size_t i = 0; i <= carried; ++i) {
      map[old_args[i].index] = args[i];
      function_.value(args[i]).name = function_.value(old_args[i]).name;
    }
    const std::vector<InstId> insts = function_.region(body()).insts;
    for (const InstId id : std::span(insts).first(insts.size() - 1)) {
      if (std::ranges::find(candidates_, id, &Candidate::load) == candidates_.end()) {
        copy_inst(inside, id, map);
      }
    }
    std::vector<ValueId> yields;
    for (const ValueId value : std::vector<ValueId>(function_.terminator(body()).operands)) {
      yields.push_back(value.index < map.size() && map[value.index] ? map[value.index] : value);
    }
    yields.push_back(ahead.counter);
    yields.insert(yields.end(), ahead.carried.begin(), ahead.carried.end());
    yields.insert(yields.end(), rings.begin(), rings.end());
    yields.push_back(next_slot(inside, read_slot));
    yields.push_back(next_slot(inside, fill_slot));
    inside.yield(yields);
  }

  Function& function_;
  InstId loop_;
  int stages_;
  std::uint32_t shared_limit_;
  std::string why_;
  Slice slice_;
  std::vector<Candidate> candidates_;
};

/// Loops that hold a dot of their own and no other loop.
std::vector<InstId> innermost_dot_loops(const Function& function) {
  std::vector<InstId> loops;
  for_each_inst(function, function.body, [&](InstId id) {
    const Inst& inst = function.inst(id);
    if (inst.op != Op::For) {
      return;
    }
    bool has_dot = false;
    bool has_loop = false;
    for_each_inst(function, inst.regions[0], [&](InstId inner) {
      has_dot = has_dot || function.inst(inner).op == Op::Dot;
      has_loop = has_loop || is_loop(function.inst(inner).op);
    });
    if (has_dot && !has_loop) {
      loops.push_back(id);
    }
  });
  return loops;
}

}  // namespace

bool pipeline_loops(Function& function, int num_stages, std::uint32_t shared_limit,
                    std::vector<LoopFacts>* facts) {
  bool changed = false;
  for (const InstId loop : innermost_dot_loops(function)) {
    const std::int64_t own = int_attr<"stages">(function.inst(loop));
    const int stages = own != 0 ? static_cast<int>(own) : num_stages;
    const SourceRange range = function.range(function.inst(loop).loc);
    LoopPipeliner pipeliner(function, loop, stages, shared_limit);
    changed = pipeliner.run() || changed;
    if (facts != nullptr) {
      facts->push_back({range, pipeliner.stages(), pipeliner.why()});
    }
  }
  return changed;
}

}  // namespace tilery::codegen
