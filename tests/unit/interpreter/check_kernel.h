// The kernel that tests of what is found put their instructions into.
#pragma once

#include <string>
#include <string_view>

namespace tilery::testing {

/// A kernel over `i = arange(0, 8)`, `m = i < n`, `p = x + i`, `q = o + i`, ending in `rest`.
inline std::string kernel(std::string_view rest) {
  return std::string(R"(
func @f(%x: *f32, %o: *f32, %n: i32) {
  %i = arange start=0 end=8 : i32[8]
  %ns = splat %n : i32[8]
  %m = lt %i, %ns : i1[8]
  %xs = splat %x : *f32[8]
  %p = addptr %xs, %i : *f32[8]
  %os = splat %o : *f32[8]
  %q = addptr %os, %i : *f32[8]
  %zero = constant 0.0 : f32[8]
  %one = constant 1.0 : f32[8]
)") + std::string(rest) +
         "}\n";
}

}  // namespace tilery::testing
