// Everything at once.
//
//     auto library = tilery::Library::parse_file("vector_add.tl");
//     auto x = tilery::Buffer::zeros(tilery::DType::F32, {1000});
//     …
//     auto report = tilery::launch(tilery::Device::interpreter(), *library->kernel("add"), {{8}},
//                                  {{"x", *x}, {"y", *y}, {"out", *out}, {"n", 1000}, {"BLOCK",
//                                  128}});
#pragma once

// IWYU pragma: begin_exports
#include "tilery/argument.h"
#include "tilery/buffer.h"
#include "tilery/device.h"
#include "tilery/dtype.h"
#include "tilery/explain.h"
#include "tilery/gpu_code.h"
#include "tilery/kernel.h"
#include "tilery/launch.h"
#include "tilery/library.h"
#include "tilery/measure.h"
#include "tilery/message.h"
#include "tilery/npy.h"
#include "tilery/ops.h"
#include "tilery/prepared_launch.h"
#include "tilery/result.h"
#include "tilery/version.h"
// IWYU pragma: end_exports
