#include "ir/signature_match.h"

#include "ir/support/check.h"

#include <fmt/format.h>

namespace tilery {
namespace {

/// "`i1`", or "one of `i32`, `u32`" for a set.
std::string set_names(std::uint32_t set) {
  std::string text;
  int count = 0;
  for (int i = 0; i < kScalarCount; ++i) {
    if ((set >> i & 1U) != 0) {
      text += fmt::format("{}`{}`", count++ == 0 ? "" : ", ", ir_name(static_cast<Scalar>(i)));
    }
  }
  return count > 1 ? "one of " + text : text;
}

/// What a pattern's class asks for, as the end of "it must be …".
std::string class_phrase(const ValuePattern& pattern) {
  switch (pattern.element_class) {
    case ElementClass::Any:
      return "any type";
    case ElementClass::Number:
      return "a number, not a pointer";
    case ElementClass::Integer:
      return "an integer";
    case ElementClass::Float:
      return "a float (`f16`, `bf16`, `f32` or `f64`)";
    case ElementClass::Pointer:
      return "a pointer";
    case ElementClass::Set:
      return set_names(pattern.scalar_set);
  }
  return {};
}

bool class_fits(const ValuePattern& pattern, const ElementType& element) {
  const Scalar scalar = element.scalar;
  switch (pattern.element_class) {
    case ElementClass::Any:
      return true;
    case ElementClass::Number:
      return !element.is_pointer();
    case ElementClass::Integer:
      return !element.is_pointer() && is_integer(scalar);
    case ElementClass::Float:
      return !element.is_pointer() && is_float(scalar) && !is_fp8(scalar);
    case ElementClass::Pointer:
      return element.is_pointer();
    case ElementClass::Set:
      return !element.is_pointer() && (pattern.scalar_set >> static_cast<int>(scalar) & 1U) != 0;
  }
  return false;
}

std::string_view kind_phrase(ValueKind kind) {
  switch (kind) {
    case ValueKind::Tile:
      return "a tile";
    case ValueKind::Buffer:
      return "a buffer";
    case ValueKind::Descriptor:
      return "a tensor descriptor";
    case ValueKind::Barrier:
      return "a barrier";
    case ValueKind::Token:
      return "a token";
  }
  return {};
}

}  // namespace

std::string NamedType::sentence() const {
  return name.empty() ? fmt::format("the result of `{}` is `{}`", op_id, type->str())
                      : fmt::format("`{}` of `{}` is `{}`", name, op_id, type->str());
}

std::string NamedType::subject() const {
  return name.empty() ? std::string("the result") : fmt::format("`{}`", name);
}

std::string NamedType::short_sentence() const {
  return fmt::format("{} is `{}`", subject(), type->str());
}

template <class T>
void Bindings::List<T>::add(const T& entry) {
  TILERY_CHECK(static_cast<std::size_t>(count) < entries.size(),
               "a signature with more letters than fit");
  entries[static_cast<std::size_t>(count++)] = entry;
}

std::string Bindings::match(const ValuePattern& pattern, const NamedType& value) {
  if (pattern.kind != ValueKind::Tile) {
    return fmt::format("{}; it must be {}", value.sentence(), kind_phrase(pattern.kind));
  }
  std::string error = match_element(pattern, value);
  return error.empty() ? match_shape(pattern, value) : error;
}

std::string Bindings::match_element(const ValuePattern& pattern, const NamedType& value) {
  ElementType element = value.type->element;
  if (pattern.is_pointer_to) {
    if (!element.is_pointer()) {
      return fmt::format("{}; it must be a pointer", value.sentence());
    }
    element = element.pointee();
  }
  if (!class_fits(pattern, element)) {
    return fmt::format("{}; it must {} {}", value.sentence(),
                       pattern.is_pointer_to ? "point to" : "be", class_phrase(pattern));
  }
  if (pattern.element_letter == '\0') {
    return {};
  }
  const Element* bound = elements_.find(pattern.element_letter);
  if (bound == nullptr) {
    elements_.add({pattern.element_letter, element, value});
    return {};
  }
  if (bound->element == element) {
    return {};
  }
  return fmt::format(
      "{}, but {}: {} must have element type `{}`", value.sentence(), bound->from.short_sentence(),
      value.subject(),
      pattern.is_pointer_to ? bound->element.pointer_to().str() : bound->element.str());
}

std::string Bindings::match_shape(const ValuePattern& pattern, const NamedType& value) {
  const int rank = value.type->shape.rank();
  const int fixed = pattern.extent_count;
  if (pattern.variadic_letter == '\0' && rank != fixed) {
    return fixed == 0 ? fmt::format("{}; it must be a scalar", value.sentence())
                      : fmt::format("{}; it must have {} axes", value.sentence(), fixed);
  }
  if (rank < fixed) {
    return fmt::format("{}; it must have at least {} axes", value.sentence(), fixed);
  }
  if (pattern.variadic_letter != '\0') {
    std::string error = match_prefix(pattern, value);
    if (!error.empty()) {
      return error;
    }
  }
  for (int i = 0; i < fixed; ++i) {
    std::string error =
        match_extent(pattern.extents[static_cast<std::size_t>(i)], rank - fixed + i, value);
    if (!error.empty()) {
      return error;
    }
  }
  return {};
}

std::string Bindings::match_prefix(const ValuePattern& pattern, const NamedType& value) {
  const Shape& shape = value.type->shape;
  const int prefix = shape.rank() - pattern.extent_count;
  const Prefix* bound = prefixes_.find(pattern.variadic_letter);
  if (bound == nullptr) {
    prefixes_.add({pattern.variadic_letter, prefix, value});
    return {};
  }
  const Shape& other = bound->from.type->shape;
  if (prefix == bound->rank && std::equal(shape.begin(), shape.begin() + prefix, other.begin())) {
    return {};
  }
  const bool whole = pattern.extent_count == 0 && bound->rank == other.rank();
  if (whole) {
    return fmt::format("{}, but {}: {} must have shape `{}`", value.sentence(),
                       bound->from.short_sentence(), value.subject(), other.str());
  }
  const std::span<const std::int32_t> batch(other.begin(), static_cast<std::size_t>(bound->rank));
  return fmt::format("{}, but {}: {} must begin with extents `[{}]`", value.sentence(),
                     bound->from.short_sentence(), value.subject(), fmt::join(batch, ", "));
}

std::string Bindings::match_extent(const ExtentPattern& pattern, int axis, const NamedType& value) {
  const std::int64_t extent = value.type->shape[axis];
  if (pattern.letter == '\0') {
    return extent == pattern.literal ? std::string()
                                     : fmt::format("{}; its axis {} must have extent {}",
                                                   value.sentence(), axis, pattern.literal);
  }
  const Extent* bound = extents_.find(pattern.letter);
  if (bound == nullptr) {
    extents_.add({pattern.letter, extent * pattern.divisor, axis, value});
    return {};
  }
  if (bound->extent == extent * pattern.divisor) {
    return {};
  }
  const std::string share =
      pattern.divisor == 1 ? std::string() : fmt::format("1/{} of ", pattern.divisor);
  return fmt::format("{}, but {}: axis {} of {} must have {}the extent of axis {} of {}, {}",
                     value.sentence(), bound->from.short_sentence(), axis, value.subject(), share,
                     bound->axis, bound->from.subject(), bound->extent);
}

std::optional<Type> Bindings::type_of(const ValuePattern& pattern) const {
  Type type;
  if (pattern.kind != ValueKind::Tile) {
    return std::nullopt;
  }
  if (pattern.element_letter != '\0') {
    const Element* element = elements_.find(pattern.element_letter);
    if (element == nullptr) {
      return std::nullopt;
    }
    type.element = element->element;
  } else {
    type.element = static_cast<Scalar>(__builtin_ctz(pattern.scalar_set));
  }
  if (pattern.is_pointer_to) {
    type.element = type.element.pointer_to();
  }
  if (pattern.variadic_letter != '\0') {
    const Prefix* prefix = prefixes_.find(pattern.variadic_letter);
    if (prefix == nullptr) {
      return std::nullopt;
    }
    if (prefix->rank + pattern.extent_count > Shape::kMaxRank) {
      return std::nullopt;
    }
    for (int axis = 0; axis < prefix->rank; ++axis) {
      type.shape.push_back(prefix->from.type->shape[axis]);
    }
  }
  for (int i = 0; i < pattern.extent_count; ++i) {
    const ExtentPattern& extent = pattern.extents[static_cast<std::size_t>(i)];
    const Extent* bound = extents_.find(extent.letter);
    if (extent.letter != '\0' && bound == nullptr) {
      return std::nullopt;
    }
    type.shape.push_back(extent.letter == '\0' ? extent.literal : bound->extent / extent.divisor);
  }
  return type;
}

}  // namespace tilery
