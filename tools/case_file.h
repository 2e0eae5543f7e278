// A case file as data: a kernel, its inputs, launches and the expected outcome (docs/cases.md).
#pragma once

#include "tilery/argument.h"
#include "tilery/library.h"
#include "tilery/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilery::tools {

/// A number of a case file, exact for 64-bit integers.
struct CaseNumber {
  bool is_float = false;
  double real = 0;
  std::uint64_t bits = 0;    ///< of an integer
  bool is_negative = false;  ///< of an integer: `bits` as int64 is below zero

  [[nodiscard]] double value() const;
};

/// The elements of a buffer: all of them, or a rule.
struct CaseContents {
  std::vector<CaseNumber> data;
  std::optional<CaseNumber> fill;
  bool is_arange = false;
  double start = 0;
  double step = 0;
  std::optional<std::int64_t> mod;
  std::int64_t add = 0;
};

struct CaseBuffer {
  DType dtype = DType::F32;
  Extents shape;
  CaseContents contents;
};

/// One argument; exactly one of the first four says what it is.
struct CaseArgument {
  std::string name;
  std::optional<CaseBuffer> buffer;
  std::string alias;              ///< the argument whose buffer it points into
  std::optional<Argument> value;  ///< scalar, constexpr or none
  std::int64_t offset = 0;
  bool is_null = false;
  std::string compiled_as;
};

struct CaseLaunch {
  std::string kernel;
  std::vector<std::int64_t> grid;
  std::vector<CaseArgument> arguments;
};

/// Entries of `must_mention`: one of the alternatives of each has to be there.
using Mentions = std::vector<std::vector<std::string>>;

struct ExpectedError {
  std::string phase;
  std::optional<std::int64_t> line;
  std::vector<std::int64_t> lines;
  std::optional<std::int64_t> column;
  std::optional<std::int64_t> count;
  Mentions must_mention;
};

struct ExpectedDiagnostic {
  std::string kind;
  std::optional<std::int64_t> line;
  std::optional<std::int64_t> count;
  Mentions must_mention;
  std::vector<std::string> modes;
  bool is_required = true;
  /// Fields of the access: name → accepted values (as text).
  std::vector<std::pair<std::string, std::vector<std::string>>> details;
};

struct ExpectedElement {
  std::string buffer;
  std::int64_t index = 0;
  std::optional<CaseNumber> eq, ge, le, lt;
};

struct ExpectedValues {
  std::string label;
  std::vector<double> values;
  bool as_bool = false;
};

struct Expectations {
  bool compares_buffers = false;  ///< false: no buffer is compared, named or not
  std::vector<std::pair<std::string, CaseContents>> buffers;
  double rtol = 0;
  double atol = 0;
  std::vector<std::string> signed_zero;
  std::vector<ExpectedElement> elements;
  std::optional<ExpectedError> error;
  std::vector<ExpectedDiagnostic> diagnostics;
  std::vector<std::string> forbidden_diagnostics;
  Mentions stdout_must_contain;
  std::vector<ExpectedValues> stdout_values;
  std::vector<std::string> differs_from_base;
  bool completes = false;
  std::vector<Expectations> any_of;
  std::map<std::string, std::vector<Expectations>> by_mode;  ///< one each
};

struct CaseVariant {
  std::string title;
  std::vector<std::string> modes;  ///< empty: the case's
  std::vector<CaseArgument> set;
  std::vector<std::pair<std::string, std::string>> edit;
  std::vector<CaseLaunch> launches;  ///< empty: the case's
  Expectations expect;
};

struct CaseRepeat {
  int times = 1;
  std::vector<std::string> bit_identical;
  bool same_in_all_modes = false;
};

struct CaseFile {
  std::string id;
  std::string title;
  std::vector<std::string> modes;
  std::string source_name;  ///< the kernel file's name, for messages
  std::string source;
  std::vector<CaseArgument> arguments;
  std::vector<CaseLaunch> launches;
  std::vector<std::pair<std::string, Argument>> options;
  std::map<std::string, std::vector<std::pair<std::string, Argument>>> mode_options;
  bool is_strict = false;
  bool is_manual = false;
  std::string procedure;
  std::vector<NamedTupleType> host_types;
  Expectations expect;
  std::vector<CaseVariant> variants;
  CaseRepeat repeat;
};

/// Reads a case and its kernel file, which lies beside it. Unknown keys are errors: a misspelt
/// expectation must not pass unseen.
[[nodiscard]] Result<CaseFile> read_case(const std::string& path);

}  // namespace tilery::tools
