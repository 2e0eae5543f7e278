#include "interpreter/element_kernel.h"

#include "interpreter/lifetimes.h"
#include "ir/attributes.h"
#include "ir/printer.h"
#include "ir/support/check.h"

#include <algorithm>
#include <limits>

namespace tilery::interpreter {
namespace {

/// Integer division: by zero, and the one quotient that does not fit (its remainder, 0, does).
template <class T, bool is_remainder>
std::size_t division_events(const void* out, const Operand* in, std::size_t n,
                            std::uint8_t* events) {
  (void)out;
  const auto* const lhs = static_cast<const T*>(in[0].data);
  const auto* const rhs = static_cast<const T*>(in[1].data);
  std::size_t first = n;
  for (std::size_t i = n; i-- > 0;) {
    const T divisor = rhs[in[1].is_splat ? 0 : i];
    events[i] = divisor == 0 ? kDivideByZero : kNoEvent;
    if constexpr (std::numeric_limits<T>::is_signed && !is_remainder) {
      const T dividend = lhs[in[0].is_splat ? 0 : i];
      if (divisor == -1 && dividend == std::numeric_limits<T>::min()) {
        events[i] = kOverflow;
      }
    }
    first = events[i] != kNoEvent ? i : first;
  }
  return first;
}

template <bool is_remainder>
EventFn division_events_of(Scalar scalar) {
  const bool is_signed = is_signed_integer(scalar);
  switch (byte_size(scalar)) {
    case 1:
      return is_signed ? division_events<std::int8_t, is_remainder>
                       : division_events<std::uint8_t, is_remainder>;
    case 2:
      return is_signed ? division_events<std::int16_t, is_remainder>
                       : division_events<std::uint16_t, is_remainder>;
    case 4:
      return is_signed ? division_events<std::int32_t, is_remainder>
                       : division_events<std::uint32_t, is_remainder>;
  }
  return is_signed ? division_events<std::int64_t, is_remainder>
                   : division_events<std::uint64_t, is_remainder>;
}

/// An overflow shows in the result of a wide float; an integer or fp8 saturates.
NonfiniteFn guard_of(Scalar scalar) {
  return is_float(scalar) && !is_fp8(scalar) ? kernels().has_nonfinite(scalar) : nullptr;
}

class KernelPlanner {
 public:
  KernelPlanner(Planner& planner, InstId id, std::size_t lanes)
      : planner_(planner), inst_(planner.inst(id)), lanes_(lanes) {
    kernel_.count = static_cast<int>(inst_.operands.size());
    from_ = scalar(inst_.operands.back());
    to_ = scalar(inst_.result());
  }

  ElementKernel run() {
    if (inst_.op == Op::Cast) {
      plan_cast();
    } else {
      plan_map();
    }
    return kernel_;
  }

 private:
  [[nodiscard]] Scalar scalar(ValueId value) const {
    const ElementType element = planner_.function().type(value).element;
    return element.is_pointer() ? Scalar::U64 : element.scalar;
  }

  void plan_cast() {
    const bool to_zero = rounds_toward_zero(inst_);
    kernel_.direct = kernels().cast(from_, to_, to_zero);
    if (kernel_.direct == nullptr && to_zero) {
      kernel_.direct = kernels().cast(from_, to_);
    }
    if (kernel_.direct != nullptr) {
      kernel_.events = kernels().cast_events(from_, to_);
      kernel_.guard = guard_of(to_);
      return;
    }
    kernel_.widen[0] = kernels().cast(from_, Scalar::F32);
    plan_narrow();
  }

  void plan_map() {
    // A select moves bits, whatever they mean.
    const Scalar kernel_type = inst_.op == Op::Select && is_fp8(from_) ? Scalar::U8 : from_;
    kernel_.direct = kernels().map(inst_.op, kernel_type, propagates_nan(inst_));
    if (kernel_.direct != nullptr) {
      plan_events();
      return;
    }
    TILERY_CHECK(is_float(from_) && byte_size(from_) < 4,
                 "no kernel for " + print_inst(planner_.function(),
                                               planner_.function().value(inst_.result()).def));
    std::fill_n(kernel_.widen.begin(), kernel_.count, kernels().cast(from_, Scalar::F32));
    kernel_.wide = kernels().map(inst_.op, Scalar::F32, propagates_nan(inst_));
    kernel_.events = kernels().map_events(inst_.op, Scalar::F32);
    kernel_.guard = nullptr;
    if (is_comparison(inst_.op)) {
      reserve();
    } else {
      plan_narrow();
    }
  }

  void plan_events() {
    if (is_integer(from_) && (inst_.op == Op::IDiv || inst_.op == Op::Rem)) {
      kernel_.events =
          inst_.op == Op::Rem ? division_events_of<true>(from_) : division_events_of<false>(from_);
    } else if (inst_.op != Op::Select && !is_comparison(inst_.op)) {
      kernel_.events = kernels().map_events(inst_.op, from_);
      kernel_.guard = kernels().has_nonfinite(from_);
    }
  }

  void plan_narrow() {
    kernel_.narrow = kernels().cast(Scalar::F32, to_);
    kernel_.narrow_events = kernels().cast_events(Scalar::F32, to_);
    reserve();
  }

  void reserve() {
    for (int i = 0; i < kernel_.count; ++i) {
      kernel_.rooms[i] = planner_.scratch(lanes_ * sizeof(float));
    }
    kernel_.rooms[3] = planner_.scratch(lanes_ * sizeof(float));
    kernel_.narrow_event_bytes = planner_.scratch(lanes_);
  }

  Planner& planner_;
  const Inst& inst_;
  std::size_t lanes_;
  Scalar from_{};
  Scalar to_{};
  ElementKernel kernel_;
};

}  // namespace

void ElementKernel::run(void* out, const Operand* in, std::size_t n, std::byte* scratch) const {
  if (direct != nullptr) {
    direct(out, in, n);
    return;
  }
  std::array<Operand, 3> widened;
  for (int i = 0; i < count; ++i) {
    const std::size_t lanes = in[i].is_splat ? 1 : n;
    widen[i](scratch + rooms[i], &in[i], lanes);
    widened[i] = {scratch + rooms[i], in[i].is_splat};
  }
  Operand result = widened[0];
  if (wide != nullptr) {
    void* const target = narrow == nullptr ? out : scratch + rooms[3];
    wide(target, widened.data(), n);
    result = {target, false};
  }
  if (narrow != nullptr) {
    narrow(out, &result, n);
  }
}

std::size_t ElementKernel::find_events(const void* out, const Operand* in, std::size_t n,
                                       std::uint8_t* found, std::byte* scratch) const {
  if (direct != nullptr) {
    return guard != nullptr && !guard(out, n) ? n : events(out, in, n, found);
  }
  std::array<Operand, 3> widened;
  for (int i = 0; i < count; ++i) {
    widened[i] = {scratch + rooms[i], in[i].is_splat};
  }
  std::size_t first = n;
  std::fill_n(found, n, std::uint8_t{kNoEvent});
  const Operand result = wide == nullptr ? widened[0] : Operand{scratch + rooms[3], false};
  if (wide != nullptr && events != nullptr) {
    first = events(result.data, widened.data(), n, found);
  }
  if (narrow_events != nullptr) {
    auto* const rounded = reinterpret_cast<std::uint8_t*>(scratch + narrow_event_bytes);
    first = std::min(first, narrow_events(out, &result, n, rounded));
    std::transform(found, found + n, rounded, found,
                   [](std::uint8_t a, std::uint8_t b) { return a != kNoEvent ? a : b; });
  }
  return first;
}

ElementKernel plan_element_kernel(Planner& planner, InstId inst, std::size_t lanes) {
  return KernelPlanner(planner, inst, lanes).run();
}

}  // namespace tilery::interpreter
