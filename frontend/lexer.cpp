#include "frontend/lexer.h"

#include "frontend/lexer_impl.h"
#include "frontend/text.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace tilery {

TokenList tokenize(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  const std::string_view text = sources.file(file).text;
  if (text.size() > kMaxFileBytes) {
    diagnostics.report(DiagId::FileTooLarge, {file, 0, 0}, text.size());
    return {{}, false};
  }
  if (const std::optional<std::size_t> bad = first_bad_byte(text)) {
    const auto at = static_cast<std::uint32_t>(*bad);
    const unsigned value = static_cast<unsigned char>(text[at]);
    const DiagId id = value == 0 ? DiagId::NulByte : DiagId::InvalidUtf8;
    const std::string encoding = declared_encoding(text);
    diagnostics.report(id, {file, at, at + 1}, at, value)
        .helped(value == 0         ? "give a file with the kernel's source"
                : encoding.empty() ? "save the file as UTF-8"
                                   : fmt::format("the file declares the encoding `{}`: save it as "
                                                 "UTF-8",
                                                 encoding));
    return {{}, false};
  }
  return lexer::Lexer(sources, file, diagnostics).run();
}

namespace lexer {

Lexer::Lexer(const SourceMap& sources, FileId file, Diagnostics& diagnostics)
    : sources_(sources), file_(file), text_(sources.file(file).text), diagnostics_(diagnostics) {
  list_.tokens.reserve(text_.size() / 4 + 16);
  indents_.push_back({});
}

TokenList Lexer::run() {
  if (text_.starts_with("\xEF\xBB\xBF")) {
    pos_ = 3;
  }
  push(TokenKind::Newline, pos_);
  while (!at_end() && !gave_up_) {
    lex_line();
  }
  for (; indents_.size() > 1; indents_.pop_back()) {
    push(TokenKind::Dedent, pos_);
  }
  push(TokenKind::EndOfFile, pos_);
  return std::move(list_);
}

void Lexer::give_up() {
  gave_up_ = true;
  list_.usable = false;
  pos_ = static_cast<std::uint32_t>(text_.size());
}

}  // namespace lexer
}  // namespace tilery
