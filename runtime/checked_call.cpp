#include "runtime/checked_call.h"

#include "runtime/messages.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilery {

namespace {

constexpr std::int64_t kMaxExtent = 2147483647;
constexpr const char* kMaxExtentText = "2147483647";

}  // namespace

void check_grid(std::span<const std::int64_t> grid, Diagnostics& diagnostics) {
  constexpr SourceRange where;
  if (grid.empty() || grid.size() > 3) {
    diagnostics.report(DiagId::GridRank, where, grid.size())
        .helped("fold the others into one axis and split it with // and % in the kernel");
    return;
  }
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    if (grid[axis] < 0) {
      diagnostics.report(DiagId::GridNegative, where, axis, grid[axis])
          .helped("0 is allowed and runs nothing");
    } else if (grid[axis] > kMaxExtent) {
      diagnostics.report(DiagId::GridTooLarge, where, axis, grid[axis], kMaxExtentText)
          .helped("let each program handle more elements");
    }
  }
  if (diagnostics.has_errors() || std::ranges::find(grid, 0) != grid.end()) {
    return;
  }
  std::int64_t programs = 1;
  for (const std::int64_t extent : grid) {
    if (programs > kMaxExtent / extent) {
      diagnostics
          .report(DiagId::GridTooManyPrograms, where, fmt::format("{}", fmt::join(grid, " x ")),
                  kMaxExtentText)
          .helped("let each program handle more elements");
      return;
    }
    programs *= extent;
  }
}

Result<BoundCall> checked_call(const Kernel::Impl& kernel, const Arguments& arguments,
                               const LaunchOptions& options,
                               const std::span<const std::int64_t>* grid) {
  Diagnostics diagnostics;
  BoundCall call = bind_arguments(kernel.info, arguments, options, diagnostics);
  if (grid != nullptr) {
    Diagnostics grid_diagnostics;
    check_grid(*grid, grid_diagnostics);
    diagnostics.append(grid_diagnostics);
  }
  if (diagnostics.has_errors()) {
    return error_of(ErrorKind::Usage,
                    messages_of(diagnostics, kernel.library->sources, Phase::Launch));
  }
  return call;
}

}  // namespace tilery
