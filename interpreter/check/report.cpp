#include "interpreter/check/report.h"

#include "ir/analysis/combine_kind.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/op_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilery::interpreter {
namespace {

/// Counts a finding at an instruction; gives it, with place and program filled in, if it is new.
Finding* count(ProgramState& state, FindingKind kind, InstId inst, std::string_view wording,
               std::uint64_t lanes = 1) {
  const Function& function = *state.launch->function;
  Finding* const finding =
      state.log->count(kind, state.launch->lines->line_of(function, inst), wording, state.number,
                       state.lifetimes->at(inst), lanes);
  if (finding != nullptr) {
    finding->loc = function.inst(inst).loc;
    finding->program = state.program;
  }
  return finding;
}

void set_lane(Finding& finding, std::size_t lane, const Shape& shape) {
  if (shape.is_scalar()) {
    return;
  }
  finding.lane = static_cast<std::int64_t>(lane);
  finding.lane_index.resize(static_cast<std::size_t>(shape.rank()));
  auto rest = static_cast<std::int64_t>(lane);
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    finding.lane_index[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
}

/// The source variable that the instruction's result is called, quoted; else "a tile".
std::string variable(const Function& function, InstId inst) {
  const std::string& name = function.value(function.inst(inst).result()).name;
  return name.empty() ? "the loaded value" : fmt::format("`{}`", name);
}

/// NumPy's name for what an operation does; the others are called what the IR calls them.
std::string_view verb(Op op) {
  constexpr std::array<std::pair<Op, std::string_view>, 8> kVerbs{{{Op::Sub, "subtract"},
                                                                   {Op::Mul, "multiply"},
                                                                   {Op::Div, "divide"},
                                                                   {Op::IDiv, "floor_divide"},
                                                                   {Op::Rem, "fmod"},
                                                                   {Op::Dot, "matmul"},
                                                                   {Op::Reduce, "reduce"},
                                                                   {Op::Scan, "accumulate"}}};
  const auto entry = std::find_if(kVerbs.begin(), kVerbs.end(),
                                  [op](const auto& candidate) { return candidate.first == op; });
  return entry == kVerbs.end() ? op_def(op).id : entry->second;
}

/// An fma is a product and a sum to its author: which of them went wrong?
std::string_view fma_verb(Scalar scalar, const EventOrigin& event) {
  if (!is_float(scalar)) {
    return "multiply";
  }
  const double product =
      decode_float(scalar, event.operands[0]) * decode_float(scalar, event.operands[1]);
  const double limit =
      scalar == Scalar::F64 ? HUGE_VAL : decode_float(scalar, encode_float(scalar, HUGE_VAL));
  const bool product_is_fine = std::isfinite(product) &&
                               std::isfinite(decode_float(scalar, encode_float(scalar, product))) &&
                               product < limit;
  return product_is_fine ? "add" : "multiply";
}

std::string_view event_name(std::uint8_t event) {
  if ((event & kDivideByZero) != 0) {
    return "divide by zero";
  }
  return (event & kInvalid) != 0 ? "invalid value" : "overflow";
}

/// "multiply(1e+30, 1e+30) = inf"
std::string event_example(const Function& function, const EventOrigin& event,
                          std::string_view name) {
  const Inst& inst = function.inst(event.inst);
  const auto scalar_of = [&](ValueId value) { return function.type(value).element.scalar; };
  if (!op_def(inst.op).is_map()) {
    return fmt::format("the result is {}", element_text(scalar_of(inst.result()), event.result));
  }
  std::string operands;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    operands += fmt::format("{}{}", i == 0 ? "" : ", ",
                            element_text(scalar_of(inst.operands[i]), event.operands[i]));
  }
  return fmt::format("{}({}) = {}", name, operands,
                     element_text(scalar_of(inst.result()), event.result));
}

std::string access_message(const AccessFacts& facts, const RefusedAccess& access,
                           const InterpreterBuffer* buffer) {
  const char* const verb_name = access.is_store ? "store" : "load";
  const char* const preposition = access.is_store ? "to" : "of";
  switch (access.place.fault) {
    case Fault::OutOfBounds:
      return fmt::format("{} {} `{}` element {} is outside its {} elements", verb_name, preposition,
                         facts.argument, facts.index, facts.size);
    case Fault::Misaligned:
      return fmt::format("{} {} `{}` at byte {} is not aligned to its elements of {} bytes",
                         verb_name, preposition, facts.argument, access.place.offset,
                         buffer->element.byte_size());
    case Fault::ReadOnly:
      return fmt::format("store to `{}`, which is read-only", facts.argument);
    case Fault::Null:
      return fmt::format("{} through a null pointer", verb_name);
    case Fault::NoBuffer:
    case Fault::None:
      break;
  }
  return fmt::format("{} at address {:#x}, which belongs to no argument", verb_name,
                     access.address);
}

AccessFacts access_facts(const RefusedAccess& access, const InterpreterBuffer* buffer) {
  AccessFacts facts;
  facts.is_store = access.is_store;
  facts.mask = access.has_mask ? "true" : "no mask";
  if (buffer != nullptr) {
    const std::int64_t size = buffer->element.byte_size();
    facts.argument = buffer->name;
    // Rounds down, so that a byte before the start is element -1.
    const std::int64_t offset = access.place.offset;
    facts.index = offset / size - (offset % size < 0 ? 1 : 0);
    facts.size = static_cast<std::int64_t>(buffer->bytes) / size;
  }
  return facts;
}

}  // namespace

void report_access(ProgramState& state, InstId inst, const RefusedAccess& access,
                   const SlotRef& pointer) {
  const InterpreterBuffer* const buffer =
      access.place.buffer < 0 ? nullptr : &state.launch->memory->buffer(access.place.buffer);
  const std::string wording =
      fmt::format("{} {} {}", access.is_store, static_cast<int>(access.place.fault),
                  buffer == nullptr ? "" : buffer->name);
  Finding* const finding = count(state, FindingKind::OutOfBounds, inst, wording);
  if (finding == nullptr) {
    return;
  }
  AccessFacts facts = access_facts(access, buffer);
  finding->message = access_message(facts, access, buffer);
  set_lane(*finding, access.lane, pointer.shape);
  finding->details.emplace_back(access.has_mask ? "the mask is true for this lane"
                                                : "the access has no mask");
  finding->access = std::move(facts);
}

void report_undefined(ProgramState& state, const UndefinedOrigin& origin, InstId user,
                      std::string_view sink, std::size_t lane, const Shape& shape,
                      std::uint64_t lanes) {
  const Function& function = *state.launch->function;
  Finding* const finding = count(state, FindingKind::Uninitialised, origin.load,
                                 origin.never_written ? "memory" : "mask", lanes);
  if (finding == nullptr) {
    return;
  }
  set_lane(*finding, lane, shape);
  if (origin.never_written) {
    finding->message = fmt::format(
        "{} is read from memory of `{}` that was never written, and reaches {}",
        variable(function, origin.load), state.launch->memory->buffer(origin.buffer).name, sink);
  } else {
    finding->message = fmt::format("lanes of {} that the mask leaves without a value reach {}",
                                   variable(function, origin.load), sink);
    finding->details.emplace_back("the load has no `other`; such lanes read as 0 here");
  }
  if (user != origin.load) {
    finding->related.emplace_back(function.inst(user).loc, fmt::format("{} uses them here", sink));
  }
}

void report_event(ProgramState& state, const EventOrigin& event) {
  const Function& function = *state.launch->function;
  const Inst& inst = function.inst(event.inst);
  const Type& type = function.type(inst.result());
  const std::string_view name =
      inst.op == Op::Fma ? fma_verb(type.element.scalar, event) : verb(inst.op);
  const std::string message = fmt::format("{} encountered in {}", event_name(event.event), name);
  Finding* const finding = count(state, FindingKind::NumericWarning, event.inst, message);
  if (finding == nullptr) {
    return;
  }
  finding->message = message;
  set_lane(*finding, static_cast<std::size_t>(event.lane), type.shape);
  finding->details.push_back(
      event_example(function, event, inst.op == Op::Fma ? op_def(inst.op).id : name));
}

void report_zero_step(ProgramState& state, InstId loop) {
  if (Finding* const finding = count(state, FindingKind::BadLoop, loop, "step")) {
    finding->message = "the step of this loop is 0 (zero), so that it would never end";
  }
}

void report_assertion(ProgramState& state, InstId inst, std::size_t lane, const Shape& shape,
                      std::string compared, std::uint64_t lanes) {
  Finding* const finding = count(state, FindingKind::AssertionFailed, inst, "assert", lanes);
  if (finding == nullptr) {
    return;
  }
  const std::string& message = string_attr<"message">(state.launch->function->inst(inst));
  finding->message =
      message.empty() ? "assertion failed" : fmt::format("assertion failed: {}", message);
  set_lane(*finding, lane, shape);
  if (!compared.empty()) {
    finding->details.push_back(std::move(compared));
  }
}

void report_broken_promise(ProgramState& state, InstId inst, std::string what) {
  if (Finding* const finding = count(state, FindingKind::BrokenPromise, inst,
                                     op_def(state.launch->function->inst(inst).op).id)) {
    finding->message = std::move(what);
  }
}

std::string sink_name(const Function& function, InstId id) {
  const Inst& inst = function.inst(id);
  if (inst.op != Op::Reduce && inst.op != Op::Scan) {
    return fmt::format("`{}`", op_def(inst.op).id);
  }
  const bool is_scan = inst.op == Op::Scan;
  switch (combine_kind(function, inst.regions[0])) {
    case CombineKind::Add:
      return is_scan ? "`cumsum`" : "`sum`";
    case CombineKind::Mul:
      return is_scan ? "`cumprod`" : "a product";
    case CombineKind::Max:
    case CombineKind::MaxNan:
      return is_scan ? "a scan" : "`max`";
    case CombineKind::Min:
    case CombineKind::MinNan:
      return is_scan ? "a scan" : "`min`";
    case CombineKind::Xor:
      return is_scan ? "a scan" : "`xor_sum`";
    case CombineKind::ArgMaxLeft:
    case CombineKind::ArgMaxAny:
      return "`argmax`";
    case CombineKind::ArgMinLeft:
    case CombineKind::ArgMinAny:
      return "`argmin`";
    case CombineKind::And:
    case CombineKind::Or:
    case CombineKind::Other:
      break;
  }
  return is_scan ? "`associative_scan`" : "`reduce`";
}

std::string element_text(Scalar scalar, const std::byte* data) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<std::size_t>(byte_size(scalar)));
  return element_text(scalar, bits);
}

std::string element_text(Scalar scalar, std::uint64_t bits) {
  if (scalar == Scalar::I1) {
    return bits != 0 ? "True" : "False";
  }
  if (!is_float(scalar)) {
    const std::int64_t value = decode_int(scalar, bits);
    return scalar == Scalar::U64 ? fmt::format("{}", static_cast<std::uint64_t>(value))
                                 : fmt::format("{}", value);
  }
  const double value = decode_float(scalar, bits);
  std::string text = scalar == Scalar::F64 ? fmt::format("{}", value)
                                           : fmt::format("{}", static_cast<float>(value));
  if (std::isnan(value)) {
    return "nan";
  }
  if (text.find_first_of(".en") == std::string::npos) {
    text += ".0";
  }
  return text;
}

}  // namespace tilery::interpreter
