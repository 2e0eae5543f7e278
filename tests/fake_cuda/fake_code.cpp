// Modules and kernels of the stand-in, and their launches.
#include "tests/fake_cuda/fake_state.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <string>
#include <string_view>

using namespace fake_cuda;

namespace {

// ---- kernels ----

template <class T>
T parameter(std::size_t offset) {
  T v{};
  std::memcpy(&v, state().last.parameters + offset, sizeof v);
  return v;
}

Code run_kernel(const FakeKernel& kernel) {
  const std::size_t at = kernel.text.find("// fake: ");
  if (at == std::string::npos) {
    return Code::Success;
  }
  const char* what = kernel.text.c_str() + at + 9;
  if (std::string_view(what).starts_with("assert")) {
    state().is_lost = true;
    return Code::Success;
  }
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t count = 0;
  if (std::sscanf(what, "copy %zu %zu %zu", &from, &to, &count) != 3) {
    return Code::InvalidValue;
  }
  const std::size_t bytes = static_cast<std::size_t>(parameter<std::int32_t>(count)) * 4;
  const auto source = parameter<DevicePointer>(from);
  const auto target = parameter<DevicePointer>(to);
  if (!is_allocated(source, bytes) || !is_allocated(target, bytes)) {
    state().is_lost = true;
    return Code::Success;
  }
  std::memmove(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source), bytes);
  return Code::Success;
}

Code launch(KernelHandle function, const LaunchConfig& config, unsigned cluster, void** extra) {
  auto* kernel = reinterpret_cast<FakeKernel*>(function);
  const std::scoped_lock lock(state().mutex);
  if (!state().kernels.contains(kernel)) {
    return Code::InvalidHandle;
  }
  const unsigned threads = config.block_x * config.block_y * config.block_z;
  const bool is_packed =
      extra == nullptr || (extra[0] == kLaunchParamBufferPointer && extra[1] != nullptr &&
                           extra[2] == kLaunchParamBufferSize && extra[4] == kLaunchParamEnd);
  if (!is_packed || threads == 0 || threads > 1024 || config.grid_x == 0 ||
      config.grid_x > 0x7fffffff || config.grid_y == 0 || config.grid_y > 65535 ||
      config.grid_z == 0 || config.grid_z > 65535 ||
      static_cast<int>(config.shared_bytes) > kernel->dynamic_shared_limit) {
    return Code::InvalidValue;
  }
  FakeLaunch& last = state().last;
  last = {{config.grid_x, config.grid_y, config.grid_z},
          {config.block_x, config.block_y, config.block_z},
          config.shared_bytes,
          config.stream,
          cluster,
          extra == nullptr ? 0 : *static_cast<std::size_t*>(extra[3]),
          {}};
  if (extra != nullptr) {
    std::memcpy(last.parameters, extra[1], std::min(last.parameter_bytes, sizeof last.parameters));
  }
  return state().is_capturing ? Code::Success : run_kernel(*kernel);
}

}  // namespace

extern "C" {

// ---- code ----

struct FakeLink {
  std::string text;
  char* log = nullptr;
  std::size_t log_bytes = 0;
};

FAKE Code cuLinkCreate_v2(unsigned count, JitOption* options, void** values, LinkState* link) {
  ENTER("cuLinkCreate", true)
  auto* made = new FakeLink;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == JitOption::ErrorLogBuffer) {
      made->log = static_cast<char*>(values[i]);
    } else if (options[i] == JitOption::ErrorLogBufferBytes) {
      made->log_bytes = reinterpret_cast<std::size_t>(values[i]);
    }
  }
  *link = reinterpret_cast<LinkState>(made);
  return Code::Success;
}

FAKE Code cuLinkAddData_v2(LinkState link, JitInput type, void* data, std::size_t size, const char*,
                           unsigned, JitOption*, void**) {
  ENTER("cuLinkAddData", true)
  auto& made = *reinterpret_cast<FakeLink*>(link);
  const std::string_view text(static_cast<const char*>(data), size);
  if (type != JitInput::Ptx || text.empty() || text.back() != '\0' ||
      text.find(".version") == std::string_view::npos) {
    std::snprintf(made.log, made.log_bytes, "ptxas fatal : line 1; expected .version\n");
    return Code::InvalidPtx;
  }
  made.text = text.substr(0, size - 1);
  return Code::Success;
}

FAKE Code cuLinkComplete(LinkState link, void** cubin, std::size_t* size) {
  ENTER("cuLinkComplete", true)
  auto& made = *reinterpret_cast<FakeLink*>(link);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  made.text.insert(0, reinterpret_cast<const char*>(&head), sizeof head);
  *cubin = made.text.data();
  *size = made.text.size();
  return Code::Success;
}

FAKE Code cuLinkDestroy(LinkState link) {
  ENTER("cuLinkDestroy", true)
  delete reinterpret_cast<FakeLink*>(link);
  return Code::Success;
}

FAKE Code cuModuleLoadData(Module* module, const void* image) {
  ENTER("cuModuleLoadData", true)
  const char* text = static_cast<const char*>(image) + sizeof(Elf64_Ehdr);
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0 ||
      std::string_view(text).find(".version") == std::string_view::npos) {
    return Code::NoBinaryForGpu;
  }
  auto* made = new FakeModule{text, {}};
  const std::scoped_lock lock(state().mutex);
  state().modules.insert(made);
  *module = reinterpret_cast<Module>(made);
  return Code::Success;
}

FAKE Code cuModuleLoadDataEx(Module* module, const void* image, unsigned count, JitOption* options,
                             void** values) {
  ENTER("cuModuleLoadDataEx", true)
  const bool is_elf = std::memcmp(image, ELFMAG, SELFMAG) == 0;
  const char* text = static_cast<const char*>(image) + (is_elf ? sizeof(Elf64_Ehdr) : 0);
  if (std::string_view(text).find(".version") == std::string_view::npos) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == JitOption::ErrorLogBuffer) {
        std::strcpy(static_cast<char*>(values[i]), "ptxas fatal : line 1; expected .version");
      }
    }
    return Code::InvalidPtx;
  }
  auto* made = new FakeModule{text, {}};
  const std::scoped_lock lock(state().mutex);
  state().modules.insert(made);
  *module = reinterpret_cast<Module>(made);
  return Code::Success;
}

FAKE Code cuModuleUnload(Module module) {
  ENTER("cuModuleUnload", true)
  const std::scoped_lock lock(state().mutex);
  auto* made = reinterpret_cast<FakeModule*>(module);
  if (state().modules.erase(made) == 0) {
    return Code::InvalidHandle;
  }
  for (const auto& kernel : made->kernels) {
    state().kernels.erase(kernel.get());
  }
  delete made;
  return Code::Success;
}

FAKE Code cuModuleGetFunction(KernelHandle* function, Module module, const char* name) {
  ENTER("cuModuleGetFunction", true)
  auto& made = *reinterpret_cast<FakeModule*>(module);
  if (made.text.find(std::string(".entry ") + name) == std::string::npos) {
    return Code::NotFound;
  }
  const std::scoped_lock lock(state().mutex);
  FakeKernel* kernel = made.kernels.emplace_back(new FakeKernel{made.text}).get();
  state().kernels.insert(kernel);
  *function = reinterpret_cast<KernelHandle>(kernel);
  return Code::Success;
}

FAKE Code cuFuncGetAttribute(int* value, FunctionAttribute attribute, KernelHandle) {
  ENTER("cuFuncGetAttribute", true)
  *value = attribute == FunctionAttribute::Registers ? 40 : 0;
  return Code::Success;
}

FAKE Code cuFuncSetAttribute(KernelHandle function, FunctionAttribute attribute, int value) {
  ENTER("cuFuncSetAttribute", true)
  if (attribute == FunctionAttribute::MaxDynamicSharedBytes) {
    reinterpret_cast<FakeKernel*>(function)->dynamic_shared_limit = value;
  }
  return Code::Success;
}

FAKE Code cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, KernelHandle, int threads,
                                                      std::size_t) {
  ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor", true)
  *blocks = 2048 / threads;
  return Code::Success;
}

FAKE Code cuLaunchKernel(KernelHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, Stream stream, void**, void** extra) {
  ENTER("cuLaunchKernel", true)
  return launch(
      function,
      {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, nullptr, 0}, 0,
      extra);
}

FAKE Code cuLaunchKernelEx(const LaunchConfig* config, KernelHandle function, void**,
                           void** extra) {
  ENTER("cuLaunchKernelEx", true)
  unsigned cluster = 0;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    if (config->attributes[i].id == LaunchAttributeId::ClusterDimension) {
      cluster = config->attributes[i].value[0];
    }
  }
  return cluster != 0 && config->grid_x % cluster != 0 ? Code::InvalidValue
                                                       : launch(function, *config, cluster, extra);
}

}  // extern "C"
