// Reports as JSON; docs/cli.md says what the fields mean.
#pragma once

#include "tilery/buffer.h"
#include "tilery/gpu_code.h"
#include "tilery/message.h"
#include "tilery/result.h"
#include "tools/compare.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tilery::tools {

/// {"tool", "version", "command", "status", "exit_code"}: the head of every report.
[[nodiscard]] nlohmann::ordered_json report_head(const char* command, int exit_code);
/// {"file", "start": {"line", "column"}, "end"}; null for an unknown place.
[[nodiscard]] nlohmann::ordered_json place_json(const Place& place);
[[nodiscard]] nlohmann::ordered_json messages_json(const std::vector<Message>& messages);
/// {"dtype", "shape", "data"}: numbers flat in row-major order; NaN and infinities are the strings
/// "nan", "inf", "-inf"; elements never written are null.
[[nodiscard]] nlohmann::ordered_json array_json(const Buffer& buffer);
/// {"elements", "of", "unwritten", "first", "largest_absolute", "largest_relative"}: how many
/// differ of how many; "first" is an index, the largest are {"index", "value"}, or null if there is
/// none.
[[nodiscard]] nlohmann::ordered_json mismatch_json(const Mismatch& mismatch, const Extents& shape);
/// What a launcher of the code must know: "target", "entry", "parameters", …
[[nodiscard]] nlohmann::ordered_json kernel_json(const GpuCode& code);
/// A whole report of a command that failed.
[[nodiscard]] nlohmann::ordered_json error_json(const char* command, const Error& error);
/// Writes a report to standard output, with a line feed. Bytes that are no UTF-8 become U+FFFD.
void print_json(const nlohmann::ordered_json& report);

/// Prints an error as JSON or as text, and returns its exit code.
int fail(const char* command, const Error& error, bool json);

}  // namespace tilery::tools
