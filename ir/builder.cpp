#include "ir/builder.h"

#include "ir/infer.h"
#include "ir/support/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery {
namespace {

/// The row's name, signature and the operand types, for the message of a wrong call.
std::string describe_call(const OpDef& def, const OperandTypes& operands) {
  std::string text = fmt::format("{} {} given (", def.id, def.signature);
  const char* separator = "";
  for (const std::vector<Type>& group : operands) {
    for (const Type& type : group) {
      text.append(separator).append(type.str());
      separator = ", ";
    }
  }
  return text + ")";
}

OperandTypes types_of(const Function& function, const std::vector<std::vector<ValueId>>& groups) {
  OperandTypes types(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    types[g].reserve(groups[g].size());
    for (const ValueId operand : groups[g]) {
      TILERY_CHECK(operand, "an operand that is no value");
      types[g].push_back(function.type(operand));
    }
  }
  return types;
}

/// All of the row's attributes in its order, from those given by name.
std::vector<Attr> complete_attrs(const OpDef& def,
                                 std::vector<std::pair<std::string_view, Attr>>& given) {
  std::vector<Attr> attrs;
  attrs.reserve(def.attr_patterns().size());
  std::size_t used = 0;
  for (const AttrPattern& pattern : def.attr_patterns()) {
    const auto found =
        std::ranges::find_if(given, [&](const auto& pair) { return pair.first == pattern.name; });
    if (found != given.end()) {
      attrs.push_back(std::move(found->second));
      ++used;
    } else {
      attrs.push_back(default_attr(pattern));
    }
  }
  TILERY_CHECK(used == given.size(),
               fmt::format("an attribute that `{}` does not have, or one twice", def.id));
  return attrs;
}

}  // namespace

void Builder::set_region(RegionId region) {
  region_ = region;
  before_ = InstId();
}

void Builder::set_before(InstId inst) {
  region_ = function_.inst(inst).parent;
  before_ = inst;
  TILERY_CHECK(region_, "a place before an erased instruction");
}

LocId Builder::add_location(Location location) {
  function_.locations.push_back(std::move(location));
  return LocId(function_.locations.size() - 1);
}

RegionId Builder::make_region(std::span<const Type> argument_types) {
  const RegionId region(function_.regions.size());
  function_.regions.emplace_back();
  for (const Type& type : argument_types) {
    add_region_argument(region, type);
  }
  return region;
}

ValueId Builder::add_region_argument(RegionId region, Type type, std::string name) {
  const ValueId id(function_.values.size());
  std::vector<ValueId>& args = function_.region(region).args;
  const auto index = static_cast<std::uint32_t>(args.size());
  function_.values.push_back({type, InstId(), region, index, std::move(name)});
  args.push_back(id);
  return id;
}

InstId Builder::create(Op op, InstSpec spec) {
  const OpDef& def = op_def(op);
  spec.groups.resize(std::max(spec.groups.size(), def.operand_patterns().size()));
  const OperandTypes types = types_of(function_, spec.groups);
  Inst inst;
  inst.op = op;
  inst.attrs = complete_attrs(def, spec.attrs);
  const Inference inference =
      infer_results(function_, op, types, inst.attrs, spec.regions, spec.result_types);
  TILERY_CHECK(inference.ok(), inference.error + ": " + describe_call(def, types));
  for (std::size_t g = 0; g < spec.groups.size(); ++g) {
    inst.segments[g] = static_cast<std::uint16_t>(spec.groups[g].size());
    inst.operands.insert(inst.operands.end(), spec.groups[g].begin(), spec.groups[g].end());
  }
  inst.regions = std::move(spec.regions);
  return place(std::move(inst), inference.results);
}

InstId Builder::place(Inst inst, std::span<const Type> result_types) {
  TILERY_CHECK(region_, "an instruction without a place");
  const InstId id(function_.insts.size());
  inst.loc = loc_;
  inst.parent = region_;
  inst.first_result = ValueId(function_.values.size());
  inst.result_count = static_cast<std::uint32_t>(result_types.size());
  for (std::uint32_t i = 0; i < inst.result_count; ++i) {
    function_.values.push_back({result_types[i], id, RegionId(), i, {}});
  }
  for (const RegionId region : inst.regions) {
    TILERY_CHECK(!function_.region(region).owner, "a region that another instruction owns");
    function_.region(region).owner = id;
  }
  std::vector<InstId>& insts = function_.region(region_).insts;
  if (before_) {
    insts.insert(std::ranges::find(insts, before_), id);
  } else {
    insts.push_back(id);
  }
  function_.insts.push_back(std::move(inst));
  return id;
}

ValueId Builder::map(Op op, std::initializer_list<ValueId> operands) {
  InstSpec spec;
  spec.groups.reserve(operands.size());
  for (const ValueId operand : operands) {
    spec.groups.push_back({operand});
  }
  return value(op, std::move(spec));
}

ValueId Builder::value(Op op, InstSpec spec) {
  const Inst& inst = function_.inst(create(op, std::move(spec)));
  TILERY_CHECK(inst.result_count == 1, fmt::format("`{}` has not one result", op_def(op).id));
  return inst.result();
}

ValueId Builder::constant_bits(Type type, std::uint64_t bits) {
  return value(Op::Constant, {{}, {{"value", Bits{bits}}}, {type}, {}});
}

ValueId Builder::constant_int(Type type, std::int64_t v) {
  const bool is_pointer = type.is_pointer();
  return constant_bits(
      type, is_pointer ? static_cast<std::uint64_t>(v) : encode_int(type.element.scalar, v));
}

ValueId Builder::constant_float(Type type, double v) {
  TILERY_CHECK(!type.is_pointer(), "a pointer constant from a float");
  return constant_bits(type, encode_float(type.element.scalar, v));
}

ValueId Builder::cast(ValueId x, ElementType to, bool toward_zero) {
  const Type type = function_.type(x);
  if (type.element == to) {
    return x;
  }
  InstSpec spec{{{x}}, {}, {type.with_element(to)}, {}};
  if (toward_zero) {
    spec.attrs.emplace_back("rounding", std::int64_t{1});
  }
  return value(Op::Cast, std::move(spec));
}

ValueId Builder::bitcast(ValueId x, ElementType to) {
  const Type type = function_.type(x);
  if (type.element == to) {
    return x;
  }
  return value(Op::Bitcast, {{{x}}, {}, {type.with_element(to)}, {}});
}

ValueId Builder::splat_to(ValueId scalar, const Shape& shape) {
  if (shape.is_scalar()) {
    return scalar;
  }
  return value(Op::Splat, {{{scalar}}, {}, {function_.type(scalar).with_shape(shape)}, {}});
}

ValueId Builder::broadcast_to(ValueId x, const Shape& shape) {
  const Type type = function_.type(x);
  if (type.shape == shape) {
    return x;
  }
  if (type.is_scalar()) {
    return splat_to(x, shape);
  }
  return value(Op::Broadcast, {{{x}}, {}, {type.with_shape(shape)}, {}});
}

void Builder::yield(std::vector<ValueId> values) {
  create(Op::Yield, {{std::move(values)}, {}, {}, {}});
}

Function make_function(std::string name, std::vector<Param> params) {
  Function function;
  function.name = std::move(name);
  function.params = std::move(params);
  Builder builder(function);
  function.body = builder.make_region({});
  for (const Param& param : function.params) {
    builder.add_region_argument(function.body, param.type, param.name);
  }
  return function;
}

void replace_uses(Function& function, ValueId from, ValueId to) {
  for (Inst& inst : function.insts) {
    std::ranges::replace(inst.operands, from, to);
  }
}

void erase(Function& function, InstId inst) {
  const RegionId parent = function.inst(inst).parent;
  TILERY_CHECK(parent, "an instruction erased twice");
  std::vector<InstId>& insts = function.region(parent).insts;
  insts.erase(std::ranges::find(insts, inst));
  function.inst(inst).parent = RegionId();
  for (const RegionId region : function.inst(inst).regions) {
    for (const InstId nested : std::vector<InstId>(function.region(region).insts)) {
      erase(function, nested);
    }
  }
}

namespace {

/// Copies instructions of one function to another place in it.
class Copier {
 public:
  Copier(Builder& builder, std::vector<ValueId>& map)
      : builder_(builder), function_(builder.function()), map_(map) {}

  [[nodiscard]] ValueId mapped(ValueId id) const {
    const ValueId to = id.index < map_.size() ? map_[id.index] : ValueId();
    return to ? to : id;
  }

  [[nodiscard]] std::vector<ValueId> mapped(std::span<const ValueId> ids) const {
    std::vector<ValueId> result(ids.begin(), ids.end());
    std::ranges::transform(result, result.begin(), [this](ValueId id) { return mapped(id); });
    return result;
  }

  void copy_inst(InstId id) {
    // By value: copying adds to the arrays that references would point into.
    Inst inst = function_.inst(id);
    inst.operands = mapped(inst.operands);
    for (RegionId& region : inst.regions) {
      region = copy_region(region);
    }
    std::vector<Type> types;
    types.reserve(inst.result_count);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      types.push_back(function_.type(inst.result(i)));
    }
    const ValueId first = inst.first_result;
    const std::uint32_t count = inst.result_count;
    const LocId outer_loc = builder_.loc();
    builder_.set_loc(inst.loc);
    const InstId copy = builder_.place(std::move(inst), types);
    builder_.set_loc(outer_loc);
    for (std::uint32_t i = 0; i < count; ++i) {
      record(ValueId(first.index + i), function_.inst(copy).result(i));
    }
  }

 private:
  void record(ValueId from, ValueId to) {
    if (map_.size() <= from.index) {
      map_.resize(function_.values.size());
    }
    map_[from.index] = to;
    function_.value(to).name = function_.value(from).name;
  }

  RegionId copy_region(RegionId from) {
    const RegionId to = builder_.make_region({});
    for (const ValueId arg : std::vector<ValueId>(function_.region(from).args)) {
      record(arg, builder_.add_region_argument(to, function_.type(arg)));
    }
    Builder inner(function_);
    inner.set_region(to);
    Copier copier(inner, map_);
    for (const InstId id : std::vector<InstId>(function_.region(from).insts)) {
      copier.copy_inst(id);
    }
    return to;
  }

  Builder& builder_;
  Function& function_;
  std::vector<ValueId>& map_;
};

}  // namespace

void copy_inst(Builder& builder, InstId inst, std::vector<ValueId>& map) {
  Copier(builder, map).copy_inst(inst);
}

std::vector<ValueId> inline_region(Builder& builder, RegionId region, std::vector<ValueId>& map) {
  const Function& function = builder.function();
  const std::vector<InstId> insts = function.region(region).insts;
  TILERY_CHECK(!insts.empty() && op_def(function.inst(insts.back()).op).is_terminator(),
               "a region without a terminator");
  Copier copier(builder, map);
  for (std::size_t i = 0; i + 1 < insts.size(); ++i) {
    copier.copy_inst(insts[i]);
  }
  return copier.mapped(function.inst(insts.back()).operands);
}

}  // namespace tilery
