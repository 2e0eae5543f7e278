// AST → typed block IR, for one call signature. The only header of sema that others include.
#pragma once

#include "frontend/ast.h"
#include "frontend/sema/host_value.h"
#include "ir/function.h"
#include "ir/support/diagnostic.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilery {

/// A namedtuple class that host code defines around the kernels.
struct HostType {
  std::string name;
  std::vector<std::string> fields;
};

/// A parsed text together with what it can see. Immutable once built; kept alive by whoever
/// specialises from it.
struct Unit {
  ast::Module module;
  /// Names that the host adds, as if assigned at module level by `NAME = tl.constexpr(value)`.
  std::vector<std::pair<std::string, HostValue>> constants;
  std::vector<HostType> host_types;
  /// Other units reachable by `import name` / `from name import …`, by module name.
  std::vector<std::pair<std::string, std::shared_ptr<const Unit>>> imports;
};

/// One argument of the call, in the order of the kernel's parameters.
struct ArgumentSpec {
  enum class Kind : std::uint8_t { Runtime, Constexpr, Tuple };
  Kind kind = Kind::Runtime;
  /// Runtime: a scalar number or a pointer.
  Type type;
  ParamFacts facts;
  /// Constexpr: the value (also None for an absent pointer).
  HostValue value;
  /// Tuple: elements; a namedtuple if field names are given.
  std::vector<ArgumentSpec> elements;
  std::string type_name;
  std::vector<std::string> field_names;
  friend bool operator==(const ArgumentSpec&, const ArgumentSpec&) = default;
};

struct SpecializeOptions {
  bool strict = false;                   ///< refuse our extensions to the language
  bool debug = false;                    ///< compile device_assert (interpret mode always sets it)
  bool fuse_fma = true;                  ///< enable_fp_fusion
  std::string input_precision = "tf32";  ///< default of tl.dot for fp32 operands
  int num_warps = 4;                     ///< what tl.extra.cuda.num_warps() sees
};

/// A parameter of a kernel as a caller sees it.
struct KernelParameter {
  std::string name;
  bool is_constexpr = false;
  bool is_const_pointer = false;
  /// The type that the annotation fixes (`tl.int64`, "*fp32", `int`, …), if it does.
  std::optional<Type> annotated;
  std::optional<HostValue> default_value;
  SourceRange range;
};

struct KernelInfo {
  std::string name;
  std::vector<KernelParameter> parameters;
  bool is_jit = false;  ///< decorated (or in a .tl file, where decorators may be left out)
  SourceRange range;
  std::string docstring;
};

/// The functions of a unit, in source order, with their parameters. Annotations and defaults that
/// cannot be evaluated are reported.
[[nodiscard]] std::vector<KernelInfo> list_kernels(const Unit& unit, const SourceMap& sources,
                                                   Diagnostics& diagnostics);

/// Types every expression, evaluates compile-time Python, unrolls static loops and inlines calls.
/// The function's parameters are the run-time arguments (tuples flattened, `name.0` or
/// `name.field`) in order. Runs the pass pipeline unless `optimise` is false. Returns nothing if an
/// error was reported; reports as many as it can (one per statement). Warnings go into the same
/// list.
struct Specialized {
  Function function;
  /// What tl.static_print wrote.
  std::string static_output;
  /// The kernel asked for the number of warps: the code holds for that of the options only.
  bool reads_num_warps = false;
};

[[nodiscard]] std::optional<Specialized> specialize(const Unit& unit, const SourceMap& sources,
                                                    std::string_view kernel,
                                                    const std::vector<ArgumentSpec>& arguments,
                                                    const SpecializeOptions& options,
                                                    Diagnostics& diagnostics, bool optimise = true);

}  // namespace tilery
