#pragma once

#include <string>

namespace logdepth {

/// One word of a shell, in single quotes.
inline std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace logdepth
