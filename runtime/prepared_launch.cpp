#include "tilery/prepared_launch.h"

#include "runtime/bind_value.h"
#include "runtime/checked_call.h"
#include "runtime/cuda_launch.h"
#include "runtime/gpu_kernels.h"
#include "runtime/library_impl.h"
#include "runtime/messages.h"
#include "runtime/prepared_launch_impl.h"
#include "runtime/specialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tilery::inline v0 {

namespace {

/// Number of run-time values that an argument passes to the kernel's code.
std::size_t value_count(const ArgumentSpec& spec) {
  switch (spec.kind) {
    case ArgumentSpec::Kind::Runtime:
      return 1;
    case ArgumentSpec::Kind::Constexpr:
      return 0;
    case ArgumentSpec::Kind::Tuple:
      break;
  }
  std::size_t count = 0;
  for (const ArgumentSpec& element : spec.elements) {
    count += value_count(element);
  }
  return count;
}

/// Fills in the values of one argument, which begin at `first`.
Status set_values(PreparedLaunch::Impl& impl, std::size_t first, const BoundCall& call) {
  for (const BoundBuffer& bound : call.buffers) {
    if (const Status status = check_place(bound, impl.context()); !status) {
      return status;
    }
  }
  for (std::size_t i = 0; i < call.values.size(); ++i) {
    const BoundArgument& value = call.values[i];
    std::uint64_t bits = value.bits;
    if (value.is_pointer && value.buffer >= 0) {
      const Buffer& buffer = call.buffers[static_cast<std::size_t>(value.buffer)].buffer;
      bits = reinterpret_cast<std::uint64_t>(buffer.data()) +
             static_cast<std::uint64_t>(value.byte_offset);
    }
    impl.launch.set_value(first + i, bits);
  }
  return Ok{};
}

/// The arrays that each parameter's argument brought.
std::vector<std::vector<BoundBuffer>> buffers_by_parameter(const BoundCall& call) {
  std::vector<std::vector<BoundBuffer>> buffers;
  auto value = call.values.begin();
  for (const ArgumentSpec& spec : call.specs) {
    buffers.emplace_back();
    const auto end = value + static_cast<std::ptrdiff_t>(value_count(spec));
    for (; value != end; ++value) {
      if (value->is_pointer && value->buffer >= 0) {
        buffers.back().push_back(call.buffers[static_cast<std::size_t>(value->buffer)]);
      }
    }
  }
  return buffers;
}

Error no_gpu(const Device& device) {
  return {ErrorKind::Usage,
          fmt::format("only launches on a GPU are prepared; use `launch` for {}", device.name()),
          {}};
}

}  // namespace

Status PreparedLaunch::operator()(void* stream) const {
  const ContextScope scope(impl_->context());
  const cuda::Code code = impl_->launch.queue(static_cast<cuda::Stream>(stream));
  if (code != cuda::Code::Success) [[unlikely]] {
    return impl_->launch.queue_failure(code);
  }
  return Ok{};
}

Status PreparedLaunch::run() const {
  const CudaContext& context = impl_->context();
  if (const Status status = (*this)(context.stream); !status) {
    return status;
  }
  const ContextScope scope(context);
  const CudaApi& api = context.device->api();
  if (const cuda::Code code = api.cuStreamSynchronize(context.stream);
      code != cuda::Code::Success) {
    return api.failure(code, "cuStreamSynchronize",
                       fmt::format("kernel `{}` on {} did not finish", impl_->kernel.name(),
                                   context.device->full_name()));
  }
  return Ok{};
}

Status PreparedLaunch::set_grid(std::span<const std::int64_t> grid) {
  Diagnostics diagnostics;
  check_grid(grid, diagnostics);
  if (diagnostics.has_errors()) {
    const SourceMap& sources = impl_->kernel.impl()->library->sources;
    return error_of(ErrorKind::Usage, messages_of(diagnostics, sources, Phase::Launch));
  }
  const Result<std::array<unsigned, 3>> extents = cuda_grid(impl_->launch.kernel(), grid);
  if (!extents) {
    return extents.error();
  }
  impl_->launch.set_grid(*extents);
  return Ok{};
}

Status PreparedLaunch::set_argument(std::string_view parameter, const Argument& value) {
  const Kernel::Impl& kernel = *impl_->kernel.impl();
  const auto& parameters = kernel.info.parameters;
  const auto found = std::ranges::find(parameters, parameter, &KernelParameter::name);
  if (found == parameters.end()) {
    return Error{ErrorKind::Usage,
                 fmt::format("kernel `{}` has no parameter `{}`", kernel.info.name, parameter),
                 {}};
  }
  const auto index = static_cast<std::size_t>(found - parameters.begin());
  Diagnostics diagnostics;
  BoundCall call;
  const ArgumentSpec spec = bind_value(*found, value, call, diagnostics);
  if (diagnostics.has_errors()) {
    return error_of(ErrorKind::Usage,
                    messages_of(diagnostics, kernel.library->sources, Phase::Launch));
  }
  if (spec != impl_->specs[index]) {
    return Error{
        ErrorKind::Usage,
        fmt::format("`{}` of the prepared kernel `{}`: its code was made for another type, "
                    "constant or fact (divisible by 16, equal to 1): prepare it anew",
                    parameter, kernel.info.name),
        {}};
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < index; ++i) {
    first += value_count(impl_->specs[i]);
  }
  const Status status = set_values(*impl_, first, call);
  if (status) {
    impl_->buffers[index] = std::move(call.buffers);
  }
  return status;
}

const GpuKernelFacts& PreparedLaunch::facts() const {
  return impl_->launch.kernel().facts();
}

Result<PreparedLaunch> prepare(const Device& device, const Kernel& kernel,
                               std::span<const std::int64_t> grid, const Arguments& arguments,
                               const LaunchOptions& options) {
  if (device.kind() != Device::Kind::Cuda) {
    return no_gpu(device);
  }
  const Kernel::Impl& impl = *kernel.impl();
  const Result<BoundCall> call = checked_call(impl, arguments, options, &grid);
  if (!call) {
    return call.error();
  }
  const SpecializationResult made = find_or_specialize(impl, *call, device.kind());
  if (made.specialization == nullptr) {
    return error_of(ErrorKind::Kernel,
                    messages_of(made.diagnostics, impl.library->sources, Phase::Compile));
  }
  const Result<CudaContext*> context = device.cuda_device()->context();
  if (!context) {
    return context.error();
  }
  GpuKernels& kernels = made.specialization->gpu_kernels();
  const codegen::CodegenOptions code_options =
      codegen_options(call->options, made.specialization->reads_num_warps());
  const Function& function = made.specialization->function();
  if (kernels.find(**context, code_options) == nullptr) {
    std::vector<Message> told;
    warn_before_compiling(function, impl.library->sources, call->options, told);
  }
  Result<std::shared_ptr<const CudaKernel>> loaded =
      kernels.find_or_load(**context, code_options, function, impl.library->sources);
  if (!loaded) {
    return loaded.error();
  }
  auto prepared = std::make_shared<PreparedLaunch::Impl>(
      PreparedLaunch::Impl{kernel, CudaLaunch(*std::move(loaded)), call->specs, {}});
  const Status packed = set_values(*prepared, 0, *call);
  if (!packed) {
    return packed.error();
  }
  prepared->buffers = buffers_by_parameter(*call);
  PreparedLaunch launch(std::move(prepared));
  const Status grid_set = launch.set_grid(grid);
  if (!grid_set) {
    return grid_set.error();
  }
  return launch;
}

}  // namespace tilery::inline v0
