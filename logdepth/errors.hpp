#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace logdepth {

/// The user's mistake: wrong usage or bad input. The message is one sentence that names the source
/// (file, option), the line where there is one, and what was expected. The program exits with 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& sentence) : std::runtime_error(sentence) {}
  InputError(const std::string& source, std::size_t line, const std::string& sentence)
      : std::runtime_error(source + ":" + std::to_string(line) + ": " + sentence) {}
};

/// Errors: InputError with this sentence unless it holds.
inline void require(bool holds, const std::string& sentence) {
  if (!holds) throw InputError(sentence);
}

/// The request is well formed but larger than a stated limit. The message gives the forecast size,
/// the limit, and what to try instead. The program exits with 3.
class SizeLimit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A program's mistake, found by a rule or a pass of the compiler: names block, statement, cell and
/// reason. The program exits with 2.
class ProgramRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace logdepth
