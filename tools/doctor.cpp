// `tilery doctor`: what this installation can do.
#include "tilery/version.h"
#include "tools/console.h"
#include "tools/report_json.h"
#include "tools/requests.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilery::tools {

int doctor_command(const DoctorRequest& request) {
  const HostInfo host = host_info();
  if (request.json) {
    nlohmann::ordered_json report = report_head("doctor", 0);
    report["build"] = host.build;
    report["instruction_set"] = host.instruction_set;
    report["threads"] = host.threads;
    report["gpu_support"] = host.has_gpu_support;
    print_json(report);
    return 0;
  }
  print_out(
      fmt::format("tilery {}\n"
                  "  build           {}\n"
                  "  interpreter     {} (TILERY_CPU=v2 or v3 asks for less), {} threads\n"
                  "  GPU             {}\n",
                  version(), host.build, host.instruction_set, host.threads,
                  host.has_gpu_support ? "supported" : "not supported by this build"));
  return 0;
}

}  // namespace tilery::tools
