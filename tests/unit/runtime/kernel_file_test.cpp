// Files of the cache: what is written is read, and nothing else is.
#include "runtime/kernel_file.h"

#include "runtime/cuda_module.h"

#include <gtest/gtest.h>

#include <cstring>
#include <elf.h>
#include <random>
#include <string>

namespace tilery {
namespace {

using codegen::KernelBinary;

KernelBinary sample() {
  KernelBinary binary;
  binary.entry = "softmax";
  binary.form = KernelBinary::Form::Cubin;
  binary.code = std::string("code\0with a zero", 16);
  binary.target = "sm_90a";
  binary.parameters = {{8, true}, {4, false}, {1, false}};
  binary.num_warps = 8;
  binary.num_ctas = 2;
  binary.shared_bytes = 4096;
  binary.programs_per_block = 3;
  return binary;
}

const Sha256Digest kKey = sha256("key");

TEST(KernelFile, what_is_written_is_read) {
  const std::optional<KernelBinary> read =
      read_kernel_file(kKey, write_kernel_file(kKey, sample()));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, sample());
}

TEST(KernelFile, a_file_of_another_key_is_none) {
  EXPECT_FALSE(read_kernel_file(sha256("other"), write_kernel_file(kKey, sample())).has_value());
}

TEST(KernelFile, every_truncation_is_seen) {
  const std::string bytes = write_kernel_file(kKey, sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_kernel_file(kKey, bytes.substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(read_kernel_file(kKey, bytes + '\0').has_value());
}

TEST(KernelFile, every_flipped_bit_is_seen) {
  const std::string bytes = write_kernel_file(kKey, sample());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_FALSE(read_kernel_file(kKey, damaged).has_value()) << i << " bit " << bit;
    }
  }
}

/// A file whose fields were changed by someone who knows how to make the checksum.
std::string forged(std::string fields) {
  const std::string honest = write_kernel_file(kKey, sample());
  const std::size_t head = 8 + 4 + 32;
  std::string bytes = honest.substr(0, head);
  for (int i = 0; i < 8; ++i) {
    bytes += static_cast<char>(fields.size() >> (8 * i));
  }
  const Sha256Digest sum = sha256(fields);
  bytes.append(reinterpret_cast<const char*>(sum.data()), sum.size());
  return bytes + fields;
}

TEST(KernelFile, forged_fields_never_do_harm) {
  const std::string honest = write_kernel_file(kKey, sample());
  const std::string fields = honest.substr(8 + 4 + 32 + 8 + 32);
  ASSERT_TRUE(read_kernel_file(kKey, forged(fields)).has_value()) << "the forgery itself works";
  // The first text's length as large as can be.
  std::string huge = fields;
  std::memset(huge.data(), 0xFF, 8);
  EXPECT_FALSE(read_kernel_file(kKey, forged(huge)).has_value());
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = fields;
    for (int i = 0; i < 3; ++i) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    const std::optional<KernelBinary> read = read_kernel_file(kKey, forged(changed));
    if (read) {
      EXPECT_FALSE(read->entry.empty());
      EXPECT_TRUE(read->num_warps >= 1 && read->num_warps <= 32);
      EXPECT_TRUE(read->num_ctas >= 1 && read->num_ctas <= 16);
      EXPECT_GE(read->programs_per_block, 1);
      for (const codegen::KernelParameter& p : read->parameters) {
        EXPECT_TRUE(p.bytes == 1 || p.bytes == 2 || p.bytes == 4 || p.bytes == 8);
      }
    }
  }
}

/// An ELF file of a head, one section header and some bytes that it describes.
std::string small_elf() {
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_shoff = sizeof head;
  head.e_shnum = 1;
  head.e_shentsize = sizeof(Elf64_Shdr);
  Elf64_Shdr section{};
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = sizeof head + sizeof section;
  section.sh_size = 10;
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(&section), sizeof section);
  return bytes + "0123456789";
}

TEST(WholeElf, a_cut_file_is_not_given_to_the_driver) {
  const std::string elf = small_elf();
  EXPECT_TRUE(is_whole_elf(elf));
  for (std::size_t size = 0; size < elf.size(); ++size) {
    EXPECT_FALSE(is_whole_elf(elf.substr(0, size))) << size;
  }
  EXPECT_FALSE(is_whole_elf(std::string(1000, 'x')));
}

TEST(WholeElf, offsets_that_wrap_around_are_seen) {
  std::string elf = small_elf();
  Elf64_Shdr section;
  std::memcpy(&section, elf.data() + sizeof(Elf64_Ehdr), sizeof section);
  section.sh_offset = 16;
  section.sh_size = ~std::uint64_t{0} - 8;
  std::memcpy(elf.data() + sizeof(Elf64_Ehdr), &section, sizeof section);
  EXPECT_FALSE(is_whole_elf(elf));
}

}  // namespace
}  // namespace tilery
