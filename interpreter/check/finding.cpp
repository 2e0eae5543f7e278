#include "interpreter/check/finding.h"

namespace tilery {

std::string_view finding_name(FindingKind kind) {
  switch (kind) {
    case FindingKind::OutOfBounds:
      return "out-of-bounds";
    case FindingKind::Race:
      return "race";
    case FindingKind::Uninitialised:
      return "uninitialised";
    case FindingKind::Overflow:
      return "overflow";
    case FindingKind::NumericWarning:
      return "numeric-warning";
    case FindingKind::MaskedLanes:
      return "masked-lanes";
    case FindingKind::BrokenPromise:
      return "broken-promise";
    case FindingKind::AssertionFailed:
      return "assertion-failed";
    case FindingKind::BadLoop:
      return "bad-loop";
    case FindingKind::Timeout:
      return "timeout";
  }
  return {};
}

bool is_warning(FindingKind kind) {
  return kind == FindingKind::NumericWarning || kind == FindingKind::MaskedLanes;
}

}  // namespace tilery
