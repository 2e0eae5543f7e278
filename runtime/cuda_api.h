// The CUDA driver, loaded when it is first needed.
//
// `libcuda.so.1` comes with the NVIDIA driver, not with us: it is opened with dlopen, so that
// Tilery builds, starts and runs in interpret mode on machines that have none. TILERY_LIBCUDA names
// another file, for tests. The functions are listed in cuda_api.def.
#pragma once

#include "runtime/cuda_types.h"
#include "tilery/result.h"

#include <string>
#include <string_view>

namespace tilery {

/// The functions of one driver library. Never unloaded: the driver does not survive it.
struct CudaApi {
#define TILERY_CUDA(name, symbol, parameters) cuda::Code(*name) parameters = nullptr;
  using Code = cuda::Code;
  using DeviceId = cuda::DeviceId;
  using DeviceAttribute = cuda::DeviceAttribute;
  using DevicePointer = cuda::DevicePointer;
  using Context = cuda::Context;
  using Stream = cuda::Stream;
  using Event = cuda::Event;
  using Module = cuda::Module;
  using KernelHandle = cuda::KernelHandle;
  using FunctionAttribute = cuda::FunctionAttribute;
  using PointerAttribute = cuda::PointerAttribute;
  using LinkState = cuda::LinkState;
  using JitOption = cuda::JitOption;
  using JitInput = cuda::JitInput;
  using LaunchConfig = cuda::LaunchConfig;
#include "runtime/cuda_api.def"

  int driver_version = 0;  ///< as CUDA counts: 13000 is 13.0

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  [[nodiscard]] std::string describe(cuda::Code code) const;

  /// The error of a failed call: "`purpose`: `call` failed with …", and what to do where that is
  /// known. `purpose` says what could not be done, with names, sizes and limits. A fault of a
  /// kernel is ErrorKind::Kernel, one that launch options mend ErrorKind::Usage, the rest the
  /// machine's.
  [[nodiscard]] Error failure(cuda::Code code, std::string_view call,
                              std::string_view purpose) const;
};

/// Opens the library at `path`, resolves every function and initialises it. Fails with
/// ErrorKind::Machine and the reason: no driver, one that is too old, no GPU.
[[nodiscard]] Result<CudaApi> load_cuda_api(const std::string& path);

/// The driver of this machine. Loaded once; a failure is not kept.
[[nodiscard]] Result<const CudaApi*> cuda_api();

/// "1,234,567": numbers of bytes in messages.
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "13.0" from 13000.
[[nodiscard]] std::string cuda_version_text(int version);

}  // namespace tilery
