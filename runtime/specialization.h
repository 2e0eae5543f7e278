// Specialisations of kernels, made once per call signature.
#pragma once

#include "runtime/bind.h"
#include "runtime/library_impl.h"
#include "tilery/launch.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tilery {

/// Everything that a specialisation depends on, as bytes: the kernel, the type of each argument,
/// compile-time values, facts of run-time ones, and options. Equal keys mean equal code.
[[nodiscard]] std::string specialization_key(std::string_view kernel,
                                             const std::vector<ArgumentSpec>& specs,
                                             const SpecializeOptions& options);

[[nodiscard]] SpecializeOptions specialize_options(const LaunchOptions& options);

struct SpecializationResult {
  std::shared_ptr<const Specialization> specialization;  ///< nullptr: `diagnostics` says why
  Diagnostics diagnostics;
  bool is_new = false;  ///< made now rather than found
};

/// Finds or makes the specialisation. Several threads may ask at once; two that miss the same key
/// at the same time both compile, and the first one's result is kept.
[[nodiscard]] SpecializationResult find_or_specialize(const Kernel::Impl& kernel,
                                                      const BoundCall& call);

/// Types and optimises the kernel, calling `after_pass` after each pass (may be empty).
using AfterPass = std::function<void(std::string_view pass, const Function& function)>;
[[nodiscard]] std::optional<Specialized> specialize_call(const Kernel::Impl& kernel,
                                                         const BoundCall& call,
                                                         const AfterPass& after_pass,
                                                         Diagnostics& diagnostics);

}  // namespace tilery
