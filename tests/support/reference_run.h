// What a GPU, or a machine that stands for one, must make of a run test: the file's expectation and
// the interpreter's bits.
#pragma once

#include "codegen/target.h"
#include "tests/support/golden.h"
#include "tests/support/run_file.h"

#include <vector>

namespace tilery::testing {

/// Whether this is a dot of floats on tensor cores, which may round otherwise than the interpreter.
[[nodiscard]] bool is_rounding_dot(const Function& function, const Inst& inst,
                                   const codegen::Target& target);

/// Whether only the interpreter can run the file: a fault ends a GPU's context, and which of
/// several lanes that store to one address wins is open there.
[[nodiscard]] bool is_interpreter_only(const GoldenFile& file, const RunFile& run);

/// The file's buffers as the interpreter leaves them.
[[nodiscard]] std::vector<RunBuffer> interpreted(const GoldenFile& file);

/// Fails the calling test where `run`'s buffers differ from the file's expectation, or, payloads of
/// NaNs aside, from the interpreter's bits. Sums of floats on tensor cores may round otherwise:
/// there the file's tolerances decide alone.
void expect_agreement(const RunFile& run, const std::vector<RunBuffer>& inputs,
                      const std::vector<RunBuffer>& reference, const Function& function,
                      const codegen::Target& target);

}  // namespace tilery::testing
