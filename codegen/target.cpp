#include "codegen/target.h"

#include <algorithm>
#include <array>

namespace tilery::codegen {
namespace {

struct Chip {
  std::string_view name;
  Target target;
  std::uint32_t max_shared_bytes;
};

// Lowest PTX version with the instructions that we use on the chip; shared memory from the CUDA
// programming guide's table of technical specifications.
constexpr std::array kChips{
    Chip{"sm_80", {80, false, 80}, 166912},   Chip{"sm_86", {86, false, 80}, 101376},
    Chip{"sm_87", {87, false, 80}, 166912},   Chip{"sm_89", {89, false, 81}, 101376},
    Chip{"sm_90", {90, false, 80}, 232448},   Chip{"sm_90a", {90, true, 80}, 232448},
    Chip{"sm_100", {100, false, 86}, 232448}, Chip{"sm_103", {103, false, 88}, 232448},
    Chip{"sm_120", {120, false, 87}, 101376},
};

const Chip* find_chip(const Target& target) {
  const auto* found = std::ranges::find_if(kChips, [&](const Chip& chip) {
    return chip.target.sm == target.sm && chip.target.exact_chip == target.exact_chip;
  });
  return found == kChips.end() ? nullptr : found;
}

}  // namespace

std::string Target::name() const {
  return "sm_" + std::to_string(sm) + (exact_chip ? "a" : "");
}

std::uint32_t Target::max_shared_bytes() const {
  const Chip* chip = find_chip(*this);
  return chip == nullptr ? 101376 : chip->max_shared_bytes;
}

std::optional<Target> parse_target(std::string_view name) {
  const auto* found = std::ranges::find(kChips, name, &Chip::name);
  return found == kChips.end() ? std::nullopt : std::optional(found->target);
}

std::span<const std::string_view> target_names() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kChips.size()> names;
    std::ranges::transform(kChips, names.begin(), &Chip::name);
    return names;
  }();
  return kNames;
}

std::optional<Target> target_of_device(int major, int minor) {
  const int sm = major * 10 + minor;
  if (sm < 80) {
    return std::nullopt;
  }
  // The nearest known chip below: its code runs on the later ones of the same line.
  const Chip* best = nullptr;
  for (const Chip& chip : kChips) {
    if (chip.target.sm <= sm && (!chip.target.exact_chip || chip.target.sm == sm)) {
      best = &chip;
    }
  }
  return best->target;
}

}  // namespace tilery::codegen
