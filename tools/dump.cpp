#include "tools/dump.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

namespace tilery::tools {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

bool write_file(const std::filesystem::path& path, std::string_view text) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  return file != nullptr && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
         std::fflush(file.get()) == 0;
}

}  // namespace

std::string dump_directory() {
  const char* directory = std::getenv("TILERY_DUMP_DIR");
  return directory == nullptr ? "" : directory;
}

Status dump_stages(const std::string& directory, const Library& library, const Kernel& kernel,
                   const Arguments& arguments, const LaunchOptions& options) {
  const std::filesystem::path folder = directory;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  bool is_written = write_file(folder / (kernel.name() + ".ast.tl"), library.ast_text());
  int number = 0;
  CompileOptions compile_options;
  compile_options.source_lines = true;
  compile_options.after_pass = [&](std::string_view pass, std::string_view ir) {
    const std::string name = fmt::format("{}.{:02}.{}.ir", kernel.name(), number++, pass);
    is_written = write_file(folder / name, ir) && is_written;
  };
  (void)compile(kernel, arguments, options, compile_options);
  if (!is_written) {
    return Error{
        ErrorKind::Usage, fmt::format("cannot write to `{}` (TILERY_DUMP_DIR)", directory), {}};
  }
  return Ok{};
}

}  // namespace tilery::tools
