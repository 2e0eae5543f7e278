#include "ir/function.h"

#include "ir/attributes.h"
#include "ir/support/check.h"
#include "ir/support/number.h"

namespace tilery {

std::span<const ValueId> Inst::group(int g) const {
  std::size_t begin = 0;
  for (int i = 0; i < g; ++i) {
    begin += segments[static_cast<std::size_t>(i)];
  }
  return std::span(operands).subspan(begin, segments[static_cast<std::size_t>(g)]);
}

ValueId Inst::operand(int g) const {
  const std::span<const ValueId> members = group(g);
  return members.empty() ? ValueId() : members.front();
}

std::vector<ValueId> Inst::results() const {
  std::vector<ValueId> values;
  for (std::uint32_t i = 0; i < result_count; ++i) {
    values.push_back(result(i));
  }
  return values;
}

SourceRange Function::range(LocId loc) const {
  return loc ? locations[loc.index].range : SourceRange();
}

std::optional<std::uint64_t> Function::constant_bits(ValueId id) const {
  const InstId def = value(id).def;
  if (!def || inst(def).op != Op::Constant) {
    return std::nullopt;
  }
  return bits_attr<"value">(inst(def));
}

Attr default_attr(const AttrPattern& pattern) {
  TILERY_CHECK(pattern.has_default, pattern.name);
  const std::string_view text = pattern.default_text;
  switch (pattern.kind) {
    case AttrKind::Int:
      return parse_number<std::int64_t>(text).value_or(0);
    case AttrKind::Ints:
      return std::vector<std::int64_t>();
    case AttrKind::Bool:
      return text == "true";
    case AttrKind::String:
      return std::string(text);
    case AttrKind::Bits:
      return Bits();
    case AttrKind::Enum:
      return std::int64_t{enumerator_index(pattern.enumerators, text)};
  }
  return std::int64_t{0};
}

bool attr_fits(const AttrPattern& pattern, const Attr& attr) {
  switch (pattern.kind) {
    case AttrKind::Int:
      return std::holds_alternative<std::int64_t>(attr);
    case AttrKind::Ints:
      return std::holds_alternative<std::vector<std::int64_t>>(attr);
    case AttrKind::Bool:
      return std::holds_alternative<bool>(attr);
    case AttrKind::String:
      return std::holds_alternative<std::string>(attr);
    case AttrKind::Bits:
      return std::holds_alternative<Bits>(attr);
    case AttrKind::Enum: {
      const auto* index = std::get_if<std::int64_t>(&attr);
      return index != nullptr && !enumerator_name(pattern.enumerators, *index).empty();
    }
  }
  return false;
}

}  // namespace tilery
