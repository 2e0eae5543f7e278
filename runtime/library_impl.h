// What Library and Kernel are handles of.
#pragma once

#include "frontend/sema/specialize.h"
#include "interpreter/interpreter.h"
#include "ir/support/diagnostic.h"
#include "ir/support/source.h"
#include "tilery/kernel.h"
#include "tilery/library.h"
#include "tilery/message.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilery {

/// A kernel made for one call signature. Immutable; shared by launches.
struct Specialization {
  std::shared_ptr<const InterpreterProgram> program;
  /// The compiler's warnings and the text of tl.static_print, shown by the launch that made it.
  std::vector<Message> warnings;
  std::string static_output;
};

}  // namespace tilery

namespace tilery::inline v0 {

/// Immutable once parsed, but for the specialisations, which the mutex guards.
struct Library::Impl {
  /// The source as it was given, to be read again by a library that imports this one (places in
  /// imported texts must lie in the importer's map).
  Source source;
  Environment environment;

  SourceMap sources;
  Unit unit;
  std::vector<KernelInfo> kernels;
  /// What list_kernels reported; counts only for the kernel that it stands in.
  Diagnostics kernel_diagnostics;

  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const Specialization>> specializations;
};

struct Kernel::Impl {
  std::shared_ptr<Library::Impl> library;
  KernelInfo info;
  std::vector<Parameter> parameters;
  Place place;
  bool is_helper = false;
};

}  // namespace tilery::inline v0
