#include "tests/support/lowered_kernel.h"

#include "frontend/parser.h"
#include "frontend/sema/specialize.h"
#include "ir/builder.h"
#include "ir/reader.h"
#include "tests/support/signature.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tilery::testing {
namespace {

[[noreturn]] void refuse(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::string messages;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    messages += render(diagnostic, sources);
  }
  throw std::invalid_argument(messages);
}

Function specialised(const std::string& name, const std::string& text,
                     const std::string& signature) {
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add(name, 1, text);
  std::optional<ast::Module> module = parse(sources, file, module_kind(name), diagnostics);
  if (!module) {
    refuse(diagnostics, sources);
  }
  Unit unit;
  unit.module = std::move(*module);
  const Signature parsed = parse_signature(signature);
  const std::vector<KernelInfo> kernels = list_kernels(unit, sources, diagnostics);
  const KernelInfo* kernel = &kernels.back();
  for (const KernelInfo& candidate : kernels) {
    kernel = candidate.name == parsed.kernel ? &candidate : kernel;
  }
  auto result = specialize(unit, sources, kernel->name, arguments_for(parsed, *kernel),
                           parsed.options, diagnostics, true);
  if (!result) {
    refuse(diagnostics, sources);
  }
  return std::move(result->function);
}

codegen::GpuFunction lowered(Function function, const codegen::CodegenOptions& options,
                             const codegen::Target& target) {
  Result<codegen::GpuFunction> gpu = codegen::lower_to_gpu(std::move(function), target, options);
  if (!gpu) {
    throw std::invalid_argument(gpu.error().message);
  }
  return std::move(*gpu);
}

}  // namespace

Function specialised_kernel(const std::string& path, const std::string& signature) {
  std::ifstream in(std::string(TILERY_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return specialised(path, text.str(), signature);
}

codegen::GpuFunction lowered_kernel(const std::string& path, const std::string& signature,
                                    const codegen::CodegenOptions& options,
                                    const codegen::Target& target) {
  return lowered(specialised_kernel(path, signature), options, target);
}

codegen::GpuFunction lowered_text(const std::string& text, const std::string& signature,
                                  const codegen::CodegenOptions& options,
                                  const codegen::Target& target) {
  return lowered(specialised("test.tl", text, signature), options, target);
}

codegen::GpuFunction lowered_ir(const std::string& text, const codegen::CodegenOptions& options,
                                const codegen::Target& target) {
  SourceMap sources;
  Diagnostics diagnostics;
  auto function = read_function(sources, sources.add("test.ir", 1, text), diagnostics);
  if (!function) {
    refuse(diagnostics, sources);
  }
  return lowered(std::move(*function), options, target);
}

int count_ops(const Function& function, Op op) {
  int count = 0;
  for_each_inst(function, function.body,
                [&](InstId id) { count += function.inst(id).op == op ? 1 : 0; });
  return count;
}

}  // namespace tilery::testing
