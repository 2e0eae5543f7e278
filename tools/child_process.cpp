#include "tools/child_process.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace tilery::tools {

namespace {

/// A file in memory. Its descriptor lies above those that the program gets, so that moving one to
/// its place overwrites no other.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) {
    const int made = memfd_create(name, MFD_CLOEXEC);
    if (made >= 0) {
      descriptor_ = fcntl(made, F_DUPFD_CLOEXEC, kFirstDescriptor);
      close(made);
    }
  }

  ~MemoryFile() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }

  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  [[nodiscard]] bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return lseek(descriptor_, 0, SEEK_SET) == 0;
  }

  [[nodiscard]] std::string contents() const {
    std::string bytes;
    std::array<char, 65536> chunk{};
    for (;;) {
      const ssize_t got =
          pread(descriptor_, chunk.data(), chunk.size(), static_cast<off_t>(bytes.size()));
      if (got <= 0) {
        return bytes;
      }
      bytes.append(chunk.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  static constexpr int kFirstDescriptor = 16;
  int descriptor_ = -1;
};

/// Descriptors 0 to 4 of the program.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }

  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void open_null(int as) {
    posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_RDONLY, 0);
  }

  void move(const MemoryFile& file, int as) {
    posix_spawn_file_actions_adddup2(&actions_, file.descriptor(), as);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

Error cannot_run(const std::string& program, int error) {
  return {
      ErrorKind::Machine, fmt::format("cannot run `{}`: {}", program, std::strerror(error)), {}};
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<ProgramResult> run_program(const std::vector<std::string>& arguments,
                                  std::string_view input) {
  const MemoryFile in("input");
  const MemoryFile out("output");
  const MemoryFile printed("stdout");
  const MemoryFile errors("stderr");
  for (const MemoryFile* file : {&in, &out, &printed, &errors}) {
    if (file->descriptor() < 0) {
      return cannot_run(arguments[0], errno);
    }
  }
  if (!in.write_all(input)) {
    return cannot_run(arguments[0], errno);
  }
  FileActions actions;
  actions.open_null(0);
  actions.move(printed, 1);
  actions.move(errors, 2);
  actions.move(in, 3);
  actions.move(out, 4);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    // posix_spawn takes them as char* and does not change them.
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_t child = -1;
  if (const int error =
          posix_spawn(&child, argv[0], actions.get(), nullptr, argv.data(), environ)) {
    return cannot_run(arguments[0], error);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return cannot_run(arguments[0], errno);
    }
  }
  return ProgramResult{exit_code_of(status), printed.contents(), errors.contents(), out.contents()};
}

}  // namespace tilery::tools
