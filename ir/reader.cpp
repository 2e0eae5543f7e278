// The reader goes through the text once, line by line, and puts instructions into the function as
// it meets them, with the types that the text gives. It infers nothing: the verifier compares the
// types with the rows afterwards, so there is one set of rules. Reading stops at the first mistake.
#include "ir/reader.h"

#include "ir/builder.h"
#include "ir/ir_lexer.h"
#include "ir/literal.h"
#include "ir/verifier.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace tilery {
namespace {

/// Regions may nest this deep; more would threaten the stack here and in every pass.
constexpr int kMaxDepth = 200;

/// An instruction's line, before it is put into the function.
struct Header {
  std::vector<std::string> result_names;
  const OpDef* def = nullptr;
  Inst inst;
  std::vector<Type> result_types;
  /// The bits attribute, which needs the result type to be read.
  std::string bits_text;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Reads one function.
class Reader {
 public:
  Reader(const SourceMap& sources, FileId file, Diagnostics& diagnostics)
      : lexer_(sources.file(file).text, file, diagnostics), diagnostics_(diagnostics) {}

  std::optional<Function> run() {
    lexer_.skip_lines();
    if (!read_signature() || !read_insts(nullptr) || !lexer_.expect('}') || !lexer_.end_line() ||
        !lexer_.end_text()) {
      return std::nullopt;
    }
    end_region();
    for (const Violation& violation : find_violations(function_)) {
      const SourceRange range =
          violation.inst ? function_.range(function_.inst(violation.inst).loc) : head_;
      diagnostics_.report(DiagId::IrInvalid, range, violation.text);
    }
    return diagnostics_.has_errors() ? std::nullopt : std::optional(std::move(function_));
  }

 private:
  // ---- the function's head ----------------------------------------------------------------------

  /// func @name(%x: f32, …) {
  bool read_signature() {
    const std::uint32_t begin = lexer_.position();
    if (!lexer_.expect_word("func") || !lexer_.expect('@') || !lexer_.name(function_.name) ||
        !lexer_.expect('(')) {
      return false;
    }
    function_.body = builder_.make_region({});
    builder_.set_region(function_.body);
    while (!lexer_.accept(')')) {
      if ((!function_.params.empty() && !lexer_.expect(',')) || !read_param()) {
        return false;
      }
    }
    head_ = lexer_.range(begin);
    return lexer_.expect('{') && lexer_.end_line();
  }

  bool read_param() {
    lexer_.skip_blanks();
    const std::uint32_t begin = lexer_.position();
    Param param;
    if (!read_argument(function_.body, param.type, param.name) || !read_facts(param.facts)) {
      return false;
    }
    param.range = lexer_.range(begin);
    function_.params.push_back(std::move(param));
    return true;
  }

  /// %x: f32
  bool read_argument(RegionId region, Type& type, std::string& name) {
    const std::uint32_t begin = lexer_.position();
    if (!lexer_.expect('%') || !lexer_.name(name) || !lexer_.expect(':') || !lexer_.type(type)) {
      return false;
    }
    const ValueId value = builder_.add_region_argument(region, type, source_name(name));
    return define(name, value, begin);
  }

  /// {div16, eq1}
  bool read_facts(ParamFacts& facts) {
    if (!lexer_.accept('{')) {
      return true;
    }
    do {
      std::string fact;
      if (!lexer_.word(fact, "a fact, `div16` or `eq1`")) {
        return false;
      }
      if (fact != "div16" && fact != "eq1") {
        return lexer_.fail(fmt::format("unknown fact `{}`, expected `div16` or `eq1`", fact));
      }
      (fact == "eq1" ? facts.equals_1 : facts.divisible_by_16) = true;
    } while (lexer_.accept(','));
    return lexer_.expect('}');
  }

  // ---- instructions -----------------------------------------------------------------------------

  /// Instructions up to `}` or to the name of a region of `owner`.
  bool read_insts(const OpDef* owner) {
    while (!lexer_.at('}') && !at_region_name(owner)) {
      if (!read_inst()) {
        return false;
      }
    }
    return true;
  }

  bool at_region_name(const OpDef* owner) {
    if (owner == nullptr) {
      return false;
    }
    const std::span<const RegionPattern> patterns = owner->region_patterns();
    return std::ranges::any_of(
        patterns, [this](const RegionPattern& pattern) { return lexer_.at_label(pattern.name); });
  }

  bool read_inst() {
    Header header;
    header.begin = lexer_.position();
    if (!read_results(header) || !read_op(header) || !read_operands(header) ||
        !read_attrs(header) || !read_types(header)) {
      return false;
    }
    header.end = lexer_.end_of_token();
    const bool has_regions = lexer_.accept('{');
    if (!lexer_.end_line() || (has_regions && !read_regions(header))) {
      return false;
    }
    return place(std::move(header));
  }

  /// %a, %b =
  bool read_results(Header& header) {
    if (!lexer_.at('%')) {
      return true;
    }
    do {
      if (!lexer_.expect('%') || !lexer_.name(header.result_names.emplace_back())) {
        return false;
      }
    } while (lexer_.accept(','));
    return lexer_.expect('=');
  }

  bool read_op(Header& header) {
    std::string id;
    const std::uint32_t begin = lexer_.position();
    if (!lexer_.word(id, "an operation")) {
      return false;
    }
    header.def = find_op(id);
    if (header.def == nullptr) {
      return lexer_.fail_at(begin, fmt::format("there is no operation `{}`", id));
    }
    header.inst.op = header.def->op;
    return true;
  }

  bool read_operands(Header& header) {
    const std::span<const ValuePattern> patterns = header.def->operand_patterns();
    for (std::size_t g = 0; g < patterns.size(); ++g) {
      const bool starts = lexer_.at('%') || lexer_.at('(') || lexer_.at_placeholder();
      if (g == 0 ? !starts : !lexer_.accept(',')) {
        return true;
      }
      const bool is_pack = patterns[g].arity == Arity::Pack;
      if (!(is_pack ? read_pack(header, g, g + 1 < patterns.size()) : read_group(header, g))) {
        return false;
      }
    }
    return true;
  }

  bool read_group(Header& header, std::size_t g) {
    return lexer_.accept_placeholder() || read_operand(header, g);
  }

  bool read_pack(Header& header, std::size_t g, bool parentheses) {
    if (parentheses && (!lexer_.expect('(') || lexer_.accept(')'))) {
      return !lexer_.failed();
    }
    do {
      if (!read_operand(header, g)) {
        return false;
      }
    } while (lexer_.accept(','));
    return !parentheses || lexer_.expect(')');
  }

  bool read_operand(Header& header, std::size_t g) {
    lexer_.skip_blanks();
    const std::uint32_t begin = lexer_.position();
    std::string name;
    if (!lexer_.expect('%') || !lexer_.name(name)) {
      return false;
    }
    const auto found = values_.find(name);
    if (found == values_.end()) {
      return lexer_.fail_at(begin, fmt::format("value `%{}` is not defined", name));
    }
    if (header.inst.segments[g] == std::numeric_limits<std::uint16_t>::max()) {
      return lexer_.fail_at(begin, "too many operands");
    }
    ++header.inst.segments[g];
    header.inst.operands.push_back(found->second);
    return true;
  }

  // ---- attributes and types ---------------------------------------------------------------------

  bool read_attrs(Header& header) {
    const std::span<const AttrPattern> patterns = header.def->attr_patterns();
    std::vector<std::optional<Attr>> attrs(patterns.size());
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (patterns[i].kind == AttrKind::Bits) {
        if (!lexer_.literal(header.bits_text)) {
          return false;
        }
        attrs[i] = Bits();
      }
    }
    while (lexer_.at_word()) {
      if (!read_attr(header, attrs)) {
        return false;
      }
    }
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (!attrs[i] && !patterns[i].has_default) {
        return lexer_.fail(
            fmt::format("attribute `{}` of `{}` is missing", patterns[i].name, header.def->id));
      }
      header.inst.attrs.push_back(attrs[i] ? std::move(*attrs[i]) : default_attr(patterns[i]));
    }
    return true;
  }

  /// name=value
  bool read_attr(const Header& header, std::vector<std::optional<Attr>>& attrs) {
    const std::uint32_t begin = lexer_.position();
    std::string name;
    if (!lexer_.word(name, "an attribute")) {
      return false;
    }
    const std::span<const AttrPattern> patterns = header.def->attr_patterns();
    const auto found =
        std::ranges::find_if(patterns, [&](const AttrPattern& attr) { return attr.name == name; });
    if (found == patterns.end()) {
      return lexer_.fail_at(begin, fmt::format("`{}` has no attribute `{}`", header.def->id, name));
    }
    std::optional<Attr>& attr = attrs[static_cast<std::size_t>(found - patterns.begin())];
    if (attr) {
      return lexer_.fail_at(begin, fmt::format("attribute `{}` is given twice", name));
    }
    return lexer_.expect('=') && read_value(*found, attr.emplace());
  }

  bool read_value(const AttrPattern& pattern, Attr& attr) {
    switch (pattern.kind) {
      case AttrKind::Int:
        return lexer_.integer(attr.emplace<std::int64_t>());
      case AttrKind::Ints:
        return read_ints(attr.emplace<std::vector<std::int64_t>>());
      case AttrKind::Bool:
        return read_bool(attr.emplace<bool>());
      case AttrKind::String:
        return lexer_.string(attr.emplace<std::string>());
      case AttrKind::Bits:
        break;
      case AttrKind::Enum:
        return read_enumerator(pattern.enumerators, attr.emplace<std::int64_t>());
    }
    return false;
  }

  bool read_ints(std::vector<std::int64_t>& ints) {
    if (!lexer_.expect('[')) {
      return false;
    }
    while (!lexer_.accept(']')) {
      if ((!ints.empty() && !lexer_.expect(',')) || !lexer_.integer(ints.emplace_back())) {
        return false;
      }
    }
    return true;
  }

  bool read_bool(bool& value) {
    std::int64_t index = 0;
    const bool read = read_enumerator("false|true", index);
    value = index != 0;
    return read;
  }

  bool read_enumerator(std::string_view enumerators, std::int64_t& index) {
    const std::uint32_t begin = lexer_.position();
    std::string word;
    if (!lexer_.word(word, "a word")) {
      return false;
    }
    index = enumerator_index(enumerators, word);
    return index >= 0 ||
           lexer_.fail_at(begin, fmt::format("`{}` is not one of {}", word, enumerators));
  }

  /// : f32, i32
  bool read_types(Header& header) {
    if (header.result_names.empty()) {
      return true;
    }
    if (!lexer_.expect(':')) {
      return false;
    }
    do {
      if (!lexer_.type(header.result_types.emplace_back())) {
        return false;
      }
    } while (lexer_.accept(','));
    if (header.result_types.size() != header.result_names.size()) {
      return lexer_.fail(fmt::format("{} results, but {} types", header.result_names.size(),
                                     header.result_types.size()));
    }
    return header.bits_text.empty() || read_bits(header);
  }

  bool read_bits(Header& header) {
    const ElementType element = header.result_types[0].element;
    const std::optional<std::uint64_t> bits = parse_literal(element, header.bits_text);
    if (!bits) {
      return lexer_.fail(
          fmt::format("`{}` is not a value of type `{}`", header.bits_text, element.str()));
    }
    for (Attr& attr : header.inst.attrs) {
      if (auto* value = std::get_if<Bits>(&attr)) {
        value->value = *bits;
      }
    }
    return true;
  }

  // ---- regions ----------------------------------------------------------------------------------

  bool read_regions(Header& header) {
    if (++depth_ > kMaxDepth) {
      return lexer_.fail(fmt::format("regions nest deeper than {}", kMaxDepth));
    }
    const RegionId outer = builder_.region();
    const std::span<const RegionPattern> patterns = header.def->region_patterns();
    std::size_t next = 0;
    while (!lexer_.at('}')) {
      if (next == patterns.size()) {
        return lexer_.fail(patterns.empty() ? fmt::format("`{}` has no regions", header.def->id)
                                            : "expected `}` after the last region");
      }
      const RegionPattern& pattern = patterns[next];
      const bool again = pattern.arity == Arity::Pack;
      if (!lexer_.at_label(pattern.name) && again && next + 1 < patterns.size()) {
        ++next;
        continue;
      }
      if (!read_region(header, pattern)) {
        return false;
      }
      next += again ? 0 : 1;
    }
    builder_.set_region(outer);
    --depth_;
    return lexer_.expect('}') && lexer_.end_line();
  }

  /// name(%a: f32, …):
  bool read_region(Header& header, const RegionPattern& pattern) {
    if (!lexer_.expect_word(pattern.name)) {
      return false;
    }
    const RegionId region = builder_.make_region({});
    header.inst.regions.push_back(region);
    if (lexer_.accept('(')) {
      bool first = true;
      while (!lexer_.accept(')')) {
        Type type;
        std::string name;
        if ((!first && !lexer_.expect(',')) || !read_argument(region, type, name)) {
          return false;
        }
        first = false;
      }
    }
    if (!lexer_.expect(':') || !lexer_.end_line()) {
      return false;
    }
    builder_.set_region(region);
    if (!read_insts(header.def)) {
      return false;
    }
    end_region();
    return true;
  }

  /// A region that does not say how it ends yields nothing.
  void end_region() {
    const std::vector<InstId>& insts = function_.region(builder_.region()).insts;
    if (insts.empty() || !op_def(function_.inst(insts.back()).op).is_terminator()) {
      builder_.set_loc(LocId());
      Inst yield;
      yield.op = Op::Yield;
      builder_.place(std::move(yield), {});
    }
  }

  // ---- names and places -------------------------------------------------------------------------

  bool place(Header header) {
    const SourceRange range{lexer_.file(), header.begin, header.end};
    builder_.set_loc(builder_.add_location({range, LocId(), function_.name}));
    const InstId inst = builder_.place(std::move(header.inst), header.result_types);
    for (std::uint32_t i = 0; i < header.result_names.size(); ++i) {
      const ValueId result = function_.inst(inst).result(i);
      function_.value(result).name = source_name(header.result_names[i]);
      if (!define(header.result_names[i], result, header.begin)) {
        return false;
      }
    }
    return true;
  }

  bool define(const std::string& name, ValueId value, std::uint32_t where) {
    return values_.emplace(name, value).second ||
           lexer_.fail_at(where, fmt::format("value `%{}` is defined twice", name));
  }

  /// A number is how a value without a name is written.
  static std::string source_name(const std::string& name) {
    return name.find_first_not_of("0123456789") == std::string::npos ? std::string() : name;
  }

  IrLexer lexer_;
  Diagnostics& diagnostics_;
  Function function_;
  Builder builder_{function_};
  std::unordered_map<std::string, ValueId> values_;
  /// From `func` to `)`, for violations that belong to no instruction.
  SourceRange head_;
  int depth_ = 0;
};

}  // namespace

std::optional<Function> read_function(const SourceMap& sources, FileId file,
                                      Diagnostics& diagnostics) {
  Diagnostics own;
  std::optional<Function> function = Reader(sources, file, own).run();
  diagnostics.append(own);
  return function;
}

}  // namespace tilery
