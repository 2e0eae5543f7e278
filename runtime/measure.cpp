#include "tilery/measure.h"

#include "runtime/cuda_device.h"
#include "runtime/prepared_launch_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace tilery::inline v0 {

namespace {

using cuda::Code;

constexpr int kMostRuns = 10000;

/// A point in a stream's work whose time the GPU notes.
class Event {
 public:
  explicit Event(const CudaApi& api) : api_(&api) {}

  ~Event() {
    if (handle_ != nullptr) {
      (void)api_->cuEventDestroy(handle_);
    }
  }

  Event(Event&& other) noexcept
      : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}

  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event& operator=(Event&&) = delete;

  Code record(cuda::Stream stream) {
    const Code code = handle_ == nullptr ? api_->cuEventCreate(&handle_, 0) : Code::Success;
    return code == Code::Success ? api_->cuEventRecord(handle_, stream) : code;
  }

  Code wait() const { return api_->cuEventSynchronize(handle_); }

  Code milliseconds_since(const Event& earlier, float& milliseconds) const {
    return api_->cuEventElapsedTime(&milliseconds, earlier.handle_, handle_);
  }

 private:
  const CudaApi* api_;
  cuda::Event handle_ = nullptr;
};

/// Queues one run; fails as the driver does.
using QueueRun = std::function<Status(cuda::Stream)>;

/// Runs something many times and notes how long each takes. The context must be current.
class Stopwatch {
 public:
  Stopwatch(CudaContext& context, std::string what)
      : context_(context), api_(context.device->api()), what_(std::move(what)) {}

  /// What to write before each run; without it nothing is.
  Status prepare_flush() {
    int cache_bytes = 0;
    std::size_t free = 0;
    std::size_t total = 0;
    cuda::DeviceId device = 0;
    if (api_.cuCtxGetDevice(&device) != Code::Success ||
        api_.cuDeviceGetAttribute(&cache_bytes, cuda::DeviceAttribute::L2CacheBytes, device) !=
            Code::Success ||
        api_.cuMemGetInfo(&free, &total) != Code::Success) {
      cache_bytes = 0;
    }
    constexpr std::size_t kUnknownCache = 64U << 20U;
    constexpr std::size_t kTimesOver = 4;
    flush_bytes_ =
        kTimesOver * (cache_bytes > 0 ? static_cast<std::size_t>(cache_bytes) : kUnknownCache);
    Result<CudaMemory> memory =
        CudaMemory::allocate(context_, flush_bytes_, "flushing the L2 cache");
    if (!memory) {
      return memory.error();
    }
    flush_ = *std::move(memory);
    return Ok{};
  }

  /// The times of `count` runs, in microseconds, unsorted.
  Result<std::vector<double>> time(int count, const QueueRun& queue) {
    std::vector<std::pair<Event, Event>> events;
    for (int i = 0; i < count; ++i) {
      auto& [start, end] = events.emplace_back(Event(api_), Event(api_));
      if (const Status status = one_run(start, end, queue); !status) {
        return status.error();
      }
    }
    if (const Code code = events.back().second.wait(); code != Code::Success) {
      return failure(code, "cuEventSynchronize");
    }
    std::vector<double> times;
    for (const auto& [start, end] : events) {
      float milliseconds = 0;
      if (const Code code = end.milliseconds_since(start, milliseconds); code != Code::Success) {
        return failure(code, "cuEventElapsedTime");
      }
      times.push_back(double{milliseconds} * 1000);
    }
    return times;
  }

 private:
  Status one_run(Event& start, Event& end, const QueueRun& queue) {
    if (flush_bytes_ != 0) {
      if (const Code code =
              api_.cuMemsetD8Async(flush_.pointer(), 0, flush_bytes_, context_.stream);
          code != Code::Success) {
        return failure(code, "cuMemsetD8Async");
      }
    }
    if (const Code code = start.record(context_.stream); code != Code::Success) {
      return failure(code, "cuEventRecord");
    }
    if (Status status = queue(context_.stream); !status) {
      return status;
    }
    if (const Code code = end.record(context_.stream); code != Code::Success) {
      return failure(code, "cuEventRecord");
    }
    return Ok{};
  }

  [[nodiscard]] Error failure(Code code, const char* call) const {
    return api_.failure(
        code, call, fmt::format("cannot measure {} on {}", what_, context_.device->full_name()));
  }

  CudaContext& context_;
  const CudaApi& api_;
  std::string what_;
  CudaMemory flush_;
  std::size_t flush_bytes_ = 0;
};

double median_of(std::vector<double> times) {
  std::ranges::sort(times);
  return Timings{std::move(times)}.median();
}

/// How many runs of this length fill the time.
int runs_for(std::chrono::milliseconds time, double microseconds, int least) {
  const double wanted = static_cast<double>(time.count()) * 1000 / std::max(microseconds, 0.5);
  return std::max({least, 1, static_cast<int>(std::min<double>(wanted, kMostRuns))});
}

}  // namespace

double Timings::quantile(double q) const {
  if (microseconds.empty()) {
    return 0;
  }
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(microseconds.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, microseconds.size() - 1);
  return microseconds[low] +
         (place - static_cast<double>(low)) * (microseconds[high] - microseconds[low]);
}

Result<Timings> measure(const PreparedLaunch& launch, const MeasureOptions& options) {
  CudaContext& context = launch.impl()->context();
  const ContextScope scope(context);
  Stopwatch watch(context, fmt::format("kernel `{}`", launch.impl()->launch.kernel().name()));
  if (options.cold_cache) {
    if (const Status status = watch.prepare_flush(); !status) {
      return status.error();
    }
  }
  const QueueRun queue = [&](cuda::Stream stream) { return launch(stream); };
  // The first launches are slower: they load the code and wake the GPU.
  constexpr int kProbes = 5;
  const Result<std::vector<double>> probe = watch.time(kProbes, queue);
  if (!probe) {
    return probe.error();
  }
  const double estimate = median_of(*probe);
  const Result<std::vector<double>> warmup =
      watch.time(runs_for(options.warmup, estimate, 1), queue);
  if (!warmup) {
    return warmup.error();
  }
  Result<std::vector<double>> times =
      watch.time(runs_for(options.time, estimate, options.least_runs), queue);
  if (!times) {
    return times.error();
  }
  std::ranges::sort(*times);
  return Timings{*std::move(times)};
}

Result<CopyBandwidth> measure_copy(const Device& device) {
  if (device.kind() != Device::Kind::Cuda) {
    return Error{ErrorKind::Usage, "only a GPU's copies are measured", {}};
  }
  const Result<CudaContext*> context = device.cuda_device()->context();
  if (!context) {
    return context.error();
  }
  const ContextScope scope(**context);
  const CudaApi& api = device.cuda_device()->api();
  std::size_t free = 0;
  std::size_t total = 0;
  if (const Code code = api.cuMemGetInfo(&free, &total); code != Code::Success) {
    return api.failure(code, "cuMemGetInfo",
                       fmt::format("cannot measure copies on {}", device.description()));
  }
  constexpr std::size_t kLargest = std::size_t{1} << 30U;
  const std::size_t bytes = std::max<std::size_t>(std::min(kLargest, free / 8) / 256 * 256, 256);
  const Result<CudaMemory> from = CudaMemory::allocate(**context, bytes, "measuring copies");
  if (!from) {
    return from.error();
  }
  const Result<CudaMemory> to = CudaMemory::allocate(**context, bytes, "measuring copies");
  if (!to) {
    return to.error();
  }
  const QueueRun queue = [&](cuda::Stream stream) -> Status {
    const Code code = api.cuMemcpyAsync(to->pointer(), from->pointer(), bytes, stream);
    if (code != Code::Success) {
      return api.failure(code, "cuMemcpyAsync", "cannot measure copies");
    }
    return Ok{};
  };
  Stopwatch watch(**context, "copies");
  constexpr int kWarmup = 3;
  constexpr int kRuns = 20;
  if (const Result<std::vector<double>> warmup = watch.time(kWarmup, queue); !warmup) {
    return warmup.error();
  }
  const Result<std::vector<double>> times = watch.time(kRuns, queue);
  if (!times) {
    return times.error();
  }
  const double microseconds = std::max(median_of(*times), 1e-3);
  return CopyBandwidth{bytes, kRuns, 2 * static_cast<double>(bytes) / microseconds * 1e6};
}

}  // namespace tilery::inline v0
