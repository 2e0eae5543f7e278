// Arrays of one launch may overlap in host memory (a caller borrowed twice from one array), and
// what a kernel writes through one must be seen through the other. So overlapping arrays become one
// region, and each region is copied once:
//
//     host      [== x ==========]          [== z ==]
//                       [== y ======]
//     regions   [== 0 ==============]      [== 1 ==]
//
// A region keeps the alignment of its host address, since code is made for that.
#include "runtime/cuda_staging.h"

#include "runtime/buffer_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilery {

namespace {

using cuda::Code;

/// What cuMemAlloc aligns to.
constexpr std::uintptr_t kDeviceAlignment = 256;

/// Host memory that is copied as one.
struct Region {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string name;  ///< its first array
  CudaMemory memory;
  cuda::DevicePointer on_gpu = 0;  ///< where `begin` lies
};

std::uintptr_t host_address(const BoundBuffer& bound) {
  return reinterpret_cast<std::uintptr_t>(bound.buffer.data());
}

/// The regions of the arrays in host memory, by address.
std::vector<Region> regions_of(const std::vector<BoundBuffer>& buffers) {
  std::vector<const BoundBuffer*> on_host;
  for (const BoundBuffer& bound : buffers) {
    if (!bound.buffer.is_on_gpu()) {
      on_host.push_back(&bound);
    }
  }
  std::ranges::sort(on_host, {}, [](const BoundBuffer* bound) { return host_address(*bound); });
  std::vector<Region> regions;
  for (const BoundBuffer* bound : on_host) {
    const std::uintptr_t begin = host_address(*bound);
    const std::uintptr_t end = begin + bound->buffer.bytes();
    if (!regions.empty() && begin < regions.back().end) {
      regions.back().end = std::max(regions.back().end, end);
    } else {
      regions.push_back({begin, end, bound->name, {}, 0});
    }
  }
  return regions;
}

/// One launch's copies, on one stream.
class Staging {
 public:
  Staging(CudaContext& context, const BoundCall& call)
      : context_(context),
        api_(context.device->api()),
        call_(call),
        stream_(call.options.stream ? static_cast<cuda::Stream>(*call.options.stream)
                                    : context.stream),
        regions_(regions_of(call.buffers)) {}

  Status upload() {
    for (Region& region : regions_) {
      const std::uintptr_t shift = region.begin % kDeviceAlignment;
      const std::size_t bytes = region.end - region.begin;
      Result<CudaMemory> memory =
          CudaMemory::allocate(context_, bytes + shift, fmt::format("the array `{}`", region.name));
      if (!memory) {
        return memory.error();
      }
      region.memory = *std::move(memory);
      region.on_gpu = region.memory.pointer() + shift;
      if (bytes == 0) {
        continue;
      }
      const Code code =
          api_.cuMemcpyHtoDAsync(region.on_gpu, cuda::pointer_of(region.begin), bytes, stream_);
      if (code != Code::Success) {
        return copy_failure(code, "cuMemcpyHtoDAsync", region.name, bytes);
      }
    }
    return Ok{};
  }

  /// The address on the GPU of a bound pointer.
  [[nodiscard]] std::uint64_t address(const BoundArgument& value) const {
    if (value.buffer < 0) {
      return 0;
    }
    const BoundBuffer& bound = call_.buffers[static_cast<std::size_t>(value.buffer)];
    const auto offset = static_cast<std::uint64_t>(value.byte_offset);
    if (bound.buffer.is_on_gpu()) {
      return host_address(bound) + offset;
    }
    const Region& region = region_of(bound);
    return region.on_gpu + (host_address(bound) - region.begin) + offset;
  }

  /// Copies back what the kernel may have written; the kernel's end must have been waited for.
  Status download() {
    for (const BoundBuffer& bound : call_.buffers) {
      const Buffer::Impl& impl = *bound.buffer.impl();
      if (bound.buffer.is_on_gpu() || impl.is_read_only || impl.bytes == 0) {
        continue;
      }
      const Region& region = region_of(bound);
      const Code code = api_.cuMemcpyDtoHAsync(
          impl.data, region.on_gpu + (host_address(bound) - region.begin), impl.bytes, stream_);
      if (code != Code::Success) {
        return copy_failure(code, "cuMemcpyDtoHAsync", bound.name, impl.bytes);
      }
      bound.buffer.impl()->defined.reset();
    }
    return Ok{};
  }

  Status wait(const std::string& kernel) {
    const Code code = api_.cuStreamSynchronize(stream_);
    if (code != Code::Success) {
      return api_.failure(
          code, "cuStreamSynchronize",
          fmt::format("kernel `{}` on {} did not finish", kernel, context_.device->full_name()));
    }
    return Ok{};
  }

  [[nodiscard]] cuda::Stream stream() const { return stream_; }

  [[nodiscard]] bool has_regions() const { return !regions_.empty(); }

 private:
  [[nodiscard]] const Region& region_of(const BoundBuffer& bound) const {
    const std::uintptr_t begin = host_address(bound);
    return *(std::ranges::upper_bound(regions_, begin, {}, &Region::begin) - 1);
  }

  Error copy_failure(Code code, const char* call, const std::string& name, std::size_t bytes) {
    return api_.failure(
        code, call,
        fmt::format("cannot copy the {} bytes of the array `{}` {} {}", grouped(bytes), name,
                    std::string_view(call).find("HtoD") != std::string_view::npos ? "to" : "from",
                    context_.device->full_name()));
  }

  CudaContext& context_;
  const CudaApi& api_;
  const BoundCall& call_;
  cuda::Stream stream_;
  std::vector<Region> regions_;
};

}  // namespace

Status run_staged(CudaContext& context, CudaLaunch& launch, const BoundCall& call) {
  for (const BoundBuffer& bound : call.buffers) {
    if (bound.buffer.is_on_gpu()) {
      if (const Status status = check_place(bound, context); !status) {
        return status;
      }
    }
  }
  Staging staging(context, call);
  if (const Status status = staging.upload(); !status) {
    return status;
  }
  for (std::size_t i = 0; i < call.values.size(); ++i) {
    const BoundArgument& value = call.values[i];
    launch.set_value(i, value.is_pointer ? staging.address(value) : value.bits);
  }
  if (const Code code = launch.queue(staging.stream()); code != Code::Success) {
    return launch.queue_failure(code);
  }
  if (call.options.stream && !staging.has_regions()) {
    return Ok{};
  }
  if (const Status status = staging.wait(launch.kernel().name()); !status) {
    return status;
  }
  if (const Status status = staging.download(); !status) {
    return status;
  }
  return staging.has_regions() ? staging.wait(launch.kernel().name()) : Status(Ok{});
}

}  // namespace tilery
