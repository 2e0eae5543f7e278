#include "interpreter/interpreter.h"

#include "interpreter/grid_run.h"
#include "interpreter/program.h"

namespace tilery {

std::shared_ptr<const InterpreterProgram> make_program(Function function) {
  return std::make_shared<const InterpreterProgram>(std::move(function));
}

const Function& function_of(const InterpreterProgram& program) {
  return program.function;
}

std::size_t arena_bytes(const InterpreterProgram& program) {
  return program.compact.slot_bytes + program.compact.scratch_bytes;
}

std::string_view slot_kind(const InterpreterProgram& program, ValueId value) {
  return interpreter::slot_kind_name(program.compact.kinds[value.index].kind);
}

RunReport run(const InterpreterProgram& program, std::vector<InterpreterBuffer> buffers,
              const std::vector<InterpreterArgument>& arguments, const RunOptions& options) {
  return interpreter::run_grid(program, std::move(buffers), arguments, options);
}

}  // namespace tilery
