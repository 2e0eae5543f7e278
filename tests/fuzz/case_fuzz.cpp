// Fuzz target of the case reader: any bytes get an error or a case.
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tools/case_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tilery::FuzzFile file(data, size);
  (void)tilery::tools::read_case(file.path());
  return 0;
}
