// Comparisons of a string with something that no string equals.
//
// They are false without a word in Python, and so in Triton. The usual reason is an option that was
// to be a string and is none: `ACT=gelu` on the command line is the file's function of that name,
// and `if ACT == "gelu":` is skipped.
#include "frontend/sema/constexpr_ops.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/tensor_ops.h"

#include <algorithm>
#include <cctype>

namespace tilery::sema {
namespace {

using ast::CompareOp;

/// A value that was hardly meant to be compared with a string. None is what an option has that was
/// left out.
bool is_no_string(const Value& value) {
  return value.is<FunctionRef>() || value.is<BuiltinRef>() || value.is<ClassRef>() ||
         value.is<TypeObject>() || value.is<ModuleRef>() || value.is<EnumValue>() ||
         value.is_number();
}

/// A string that stands for something. `f != ""` asks whether there is an `f`.
const std::string* text_of(const Value& value) {
  const auto* text = value.as<std::string>();
  return text != nullptr && !text->empty() ? text : nullptr;
}

/// The first string of a tuple that holds strings only: the options of `x in ("relu", "gelu")`.
const Value* first_option(const Value& container) {
  const auto* tuple = container.as<TupleValue>();
  const bool has_only_strings =
      tuple != nullptr && !tuple->elements.empty() &&
      std::ranges::all_of(tuple->elements, [](const Value& v) { return v.is<std::string>(); });
  return has_only_strings ? &tuple->elements.front() : nullptr;
}

/// The word that a user wrote for the value where a string was due: `gelu`, `fp16`, `1`.
std::string bare_word(const Value& value) {
  if (value.is_number()) {
    return python_str(value);
  }
  // Behind "the function ", "the type tl.".
  const std::string text = describe(value);
  return text.substr(text.find_last_of(" .") + 1);
}

bool is_name(std::string_view text) {
  return std::ranges::all_of(
      text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80U; });
}

/// `tl.float16` for the text `fp16` or `float16`; empty for other texts.
std::string dtype_named(std::string_view text) {
  for (int i = 0; i < kScalarCount; ++i) {
    const auto scalar = static_cast<Scalar>(i);
    if (language_name(scalar) == text || dtype_name(scalar) == text) {
      return fmt::format("tl.{}", dtype_name(scalar));
    }
  }
  return {};
}

std::string comparison_help(const Value& other, const std::string& other_text,
                            const std::string& string) {
  const std::string dtype = other.is<TypeObject>() ? dtype_named(string) : "";
  if (!dtype.empty()) {
    return fmt::format("compare with the type itself: `{}`", dtype);
  }
  if (!is_name(other_text)) {
    return "compare values of one kind";
  }
  return fmt::format(
      "for a string, `{0}` needs quotes that the kernel sees: `{0}='\"{1}\"'` on the command line",
      other_text, bare_word(other));
}

void warn(Sema& sema, const Value& other, const Value& string, SourceRange other_range,
          SourceRange whole, bool result) {
  const std::string text = operand_text(sema, other_range);
  sema.report(DiagId::StringComparison, whole, text, describe(other), describe(string),
              result ? "True" : "False")
      .helped(comparison_help(other, text, *string.as<std::string>()));
}

}  // namespace

void warn_of_string_comparison(Sema& sema, CompareOp op, const Value& lhs, const Value& rhs,
                               BinaryRanges ranges) {
  const bool is_negated = op == CompareOp::Ne || op == CompareOp::IsNot || op == CompareOp::NotIn;
  switch (op) {
    case CompareOp::Eq:
    case CompareOp::Ne:
    case CompareOp::Is:
    case CompareOp::IsNot:
      if (is_no_string(lhs) && text_of(rhs) != nullptr) {
        warn(sema, lhs, rhs, ranges.lhs, ranges.whole, is_negated);
      } else if (text_of(lhs) != nullptr && is_no_string(rhs)) {
        warn(sema, rhs, lhs, ranges.rhs, ranges.whole, is_negated);
      }
      return;
    case CompareOp::In:
    case CompareOp::NotIn:
      if (const Value* option = first_option(rhs); is_no_string(lhs) && option != nullptr) {
        warn(sema, lhs, *option, ranges.lhs, ranges.whole, is_negated);
      }
      return;
    case CompareOp::Lt:
    case CompareOp::Le:
    case CompareOp::Gt:
    case CompareOp::Ge:
      return;
  }
}

}  // namespace tilery::sema
