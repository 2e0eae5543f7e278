// Function → text. The form that ir/reader.h reads, README.md explains and golden tests compare:
//
//     func @row_sum(%x_ptr: *f32 {div16}, %n: i32) {
//       %row = program_id axis=0 : i32
//       %cols = arange start=0 end=8 : i32[8]
//       %0 = splat %n : i32[8]
//       %mask = lt %cols, %0 : i1[8]
//       …
//       %sum = reduce %x axis=0 : f32 {
//       combine(%a: f32, %b: f32):
//         %2 = add %a, %b : f32
//         yield %2
//       }
//     }
#pragma once

#include "ir/function.h"

#include <functional>
#include <string>

namespace tilery {

struct PrintOptions {
  /// Adds `// file:line` comments from `sources`; the reader skips comments.
  const SourceMap* sources = nullptr;
  /// Said of a value behind its type, in a comment at the end of the line: a layout's name. Values
  /// for which it is empty are left alone.
  std::function<std::string(ValueId)> note = nullptr;
};

[[nodiscard]] std::string print(const Function& function, const PrintOptions& options = {});
/// One instruction on one line (regions abbreviated), for messages.
[[nodiscard]] std::string print_inst(const Function& function, InstId inst);

}  // namespace tilery
