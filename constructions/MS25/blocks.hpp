#pragma once

#include <cstdint>
#include <string>

#include "logdepth/program.hpp"

/// The parts of MS25 that other constructions repeat, as statements about their own cells. `name` is
/// the name of the head. What each does and why is at its lemma: lemA1_read.cpp, ...,
/// division_lem3_1.cpp.
namespace logdepth::inline constructions_MS25::blocks {

/// Lemma A.1 by attention: `unit` := the direction of `raw`. Leaves the feed-forward sublayer free.
cells::Fetch read(const std::string& name, const cells::Vector& raw, const cells::Vector& unit);

/// Lemma A.5: takes back what heads have added.
using cells::undone;

/// Lemma A.6: `number` := (i - k, 1)/(i + 1) at position i, from the constant and the first-flag.
cells::Fetch offset(const std::string& name, const cells::Number& number,
                    const cells::Constant& one, const cells::Flag& first, std::uint32_t k);

/// Lemma A.7, the attention: `flag` := true, which test(flag).zero(...) of the feed-forward sublayer
/// starts from. `key` is the token's own position.
cells::Fetch preset(const std::string& name, const cells::Flag& flag, const cells::Key& key);
/// The same head, which also adds `form` of the token's own cells to `number`.
cells::Fetch compare(const std::string& name, const cells::Number& number, const cells::Form& form,
                     const cells::Flag& flag, const cells::Key& key);

/// Lemma 3.1, the first step: where m divides the position i, and what i/m is there.
struct Multiples {
  cells::Key I;        ///< given: phi(i)
  cells::Direction R;  ///< given: dir(i, m)
  cells::Pointer Q;    ///< := phi(j), j the position nearest to i/m
  cells::Number D;     ///< := phi(j)_0 - dir(i, m)_0 for that j
  cells::Flag e;       ///< := m divides i, which is D = 0
};
cells::Statements multiples(const Multiples& of);
/// Its heads `near` and `mark` alone: undone(multiples_heads(...)) makes D blank again.
cells::Statements multiples_heads(const Multiples& of);

}  // namespace logdepth::inline constructions_MS25::blocks
