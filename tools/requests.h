// What the command line asks for, as plain data: one struct a subcommand.
#pragma once

#include <string>
#include <vector>

namespace tilery::tools {

/// A kernel, its arguments and how to treat it; shared by run, lint and emit.
struct CallRequest {
  std::string file;                 ///< FILE or FILE::KERNEL
  std::vector<std::string> values;  ///< NAME=VALUE
  std::string on;                   ///< "", "interpret", "cuda", "cuda:N"
  unsigned long long seed = 0;
  bool strict = false;
  bool json = false;
  bool werror = false;
  /// Arguments may be types (`x=*f32:16`, `n=i32`), since nothing runs.
  bool allows_types = false;
};

struct RunRequest {
  CallRequest call;
  std::string grid;
  std::string print;  ///< names, comma-separated
  bool print_all = false;
  std::vector<std::string> out;     ///< NAME=FILE
  std::vector<std::string> expect;  ///< NAME=FILE
  double rtol = 1e-5;
  double atol = 1e-8;
  int threads = 0;
  double timeout_seconds = 0;
  std::string check = "fast";
};

struct CompareRequest {
  RunRequest run;  ///< rtol and atol are 0: the same bits but for NaNs and the sign of zeros
  int runs = 1;
};

struct LintRequest {
  CallRequest call;
};

struct EmitRequest {
  CallRequest call;
  std::string stage = "ir";
  std::string target = "sm_90a";  ///< of the stages layout, llvm, ptx and sass
  std::vector<std::string> dump_after;
  bool lines = false;
};

struct ExplainRequest {
  CallRequest call;
  std::string target;  ///< empty: sm_90a, or that of the device that --on names
};

struct BenchRequest {
  CallRequest call;  ///< a value may be a list: num_warps=4,8
  std::string grid;
  std::string warps;  ///< another way to write num_warps=…; may be empty
  std::string bytes;  ///< expressions; empty: counted, none
  std::string flops;
  int time_ms = 100;
  int warmup_ms = 25;
  int threads = 0;
  bool warm_cache = false;
  bool check = false;
  double rtol = 1e-5;
  double atol = 1e-8;
};

struct BuildRequest {
  CallRequest call;
  std::string target = "sm_90a";
  std::string format = "ptx";  ///< or "cubin"
  std::string out;             ///< of the files, without the ending
  std::string name;            ///< before the C names; empty: as `out`
};

struct CaseRequest {
  std::vector<std::string> files;
  std::vector<std::string> modes;  ///< empty: as `on` says, else interpret and frontend
  std::string on;                  ///< "", "interpret", "cuda", "cuda:N"
  std::string math;                ///< "", "fast", "reproducible": on a GPU
  int threads = 0;
  int timeout_seconds = 60;  ///< of one case on a GPU; 0: none
  bool json = false;
  bool quiet = false;
};

struct ListRequest {
  std::string file;
  bool json = false;
};

struct OpsRequest {
  std::string name;
  bool markdown = false;
  bool json = false;
};

struct DoctorRequest {
  bool json = false;
};

// Each runs a subcommand and returns its exit code: 0 good, 1 the kernel's fault, 2 wrong usage,
// 3 the machine's fault.
int run_command(const RunRequest& request);
int compare_command(const CompareRequest& request);
int lint_command(const LintRequest& request);
int bench_command(const BenchRequest& request);
int explain_command(const ExplainRequest& request);
int emit_command(const EmitRequest& request);
int build_command(const BuildRequest& request);
int case_command(const CaseRequest& request);
int list_command(const ListRequest& request);
int ops_command(const OpsRequest& request);
int doctor_command(const DoctorRequest& request);

}  // namespace tilery::tools
