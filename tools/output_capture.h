// What goes past us to standard output and error.
#pragma once

#include <array>
#include <string>

namespace tilery::tools {

/// The two streams as texts.
struct CapturedOutput {
  std::string out;
  std::string err;
};

/// Leads file descriptors 1 and 2 into memory as long as it lives: the CUDA driver writes what a
/// kernel prints, and its assertions, there and nowhere else. Of the whole process, so not for
/// programs with threads that print. Where that fails the streams stay as they are.
class OutputCapture {
 public:
  OutputCapture();
  ~OutputCapture();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;

  /// Puts the streams back and returns what they got.
  CapturedOutput finish();

 private:
  struct Stream {
    int descriptor = -1;
    int saved = -1;
    int memory = -1;
  };

  std::array<Stream, 2> streams_;
};

}  // namespace tilery::tools
