#pragma once

// The two ways in which a file is not certified. A message is `PLACE: problem; expected X, found Y`.

#include <stdexcept>
#include <string>

namespace recheck {

/// A step of the proof fails: the program ends with status 1.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The input is no weights file, no certificate, no automaton: status 2.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void need(bool condition, const std::string& message) {
  if (!condition) throw Refused(message);
}

/// For messages that cost something to make.
template <typename Message>
requires requires(Message message) {
  message();
}
void need(bool condition, Message message) {
  if (!condition) throw Refused(message());
}

}  // namespace recheck
