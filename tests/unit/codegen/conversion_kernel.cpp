#include "tests/unit/codegen/conversion_kernel.h"

#include "codegen/passes/allocate_shared.h"
#include "codegen/passes/insert_barriers.h"
#include "tests/support/ir_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tilery::codegen {
namespace {

/// The numbers %s or %t as values of the type, %x.
std::string values_text(std::string_view type, std::string_view numbers, const std::string& shape) {
  if (type == "i1") {
    return fmt::format(
        "  %three = constant 3 : i32{0}\n  %m = and %{1}, %three : i32{0}\n"
        "  %x = eq %m, %three : i1{0}\n",
        shape, numbers);
  }
  return type == "i32" ? std::string()
                       : fmt::format("  %x = cast %{} : {}{}\n", numbers, type, shape);
}

std::string text_of(const Shape& from, const Shape& to, const Converted& converted) {
  const std::string type(converted.type);
  const std::string_view conversion = from == to ? "convert_layout" : "reshape";
  const std::string value = type == "i32" ? "s" : "x";
  std::string text = fmt::format(
      "func @f(%o: *{0}) {{\n"
      "  %i = arange start=0 end={1} : i32[{1}]\n  %s = reshape %i : i32{2}\n"
      "  %j = arange start=0 end={1} : i32[{1}]\n  %t = reshape %j : i32{3}\n",
      type, from.numel(), from.str(), to.str());
  text += values_text(type, converted.is_pointer ? "t" : "s",
                      converted.is_pointer ? to.str() : from.str());
  if (converted.is_pointer) {
    text += fmt::format(
        "  %os = splat %o : *{0}{1}\n  %p = addptr %os, %s : *{0}{1}\n"
        "  %q = {2} %p : *{0}{3}\n  store %q, %{4}\n}}\n",
        type, from.str(), conversion, to.str(), type == "i32" ? "t" : "x");
    return text;
  }
  return text + fmt::format(
                    "  %c = {2} %{4} : {0}{3}\n  %os = splat %o : *{0}{3}\n"
                    "  %q = addptr %os, %t : *{0}{3}\n  store %q, %c\n}}\n",
                    type, from.str(), conversion, to.str(), value);
}

/// A layout of all numbers in a row that is this one after a reshape, if there is one; else any.
Layout in_a_row(const Layout& layout) {
  const Shape row{layout.shape().numel()};
  const std::vector<int> order = {0};
  return reshape_layout(layout, row).value_or(blocked_layout(row, order, 1, layout.warps()));
}

}  // namespace

GpuFunction conversion_kernel(const Layout& from, const Layout& to, const Converted& converted,
                              std::string_view chip) {
  GpuFunction gpu;
  gpu.function = testing::read_ir(text_of(from.shape(), to.shape(), converted));
  gpu.target = *parse_target(chip);
  gpu.num_warps = from.warps();
  const std::string_view in_old = converted.is_pointer ? "s os p" : "s m three x";
  for (std::size_t i = 0; i < gpu.function.values.size(); ++i) {
    const Value& value = gpu.function.values[i];
    const bool is_old =
        (" " + std::string(in_old) + " ").find(" " + value.name + " ") != std::string::npos;
    const Layout& layout = is_old ? from : to;
    gpu.layouts.set(ValueId(i), value.type.is_scalar() ? scalar_layout(gpu.num_warps)
                                : value.name == "i"    ? in_a_row(from)
                                : value.name == "j"    ? in_a_row(to)
                                                       : layout);
  }
  allocate_shared(gpu);
  insert_barriers(gpu);
  return gpu;
}

}  // namespace tilery::codegen
