#include "tools/slip.h"

namespace tilery::tools {

bool is_one_slip(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  const bool is_exchange = a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
  return is_exchange || (a.size() <= 1 && b.size() <= 1);
}

}  // namespace tilery::tools
