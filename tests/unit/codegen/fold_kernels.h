// Kernels around one reduce or scan, for tests: load a tile, fold it, store what comes out.
#pragma once

#include "codegen/gpu_function.h"

#include <string>
#include <string_view>

namespace tilery::codegen {

/// A [rows, columns] tile that is loaded, folded and stored.
struct Tile {
  int rows = 1;
  int columns = 1;
  int per_thread = 4;
  int warps = 4;

  [[nodiscard]] Layout layout() const;
};

/// `%name = op %from …` with one instruction, `combine`, as its combine function. `shape` is the
/// result's, "[16]".
[[nodiscard]] std::string fold(std::string_view name, std::string_view op, std::string_view from,
                               std::string_view combine, std::string_view type,
                               std::string_view shape, std::string_view attrs);

/// f(x, o, o2): loads %v: type[rows, columns] from %x, then come `folds`, which leave %s of shape
/// `stored`, the tile's or the result's; it goes to %o. If `has_indices`, %n: i64 of that shape
/// goes to %o2.
[[nodiscard]] Function kernel(const Tile& tile, std::string_view type, std::string_view folds,
                              std::string_view stored, bool has_indices = false);

/// Gives every value the layout that follows from the tile's, and each fold its scratch.
[[nodiscard]] GpuFunction placed(const Tile& tile, Function function, std::string_view chip);

}  // namespace tilery::codegen
