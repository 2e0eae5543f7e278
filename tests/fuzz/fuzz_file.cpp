#include "tests/fuzz/fuzz_file.h"

#include "ir/support/check.h"

#include <sys/mman.h>
#include <unistd.h>

namespace tilery {

FuzzFile::FuzzFile(const std::uint8_t* data, std::size_t size)
    : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
  TILERY_CHECK(file_ >= 0 && write(file_, data, size) == static_cast<ssize_t>(size),
               "no file in memory");
}

FuzzFile::~FuzzFile() {
  close(file_);
}

std::string FuzzFile::path() const {
  return "/proc/self/fd/" + std::to_string(file_);
}

}  // namespace tilery
