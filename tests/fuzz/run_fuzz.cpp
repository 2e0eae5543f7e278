// Fuzz target of the interpreter: what specialises runs, at every check level, to a report; no
// access leaves a buffer.
#include "interpreter/interpreter.h"
#include "tests/fuzz/fuzz_kernel.h"
#include "tests/fuzz/fuzz_target.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilery {
namespace {

// Small enough that accesses often miss. On the heap, so that the address sanitizer sees its ends.
constexpr std::size_t kBufferBytes = 512;

/// The arguments of one launch and the memory behind them.
class Launch {
 public:
  explicit Launch(const Function& function) {
    for (const Param& param : function.params) {
      add(param);
    }
  }

  [[nodiscard]] RunReport run(const InterpreterProgram& program, CheckLevel level,
                              const SourceMap& sources) const {
    RunOptions options;
    options.grid = {2, 1, 1};
    options.threads = 1;
    options.check = level;
    options.timeout = std::chrono::milliseconds(200);
    options.sources = &sources;
    options.print = [](std::string_view) {};
    return tilery::run(program, buffers_, arguments_, options);
  }

 private:
  void add(const Param& param) {
    InterpreterArgument argument;
    argument.is_pointer = param.type.is_pointer();
    if (argument.is_pointer) {
      argument.buffer = static_cast<int>(buffers_.size());
      auto& bytes = memory_.emplace_back(std::make_unique<std::byte[]>(kBufferBytes));
      buffers_.push_back({param.name, bytes.get(), kBufferBytes, param.type.element.pointee()});
    } else {
      // One, as an int and as any float's bits a tiny number, keeps every fact that a parameter may
      // have but divisibility.
      argument.bits = param.facts.divisible_by_16 ? 16 : 1;
    }
    arguments_.push_back(argument);
  }

  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<InterpreterBuffer> buffers_;
  std::vector<InterpreterArgument> arguments_;
};

void run_all_levels(const SourceMap& sources, Specialized specialized) {
  const Launch launch(specialized.function);
  const std::shared_ptr<const InterpreterProgram> program =
      make_program(std::move(specialized.function));
  for (const CheckLevel level : {CheckLevel::None, CheckLevel::Fast, CheckLevel::Tracked}) {
    (void)launch.run(*program, level, sources);
  }
}

}  // namespace
}  // namespace tilery

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  tilery::specialize_text(text, true, tilery::run_all_levels);
  return 0;
}
