#include "tools/output_capture.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tilery::tools {

namespace {

/// All that was written, from the start.
std::string contents_of(int memory) {
  std::string text;
  std::array<char, 65536> chunk{};
  for (;;) {
    const ssize_t got = pread(memory, chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
    if (got <= 0) {
      return text;
    }
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

OutputCapture::OutputCapture() {
  std::fflush(stdout);
  std::fflush(stderr);
  for (int i = 0; i < 2; ++i) {
    Stream& stream = streams_[static_cast<std::size_t>(i)];
    stream.descriptor = i + 1;
    stream.saved = fcntl(stream.descriptor, F_DUPFD_CLOEXEC, 3);
    stream.memory = memfd_create("tilery-output", MFD_CLOEXEC);
    if (stream.saved >= 0 && stream.memory >= 0) {
      dup2(stream.memory, stream.descriptor);
    }
  }
}

OutputCapture::~OutputCapture() {
  (void)finish();
}

CapturedOutput OutputCapture::finish() {
  std::fflush(stdout);
  std::fflush(stderr);
  CapturedOutput output;
  for (Stream& stream : streams_) {
    if (stream.saved >= 0 && stream.memory >= 0) {
      dup2(stream.saved, stream.descriptor);
      (stream.descriptor == 1 ? output.out : output.err) = contents_of(stream.memory);
    }
    for (int* descriptor : {&stream.saved, &stream.memory}) {
      if (*descriptor >= 0) {
        close(*descriptor);
      }
      *descriptor = -1;
    }
  }
  return output;
}

}  // namespace tilery::tools
