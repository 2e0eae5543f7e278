#include "runtime/npy_header.h"

#include "ir/support/text_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace tilery {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxRank = 32;

Error wrong(std::string message) {
  return {ErrorKind::Usage, std::move(message), {}};
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t v = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    v = v << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return v;
}

/// Reads the few forms of Python literals that a header consists of.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  Result<NpyHeader> read() {
    if (!read_dict() || !at_end()) {
      return wrong(problem_.empty() ? "its header is damaged" : problem_);
    }
    if (!has_descr_ || !has_order_ || !has_shape_) {
      return wrong("its header lacks 'descr', 'fortran_order' or 'shape'");
    }
    return header_;
  }

 private:
  bool read_dict() {
    if (!accept('{')) {
      return false;
    }
    while (!accept('}')) {
      std::string key;
      if (!read_string(key) || !accept(':') || !read_entry(key)) {
        return false;
      }
      if (!accept(',')) {
        return accept('}');
      }
    }
    return true;
  }

  bool read_entry(const std::string& key) {
    if (key == "descr" && !has_descr_) {
      has_descr_ = true;
      return read_descr();
    }
    if (key == "fortran_order" && !has_order_) {
      has_order_ = true;
      return read_bool(header_.fortran_order);
    }
    if (key == "shape" && !has_shape_) {
      has_shape_ = true;
      return read_shape();
    }
    return false;
  }

  bool read_descr() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') {
      problem_ = "it holds records with named fields; save each field as an array of its own";
      return false;
    }
    return read_string(header_.descr);
  }

  bool read_shape() {
    if (!accept('(')) {
      return false;
    }
    while (!accept(')')) {
      std::int64_t extent = 0;
      if (!read_extent(extent)) {
        return false;
      }
      if (header_.shape.size() == kMaxRank) {
        problem_ = fmt::format("it has more than {} axes", kMaxRank);
        return false;
      }
      header_.shape.push_back(extent);
      if (!accept(',')) {
        return accept(')');
      }
    }
    return true;
  }

  bool read_extent(std::int64_t& v) {
    skip_blanks();
    std::size_t digits = 0;
    v = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_, ++digits) {
      if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, text_[at_] - '0', &v)) {
        problem_ = "its shape is larger than 64 bits count";
        return false;
      }
    }
    // Python 2 wrote long integers with an L.
    if (at_ < text_.size() && text_[at_] == 'L') {
      ++at_;
    }
    return digits > 0;
  }

  bool read_bool(bool& v) {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        v = value;
        return true;
      }
    }
    return false;
  }

  bool read_string(std::string& v) {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) {
      return false;
    }
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) {
      return false;
    }
    v = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
  std::string problem_;
};

struct DescrRow {
  DType dtype;
  std::string_view code;  ///< without the byte order
};

// bf16 and fp8 have no type of NumPy's: ml_dtypes stores them as raw bytes.
constexpr std::array kDescrs = {
    DescrRow{DType::I1, "b1"},  DescrRow{DType::I8, "i1"},   DescrRow{DType::I16, "i2"},
    DescrRow{DType::I32, "i4"}, DescrRow{DType::I64, "i8"},  DescrRow{DType::U8, "u1"},
    DescrRow{DType::U16, "u2"}, DescrRow{DType::U32, "u4"},  DescrRow{DType::U64, "u8"},
    DescrRow{DType::F16, "f2"}, DescrRow{DType::BF16, "V2"}, DescrRow{DType::BF16, "bfloat16"},
    DescrRow{DType::F32, "f4"}, DescrRow{DType::F64, "f8"},
};

bool is_fp8(DType dtype) {
  return is_float(dtype) && byte_size(dtype) == 1;
}

/// Raw bits that may be read as `as`: fp8 from bytes, bf16 from 16-bit words.
bool is_raw(std::string_view code, DType as) {
  if (is_fp8(as)) {
    return code == "V1" || code == "u1" || code == "i1";
  }
  return as == DType::BF16 && (code == "u2" || code == "i2");
}

std::string what_is(std::string_view code) {
  switch (code.empty() ? '\0' : code.front()) {
    case 'O':
      return "Python objects";
    case 'S':
    case 'U':
    case 'a':
      return "strings";
    case 'c':
      return "complex numbers";
    case 'M':
    case 'm':
      return "dates or times";
    default:
      return fmt::format("elements of type '{}'", printable(code));
  }
}

}  // namespace

Result<std::size_t> read_npy_preamble(std::string_view bytes) {
  if (bytes.empty()) {
    return wrong("it is empty");
  }
  if (bytes.starts_with("PK\x03\x04")) {
    return wrong("it is an .npz archive; save one array with np.save");
  }
  if (!bytes.starts_with(kMagic.substr(0, std::min(bytes.size(), kMagic.size())))) {
    return wrong("it is no .npy file; save the array with np.save");
  }
  if (bytes.size() < 8) {
    return wrong("it ends within its header");
  }
  const auto major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3) {
    return wrong(fmt::format("its format version is {}; 1, 2 and 3 are known", major));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) {
    return wrong("it ends within its header");
  }
  const std::size_t header_bytes = little_endian(bytes.substr(8, length_bytes));
  if (header_bytes > kNpyMaxHeader) {
    return wrong(fmt::format("its header is said to have {} bytes; at most {} are read",
                             header_bytes, kNpyMaxHeader));
  }
  return header_bytes;
}

Result<NpyHeader> read_npy_header(std::string_view text) {
  return HeaderReader(text).read();
}

std::string write_npy_header(const NpyHeader& header) {
  std::string shape;
  for (const std::int64_t extent : header.shape) {
    shape += fmt::format("{}, ", extent);
  }
  if (header.shape.size() > 1) {
    shape.resize(shape.size() - 2);
  } else if (!shape.empty()) {
    shape.pop_back();
  }
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}",
                                 header.descr, header.fortran_order ? "True" : "False", shape);
  constexpr std::size_t kPreamble = 10;
  constexpr std::size_t kAlignment = 64;
  const std::size_t unpadded = kPreamble + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(text.size() & 0xFF);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

Result<DType> dtype_of_descr(std::string_view descr, std::optional<DType> as) {
  std::string_view code = descr;
  char order = '|';
  if (!code.empty() && std::string_view("<>=|").find(code.front()) != std::string_view::npos) {
    order = code.front();
    code.remove_prefix(1);
  }
  if (as && is_raw(code, *as) && (order != '>' || byte_size(*as) == 1)) {
    return *as;
  }
  if (code == "V1") {
    return wrong(
        "its elements are bare bytes, which may be any fp8 type; say which, as in "
        "f8e4nv:@FILE");
  }
  const auto* const row =
      std::ranges::find_if(kDescrs, [&](const DescrRow& r) { return r.code == code; });
  if (row == kDescrs.end()) {
    return wrong(fmt::format("it holds {}; only numbers and bools can be read", what_is(code)));
  }
  if (order == '>' && byte_size(row->dtype) > 1) {
    return wrong(
        fmt::format("its numbers are big-endian ('{}'); save it with np.save(f, x.astype('<{}'))",
                    printable(descr), code));
  }
  if (as && *as != row->dtype) {
    return wrong(fmt::format("it holds {}, not {}; convert the array and save it again",
                             language_name(row->dtype), language_name(*as)));
  }
  return row->dtype;
}

std::string descr_of(DType dtype) {
  if (is_fp8(dtype)) {
    return "|V1";
  }
  const auto* const row =
      std::ranges::find_if(kDescrs, [&](const DescrRow& r) { return r.dtype == dtype; });
  return fmt::format("{}{}", byte_size(dtype) == 1 ? '|' : '<', row->code);
}

}  // namespace tilery
