// Where kernels run.
#pragma once

#include "tilery/export.h"

#include <cstdint>
#include <string>

namespace tilery::inline v0 {

/// A place that runs kernels. A plain value.
class TILERY_API Device {
 public:
  enum class Kind : std::uint8_t { Interpreter };

  /// The CPU interpreter, which checks every access.
  static Device interpreter();

  [[nodiscard]] Kind kind() const { return kind_; }

  /// "interpret".
  [[nodiscard]] std::string name() const;

 private:
  explicit Device(Kind kind) : kind_(kind) {}

  Kind kind_;
};

}  // namespace tilery::inline v0
