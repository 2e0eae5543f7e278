#include "tilery/device.h"

namespace tilery::inline v0 {

Device Device::interpreter() {
  return Device(Kind::Interpreter);
}

std::string Device::name() const {
  switch (kind_) {
    case Kind::Interpreter:
      return "interpret";
  }
  return {};
}

}  // namespace tilery::inline v0
