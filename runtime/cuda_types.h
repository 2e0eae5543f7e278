// The types and constants of the CUDA driver interface that Tilery uses, declared here so that
// neither CUDA's headers nor its toolkit are needed. Names and values are those of CUDA 13.0's
// cuda.h, with the prefixes left out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilery::cuda {

// The driver's types have these sizes, and its macros these values.
// NOLINTBEGIN(performance-enum-size, readability-identifier-naming)

/// CUresult; only the values that Tilery tells apart are named.
enum class Code : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  JitCompilerNotFound = 221,
  UnsupportedPtxVersion = 222,
  JitCompilationDisabled = 223,
  InvalidHandle = 400,
  NotFound = 500,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  SystemDriverMismatch = 803,
  StreamCaptureUnsupported = 900,
};

enum class DeviceAttribute : int {
  MultiprocessorCount = 16,
  L2CacheBytes = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedBytesPerMultiprocessor = 81,
  MaxSharedBytesPerBlockOptin = 97,
};

enum class FunctionAttribute : int {
  StaticSharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  BinaryVersion = 6,
  MaxDynamicSharedBytes = 8,
  NonPortableClusterSizeAllowed = 14,
};

enum class JitOption : int {
  InfoLogBuffer = 3,
  InfoLogBufferBytes = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferBytes = 6,
  LogVerbose = 12,
};

enum class JitInput : int { Cubin = 0, Ptx = 1 };

enum class PointerAttribute : int { MemoryType = 2, DeviceOrdinal = 9 };

using DeviceId = int;
using DevicePointer = std::uint64_t;
using Context = struct ContextTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Module = struct ModuleTag*;
using KernelHandle = struct KernelTag*;
using LinkState = struct LinkStateTag*;

/// The driver counts addresses on a GPU as numbers; the interface passes them as pointers.
inline void* pointer_of(DevicePointer address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Keys of cuLaunchKernel's `extra`: the parameters as one packed block.
inline void* const kLaunchParamEnd = nullptr;
inline void* const kLaunchParamBufferPointer = reinterpret_cast<void*>(1);
inline void* const kLaunchParamBufferSize = reinterpret_cast<void*>(2);

enum class LaunchAttributeId : unsigned { ClusterDimension = 4 };

// NOLINTEND(performance-enum-size, readability-identifier-naming)

/// CUlaunchAttribute: the value starts at byte 8 and has 64 bytes.
struct LaunchAttribute {
  LaunchAttributeId id = LaunchAttributeId::ClusterDimension;
  std::uint32_t padding = 0;
  std::uint32_t value[16] = {};
};

static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid_x = 1;
  unsigned grid_y = 1;
  unsigned grid_z = 1;
  unsigned block_x = 1;
  unsigned block_y = 1;
  unsigned block_z = 1;
  unsigned shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

static_assert(offsetof(LaunchConfig, stream) == 32 && sizeof(LaunchConfig) == 56);

}  // namespace tilery::cuda
