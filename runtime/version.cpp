#include "tilery/version.h"

#include "codegen/llvm_release.h"
#include "interpreter/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace tilery::inline v0 {

std::string_view version() {
  return TILERY_VERSION;
}

HostInfo host_info() {
  HostInfo info;
  info.instruction_set = interpreter::kernels().isa;
  info.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  info.build = fmt::format("g++ {}, {}", __VERSION__, TILERY_BUILD_TYPE);
  info.llvm = codegen::llvm_version();
  return info;
}

}  // namespace tilery::inline v0
