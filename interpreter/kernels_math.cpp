// The math functions of fp32 and fp64: the templates of ir/math on SIMD registers.
#include "interpreter/kernels_block.h"
#include "interpreter/kernels_table.h"
#include "ir/math/erf.h"
#include "ir/math/exp.h"
#include "ir/math/log.h"
#include "ir/math/remainder.h"
#include "ir/math/rsqrt.h"
#include "ir/math/trig.h"

namespace tilery::interpreter::TILERY_ISA {
namespace {

struct ExpLanes {
  template <class V>
  static V apply(V x) {
    return math::exp(x);
  }
};

struct Exp2Lanes {
  template <class V>
  static V apply(V x) {
    return math::exp2(x);
  }
};

struct LogLanes {
  template <class V>
  static V apply(V x) {
    return math::log(x);
  }
};

struct Log2Lanes {
  template <class V>
  static V apply(V x) {
    return math::log2(x);
  }
};

struct SinLanes {
  template <class V>
  static V apply(V x) {
    return math::sin(x);
  }
};

struct CosLanes {
  template <class V>
  static V apply(V x) {
    return math::cos(x);
  }
};

struct ErfLanes {
  template <class V>
  static V apply(V x) {
    return math::erf(x);
  }
};

struct RsqrtLanes {
  template <class V>
  static V apply(V x) {
    return math::rsqrt(x);
  }
};

struct SqrtLanes {
  template <class V>
  static V apply(V x) {
    return sqrt(x);
  }
};

struct FloorLanes {
  template <class V>
  static V apply(V x) {
    return floor(x);
  }
};

struct CeilLanes {
  template <class V>
  static V apply(V x) {
    return ceil(x);
  }
};

struct RemainderLanes {
  template <class V>
  static V apply(V x, V y) {
    return math::remainder(x, y);
  }
};

struct FmaLanes {
  template <class V>
  static V apply(V a, V b, V c) {
    return fma(a, b, c);
  }
};

template <class T>
void fill_type(KernelTables& tables, Scalar dtype) {
  const auto set = [&](Op op, MapFn fn) { tables.map[index_of(op)][index_of(dtype)] = fn; };
  set(Op::Exp, lanewise<ExpLanes, T, T>());
  set(Op::Exp2, lanewise<Exp2Lanes, T, T>());
  set(Op::Log, lanewise<LogLanes, T, T>());
  set(Op::Log2, lanewise<Log2Lanes, T, T>());
  set(Op::Sin, lanewise<SinLanes, T, T>());
  set(Op::Cos, lanewise<CosLanes, T, T>());
  set(Op::Erf, lanewise<ErfLanes, T, T>());
  set(Op::Rsqrt, lanewise<RsqrtLanes, T, T>());
  set(Op::Sqrt, lanewise<SqrtLanes, T, T>());
  set(Op::Floor, lanewise<FloorLanes, T, T>());
  set(Op::Ceil, lanewise<CeilLanes, T, T>());
  set(Op::Rem, lanewise<RemainderLanes, T, T, T>());
  set(Op::Fma, lanewise<FmaLanes, T, T, T, T>());
}

}  // namespace

void fill_math(KernelTables& tables) {
  fill_type<float>(tables, Scalar::F32);
  fill_type<double>(tables, Scalar::F64);
}

}  // namespace tilery::interpreter::TILERY_ISA
