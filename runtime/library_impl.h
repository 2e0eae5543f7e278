// What Library and Kernel are handles of.
#pragma once

#include "frontend/sema/specialize.h"
#include "ir/support/diagnostic.h"
#include "ir/support/source.h"
#include "tilery/kernel.h"
#include "tilery/library.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilery {

struct SpecializationSlot;

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
  /// By specialization_key.
  std::unordered_map<std::string, std::shared_ptr<SpecializationSlot>> specializations;
  std::atomic<std::size_t> specialization_count{0};
};

struct Kernel::Impl {
  std::shared_ptr<Library::Impl> library;
  KernelInfo info;
  std::vector<Parameter> parameters;
  Place place;
  bool is_helper = false;
};

}  // namespace tilery::inline v0
