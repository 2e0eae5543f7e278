#include "runtime/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tilery {

namespace {

using cuda::Code;
using cuda::DeviceAttribute;

/// The flag of cuStreamCreate for a stream that waits for the default stream.
constexpr unsigned kStreamDefault = 0;

Result<int> attribute(const CudaApi& api, DeviceAttribute which, cuda::DeviceId device,
                      const std::string& purpose) {
  int value = 0;
  const Code code = api.cuDeviceGetAttribute(&value, which, device);
  if (code != Code::Success) {
    return api.failure(code, "cuDeviceGetAttribute", purpose);
  }
  return value;
}

}  // namespace

Result<int> cuda_device_count() {
  const Result<const CudaApi*> api = cuda_api();
  if (!api) {
    return api.error();
  }
  int count = 0;
  const Code code = (*api)->cuDeviceGetCount(&count);
  if (code != Code::Success) {
    return (*api)->failure(code, "cuDeviceGetCount", "cannot count the GPUs");
  }
  return count;
}

CudaDevice::CudaDevice(const CudaApi& api, GpuInfo info, cuda::DeviceId handle)
    : api_(api), info_(std::move(info)), handle_(handle) {}

Result<CudaDevice*> CudaDevice::open(int ordinal) {
  static std::mutex mutex;
  // Never destroyed: buffers and modules may outlive every static object.
  static auto& devices = *new std::vector<std::unique_ptr<CudaDevice>>;
  const std::scoped_lock lock(mutex);
  const auto found = std::ranges::find_if(
      devices, [&](const auto& device) { return device->ordinal() == ordinal; });
  if (found != devices.end()) {
    return found->get();
  }
  const Result<int> count = cuda_device_count();
  if (!count) {
    return count.error();
  }
  if (ordinal < 0 || ordinal >= *count) {
    return Error{*count == 0 ? ErrorKind::Machine : ErrorKind::Usage,
                 *count == 0
                     ? "this machine has no GPU that the driver shows"
                     : fmt::format("there is no GPU cuda:{}; this machine has {}", ordinal,
                                   *count == 1 ? std::string("cuda:0 only")
                                               : fmt::format("cuda:0 to cuda:{}", *count - 1)),
                 {}};
  }
  Result<std::unique_ptr<CudaDevice>> device = describe(**cuda_api(), ordinal);
  if (!device) {
    return device.error();
  }
  return devices.emplace_back(*std::move(device)).get();
}

Result<std::unique_ptr<CudaDevice>> CudaDevice::describe(const CudaApi& api, int ordinal) {
  const std::string purpose = fmt::format("cannot ask cuda:{} for its properties", ordinal);
  GpuInfo info;
  info.ordinal = ordinal;
  info.driver_version = api.driver_version;
  cuda::DeviceId handle = 0;
  if (const Code code = api.cuDeviceGet(&handle, ordinal); code != Code::Success) {
    return api.failure(code, "cuDeviceGet", purpose);
  }
  std::array<char, 256> text{};
  if (const Code code = api.cuDeviceGetName(text.data(), text.size(), handle);
      code != Code::Success) {
    return api.failure(code, "cuDeviceGetName", purpose);
  }
  info.name = text.data();
  if (const Code code = api.cuDeviceTotalMem(&info.memory_bytes, handle); code != Code::Success) {
    return api.failure(code, "cuDeviceTotalMem", purpose);
  }
  for (const auto& [which, member] :
       {std::pair(DeviceAttribute::ComputeCapabilityMajor, &GpuInfo::capability_major),
        std::pair(DeviceAttribute::ComputeCapabilityMinor, &GpuInfo::capability_minor),
        std::pair(DeviceAttribute::MultiprocessorCount, &GpuInfo::multiprocessors),
        std::pair(DeviceAttribute::MaxSharedBytesPerBlockOptin, &GpuInfo::shared_bytes_per_block),
        std::pair(DeviceAttribute::MaxSharedBytesPerMultiprocessor,
                  &GpuInfo::shared_bytes_per_multiprocessor)}) {
    const Result<int> value = attribute(api, which, handle, purpose);
    if (!value) {
      return value.error();
    }
    info.*member = *value;
  }
  const auto target = codegen::target_of_device(info.capability_major, info.capability_minor);
  info.target = target ? target->name() : "";
  return std::unique_ptr<CudaDevice>(new CudaDevice(api, std::move(info), handle));
}

std::string CudaDevice::name() const {
  return fmt::format("cuda:{}", info_.ordinal);
}

std::string CudaDevice::full_name() const {
  return fmt::format("cuda:{} ({})", info_.ordinal, info_.name);
}

Result<codegen::Target> CudaDevice::target() const {
  const auto target = codegen::target_of_device(info_.capability_major, info_.capability_minor);
  if (!target) {
    return Error{ErrorKind::Machine,
                 fmt::format("{} has compute capability {}.{}; Tilery makes code for 8.0 and later",
                             full_name(), info_.capability_major, info_.capability_minor),
                 {}};
  }
  return *target;
}

Result<CudaContext*> CudaDevice::context() {
  cuda::Context current = nullptr;
  cuda::DeviceId device = -1;
  // A context that is current but broken shows itself in the next call; one on another GPU does not
  // concern us.
  const bool is_ours = api_.cuCtxGetCurrent(&current) == Code::Success && current != nullptr &&
                       api_.cuCtxGetDevice(&device) == Code::Success && device == handle_;
  const std::scoped_lock lock(mutex_);
  if (is_ours) {
    return known_context(current);
  }
  const Result<cuda::Context> primary = primary_context();
  if (!primary) {
    return primary.error();
  }
  return known_context(*primary);
}

Result<cuda::Context> CudaDevice::primary_context() {
  if (primary_ == nullptr) {
    const Code code = api_.cuDevicePrimaryCtxRetain(&primary_, handle_);
    if (code != Code::Success) {
      primary_ = nullptr;
      return api_.failure(code, "cuDevicePrimaryCtxRetain",
                          fmt::format("cannot start using {}", full_name()));
    }
  }
  return primary_;
}

Result<CudaContext*> CudaDevice::known_context(cuda::Context handle) {
  unsigned long long id = 0;
  if (const Code code = api_.cuCtxGetId(handle, &id); code != Code::Success) {
    return api_.failure(code, "cuCtxGetId",
                        fmt::format("cannot use the CUDA context on {}", full_name()));
  }
  for (const auto& known : contexts_) {
    if (known->handle == handle && known->id == id) {
      return known.get();
    }
  }
  auto context = std::make_unique<CudaContext>();
  context->device = this;
  context->handle = handle;
  context->id = id;
  const ContextScope scope(*context);
  if (const Code code = api_.cuStreamCreate(&context->stream, kStreamDefault);
      code != Code::Success) {
    return api_.failure(code, "cuStreamCreate",
                        fmt::format("cannot make a stream on {}", full_name()));
  }
  return contexts_.emplace_back(std::move(context)).get();
}

ContextScope::ContextScope(const CudaContext& context) : api_(context.device->api()) {
  cuda::Context current = nullptr;
  if (api_.cuCtxGetCurrent(&current) != Code::Success || current != context.handle) {
    // If this fails, so does the call that needs the context, and tells of it.
    is_pushed_ = api_.cuCtxPushCurrent(context.handle) == Code::Success;
  }
}

ContextScope::~ContextScope() {
  if (is_pushed_) {
    cuda::Context popped = nullptr;
    (void)api_.cuCtxPopCurrent(&popped);
  }
}

Result<CudaMemory> CudaMemory::allocate(CudaContext& context, std::size_t bytes,
                                        const std::string& purpose) {
  const CudaApi& api = context.device->api();
  const ContextScope scope(context);
  CudaMemory memory;
  const Code code = api.cuMemAlloc(&memory.pointer_, std::max<std::size_t>(bytes, 1));
  if (code == Code::Success) {
    memory.context_ = &context;
    return memory;
  }
  std::string what = fmt::format("cannot allocate {} bytes on {} for {}", grouped(bytes),
                                 context.device->full_name(), purpose);
  std::size_t free = 0;
  std::size_t total = 0;
  if (code == Code::OutOfMemory && api.cuMemGetInfo(&free, &total) == Code::Success) {
    what += fmt::format(", where {} of {} are free", grouped(free), grouped(total));
  }
  return api.failure(code, "cuMemAlloc", what);
}

CudaMemory::CudaMemory(CudaMemory&& other) noexcept
    : context_(std::exchange(other.context_, nullptr)),
      pointer_(std::exchange(other.pointer_, 0)) {}

CudaMemory& CudaMemory::operator=(CudaMemory&& other) noexcept {
  if (this != &other) {
    release();
    context_ = std::exchange(other.context_, nullptr);
    pointer_ = std::exchange(other.pointer_, 0);
  }
  return *this;
}

void CudaMemory::release() {
  if (context_ != nullptr) {
    const ContextScope scope(*context_);
    // Nothing to be done if it fails: the context is lost, and its memory with it.
    (void)context_->device->api().cuMemFree(pointer_);
    context_ = nullptr;
  }
}

}  // namespace tilery
