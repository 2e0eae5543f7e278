// Runs the LLVM IR of a kernel on the CPU, all threads of one block in step, as a GPU would: so
// that what emit_*.cpp makes is executed where there is none.
//
// Threads run one after the other up to the next instruction that several take part in (a shuffle,
// a warp fold, a barrier); it is carried out when all of them have come. Shared memory knows who
// touched which byte since which barrier, and reports races and reads of bytes that nobody wrote.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::testing {

/// Which program of which grid a block is, and what it may do.
struct SimtProgram {
  std::array<std::int64_t, 3> index{0, 0, 0};
  std::array<std::int64_t, 3> grid{1, 1, 1};
  /// Threads of different warps may write the same byte of shared memory at once if they write the
  /// same value, as all holders of a dot's operands do on the way to the chain of fma.
  bool allows_copies = false;
};

/// A kernel in LLVM's text form.
class SimtKernel {
 public:
  /// Fails the test if the text does not parse.
  explicit SimtKernel(std::string_view llvm_text);
  ~SimtKernel();
  SimtKernel(const SimtKernel&) = delete;
  SimtKernel& operator=(const SimtKernel&) = delete;

  /// Runs one block. Arguments are bits; pointers those of this process. What went wrong, or
  /// nothing: an instruction that is not known here, a deadlock, a race.
  [[nodiscard]] std::string run(const std::vector<std::uint64_t>& arguments, int threads,
                                std::uint32_t shared_bytes, const SimtProgram& program = {}) const;

 private:
  struct Module;
  std::unique_ptr<Module> module_;
};

}  // namespace tilery::testing
