#include "runtime/cuda_launch.h"

#include "runtime/buffer_impl.h"
#include "runtime/cuda_staging.h"
#include "runtime/gpu_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tilery {

namespace {

using cuda::Code;

constexpr unsigned kWarpSize = 32;
/// Of the grid's second and third axis (CUDA programming guide, technical specifications).
constexpr std::int64_t kMaxExtentYZ = 65535;
constexpr std::int64_t kMaxExtentX = 2147483647;

Error usage_error(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

bool has_host_arrays(const BoundCall& call) {
  return std::ranges::any_of(call.buffers,
                             [](const BoundBuffer& bound) { return !bound.buffer.is_on_gpu(); });
}

/// What would wait or allocate, and so break the caller's capture of a graph, is refused before it
/// does.
Status check_capture(const CudaContext& context, const BoundCall& call, bool is_loaded,
                     const std::string& kernel) {
  const ContextScope scope(context);
  int status = 0;
  const CudaApi& api = context.device->api();
  if (!call.options.stream ||
      api.cuStreamIsCapturing(static_cast<cuda::Stream>(*call.options.stream), &status) !=
          Code::Success ||
      status == 0) {
    return Ok{};
  }
  if (has_host_arrays(call)) {
    return usage_error(
        fmt::format("kernel `{}`: its stream is being captured, and arrays in host memory would "
                    "have to be copied: give it arrays on the GPU",
                    kernel));
  }
  if (!is_loaded) {
    return usage_error(
        fmt::format("kernel `{}`: its stream is being captured, and the kernel is not loaded yet: "
                    "launch it once, or `prepare` it, before the capture",
                    kernel));
  }
  return Ok{};
}

}  // namespace

Result<std::array<unsigned, 3>> cuda_grid(const CudaKernel& kernel,
                                          std::span<const std::int64_t> grid) {
  std::array<unsigned, 3> extents = {1, 1, 1};
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    const std::int64_t limit = axis == 0 ? kMaxExtentX / kernel.binary().num_ctas : kMaxExtentYZ;
    if (grid[axis] > limit) {
      return usage_error(fmt::format(
          "kernel `{}`: axis {} of the grid has {} programs, and a GPU takes {} there; {}",
          kernel.name(), axis, grid[axis], limit,
          axis == 0 ? "let each program handle more elements"
                    : "make the longest axis the first one, axis 0"));
    }
    extents[axis] = static_cast<unsigned>(grid[axis]);
  }
  return extents;
}

CudaLaunch::CudaLaunch(std::shared_ptr<const CudaKernel> kernel) : kernel_(std::move(kernel)) {
  for (const codegen::KernelParameter& p : kernel_->binary().parameters) {
    block_bytes_ = (block_bytes_ + p.bytes - 1) / p.bytes * p.bytes;
    offsets_.push_back(block_bytes_);
    block_bytes_ += p.bytes;
  }
  block_.resize((block_bytes_ + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
}

void CudaLaunch::set_grid(const std::array<unsigned, 3>& grid) {
  const codegen::KernelBinary& binary = kernel_->binary();
  programs_ = grid;
  blocks_ = grid;
  const auto packed = static_cast<unsigned>(binary.programs_per_block);
  // In 64 bits: the first extent may be the largest int.
  blocks_[0] = static_cast<unsigned>((std::uint64_t{grid[0]} + packed - 1) / packed *
                                     static_cast<unsigned>(binary.num_ctas));
  if (codegen::hidden_parameter_count(binary) != 0) {
    set_value(binary.parameters.size() - 1, grid[0]);
  }
}

void CudaLaunch::set_value(std::size_t index, std::uint64_t bits) {
  auto* block = reinterpret_cast<std::byte*>(block_.data());
  std::memcpy(block + offsets_[index], &bits, kernel_->binary().parameters[index].bytes);
}

Code CudaLaunch::queue(cuda::Stream stream) const {
  if (programs_[0] == 0 || programs_[1] == 0 || programs_[2] == 0) {
    return Code::Success;
  }
  std::size_t bytes = block_bytes_;
  // The driver only reads it.
  void* block[] = {cuda::kLaunchParamBufferPointer, const_cast<std::uint64_t*>(block_.data()),
                   cuda::kLaunchParamBufferSize, &bytes, cuda::kLaunchParamEnd};
  void** extra = block_bytes_ == 0 ? nullptr : block;
  const codegen::KernelBinary& binary = kernel_->binary();
  if (binary.num_ctas > 1) {
    return queue_cluster(stream, extra);
  }
  return kernel_->context().device->api().cuLaunchKernel(
      kernel_->handle(), blocks_[0], blocks_[1], blocks_[2],
      static_cast<unsigned>(binary.num_warps) * kWarpSize, 1, 1, binary.shared_bytes, stream,
      nullptr, extra);
}

Code CudaLaunch::queue_cluster(cuda::Stream stream, void** extra) const {
  const codegen::KernelBinary& binary = kernel_->binary();
  cuda::LaunchAttribute cluster;
  cluster.value[0] = static_cast<std::uint32_t>(binary.num_ctas);
  cluster.value[1] = 1;
  cluster.value[2] = 1;
  cuda::LaunchConfig config;
  config.grid_x = blocks_[0];
  config.grid_y = blocks_[1];
  config.grid_z = blocks_[2];
  config.block_x = static_cast<unsigned>(binary.num_warps) * kWarpSize;
  config.shared_bytes = binary.shared_bytes;
  config.stream = stream;
  config.attributes = &cluster;
  config.attribute_count = 1;
  return kernel_->context().device->api().cuLaunchKernelEx(&config, kernel_->handle(), nullptr,
                                                           extra);
}

Error CudaLaunch::queue_failure(Code code) const {
  const codegen::KernelBinary& binary = kernel_->binary();
  const CudaDevice& device = *kernel_->context().device;
  return device.api().failure(
      code, binary.num_ctas > 1 ? "cuLaunchKernelEx" : "cuLaunchKernel",
      fmt::format("cannot launch kernel `{}` on {} over {} x {} x {} blocks of {} threads with {} "
                  "registers each and {} bytes of shared memory",
                  kernel_->name(), device.full_name(), blocks_[0], blocks_[1], blocks_[2],
                  static_cast<unsigned>(binary.num_warps) * kWarpSize, kernel_->facts().registers,
                  grouped(kernel_->facts().shared_bytes)));
}

Status check_place(const BoundBuffer& bound, const CudaContext& context) {
  const CudaContext* place = bound.buffer.impl()->context;
  if (place == &context) {
    return Ok{};
  }
  if (place == nullptr) {
    return usage_error(
        fmt::format("`{}` lies in host memory; give it `buffer.to(device)`", bound.name));
  }
  if (place->device == context.device) {
    return usage_error(fmt::format("`{}` lies in another CUDA context on {}", bound.name,
                                   context.device->full_name()));
  }
  return usage_error(
      fmt::format("`{}` lies on {}, and the launch is on {}; give it "
                  "`buffer.to(device)`",
                  bound.name, place->device->full_name(), context.device->full_name()));
}

Status run_on_cuda(CudaDevice& device, const Specialization& specialization, const BoundCall& call,
                   std::span<const std::int64_t> grid, const SourceMap& sources,
                   LaunchReport& report) {
  const auto start = std::chrono::steady_clock::now();
  const Result<CudaContext*> context = device.context();
  if (!context) {
    return context.error();
  }
  const Function& function = specialization.function();
  const codegen::CodegenOptions options =
      codegen_options(call.options, specialization.reads_num_warps());
  GpuKernels& kernels = specialization.gpu_kernels();
  std::shared_ptr<const CudaKernel> kernel = kernels.find(**context, options);
  if (const Status status = check_capture(**context, call, kernel != nullptr, function.name);
      !status) {
    return status;
  }
  if (kernel == nullptr) {
    warn_before_compiling(function, sources, call.options, report.messages);
    Result<std::shared_ptr<const CudaKernel>> made =
        kernels.find_or_load(**context, options, function, sources);
    if (!made) {
      return made.error();
    }
    kernel = *std::move(made);
  }
  const auto loaded = std::chrono::steady_clock::now();
  report.compile_time += loaded - start;
  const std::vector<std::string>& notes = kernel->facts().notes;
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  const Result<std::array<unsigned, 3>> extents = cuda_grid(*kernel, grid);
  if (!extents) {
    return extents.error();
  }
  report.programs_run = std::int64_t{(*extents)[0]} * (*extents)[1] * (*extents)[2];
  if (report.programs_run == 0) {
    return Ok{};
  }
  CudaLaunch launch(kernel);
  launch.set_grid(*extents);
  const ContextScope scope(**context);
  const Status status = run_staged(**context, launch, call);
  report.run_time = std::chrono::steady_clock::now() - loaded;
  return status;
}

}  // namespace tilery
