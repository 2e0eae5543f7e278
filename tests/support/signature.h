// The compact call signatures of file tests: `x=*f32 n=i32 B=8 strict kernel=k`.
#pragma once

#include "frontend/sema/specialize.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilery::testing {

/// A signature, matched to a kernel's parameters by name in `arguments_for`.
struct Signature {
  std::string kernel;  ///< empty: the last function of the file
  std::vector<std::pair<std::string, ArgumentSpec>> arguments;
  SpecializeOptions options;
};

/// Tokens are separated by spaces. NAME=VALUE with VALUE one of: `*f32` `*const f32` (written
/// `*const:f32`) `**f32` pointers · `i32` `f16` … a run-time scalar · `8` `-1.5` `true` `none`
/// `"text"` `dtype:fp16` `fn:name` compile-time values · `(…,…)` a tuple of those. A pointer or
/// scalar may carry facts as a suffix: `*f32/16`, `i32/16`, `i32/1`. Other tokens: `kernel=NAME`
/// (unless a parameter has that name), `strict`, `nofuse`. Throws std::invalid_argument on anything
/// else.
[[nodiscard]] Signature parse_signature(std::string_view text);

/// The arguments in the order of the kernel's parameters; parameters that the signature leaves out
/// take their default and are an error (std::invalid_argument) without one.
[[nodiscard]] std::vector<ArgumentSpec> arguments_for(const Signature& signature,
                                                      const KernelInfo& kernel);

}  // namespace tilery::testing
