// The function that each fuzz target defines. libFuzzer calls it, or replay.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

/// Runs the target on one input; whatever is wrong with the product aborts. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
