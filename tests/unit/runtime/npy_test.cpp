// The bytes were written by NumPy 2.4.6 (numpy.lib.format.write_array).
#include "tilery/npy.h"

#include "runtime/npy_header.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tilery {
namespace {

using testing::TempDir;

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

/// A file of version 1.0 with this dict and these data bytes.
std::string npy(const std::string& dict, std::string_view data = {}) {
  std::string text = dict;
  text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string bytes = "\x93NUMPY\x01";
  bytes += '\0';
  bytes += static_cast<char>(text.size() & 0xFF);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text + std::string(data);
}

std::string dict(const std::string& descr, const std::string& shape, const char* order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

std::string load_error(const std::string& bytes, std::optional<DType> as = {}) {
  const TempDir dir;
  const Result<Buffer> buffer = load_npy(dir.write("x.npy", bytes), as);
  EXPECT_FALSE(buffer.ok());
  return buffer ? "" : buffer.error().message;
}

// np.array([[1, 2.5, -0.0], [inf, 1e-45, 3]], float32)
constexpr const char* kFloat32 =
    "934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c"
    "73652c20277368617065273a2028322c2033292c207d20202020202020202020202020202020202020202020202020"
    "2020202020202020202020202020202020202020202020202020202020202020200a0000803f000020400000008000"
    "00807f0100000000004040";

TEST(Npy, reads_float32_as_numpy_writes_it) {
  const TempDir dir;
  const Result<Buffer> x = load_npy(dir.write("x.npy", from_hex(kFloat32)));
  ASSERT_TRUE(x.ok()) << x.error().message;
  EXPECT_EQ(x->dtype(), DType::F32);
  EXPECT_EQ(x->shape(), (Extents{2, 3}));
  EXPECT_EQ(x->number(0), 1.0);
  EXPECT_EQ(x->number(1), 2.5);
  EXPECT_TRUE(std::signbit(x->number(2)));
  EXPECT_EQ(x->number(3), INFINITY);
  EXPECT_EQ(x->number(4), std::ldexp(1.0, -149));
  EXPECT_EQ(x->number(5), 3.0);
}

TEST(Npy, writes_the_bytes_that_numpy_writes) {
  const TempDir dir;
  const Result<Buffer> x = load_npy(dir.write("x.npy", from_hex(kFloat32)));
  ASSERT_TRUE(x.ok());
  ASSERT_TRUE(save_npy(dir.file("y.npy"), *x).ok());
  EXPECT_EQ(dir.read("y.npy"), from_hex(kFloat32));
}

TEST(Npy, reads_bools_and_normalises_them) {
  const TempDir dir;
  const Result<Buffer> x =
      load_npy(dir.write("x.npy", npy(dict("|b1", "(3,)"), std::string_view("\1\0\5", 3))));
  ASSERT_TRUE(x.ok());
  EXPECT_EQ(x->dtype(), DType::I1);
  EXPECT_EQ(x->as<std::uint8_t>()[2], 1);
}

TEST(Npy, reads_an_array_without_axes) {
  // np.array(-5, int64)
  const TempDir dir;
  const Result<Buffer> x =
      load_npy(dir.write("x.npy", npy(dict("<i8", "()"), "\xfb\xff\xff\xff\xff\xff\xff\xff")));
  ASSERT_TRUE(x.ok());
  EXPECT_TRUE(x->shape().empty());
  EXPECT_EQ(x->number(0), -5);
}

TEST(Npy, reads_versions_2_and_3) {
  // Their headers' length has four bytes: np.array([1, 65535], uint16) with version (2, 0) and
  // np.array([0.5, 65504], float16) with (3, 0).
  const TempDir dir;
  const auto with_version = [](char version, std::string bytes) {
    bytes[6] = version;
    bytes.insert(10, 2, '\0');
    return bytes;
  };
  const Result<Buffer> two =
      load_npy(dir.write("2.npy", with_version(2, npy(dict("<u2", "(2,)"), from_hex("0100ffff")))));
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_EQ(two->dtype(), DType::U16);
  EXPECT_EQ(two->number(1), 65535);
  const Result<Buffer> three =
      load_npy(dir.write("3.npy", with_version(3, npy(dict("<f2", "(2,)"), from_hex("0038ff7b")))));
  ASSERT_TRUE(three.ok()) << three.error().message;
  EXPECT_EQ(three->number(0), 0.5);
  EXPECT_EQ(three->number(1), 65504);
}

TEST(Npy, reads_bf16_as_ml_dtypes_stores_it) {
  const TempDir dir;
  for (const char* descr : {"<V2", "|V2", "bfloat16"}) {
    const Result<Buffer> x = load_npy(
        dir.write("x.npy", npy(dict(descr, "(2,)"), std::string_view("\x80\x3f\x80\xbf", 4))));
    ASSERT_TRUE(x.ok()) << descr;
    EXPECT_EQ(x->dtype(), DType::BF16);
    EXPECT_EQ(x->number(0), 1.0);
    EXPECT_EQ(x->number(1), -1.0);
  }
}

TEST(Npy, reads_raw_bits_when_asked) {
  const TempDir dir;
  const std::string words = dir.write("w.npy", npy(dict("<u2", "(1,)"), "\xc0\x3f"));
  EXPECT_EQ(load_npy(words, DType::BF16)->number(0), 1.5);
  EXPECT_EQ(load_npy(words)->dtype(), DType::U16);
  const std::string bytes = dir.write("b.npy", npy(dict("|u1", "(1,)"), "\x38"));
  EXPECT_EQ(load_npy(bytes, DType::F8E4NV)->number(0), 1.0);
  const std::string raw = dir.write("r.npy", npy(dict("|V1", "(1,)"), "\x3c"));
  EXPECT_EQ(load_npy(raw, DType::F8E5)->number(0), 1.0);
}

TEST(Npy, writes_and_reads_every_type) {
  const TempDir dir;
  for (const DType dtype :
       {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32,
        DType::U64, DType::F8E4NV, DType::F8E5, DType::F16, DType::BF16, DType::F32, DType::F64}) {
    Result<Buffer> x = Buffer::zeros(dtype, {3});
    x->set_number(1, 1);
    ASSERT_TRUE(save_npy(dir.file("x.npy"), *x).ok());
    const Result<Buffer> y = load_npy(dir.file("x.npy"), dtype);
    ASSERT_TRUE(y.ok()) << name(dtype) << ": " << y.error().message;
    EXPECT_EQ(y->shape(), (Extents{3}));
    EXPECT_EQ(y->number(1), 1.0) << name(dtype);
  }
  EXPECT_EQ(dir.count(), 1) << "a temporary file was left behind";
}

TEST(Npy, reads_arrays_without_elements) {
  const TempDir dir;
  const Result<Buffer> x = load_npy(dir.write("x.npy", npy(dict("<f8", "(0, 3)"))));
  ASSERT_TRUE(x.ok());
  EXPECT_EQ(x->shape(), (Extents{0, 3}));
  EXPECT_EQ(x->numel(), 0);
}

TEST(Npy, fortran_order_counts_only_where_it_shows) {
  const std::string data(24, '\0');
  EXPECT_NE(load_error(npy(dict("<f4", "(2, 3)", "True"), data)).find("ascontiguousarray"),
            std::string::npos);
  const TempDir dir;
  EXPECT_TRUE(load_npy(dir.write("x.npy", npy(dict("<f4", "(1, 6)", "True"), data))).ok());
}

TEST(Npy, says_what_is_wrong_and_how_to_save) {
  EXPECT_NE(load_error("").find("it is empty"), std::string::npos);
  EXPECT_NE(load_error("\x93NUM").find("ends within its header"), std::string::npos);
  EXPECT_NE(load_error("hello, world").find("no .npy file"), std::string::npos);
  EXPECT_NE(load_error("PK\x03\x04rest").find(".npz archive"), std::string::npos);
  EXPECT_NE(load_error(npy(dict(">f4", "(1,)"), "\0\0\0\0")).find("astype('<f4')"),
            std::string::npos);
  EXPECT_NE(load_error(npy(dict("<f4", "(4,)"), "12345678")).find("needs 16 bytes, 8 are there"),
            std::string::npos);
  EXPECT_NE(load_error(npy(dict("|O", "(1,)"))).find("Python objects"), std::string::npos);
  EXPECT_NE(load_error(npy(dict("<U1", "(1,)"))).find("strings"), std::string::npos);
  EXPECT_NE(load_error(npy(dict("<c8", "(1,)"))).find("complex"), std::string::npos);
  EXPECT_NE(load_error(npy(dict("<M8[D]", "(1,)"))).find("dates"), std::string::npos);
  EXPECT_NE(load_error(npy(dict("|V1", "(1,)"), "1")).find("f8e4nv:@"), std::string::npos);
  EXPECT_NE(load_error(npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }"))
                .find("records"),
            std::string::npos);
  EXPECT_NE(load_error(npy(dict("<f4", "(1,)"), "1234"), DType::F16).find("holds fp32, not fp16"),
            std::string::npos);
}

TEST(Npy, hostile_headers_are_refused_before_memory_is_taken) {
  EXPECT_NE(load_error(npy(dict("<f4", "(9223372036854775807, 8)"))).find("64 bits"),
            std::string::npos);
  EXPECT_NE(load_error(npy(dict("<f4", "(99999999999999999999,)"))).find("64 bits"),
            std::string::npos);
  EXPECT_NE(load_error(npy(dict("<f4", "(1000000000000,)"))).find("cut short"), std::string::npos);
  EXPECT_NE(load_error(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12)).find("header"),
            std::string::npos);
  EXPECT_NE(load_error(std::string("\x93NUMPY\x09\0\x10\0", 10)).find("version is 9"),
            std::string::npos);
  std::string many = "(";
  for (int i = 0; i < 40; ++i) {
    many += "1, ";
  }
  EXPECT_NE(load_error(npy(dict("<f4", many + ")"))).find("axes"), std::string::npos);
}

TEST(Npy, no_prefix_of_a_file_crashes) {
  const std::string whole = from_hex(kFloat32);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(load_error(whole.substr(0, size)), "") << size;
  }
}

TEST(Npy, no_changed_byte_of_the_header_crashes) {
  const std::string whole = from_hex(kFloat32);
  const TempDir dir;
  for (std::size_t at = 0; at < 128; ++at) {
    for (const char c : {'\xff', '\'', '9'}) {
      std::string changed = whole;
      changed[at] = c;
      (void)load_npy(dir.write("x.npy", changed));
    }
  }
}

TEST(Npy, what_cannot_be_read_or_written_is_named) {
  const TempDir dir;
  EXPECT_NE(load_npy(dir.file("none.npy")).error().message.find("none.npy"), std::string::npos);
  EXPECT_NE(load_npy(dir.path().string()).error().message.find("directory"), std::string::npos);
  const Result<Buffer> x = Buffer::zeros(DType::F32, {4});
  const Status saved = save_npy(dir.file("missing/x.npy"), *x);
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().kind, ErrorKind::Usage);
  EXPECT_FALSE(save_npy(dir.path().string(), *x).ok());
  EXPECT_EQ(dir.count(), 0);
}

TEST(Npy, a_device_or_pipe_is_written_into_and_stays) {
  const TempDir dir;
  const std::string pipe = dir.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(save_npy(pipe, *Buffer::zeros(DType::F32, {4})).ok());
  std::array<char, 256> bytes{};
  EXPECT_EQ(read(reader, bytes.data(), bytes.size()), 128 + 16) << "header and four numbers";
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(Npy, a_symbolic_link_stays_and_leads_to_the_new_array) {
  const TempDir dir;
  const std::string link = dir.file("link.npy");
  ASSERT_TRUE(save_npy(dir.file("x.npy"), *Buffer::zeros(DType::F32, {4})).ok());
  std::filesystem::create_symlink(dir.file("x.npy"), link);
  ASSERT_TRUE(save_npy(link, *Buffer::zeros(DType::I64, {2})).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(load_npy(dir.file("x.npy"))->dtype(), DType::I64);
}

TEST(NpyHeader, shapes_are_written_as_python_writes_tuples) {
  const auto shape_of = [](Extents shape) {
    const std::string text = write_npy_header({"<f4", false, std::move(shape)});
    const std::size_t begin = text.find("'shape': ") + 9;
    return text.substr(begin, text.find(')') + 1 - begin);
  };
  EXPECT_EQ(shape_of({}), "()");
  EXPECT_EQ(shape_of({3}), "(3,)");
  EXPECT_EQ(shape_of({2, 3}), "(2, 3)");
}

}  // namespace
}  // namespace tilery
