// Specialisations of kernels, made once per call signature.
#pragma once

#include "interpreter/interpreter.h"
#include "runtime/bind.h"
#include "runtime/library_impl.h"
#include "tilery/device.h"
#include "tilery/launch.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace tilery {

class GpuKernels;

/// Everything that a specialisation depends on, as bytes: the kernel, the type of each argument,
/// compile-time values, facts of run-time ones, and options. Equal keys mean equal code.
[[nodiscard]] std::string specialization_key(std::string_view kernel,
                                             const std::vector<ArgumentSpec>& specs,
                                             const SpecializeOptions& options);

[[nodiscard]] SpecializeOptions specialize_options(const LaunchOptions& options,
                                                   Device::Kind executor);

/// A kernel made for one call signature, and what the executors made of it so far. Shared by
/// launches; its functions may be called from several threads at once.
class Specialization {
 public:
  /// `warnings` of the compiler and the text of tl.static_print are shown by the launch that made
  /// it.
  Specialization(Specialized specialized, std::vector<Message> warnings);
  ~Specialization();
  Specialization(const Specialization&) = delete;
  Specialization& operator=(const Specialization&) = delete;

  [[nodiscard]] const Function& function() const { return specialized_.function; }

  [[nodiscard]] const std::vector<Message>& warnings() const { return warnings_; }

  [[nodiscard]] const std::string& static_output() const { return specialized_.static_output; }

  /// The kernel asked for the number of warps, so its code holds for the one that it was told.
  [[nodiscard]] bool reads_num_warps() const { return specialized_.reads_num_warps; }

  /// The interpreter's plan, made when it is first asked for.
  [[nodiscard]] const InterpreterProgram& interpreter_program() const;

  /// The loaded kernels; they lock for themselves.
  [[nodiscard]] GpuKernels& gpu_kernels() const { return *gpu_kernels_; }

 private:
  Specialized specialized_;
  std::vector<Message> warnings_;
  mutable std::once_flag program_made_;
  mutable std::shared_ptr<const InterpreterProgram> program_;
  std::unique_ptr<GpuKernels> gpu_kernels_;
};

/// The place of one specialisation in a library, taken before it is made: of threads that need the
/// same one, the first holds the mutex while it compiles and the others wait for its result.
struct SpecializationSlot {
  std::mutex mutex;
  std::shared_ptr<const Specialization> made;
};

struct SpecializationResult {
  std::shared_ptr<const Specialization> specialization;  ///< nullptr: `diagnostics` says why
  Diagnostics diagnostics;
  bool is_new = false;  ///< made now rather than found
};

/// Finds or makes the specialisation for an executor. Several threads may ask at once; of those
/// that ask for the same one, only the first compiles. A failure is not kept.
[[nodiscard]] SpecializationResult find_or_specialize(const Kernel::Impl& kernel,
                                                      const BoundCall& call, Device::Kind executor);

/// Types and optimises the kernel, calling `after_pass` after each pass (may be empty).
using AfterPass = std::function<void(std::string_view pass, const Function& function)>;
[[nodiscard]] std::optional<Specialized> specialize_call(const Kernel::Impl& kernel,
                                                         const BoundCall& call,
                                                         Device::Kind executor,
                                                         const AfterPass& after_pass,
                                                         Diagnostics& diagnostics);

}  // namespace tilery
