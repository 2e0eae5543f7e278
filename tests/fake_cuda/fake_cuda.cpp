// A stand-in for libcuda.so.1: devices, contexts, memory, streams and events. Code and launches are
// in fake_code.cpp; fake_cuda.h says what it can do.
#include "tests/fake_cuda/fake_cuda.h"

#include "tests/fake_cuda/fake_state.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace fake_cuda {
namespace {

/// The error that FAKE_CUDA_FAIL wants from the call.
Code wanted_failure(const char* call) {
  const std::string wishes = "," + variable("FAKE_CUDA_FAIL");
  const std::size_t at = wishes.find("," + std::string(call) + "=");
  return at == std::string::npos ? Code::Success
                                 : static_cast<Code>(std::strtol(
                                       wishes.c_str() + wishes.find('=', at) + 1, nullptr, 10));
}

/// Writes past the C library, as the driver does what kernels print.
void print(int descriptor, const char* name) {
  const std::string text = variable(name);
  if (write(descriptor, text.data(), text.size()) < 0) {
    std::abort();
  }
}

constexpr int kMaxDevices = 8;
/// Primary contexts, and others, are addresses in here.
std::array<char, 2 * kMaxDevices> contexts;

Context primary(int device) {
  return reinterpret_cast<Context>(&contexts[static_cast<std::size_t>(device)]);
}

int device_of(Context context) {
  return static_cast<int>(reinterpret_cast<char*>(context) - contexts.data()) % kMaxDevices;
}

thread_local std::array<Context, 16> context_stack{};
thread_local std::size_t context_depth = 0;

Context current() {
  return context_depth == 0 ? nullptr : context_stack[context_depth - 1];
}

}  // namespace

// ---- what the environment asks for ----

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

long number_of(const char* name, long otherwise) {
  const std::string text = variable(name);
  return text.empty() ? otherwise : std::strtol(text.c_str(), nullptr, 10);
}

// ---- state ----

State& state() {
  static State& s = *new State;
  return s;
}

Code enter(const char* call, bool needs_context) {
  if (variable("FAKE_CUDA_CRASH") == call) {
    std::abort();
  }
  while (variable("FAKE_CUDA_HANG") == call) {
    pause();
  }
  const std::scoped_lock lock(state().mutex);
  ++state().calls[call];
  const Code wanted = wanted_failure(call);
  if (wanted != Code::Success || !needs_context) {
    return wanted;
  }
  if (current() == nullptr) {
    return Code::InvalidContext;
  }
  return state().is_lost ? Code::LaunchFailed : Code::Success;
}

bool is_allocated(DevicePointer pointer, std::size_t bytes) {
  auto after = state().memory.upper_bound(pointer);
  if (after == state().memory.begin()) {
    return false;
  }
  const auto& [begin, size] = *std::prev(after);
  return pointer - begin <= size && bytes <= size - (pointer - begin);
}

}  // namespace fake_cuda

using namespace fake_cuda;

namespace {

Code copy(void* to, const void* from, std::size_t bytes, DevicePointer device_side) {
  {
    const std::scoped_lock lock(state().mutex);
    if (!is_allocated(device_side, bytes) || state().is_capturing) {
      return state().is_capturing ? Code::StreamCaptureUnsupported : Code::InvalidValue;
    }
  }
  std::memcpy(to, from, bytes);
  return Code::Success;
}

}  // namespace

extern "C" {

// ---- start, errors, devices ----

FAKE Code cuInit(unsigned) {
  ENTER("cuInit")
  return Code::Success;
}

FAKE Code cuDriverGetVersion(int* version) {
  *version = static_cast<int>(number_of("FAKE_CUDA_VERSION", 13000));
  return enter("cuDriverGetVersion");
}

FAKE Code cuGetErrorName(Code code, const char** name) {
  static const std::map<Code, const char*> names = {
      {Code::InvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {Code::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {Code::NoDevice, "CUDA_ERROR_NO_DEVICE"},
      {Code::InvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {Code::LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {Code::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {Code::LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto found = names.find(code);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? Code::InvalidValue : Code::Success;
}

FAKE Code cuGetErrorString(Code, const char** text) {
  *text = "a failure of the stand-in";
  return Code::Success;
}

FAKE Code cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount")
  *count = static_cast<int>(number_of("FAKE_CUDA_DEVICES", 1));
  return Code::Success;
}

FAKE Code cuDeviceGet(DeviceId* device, int ordinal) {
  ENTER("cuDeviceGet")
  *device = ordinal;
  return Code::Success;
}

FAKE Code cuDeviceGetName(char* name, int size, DeviceId device) {
  ENTER("cuDeviceGetName")
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU %d", device);
  return Code::Success;
}

FAKE Code cuDeviceTotalMem_v2(std::size_t* bytes, DeviceId) {
  ENTER("cuDeviceTotalMem")
  *bytes = static_cast<std::size_t>(number_of("FAKE_CUDA_MEMORY", 1L << 40));
  return Code::Success;
}

FAKE Code cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceId) {
  ENTER("cuDeviceGetAttribute")
  const int capability = static_cast<int>(number_of("FAKE_CUDA_CAPABILITY", 90));
  switch (attribute) {
    case DeviceAttribute::L2CacheBytes:
      *value = 1 << 20;
      return Code::Success;
    case DeviceAttribute::MultiprocessorCount:
      *value = 132;
      return Code::Success;
    case DeviceAttribute::ComputeCapabilityMajor:
      *value = capability / 10;
      return Code::Success;
    case DeviceAttribute::ComputeCapabilityMinor:
      *value = capability % 10;
      return Code::Success;
    case DeviceAttribute::MaxSharedBytesPerMultiprocessor:
      *value = 233472;
      return Code::Success;
    case DeviceAttribute::MaxSharedBytesPerBlockOptin:
      *value = static_cast<int>(number_of("FAKE_CUDA_SHARED", 232448));
      return Code::Success;
  }
  return Code::InvalidValue;
}

// ---- contexts ----

FAKE Code cuDevicePrimaryCtxRetain(Context* context, DeviceId device) {
  ENTER("cuDevicePrimaryCtxRetain")
  *context = primary(device);
  return Code::Success;
}

FAKE Code cuDevicePrimaryCtxRelease_v2(DeviceId) {
  ENTER("cuDevicePrimaryCtxRelease")
  return Code::Success;
}

FAKE Code cuCtxGetCurrent(Context* context) {
  *context = current();
  return enter("cuCtxGetCurrent");
}

FAKE Code cuCtxPushCurrent_v2(Context context) {
  ENTER("cuCtxPushCurrent")
  context_stack[context_depth++] = context;
  return Code::Success;
}

FAKE Code cuCtxPopCurrent_v2(Context* context) {
  ENTER("cuCtxPopCurrent", true)
  *context = context_stack[--context_depth];
  return Code::Success;
}

FAKE Code cuCtxGetDevice(DeviceId* device) {
  ENTER("cuCtxGetDevice", true)
  *device = device_of(current());
  return Code::Success;
}

FAKE Code cuCtxGetId(Context context, unsigned long long* id) {
  ENTER("cuCtxGetId")
  *id = reinterpret_cast<unsigned long long>(context);
  return Code::Success;
}

// ---- memory ----

FAKE Code cuMemAlloc_v2(DevicePointer* pointer, std::size_t bytes) {
  ENTER("cuMemAlloc", true)
  const std::scoped_lock lock(state().mutex);
  std::size_t used = 0;
  for (const auto& [at, size] : state().memory) {
    used += size;
  }
  const auto limit = static_cast<std::size_t>(number_of("FAKE_CUDA_MEMORY", 1L << 40));
  void* memory = bytes == 0 || bytes > limit - std::min(limit, used)
                     ? nullptr
                     : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) {
    return bytes == 0 ? Code::InvalidValue : Code::OutOfMemory;
  }
  *pointer = reinterpret_cast<DevicePointer>(memory);
  state().memory[*pointer] = bytes;
  return Code::Success;
}

FAKE Code cuMemFree_v2(DevicePointer pointer) {
  ENTER("cuMemFree", true)
  const std::scoped_lock lock(state().mutex);
  if (state().memory.erase(pointer) == 0) {
    return Code::InvalidValue;
  }
  std::free(reinterpret_cast<void*>(pointer));
  return Code::Success;
}

FAKE Code cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  ENTER("cuMemGetInfo", true)
  *total = static_cast<std::size_t>(number_of("FAKE_CUDA_MEMORY", 1L << 40));
  *free = *total / 2;
  return Code::Success;
}

FAKE Code cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream) {
  ENTER("cuMemcpyHtoDAsync", true)
  return copy(reinterpret_cast<void*>(to), from, bytes, to);
}

FAKE Code cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream) {
  ENTER("cuMemcpyDtoHAsync", true)
  return copy(to, reinterpret_cast<const void*>(from), bytes, from);
}

FAKE Code cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, Stream) {
  ENTER("cuMemcpyAsync", true)
  return copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes, from);
}

FAKE Code cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, Stream) {
  ENTER("cuMemsetD8Async", true)
  const std::scoped_lock lock(state().mutex);
  if (!is_allocated(to, bytes)) {
    return Code::InvalidValue;
  }
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return Code::Success;
}

FAKE Code cuPointerGetAttribute(void* value, PointerAttribute, DevicePointer pointer) {
  ENTER("cuPointerGetAttribute", true)
  const std::scoped_lock lock(state().mutex);
  if (!is_allocated(pointer, 1)) {
    return Code::InvalidValue;
  }
  *static_cast<int*>(value) = 0;
  return Code::Success;
}

// ---- streams ----

FAKE Code cuStreamCreate(Stream* stream, unsigned) {
  ENTER("cuStreamCreate", true)
  *stream = reinterpret_cast<Stream>(new char);
  return Code::Success;
}

FAKE Code cuStreamSynchronize(Stream) {
  print(1, "FAKE_CUDA_PRINT");
  print(2, "FAKE_CUDA_PRINT_ERROR");
  ENTER("cuStreamSynchronize", true)
  return state().is_capturing ? Code::StreamCaptureUnsupported : Code::Success;
}

FAKE Code cuStreamIsCapturing(Stream, int* status) {
  ENTER("cuStreamIsCapturing", true)
  *status = state().is_capturing ? 1 : 0;
  return Code::Success;
}

// ---- events ----

/// When it was recorded; all work is done at once, so that is when it happened.
struct FakeEvent {
  std::chrono::steady_clock::time_point at;
  bool is_recorded = false;
};

FAKE Code cuEventCreate(Event* event, unsigned) {
  ENTER("cuEventCreate", true)
  *event = reinterpret_cast<Event>(new FakeEvent);
  return Code::Success;
}

FAKE Code cuEventRecord(Event event, Stream) {
  ENTER("cuEventRecord", true)
  *reinterpret_cast<FakeEvent*>(event) = {std::chrono::steady_clock::now(), true};
  return Code::Success;
}

FAKE Code cuEventSynchronize(Event event) {
  ENTER("cuEventSynchronize", true)
  return reinterpret_cast<FakeEvent*>(event)->is_recorded ? Code::Success : Code::InvalidValue;
}

FAKE Code cuEventElapsedTime(float* milliseconds, Event from, Event to) {
  ENTER("cuEventElapsedTime", true)
  const auto* first = reinterpret_cast<FakeEvent*>(from);
  const auto* last = reinterpret_cast<FakeEvent*>(to);
  *milliseconds = std::chrono::duration<float, std::milli>(last->at - first->at).count();
  return first->is_recorded && last->is_recorded ? Code::Success : Code::InvalidValue;
}

FAKE Code cuEventDestroy_v2(Event event) {
  ENTER("cuEventDestroy", true)
  delete reinterpret_cast<FakeEvent*>(event);
  return Code::Success;
}

// ---- for tests ----

FAKE long fake_cuda_calls(const char* name) {
  const std::scoped_lock lock(state().mutex);
  const auto found = state().calls.find(std::string_view(name));
  return found == state().calls.end() ? 0 : found->second;
}

FAKE long fake_cuda_modules() {
  const std::scoped_lock lock(state().mutex);
  return static_cast<long>(state().modules.size());
}

FAKE long fake_cuda_allocations() {
  const std::scoped_lock lock(state().mutex);
  return static_cast<long>(state().memory.size());
}

FAKE const FakeLaunch* fake_cuda_last_launch() {
  return &state().last;
}

FAKE void fake_cuda_capture(int is_capturing) {
  state().is_capturing = is_capturing != 0;
}

FAKE void fake_cuda_set_current(int ordinal_plus_1) {
  context_depth = ordinal_plus_1 == 0 ? 0 : 1;
  context_stack[0] =
      ordinal_plus_1 == 0
          ? nullptr
          : reinterpret_cast<Context>(
                &contexts[static_cast<std::size_t>(kMaxDevices + ordinal_plus_1 - 1)]);
}

FAKE void* fake_cuda_current() {
  return current();
}

FAKE void fake_cuda_reset() {
  state().is_lost = false;
}

}  // extern "C"
