// Values that cross from the host into a specialisation: compile-time arguments, module constants.
#pragma once

#include "ir/type.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tilery {

/// `None`.
struct HostNone {
  friend bool operator==(HostNone, HostNone) = default;
};

/// A jit function of the same unit or of an imported one, by name.
struct HostFunction {
  std::string name;
  friend bool operator==(const HostFunction&, const HostFunction&) = default;
};

/// A Python object known on the host. Integers beyond 64 bits do not cross.
struct HostValue {
  /// A tuple; with field names it is a namedtuple of that type name.
  struct Tuple {
    std::vector<HostValue> elements;
    std::string type_name;
    std::vector<std::string> field_names;
    friend bool operator==(const Tuple&, const Tuple&) = default;
  };

  /// Unsigned integers above 2^63 - 1 are kept apart from negative ones.
  std::variant<HostNone, bool, std::int64_t, std::uint64_t, double, std::string, ElementType,
               HostFunction, Tuple>
      data;
  friend bool operator==(const HostValue&, const HostValue&) = default;
};

}  // namespace tilery
