// The constexpr reader of signatures; see signature.h for their grammar.
//
// Included by op_table.cpp, which reads every row with it, and by tests. Reading stops at the first
// mistake: `fail` keeps it, and every step after it does nothing.
#pragma once

#include "ir/signature.h"

namespace tilery {

/// Reads one signature. The views in the result point into the text.
class SignatureReader {
 public:
  constexpr explicit SignatureReader(std::string_view text) : text_(text) {}

  [[nodiscard]] constexpr SignatureResult read();

 private:
  static constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

  static constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

  [[nodiscard]] constexpr bool failed() const { return result_.error != SignatureError::None; }

  constexpr void fail(SignatureError error) {
    if (!failed()) {
      result_.error = error;
      result_.column = static_cast<int>(pos_);
      pos_ = text_.size();
    }
  }

  constexpr void skip_blanks() {
    while (pos_ < text_.size() && text_[pos_] == ' ') {
      ++pos_;
    }
  }

  [[nodiscard]] constexpr char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }

  [[nodiscard]] constexpr bool next_is(char c) {
    skip_blanks();
    return !failed() && peek() == c;
  }

  constexpr bool accept(char c) {
    if (!next_is(c)) {
      return false;
    }
    ++pos_;
    return true;
  }

  constexpr void expect(char c, SignatureError error) {
    if (!accept(c)) {
      fail(error);
    }
  }

  constexpr void expect_arrow() {
    skip_blanks();
    if (text_.substr(pos_, 2) != "->") {
      fail(SignatureError::ExpectedArrow);
      return;
    }
    pos_ += 2;
  }

  constexpr std::string_view read_word() {
    skip_blanks();
    const std::size_t begin = pos_;
    while (is_word(peek())) {
      ++pos_;
    }
    if (begin == pos_) {
      fail(SignatureError::ExpectedName);
    }
    return text_.substr(begin, pos_ - begin);
  }

  constexpr int read_number() {
    skip_blanks();
    if (!is_digit(peek())) {
      fail(SignatureError::ExpectedNumber);
    }
    int number = 0;
    for (; is_digit(peek()) && number < 10'000'000; ++pos_) {
      number = number * 10 + (peek() - '0');
    }
    return number;
  }

  /// The next free entry of a fixed array, or a spare one after a failure.
  template <class Array>
  constexpr auto& append(Array& array, int& count) {
    if (static_cast<std::size_t>(count) == array.size()) {
      fail(SignatureError::TooMany);
      return array.back();
    }
    return array[static_cast<std::size_t>(count++)];
  }

  /// "(" [item {"," item}] close
  template <class ReadItem>
  constexpr void read_list(char close, ReadItem read_item) {
    expect('(', SignatureError::ExpectedParenthesis);
    if (accept(close)) {
      return;
    }
    do {
      read_item();
    } while (accept(','));
    if (!accept(close)) {
      fail(SignatureError::ExpectedComma);
    }
  }

  /// Values up to `close` ('\0': the end of the text), which is not consumed.
  template <class Array>
  constexpr void read_results(char close, Array& values, int& count) {
    skip_blanks();
    if (failed() || peek() == close) {
      return;
    }
    do {
      ValuePattern& value = append(values, count);
      read_type(value);
      if (accept('*')) {
        value.arity = Arity::Pack;
      }
    } while (accept(','));
  }

  constexpr Arity read_arity() {
    if (accept('?')) {
      return Arity::Optional;
    }
    return accept('*') ? Arity::Pack : Arity::One;
  }

  constexpr void read_operand() {
    Signature& signature = result_.signature;
    const std::string_view name = read_word();
    for (int i = 0; i < signature.operand_count; ++i) {
      if (signature.operands[static_cast<std::size_t>(i)].name == name) {
        fail(SignatureError::DuplicateName);
      }
    }
    ValuePattern& operand = append(signature.operands, signature.operand_count);
    operand.name = name;
    operand.arity = read_arity();
    expect(':', SignatureError::ExpectedColon);
    read_type(operand);
  }

  constexpr void read_region() {
    expect('{', SignatureError::ExpectedBrace);
    RegionPattern& region = append(result_.signature.regions, result_.signature.region_count);
    region.name = read_word();
    region.arity = accept('*') ? Arity::Pack : Arity::One;
    expect(':', SignatureError::ExpectedColon);
    read_list(')', [&] {
      ValuePattern& argument = append(region.arguments, region.argument_count);
      read_type(argument);
      argument.arity = accept('*') ? Arity::Pack : Arity::One;
    });
    expect_arrow();
    read_results('}', region.results, region.result_count);
    expect('}', SignatureError::ExpectedBrace);
  }

  constexpr void read_attr() {
    expect('#', SignatureError::ExpectedName);
    Signature& signature = result_.signature;
    const std::string_view name = read_word();
    for (int i = 0; i < signature.attr_count; ++i) {
      if (signature.attrs[static_cast<std::size_t>(i)].name == name) {
        fail(SignatureError::DuplicateName);
      }
    }
    AttrPattern& attr = append(signature.attrs, signature.attr_count);
    attr.name = name;
    expect(':', SignatureError::ExpectedColon);
    read_attr_kind(attr);
    if (!failed() && peek() == '=') {
      ++pos_;
      read_default(attr);
    }
  }

  constexpr void read_attr_kind(AttrPattern& attr) {
    constexpr std::string_view kKinds = "int|ints|bool|string|bits|enum";
    const std::string_view word = read_word();
    const int kind = enumerator_index(kKinds, word);
    if (kind < 0) {
      fail(SignatureError::UnknownAttrKind);
      return;
    }
    attr.kind = static_cast<AttrKind>(kind);
    if (attr.kind != AttrKind::Enum) {
      return;
    }
    expect('(', SignatureError::ExpectedParenthesis);
    const std::size_t begin = pos_;
    do {
      (void)read_word();
    } while (accept('|'));
    attr.enumerators = text_.substr(begin, pos_ - begin);
    expect(')', SignatureError::ExpectedParenthesis);
  }

  constexpr void read_default(AttrPattern& attr) {
    const std::size_t begin = pos_;
    while (pos_ < text_.size() && text_[pos_] != ' ') {
      ++pos_;
    }
    attr.has_default = true;
    attr.default_text = text_.substr(begin, pos_ - begin);
    if (!default_fits(attr)) {
      pos_ = begin;
      fail(SignatureError::BadDefault);
    }
  }

  [[nodiscard]] static constexpr bool default_fits(const AttrPattern& attr) {
    const std::string_view text = attr.default_text;
    switch (attr.kind) {
      case AttrKind::Int:
        return !text.empty() && text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) ==
                                    std::string_view::npos;
      case AttrKind::Bool:
        return text == "true" || text == "false";
      case AttrKind::Enum:
        return enumerator_index(attr.enumerators, text) >= 0;
      case AttrKind::String:
        return true;
      case AttrKind::Ints:
        return text.empty();
      case AttrKind::Bits:
        return false;
    }
    return false;
  }

  constexpr void read_type(ValuePattern& value) {
    value.is_pointer_to = accept('*');
    skip_blanks();
    if (is_capital(peek()) || peek() == '{') {
      read_element(value);
      read_shape(value);
      return;
    }
    const std::string_view word = read_word();
    if (word == "buffer" || word == "desc") {
      value.kind = word == "desc" ? ValueKind::Descriptor : ValueKind::Buffer;
      read_memory_type(value);
    } else if (word == "barrier" || word == "token") {
      value.kind = word == "token" ? ValueKind::Token : ValueKind::Barrier;
    } else {
      value.element_class = ElementClass::Set;
      add_scalar(value, word);
      read_shape(value);
    }
  }

  /// What follows "buffer" or "desc".
  constexpr void read_memory_type(ValuePattern& value) {
    expect('<', SignatureError::ExpectedAngle);
    skip_blanks();
    read_element(value);
    read_shape(value);
    if (value.kind == ValueKind::Buffer) {
      expect(',', SignatureError::ExpectedComma);
      value.space = read_word();
    }
    expect('>', SignatureError::ExpectedAngle);
  }

  constexpr void read_element(ValuePattern& value) {
    if (peek() == '{') {
      read_set(value);
      return;
    }
    if (!is_capital(peek())) {
      value.element_class = ElementClass::Set;
      add_scalar(value, read_word());
      return;
    }
    constexpr std::string_view kLetters = "T|A|N|I|F|P";
    constexpr std::array<ElementClass, 6> kClasses = {ElementClass::Any,    ElementClass::Any,
                                                      ElementClass::Number, ElementClass::Integer,
                                                      ElementClass::Float,  ElementClass::Pointer};
    const int index = enumerator_index(kLetters, text_.substr(pos_, 1));
    if (index < 0) {
      fail(SignatureError::UnknownElement);
      return;
    }
    value.element_letter = peek();
    value.element_class = kClasses[static_cast<std::size_t>(index)];
    ++pos_;
  }

  constexpr void read_set(ValuePattern& value) {
    value.element_letter = ValuePattern::kSetLetter;
    value.element_class = ElementClass::Set;
    expect('{', SignatureError::ExpectedBrace);
    do {
      add_scalar(value, read_word());
    } while (accept(','));
    expect('}', SignatureError::ExpectedBrace);
    if (set_ != 0 && set_ != value.scalar_set) {
      fail(SignatureError::SecondSet);
    }
    set_ = value.scalar_set;
  }

  constexpr void add_scalar(ValuePattern& value, std::string_view name) {
    for (int i = 0; i < kScalarCount; ++i) {
      if (kScalarFacts[i].ir_name == name) {
        value.scalar_set |= 1U << i;
        return;
      }
    }
    fail(SignatureError::UnknownScalar);
  }

  constexpr void read_shape(ValuePattern& value) {
    expect('[', SignatureError::ExpectedBracket);
    if (accept(']')) {
      return;
    }
    do {
      read_extent(value);
    } while (accept(','));
    expect(']', SignatureError::ExpectedBracket);
  }

  constexpr void read_extent(ValuePattern& value) {
    skip_blanks();
    if (is_digit(peek())) {
      append(value.extents, value.extent_count).literal = read_number();
      return;
    }
    if (!is_capital(peek())) {
      fail(SignatureError::ExpectedExtent);
      return;
    }
    const char letter = text_[pos_++];
    if (text_.substr(pos_, 3) == "...") {
      if (value.variadic_letter != '\0' || value.extent_count != 0) {
        fail(SignatureError::ExpectedExtent);
      }
      pos_ = failed() ? pos_ : pos_ + 3;
      value.variadic_letter = letter;
      return;
    }
    ExtentPattern& extent = append(value.extents, value.extent_count);
    extent.letter = letter;
    if (accept('/')) {
      extent.divisor = static_cast<std::uint8_t>(read_number());
      if (extent.divisor < 2) {
        fail(SignatureError::ExpectedNumber);
      }
    }
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  std::uint32_t set_ = 0;
  SignatureResult result_;
};

// Below the class: clang instantiates what a constant calls only from where its template was read.
constexpr SignatureResult SignatureReader::read() {
  read_list(')', [this] { read_operand(); });
  while (next_is('{')) {
    read_region();
  }
  while (next_is('#')) {
    read_attr();
  }
  expect_arrow();
  read_results('\0', result_.signature.results, result_.signature.result_count);
  skip_blanks();
  if (!failed() && pos_ != text_.size()) {
    fail(SignatureError::TrailingText);
  }
  return result_;
}

/// Reads a signature at compile time or at run time.
[[nodiscard]] constexpr SignatureResult read_signature(std::string_view text) {
  return SignatureReader(text).read();
}

}  // namespace tilery
