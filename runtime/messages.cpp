#include "runtime/messages.h"

#include "ir/call_chain.h"

#include <fmt/format.h>

#include <utility>

namespace tilery {

namespace {

/// What a diagnostic and a finding have in common, rendered.
Message base_message(const Diagnostic& diagnostic, const SourceMap& sources, Phase phase) {
  Message m;
  m.severity = diagnostic.severity == Severity::Error ? Message::Severity::Error
                                                      : Message::Severity::Warning;
  m.phase = phase;
  m.kind = diagnostic.tag.empty() ? std::string(diagnostic_name(diagnostic.id)) : diagnostic.tag;
  m.message = diagnostic.message;
  m.place = place_of(diagnostic.range, sources);
  for (const DiagnosticLabel& label : diagnostic.labels) {
    m.labels.push_back({place_of(label.range, sources), label.text});
  }
  for (const DiagnosticNote& note : diagnostic.notes) {
    m.notes.push_back({place_of(note.range, sources), note.text});
  }
  m.help = diagnostic.help;
  for (const DiagnosticNote& call : diagnostic.calls) {
    m.calls.push_back({place_of(call.range, sources), call.text});
  }
  m.text = render(diagnostic, sources, {.color = false});
  m.colored_text = render(diagnostic, sources, {.color = true});
  return m;
}

/// "program (1, 0, 0), lane 3 [0, 3], in 12 lanes".
std::string where_text(const Finding& finding) {
  std::string text = fmt::format("program ({}, {}, {})", finding.program[0], finding.program[1],
                                 finding.program[2]);
  if (finding.lane) {
    text += fmt::format(", lane {}", *finding.lane);
    if (finding.lane_index.size() > 1) {
      text += fmt::format(" [{}]", fmt::join(finding.lane_index, ", "));
    }
  }
  if (finding.count > 1) {
    text += fmt::format("; {} times in all", finding.count);
  }
  return text;
}

Diagnostic diagnostic_of(const Finding& finding, const Function& function) {
  Diagnostic d;
  d.id = is_warning(finding.kind) ? DiagId::FindingWarning : DiagId::FindingError;
  d.severity = diagnostic_severity(d.id);
  d.tag = finding_name(finding.kind);
  d.range = function.range(finding.loc);
  d.message = finding.message;
  d.note(where_text(finding));
  for (const std::string& detail : finding.details) {
    d.note(detail);
  }
  for (const auto& [loc, text] : finding.related) {
    d.note(text, function.range(loc));
  }
  add_calls(d, function, finding.loc);
  return d;
}

}  // namespace

Place place_of(SourceRange range, const SourceMap& sources) {
  if (!range.is_valid()) {
    return {};
  }
  const LineColumn begin = sources.line_column(range.file, range.begin);
  const LineColumn end = sources.line_column(range.file, range.end);
  return {sources.file(range.file).name, begin.line, begin.column, end.line, end.column};
}

std::vector<Message> messages_of(const Diagnostics& diagnostics, const SourceMap& sources,
                                 Phase phase) {
  return messages_of(std::span<const Diagnostic>(diagnostics.all()), sources, phase);
}

std::vector<Message> messages_of(std::span<const Diagnostic> diagnostics, const SourceMap& sources,
                                 Phase phase) {
  std::vector<Message> messages;
  for (const Diagnostic& diagnostic : diagnostics) {
    messages.push_back(base_message(diagnostic, sources, phase));
  }
  return messages;
}

Message message_of(const Finding& finding, const Function& function, const SourceMap& sources) {
  Message m = base_message(diagnostic_of(finding, function), sources, Phase::Run);
  m.is_finding = true;
  m.program = finding.program;
  m.lane = finding.lane;
  m.lane_index = finding.lane_index;
  m.count = finding.count;
  if (finding.access) {
    const AccessFacts& a = *finding.access;
    m.access = Access{a.is_store, a.argument, a.index, a.size, a.mask};
  }
  return m;
}

Error error_of(ErrorKind kind, std::vector<Message> messages) {
  Error error{kind, {}, std::move(messages)};
  for (const Message& m : error.messages) {
    error.message += m.text;
  }
  return error;
}

inline namespace v0 {

const char* phase_name(Phase phase) {
  switch (phase) {
    case Phase::Parse:
      return "parse";
    case Phase::Compile:
      return "compile";
    case Phase::Launch:
      return "launch";
    case Phase::Run:
      return "run";
  }
  return "";
}

}  // namespace v0

}  // namespace tilery
