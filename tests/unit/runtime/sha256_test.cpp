// Digests of FIPS 180-4's examples and of `sha256sum`.
#include "runtime/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace tilery {
namespace {

TEST(Sha256, known_digests) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, pieces_make_the_same_as_the_whole) {
  // Around the block of 64 bytes, where the padding takes one block or two.
  for (std::size_t size = 50; size < 140; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
      text += static_cast<char>('a' + i % 26);
    }
    for (std::size_t cut = 0; cut <= size; cut += 7) {
      Sha256 hash;
      hash.add(std::string_view(text).substr(0, cut));
      hash.add(std::string_view(text).substr(cut));
      ASSERT_EQ(hash.finish(), sha256(text)) << size << " cut at " << cut;
    }
  }
}

}  // namespace
}  // namespace tilery
