// From a CallRequest to a kernel with its arguments; shared by run, lint and emit.
#pragma once

#include "tilery/kernel.h"
#include "tilery/launch.h"
#include "tilery/library.h"
#include "tilery/result.h"
#include "tools/expression.h"
#include "tools/requests.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::tools {

/// FILE::KERNEL taken apart; the kernel's name is empty if none was written.
struct FileAndKernel {
  std::string file;
  std::string kernel;
};

[[nodiscard]] FileAndKernel split_file(const std::string& text);

/// Arguments by name, and what expressions over them can see.
struct CallArguments {
  Arguments arguments;
  /// The arrays, each under the name of its argument; of views the array that they look into.
  std::map<std::string, Buffer, std::less<>> arrays;
  std::map<std::string, std::int64_t, std::less<>> numbers;

  [[nodiscard]] ExpressionNames names() const;
};

/// What expressions see of an argument: an integer, of a given type or not.
[[nodiscard]] std::optional<std::int64_t> expression_number(const Argument& value);

struct Call {
  Library library;
  Kernel kernel;
  CallArguments arguments;
};

/// Reads the file and picks the kernel.
[[nodiscard]] Result<Kernel> find_kernel(const Library& library, const std::string& name);
/// Reads NAME=VALUE texts: files are loaded, arrays made.
[[nodiscard]] Result<CallArguments> read_arguments(const CallRequest& request,
                                                   const Library& library, const Kernel& kernel);
/// Both.
[[nodiscard]] Result<Call> prepare_call(const CallRequest& request);

/// The number in "cuda:N"; 0 for "cuda"; none for anything else.
[[nodiscard]] std::optional<int> gpu_ordinal(std::string_view on);

/// The same arguments with every array copied to the device, each once.
[[nodiscard]] Result<CallArguments> arguments_on(const Device& device,
                                                 const CallArguments& arguments);

/// Where the kernel shall run: where --on says, else in the interpreter if TILERY_INTERPRET (or,
/// where that is unset, TRITON_INTERPRET) asks for it, else at `fallback`, which is like a value of
/// --on.
[[nodiscard]] Result<Device> choose_device(const std::string& on,
                                           const std::string& fallback = "interpret");

/// The grid of `--grid TEXT`: one to three extents, which may be expressions over the arguments.
[[nodiscard]] Result<std::vector<std::int64_t>> read_grid(const std::string& text,
                                                          const CallArguments& arguments);
/// What is wrong with the grid, and what the compiler says against the arguments: missing, unknown
/// or of wrong types. What is wrong with the kernel itself is left to the launch.
[[nodiscard]] std::vector<Error> input_mistakes(const Call& call, const CallArguments& arguments,
                                                const Result<std::vector<std::int64_t>>& grid,
                                                bool strict);

/// Several mistakes as one error, each told; there is one at least.
[[nodiscard]] Error together(const std::vector<Error>& mistakes);

/// The error of an argument, which does not hide that the grid is missing too.
[[nodiscard]] Error with_missing_grid(const Error& error, const std::string& grid);

/// The settings of a run; those that are written like arguments are added by `launch`.
[[nodiscard]] LaunchOptions launch_options(const RunRequest& request);

/// "NAME=REST" taken apart; an error if there is no `=` or no name.
[[nodiscard]] Result<std::pair<std::string, std::string>> split_pair(const std::string& text);

}  // namespace tilery::tools
