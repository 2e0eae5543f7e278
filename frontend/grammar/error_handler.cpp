#include "frontend/grammar/error_handler.h"

#include "frontend/grammar/builder.h"

#include <string>

namespace tilery::grammar {

namespace {

bool is_layout(TokenKind kind) {
  return kind == TokenKind::Newline || kind == TokenKind::Indent || kind == TokenKind::Dedent ||
         kind == TokenKind::EndOfFile;
}

bool begins_line(const Token* at) {
  return is_layout(at[-1].kind);
}

// The place of a failed expectation, with what the reports about it need.
struct Failure {
  Builder& builder;
  const Token* first;
  const Token* where;
  std::string_view expected;

  [[nodiscard]] TokenKind found() const { return where->kind; }

  [[nodiscard]] TokenKind before() const {
    return where > first ? where[-1].kind : TokenKind::Newline;
  }

  template <class... Args>
  Diagnostic& report(DiagId id, const Args&... args) const {
    return builder.diagnostics().report(id, builder.range(*where), args...);
  }
};

// Each of the following reports one kind of mistake and says whether it was that.

// `else:` with no `if` before it; silent after an `if` that had an error.
bool report_clause(const Failure& f) {
  std::string_view owner;
  switch (f.found()) {
    case TokenKind::Else:
      owner = "`if`, `for` or `while`";
      break;
    case TokenKind::Elif:
      owner = "`if`";
      break;
    case TokenKind::Except:
    case TokenKind::Finally:
      owner = "`try`";
      break;
    default:
      return false;
  }
  if (f.where != f.first) {
    return false;
  }
  if (!f.builder.previous_failed()) {
    f.report(DiagId::ClauseWithoutStatement, token_spelling(f.found()), owner);
  }
  return true;
}

bool report_missing_block(const Failure& f) {
  if (f.expected != token_spelling(TokenKind::Indent)) {
    return false;
  }
  const Token* header = f.where - 1;
  while (!begins_line(header)) {
    --header;
  }
  f.report(DiagId::ExpectedBlock, token_spelling(header->kind),
           f.builder.line_column(header->begin).line);
  return true;
}

bool report_assign(const Failure& f) {
  if (f.found() != TokenKind::Assign) {
    return false;
  }
  if (f.expected == "`,` or `)` after the argument") {
    f.report(DiagId::KeywordArgumentName);
    return true;
  }
  const TokenKind head = f.first->kind;
  const bool in_condition = f.expected.ends_with("condition") || head == TokenKind::If ||
                            head == TokenKind::Elif || head == TokenKind::While;
  if (in_condition) {
    f.report(DiagId::AssignInCondition);
  }
  return in_condition;
}

bool report_empty_field(const Failure& f) {
  const bool is_empty =
      f.before() == TokenKind::FStringOpen &&
      (f.found() == TokenKind::FStringClose || f.found() == TokenKind::FStringConversion ||
       f.found() == TokenKind::FStringSpec);
  if (is_empty) {
    f.report(DiagId::FStringEmptyField);
  }
  return is_empty;
}

bool report_keyword_as_name(const Failure& f) {
  const bool wants_name = f.expected.find("name") != std::string_view::npos ||
                          f.expected.find("parameter") != std::string_view::npos ||
                          f.expected == "the loop variable";
  // `f(lambda)`: a parameter may be missing altogether, so only the start of one counts.
  const bool at_start = f.before() == TokenKind::LParen || f.before() == TokenKind::Comma ||
                        f.expected.find("parameter") == std::string_view::npos;
  if (!wants_name || !at_start || !is_keyword(f.found())) {
    return false;
  }
  f.report(DiagId::KeywordAsName, token_spelling(f.found()));
  return true;
}

std::string found_text(const Failure& f) {
  if (is_layout(f.found())) {
    return {};
  }
  constexpr std::size_t kShown = 24;
  const std::string_view text = f.builder.text(*f.where);
  if (text.size() > kShown || text.find_first_of("\r\n") != std::string_view::npos) {
    return ", found " + token_description(f.found());
  }
  return fmt::format(", found `{}`", text);
}

// What the other languages' habit should be here.
std::string_view advice(const Failure& f) {
  const TokenKind found = f.found();
  const bool doubled = f.before() == found && f.where[-1].end == f.where->begin;
  if (doubled && found == TokenKind::Amp) {
    return "write `and`";
  }
  if (doubled && found == TokenKind::Pipe) {
    return "write `or`";
  }
  if (found == TokenKind::If && f.before() == TokenKind::Else) {
    return "write `elif`";
  }
  if (found == TokenKind::Walrus) {
    return "an assignment inside an expression stands in parentheses: `(x := 1)`";
  }
  if (found == TokenKind::LBrace && f.expected.starts_with("`:`")) {
    return "a block begins with `:` and is indented";
  }
  return {};
}

void report_expectation(const Failure& f) {
  std::string text = fmt::format("expected {}", f.where == f.first ? "a statement" : f.expected);
  const TokenKind before = f.before();
  const bool tells_place = f.expected == "an expression" && !is_layout(before) &&
                           (is_keyword(before) || token_description(before).starts_with('`'));
  if (tells_place && f.where != f.first) {
    text += fmt::format(" after {}", token_description(before));
  }
  Diagnostic& report = f.report(DiagId::SyntaxError, text + found_text(f));
  const std::string_view help = advice(f);
  if (!help.empty()) {
    report.helped(std::string(help));
  }
}

void report(const Failure& f) {
  // The lexer has told what is wrong here.
  if (f.found() == TokenKind::Error) {
    return;
  }
  const bool done = report_clause(f) || report_missing_block(f) || report_assign(f) ||
                    report_empty_field(f) || report_keyword_as_name(f);
  if (!done) {
    report_expectation(f);
  }
}

}  // namespace

const Token* handle_syntax_error(Builder& builder, const Token* first, const Token* where,
                                 std::string_view expected) {
  report({builder, first, where, expected});
  builder.recover();
  if (where > first && begins_line(where)) {
    return where;
  }
  const Token* next = where;
  while (!is_layout(next->kind)) {
    ++next;
  }
  return next->kind == TokenKind::Newline ? next + 1 : next;
}

}  // namespace tilery::grammar
