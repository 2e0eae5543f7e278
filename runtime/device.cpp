#include "tilery/device.h"

#include "runtime/cuda_device.h"

namespace tilery::inline v0 {

Device Device::interpreter() {
  return Device(Kind::Interpreter);
}

Result<Device> Device::cuda(int ordinal) {
  const Result<CudaDevice*> device = CudaDevice::open(ordinal);
  if (!device) {
    return device.error();
  }
  return Device(Kind::Cuda, *device);
}

Result<int> Device::cuda_count() {
  return cuda_device_count();
}

std::string Device::name() const {
  switch (kind_) {
    case Kind::Interpreter:
      return "interpret";
    case Kind::Cuda:
      return cuda_->name();
  }
  return {};
}

std::string Device::description() const {
  return kind_ == Kind::Cuda ? cuda_->full_name() : name();
}

const GpuInfo* Device::gpu_info() const {
  return kind_ == Kind::Cuda ? &cuda_->info() : nullptr;
}

}  // namespace tilery::inline v0
