// One function of a library that can be launched.
#pragma once

#include "tilery/argument.h"
#include "tilery/message.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilery::inline v0 {

/// A parameter of a kernel.
struct Parameter {
  std::string name;
  bool is_constexpr = false;
  /// The type that the annotation fixes, as kernels write it ("fp16", "*fp32"); may be empty.
  std::string type;
  bool has_default = false;
  /// The default as Python writes it, if there is one.
  std::string default_text;
  Place place;
};

/// A kernel of a Library, which it keeps alive. A handle; cheap to copy.
class TILERY_API Kernel {
 public:
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& docstring() const;
  [[nodiscard]] const std::vector<Parameter>& parameters() const;
  /// The function's name in the source text.
  [[nodiscard]] const Place& place() const;
  /// True for a function that other functions of the text use, so most likely a helper of theirs.
  [[nodiscard]] bool is_helper() const;

  struct Impl;

  [[nodiscard]] const std::shared_ptr<const Impl>& impl() const { return impl_; }

  explicit Kernel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace tilery::inline v0
