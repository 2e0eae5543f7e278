#include "interpreter/check/origins.h"

namespace tilery::interpreter {
namespace {

/// Past this many nodes a program's further events are not remembered (a node takes 56 bytes).
constexpr std::size_t kMostEvents = std::size_t{1} << 20;

}  // namespace

void Origins::clear() {
  undefined_.clear();
  events_.clear();
}

OriginCode Origins::add(const UndefinedOrigin& origin) {
  undefined_.push_back(origin);
  return static_cast<OriginCode>(undefined_.size());
}

OriginCode Origins::add(const EventOrigin& origin) {
  if (events_.size() >= kMostEvents) {
    return origin.left;
  }
  events_.push_back(origin);
  return static_cast<OriginCode>(events_.size());
}

OriginCode Origins::join(OriginCode a, OriginCode b) {
  if (a == b || b == 0) {
    return a;
  }
  if (a == 0) {
    return b;
  }
  // What was counted already has nothing left to tell.
  if (events_[a - 1].is_counted) {
    return b;
  }
  if (events_[b - 1].is_counted) {
    return a;
  }
  EventOrigin meeting;
  meeting.left = a;
  meeting.right = b;
  return add(meeting);
}

}  // namespace tilery::interpreter
