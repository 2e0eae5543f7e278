// Makes the nodes of the tree from the events of the grammar.
//
// The grammar's rules call one member for each thing that they have seen. Operands wait on a stack
// until the construct around them ends and takes them:
//
//     f(a, b)     name f · begin_call · name a · argument · name b · argument · end_call
//     stack       f        f            f a      f          f b     f          f(a, b)
//
// Sequences of operators are not nested in the grammar: it reports operands and operators from left
// to right, and the Builder orders them by the table of precedences (an operator-precedence
// parser). So the depth of recursion does not depend on the length of an expression. The depth of
// the tree is counted as nodes are made, and a tree deeper than kMaxTreeDepth is refused.
//
// Every member takes the last token that was matched. Members report mistakes that the grammar
// cannot see
// (`f() = 1`, `lambda a, a: 0`) and go on; after an error the tree is not used.
//
// A statement frame remembers how high the stacks were when a statement began. The end of the
// statement takes what lies above; after an error, recover() drops it.
#pragma once

#include "frontend/ast.h"
#include "frontend/grammar/operators.h"
#include "frontend/lexer.h"
#include "ir/support/diagnostic.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilery::grammar {

inline constexpr std::uint32_t kMaxTreeDepth = 1000;

class Builder {
 public:
  Builder(const SourceMap& sources, ast::Module& module, bool has_yield, Diagnostics& diagnostics);

  // ---- atoms (build_expression.cpp) ----
  void name(const Token& at);
  void integer(const Token& at);
  void floating(const Token& at);
  void true_literal(const Token& at);
  void false_literal(const Token& at);
  void none_literal(const Token& at);
  void ellipsis(const Token& at);
  void imaginary(const Token& at);
  void bytes(const Token& at);
  /// Stands for a part that was left out: no expression.
  void nothing(const Token& at);

  // ---- operators (build_operators.cpp) ----
  void begin_operators(const Token& at);
  void prefix(const Token& at);
  void infix(const Token& at);
  void is_not(const Token& at);
  void not_in(const Token& at);
  void end_operators(const Token& at);
  void begin_conditional(const Token& at);
  void end_conditional(const Token& at);

  // ---- displays, calls, subscripts (build_expression.cpp) ----
  void begin_list(const Token& at);
  void comma(const Token& at);
  void starred(const Token& at);
  void end_bare_list(const Token& at);
  void end_paren(const Token& at);
  void end_bracket(const Token& at);
  void dict_value(const Token& at);
  void dict_spread(const Token& at);
  void dict_key_only(const Token& at);
  void end_brace(const Token& at);
  void walrus_name(const Token& at);
  void end_walrus(const Token& at);
  void begin_comprehension(const Token& at);
  void next_clause(const Token& at);
  void clause_target(const Token& at);
  void clause_iterable(const Token& at);
  void clause_condition(const Token& at);
  void end_comprehension(const Token& at);
  void attribute(const Token& at);
  void begin_call(const Token& at);
  void keyword(const Token& at);
  void positional_argument(const Token& at);
  void keyword_argument(const Token& at);
  void star_argument(const Token& at);
  void star_star_argument(const Token& at);
  void end_call(const Token& at);
  void end_subscript(const Token& at);
  void end_slice(const Token& at);

  // ---- strings (build_string.cpp) ----
  void begin_strings(const Token& at);
  void string_piece(const Token& at);
  void begin_f_string(const Token& at);
  void f_string_text(const Token& at);
  void begin_field(const Token& at);
  void field_debug(const Token& at);
  void field_conversion(const Token& at);
  void field_spec(const Token& at);
  void end_field(const Token& at);
  void end_strings(const Token& at);

  // ---- parameters, lambdas, functions (build_function.cpp) ----
  void begin_parameters(const Token& at);
  void parameter(const Token& at);
  void star_parameter(const Token& at);
  void star_star_parameter(const Token& at);
  void keyword_only_marker(const Token& at);
  void positional_only_marker(const Token& at);
  void annotation(const Token& at);
  void default_value(const Token& at);
  void end_parameters(const Token& at);
  void end_lambda(const Token& at);
  void begin_function_body(const Token& at);
  void end_function(const Token& at);

  // ---- statements (build_statement.cpp) ----
  void begin_line(const Token& at);
  void end_line(const Token& at);
  void begin_statement(const Token& at);
  void end_statement(const Token& at);
  /// Remembers a token that the statement's end wants: `if`, a name, an operator.
  void head(const Token& at);
  void begin_block(const Token& at);
  void end_block(const Token& at);
  void begin_loop_body(const Token& at);
  void end_loop_body(const Token& at);
  void end_expression_statement(const Token& at);
  void end_assign(const Token& at);
  void end_annotated(const Token& at);
  void end_augmented(const Token& at);
  void end_if(const Token& at);
  void end_for(const Token& at);
  void end_while(const Token& at);
  void end_with(const Token& at);
  void end_break(const Token& at);
  void end_continue(const Token& at);
  void end_pass(const Token& at);
  void end_return(const Token& at);
  void end_assert(const Token& at);
  void end_raise(const Token& at);
  void begin_import(const Token& at);
  void import_level(const Token& at);
  void import_module(const Token& at);
  void import_name(const Token& at);
  void import_name_part(const Token& at);
  void import_alias(const Token& at);
  void end_import(const Token& at);
  void end_unsupported(const Token& at);
  void unexpected_indent(const Token& at);
  void end_stray_block(const Token& at);

  // ---- for the driver and the error handler ----
  /// Drops what the innermost line had built; the next stray block or `else` belongs to it.
  void recover();

  /// The first token of the innermost line.
  [[nodiscard]] const Token* line_begin() const;

  [[nodiscard]] bool previous_failed() const { return previous_failed_; }

  [[nodiscard]] bool has_yield() const { return has_yield_; }

  [[nodiscard]] std::string_view source() const { return source_; }

  /// Reports, unless there are too many errors already; then the answer is a Diagnostic that nobody
  /// sees.
  template <class... Args>
  Diagnostic& report(DiagId id, SourceRange where, const Args&... args) {
    return has_too_many_errors() ? unseen_ : diagnostics_->report(id, where, args...);
  }

  [[nodiscard]] bool has_too_many_errors() const {
    return diagnostics_->error_count() > kMaxErrors;
  }

  [[nodiscard]] SourceRange range(const Token& token) const {
    return {file_, token.begin, token.end};
  }

  [[nodiscard]] LineColumn line_column(std::uint32_t offset) const {
    return sources_.line_column(file_, offset);
  }

  [[nodiscard]] std::string_view text(const Token& token) const {
    return std::string_view(source_).substr(token.begin, token.end - token.begin);
  }

  /// The statements made since the last call, in order.
  [[nodiscard]] ast::Block take_statements();

  /// For trying: reports go to `diagnostics` from now on, and no statement has failed yet.
  void report_to(Diagnostics& diagnostics) {
    diagnostics_ = &diagnostics;
    previous_failed_ = false;
  }

  /// Sizes of the module's arrays; rolling back drops the nodes made since, which nothing may refer
  /// to.
  struct Mark {
    std::size_t exprs = 0;
    std::size_t stmts = 0;
  };

  [[nodiscard]] Mark mark() const { return {module_.exprs.size(), module_.stmts.size()}; }

  void roll_back(Mark mark);

 private:
  /// An expression and the source range that it covers with the parentheses around it.
  struct Operand {
    ast::ExprId id;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  struct PendingOperator {
    OperatorInfo info;
    /// Operands on the stack that belong to it, beyond the first.
    std::uint32_t more_operands = 1;
    std::uint32_t begin = 0;
    TokenKind token{};
  };

  struct OpenList {
    std::size_t operands = 0;
    std::size_t arguments = 0;
    std::uint32_t begin = 0;
    bool has_comma = false;
    bool is_comprehension = false;
    /// A call whose first bare generator expression is this one.
    ast::ExprId bare_generator;
    bool is_dict = false;
  };

  struct OpenStrings {
    std::vector<ast::FStringPart> parts;
    bool is_f_string = false;
    bool is_raw = false;
    std::uint32_t begin = 0;
  };

  struct OpenField {
    /// Of the text between the braces.
    std::uint32_t begin = 0;
    bool is_debug = false;
    bool has_spec = false;
    ast::FStringPart part;
  };

  struct OpenParameters {
    std::vector<ast::Parameter> list;
    bool keyword_only = false;
    /// A bare `*` that no parameter has followed yet.
    bool dangling_marker = false;
    std::uint32_t begin = 0;
  };

  /// Heights of all stacks.
  struct Frame {
    bool is_line = false;
    const Token* first = nullptr;
    std::size_t operands = 0;
    std::size_t operators = 0;
    std::size_t operator_marks = 0;
    std::size_t compare_ops = 0;
    std::size_t lists = 0;
    std::size_t arguments = 0;
    std::size_t clauses = 0;
    std::size_t strings = 0;
    std::size_t fields = 0;
    std::size_t parameters = 0;
    std::size_t heads = 0;
    std::size_t statements = 0;
    std::size_t block_marks = 0;
    std::size_t blocks = 0;
    std::uint32_t loops = 0;
    std::uint32_t functions = 0;
  };

  // nodes
  template <class T>
  ast::ExprId add(T node, std::uint32_t begin, std::uint32_t end, std::uint32_t child_depth);
  template <class T>
  void push(T node, std::uint32_t begin, std::uint32_t end, std::uint32_t child_depth = 0);
  void push_token(const Token& at, ast::ExprData data);
  [[nodiscard]] std::uint16_t checked_depth(std::uint32_t child_depth, std::uint32_t begin);

  [[nodiscard]] std::uint32_t depth(ast::ExprId id) const { return id ? expr_depth_[id.index] : 0; }

  [[nodiscard]] std::uint32_t depth(std::span<const Operand> operands) const;
  [[nodiscard]] std::uint32_t depth(const ast::Block& block) const;
  [[nodiscard]] std::uint32_t depth(const std::vector<ast::Parameter>& parameters) const;
  Operand pop();
  [[nodiscard]] std::vector<ast::ExprId> take_ids(std::size_t from);
  /// End of the last token that is not layout, at or before `at`.
  [[nodiscard]] static std::uint32_t end_before(const Token& at);

  // operators
  void reduce();
  void push_infix(OperatorInfo info, const Token& at);
  void push_compare(ast::CompareOp op, const Token& at);

  // checks
  void check_target(ast::ExprId id);
  void check_simple_target(ast::ExprId id);
  void check_starred_alone(std::span<const Operand> operands);
  void check_parameters(const std::vector<ast::Parameter>& list);
  void check_unique(std::vector<SourceRange> names, DiagId id);
  void add_parameter(ast::Parameter::Kind kind, const Token& at);
  void add_argument(ast::Argument::Kind kind);
  ast::FStringPart& text_part();
  void append_text(std::string_view body, std::uint32_t offset, bool raw, bool is_f_string);

  // statements
  [[nodiscard]] Frame heights(bool is_line, const Token* first) const;
  void restore(const Frame& frame);

  [[nodiscard]] const Frame& frame() const { return frames_.back(); }

  [[nodiscard]] std::span<Operand> operands() {
    return std::span(operands_).subspan(frame().operands);
  }

  [[nodiscard]] std::span<ast::Block> blocks() {
    return std::span(blocks_).subspan(frame().blocks);
  }

  [[nodiscard]] std::span<const Token> heads() const {
    return std::span(heads_).subspan(frame().heads);
  }

  ast::StmtId add_stmt(ast::StmtData data, std::uint32_t begin, std::uint32_t end,
                       std::uint32_t child_depth);
  /// Ends the statement of the innermost frame, which began at its first token and ends at `at`.
  void finish_stmt(ast::StmtData data, const Token& at, std::uint32_t child_depth);
  std::uint32_t take_loop_blocks(ast::Block& body, ast::Block& else_body);
  [[nodiscard]] std::string take_docstring(ast::Block& body) const;

  const SourceMap& sources_;
  FileId file_;
  const std::string& source_;
  ast::Module& module_;
  Diagnostics* diagnostics_;
  Diagnostic unseen_;
  bool has_yield_;
  bool previous_failed_ = false;
  bool depth_reported_ = false;
  std::vector<std::uint16_t> expr_depth_;
  std::vector<std::uint16_t> stmt_depth_;

  std::vector<Operand> operands_;
  std::vector<PendingOperator> operators_;
  std::vector<std::size_t> operator_marks_;
  std::vector<ast::CompareOp> compare_ops_;
  std::vector<OpenList> lists_;
  std::vector<ast::Argument> arguments_;
  std::vector<std::vector<ast::ComprehensionClause>> clauses_;
  std::vector<OpenStrings> strings_;
  std::vector<OpenField> fields_;
  std::vector<OpenParameters> parameters_;
  std::vector<Token> heads_;
  std::vector<ast::StmtId> statements_;
  std::vector<std::size_t> block_marks_;
  std::vector<ast::Block> blocks_;
  std::vector<Frame> frames_;
  ast::Import import_;
  std::uint32_t loops_ = 0;
  std::uint32_t functions_ = 0;
};

}  // namespace tilery::grammar
