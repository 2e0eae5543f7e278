// `tilery doctor`: what this installation can do.
#include "tilery/device.h"
#include "tilery/gpu_code.h"
#include "tilery/version.h"
#include "tools/console.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tilery::tools {

namespace {

/// The GPUs of this machine, or why there are none.
struct Gpus {
  std::vector<Device> devices;
  std::string problem;
};

Gpus find_gpus() {
  Gpus gpus;
  const Result<int> count = Device::cuda_count();
  if (!count) {
    gpus.problem = count.error().message;
    return gpus;
  }
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    const Result<Device> device = Device::cuda(ordinal);
    if (!device) {
      gpus.problem = device.error().message;
      return gpus;
    }
    gpus.devices.push_back(*device);
  }
  gpus.problem = gpus.devices.empty() ? "the driver knows of none" : "";
  return gpus;
}

std::string described(const Device& device) {
  const GpuInfo& info = *device.gpu_info();
  constexpr std::size_t kGib = std::size_t{1} << 30;
  return fmt::format("{}, {}, {} multiprocessors, {} GiB, CUDA {}.{}", device.description(),
                     info.target.empty() ? "no code is made for it" : info.target,
                     info.multiprocessors, info.memory_bytes / kGib, info.driver_version / 1000,
                     info.driver_version % 1000 / 10);
}

nlohmann::ordered_json gpus_json(const Gpus& gpus) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Device& device : gpus.devices) {
    const GpuInfo& info = *device.gpu_info();
    list.push_back({{"device", device.name()},
                    {"name", info.name},
                    {"target", info.target},
                    {"multiprocessors", info.multiprocessors},
                    {"memory_bytes", info.memory_bytes},
                    {"driver_version", info.driver_version}});
  }
  return list;
}

}  // namespace

int doctor_command(const DoctorRequest& request) {
  const HostInfo host = host_info();
  const Gpus gpus = find_gpus();
  if (request.json) {
    nlohmann::ordered_json report = report_head("doctor", 0);
    report["build"] = host.build;
    report["llvm"] = host.llvm;
    report["instruction_set"] = host.instruction_set;
    report["threads"] = host.threads;
    report["gpus"] = gpus_json(gpus);
    report["gpu_problem"] = gpus.problem;
    print_json(report);
    return 0;
  }
  print_out(
      fmt::format("tilery {}\n"
                  "  build           {}, LLVM {}\n"
                  "  interpreter     {} (TILERY_CPU=v2 or v3 asks for less), {} threads\n"
                  "  code for        {}\n",
                  version(), host.build, host.llvm, host.instruction_set, host.threads,
                  fmt::join(gpu_targets(), " ")));
  for (const Device& device : gpus.devices) {
    print_out(fmt::format("  GPU             {}\n", described(device)));
  }
  if (gpus.devices.empty()) {
    print_out(fmt::format("  GPU             none: {}\n", gpus.problem));
  }
  return 0;
}

}  // namespace tilery::tools
