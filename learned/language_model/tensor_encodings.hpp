#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace logdepth::inline learned_language_model {

/// How the numbers of an array are stored, little-endian. All but the first three store blocks of
/// 32 numbers that share a scale d (and a minimum m), each of them an F16.
enum class TensorEncoding {
  f32,
  f16,   ///< IEEE 754 binary16
  bf16,  ///< the upper half of an F32
  q8_0,  ///< d, 32 signed bytes q: d q
  q4_0,  ///< d, 16 bytes of two q of 4 bits each: d (q - 8)
  q4_1   ///< d, m, 16 bytes of two q of 4 bits each: d q + m
};

/// A block is the least that is stored: one number, or 32.
struct EncodedBlock {
  const char* name;     ///< "Q4_1"
  std::size_t numbers;  ///< of a block
  std::size_t bytes;    ///< of a block
};
const EncodedBlock& block_of(TensorEncoding encoding);

/// Every number that these have is a float.
float from_half(std::uint16_t bits);
float from_bfloat16(std::uint16_t bits);

/// The numbers of whole blocks. Precondition: `bytes` are as many blocks as `out` has room for.
void decode(TensorEncoding encoding, std::string_view bytes, std::span<float> out);

}  // namespace logdepth::inline learned_language_model
