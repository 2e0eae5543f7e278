// Kernel source text, parsed.
#pragma once

#include "tilery/argument.h"
#include "tilery/kernel.h"
#include "tilery/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilery::inline v0 {

/// A text and where it is said to come from: messages name `name`, and lines count from
/// `first_line`. A name that ends in ".py" is read as Python, of which the jit functions are taken;
/// anything else as a kernel file.
struct Source {
  std::string name;
  std::uint32_t first_line = 1;
  std::string text;
};

/// A namedtuple class that the host defines around the kernels.
struct NamedTupleType {
  std::string name;
  std::vector<std::string> fields;
};

/// A jit function inside a class or a function.
struct NestedKernel {
  std::string name;
  std::string owner;  ///< the class or function at the module level
  Place place;
};

class Library;

/// What a text can see besides itself.
struct Environment {
  /// As if `NAME = tl.constexpr(value)` stood at the head of the text.
  std::vector<std::pair<std::string, Argument>> constants;
  std::vector<NamedTupleType> named_tuples;
  /// Libraries that `import name` and `from name import …` find.
  std::vector<std::pair<std::string, Library>> imports;
};

/// A parsed text and the specialisations made from it so far. A handle: copies share both. All its
/// functions may be called from several threads at once.
class TILERY_API Library {
 public:
  /// Fails with ErrorKind::Kernel and all syntax errors found.
  static Result<Library> parse(Source source, const Environment& environment = {});
  /// Reads the file; imports that name a neighbouring `.tl` or `.py` file are read too. Fails with
  /// ErrorKind::Usage if the file cannot be opened.
  static Result<Library> parse_file(const std::string& path, const Environment& environment = {});

  /// The functions that can be launched, in source order.
  [[nodiscard]] std::vector<Kernel> kernels() const;
  /// The jit functions of a Python file that stand inside classes and functions, where they cannot
  /// be taken.
  [[nodiscard]] std::vector<NestedKernel> nested_kernels() const;
  /// The function of this name. The error lists what there is.
  [[nodiscard]] Result<Kernel> kernel(std::string_view name) const;
  /// The only kernel of the text: the one function that no other function of it uses.
  [[nodiscard]] Result<Kernel> only_kernel() const;

  /// The text, printed from its syntax tree: the same program, evenly formatted.
  [[nodiscard]] std::string ast_text() const;
  /// Number of specialisations made so far.
  [[nodiscard]] std::size_t specialisation_count() const;

  struct Impl;

  [[nodiscard]] const std::shared_ptr<Impl>& impl() const { return impl_; }

  explicit Library(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace tilery::inline v0
