// The type and the bits of one argument.
#pragma once

#include "runtime/bind.h"

namespace tilery {

/// What the specialiser is told about the argument; its run-time values and buffers are added to
/// `call`. Reports what does not suit the parameter.
[[nodiscard]] ArgumentSpec bind_value(const KernelParameter& parameter, const Argument& argument,
                                      BoundCall& call, Diagnostics& diagnostics);

/// A default value of the source text as an argument.
[[nodiscard]] Argument argument_of(const HostValue& value);

}  // namespace tilery
