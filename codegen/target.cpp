#include "codegen/target.h"

#include "codegen/llvm_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tilery::codegen {
namespace {

struct Chip {
  std::string_view name;
  Target target;
  SmLimits sm;
  int first_llvm = 20;  ///< the first version of LLVM that writes code for it
};

constexpr std::uint32_t kKib = 1024;

// Lowest PTX version with the instructions that we use on the chip; blocks, warps, registers and
// shared memory of an SM from the CUDA programming guide's table of technical specifications.
// clang-format off
constexpr std::array kChips{
    Chip{"sm_80",  {80, false, 80},  {32, 64, 65536, 164 * kKib}},
    Chip{"sm_86",  {86, false, 80},  {16, 48, 65536, 100 * kKib}},
    Chip{"sm_87",  {87, false, 80},  {16, 48, 65536, 164 * kKib}},
    Chip{"sm_89",  {89, false, 81},  {24, 48, 65536, 100 * kKib}},
    Chip{"sm_90",  {90, false, 80},  {32, 64, 65536, 228 * kKib}},
    Chip{"sm_90a", {90, true, 80},   {32, 64, 65536, 228 * kKib}},
    Chip{"sm_100", {100, false, 86}, {32, 64, 65536, 228 * kKib}},
    Chip{"sm_103", {103, false, 88}, {32, 64, 65536, 228 * kKib}, 21},
    Chip{"sm_120", {120, false, 87}, {32, 48, 65536, 100 * kKib}},
};
// clang-format on
/// Of a chip that is not in the table.
constexpr SmLimits kSmallestSm{16, 48, 65536, 100 * kKib};

const Chip* find_chip(const Target& target) {
  const auto* found = std::ranges::find_if(kChips, [&](const Chip& chip) {
    return chip.target.sm == target.sm && chip.target.exact_chip == target.exact_chip;
  });
  return found == kChips.end() ? nullptr : found;
}

constexpr bool is_in_llvm(const Chip& chip) {
  return chip.first_llvm <= TILERY_LLVM_MAJOR;
}

}  // namespace

std::string Target::name() const {
  return "sm_" + std::to_string(sm) + (exact_chip ? "a" : "");
}

std::uint32_t Target::max_shared_bytes() const {
  return sm_limits().shared_bytes - kReservedSharedBytes;
}

SmLimits Target::sm_limits() const {
  const Chip* chip = find_chip(*this);
  return chip == nullptr ? kSmallestSm : chip->sm;
}

std::string_view llvm_version() {
  return TILERY_LLVM_VERSION;
}

Status check_target(const Target& target) {
  const Chip* chip = find_chip(target);
  if (chip == nullptr || is_in_llvm(*chip)) {
    return Ok{};
  }
  return Error{ErrorKind::Usage,
               fmt::format("LLVM {}, with which this Tilery was built, makes no code for {}; LLVM "
                           "{} does",
                           llvm_version(), chip->name, chip->first_llvm)};
}

std::optional<Target> parse_target(std::string_view name) {
  const auto* found = std::ranges::find(kChips, name, &Chip::name);
  return found == kChips.end() ? std::nullopt : std::optional(found->target);
}

std::span<const std::string_view> target_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const Chip& chip : kChips) {
      if (is_in_llvm(chip)) {
        result.push_back(chip.name);
      }
    }
    return result;
  }();
  return names;
}

std::optional<Target> target_of_device(int major, int minor) {
  const int sm = major * 10 + minor;
  if (sm < 80) {
    return std::nullopt;
  }
  // The nearest known chip below: its code runs on the later ones of the same line.
  const Chip* best = nullptr;
  for (const Chip& chip : kChips) {
    if (is_in_llvm(chip) && chip.target.sm <= sm &&
        (!chip.target.exact_chip || chip.target.sm == sm)) {
      best = &chip;
    }
  }
  return best->target;
}

}  // namespace tilery::codegen
