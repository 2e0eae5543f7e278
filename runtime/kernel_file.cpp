#include "runtime/kernel_file.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tilery {

namespace {

using codegen::KernelBinary;

constexpr std::string_view kMagic = "TILERYKB";
/// To be raised with every change of KernelBinary or of this form.
constexpr std::uint32_t kVersion = 2;

// What no sound binary exceeds; larger numbers come from damage.
constexpr std::uint32_t kMaxParameters = 4096;
constexpr std::uint32_t kMaxSharedBytes = 1U << 24;
constexpr std::uint32_t kMaxName = 1U << 16;
constexpr std::uint32_t kMaxNotes = 4096;

class Writer {
 public:
  void u32(std::uint32_t v) { fixed(v, 4); }

  void u64(std::uint64_t v) { fixed(v, 8); }

  void u8(std::uint8_t v) { fixed(v, 1); }

  void bytes(std::string_view v) { out_ += v; }

  void text(std::string_view v) {
    u64(v.size());
    bytes(v);
  }

  std::string take() { return std::move(out_); }

 private:
  void fixed(std::uint64_t v, int count) {
    for (int i = 0; i < count; ++i) {
      out_ += static_cast<char>(v >> (8 * i));
    }
  }

  std::string out_;
};

/// Every read beyond the end gives zeros and makes `is_good` false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }

  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }

  std::uint64_t u64() { return fixed(8); }

  std::string_view bytes(std::uint64_t count) {
    if (count > rest_.size()) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string text(std::uint64_t max_size) {
    const std::uint64_t size = u64();
    require(size <= max_size);
    return std::string(bytes(is_good_ ? size : 0));
  }

  void require(bool condition) { is_good_ = is_good_ && condition; }

  [[nodiscard]] bool is_good() const { return is_good_; }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::uint64_t fixed(int count) {
    const std::string_view taken = bytes(static_cast<std::uint64_t>(count));
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      v |= std::uint64_t{static_cast<std::uint8_t>(taken[i])} << (8 * i);
    }
    return v;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

std::string_view view(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

bool is_power_of_2_up_to(std::uint32_t v, std::uint32_t limit) {
  return v != 0 && (v & (v - 1)) == 0 && v <= limit;
}

std::string write_fields(const KernelBinary& binary) {
  Writer out;
  out.text(binary.entry);
  out.u8(static_cast<std::uint8_t>(binary.form));
  out.text(binary.code);
  out.text(binary.target);
  out.u32(static_cast<std::uint32_t>(binary.parameters.size()));
  for (const codegen::KernelParameter& p : binary.parameters) {
    out.u8(p.bytes);
    out.u8(static_cast<std::uint8_t>(p.is_pointer));
  }
  out.u32(static_cast<std::uint32_t>(binary.num_warps));
  out.u32(static_cast<std::uint32_t>(binary.num_ctas));
  out.u32(binary.shared_bytes);
  out.u32(static_cast<std::uint32_t>(binary.programs_per_block));
  out.u32(static_cast<std::uint32_t>(std::min<std::size_t>(binary.notes.size(), kMaxNotes)));
  for (std::size_t i = 0; i < binary.notes.size() && i < kMaxNotes; ++i) {
    out.text(binary.notes[i].substr(0, kMaxName));
  }
  return out.take();
}

void read_parameters(Reader& in, KernelBinary& binary) {
  const std::uint32_t count = in.u32();
  in.require(count <= kMaxParameters);
  for (std::uint32_t i = 0; i < count && in.is_good(); ++i) {
    codegen::KernelParameter p;
    p.bytes = in.u8();
    const std::uint8_t is_pointer = in.u8();
    in.require(is_power_of_2_up_to(p.bytes, 8) && is_pointer <= 1);
    in.require(is_pointer == 0 || p.bytes == 8);
    p.is_pointer = is_pointer == 1;
    binary.parameters.push_back(p);
  }
}

void read_notes(Reader& in, KernelBinary& binary) {
  const std::uint32_t count = in.u32();
  in.require(count <= kMaxNotes);
  for (std::uint32_t i = 0; i < count && in.is_good(); ++i) {
    binary.notes.push_back(in.text(kMaxName));
  }
}

std::optional<KernelBinary> read_fields(std::string_view bytes) {
  Reader in(bytes);
  KernelBinary binary;
  binary.entry = in.text(kMaxName);
  // The name and the PTX text go to the driver as C strings.
  in.require(!binary.entry.empty() && binary.entry.find('\0') == std::string::npos);
  const std::uint8_t form = in.u8();
  in.require(form <= static_cast<std::uint8_t>(KernelBinary::Form::Cubin));
  binary.form = static_cast<KernelBinary::Form>(form);
  binary.code = in.text(std::numeric_limits<std::uint32_t>::max());
  in.require(!binary.code.empty());
  binary.target = in.text(kMaxName);
  read_parameters(in, binary);
  const std::uint32_t num_warps = in.u32();
  const std::uint32_t num_ctas = in.u32();
  binary.shared_bytes = in.u32();
  const std::uint32_t programs_per_block = in.u32();
  read_notes(in, binary);
  in.require(is_power_of_2_up_to(num_warps, 32) && is_power_of_2_up_to(num_ctas, 16));
  in.require(binary.shared_bytes <= kMaxSharedBytes);
  in.require(programs_per_block >= 1 && programs_per_block <= 1024 && in.rest().empty());
  binary.num_warps = static_cast<int>(num_warps);
  binary.num_ctas = static_cast<int>(num_ctas);
  binary.programs_per_block = static_cast<int>(programs_per_block);
  return in.is_good() ? std::optional(std::move(binary)) : std::nullopt;
}

}  // namespace

std::string write_kernel_file(const Sha256Digest& key, const KernelBinary& binary) {
  const std::string fields = write_fields(binary);
  Writer out;
  out.bytes(kMagic);
  out.u32(kVersion);
  out.bytes(view(key));
  out.u64(fields.size());
  out.bytes(view(sha256(fields)));
  out.bytes(fields);
  return out.take();
}

std::optional<KernelBinary> read_kernel_file(const Sha256Digest& key, std::string_view bytes) {
  Reader in(bytes);
  in.require(in.bytes(kMagic.size()) == kMagic);
  in.require(in.u32() == kVersion);
  in.require(in.bytes(key.size()) == view(key));
  in.require(in.u64() == in.rest().size() - std::min(in.rest().size(), key.size()));
  const std::string_view checksum = in.bytes(key.size());
  if (!in.is_good() || checksum != view(sha256(in.rest()))) {
    return std::nullopt;
  }
  return read_fields(in.rest());
}

}  // namespace tilery
