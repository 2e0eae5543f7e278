// Numeric events: where an overflow, an invalid operation or a division by zero gave a result.
#include "interpreter/kernels_half.h"
#include "interpreter/kernels_ops.h"
#include "interpreter/kernels_table.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

// ---- is there anything to look at? ----

template <class U, U kExponent>
bool has_nonfinite(const void* data, std::size_t n) {
  const U* x = static_cast<const U*>(data);
  U found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    found = static_cast<U>(found | ((x[i] & kExponent) == kExponent ? 1 : 0));
  }
  return found != 0;
}

// ---- what it was ----

/// How an element of type S is read for classification.
template <Scalar S>
struct Reader {
  using Cell = std::uint16_t;

  static float read(Cell x) { return S == Scalar::BF16 ? f32_from_bf16(x) : f32_from_f16(x); }
};

template <>
struct Reader<Scalar::F32> {
  using Cell = float;

  static float read(Cell x) { return x; }
};

template <>
struct Reader<Scalar::F64> {
  using Cell = double;

  static double read(Cell x) { return x; }
};

template <class T>
bool is_nan(T x) {
  return x != x;
}

template <class T>
bool is_infinite(T x) {
  return x - x != T(0) && x == x;
}

template <class T>
bool is_finite(T x) {
  return x - x == T(0);
}

/// The number of the first lane with an event.
std::size_t first_event(const std::uint8_t* events, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (events[i] != kNoEvent) {
      return i;
    }
  }
  return n;
}

/// What an infinity made of finite operands is called.
struct AlwaysOverflow {
  template <class... T>
  static bool is_division(T... /*operands*/) {
    return false;
  }
};

struct DividesByLast {
  template <class T>
  static bool is_division(T /*dividend*/, T divisor) {
    return divisor == T(0);
  }
};

struct DividesAtZero {
  template <class T>
  static bool is_division(T x) {
    return x == T(0);
  }
};

template <class Rule, class T, class... Operands>
std::uint8_t classify(T result, Operands... operands) {
  const bool all_finite = (is_finite(operands) && ...);
  const bool any_nan = (is_nan(operands) || ...);
  if (is_infinite(result) && all_finite) {
    return Rule::is_division(operands...) ? kDivideByZero : kOverflow;
  }
  return is_nan(result) && !any_nan ? kInvalid : kNoEvent;
}

template <Scalar S, class Rule, std::size_t... I>
std::size_t map_events(const void* out, const Operand* in, std::size_t n, std::uint8_t* events) {
  using R = Reader<S>;
  using Cell = typename R::Cell;
  const Cell* result = static_cast<const Cell*>(out);
  const Cell* operands[] = {static_cast<const Cell*>(in[I].data)...};
  const std::size_t steps[] = {(in[I].is_splat ? std::size_t{0} : std::size_t{1})...};
  for (std::size_t i = 0; i < n; ++i) {
    events[i] = classify<Rule>(R::read(result[i]), R::read(operands[I][i * steps[I]])...);
  }
  return first_event(events, n);
}

/// Float to narrower float.
template <Scalar From, Scalar To>
std::size_t narrowing_events(const void* out, const Operand* in, std::size_t n,
                             std::uint8_t* events) {
  const auto* source = static_cast<const typename Reader<From>::Cell*>(in[0].data);
  const auto* result = static_cast<const typename Reader<To>::Cell*>(out);
  const std::size_t step = in[0].is_splat ? 0 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_event =
        is_infinite(Reader<To>::read(result[i])) && is_finite(Reader<From>::read(source[i * step]));
    events[i] = is_event ? kOverflow : kNoEvent;
  }
  return first_event(events, n);
}

/// Float to integer: NaN, or not within the type when truncated.
template <Scalar From, class To>
std::size_t truncation_events(const void* /*out*/, const Operand* in, std::size_t n,
                              std::uint8_t* events) {
  constexpr bool kIsSigned = std::is_signed_v<To>;
  constexpr int kBits = static_cast<int>(sizeof(To) * 8) - (kIsSigned ? 1 : 0);
  constexpr double kEnd = double(std::uint64_t{1} << (kBits - 1)) * 2;
  constexpr double kLow = kIsSigned ? -kEnd : 0.0;
  // Below 64 bits a little less than the least still truncates to it; doubles near -2^63 are whole
  // anyway.
  constexpr double kSlack = sizeof(To) < 8 || !kIsSigned ? 1.0 : 2048.0;
  const auto* source = static_cast<const typename Reader<From>::Cell*>(in[0].data);
  const std::size_t step = in[0].is_splat ? 0 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = static_cast<double>(Reader<From>::read(source[i * step]));
    events[i] = x < kEnd && x > kLow - kSlack ? kNoEvent : kInvalid;
  }
  return first_event(events, n);
}

template <Scalar S>
std::size_t reduce_events(const void* out, const void* in, const AxisView& view,
                          std::uint8_t* events) {
  using R = Reader<S>;
  const auto* result = static_cast<const typename R::Cell*>(out);
  const auto* x = static_cast<const typename R::Cell*>(in);
  const std::size_t count = view.outer * view.inner;
  for (std::size_t i = 0; i < count; ++i) {
    events[i] = kNoEvent;
    const auto value = R::read(result[i]);
    if (is_finite(value)) {
      continue;
    }
    const auto* column = x + ((i / view.inner) * view.length * view.inner) + (i % view.inner);
    bool all_finite = true;
    bool any_nan = false;
    for (std::size_t k = 0; k < view.length; ++k) {
      const auto element = R::read(column[k * view.inner]);
      all_finite = all_finite && is_finite(element);
      any_nan = any_nan || is_nan(element);
    }
    if (is_infinite(value) && all_finite) {
      events[i] = kOverflow;
    } else if (is_nan(value) && !any_nan) {
      events[i] = kInvalid;
    }
  }
  return first_event(events, count);
}

template <Scalar S>
void fill_type(KernelTables& tables) {
  const auto set = [&](Op op, EventFn fn) { tables.map_events[index_of(op)][index_of(S)] = fn; };
  set(Op::Add, map_events<S, AlwaysOverflow, 0, 1>);
  set(Op::Sub, map_events<S, AlwaysOverflow, 0, 1>);
  set(Op::Mul, map_events<S, AlwaysOverflow, 0, 1>);
  set(Op::Div, map_events<S, DividesByLast, 0, 1>);
  set(Op::Rem, map_events<S, AlwaysOverflow, 0, 1>);
  set(Op::Fma, map_events<S, AlwaysOverflow, 0, 1, 2>);
  for (const Op op : {Op::Sqrt, Op::Exp, Op::Exp2, Op::Sin, Op::Cos}) {
    set(op, map_events<S, AlwaysOverflow, 0>);
  }
  for (const Op op : {Op::Rsqrt, Op::Log, Op::Log2}) {
    set(op, map_events<S, DividesAtZero, 0>);
  }
  tables.reduce_events[index_of(S)] = reduce_events<S>;
  const auto set_cast = [&](Scalar to, EventFn fn) {
    tables.cast_events[index_of(S)][index_of(to)] = fn;
  };
  set_cast(Scalar::I8, truncation_events<S, std::int8_t>);
  set_cast(Scalar::I16, truncation_events<S, std::int16_t>);
  set_cast(Scalar::I32, truncation_events<S, std::int32_t>);
  set_cast(Scalar::I64, truncation_events<S, std::int64_t>);
  set_cast(Scalar::U8, truncation_events<S, std::uint8_t>);
  set_cast(Scalar::U16, truncation_events<S, std::uint16_t>);
  set_cast(Scalar::U32, truncation_events<S, std::uint32_t>);
  set_cast(Scalar::U64, truncation_events<S, std::uint64_t>);
}

template <Scalar From, Scalar To>
void fill_narrowing(KernelTables& tables) {
  tables.cast_events[index_of(From)][index_of(To)] = narrowing_events<From, To>;
}

}  // namespace

void fill_events(KernelTables& tables) {
  fill_type<Scalar::F16>(tables);
  fill_type<Scalar::BF16>(tables);
  fill_type<Scalar::F32>(tables);
  fill_type<Scalar::F64>(tables);
  fill_narrowing<Scalar::F64, Scalar::F32>(tables);
  fill_narrowing<Scalar::F64, Scalar::F16>(tables);
  fill_narrowing<Scalar::F64, Scalar::BF16>(tables);
  fill_narrowing<Scalar::F32, Scalar::F16>(tables);
  fill_narrowing<Scalar::F32, Scalar::BF16>(tables);
  fill_narrowing<Scalar::BF16, Scalar::F16>(tables);
  fill_narrowing<Scalar::F16, Scalar::BF16>(tables);
  tables.nonfinite[index_of(Scalar::F16)] = has_nonfinite<std::uint16_t, 0x7C00U>;
  tables.nonfinite[index_of(Scalar::BF16)] = has_nonfinite<std::uint16_t, 0x7F80U>;
  tables.nonfinite[index_of(Scalar::F32)] = has_nonfinite<std::uint32_t, 0x7F800000U>;
  tables.nonfinite[index_of(Scalar::F64)] = has_nonfinite<std::uint64_t, 0x7FF0000000000000U>;
}

}  // namespace tilery::interpreter::TILERY_ISA
