// SHA-256 (FIPS 180-4). OpenSSL's has no form for the page, and loads a provider, which fails where memory is short.
#include "runtime/file/sha256.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace runtime_file {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Of bytes that arrive in pieces.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) add(static_cast<std::uint8_t>(byte));
  }
  /// Of all bytes added. Ends the object's use.
  std::string hex() {
    const std::uint64_t bits = 8 * bytes_;
    add(0x80);
    while (bytes_ % kBlock != kBlock - 8) add(0);
    for (int shift = 56; shift >= 0; shift -= 8) add(static_cast<std::uint8_t>(bits >> shift));
    std::string hex;
    for (const std::uint32_t word : hash_)
      for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
    return hex;
  }

 private:
  void add(std::uint8_t byte) {
    block_[static_cast<std::size_t>(bytes_++ % kBlock)] = byte;
    if (bytes_ % kBlock == 0) mix();
  }

  void mix() {
    std::array<std::uint32_t, 64> words{};
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t k = 0; k < 4; ++k) words[i] = words[i] << 8 | block_[4 * i + k];
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = words[i - 15], b = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + words[i - 7] +
                 (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = hash_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
      const std::uint32_t other =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one;
      d = c, c = b, b = a, a = one + other;
    }
    const std::array<std::uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) hash_[i] += mixed[i];
  }

  std::array<std::uint32_t, 8> hash_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlock> block_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256(const FilePieces& file) {
  Hash hash;
  std::vector<char> piece(std::size_t{1} << 20);
  for (std::uint64_t done = 0; done < file.size(); done += piece.size()) {
    piece.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), file.size() - done)));
    file.read(done, piece);
    hash.add({piece.data(), piece.size()});
  }
  return hash.hex();
}

}}  // namespace logdepth::runtime_file
