#include "tools/build_header.h"

#include "tilery/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace tilery::tools {

namespace {

constexpr int kWarpSize = 32;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Text that cannot end the comment that it stands in, nor mean something to the preprocessor.
std::string in_comment(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    const char before = safe.empty() ? ' ' : safe.back();
    if ((c == '/' && before == '*') || (c == '*' && before == '/') || (c == '?' && before == '?')) {
      safe += ' ';
    }
    safe += is_control ? '?' : c;
  }
  // A backslash at the end of a line would join the next one.
  return safe.ends_with('\\') ? safe + " " : safe;
}

/// A string literal; whatever is not plain ASCII is written in octal.
std::string c_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte > '~' || c == '"' || c == '\\' || c == '?') {
      literal += fmt::format("\\{:03o}", byte);
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

std::string c_integer(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) {
    return fmt::format("(-INT64_C({}) - 1)", std::numeric_limits<std::int64_t>::max());
  }
  const bool is_int = value >= -std::numeric_limits<std::int32_t>::max() &&
                      value <= std::numeric_limits<std::int32_t>::max();
  const std::string digits = is_int ? fmt::format("{}", value < 0 ? -value : value)
                                    : fmt::format("INT64_C({})", value < 0 ? -value : value);
  return value < 0 ? fmt::format("(-{})", digits) : digits;
}

std::string c_type(const GpuParameter& parameter) {
  if (parameter.is_pointer) {
    return "tilery_device_ptr";
  }
  switch (parameter.dtype) {
    case DType::I8:
      return "int8_t";
    case DType::I16:
      return "int16_t";
    case DType::I32:
      return "int32_t";
    case DType::I64:
      return "int64_t";
    case DType::F32:
      return "float";
    case DType::F64:
      return "double";
    case DType::U32:
      return "uint32_t";
    case DType::U64:
      return "uint64_t";
    case DType::U16:
    case DType::F16:
    case DType::BF16:
      return "uint16_t";
    case DType::I1:
    case DType::U8:
    case DType::F8E4NV:
    case DType::F8E5:
    case DType::F8E4B15:
    case DType::F8E4B8:
    case DType::F8E5B16:
      return "uint8_t";
  }
  return "";
}

/// A name that no earlier one has.
std::string unique(std::string name, std::set<std::string>& taken) {
  std::string candidate = name;
  for (int i = 2; !taken.insert(candidate).second; ++i) {
    candidate = fmt::format("{}_{}", name, i);
  }
  return candidate;
}

struct CParameter {
  const GpuParameter* parameter = nullptr;
  std::string name;  ///< in C
  std::string type;
  std::size_t offset = 0;
};

class HeaderWriter {
 public:
  HeaderWriter(const GpuCode& code, const HeaderRequest& request)
      : code_(code), request_(request), p_(request.prefix) {
    std::set<std::string> taken;
    for (const GpuParameter& parameter : code.parameters) {
      bytes_ = (bytes_ + parameter.bytes - 1) / parameter.bytes * parameter.bytes;
      parameters_.push_back({&parameter, unique(fmt::format("arg_{}", word(parameter.name)), taken),
                             c_type(parameter), bytes_});
      bytes_ += parameter.bytes;
    }
    if (code.programs_per_block > 1) {
      bytes_ = (bytes_ + 3) / 4 * 4;
      hidden_offset_ = bytes_;
      bytes_ += 4;
    }
  }

  std::string run() {
    write_head();
    out_ += fmt::format("#ifndef TILERY_KERNEL_{0}_H\n#define TILERY_KERNEL_{0}_H\n", p_);
    out_ += kBuildRuntime;
    write_constants();
    write_code();
    write_load();
    write_check();
    write_launch();
    out_ += fmt::format("\n#endif /* TILERY_KERNEL_{}_H */\n", p_);
    return std::move(out_);
  }

 private:
  static std::string word(std::string_view name) {
    std::string word;
    for (const char c : name) {
      word += is_word(c) ? c : '_';
    }
    return word;
  }

  static std::string assumption(const GpuParameter& parameter) {
    if (parameter.is_one) {
      return "; always 1";
    }
    if (!parameter.is_divisible_by_16) {
      return "";
    }
    return parameter.is_pointer ? "; aligned to 16 bytes" : "; a multiple of 16, not 0";
  }

  void line(const std::string& text) {
    out_ += text.empty() ? " *\n" : fmt::format(" * {}\n", in_comment(text));
  }

  void write_head() {
    out_ += "/*\n";
    line(fmt::format("Kernel `{}` of {} for {}, compiled by Tilery {}:", code_.kernel,
                     request_.source, code_.target, version()));
    line(fmt::format("    {}", request_.command));
    line("");
    line("C99 and C++, for Linux. Nothing to link but, before glibc 2.34, -ldl and -lpthread.");
    line("");
    line(fmt::format("    static {0}_kernel kernel = {0}_KERNEL_INIT;", p_));
    line(fmt::format("    if ({0}_load(&kernel) != TILERY_OK ||", p_));
    std::string arguments;
    for (const CParameter& p : parameters_) {
      arguments += ", " + p.name.substr(4);
    }
    line(fmt::format("        {}_launch(&kernel, grid_x, grid_y, grid_z, stream{}) != TILERY_OK)",
                     p_, arguments));
    line("      puts(tilery_message());");
    line("");
    line(
        "A launch is queued on the CUDA stream (CUstream, cudaStream_t; NULL: the default one) "
        "and");
    line("returns at once. The grid counts programs. Arguments:");
    for (const CParameter& p : parameters_) {
      line(fmt::format("    {} {}: {}{}", p.type, p.name, p.parameter->type,
                       assumption(*p.parameter)));
    }
    if (parameters_.empty()) {
      line("    none");
    }
    line("A value that the code was not compiled for is refused: TILERY_ERROR_ARGUMENT. 8- and");
    line("16-bit floats are passed as their bits. Compiled in:");
    for (const GpuConstant& constant : code_.constants) {
      line(fmt::format("    {} = {}", constant.name, constant.text));
    }
    line(fmt::format("    {} warps, {} bytes of shared memory", code_.num_warps,
                     code_.shared_bytes));
    out_ += " */\n";
  }

  void write_constants() {
    out_ += fmt::format("\n/* ---- kernel {} ---- */\n", in_comment(code_.kernel));
    std::set<std::string> taken;
    bool is_first = true;
    for (const GpuConstant& constant : code_.constants) {
      if (!constant.integer) {
        continue;
      }
      if (is_first) {
        out_ += "\n/* Compile-time values, to compute grids with. */\n";
      }
      is_first = false;
      out_ += fmt::format("#define {} {}\n",
                          unique(fmt::format("{}_CONSTEXPR_{}", p_, word(constant.name)), taken),
                          c_integer(*constant.integer));
    }
    out_ += fmt::format(R"(
/* Made with {0}_KERNEL_INIT; a copy of a loaded one must not be used. */
typedef struct {0}_kernel {{
  tilery_aot1_kernel base;
}} {0}_kernel;

#define {0}_KERNEL_INIT {{TILERY_AOT1_KERNEL_INIT}}
)",
                        p_);
  }

  /// 90 of "sm_90a".
  int capability() const {
    int number = 0;
    for (const char c : code_.target) {
      number = c >= '0' && c <= '9' ? 10 * number + (c - '0') : number;
    }
    return number;
  }

  void write_code() {
    out_ += fmt::format(
        "\nstatic inline const tilery_aot1_code* {}_code(void) {{\n"
        "  __attribute__((aligned(16))) static const unsigned char image[] = {{",
        p_);
    constexpr int kBytesPerLine = 24;
    int column = 0;
    for (const char c : request_.image) {
      out_ += column++ % kBytesPerLine == 0 ? "\n      " : "";
      out_ += fmt::format("{},", static_cast<int>(static_cast<unsigned char>(c)));
    }
    out_ += fmt::format(
        "\n      0}};\n"
        "  static const tilery_aot1_code code = {{{}, {}, {}, {}, {}, {}, image, {}u, {}u, {}u}};\n"
        "  return &code;\n}}\n",
        c_string(code_.kernel), c_string(code_.entry), c_string(code_.target), capability(),
        code_.target.ends_with('a') ? 1 : 0, request_.is_ptx ? 1 : 0, code_.shared_bytes,
        code_.num_warps * kWarpSize, code_.num_ctas);
  }

  void write_load() {
    out_ += fmt::format(R"(
/* Loads the code into the CUDA context that is current on this thread or, if there is none, into the
 * primary one of the first GPU. Any number of threads may call it; the first loads, and after a call
 * that returned TILERY_OK a thread may launch. */
static inline int {0}_load({0}_kernel* kernel) {{
  return tilery_aot1_load(&kernel->base, {0}_code());
}}

/* Gives the code back. No launch may be under way, nor come after it before the next load. */
static inline int {0}_unload({0}_kernel* kernel) {{
  return tilery_aot1_unload(&kernel->base, {0}_code());
}}
)",
                        p_);
  }

  std::string declared_parameters() const {
    std::string text;
    for (const CParameter& p : parameters_) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", p.type, p.name);
    }
    return text;
  }

  std::string passed_parameters() const {
    std::string text;
    for (const CParameter& p : parameters_) {
      text += (text.empty() ? "" : ", ") + p.name;
    }
    return text;
  }

  void write_check() {
    out_ += fmt::format(
        "\n/* TILERY_OK if the code was compiled for values like these, so that one can choose "
        "among several\n * builds of a kernel. */\n"
        "static inline int {}_check({}) {{\n",
        p_, parameters_.empty() ? "void" : declared_parameters());
    for (const CParameter& p : parameters_) {
      write_check_of(p);
    }
    out_ += "  return TILERY_OK;\n}\n";
  }

  void write_check_of(const CParameter& p) {
    const GpuParameter& parameter = *p.parameter;
    std::string condition;
    std::string rule;
    if (parameter.is_one) {
      condition = fmt::format("{} != 1", p.name);
      rule = "for 1";
    } else if (parameter.is_divisible_by_16 && parameter.is_pointer) {
      condition = fmt::format("{} % 16 != 0", p.name);
      rule = "for addresses aligned to 16 bytes";
    } else if (parameter.is_divisible_by_16) {
      condition = fmt::format("{0} % 16 != 0 || {0} == 0", p.name);
      rule = "for multiples of 16 other than 0";
    } else {
      out_ += fmt::format("  (void){};\n", p.name);
      return;
    }
    const bool is_signed_value = !parameter.is_pointer && is_signed(parameter.dtype);
    out_ += fmt::format(
        "  if ({}) {{\n"
        "    return tilery_aot1_fail(TILERY_ERROR_ARGUMENT,\n"
        "                            \"kernel `%s`: `%s` is {}, and the code was compiled {}\", "
        "{},\n                            {}, ({}){});\n  }}\n",
        condition,
        parameter.is_pointer ? "0x%llx"
        : is_signed_value    ? "%lld"
                             : "%llu",
        rule, c_string(code_.kernel), c_string(parameter.name),
        is_signed_value ? "long long" : "unsigned long long", p.name);
  }

  void write_launch() {
    const std::string declared = declared_parameters();
    out_ += fmt::format(
        "\nstatic inline int {0}_launch(const {0}_kernel* kernel, unsigned grid_x, unsigned "
        "grid_y,\n"
        "    unsigned grid_z, void* stream{1}{2}) {{\n"
        "  const tilery_aot1_code* const code = {0}_code();\n"
        "  unsigned grid[3];\n",
        p_, declared.empty() ? "" : ", ", declared);
    if (bytes_ != 0) {
      out_ += fmt::format(
          "  unsigned long long block[{}];\n"
          "  unsigned char* const bytes = (unsigned char*)block;\n",
          (bytes_ + 7) / 8);
    }
    write_launch_checks();
    out_ +=
        fmt::format("  grid[0] = {};\n  grid[1] = grid_y;\n  grid[2] = grid_z;\n", blocks_of_x());
    write_packing();
    out_ +=
        fmt::format("  return tilery_aot1_launch(&kernel->base, code, grid, stream, {}, {});\n}}\n",
                    bytes_ == 0 ? "NULL" : "block", bytes_);
  }

  void write_launch_checks() {
    out_ += fmt::format(R"(  int status = {0}_check({1});
  if (status == TILERY_OK) {{
    status = tilery_aot1_check_grid(code, grid_x, grid_y, grid_z);
  }}
  if (status != TILERY_OK) {{
    return status;
  }}
  if (kernel->base.function == NULL) {{
    return tilery_aot1_fail(TILERY_ERROR_NOT_LOADED, "kernel `%s` is not loaded", code->kernel);
  }}
  if (grid_x == 0 || grid_y == 0 || grid_z == 0) {{
    return TILERY_OK;
  }}
)",
                        p_, passed_parameters());
  }

  std::string blocks_of_x() const {
    if (code_.programs_per_block > 1) {
      return fmt::format("grid_x / {0}u + (grid_x % {0}u != 0)", code_.programs_per_block);
    }
    return code_.num_ctas > 1 ? fmt::format("grid_x * {}u", code_.num_ctas) : "grid_x";
  }

  void write_packing() {
    if (bytes_ == 0) {
      return;
    }
    out_ += "  memset(block, 0, sizeof block);\n";
    for (const CParameter& p : parameters_) {
      if (!p.parameter->is_pointer && p.parameter->dtype == DType::I1) {
        out_ += fmt::format("  bytes[{}] = {} != 0;\n", p.offset, p.name);
      } else {
        out_ +=
            fmt::format("  memcpy(bytes + {}, &{}, {});\n", p.offset, p.name, p.parameter->bytes);
      }
    }
    if (code_.programs_per_block > 1) {
      out_ += fmt::format("  memcpy(bytes + {}, &grid_x, 4);\n", hidden_offset_);
    }
  }

  const GpuCode& code_;
  const HeaderRequest& request_;
  const std::string& p_;
  std::vector<CParameter> parameters_;
  std::size_t bytes_ = 0;
  std::size_t hidden_offset_ = 0;
  std::string out_;
};

}  // namespace

std::string c_identifier(std::string_view name) {
  std::string identifier;
  for (const char c : name) {
    identifier += is_word(c) ? c : '_';
  }
  // Names with an underscore in front belong to the compiler.
  const bool is_bad = identifier.empty() || identifier[0] == '_' ||
                      std::isdigit(static_cast<unsigned char>(identifier[0])) != 0;
  return is_bad ? "k" + identifier : identifier;
}

std::string header_text(const GpuCode& code, const HeaderRequest& request) {
  return HeaderWriter(code, request).run();
}

}  // namespace tilery::tools
