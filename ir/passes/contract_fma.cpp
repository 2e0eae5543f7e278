#include "ir/passes/contract_fma.h"

#include "ir/analysis/uses.h"
#include "ir/builder.h"

namespace tilery {
namespace {

class Contraction {
 public:
  explicit Contraction(Function& function)
      : function_(function), uses_(find_uses(function)), builder_(function) {}

  /// Fuses one sum if an operand allows it.
  bool visit(InstId sum) {
    const Inst& inst = function_.inst(sum);
    const bool is_sum = inst.op == Op::Add || inst.op == Op::Sub;
    if (!is_sum || !is_contractible(function_.type(inst.result()).element)) {
      return false;
    }
    for (const int side : {0, 1}) {
      const InstId product = single_use_product(inst.operand(side));
      if (product) {
        fuse(sum, product, side);
        return true;
      }
    }
    return false;
  }

 private:
  static bool is_contractible(ElementType element) {
    return !element.is_pointer() && is_float(element.scalar) && !is_fp8(element.scalar);
  }

  /// The `mul` that defines `value` if this is its only use.
  [[nodiscard]] InstId single_use_product(ValueId value) const {
    const InstId def = function_.value(value).def;
    const bool fits = def && function_.inst(def).op == Op::Mul && uses_.count(value) == 1;
    return fits ? def : InstId();
  }

  void fuse(InstId sum, InstId product, int side) {
    ValueId a = function_.inst(product).operand(0);
    const ValueId b = function_.inst(product).operand(1);
    ValueId c = function_.inst(sum).operand(1 - side);
    if (function_.inst(sum).op == Op::Sub) {
      ValueId& negated = side == 0 ? c : a;
      builder_.set_before(sum);
      builder_.set_loc(function_.inst(sum).loc);
      negated = builder_.map(Op::Neg, {negated});
    }
    // The sum changes in place, so that its result keeps its uses and its name.
    Inst& fma = function_.inst(sum);
    fma.op = Op::Fma;
    fma.operands = {a, b, c};
    fma.segments = {1, 1, 1};
    erase(function_, product);
  }

  Function& function_;
  /// As of the source. Fusing moves uses of `a`, `b` and `c` but changes no count of theirs.
  const Uses uses_;
  Builder builder_;
};

}  // namespace

bool contract_fma(Function& function) {
  Contraction contraction(function);
  bool changed = false;
  for_each_inst(function, function.body, [&](InstId id) { changed |= contraction.visit(id); });
  return changed;
}

}  // namespace tilery
