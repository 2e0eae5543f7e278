// The C header that `tilery build` writes: the code of a kernel with functions that load and launch
// it.
//
// Decisions. The header opens libcuda.so.1 itself (dlopen) with its own declarations, rather than
// that it includes cuda.h and is linked with -lcuda: then the program compiles where no CUDA
// toolkit is, and starts where no driver is, to tell so in its own way. All is `static inline`, so
// that a header may be included by several source files and needs no library. The code is an array
// of bytes: C promises string literals of no more than 4095 characters. Every C name that stems
// from the kernel gets something before it (`arg_`, the prefix), so that no keyword and no macro of
// the program, such as a `#define N 1024`, can meet it.
#pragma once

#include "tilery/gpu_code.h"

#include <string>
#include <string_view>

namespace tilery::tools {

/// What the header embeds and how it is called.
struct HeaderRequest {
  std::string prefix;   ///< of all C names: an identifier
  std::string source;   ///< the kernel's file, for a comment
  std::string command;  ///< how to make it again, for a comment
  std::string image;    ///< PTX, or a cubin
  bool is_ptx = true;
};

/// An identifier of C for the name: other characters become `_`; a digit in front gets one.
[[nodiscard]] std::string c_identifier(std::string_view name);

/// The whole text.
[[nodiscard]] std::string header_text(const GpuCode& code, const HeaderRequest& request);

/// The part that is the same in all headers.
extern const char* const kBuildRuntime;

}  // namespace tilery::tools
