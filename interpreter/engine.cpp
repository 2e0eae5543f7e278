#include "interpreter/engine.h"

#include "interpreter/program.h"
#include "ir/support/check.h"

#include <algorithm>
#include <cstdlib>

namespace tilery::interpreter {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Writes a value that one plan holds in `from` in the form that another holds it in.
void convert(const SlotRef& from, const std::byte* data, const SlotRef& to, std::byte* out) {
  switch (from.kind) {
    case SlotKind::Splat:
      if (to.kind == SlotKind::Splat) {
        std::memcpy(out, data, from.width);
      } else {
        kernels().memory(to.width).fill(out, data, to.lanes);
      }
      return;
    case SlotKind::Affine:
      return spell_out(*reinterpret_cast<const Affine*>(data), from.shape, from.width, out);
    case SlotKind::Range:
      return spell_out(*reinterpret_cast<const Box*>(data), from.shape, out);
    case SlotKind::Dense:
      std::memcpy(out, data, from.bytes());
      return;
  }
}

}  // namespace

void Arena::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

Arena::Arena(const Plan& plan, bool with_shadows) : slots_(plan.slots.size()) {
  std::size_t lanes = 0;
  for (const SlotInfo& slot : plan.slots) {
    lanes += slot.lanes;
  }
  const std::size_t shadow_bytes = with_shadows ? 2 * lanes * sizeof(OriginCode) : 0;
  const std::size_t total =
      plan.slot_bytes + aligned(plan.scratch_bytes) + aligned(shadow_bytes) + kAlignment;
  bytes_ = aligned(total);
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes_)));
  if (!has_memory()) {
    return;
  }
  scratch_ = memory_.get() + plan.slot_bytes;
  auto* shadow = reinterpret_cast<OriginCode*>(scratch_ + aligned(plan.scratch_bytes));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].data = memory_.get() + plan.slots[i].offset;
    if (with_shadows) {
      slots_[i].undefined = shadow;
      slots_[i].events = shadow + plan.slots[i].lanes;
      shadow += 2 * plan.slots[i].lanes;
    }
  }
  for (const ValueId constant : plan.constants) {
    const std::uint64_t bits = *plan.function->constant_bits(constant);
    std::memcpy(slots_[plan.slot_of[constant.index]].data, &bits, sizeof bits);
  }
}

void Arena::clear_shadows() {
  for (SlotState& slot : slots_) {
    slot.has_undefined = false;
    slot.has_events = false;
  }
}

ProgramRunner::ProgramRunner(const InterpreterProgram& program, const Launch& launch,
                             std::span<const InterpreterArgument> arguments, CheckLevel level)
    : program_(program),
      launch_(launch),
      arguments_(arguments.begin(), arguments.end()),
      start_level_(level) {
  if (level != CheckLevel::Tracked) {
    compact_ = std::make_unique<Arena>(program.compact, false);
    if (compact_->has_memory()) {
      write_arguments(program.compact, *compact_);
    } else {
      missing_bytes_ = compact_->bytes();
    }
  }
}

void ProgramRunner::write_arguments(const Plan& plan, Arena& arena) const {
  const auto& parameters = plan.function->region(plan.function->body).args;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const InterpreterArgument& argument = arguments_[i];
    std::uint64_t bits = argument.bits;
    if (argument.is_pointer) {
      bits =
          argument.buffer < 0 ? 0 : launch_.memory->address(argument.buffer, argument.byte_offset);
    }
    std::memcpy(arena.slots()[plan.slot_of[parameters[i].index]].data, &bits, sizeof bits);
  }
}

void ProgramRunner::start(const std::array<std::int64_t, 3>& ids, std::int64_t number,
                          FindingLog& log, std::string& printed) {
  state_.launch = &launch_;
  state_.program = ids;
  state_.number = number;
  state_.log = &log;
  state_.printed = &printed;
  state_.origins = &origins_;
  next_ = kFinished;
  if (start_level_ != CheckLevel::Tracked) {
    enter(program_.compact, *compact_, start_level_);
    next_ = 0;
  } else if (Arena* const arena = plain_arena()) {
    enter(program_.plain(), *arena, CheckLevel::Tracked);
    next_ = 0;
  }
}

Arena* ProgramRunner::plain_arena() {
  if (plain_) {
    return plain_.get();
  }
  auto arena = std::make_unique<Arena>(program_.plain(), start_level_ != CheckLevel::None);
  if (!arena->has_memory()) {
    missing_bytes_ = arena->bytes();
    return nullptr;
  }
  write_arguments(program_.plain(), *arena);
  plain_ = std::move(arena);
  return plain_.get();
}

void ProgramRunner::enter(const Plan& plan, Arena& arena, CheckLevel level) {
  plan_ = &plan;
  steps_ = plan.steps_of(level).data();
  state_.slots = arena.slots();
  state_.scratch = arena.scratch();
  state_.lifetimes = &plan.lifetimes;
  state_.level = level;
  if (level == CheckLevel::Tracked) {
    arena.clear_shadows();
    origins_.clear();
  }
}

bool ProgramRunner::run(std::uint64_t max_steps) {
  for (std::uint64_t i = 0; i < max_steps && next_ != kFinished; ++i) {
    const Step& step = steps_[next_];
    const std::uint32_t next = step.run(state_, step);
    if (next < kFirstSpecialStep || next == kFinished) {
      next_ = next;
    } else {
      go_plain(next == kGoTracked ? CheckLevel::Tracked : state_.level);
    }
  }
  return next_ == kFinished;
}

void ProgramRunner::go_plain(CheckLevel level) {
  TILERY_CHECK(plan_->style == PlanStyle::Compact || level != state_.level,
               "a step of the last resort was refused");
  const InstId inst = steps_[next_].inst;
  Arena* const target = plain_arena();
  if (target == nullptr) {
    next_ = kFinished;
    return;
  }
  if (plan_->style == PlanStyle::Compact) {
    const int where = plan_->lifetimes.at(inst);
    carry_over(program_.compact, *compact_, program_.plain(), *target, where);
    next_ = program_.plain().first_step[static_cast<std::size_t>(where)];
  }
  enter(program_.plain(), *target, level);
}

void ProgramRunner::carry_over(const Plan& from, Arena& old_arena, const Plan& to, Arena& new_arena,
                               int where) {
  std::vector<bool> done(to.slots.size(), false);
  // Later values first: of the values that share a slot, the latest holds its contents.
  for (std::size_t i = to.slot_of.size(); i-- > 0;) {
    const ValueId value(i);
    const std::uint32_t slot = to.slot_of[i];
    if (slot == kNoSlot || done[slot] || !from.lifetimes.is_live(value, where)) {
      continue;
    }
    const SlotRef source = from.ref(value);
    convert(source, old_arena.slots()[source.slot].data, to.ref(value),
            new_arena.slots()[slot].data);
    done[slot] = true;
  }
  for (std::size_t i = 0; i < from.loop_states.size(); ++i) {
    const auto [loop, slot] = from.loop_states[i];
    if (from.lifetimes.at(loop) < where && where <= from.lifetimes.loop_end[loop.index]) {
      std::memcpy(new_arena.slots()[to.loop_states[i].second].data, old_arena.slots()[slot].data,
                  sizeof(LoopState));
    }
  }
}

InstId ProgramRunner::next_inst() const {
  return steps_[next_].inst;
}

}  // namespace tilery::interpreter
