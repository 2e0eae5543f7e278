#include "tests/unit/frontend/parse_helpers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

namespace tilery::testing {

namespace {

using namespace ast;

/// Writes trees as nested lists.
class Shaper {
 public:
  explicit Shaper(const Module& module) : module_(module) {}

  std::string operator()(ExprId id) const {
    return id ? std::visit([&](const auto& node) { return of(node); }, module_[id].data) : "_";
  }

  std::string operator()(StmtId id) const {
    return std::visit([&](const auto& node) { return of(node); }, module_[id].data);
  }

  std::string block(const Block& body) const { return list("", body); }

 private:
  template <class Items>
  std::string list(std::string text, const Items& items) const {
    for (const auto& item : items) {
      text += (text.empty() ? "" : " ") + (*this)(item);
    }
    return text;
  }

  std::string operator()(const FStringPart& p) const {
    if (!p.value) {
      return fmt::format("\"{}\"", p.text);
    }
    const std::string conversion = p.conversion == '\0' ? "" : fmt::format("!{}", p.conversion);
    return fmt::format("{{{}{}{}{}}}", (*this)(p.value), conversion, p.spec.empty() ? "" : ":",
                       p.spec);
  }

  std::string operator()(const Argument& a) const {
    switch (a.kind) {
      case Argument::Kind::Positional:
        return (*this)(a.value);
      case Argument::Kind::Keyword:
        return a.keyword + "=" + (*this)(a.value);
      case Argument::Kind::Star:
        return "*" + (*this)(a.value);
      case Argument::Kind::StarStar:
        return "**" + (*this)(a.value);
    }
    return "";
  }

  std::string operator()(const Parameter& p) const {
    constexpr std::array<std::string_view, 5> kMarks = {"pos ", "", "kw ", "*", "**"};
    std::string text = fmt::format("{}{}", kMarks.at(static_cast<std::size_t>(p.kind)), p.name);
    text += p.annotation ? ":" + (*this)(p.annotation) : "";
    text += p.default_value ? "=" + (*this)(p.default_value) : "";
    return text;
  }

  std::string operator()(const ComprehensionClause& c) const {
    return list(fmt::format("(for {} {}", (*this)(c.target), (*this)(c.iterable)), c.conditions) +
           ")";
  }

  std::string operator()(const WithItem& item) const {
    return fmt::format("[{} {}]", (*this)(item.context), (*this)(item.target));
  }

  std::string operator()(const ImportedName& n) const {
    return n.alias.empty() ? n.name : n.name + ">" + n.alias;
  }

  std::string operator()(const Decorator& d) const { return "@" + (*this)(d.value); }

  std::string of(const Name& n) const { return n.id; }

  std::string of(const IntLiteral& n) const { return n.spelling; }

  std::string of(const FloatLiteral& n) const { return n.spelling; }

  std::string of(const StringLiteral& n) const { return fmt::format("\"{}\"", n.value); }

  std::string of(const BoolLiteral& n) const { return n.value ? "True" : "False"; }

  std::string of(const NoneLiteral&) const { return "None"; }

  std::string of(const EllipsisLiteral&) const { return "..."; }

  std::string of(const FString& n) const { return list("(f", n.parts) + ")"; }

  std::string of(const Tuple& n) const { return list("(tuple", n.elements) + ")"; }

  std::string of(const List& n) const { return list("(list", n.elements) + ")"; }

  std::string of(const Dict& n) const {
    std::string text = n.values.empty() ? "(set" : "(dict";
    for (std::size_t i = 0; i < n.keys.size(); ++i) {
      text += " " + (*this)(n.keys[i]) + (n.values.empty() ? "" : ":" + (*this)(n.values[i]));
    }
    return text + ")";
  }

  std::string of(const Unary& n) const {
    constexpr std::array<std::string_view, 4> kNames = {"+", "-", "~", "not"};
    return fmt::format("({} {})", kNames[static_cast<std::size_t>(n.op)], (*this)(n.operand));
  }

  static std::string_view name(BinaryOp op) {
    constexpr std::array<std::string_view, 13> kNames = {"+", "-",  "*",  "/", "//", "%", "**",
                                                         "@", "<<", ">>", "&", "|",  "^"};
    return kNames[static_cast<std::size_t>(op)];
  }

  std::string of(const Binary& n) const {
    return fmt::format("({} {} {})", name(n.op), (*this)(n.lhs), (*this)(n.rhs));
  }

  std::string of(const Logical& n) const {
    return list(n.op == BoolOp::And ? "(and" : "(or", n.operands) + ")";
  }

  std::string of(const Compare& n) const {
    constexpr std::array<std::string_view, 10> kNames = {"==", "!=", "<",      "<=", ">",
                                                         ">=", "is", "is-not", "in", "not-in"};
    std::string text = "(" + (*this)(n.operands[0]);
    for (std::size_t i = 0; i < n.ops.size(); ++i) {
      text += fmt::format(" {} {}", kNames[static_cast<std::size_t>(n.ops[i])],
                          (*this)(n.operands[i + 1]));
    }
    return text + ")";
  }

  std::string of(const Conditional& n) const {
    return fmt::format("(? {} {} {})", (*this)(n.condition), (*this)(n.if_true),
                       (*this)(n.if_false));
  }

  std::string of(const Call& n) const {
    return list("(call " + (*this)(n.callee), n.arguments) + ")";
  }

  std::string of(const Attribute& n) const { return (*this)(n.object) + "." + n.name; }

  std::string of(const Subscript& n) const {
    return list("(at " + (*this)(n.object), n.indices) + (n.is_tuple ? ",)" : ")");
  }

  std::string of(const Slice& n) const {
    return fmt::format("{}:{}:{}", (*this)(n.begin), (*this)(n.end), (*this)(n.step));
  }

  std::string of(const Lambda& n) const {
    return fmt::format("({} => {})", list("lambda", n.parameters), (*this)(n.body));
  }

  std::string of(const Comprehension& n) const {
    return list(fmt::format("({} {}", n.is_generator ? "gen" : "comp", (*this)(n.element)),
                n.clauses) +
           ")";
  }

  std::string of(const Starred& n) const { return "*" + (*this)(n.value); }

  std::string of(const NamedExpr& n) const {
    return fmt::format("(:= {} {})", n.name, (*this)(n.value));
  }

  std::string of(const ExprStmt& n) const { return (*this)(n.value); }

  std::string of(const Assign& n) const {
    return fmt::format("({} = {})", list("", n.targets), (*this)(n.value));
  }

  std::string of(const AnnotatedAssign& n) const {
    return fmt::format("({} : {} = {})", (*this)(n.target), (*this)(n.annotation),
                       (*this)(n.value));
  }

  std::string of(const AugmentedAssign& n) const {
    return fmt::format("({} {}= {})", (*this)(n.target), name(n.op), (*this)(n.value));
  }

  std::string of(const If& n) const {
    return fmt::format("(if {} [{}] [{}])", (*this)(n.condition), block(n.body),
                       block(n.else_body));
  }

  std::string of(const For& n) const {
    return fmt::format("(for {} {} [{}] [{}])", (*this)(n.target), (*this)(n.iterable),
                       block(n.body), block(n.else_body));
  }

  std::string of(const While& n) const {
    return fmt::format("(while {} [{}] [{}])", (*this)(n.condition), block(n.body),
                       block(n.else_body));
  }

  std::string of(const Break&) const { return "break"; }

  std::string of(const Continue&) const { return "continue"; }

  std::string of(const Pass&) const { return "pass"; }

  std::string of(const Return& n) const { return fmt::format("(return {})", (*this)(n.value)); }

  std::string of(const Assert& n) const {
    return fmt::format("(assert {} {})", (*this)(n.condition), (*this)(n.message));
  }

  std::string of(const Raise& n) const { return fmt::format("(raise {})", (*this)(n.exception)); }

  std::string of(const With& n) const {
    return fmt::format("({} [{}])", list("with", n.items), block(n.body));
  }

  std::string of(const Import& n) const {
    if (!n.is_from) {
      return list("(import", n.names) + ")";
    }
    return list(fmt::format("(from {}{} import", std::string(n.level, '.'), n.module), n.names) +
           ")";
  }

  std::string of(const FunctionDef& n) const {
    const std::string head = list(list("(def " + n.name, n.decorators), n.parameters);
    const std::string doc = n.docstring.empty() ? "" : fmt::format(" doc:\"{}\"", n.docstring);
    return fmt::format("{} -> {}{} [{}])", head, (*this)(n.return_annotation), doc, block(n.body));
  }

  std::string of(const Unsupported& n) const { return fmt::format("<{}>", n.what); }

  const Module& module_;
};

}  // namespace

Parsed parse_text(std::string_view text, ModuleKind kind) {
  Parsed result;
  const FileId file = result.sources.add("test.tl", 1, std::string(text));
  result.module = parse(result.sources, file, kind, result.diagnostics);
  EXPECT_NE(result.module.has_value(), result.diagnostics.has_errors());
  return result;
}

std::vector<std::string> errors_of(std::string_view text, ModuleKind kind) {
  const Parsed parsed = parse_text(text, kind);
  std::vector<std::string> result;
  for (const Diagnostic& d : parsed.diagnostics.all()) {
    const LineColumn at = parsed.sources.line_column(d.range.file, d.range.begin);
    result.push_back(fmt::format("{}:{}: {}", at.line, at.column, d.message));
  }
  return result;
}

std::string shape(std::string_view expression) {
  const Parsed parsed = parse_text(fmt::format("({})\n", expression));
  if (!parsed.module) {
    return "error: " + parsed.diagnostics.all().front().message;
  }
  return Shaper(*parsed.module)(parsed.module->body.at(0));
}

std::string shapes(std::string_view text) {
  const Parsed parsed = parse_text(text);
  if (!parsed.module) {
    return "error: " + parsed.diagnostics.all().front().message;
  }
  return Shaper(*parsed.module).block(parsed.module->body);
}

std::vector<std::string> kept_names(std::string_view text, ModuleKind kind) {
  const Parsed parsed = parse_text(text, kind);
  std::vector<std::string> names;
  if (!parsed.module) {
    return {"error: " + parsed.diagnostics.all().front().message};
  }
  const Module& module = *parsed.module;
  for (const StmtId id : module.body) {
    if (const auto* function = module.as<FunctionDef>(id)) {
      names.push_back(function->name);
    } else if (const auto* assign = module.as<Assign>(id)) {
      names.push_back("=" + Shaper(module)(assign->targets.front()));
    } else if (const auto* annotated = module.as<AnnotatedAssign>(id)) {
      names.push_back("=" + Shaper(module)(annotated->target));
    } else if (const auto* import = module.as<Import>(id)) {
      names.push_back("<" + import->names.front().name);
    }
  }
  return names;
}

std::string_view sample_kernels() {
  return R"(# Sample kernels: the syntax that real ones use, at their usual density.
import triton
import triton.language as tl

LOG2E: tl.constexpr = 1.4426950408889634


@triton.jit
def softmax_row(x_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    """One row a program, the maximum subtracted first."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float("inf"))
    top = tl.max(x, axis=0)
    num = tl.where(mask, tl.exp2((x - top) * LOG2E), 0.0)
    tl.store(out_ptr + row * stride + cols, num / tl.sum(num, axis=0), mask=mask)


@triton.autotune(configs=[triton.Config({"BM": 64, "BN": 64}, num_warps=4)], key=["M", "N", "K"])
@triton.jit
def matmul_tile(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, bias=None,
                BM: tl.constexpr = 64, BN: tl.constexpr = 64, BK: tl.constexpr = 32,
                ACTIVATION: tl.constexpr = ""):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    rm = (pid_m * BM + tl.arange(0, BM)) % M
    rn = (pid_n * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sam + rk[None, :] * sak
    b = b_ptr + rk[:, None] * sbk + rn[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK), num_stages=3):
        left = tl.load(a, mask=rk[None, :] < K - k * BK, other=0.0)
        right = tl.load(b, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(left, right, acc)  # accumulates in fp32
        a += BK * sak
        b += BK * sbk
    if ACTIVATION == "relu":
        acc = tl.maximum(acc, 0)
    elif ACTIVATION == "leaky" and bias is not None:
        acc = tl.where(acc >= 0, acc, 0.01 * acc)
    else:
        tl.static_assert(ACTIVATION == "", f"no activation {ACTIVATION!r}")
    c = c_ptr + scm * rm[:, None] + scn * rn[None, :]
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N))
)";
}

}  // namespace tilery::testing
