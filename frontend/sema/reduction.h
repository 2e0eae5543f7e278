// The reduction and scan ops under the builtins that use them.
#pragma once

#include "frontend/sema/builtins.h"
#include "ir/analysis/combine_kind.h"

namespace tilery::sema {

/// Folds tensors of one shape together along `axis`, or all their elements in row-major order
/// without one. `keep_dims` leaves the reduced axes in with extent 1.
[[nodiscard]] std::vector<Tensor> reduce_with(Sema& sema, std::vector<Tensor> inputs,
                                              std::optional<int> axis, bool keep_dims,
                                              RegionId combine);
[[nodiscard]] std::vector<Tensor> scan_with(Sema& sema, const std::vector<Tensor>& inputs, int axis,
                                            bool reverse, RegionId combine);
/// A well-known fold as a region for elements of these tensors' types.
[[nodiscard]] RegionId combine_of(Sema& sema, CombineKind kind, std::span<const Tensor> inputs);
/// A function of the user's as such a region; nothing after a report.
[[nodiscard]] std::optional<RegionId> combine_argument(Sema& sema, const Value& function,
                                                       std::span<const Tensor> inputs,
                                                       SourceRange call);

/// Reports argument 0 if it is no block of numbers that can be added up; of a scalar it says that
/// it is its own `fold` ("reduction").
[[nodiscard]] bool check_block_of_numbers(Sema& sema, const ArgumentReader& reader, const Tensor& x,
                                          std::string_view fold);
/// The tensors of argument 0 (a tensor or a tuple of tensors of one shape), none a scalar; empty
/// after a report.
[[nodiscard]] std::vector<Tensor> reduction_inputs(Sema& sema, const ArgumentReader& reader);
/// Argument `i` as an axis of `x`; `found` is false after a report. None means no axis.
[[nodiscard]] std::optional<int> reduction_axis(const ArgumentReader& reader, int i,
                                                const Tensor& x, bool& found);
/// One tensor if the argument was one, else a tuple.
[[nodiscard]] Value reduction_result(const ArgumentReader& reader,
                                     const std::vector<Tensor>& results);

/// Integers below 32 bits widen to 32 bits of their signedness; int1 counts as unsigned.
[[nodiscard]] Tensor widen_integers(Sema& sema, const Tensor& x);
[[nodiscard]] Tensor bf16_to_fp32(Sema& sema, const Tensor& x);

}  // namespace tilery::sema
