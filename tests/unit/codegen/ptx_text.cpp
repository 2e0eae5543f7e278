#include "tests/unit/codegen/ptx_text.h"

#include "codegen/codegen.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>

namespace tilery::codegen {

std::string ptx_of(const GpuFunction& gpu) {
  const Result<KernelBinary> binary = emit_ptx(gpu);
  EXPECT_TRUE(binary.ok()) << (binary ? "" : binary.error().message);
  return binary ? binary->code : std::string();
}

int occurrences(std::string_view text, std::string_view what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

std::ostream& operator<<(std::ostream& out, const ExchangeCounts& counts) {
  return out << fmt::format("{} shuffles, {} barriers, {} stores, {} loads, {} warp folds",
                            counts.shuffles, counts.barriers, counts.stores, counts.loads,
                            counts.warp_folds);
}

ExchangeCounts exchange_counts(std::string_view ptx) {
  return {occurrences(ptx, "shfl.sync"), occurrences(ptx, "bar.sync"),
          occurrences(ptx, "st.shared"), occurrences(ptx, "ld.shared"),
          occurrences(ptx, "redux.sync")};
}

}  // namespace tilery::codegen
