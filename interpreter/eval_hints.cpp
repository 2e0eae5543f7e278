// The hints multiple_of, max_contiguous and max_constancy: promises of the kernel's author, on
// which the GPU's code relies, so a false one is a finding.
//
// `max_contiguous` and `max_constancy` speak of runs: along an axis, each `n` values from a
// multiple of n on count up by one, or are equal. `multiple_of` speaks of the first value of every
// run of consecutive values, so `multiple_of(16)` holds for 0, 1, 2 … and for 0, 16, 32 …, but not
// for 0, 3, 6 …. Pointers count in elements for the runs and in bytes for the multiples.
//
// Lanes that a mask left undefined promise nothing: Fast cannot tell, and leaves the word to
// Tracked.
#include "interpreter/check/report.h"
#include "interpreter/check/shadow.h"
#include "interpreter/eval.h"
#include "interpreter/state.h"
#include "ir/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilery::interpreter {
namespace {

/// Buffers are aligned to this at least; what is promised beyond it is the allocator's to keep.
constexpr std::int64_t kKnownAlignment = 16;

struct HintStep {
  SlotRef value;
  Op hint{};
  std::vector<std::int64_t> values;
  std::int64_t unit = 1;  ///< what "the next value" is: 1, or the bytes of a pointer's element
  bool is_pointer = false;
};

std::int64_t promised(const HintStep& data, int axis) {
  const std::int64_t value = data.values[static_cast<std::size_t>(axis)];
  return data.is_pointer && data.hint == Op::MultipleOf ? std::gcd(value, kKnownAlignment) : value;
}

/// The values of the tile, however it is held, and which of them count.
class Lanes {
 public:
  Lanes(ProgramState& state, const SlotRef& ref)
      : ref_(ref),
        data_(bytes(state, ref)),
        slot_(slot(state, ref)),
        line_(ref.kind == SlotKind::Affine ? &affine(state, ref) : nullptr) {
    std::size_t step = 1;
    for (int axis = ref.shape.rank() - 1; axis >= 0; --axis) {
      steps_[axis] = step;
      step *= static_cast<std::size_t>(ref.shape[axis]);
    }
  }

  [[nodiscard]] std::size_t coordinate(std::size_t lane, int axis) const {
    return lane / steps_[axis] % static_cast<std::size_t>(ref_.shape[axis]);
  }

  [[nodiscard]] std::size_t before(std::size_t lane, int axis) const { return lane - steps_[axis]; }

  [[nodiscard]] std::int64_t value(std::size_t lane) const {
    if (line_ == nullptr) {
      return read_int(data_ + (ref_.is_splat() ? 0 : lane * ref_.width), ref_.scalar);
    }
    std::int64_t result = line_->base;
    for (int axis = 0; axis < ref_.shape.rank(); ++axis) {
      result += static_cast<std::int64_t>(coordinate(lane, axis)) * line_->stride[axis];
    }
    return result;
  }

  [[nodiscard]] bool is_defined(std::size_t lane) const {
    return line_ != nullptr || undefined_of(slot_, ref_, lane) == 0;
  }

  /// Number of lanes to look at. A splat or affine tile shows all it has to show in the first two
  /// of each axis.
  [[nodiscard]] std::size_t telling() const {
    return ref_.kind == SlotKind::Dense ? ref_.lanes : std::size_t{1} << ref_.shape.rank();
  }

  /// The i-th of them; one that does not exist is lane 0 once more.
  [[nodiscard]] std::size_t telling(std::size_t i) const {
    if (ref_.kind == SlotKind::Dense) {
      return i;
    }
    std::size_t lane = 0;
    for (int axis = 0; axis < ref_.shape.rank(); ++axis) {
      lane += (i >> axis & 1U) != 0 && ref_.shape[axis] > 1 ? steps_[axis] : 0;
    }
    return lane;
  }

 private:
  const SlotRef& ref_;
  const std::byte* data_;
  const SlotState& slot_;
  const Affine* line_;
  std::size_t steps_[Shape::kMaxRank] = {};
};

/// How one lane breaks the promise along an axis, or nothing.
std::optional<std::string> broken_at(const HintStep& data, const Lanes& lanes, std::size_t lane,
                                     int axis) {
  const std::int64_t promise = promised(data, axis);
  const std::size_t at = data.value.shape.rank() == 0 ? 0 : lanes.coordinate(lane, axis);
  const bool has_previous = at > 0 && lanes.is_defined(lanes.before(lane, axis));
  const std::int64_t value = lanes.value(lane);
  const std::int64_t step = has_previous ? value - lanes.value(lanes.before(lane, axis)) : 0;
  if (data.hint == Op::MultipleOf) {
    const bool begins_run = at == 0 || (has_previous && step != data.unit);
    if (!begins_run || value % promise == 0) {
      return {};
    }
    return fmt::format("`multiple_of` promises a multiple of {}, but {} is {}{}", promise,
                       lane == 0 ? "the first value" : fmt::format("lane {}", lane),
                       data.is_pointer ? "an address that leaves " : "",
                       data.is_pointer ? value % promise : value);
  }
  const bool is_contiguous = data.hint == Op::MaxContiguous;
  const bool is_inside = has_previous && at % static_cast<std::size_t>(promise) != 0;
  if (!is_inside || step == (is_contiguous ? data.unit : 0)) {
    return {};
  }
  return fmt::format("`{}` promises runs of {} {} values along axis {}, but they differ by {}",
                     is_contiguous ? "max_contiguous" : "max_constancy", promise,
                     is_contiguous ? "consecutive" : "equal", axis, step / data.unit);
}

std::optional<std::string> broken_promise(ProgramState& state, const HintStep& data) {
  const Lanes lanes(state, data.value);
  const int axes =
      std::min(std::max(data.value.shape.rank(), 1), static_cast<int>(data.values.size()));
  for (int axis = 0; axis < axes; ++axis) {
    for (std::size_t i = 0; promised(data, axis) > 1 && i < lanes.telling(); ++i) {
      const std::size_t lane = lanes.telling(i);
      auto what = lanes.is_defined(lane) ? broken_at(data, lanes, lane, axis) : std::nullopt;
      if (what) {
        return what;
      }
    }
  }
  return {};
}

template <CheckLevel level>
std::uint32_t run_hint(ProgramState& state, const Step& step) {
  const auto& data = data_of<HintStep>(step);
  if (auto what = broken_promise(state, data)) {
    if constexpr (level == CheckLevel::Fast) {
      return kGoTracked;
    }
    report_broken_promise(state, step.inst, std::move(*what));
  }
  return step.next;
}

std::uint32_t run_nothing(ProgramState& state, const Step& step) {
  (void)state;
  return step.next;
}

void plan_hint(Planner& planner, InstId id) {
  const Inst& inst = planner.inst(id);
  const ElementType element = planner.function().type(inst.operand(0)).element;
  if (!element.is_pointer() && (!is_integer(element.scalar) || element.is(Scalar::I1))) {
    return;
  }
  auto& data = planner.data<HintStep>();
  data.value = planner.ref(inst.operand(0));
  data.hint = inst.op;
  const auto values = ints_attr<"values">(inst);
  data.values.assign(values.begin(), values.end());
  data.is_pointer = element.is_pointer();
  data.unit = data.is_pointer ? element.pointee().byte_size() : 1;
  planner.emit(id, {run_nothing, run_hint<CheckLevel::Fast>, run_hint<CheckLevel::Tracked>}, &data);
}

}  // namespace

void eval_multiple_of(Planner& planner, InstId inst) {
  plan_hint(planner, inst);
}

void eval_max_contiguous(Planner& planner, InstId inst) {
  plan_hint(planner, inst);
}

void eval_max_constancy(Planner& planner, InstId inst) {
  plan_hint(planner, inst);
}

}  // namespace tilery::interpreter
