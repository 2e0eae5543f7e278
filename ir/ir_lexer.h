// The pieces of the IR's text form; private to reader.cpp.
#pragma once

#include "ir/support/diagnostic.h"
#include "ir/type.h"

#include <string>
#include <string_view>

namespace tilery {

/// A place in an IR text. Blanks and `//` comments before a piece are skipped; line ends are not,
/// since they end instructions. Functions that `expect` or read something return false after
/// reporting IrSyntax; the first report is the only one. A question or an `accept` never reports.
class IrLexer {
 public:
  IrLexer(std::string_view text, FileId file, Diagnostics& diagnostics);

  [[nodiscard]] FileId file() const { return file_; }

  /// The offset of the next piece on this line.
  [[nodiscard]] std::uint32_t position();

  /// The offset after the last piece.
  [[nodiscard]] std::uint32_t end_of_token() const { return end_; }

  /// From `begin` to the last piece.
  [[nodiscard]] SourceRange range(std::uint32_t begin) const { return {file_, begin, end_}; }

  [[nodiscard]] bool failed() const { return failed_; }

  /// Reports at the next piece, or at an offset; false.
  bool fail(std::string_view message);
  bool fail_at(std::uint32_t offset, std::string_view message);

  void skip_blanks();
  /// Skips to the first line with something on it.
  void skip_lines();

  [[nodiscard]] bool at(char c);
  [[nodiscard]] bool at_word();
  /// At `name(` or `name:`.
  [[nodiscard]] bool at_label(std::string_view name);
  /// At `_`, the absent operand.
  [[nodiscard]] bool at_placeholder();

  bool accept(char c);
  bool accept_placeholder();

  bool expect(char c);
  bool expect_word(std::string_view word);
  /// The end of the line, then skips empty lines.
  bool end_line();
  bool end_text();

  /// A word of letters, digits and `_`; `what` says in the report what it should be.
  bool word(std::string& out, std::string_view what);
  /// What follows `%` or `@`: also `.` and bytes beyond ASCII.
  bool name(std::string& out);
  bool integer(std::int64_t& out);
  /// A quoted string with the escapes \" \\ \n \t \xNN.
  bool string(std::string& out);
  /// A number of any type, unread: signs, digits, letters and dots.
  bool literal(std::string& out);
  bool type(Type& out);

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }

  [[nodiscard]] bool at_line_end() const {
    return pos_ == text_.size() || text_[pos_] == '\n' || text_[pos_] == '\r';
  }

  template <class Belongs>
  std::string_view take(Belongs belongs);
  bool escape(std::string& out);
  /// What stands here, for "expected …, found …".
  [[nodiscard]] std::string found() const;

  std::string_view text_;
  FileId file_;
  Diagnostics& diagnostics_;
  std::size_t pos_ = 0;
  std::uint32_t end_ = 0;
  bool failed_ = false;
};

}  // namespace tilery
