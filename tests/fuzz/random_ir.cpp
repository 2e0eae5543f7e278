#include "tests/fuzz/random_ir.h"

#include "ir/builder.h"
#include "ir/support/check.h"

#include <algorithm>

namespace tilery {
namespace {

/// SplitMix64: small, and the same everywhere, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  /// From 0 to n - 1.
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }

  bool chance(int percent) { return below(100) < percent; }

  template <class List>
  const auto& pick(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
  }

 private:
  std::uint64_t state_;
};

constexpr Scalar kScalars[] = {Scalar::I1,   Scalar::I8,  Scalar::I16, Scalar::I32, Scalar::I64,
                               Scalar::U8,   Scalar::U16, Scalar::U32, Scalar::U64, Scalar::F16,
                               Scalar::BF16, Scalar::F32, Scalar::F64};
constexpr Scalar kIntegers[] = {Scalar::I1, Scalar::I8,  Scalar::I16, Scalar::I32, Scalar::I64,
                                Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64};
constexpr Scalar kFloats[] = {Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64};
constexpr Scalar kBufferScalars[] = {Scalar::F32, Scalar::I32, Scalar::F16, Scalar::I8,
                                     Scalar::I64};
// Also extents of 1, and some that are no power of two.
const Shape kShapes[] = {{}, {8}, {5}, {4, 8}, {4, 1}, {1, 8}, {3, 5}, {2, 3, 4}};

constexpr int kMaxDepth = 3;

class Generator {
 public:
  Generator(std::uint64_t seed, int size, bool is_traced)
      : random_(seed), size_(size), is_traced_(is_traced) {}

  Function run() {
    std::vector<Param> params;
    for (const Scalar scalar : kBufferScalars) {
      params.push_back({"p_" + std::string(ir_name(scalar)), ElementType(scalar, 1), {}, {}});
    }
    params[0].facts.divisible_by_16 = true;
    params.push_back({"n", Scalar::I32, {random_.chance(50), random_.chance(20)}, {}});
    params.push_back({"x", Scalar::F32, {}, {}});
    const std::size_t first_trace = params.size();
    for (std::size_t i = 0; is_traced_ && i < std::size(kScalars); ++i) {
      params.push_back(
          {"all_" + std::string(ir_name(kScalars[i])), ElementType(kScalars[i], 1), {}, {}});
    }
    function_ = make_function("random", std::move(params));
    builder_.set_region(function_.body);
    pool_ = function_.region(function_.body).args;
    pool_.resize(first_trace);
    make_many(size_);
    for (int i = 0; i < 3; ++i) {
      make_store();
    }
    for (std::size_t i = 0; is_traced_ && i < std::size(kScalars); ++i) {
      store_all(kScalars[i], function_.region(function_.body).args[first_trace + i]);
    }
    builder_.yield({});
    return std::move(function_);
  }

 private:
  using Maker = void (Generator::*)();

  void make_many(int count) {
    static constexpr Maker kMakers[] = {
        &Generator::make_map,       &Generator::make_map,         &Generator::make_map,
        &Generator::make_map,       &Generator::make_map,         &Generator::make_program,
        &Generator::make_constant,  &Generator::make_arange,      &Generator::make_splat,
        &Generator::make_broadcast, &Generator::make_expand_dims, &Generator::make_reshape,
        &Generator::make_trans,     &Generator::make_cast,        &Generator::make_bitcast,
        &Generator::make_load,      &Generator::make_load,        &Generator::make_store,
        &Generator::make_barrier,   &Generator::make_fold,        &Generator::make_fold,
        &Generator::make_dot,       &Generator::make_for,         &Generator::make_while,
        &Generator::make_if,        &Generator::make_hint,        &Generator::make_print,
        &Generator::make_assert,
    };
    for (int i = 0; i < count; ++i) {
      (this->*random_.pick(kMakers))();
    }
  }

  /// One value of this element type after the other.
  void store_all(Scalar scalar, ValueId base) {
    std::int64_t next = 0;
    for (const ValueId value : pool_) {
      const Type type = function_.type(value);
      if (!type.element.is(scalar) || next + type.numel() > kRandomTraceElements) {
        continue;
      }
      const ValueId range =
          builder_.value(Op::Arange, {{}, {{"start", next}, {"end", next + type.numel()}}, {}, {}});
      const ValueId flat =
          builder_.value(Op::Reshape, {{{value}}, {}, {type.with_shape({type.numel()})}, {}});
      const ValueId places =
          builder_.map(Op::AddPtr, {builder_.splat_to(base, {type.numel()}), range});
      builder_.create(Op::Store, {{{places}, {flat}, {}}, {}, {}, {}});
      next += type.numel();
    }
  }

  // ---- values -----------------------------------------------------------------------------------

  Type random_type() { return {random_.pick(kScalars), random_.pick(kShapes)}; }

  /// Keeps a new value for later use, often with a name, which need not be unique.
  ValueId keep(ValueId value) {
    static constexpr const char* kNames[] = {"x", "acc", "mask", "x.1", "größe", "row_2"};
    if (random_.chance(40)) {
      function_.value(value).name = random_.pick(kNames);
    }
    pool_.push_back(value);
    return value;
  }

  ValueId constant(Type type) {
    const int width = type.is_pointer() ? 64 : bit_width(type.element.scalar);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
    if (type.is_pointer() || random_.chance(20)) {
      return builder_.constant_bits(type, type.is_pointer() ? 0 : random_.bits() & mask);
    }
    static constexpr double kNumbers[] = {0.0, 1.0, -1.0, 0.5, 2.0, 3.25, -7.0, 100.0};
    return builder_.constant_float(type, random_.pick(kNumbers));
  }

  /// A value of this very type: one there is, or a new one.
  ValueId value_of(Type type) {
    std::vector<ValueId> fitting;
    std::ranges::copy_if(pool_, std::back_inserter(fitting),
                         [&](ValueId value) { return function_.type(value) == type; });
    return !fitting.empty() && random_.chance(80) ? random_.pick(fitting) : constant(type);
  }

  /// Any number that there is.
  ValueId any_number() {
    std::vector<ValueId> numbers;
    std::ranges::copy_if(pool_, std::back_inserter(numbers),
                         [&](ValueId value) { return !function_.type(value).is_pointer(); });
    return random_.pick(numbers);
  }

  // ---- makers: one for an op or a group of ops ----

  /// Any Map op but the conversions: operands are chosen to fit the row's patterns.
  void make_map() {
    std::vector<const OpDef*> maps;
    for (const OpDef& def : all_ops()) {
      if (def.is_map() && def.op != Op::Cast && def.op != Op::Bitcast) {
        maps.push_back(&def);
      }
    }
    const OpDef& def = *random_.pick(maps);
    const Shape shape = random_.pick(kShapes);
    // One element type for all letters of the row suffices: no Map op has two.
    const Scalar scalar = scalar_for(def);
    InstSpec spec;
    for (const ValuePattern& pattern : def.operand_patterns()) {
      const bool is_fixed = pattern.element_letter == '\0';
      const auto element =
          is_fixed ? static_cast<Scalar>(__builtin_ctz(pattern.scalar_set)) : scalar;
      spec.groups.push_back({value_of({element, shape})});
    }
    for (const AttrPattern& attr : def.attr_patterns()) {
      if (attr.kind == AttrKind::Bool && random_.chance(50)) {
        spec.attrs.emplace_back(attr.name, true);
      }
    }
    keep(builder_.value(def.op, std::move(spec)));
  }

  Scalar scalar_for(const OpDef& def) {
    for (const ValuePattern& pattern : def.operand_patterns()) {
      if (pattern.element_letter == '\0') {
        continue;
      }
      if (pattern.element_class == ElementClass::Float) {
        return random_.pick(kFloats);
      }
      if (pattern.element_class == ElementClass::Integer) {
        return random_.pick(kIntegers);
      }
      if (pattern.element_class == ElementClass::Set) {
        Scalar scalar = random_.pick(kScalars);
        while ((pattern.scalar_set >> static_cast<int>(scalar) & 1U) == 0) {
          scalar = random_.pick(kScalars);
        }
        return scalar;
      }
    }
    return random_.pick(kScalars);
  }

  void make_program() {
    const Op op = random_.chance(50) ? Op::ProgramId : Op::NumPrograms;
    keep(builder_.value(op, {{}, {{"axis", std::int64_t{random_.below(3)}}}, {}, {}}));
  }

  void make_constant() { keep(constant(random_type())); }

  void make_arange() {
    const std::int64_t start = random_.below(20) - 10;
    static constexpr int kCounts[] = {1, 5, 8};
    const std::int64_t end = start + random_.pick(kCounts);
    keep(builder_.value(Op::Arange, {{}, {{"start", start}, {"end", end}}, {}, {}}));
  }

  void make_splat() {
    keep(builder_.splat_to(value_of(random_.pick(kScalars)), random_.pick(kShapes)));
  }

  void make_broadcast() {
    const Type column(random_.pick(kScalars), random_.chance(50) ? Shape{4, 1} : Shape{1, 8});
    keep(builder_.broadcast_to(value_of(column), {4, 8}));
  }

  void make_expand_dims() {
    const ValueId x = any_number();
    const int rank = function_.type(x).shape.rank();
    if (rank < 4) {
      const std::int64_t axis = random_.below(rank + 1);
      keep(builder_.value(Op::ExpandDims, {{{x}}, {{"axis", axis}}, {}, {}}));
    }
  }

  void make_reshape() {
    const ValueId x = any_number();
    const Type type = function_.type(x);
    const Shape flat{type.numel()};
    keep(builder_.value(Op::Reshape, {{{x}}, {}, {type.with_shape(flat)}, {}}));
  }

  void make_trans() {
    const ValueId x = any_number();
    std::vector<std::int64_t> order;
    for (int axis = 0; axis < function_.type(x).shape.rank(); ++axis) {
      order.insert(order.begin() + random_.below(axis + 1), axis);
    }
    keep(builder_.value(Op::Trans, {{{x}}, {{"order", std::move(order)}}, {}, {}}));
  }

  void make_cast() {
    const ValueId x = any_number();
    const Scalar from = function_.type(x).element.scalar;
    const Scalar to = random_.pick(kScalars);
    const bool narrows = is_float(from) && is_float(to) && bit_width(to) < bit_width(from);
    keep(builder_.cast(x, to, narrows && random_.chance(30)));
  }

  void make_bitcast() {
    const ValueId x = any_number();
    const Scalar from = function_.type(x).element.scalar;
    std::vector<Scalar> same;
    std::ranges::copy_if(kScalars, std::back_inserter(same), [&](Scalar scalar) {
      const bool shows_nan = is_traced_ && is_float(from) && !is_float(scalar);
      return bit_width(scalar) == bit_width(from) && !shows_nan;
    });
    keep(builder_.bitcast(x, random_.pick(same)));
  }

  /// Pointers into a parameter's buffer: a base, moved by `offset & (size - 1)`.
  ValueId pointers(int buffer, const Shape& shape) {
    const ValueId base = function_.region(function_.body).args[static_cast<std::size_t>(buffer)];
    const Type offset(random_.chance(70) ? Scalar::I32 : Scalar::I64, shape);
    const ValueId limit = builder_.constant_int(offset, kRandomBufferElements - 1);
    const ValueId inside = builder_.map(Op::And, {value_of(offset), limit});
    return builder_.map(Op::AddPtr, {builder_.splat_to(base, shape), inside});
  }

  std::vector<ValueId> maybe(Type type) {
    return random_.chance(50) ? std::vector<ValueId>{value_of(type)} : std::vector<ValueId>();
  }

  void make_load() {
    const int buffer = random_.below(static_cast<int>(std::size(kBufferScalars)));
    const Shape shape = random_.pick(kShapes);
    const ValueId ptr = pointers(buffer, shape);
    InstSpec spec{{{ptr}, maybe({Scalar::I1, shape})}, {}, {}, {}};
    if (!spec.groups[1].empty()) {
      spec.groups.push_back(maybe({kBufferScalars[buffer], shape}));
    }
    if (random_.chance(20)) {
      spec.attrs.emplace_back("volatile", true);
      spec.attrs.emplace_back("cache", std::string(".cg"));
    }
    keep(builder_.value(Op::Load, std::move(spec)));
  }

  void make_store() {
    const int buffer = random_.below(static_cast<int>(std::size(kBufferScalars)));
    const Shape shape = random_.pick(kShapes);
    const ValueId ptr = pointers(buffer, shape);
    const ValueId value = value_of({kBufferScalars[buffer], shape});
    builder_.create(Op::Store, {{{ptr}, {value}, maybe({Scalar::I1, shape})}, {}, {}, {}});
  }

  void make_barrier() { builder_.create(Op::DebugBarrier, {}); }

  /// A reduce or a scan of one or two tiles.
  void make_fold() {
    static const Shape kFolded[] = {{8}, {5}, {4, 8}, {2, 3, 4}};
    const Shape shape = random_.pick(kFolded);
    std::vector<ValueId> tiles = {value_of({random_.pick(kScalars), shape})};
    if (random_.chance(40)) {
      tiles.push_back(value_of({random_.pick(kScalars), shape}));
    }
    const RegionId region = combine_region(tiles);
    InstSpec spec{{tiles}, {{"axis", std::int64_t{random_.below(shape.rank())}}}, {}, {region}};
    const bool is_scan = random_.chance(50);
    if (is_scan) {
      spec.attrs.emplace_back("reverse", random_.chance(50));
    }
    keep_results(builder_.create(is_scan ? Op::Scan : Op::Reduce, std::move(spec)));
  }

  RegionId combine_region(const std::vector<ValueId>& tiles) {
    std::vector<Type> types;
    for (int side = 0; side < 2; ++side) {
      for (const ValueId tile : tiles) {
        types.emplace_back(function_.type(tile).element);
      }
    }
    const RegionId region = builder_.make_region(types);
    const RegionId outer = builder_.region();
    builder_.set_region(region);
    static constexpr Op kCombines[] = {Op::Add, Op::Maximum, Op::Minimum, Op::Mul};
    std::vector<ValueId> results;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const std::vector<ValueId>& args = function_.region(region).args;
      results.push_back(builder_.map(random_.pick(kCombines), {args[i], args[i + tiles.size()]}));
    }
    builder_.yield(results);
    builder_.set_region(outer);
    return region;
  }

  void keep_results(InstId inst) {
    for (std::uint32_t i = 0; i < function_.inst(inst).result_count; ++i) {
      keep(function_.inst(inst).result(i));
    }
  }

  void make_dot() {
    const bool integers = random_.chance(30);
    const Scalar in = integers ? Scalar::I8 : random_.pick(kFloats);
    const Scalar out = integers ? Scalar::I32 : in == Scalar::F64 ? Scalar::F64 : Scalar::F32;
    const ValueId a = value_of({in, {4, 8}});
    const ValueId b = value_of({in, {8, 5}});
    const ValueId acc = value_of({out, {4, 5}});
    const std::int64_t precision = random_.below(3);
    keep(builder_.value(Op::Dot, {{{a}, {b}, {acc}}, {{"precision", precision}}, {}, {}}));
  }

  // ---- control flow: what a region defines is forgotten at its end ----

  std::vector<ValueId> random_values() {
    std::vector<ValueId> values;
    for (int i = random_.below(3); i > 0; --i) {
      values.push_back(any_number());
    }
    return values;
  }

  std::vector<Type> types_of(const std::vector<ValueId>& values) const {
    std::vector<Type> types;
    for (const ValueId value : values) {
      types.push_back(function_.type(value));
    }
    return types;
  }

  /// Fills a region with a few instructions and ends it by `end`, which gets the region's
  /// arguments.
  template <class End>
  void fill(RegionId region, End end) {
    const RegionId outer = builder_.region();
    const std::size_t kept = pool_.size();
    builder_.set_region(region);
    const std::vector<ValueId> args = function_.region(region).args;
    pool_.insert(pool_.end(), args.begin(), args.end());
    ++depth_;
    make_many(depth_ < kMaxDepth ? 1 + random_.below(5) : 0);
    --depth_;
    end(args);
    pool_.resize(kept);
    builder_.set_region(outer);
  }

  std::vector<ValueId> values_of(std::span<const Type> types) {
    std::vector<ValueId> values;
    for (const Type& type : types) {
      values.push_back(value_of(type));
    }
    return values;
  }

  void make_for() {
    const Type index(random_.chance(80) ? Scalar::I32 : Scalar::I64);
    std::vector<ValueId> init = random_values();
    const bool has_exit = random_.chance(30);
    if (has_exit) {
      init.insert(init.begin(), value_of(Scalar::I1));
    }
    const std::vector<Type> carried = types_of(init);
    std::vector<Type> args = carried;
    args.insert(args.begin(), index);
    const RegionId body = builder_.make_region(args);
    fill(body, [&](const std::vector<ValueId>& /*args*/) { builder_.yield(values_of(carried)); });
    const ValueId lower = builder_.constant_int(index, random_.below(3));
    const ValueId upper = builder_.constant_int(index, random_.below(5));
    const ValueId step = builder_.constant_int(index, 1);
    InstSpec spec{{{lower}, {upper}, {step}, init}, {{"has_exit", has_exit}}, {}, {body}};
    if (random_.chance(30)) {
      spec.attrs.emplace_back("stages", std::int64_t{3});
    }
    keep_results(builder_.create(Op::For, std::move(spec)));
  }

  /// The first carried value counts up to a constant.
  void make_while() {
    std::vector<ValueId> init = random_values();
    init.insert(init.begin(), builder_.constant_int(Scalar::I32, 0));
    const std::vector<Type> carried = types_of(init);
    const RegionId cond = builder_.make_region(carried);
    fill(cond, [&](const std::vector<ValueId>& args) {
      const ValueId limit = builder_.constant_int(Scalar::I32, random_.below(5));
      builder_.create(Op::Condition,
                      {{{builder_.map(Op::Lt, {args[0], limit})}, args}, {}, {}, {}});
    });
    const RegionId body = builder_.make_region(carried);
    fill(body, [&](const std::vector<ValueId>& args) {
      std::vector<ValueId> next = values_of(carried);
      next[0] = builder_.map(Op::Add, {args[0], builder_.constant_int(Scalar::I32, 1)});
      builder_.yield(std::move(next));
    });
    keep_results(builder_.create(Op::While, {{init}, {}, {}, {cond, body}}));
  }

  void make_if() {
    const std::vector<Type> types = types_of(random_values());
    const auto branch = [&] {
      const RegionId region = builder_.make_region({});
      fill(region, [&](const std::vector<ValueId>& /*args*/) { builder_.yield(values_of(types)); });
      return region;
    };
    const RegionId then = branch();
    const RegionId other = branch();
    const ValueId condition = value_of(Scalar::I1);
    keep_results(builder_.create(Op::If, {{{condition}}, {}, {}, {then, other}}));
  }

  // ---- hints and debugging ----

  /// Promises that hold for every value: multiples of 1, runs of 1.
  void make_hint() {
    if (random_.chance(20)) {
      const ValueId yes = builder_.constant_int(Scalar::I1, 1);
      builder_.create(Op::Assume, {{{yes}}, {}, {}, {}});
      return;
    }
    static constexpr Op kHints[] = {Op::MultipleOf, Op::MaxContiguous, Op::MaxConstancy};
    const ValueId x = any_number();
    const int rank = std::max(function_.type(x).shape.rank(), 1);
    std::vector<std::int64_t> ones(static_cast<std::size_t>(rank), 1);
    keep(builder_.value(random_.pick(kHints), {{{x}}, {{"values", std::move(ones)}}, {}, {}}));
  }

  void make_print() {
    InstSpec spec{{random_values()}, {{"prefix", std::string("say \"x\\y\":\t")}}, {}, {}};
    if (random_.chance(30)) {
      spec.attrs.emplace_back("hex", true);
    }
    builder_.create(Op::DevicePrint, std::move(spec));
  }

  /// An assertion that holds, since a program that stops tells a test little.
  void make_assert() {
    const Shape shape = random_.pick(kShapes);
    const ValueId yes = builder_.constant_int({Scalar::I1, shape}, 1);
    InstSpec spec{{{yes}, maybe({Scalar::I1, shape})}, {}, {}, {}};
    if (random_.chance(50)) {
      spec.attrs.emplace_back("message", std::string("line\nbreak \x01"));
    }
    builder_.create(Op::DeviceAssert, std::move(spec));
  }

  Random random_;
  int size_;
  bool is_traced_;
  Function function_;
  Builder builder_{function_};
  /// Values that may be used here.
  std::vector<ValueId> pool_;
  int depth_ = 0;
};

}  // namespace

Function random_function(std::uint64_t seed, int size) {
  return Generator(seed, size, false).run();
}

Function random_traced_function(std::uint64_t seed, int size) {
  return Generator(seed, size, true).run();
}

}  // namespace tilery
