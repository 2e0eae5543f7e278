// Functions written as IR text, and their values by name.
#pragma once

#include "ir/builder.h"
#include "ir/reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace tilery::testing {

/// The function in `text`; fails the test and gives an empty one if it does not read.
[[nodiscard]] inline Function read_ir(std::string_view text, std::string_view name = "test.ir") {
  SourceMap sources;
  const FileId file = sources.add(std::string(name), 1, std::string(text));
  Diagnostics diagnostics;
  auto function = read_function(sources, file, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    ADD_FAILURE() << render(diagnostic, sources);
  }
  return function ? std::move(*function) : make_function("unreadable", {});
}

/// The value of this name; fails the test if there is none.
[[nodiscard]] inline ValueId find_value(const Function& function, std::string_view name) {
  for (std::size_t i = 0; i < function.values.size(); ++i) {
    if (function.values[i].name == name) {
      return ValueId(i);
    }
  }
  ADD_FAILURE() << "no value is called " << name;
  return {};
}

}  // namespace tilery::testing
