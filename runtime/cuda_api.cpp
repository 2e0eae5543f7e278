#include "runtime/cuda_api.h"

#include <fmt/format.h>

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace tilery {

namespace {

/// The lowest driver that reads the PTX that we write (8.0), and the release that brought it.
constexpr int kLowestVersion = 12000;
constexpr const char* kLowestDriver = "525";

Error machine_error(std::string message) {
  return {ErrorKind::Machine, std::move(message), {}};
}

Error too_old(const std::string& path, const std::string& what) {
  return machine_error(
      fmt::format("{}: {}; Tilery needs CUDA {} or later (NVIDIA driver {} or later). Update the "
                  "driver, or run in interpret mode",
                  path, what, cuda_version_text(kLowestVersion), kLowestDriver));
}

/// Fills in the functions; the name of the first that is missing, or nullptr.
const char* resolve(CudaApi& api, void* library) {
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* symbol) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr && missing == nullptr) {
      missing = symbol;
    }
  };
#define TILERY_CUDA(name, symbol, parameters) find(api.name, symbol);
#include "runtime/cuda_api.def"
  return missing;
}

/// What to add to an error for people who meet it for the first time; may be empty.
std::string_view advice(cuda::Code code) {
  using cuda::Code;
  switch (code) {
    case Code::NoDevice:
      return "this machine has no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it";
    case Code::StubLibrary:
      return "this libcuda.so is the toolkit's stub; the driver's own must come first in the "
             "search path";
    case Code::SystemDriverMismatch:
      return "the driver's library and its kernel module have different versions: reboot, or match "
             "the container's driver to the host's";
    case Code::JitCompilerNotFound:
      return "libnvidia-ptxjitcompiler.so.1 of the driver is missing: containers need the "
             "`compute` and `utility` driver capabilities";
    case Code::UnsupportedPtxVersion:
      return "the driver is older than the GPU's instructions that the kernel uses: update it";
    case Code::JitCompilationDisabled:
      return "the environment sets CUDA_DISABLE_PTX_JIT: unset it";
    case Code::NoBinaryForGpu:
      return "the code is for another GPU than this one";
    case Code::LaunchOutOfResources:
      return "registers times threads exceed what one block may have: fewer warps (num_warps) or "
             "maxnreg help";
    case Code::Assert:
      return "a device_assert failed; this process can use the GPU no more, start it again";
    case Code::IllegalAddress:
    case Code::HardwareStackError:
    case Code::IllegalInstruction:
    case Code::MisalignedAddress:
    case Code::InvalidAddressSpace:
    case Code::InvalidPc:
    case Code::LaunchFailed:
      return "a kernel ran into a fault, and this process can use the GPU no more: start it again. "
             "Interpret mode finds the access, with its line";
    case Code::LaunchTimeout:
      return "the kernel ran longer than this GPU allows, since it also drives a display";
    case Code::StreamCaptureUnsupported:
      return "the stream is being captured: device buffers and `prepare` before the capture are "
             "what works there";
    case Code::InvalidPtx:
      return "the code that Tilery wrote is wrong, which is a bug of Tilery: please report it with "
             "the output of `tilery emit --stage ptx`";
    case Code::Success:
    case Code::InvalidValue:
    case Code::OutOfMemory:
    case Code::NotInitialized:
    case Code::Deinitialized:
    case Code::InvalidDevice:
    case Code::InvalidContext:
    case Code::InvalidHandle:
    case Code::NotFound:
      break;
  }
  return {};
}

/// Who has to act.
ErrorKind kind_of(cuda::Code code) {
  using cuda::Code;
  switch (code) {
    case Code::Assert:
    case Code::IllegalAddress:
    case Code::HardwareStackError:
    case Code::IllegalInstruction:
    case Code::MisalignedAddress:
    case Code::InvalidAddressSpace:
    case Code::InvalidPc:
    case Code::LaunchFailed:
    case Code::LaunchTimeout:
      return ErrorKind::Kernel;
    case Code::LaunchOutOfResources:
    case Code::StreamCaptureUnsupported:
      return ErrorKind::Usage;
    case Code::Success:
    case Code::InvalidValue:
    case Code::OutOfMemory:
    case Code::NotInitialized:
    case Code::Deinitialized:
    case Code::StubLibrary:
    case Code::NoDevice:
    case Code::InvalidDevice:
    case Code::InvalidContext:
    case Code::NoBinaryForGpu:
    case Code::InvalidPtx:
    case Code::JitCompilerNotFound:
    case Code::UnsupportedPtxVersion:
    case Code::JitCompilationDisabled:
    case Code::InvalidHandle:
    case Code::NotFound:
    case Code::SystemDriverMismatch:
      break;
  }
  return ErrorKind::Machine;
}

}  // namespace

std::string CudaApi::describe(cuda::Code code) const {
  const char* error_name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(code, &error_name) != cuda::Code::Success || error_name == nullptr) {
    return fmt::format("CUDA error {}", static_cast<int>(code));
  }
  if (cuGetErrorString(code, &text) != cuda::Code::Success || text == nullptr) {
    return error_name;
  }
  return fmt::format("{} ({})", error_name, text);
}

Error CudaApi::failure(cuda::Code code, std::string_view call, std::string_view purpose) const {
  std::string message = fmt::format("{}: {} failed with {}", purpose, call, describe(code));
  if (const std::string_view hint = advice(code); !hint.empty()) {
    message += fmt::format("; {}", hint);
  }
  return {kind_of(code), std::move(message), {}};
}

Result<CudaApi> load_cuda_api(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return machine_error(
        fmt::format("no NVIDIA driver: {}. GPUs need the driver's libcuda.so.1 (in a container: "
                    "started with its GPUs); without one, run in interpret mode",
                    dlerror()));
  }
  CudaApi api;
  if (const char* missing = resolve(api, library)) {
    return too_old(path, fmt::format("the driver has no {}", missing));
  }
  // The version first: it answers without a GPU, and an old driver explains other failures.
  if (api.cuDriverGetVersion(&api.driver_version) == cuda::Code::Success &&
      api.driver_version < kLowestVersion) {
    return too_old(path,
                   fmt::format("the driver offers CUDA {}", cuda_version_text(api.driver_version)));
  }
  if (const cuda::Code code = api.cuInit(0); code != cuda::Code::Success) {
    return api.failure(code, "cuInit", "cannot use GPUs");
  }
  return api;
}

Result<const CudaApi*> cuda_api() {
  static std::mutex mutex;
  static const CudaApi* loaded = nullptr;
  const std::scoped_lock lock(mutex);
  if (loaded == nullptr) {
    const char* path = std::getenv("TILERY_LIBCUDA");
    Result<CudaApi> api = load_cuda_api(path != nullptr && *path != '\0' ? path : "libcuda.so.1");
    if (!api) {
      return api.error();
    }
    loaded = new CudaApi(*api);
  }
  return loaded;
}

std::string grouped(std::uint64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) {
      text += ',';
    }
    text += digits[i];
  }
  return text;
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace tilery
