#include "tools/command_line.h"

#include "tilery/version.h"
#include "tools/help_text.h"
#include "tools/report_json.h"
#include "tools/requests.h"
#include "tools/slip.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::tools {

namespace {

/// Checks a value as `validator` does, without its remark in the help.
CLI::Validator quietly(CLI::Validator validator) {
  return validator.description("");
}

/// A number from 0 to `limit`, which NaN is not.
CLI::Validator amount_up_to(double limit) {
  const auto check = [limit](std::string& text) -> std::string {
    double v = -1;
    const bool is_number = CLI::detail::lexical_cast(text, v);
    if (is_number && v >= 0 && v <= limit) {
      return {};
    }
    return std::isinf(limit) ? fmt::format("`{}` is no number of at least 0", text)
                             : fmt::format("`{}` is no number from 0 to {}", text, limit);
  };
  return {check, ""};
}

/// A whole number of 64 bits.
CLI::Validator seed_number() {
  const auto check = [](std::string& text) -> std::string {
    std::uint64_t v = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, v);
    const bool is_number = error == std::errc() && stop == end && !text.empty();
    return is_number ? "" : fmt::format("`{}` is no whole number from 0 to 2^64 - 1", text);
  };
  return {check, ""};
}

/// An empty word is most often a variable of the shell that is not set.
CLI::Validator given_word() {
  const auto check = [](std::string& text) -> std::string {
    return text.empty() ? "the word is empty; give a value, or leave it out" : "";
  };
  return {check, ""};
}

/// FILE::KERNEL with something on both sides of the colons.
CLI::Validator kernel_word() {
  const auto check = [](std::string& text) -> std::string {
    if (text.empty()) {
      return "the name of the kernel's file is empty";
    }
    if (text.starts_with("::")) {
      return fmt::format("`{}` has no file before the `::`; write FILE::KERNEL", text);
    }
    return text.ends_with("::")
               ? fmt::format("`{}` has no kernel after the `::`; write FILE::KERNEL, or FILE alone",
                             text)
               : "";
  };
  return {check, ""};
}

/// FILE, where FILE::KERNEL is expected elsewhere.
CLI::Validator whole_file_word() {
  const auto check = [](std::string& text) {
    return text.find("::") == std::string::npos
               ? std::string()
               : fmt::format("`{}`: give the file alone; all its kernels are listed", text);
  };
  return {check, ""};
}

/// Of commands that run nothing.
void add_compile_options(CLI::App& app, CallRequest& call) {
  app.add_option("FILE", call.file,
                 "kernel file (.tl or .py); FILE::KERNEL chooses one of several kernels")
      ->required()
      ->check(kernel_word());
  // The name has no `=` in it, which CLI11 2.4 refuses.
  CLI::Option* values = app.add_option("ARGUMENT", call.values,
                                       "NAME=VALUE: an argument of the kernel or a launch option");
  values->type_name("");
  app.add_option("--seed", call.seed, "seed of rand:, randn: and randint: (default 0)")
      ->check(seed_number())
      ->type_name("N");
  app.add_flag("--strict", call.strict, "refuse Tilery's extensions to the language");
  app.add_flag("--werror", call.werror, "warnings are errors");
  app.add_flag("--json", call.json, "report as JSON on standard output");
}

void add_call_options(
    CLI::App& app, CallRequest& call,
    const char* on = "where: interpret (the CPU, every access checked), cuda[:N]") {
  add_compile_options(app, call);
  app.add_option("--on", call.on, on)->type_name("WHERE");
}

/// An option that may be given several times, one value each.
void add_repeated(CLI::App& app, const char* name, std::vector<std::string>& list, const char* type,
                  const char* description) {
  app.add_option(name, list, description)->allow_extra_args(false)->type_name(type);
}

/// The subcommands with their requests; `exit_code` is set by the one that runs.
class CommandLine {
 public:
  CommandLine() {
    app_.set_version_flag(
        "--version", [] { return fmt::format("tilery {} (LLVM {})", version(), host_info().llvm); },
        "print the version and exit");
    app_.set_help_flag("-h,--help", "print this help and exit");
    app_.require_subcommand(1);
    app_.footer(kTopFooter);
    app_.get_formatter()->column_width(26);
    add_run();
    add_compare();
    add_case();
    add_lint();
    add_list();
    add_emit();
    add_explain();
    add_bench();
    add_build();
    add_ops();
    add_doctor();
    refuse_empty_words();
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& success) {
      return app_.exit(success);
    } catch (const CLI::ParseError& error) {
      return refuse({argv + 1, argv + std::max(argc, 1)}, error.what());
    } catch (const std::bad_alloc&) {
      std::fputs("tilery: error: out of memory\n", stderr);
      return 3;
    }
    return finish_output();
  }

 private:
  void refuse_empty_words() {
    for (CLI::App* sub : app_.get_subcommands([](const CLI::App*) { return true; })) {
      for (CLI::Option* option : sub->get_options()) {
        if (option->get_items_expected_max() > 0) {
          option->check(given_word());
        }
      }
    }
  }

  /// Tells what is wrong with the words of the command line.
  int refuse(const std::vector<std::string>& words, std::string what) const {
    const std::vector<CLI::App*> asked = app_.get_subcommands();
    if (asked.empty() && !words.empty()) {
      what = words[0].starts_with('-')
                 ? fmt::format("there is no option `{}` before the subcommand", words[0])
                 : fmt::format("`{}` is no subcommand; there are {}", words[0], subcommands());
    }
    if (!asked.empty()) {
      what += misspelt_option(*asked.front(), words);
    }
    const std::string name = asked.empty() ? "" : asked.front()->get_name();
    if (std::find(words.begin(), words.end(), "--json") != words.end()) {
      return fail(name.c_str(), {ErrorKind::Usage, std::move(what), {}}, true);
    }
    const std::string command = name.empty() ? "tilery" : "tilery " + name;
    std::fprintf(stderr, "%s: error: %s\nTry `%s --help`.\n", command.c_str(), what.c_str(),
                 command.c_str());
    return 2;
  }

  /// "; did you mean `--grid`?" for the first option that the subcommand does not have; empty if it
  /// has all of them, or none is close.
  static std::string misspelt_option(const CLI::App& app, const std::vector<std::string>& words) {
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        known.push_back("--" + name);
      }
    }
    for (const std::string& word : words) {
      const std::string option = word.substr(0, word.find('='));
      if (!option.starts_with("--") ||
          std::find(known.begin(), known.end(), option) != known.end()) {
        continue;
      }
      const auto meant = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
        return is_one_slip(option, name);
      });
      return meant == known.end() ? "" : fmt::format("; did you mean `{}`?", *meant);
    }
    return {};
  }

  std::string subcommands() const {
    std::string names;
    for (const CLI::App* sub : app_.get_subcommands([](const CLI::App*) { return true; })) {
      names += (names.empty() ? "" : ", ") + sub->get_name();
    }
    return names;
  }

  /// What was printed must have arrived: a full disk is no success.
  int finish_output() const {
    const bool had_failed = std::ferror(stdout) != 0;
    if (std::fflush(stdout) == 0 && !had_failed) {
      return exit_code_;
    }
    // Of an earlier failure the reason is no longer known.
    std::fprintf(stderr, "tilery: error: cannot write to standard output%s%s\n",
                 had_failed ? "" : ": ", had_failed ? "" : std::strerror(errno));
    return 3;
  }

  CLI::App* add(const char* name, const char* description) {
    CLI::App* sub = app_.add_subcommand(name, description);
    sub->get_formatter()->column_width(26);
    return sub;
  }

  void add_run() {
    CLI::App* sub = add("run", "run a kernel on arrays and numbers");
    add_call_options(*sub, run_.call);
    sub->add_option("--grid", run_.grid, "how many programs: X[,Y[,Z]]")->type_name("X[,Y[,Z]]");
    sub->add_option("--print", run_.print, "arrays to print afterwards: x[,y]")->type_name("NAMES");
    sub->add_flag("--print-all", run_.print_all, "print every array afterwards");
    add_repeated(*sub, "--out", run_.out, "NAME=F.npy", "write an array to a file afterwards");
    add_repeated(*sub, "--expect", run_.expect, "NAME=F.npy",
                 "compare an array with a file afterwards");
    sub->add_option("--rtol", run_.rtol, "relative tolerance of --expect (default 1e-5)")
        ->check(amount_up_to(HUGE_VAL))
        ->type_name("R");
    sub->add_option("--atol", run_.atol, "absolute tolerance of --expect (default 1e-8)")
        ->check(amount_up_to(HUGE_VAL))
        ->type_name("A");
    sub->add_option("--threads", run_.threads, "worker threads (default: all processors)")
        ->check(quietly(CLI::Range(0, 4096)))
        ->type_name("N");
    sub->add_option("--timeout", run_.timeout_seconds, "stop after so many seconds")
        ->check(amount_up_to(1e7))
        ->type_name("S");
    sub->add_option("--check", run_.check,
                    "none, fast (default) or tracked: how closely a run is watched")
        ->check(quietly(CLI::IsMember({"none", "fast", "tracked"})))
        ->type_name("LEVEL");
    sub->footer(std::string(kValueHelp) + "\n" + kRunFooter);
    sub->callback([this] { exit_code_ = run_command(run_); });
  }

  void add_compare() {
    CLI::App* sub = add("compare", "run a kernel in the interpreter and on a GPU, and compare");
    RunRequest& run = compare_.run;
    run.rtol = 0;
    run.atol = 0;
    add_call_options(*sub, run.call, "the GPU to compare with: cuda[:N] (default: cuda)");
    sub->add_option("--grid", run.grid, "how many programs: X[,Y[,Z]]")->type_name("X[,Y[,Z]]");
    sub->add_option("--runs", compare_.runs, "how often to run on the GPU (default: 1)")
        ->check(quietly(CLI::Range(1, 1000000)))
        ->type_name("N");
    sub->add_option("--rtol", run.rtol, "relative tolerance (default: 0, the same bits)")
        ->check(amount_up_to(HUGE_VAL))
        ->type_name("R");
    sub->add_option("--atol", run.atol, "absolute tolerance (default: 0)")
        ->check(amount_up_to(HUGE_VAL))
        ->type_name("A");
    sub->add_option("--check", run.check,
                    "how closely the interpreter watches: none, fast, tracked")
        ->check(quietly(CLI::IsMember({"none", "fast", "tracked"})))
        ->type_name("LEVEL");
    sub->footer(std::string(kValueHelp) + "\n" + kCompareFooter);
    sub->callback([this] { exit_code_ = compare_command(compare_); });
  }

  void add_case() {
    CLI::App* sub = add("case", "run launches that are written down with their outcome");
    sub->add_option("FILE", case_.files, "case files (.json)")->required();
    sub->add_option("--on", case_.on,
                    "only in the interpreter, or only on a GPU: interpret, cuda[:N]")
        ->type_name("WHERE");
    sub->add_option("--mode", case_.modes,
                    "modes to try: interpret, frontend, cuda (default: the first two)")
        ->check(quietly(CLI::IsMember({"interpret", "frontend", "cuda"})))
        ->allow_extra_args(false)
        ->type_name("MODE");
    sub->add_option("--math", case_.math,
                    "on a GPU, where a case does not say: fast (default) or reproducible")
        ->check(quietly(CLI::IsMember({"fast", "reproducible"})))
        ->type_name("MATH");
    sub->add_option("--timeout", case_.timeout_seconds,
                    "on a GPU, a case fails after so many seconds (default: 60; 0: never)")
        ->check(quietly(CLI::Range(0, 1000000)))
        ->type_name("S");
    sub->add_option("--threads", case_.threads, "worker threads (default: all processors)")
        ->check(quietly(CLI::Range(0, 4096)))
        ->type_name("N");
    sub->add_flag("--quiet", case_.quiet, "leave out the lines of cases that pass");
    sub->add_flag("--json", case_.json, "report as JSON on standard output");
    sub->footer(kCaseFooter);
    sub->callback([this] { exit_code_ = case_command(case_); });
  }

  void add_lint() {
    CLI::App* sub = add("lint", "check a kernel without running it");
    lint_.call.allows_types = true;
    add_compile_options(*sub, lint_.call);
    sub->footer(std::string(kTypeHelp) + "\n" + kValueHelp +
                "\n\nWithout arguments only the syntax is checked.\n\nExamples:\n"
                "  tilery lint kernels/stable_softmax.tl\n"
                "  tilery lint kernels/stable_softmax.tl 'x_ptr=*f32' 'out_ptr=*f32' "
                "stride_row=i32 N=i32 BLOCK_N=64");
    sub->callback([this] { exit_code_ = lint_command(lint_); });
  }

  void add_list() {
    CLI::App* sub = add("list", "list a file's kernels with their parameters");
    sub->add_option("FILE", list_.file, "kernel file (.tl or .py)")
        ->required()
        ->check(whole_file_word());
    sub->add_flag("--json", list_.json, "report as JSON on standard output");
    sub->footer(
        "\nExamples:\n  tilery list kernels/stable_softmax.tl\n  tilery list --json model.py");
    sub->callback([this] { exit_code_ = list_command(list_); });
  }

  void add_emit() {
    CLI::App* sub = add("emit", "print what becomes of a kernel");
    emit_.call.allows_types = true;
    add_compile_options(*sub, emit_.call);
    sub->add_option(
           "--stage", emit_.stage,
           "ast (the syntax tree as source), ir (default: typed, optimised), layout (which "
           "thread holds what), llvm, ptx or sass (needs ptxas and nvdisasm of a CUDA toolkit); "
           "none "
           "needs a GPU")
        ->check(quietly(CLI::IsMember({"ast", "ir", "layout", "llvm", "ptx", "sass"})))
        ->type_name("STAGE");
    sub->add_option("--target", emit_.target,
                    "the chip of layout, llvm, ptx and sass (default: sm_90a)")
        ->type_name("CHIP");
    add_repeated(
        *sub, "--dump-after", emit_.dump_after, "PASS",
        "also print the IR after this pass; `sema` is the one before all, `all` every one");
    sub->add_flag("--lines", emit_.lines,
                  "show source lines beside the IR, or within the machine code");
    sub->footer(std::string(kTypeHelp) + "\n" + kValueHelp + "\n" + kEmitFooter);
    sub->callback([this] { exit_code_ = emit_command(emit_); });
  }

  void add_explain() {
    CLI::App* sub = add("explain", "tell what each line becomes on a GPU, and why");
    explain_.call.allows_types = true;
    add_call_options(*sub, explain_.call, "also ask the driver of a GPU: cuda[:N]");
    sub->add_option("--target", explain_.target,
                    "the chip (default: sm_90a, or that of the GPU of --on)")
        ->type_name("CHIP");
    sub->footer(std::string(kTypeHelp) + "\n" + kValueHelp + "\n" + kExplainFooter);
    sub->callback([this] { exit_code_ = explain_command(explain_); });
  }

  void add_bench() {
    CLI::App* sub = add("bench", "measure how long a kernel takes");
    add_call_options(*sub, bench_.call);
    sub->add_option("--grid", bench_.grid, "how many programs: X[,Y[,Z]]")->type_name("X[,Y[,Z]]");
    sub->add_option("--warps", bench_.warps, "several num_warps, one after the other: 1,2,4,8")
        ->type_name("LIST");
    sub->add_option("--bytes", bench_.bytes,
                    "bytes that a launch moves, for GB/s (default: each array once)")
        ->type_name("EXPR");
    sub->add_option(
           "--flops", bench_.flops,
           "operations of a launch, for TFLOP/s (default: those of its dots, where they are known)")
        ->type_name("EXPR");
    sub->add_option("--time", bench_.time_ms, "how long to measure, in ms (default: 100)")
        ->check(quietly(CLI::Range(1, 600000)))
        ->type_name("MS");
    sub->add_option("--warmup", bench_.warmup_ms, "how long to warm up, in ms (default: 25)")
        ->check(quietly(CLI::Range(0, 600000)))
        ->type_name("MS");
    sub->add_flag("--warm-cache", bench_.warm_cache, "do not flush the L2 cache between launches");
    sub->add_flag("--check", bench_.check, "also compare a launch with the interpreter");
    sub->add_option("--rtol", bench_.rtol, "relative tolerance of --check (default 1e-5)")
        ->check(amount_up_to(HUGE_VAL))
        ->type_name("R");
    sub->add_option("--atol", bench_.atol, "absolute tolerance of --check (default 1e-8)")
        ->check(amount_up_to(HUGE_VAL))
        ->type_name("A");
    sub->add_option("--threads", bench_.threads,
                    "worker threads of the interpreter (default: all processors)")
        ->check(quietly(CLI::Range(0, 4096)))
        ->type_name("N");
    sub->footer(std::string(kValueHelp) + "\n" + kBenchFooter);
    sub->callback([this] { exit_code_ = bench_command(bench_); });
  }

  void add_build() {
    CLI::App* sub = add("build", "compile a kernel into a C header, ahead of time");
    build_.call.allows_types = true;
    add_compile_options(*sub, build_.call);
    sub->add_option("--target", build_.target, "the chip (default: sm_90a)")->type_name("CHIP");
    sub->add_option(
           "--format", build_.format,
           "ptx (default; the driver compiles it when it is loaded) or cubin (machine code)")
        ->check(quietly(CLI::IsMember({"ptx", "cubin"})))
        ->type_name("FORMAT");
    sub->add_option("--out", build_.out, "write STEM.h and STEM.ptx or STEM.cubin")
        ->required()
        ->type_name("STEM");
    sub->add_option("--name", build_.name, "before the C names (default: the last part of STEM)")
        ->type_name("NAME");
    sub->footer(std::string(kTypeHelp) + "\n" + kValueHelp + "\n" + kBuildFooter);
    sub->callback([this] { exit_code_ = build_command(build_); });
  }

  void add_ops() {
    CLI::App* sub = add("ops", "list the functions of the language and the ops of the IR");
    sub->add_option("NAME", ops_.name, "show only functions and ops with this in their name");
    sub->add_flag("--markdown", ops_.markdown, "as the Markdown page docs/ops.md");
    sub->add_flag("--json", ops_.json, "as JSON");
    sub->footer(
        "\nExamples:\n  tilery ops\n  tilery ops cumsum\n  tilery ops --markdown > docs/ops.md");
    sub->callback([this] { exit_code_ = ops_command(ops_); });
  }

  void add_doctor() {
    CLI::App* sub = add("doctor", "say what this installation can do");
    sub->add_flag("--json", doctor_.json, "report as JSON on standard output");
    sub->footer("\nExamples:\n  tilery doctor\n  TILERY_CPU=v2 tilery doctor --json");
    sub->callback([this] { exit_code_ = doctor_command(doctor_); });
  }

  CLI::App app_{
      "Runs tile kernels written in Triton's language: on a CPU, checking every access, or on a "
      "GPU.",
      "tilery"};
  RunRequest run_;
  CaseRequest case_;
  LintRequest lint_;
  ListRequest list_;
  CompareRequest compare_;
  EmitRequest emit_;
  ExplainRequest explain_;
  BenchRequest bench_;
  BuildRequest build_;
  OpsRequest ops_;
  DoctorRequest doctor_;
  int exit_code_ = 0;
};

}  // namespace

int run_command_line(int argc, char** argv) {
  return CommandLine().run(argc, argv);
}

}  // namespace tilery::tools
