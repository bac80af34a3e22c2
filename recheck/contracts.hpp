#pragma once

// The selection contract of a head is a claim; the scores alone prove which tokens the head selects.

#include "recheck/sublayers.hpp"

namespace recheck {

/// A class of tokens, as an attention sublayer reads it: <begin> or not, the stream, and its norm.
struct Seen {
  bool begin = false;
  Stream h, z;
};

/// Which tokens a token of one class selects.
struct Chosen {
  enum class Kind { all, some, own, back, pointer, last } kind = Kind::all;
  long back = 0;                  // back: positions; pointer: positions before the coded one
  int pointer = 0;                // pointer: id of its K; 0 for the position nearest to a ratio
  std::set<std::size_t> classes;  // that the selected tokens may have
  auto operator<=>(const Chosen&) const = default;
};

/// Proves that a head selects what its contract states: the choice of every class of tokens, and a text that tells it.
struct Selects {
  std::vector<Chosen> by_class;
  std::string text;
};
Selects proved_contract(const Frame& frame, const Head& head, const std::vector<Seen>& tokens,
                        const std::string& where);

}  // namespace recheck
