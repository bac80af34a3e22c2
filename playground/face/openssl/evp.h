#pragma once

// In place of OpenSSL's header, for recheck in the browser: SHA-256 by runtime/file/sha256.

#include <cstddef>
#include <string>

#include "runtime/file/sha256.hpp"

inline constexpr int EVP_MAX_MD_SIZE = 32;
inline int EVP_sha256() {
  return 0;
}

/// As OpenSSL's: the hash of `count` bytes at `data`, 32 bytes into `digest`. Returns 1.
inline int EVP_Digest(const void* data, std::size_t count, unsigned char* digest, unsigned* size,
                      int, std::nullptr_t) {
  const std::string hex = logdepth::sha256({static_cast<const char*>(data), count});
  *size = EVP_MAX_MD_SIZE;
  for (std::size_t i = 0; i < *size; ++i)
    digest[i] = static_cast<unsigned char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  return 1;
}
