#include "frontend/grammar/error_handler.h"

#include "frontend/grammar/builder.h"

#include <string>

namespace tilery::grammar {

namespace {

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
    return builder.report(id, builder.range(*where), args...);
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
  // At the end of the file or of the outer block there is no line to point at.
  const Token& at = is_layout(f.found()) ? f.where[-1] : *f.where;
  f.builder.report(DiagId::ExpectedBlock, f.builder.range(at), token_spelling(header->kind),
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
  if (f.where == f.first + 1 && f.builder.text(*f.first) == "print") {
    return "`print` is a function: `print(…)`";
  }
  if (found == TokenKind::LBrace && f.expected.starts_with("`:`")) {
    return "a block begins with `:` and is indented";
  }
  return {};
}

bool opens_list(TokenKind kind) {
  return kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace ||
         kind == TokenKind::Comma;
}

// After `(` or `,` another element is missing rather than a comma: "`,` or `)` after the argument"
// becomes "an argument or `)`".
std::string expected_text(const Failure& f) {
  constexpr std::string_view kComma = "`,` or ";
  if (f.where == f.first) {
    return "a statement";
  }
  if (!f.expected.starts_with(kComma) || !opens_list(f.before())) {
    return std::string(f.expected);
  }
  const std::string_view bracket = f.expected.substr(kComma.size(), 3);
  const std::string_view element = f.expected.ends_with("argument")        ? "an argument"
                                   : f.expected.ends_with("parameter")     ? "a parameter"
                                   : f.expected.ends_with("imported name") ? "a name"
                                                                           : "an expression";
  return fmt::format("{} or {}", element, bracket);
}

void report_expectation(const Failure& f) {
  std::string text = "expected " + expected_text(f);
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
  // Where the lexer has found something wrong in the line, it has told the cause of this too.
  const Token* token = f.where;
  while (token->kind != TokenKind::Error && !is_layout(token->kind)) {
    ++token;
  }
  if (token->kind == TokenKind::Error) {
    return;
  }
  const bool done = report_clause(f) || report_missing_block(f) || report_assign(f) ||
                    report_empty_field(f) || report_keyword_as_name(f);
  if (!done) {
    report_expectation(f);
  }
}

}  // namespace

const Token* handle_syntax_error(Builder& builder, const Token* where, std::string_view expected) {
  const Token* const first = builder.line_begin();
  report({builder, first, where, expected});
  builder.recover();
  if (where > first && begins_line(where)) {
    return where;
  }
  const Token* next = where;
  while (builder.has_too_many_errors() && next->kind != TokenKind::EndOfFile) {
    ++next;
  }
  while (!is_layout(next->kind)) {
    ++next;
  }
  return next->kind == TokenKind::Newline ? next + 1 : next;
}

}  // namespace tilery::grammar
