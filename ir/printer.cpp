#include "ir/printer.h"

#include "ir/literal.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

namespace tilery {
namespace {

/// A name as the text form may hold it: letters, digits, `_`, `.` and bytes beyond ASCII, not
/// beginning with a digit (which is how values without a name are written).
std::string clean_name(std::string_view name) {
  std::string clean;
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') {
    clean += '_';
  }
  for (const char c : name) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                         static_cast<unsigned char>(c) >= 0x80;
    clean += allowed ? c : '_';
  }
  return clean;
}

/// Gives every value of a function its name in the text: the source's where there is one, with a
/// suffix if it is taken, else a number; in the order of printing.
class Namer {
 public:
  explicit Namer(const Function& function) : function_(function), names_(function.values.size()) {
    if (function.body) {
      name_region(function.body);
    }
  }

  /// "%x"; "%!7" for a value that is in no region (in a function that the verifier refuses).
  [[nodiscard]] std::string operator()(ValueId id) const {
    const bool named = id.index < names_.size() && !names_[id.index].empty();
    return named ? "%" + names_[id.index]
                 : fmt::format("%!{}", id ? fmt::format("{}", id.index) : "none");
  }

 private:
  void name_region(RegionId id) {
    const Region& region = function_.region(id);
    const bool is_body = id == function_.body;
    for (std::size_t i = 0; i < region.args.size(); ++i) {
      const bool is_param = is_body && i < function_.params.size();
      name_value(region.args[i],
                 is_param ? function_.params[i].name : function_.value(region.args[i]).name);
    }
    for (const InstId inst_id : region.insts) {
      const Inst& inst = function_.inst(inst_id);
      for (std::uint32_t i = 0; i < inst.result_count; ++i) {
        name_value(inst.result(i), function_.value(inst.result(i)).name);
      }
      for (const RegionId nested : inst.regions) {
        name_region(nested);
      }
    }
  }

  void name_value(ValueId id, std::string_view wish) {
    if (wish.empty()) {
      names_[id.index] = fmt::format("{}", next_number_++);
      return;
    }
    const std::string base = clean_name(wish);
    std::string name = base;
    while (!taken_.insert(name).second) {
      name = fmt::format("{}.{}", base, ++suffixes_[base]);
    }
    names_[id.index] = std::move(name);
  }

  const Function& function_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> suffixes_;
  int next_number_ = 0;
};

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string attr_text(const AttrPattern& pattern, const Attr& attr) {
  if (!attr_fits(pattern, attr)) {
    return "!";
  }
  switch (pattern.kind) {
    case AttrKind::Int:
      return fmt::format("{}", std::get<std::int64_t>(attr));
    case AttrKind::Ints:
      return fmt::format("[{}]", fmt::join(std::get<std::vector<std::int64_t>>(attr), ", "));
    case AttrKind::Bool:
      return std::get<bool>(attr) ? "true" : "false";
    case AttrKind::String:
      return quoted(std::get<std::string>(attr));
    case AttrKind::Bits:
      return fmt::format("0x{:x}", std::get<Bits>(attr).value);
    case AttrKind::Enum:
      return std::string(enumerator_name(pattern.enumerators, std::get<std::int64_t>(attr)));
  }
  return {};
}

/// Writes a function, or one instruction of it.
class Printer {
 public:
  Printer(const Function& function, const PrintOptions& options)
      : function_(function), options_(options), name_(function) {}

  std::string run() {
    out_ = fmt::format("func @{}(", clean_name(function_.name));
    const char* separator = "";
    const std::span<const ValueId> args =
        function_.body ? std::span<const ValueId>(function_.region(function_.body).args)
                       : std::span<const ValueId>();
    for (std::size_t i = 0; i < args.size(); ++i) {
      out_.append(separator).append(name_(args[i])).append(": ");
      out_.append(function_.type(args[i]).str());
      if (i < function_.params.size()) {
        write_facts(function_.params[i].facts);
      }
      separator = ", ";
    }
    out_ += ") {\n";
    if (function_.body) {
      write_insts(function_.body, "  ");
    }
    return out_ + "}\n";
  }

  std::string line(InstId id) {
    const Inst& inst = function_.inst(id);
    write_inst(inst);
    if (!inst.regions.empty()) {
      out_ += " {…}";
    }
    return std::move(out_);
  }

 private:
  void write_facts(const ParamFacts& facts) {
    if (facts.divisible_by_16 || facts.equals_1) {
      const bool both = facts.divisible_by_16 && facts.equals_1;
      out_ += fmt::format(" {{{}{}{}}}", facts.divisible_by_16 ? "div16" : "", both ? ", " : "",
                          facts.equals_1 ? "eq1" : "");
    }
  }

  /// A region's last `yield` goes without saying if it yields nothing.
  [[nodiscard]] bool is_implied(const Region& region, std::size_t i) const {
    const Inst& inst = function_.inst(region.insts[i]);
    return i + 1 == region.insts.size() && inst.op == Op::Yield && inst.operands.empty();
  }

  void write_insts(RegionId id, const std::string& indent) {
    const Region& region = function_.region(id);
    for (std::size_t i = 0; i < region.insts.size(); ++i) {
      if (!is_implied(region, i)) {
        const Inst& inst = function_.inst(region.insts[i]);
        out_ += indent;
        write_inst(inst);
        write_regions(inst, indent);
      }
    }
  }

  void write_inst(const Inst& inst) {
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      out_.append(i == 0 ? "" : ", ").append(name_(inst.result(i)));
    }
    const OpDef& def = op_def(inst.op);
    out_.append(inst.result_count == 0 ? "" : " = ").append(def.id);
    write_operands(inst, def);
    write_attrs(inst, def);
    for (std::uint32_t i = 0; i < inst.result_count; ++i) {
      out_.append(i == 0 ? " : " : ", ").append(function_.type(inst.result(i)).str());
    }
  }

  /// Groups in order. A pack that is not the last group stands in parentheses, and an absent
  /// operand before a present one is `_`, so that the text has one reading.
  void write_operands(const Inst& inst, const OpDef& def) {
    const std::span<const ValuePattern> patterns = def.operand_patterns();
    std::size_t last = patterns.size();
    while (last > 0 && inst.segments[last - 1] == 0) {
      --last;
    }
    for (std::size_t g = 0; g < last; ++g) {
      out_ += g == 0 ? " " : ", ";
      const std::span<const ValueId> members = inst.group(static_cast<int>(g));
      const bool parentheses = patterns[g].arity == Arity::Pack && g + 1 < patterns.size();
      if (members.empty() && !parentheses) {
        out_ += "_";
        continue;
      }
      out_ += parentheses ? "(" : "";
      for (std::size_t i = 0; i < members.size(); ++i) {
        out_.append(i == 0 ? "" : ", ").append(name_(members[i]));
      }
      out_ += parentheses ? ")" : "";
    }
  }

  /// Bits come first and bare, as a number of the result's type; attributes with their default
  /// value are left out.
  void write_attrs(const Inst& inst, const OpDef& def) {
    const std::span<const AttrPattern> patterns = def.attr_patterns();
    for (std::size_t i = 0; i < patterns.size() && i < inst.attrs.size(); ++i) {
      const AttrPattern& pattern = patterns[i];
      const Bits* bits = std::get_if<Bits>(&inst.attrs[i]);
      if (pattern.kind == AttrKind::Bits && bits != nullptr && inst.result_count != 0) {
        out_ += ' ';
        out_ += literal_text(function_.type(inst.result()).element, bits->value);
      } else if (!pattern.has_default || inst.attrs[i] != default_attr(pattern)) {
        out_ += fmt::format(" {}={}", pattern.name, attr_text(pattern, inst.attrs[i]));
      }
    }
  }

  void write_regions(const Inst& inst, const std::string& indent) {
    const std::span<const RegionPattern> patterns = op_def(inst.op).region_patterns();
    out_ += inst.regions.empty() ? "" : " {";
    write_notes(inst.results());
    write_place(inst);
    for (std::size_t i = 0; i < inst.regions.size(); ++i) {
      out_ += indent;
      out_ += patterns.empty() ? "!" : patterns[std::min(i, patterns.size() - 1)].name;
      const std::vector<ValueId>& args = function_.region(inst.regions[i]).args;
      for (std::size_t a = 0; a < args.size(); ++a) {
        out_.append(a == 0 ? "(" : ", ").append(name_(args[a])).append(": ");
        out_ += function_.type(args[a]).str();
      }
      out_ += args.empty() ? ":" : "):";
      write_notes(args);
      out_ += '\n';
      write_insts(inst.regions[i], indent + "  ");
    }
    if (!inst.regions.empty()) {
      out_ += indent + "}\n";
    }
  }

  void write_notes(const std::vector<ValueId>& values) {
    const char* separator = "  // ";
    for (const ValueId value : values) {
      const std::string note = options_.note ? options_.note(value) : std::string();
      if (!note.empty()) {
        out_.append(separator).append(note);
        separator = " ";
      }
    }
  }

  void write_place(const Inst& inst) {
    const SourceRange range = function_.range(inst.loc);
    if (options_.sources != nullptr && range.is_valid()) {
      const std::string& file = options_.sources->file(range.file).name;
      out_ += fmt::format("  // {}:{}", file,
                          options_.sources->line_column(range.file, range.begin).line);
    }
    out_ += "\n";
  }

  const Function& function_;
  const PrintOptions& options_;
  Namer name_;
  std::string out_;
};

}  // namespace

std::string print(const Function& function, const PrintOptions& options) {
  return Printer(function, options).run();
}

std::string print_inst(const Function& function, InstId inst) {
  return Printer(function, {}).line(inst);
}

}  // namespace tilery
