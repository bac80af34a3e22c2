#include "learned/language_model/tensor_encodings.hpp"

#include <array>
#include <bit>

namespace logdepth::inline learned_language_model {
namespace {

constexpr std::size_t kBlock = 32;

std::uint32_t little_endian(const unsigned char* bytes, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i > 0; --i) value = value << 8 | bytes[i - 1];
  return value;
}

float half_at(const unsigned char* bytes) {
  return from_half(static_cast<std::uint16_t>(little_endian(bytes, 2)));
}

/// Calls put(i, q) for the 32 numbers of 16 bytes: the low halves of all bytes come first.
template <class Put>
void for_each_nibble(const unsigned char* bytes, const Put& put) {
  for (std::size_t i = 0; i < kBlock / 2; ++i) {
    put(i, bytes[i] & 15);
    put(i + kBlock / 2, bytes[i] >> 4);
  }
}

void decode_block(TensorEncoding encoding, const unsigned char* bytes, float* out) {
  switch (encoding) {
    case TensorEncoding::f32:
      *out = std::bit_cast<float>(little_endian(bytes, 4));
      return;
    case TensorEncoding::f16:
      *out = half_at(bytes);
      return;
    case TensorEncoding::bf16:
      *out = from_bfloat16(static_cast<std::uint16_t>(little_endian(bytes, 2)));
      return;
    case TensorEncoding::q8_0: {
      const float scale = half_at(bytes);
      for (std::size_t i = 0; i < kBlock; ++i)
        out[i] = scale * static_cast<float>(static_cast<std::int8_t>(bytes[2 + i]));
      return;
    }
    case TensorEncoding::q4_0: {
      const float scale = half_at(bytes);
      for_each_nibble(bytes + 2,
                      [&](std::size_t i, int q) { out[i] = scale * static_cast<float>(q - 8); });
      return;
    }
    case TensorEncoding::q4_1: {
      // The product is exact, so that contraction to a fused operation changes nothing.
      const float scale = half_at(bytes), least = half_at(bytes + 2);
      for_each_nibble(
          bytes + 4, [&](std::size_t i, int q) { out[i] = scale * static_cast<float>(q) + least; });
      return;
    }
  }
}

}  // namespace

const EncodedBlock& block_of(TensorEncoding encoding) {
  static constexpr std::array<EncodedBlock, 6> kBlocks{{{"F32", 1, 4},
                                                        {"F16", 1, 2},
                                                        {"BF16", 1, 2},
                                                        {"Q8_0", kBlock, 2 + kBlock},
                                                        {"Q4_0", kBlock, 2 + kBlock / 2},
                                                        {"Q4_1", kBlock, 4 + kBlock / 2}}};
  return kBlocks[static_cast<std::size_t>(encoding)];
}

float from_half(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31)  // infinite, or not a number
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {  // fraction * 2^-24, exactly
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -size : size;
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

void decode(TensorEncoding encoding, std::string_view bytes, std::span<float> out) {
  const EncodedBlock& block = block_of(encoding);
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  for (std::size_t i = 0; i < out.size(); i += block.numbers, at += block.bytes)
    decode_block(encoding, at, out.data() + i);
}

}  // namespace logdepth::inline learned_language_model
