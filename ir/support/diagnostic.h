// Diagnostics: everything a user is told about a kernel.
//
// A message is a row of diagnostics.def: an id, a severity and a fmt format. Stages report into a
// Diagnostics list and go on as far as they can; nothing is thrown. The text form is
//
//     softmax.tl:12:13: error: shapes `[64]` and `[32]` cannot be broadcast
//        12 |     y = x + w
//           |         ^ ~   `x`: f32[64], `w`: f32[32]
//           |  note: `w` was loaded at softmax.tl:9:9
//           |  help: `w[None, :]` adds an axis
//
// followed by the call chain ("called from …") when the place lies in an inlined helper.
#pragma once

#include "ir/support/source.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilery {

/// One enumerator a row of diagnostics.def.
enum class DiagId : std::uint16_t {
#define TILERY_DIAGNOSTIC(id, severity, format) id,
#include "ir/support/diagnostics.def"
};

enum class Severity : std::uint8_t { Note, Warning, Error };

/// The row's name ("ShapesDoNotBroadcast"), severity and format.
[[nodiscard]] std::string_view diagnostic_name(DiagId id);
[[nodiscard]] Severity diagnostic_severity(DiagId id);
[[nodiscard]] std::string_view diagnostic_format(DiagId id);
/// Number of rows.
[[nodiscard]] std::size_t diagnostic_count();

/// A further place or sentence that explains. `range` may be nowhere; if it is not, the text form
/// ends the sentence with " at file:line:column".
struct DiagnosticNote {
  SourceRange range;
  std::string text;
};

/// What one operand was, shown beside the caret: "`x`: f32[64]".
struct DiagnosticLabel {
  SourceRange range;
  std::string text;
};

struct Diagnostic {
  DiagId id{};
  Severity severity = Severity::Error;
  SourceRange range;
  std::string message;
  std::vector<DiagnosticLabel> labels;
  std::vector<DiagnosticNote> notes;
  std::string help;
  /// Call sites from the innermost outwards, for places inside inlined helpers. `text` is the name
  /// of the function that contains the call, without quotes: "called from `text` at …".
  std::vector<DiagnosticNote> calls;
  /// Shown in brackets after the severity: `error[out-of-bounds]`; empty for none.
  std::string tag;

  Diagnostic& label(SourceRange where, std::string text) {
    labels.push_back({where, std::move(text)});
    return *this;
  }

  Diagnostic& note(std::string text, SourceRange where = {}) {
    notes.push_back({where, std::move(text)});
    return *this;
  }

  Diagnostic& helped(std::string text) {
    help = std::move(text);
    return *this;
  }
};

/// The list that stages report into.
class Diagnostics {
 public:
  /// Adds a diagnostic; `args` fill the row's format. The reference is good until the next report.
  template <class... Args>
  Diagnostic& report(DiagId id, SourceRange range, const Args&... args) {
    return add(id, range, fmt::vformat(diagnostic_format(id), fmt::make_format_args(args...)));
  }

  [[nodiscard]] bool has_errors() const { return error_count_ != 0; }

  [[nodiscard]] std::size_t error_count() const { return error_count_; }

  [[nodiscard]] const std::vector<Diagnostic>& all() const { return list_; }

  [[nodiscard]] std::vector<Diagnostic>& all() { return list_; }

  void append(const Diagnostics& other);

  /// Takes the latest report back, because it repeats an earlier one.
  void pop_back() {
    error_count_ -= list_.back().severity == Severity::Error ? 1U : 0U;
    list_.pop_back();
  }

 private:
  Diagnostic& add(DiagId id, SourceRange range, std::string message);

  std::vector<Diagnostic> list_;
  std::size_t error_count_ = 0;
};

struct RenderOptions {
  bool color = false;
};

/// The text form above, ending in a line feed. Control characters of the source are shown escaped.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceMap& sources,
                                 const RenderOptions& options = {});

}  // namespace tilery
