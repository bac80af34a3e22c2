// The encodings of arrays against numbers computed by hand, and every 16-bit pattern against the
// definition of its format.

#include "learned/language_model/tensor_encodings.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/file/sha256.hpp"
#include "tests/support/model_files.hpp"

namespace logdepth::tensor_encodings_tests {
namespace {

using support::little_endian;

std::vector<float> decoded(TensorEncoding encoding, const std::string& bytes) {
  const EncodedBlock& block = block_of(encoding);
  std::vector<float> out(bytes.size() / block.bytes * block.numbers);
  decode(encoding, bytes, out);
  return out;
}

TEST(TensorEncodings, EveryHalfIsTheFloatOfItsDefinition) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float read = from_half(static_cast<std::uint16_t>(bits));
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 1023, sign = bits >> 15 ? -1 : 1;
    EXPECT_EQ(std::signbit(read), sign < 0) << bits;
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(read), fraction > 0) << bits;
      EXPECT_EQ(std::isinf(read), fraction == 0) << bits;
      continue;
    }
    const double value = exponent == 0 ? std::ldexp(fraction / 1024, -14)
                                       : std::ldexp(1 + fraction / 1024, exponent - 15);
    ASSERT_EQ(static_cast<double>(read), sign * value) << bits;
    ASSERT_EQ(decoded(TensorEncoding::f16, little_endian(bits, 2)), std::vector<float>{read});
  }
}

TEST(TensorEncodings, EveryBfloat16IsTheUpperHalfOfAFloat) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const std::string bytes = little_endian(bits, 2);
    const auto read = std::bit_cast<std::uint32_t>(decoded(TensorEncoding::bf16, bytes).at(0));
    ASSERT_EQ(read, bits << 16);
  }
}

TEST(TensorEncodings, FloatsKeepEveryBit) {
  for (const std::uint32_t bits : {0u, 0x80000000u, 1u, 0x3f800001u, 0x7f7fffffu, 0xdeadbeefu}) {
    const float read = decoded(TensorEncoding::f32, little_endian(bits, 4)).at(0);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(read), bits);
  }
}

TEST(TensorEncodings, EightBitsAreSignedAndScaled) {
  std::string bytes = little_endian(0x3800, 2);  // 0.5
  for (int i = 0; i < 32; ++i) bytes += static_cast<char>(i == 0 ? -128 : i == 31 ? 127 : i - 16);
  const std::vector<float> read = decoded(TensorEncoding::q8_0, bytes + bytes);
  ASSERT_EQ(read.size(), 64u);
  for (std::size_t block = 0; block < 64; block += 32) {
    EXPECT_EQ(read[block], -64);
    EXPECT_EQ(read[block + 1], -7.5);
    EXPECT_EQ(read[block + 16], 0);
    EXPECT_EQ(read[block + 30], 7);
    EXPECT_EQ(read[block + 31], 63.5);
  }
}

/// Byte i holds i % 16 in its low bits and 15 - i % 16 in its high ones.
std::string sixteen_pairs() {
  std::string bytes;
  for (int i = 0; i < 16; ++i) bytes += static_cast<char>(i | (15 - i) << 4);
  return bytes;
}

TEST(TensorEncodings, FourBitsAroundEightAreScaled) {
  // -0.25; low halves of the bytes are the first sixteen numbers.
  const auto read = decoded(TensorEncoding::q4_0, little_endian(0xb400, 2) + sixteen_pairs());
  ASSERT_EQ(read.size(), 32u);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(read[static_cast<std::size_t>(i)], -0.25f * static_cast<float>(i - 8)) << i;
    EXPECT_EQ(read[static_cast<std::size_t>(i + 16)], -0.25f * static_cast<float>(7 - i)) << i;
  }
}

TEST(TensorEncodings, FourBitsAboveAMinimumAreScaledAndShifted) {
  // 0.125 above -1.
  const auto read = decoded(TensorEncoding::q4_1,
                            little_endian(0x3000, 2) + little_endian(0xbc00, 2) + sixteen_pairs());
  ASSERT_EQ(read.size(), 32u);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(read[static_cast<std::size_t>(i)], 0.125f * static_cast<float>(i) - 1) << i;
    EXPECT_EQ(read[static_cast<std::size_t>(i + 16)], 0.125f * static_cast<float>(15 - i) - 1) << i;
  }
}

TEST(Sha256, OfTheStandardsExamplesAtOnceAndInPieces) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 hash;
  for (const char* piece : {"a", "", "bc"}) hash.add(piece);
  EXPECT_EQ(hash.hex(), sha256("abc"));
}

}  // namespace
}  // namespace logdepth::tensor_encodings_tests
