#include "ir/op_table.h"

#include "ir/signature_reader.h"
#include "ir/support/check.h"

#include <algorithm>

namespace tilery {
namespace {

/// Stops the build at a row whose signature cannot be read; the template arguments of the failed
/// assertion are the mistake and its column in the signature.
template <SignatureError kError, int kColumn>
struct RowSignature {
  static constexpr bool kIsRead = true;
  static_assert(kError == SignatureError::None,
                "this row's signature has a mistake: see kError and kColumn, and signature.h");
};

// clang-format off
#define TILERY_OP(Name, id, level, family, text, effects, summary) \
  static_assert(RowSignature<read_signature(text).error, read_signature(text).column>::kIsRead);
#include "ir/ops.def"

constexpr std::array<OpDef, kOpCount> kOps = {{
#define TILERY_OP(Name, id, level, family, text, effects, summary)                              \
  {Op::Name, #Name, #id, OpLevel::level, OpFamily::family, OpEffects::effects, text, summary, \
   read_signature(text).signature},
#include "ir/ops.def"
}};
// clang-format on

/// Rows by id, for find_op.
constexpr std::array<std::uint8_t, kOpCount> kOpsById = [] {
  std::array<std::uint8_t, kOpCount> order{};
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::uint8_t>(i);
  }
  std::ranges::sort(order, [](std::uint8_t a, std::uint8_t b) { return kOps[a].id < kOps[b].id; });
  return order;
}();

static_assert(std::ranges::adjacent_find(kOpsById,
                                         [](std::uint8_t a, std::uint8_t b) {
                                           return kOps[a].id == kOps[b].id;
                                         }) == kOpsById.end(),
              "two rows of ops.def have the same id");

}  // namespace

const OpDef& op_def(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}

const OpDef* find_op(std::string_view id) {
  const auto found =
      std::ranges::lower_bound(kOpsById, id, {}, [](std::uint8_t i) { return kOps[i].id; });
  return found != kOpsById.end() && kOps[*found].id == id ? &kOps[*found] : nullptr;
}

std::span<const OpDef> all_ops() {
  return kOps;
}

int attr_index(Op op, std::string_view name) {
  const std::span<const AttrPattern> attrs = op_def(op).attr_patterns();
  const auto found =
      std::ranges::find_if(attrs, [&](const AttrPattern& attr) { return attr.name == name; });
  TILERY_CHECK(found != attrs.end(), name);
  return static_cast<int>(found - attrs.begin());
}

std::string_view level_name(OpLevel level) {
  switch (level) {
    case OpLevel::Tile:
      return "Tile";
    case OpLevel::Gpu:
      return "Gpu";
  }
  return {};
}

std::string_view family_name(OpFamily family) {
  switch (family) {
    case OpFamily::Program:
      return "Program";
    case OpFamily::Shape:
      return "Shape";
    case OpFamily::Map:
      return "Map";
    case OpFamily::Memory:
      return "Memory";
    case OpFamily::Reduce:
      return "Reduce";
    case OpFamily::Dot:
      return "Dot";
    case OpFamily::Control:
      return "Control";
    case OpFamily::Shared:
      return "Shared";
    case OpFamily::Debug:
      return "Debug";
  }
  return {};
}

std::string_view effects_name(OpEffects effects) {
  switch (effects) {
    case OpEffects::Pure:
      return "Pure";
    case OpEffects::Reads:
      return "Reads";
    case OpEffects::Writes:
      return "Writes";
    case OpEffects::ReadsWrites:
      return "ReadsWrites";
    case OpEffects::Regions:
      return "Regions";
    case OpEffects::Observes:
      return "Observes";
    case OpEffects::Control:
      return "Control";
  }
  return {};
}

}  // namespace tilery
