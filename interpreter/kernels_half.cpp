// Element-wise ops on fp16 and bf16: widened to fp32, computed, rounded once.
//
// fp32 has more than twice the bits and two to spare, so rounding its correctly rounded sum,
// difference, product or quotient again gives the correctly rounded half result. That fails for
// fma, which rounds to odd first.
#include "interpreter/kernels_half.h"

#include "interpreter/kernels_block.h"
#include "interpreter/kernels_table.h"
#include "ir/math/remainder.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

struct HalfFma {
  static float apply(float a, float b, float c) { return math::half_fma_to_odd(a, b, c); }
};

/// The remainder of two halves is a half, so fp32 does it exactly.
struct HalfRem {
  static constexpr bool kOnLanes = true;

  static float apply(float a, float b) {
    return apply(splat(Lanes<float>{}, a), splat(Lanes<float>{}, b)).v[0];
  }

  static Lanes<float> apply(Lanes<float> a, Lanes<float> b) { return math::remainder(a, b); }
};

struct HalfFloor {
  static float apply(float a) { return __builtin_floorf(a); }
};

struct HalfCeil {
  static float apply(float a) { return __builtin_ceilf(a); }
};

/// F::apply(float…) → float or i1, on operands of type H, as blocks.
template <Scalar H, class F>
struct Halfwise {
  template <std::size_t Count>
  struct Wide {
    alignas(64) float values[Count];

    const float* from(const std::uint16_t* in) {
      widen_block<H, Count>(values, in);
      return values;
    }
  };

  template <class R, class... T>
  static void one(R* out, const T*... in) {
    if constexpr (sizeof(R) == 1) {
      *out = F::apply(widen_one<H>(*in)...);
    } else {
      *out = narrow_one<H>(F::apply(widen_one<H>(*in)...));
    }
  }

  template <std::size_t Count, class R, class... T>
  static void block(R* out, const T*... in) {
    if constexpr (sizeof(R) == 1) {
      run_loop<F>(out, Count, Wide<Count>{}.from(in)...);
    } else {
      alignas(64) float result[Count];
      run_loop<F>(result, Count, Wide<Count>{}.from(in)...);
      narrow_block<H, Count>(out, result);
    }
  }
};

template <Scalar H, class F, class R, class... T>
constexpr MapFn halfwise() {
  return BlockMap<Halfwise<H, F>, R, std::index_sequence_for<T...>, T...>::run;
}

struct ClearSign {
  static std::uint16_t apply(std::uint16_t a) { return a & 0x7FFFU; }
};

struct FlipSign {
  static std::uint16_t apply(std::uint16_t a) { return a ^ 0x8000U; }
};

template <Scalar H>
void fill_type(KernelTables& tables) {
  using U = std::uint16_t;
  using Bit = std::uint8_t;
  const auto set = [&](Op op, MapFn fn) { tables.map[index_of(op)][index_of(H)] = fn; };
  set(Op::Add, halfwise<H, Add, U, U, U>());
  set(Op::Sub, halfwise<H, Sub, U, U, U>());
  set(Op::Mul, halfwise<H, Mul, U, U, U>());
  set(Op::Div, halfwise<H, Div, U, U, U>());
  set(Op::Rem, halfwise<H, HalfRem, U, U, U>());
  set(Op::Fma, halfwise<H, HalfFma, U, U, U, U>());
  set(Op::Minimum, halfwise<H, Minimum, U, U, U>());
  set(Op::Maximum, halfwise<H, Maximum, U, U, U>());
  set(Op::Eq, halfwise<H, Eq, Bit, U, U>());
  set(Op::Ne, halfwise<H, Ne, Bit, U, U>());
  set(Op::Lt, halfwise<H, Lt, Bit, U, U>());
  set(Op::Le, halfwise<H, Le, Bit, U, U>());
  set(Op::Gt, halfwise<H, Gt, Bit, U, U>());
  set(Op::Ge, halfwise<H, Ge, Bit, U, U>());
  set(Op::Floor, halfwise<H, HalfFloor, U, U>());
  set(Op::Ceil, halfwise<H, HalfCeil, U, U>());
  set(Op::Neg, elementwise<FlipSign, U, U>());
  set(Op::Abs, elementwise<ClearSign, U, U>());
  set(Op::Select, elementwise<Select, U, Bit, U, U>());
  tables.minimum_nan[index_of(H)] = halfwise<H, MinimumNan, U, U, U>();
  tables.maximum_nan[index_of(H)] = halfwise<H, MaximumNan, U, U, U>();
}

}  // namespace

void fill_half(KernelTables& tables) {
  fill_type<Scalar::F16>(tables);
  fill_type<Scalar::BF16>(tables);
}

}  // namespace tilery::interpreter::TILERY_ISA
