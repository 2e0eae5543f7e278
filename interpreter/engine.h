// The engine: runs one program at a time, any number of steps at a time.
//
//     ProgramRunner runner(program, launch, arguments, CheckLevel::Fast);
//     runner.start({0, 0, 0}, 0, log, printed);
//     while (!runner.run(256)) { … look at the clock, or do something else … }
//
// A runner owns the arenas that its programs use one after another; each worker thread has its own.
//
// When a step returns kGoPlain or kGoTracked, the runner brings the live slots over to the plain
// plan (spelling out affine tiles and ranges) and goes on at the same instruction there, in Tracked
// with clean shadows: nothing before that step was worth telling.
#pragma once

#include "interpreter/state.h"

#include <memory>
#include <span>
#include <vector>

namespace tilery::interpreter {

/// The slots of one plan in memory.
class Arena {
 public:
  /// `with_shadows` adds the arrays that Tracked needs. Large arenas cost nothing until touched.
  /// Without memory for it, the arena has none and must not be used.
  Arena(const Plan& plan, bool with_shadows);

  [[nodiscard]] bool has_memory() const { return memory_ != nullptr; }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  [[nodiscard]] SlotState* slots() { return slots_.data(); }

  [[nodiscard]] std::byte* scratch() { return scratch_; }

  /// Forgets all shadows.
  void clear_shadows();

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[], Free> memory_;
  std::vector<SlotState> slots_;
  std::byte* scratch_ = nullptr;
};

class ProgramRunner {
 public:
  ProgramRunner(const InterpreterProgram& program, const Launch& launch,
                std::span<const InterpreterArgument> arguments, CheckLevel level);

  /// Bytes of the arena that the machine had no memory for; 0: none. The program that was running
  /// has then ended before its end, and no other can be started.
  [[nodiscard]] std::size_t missing_bytes() const { return missing_bytes_; }

  /// Begins the program with these ids. Findings and printed lines go to `log` and `printed`.
  void start(const std::array<std::int64_t, 3>& ids, std::int64_t number, FindingLog& log,
             std::string& printed);

  /// Runs up to `max_steps` steps; true if the program has ended.
  bool run(std::uint64_t max_steps);

  /// The instruction that the next step belongs to; only while the program has not ended.
  [[nodiscard]] InstId next_inst() const;

  /// The level that the program runs in now (Tracked after something was found).
  [[nodiscard]] CheckLevel level() const { return state_.level; }

 private:
  void enter(const Plan& plan, Arena& arena, CheckLevel level);
  void go_plain(CheckLevel level);
  /// nullptr: there is no memory for it.
  Arena* plain_arena();
  void write_arguments(const Plan& plan, Arena& arena) const;
  void carry_over(const Plan& from, Arena& old_arena, const Plan& to, Arena& new_arena, int where);

  const InterpreterProgram& program_;
  const Launch& launch_;
  std::vector<InterpreterArgument> arguments_;
  CheckLevel start_level_;
  std::unique_ptr<Arena> compact_;
  std::unique_ptr<Arena> plain_;
  std::size_t missing_bytes_ = 0;
  Origins origins_;
  ProgramState state_;
  const Plan* plan_ = nullptr;
  const Step* steps_ = nullptr;
  std::uint32_t next_ = kFinished;
};

}  // namespace tilery::interpreter
