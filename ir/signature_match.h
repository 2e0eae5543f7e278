// Fitting types to the patterns of a signature: what each letter stands for in one use of an op.
#pragma once

#include "ir/signature.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tilery {

/// A value met in a use of an op: its type, and what messages call it ("`rhs` of `add`" needs the
/// name, "the result" has none). The type must outlive the bindings made from it.
struct NamedType {
  const Type* type = nullptr;
  std::string_view name;
  std::string_view op_id;

  /// "`rhs` of `add` is `f32[8]`"
  [[nodiscard]] std::string sentence() const;
  /// "`rhs`"
  [[nodiscard]] std::string subject() const;
  /// "`rhs` is `f32[8]`"
  [[nodiscard]] std::string short_sentence() const;
};

/// What the letters of one signature stand for so far. Cheap to copy, since each member of a pack
/// starts from a copy of what stands before the pack.
class Bindings {
 public:
  /// Fits a type to a pattern and binds the letters that are new. Returns what is wrong, in the
  /// style of diagnostics, or an empty string.
  [[nodiscard]] std::string match(const ValuePattern& pattern, const NamedType& value);

  /// The type that a pattern stands for, or nothing if one of its letters is not bound or the shape
  /// would have too many axes.
  [[nodiscard]] std::optional<Type> type_of(const ValuePattern& pattern) const;

 private:
  // Each binding remembers the value that it came from, for messages.
  struct Element {
    char letter;
    ElementType element;
    NamedType from;
  };

  struct Prefix {
    char letter;
    /// The letter stands for the first `rank` extents of the value's shape.
    int rank;
    NamedType from;
  };

  struct Extent {
    char letter;
    std::int64_t extent;
    int axis;
    NamedType from;
  };

  /// The bindings of one kind, at most four a signature.
  template <class T>
  struct List {
    std::array<T, 4> entries;
    int count = 0;

    [[nodiscard]] const T* find(char letter) const {
      for (int i = 0; i < count; ++i) {
        if (entries[static_cast<std::size_t>(i)].letter == letter) {
          return &entries[static_cast<std::size_t>(i)];
        }
      }
      return nullptr;
    }

    void add(const T& entry);
  };

  [[nodiscard]] std::string match_element(const ValuePattern& pattern, const NamedType& value);
  [[nodiscard]] std::string match_shape(const ValuePattern& pattern, const NamedType& value);
  [[nodiscard]] std::string match_prefix(const ValuePattern& pattern, const NamedType& value);
  [[nodiscard]] std::string match_extent(const ExtentPattern& pattern, int axis,
                                         const NamedType& value);

  List<Element> elements_{};
  List<Prefix> prefixes_{};
  List<Extent> extents_{};
};

}  // namespace tilery
