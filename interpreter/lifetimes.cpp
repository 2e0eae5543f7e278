#include "interpreter/lifetimes.h"

#include <algorithm>

namespace tilery::interpreter {
namespace {

class LifetimeFinder {
 public:
  explicit LifetimeFinder(const Function& function) : function_(function) {
    result_.position.assign(function.insts.size(), -1);
    result_.loop_end.assign(function.insts.size(), -1);
    result_.value.assign(function.values.size(), Span{});
  }

  Lifetimes run() {
    number(function_.body);
    define_arguments(function_.body, -1);
    use_region(function_.body);
    return std::move(result_);
  }

 private:
  void number(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      result_.position[id.index] = result_.count++;
      if (is_control(inst.op)) {
        std::for_each(inst.regions.begin(), inst.regions.end(), [this](RegionId r) { number(r); });
        result_.loop_end[id.index] = result_.count - 1;
        define_regions(id);
      }
      const int written = is_control(inst.op) ? result_.count - 1 : result_.position[id.index];
      for (std::uint32_t i = 0; i < inst.result_count; ++i) {
        define(inst.result(i), written);
      }
    }
  }

  void define_regions(InstId id) {
    const Inst& inst = function_.inst(id);
    for (std::size_t i = 0; i < inst.regions.size(); ++i) {
      // The arguments of a while's body are written by the `condition` before it.
      const bool after_condition = inst.op == Op::While && i == 1;
      const InstId writer = after_condition ? function_.region(inst.regions[0]).insts.back() : id;
      define_arguments(inst.regions[i], result_.at(writer));
    }
  }

  void define_arguments(RegionId region, int position) {
    for (const ValueId argument : function_.region(region).args) {
      define(argument, position);
    }
  }

  void define(ValueId value, int position) {
    result_.value[value.index] = {position, std::max(position, result_.value[value.index].end)};
  }

  void use_region(RegionId region) {
    for (const InstId id : function_.region(region).insts) {
      const Inst& inst = function_.inst(id);
      for (const ValueId operand : inst.operands) {
        use(operand, id);
      }
      if (inst.op == Op::DeviceAssert) {
        use_comparison(id);
      }
      if (is_control(inst.op)) {
        std::for_each(inst.regions.begin(), inst.regions.end(),
                      [this](RegionId r) { use_region(r); });
      }
    }
  }

  void use_comparison(InstId assertion) {
    const InstId comparison = asserted_comparison(function_, function_.inst(assertion));
    if (comparison) {
      for (const ValueId operand : function_.inst(comparison).operands) {
        use(operand, assertion);
      }
    }
  }

  void use(ValueId value, InstId user) {
    const Value& used = function_.value(value);
    const RegionId home = used.def ? function_.inst(used.def).parent : used.region;
    int last = result_.at(user);
    for (RegionId region = function_.inst(user).parent; region != home;) {
      const InstId owner = function_.region(region).owner;
      if (function_.inst(owner).op != Op::If) {
        last = std::max(last, result_.loop_end[owner.index]);
      }
      region = function_.inst(owner).parent;
    }
    Span& span = result_.value[value.index];
    span.end = std::max(span.end, last);
  }

  const Function& function_;
  Lifetimes result_;
};

}  // namespace

bool is_control(Op op) {
  return op == Op::For || op == Op::While || op == Op::If;
}

bool is_comparison(Op op) {
  return op == Op::Eq || op == Op::Ne || op == Op::Lt || op == Op::Le || op == Op::Gt ||
         op == Op::Ge;
}

InstId asserted_comparison(const Function& function, const Inst& assertion) {
  const InstId def = function.value(assertion.operand(0)).def;
  return def && is_comparison(function.inst(def).op) ? def : InstId{};
}

Lifetimes find_lifetimes(const Function& function) {
  return LifetimeFinder(function).run();
}

}  // namespace tilery::interpreter
