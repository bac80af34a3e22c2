#pragma once

#include <cstddef>
#include <string>

namespace logdepth::inline runtime_stream {

/// Bytes as messages name them: "1049 KiB", "8192 MiB", rounded up.
inline std::string bytes_text(std::size_t bytes) {
  constexpr std::size_t kKibibyte = std::size_t{1} << 10, kMebibyte = std::size_t{1} << 20;
  const bool large = bytes >= 64 * kMebibyte;
  const std::size_t unit = large ? kMebibyte : kKibibyte;
  return std::to_string(bytes / unit + (bytes % unit > 0 ? 1 : 0)) + (large ? " MiB" : " KiB");
}

}  // namespace logdepth::inline runtime_stream
