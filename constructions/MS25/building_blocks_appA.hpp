#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "logdepth/program.hpp"

/// MS25 Appendix A: how scalars are read, stored, overwritten, cleared, shifted and compared. Each
/// lemma is a page, and a program of its own over raw streams (input `cells`), which `logdepth run
/// MODEL --cells FILE` runs; the parts that other constructions repeat are at the end.
///
/// Notation. psi(z) = (z, 1) and phi(z) = psi(z)/sqrt(z^2 + 1), positions from 0. The paper's
///   4-vectors add the negatives, which make the mean zero; here that is the compiler's business
///   (`layernorm`), so phi(z) has norm 1, as "unit-norm" in A.2 says (the paper's phi(z) has norm
///   sqrt(2), at z = 0 <0, 1, 0, -1>).
///
/// Numbers of layers
///        claimed                    true
///   A.1  "a masked pre-norm"        one sublayer, of either kind
///   A.2  "a masked pre-norm"        one sublayer, of either kind
///   A.3  2                          1, and the attention of the next to clear psi(z)
///   A.4  "a feedforward sub-layer"  a feed-forward sublayer
///   A.5  1                          1 for what attention wrote and unit vectors, else 2
///   A.6  1                          1, also for i < k; 0 where phi(i - k) is only a query
///   A.7  1, and 1 to clear          1, and the attention of the next; 2 from raw psi
namespace logdepth { inline namespace constructions_MS25 {

enum class ReadBy { feedforward, attention };
/// How a scalar lies in the stream.
enum class Stored {
  unit,      ///< phi(z) for any z; the same weights read a raw psi(z)
  position,  ///< psi(i) of the token's own position i
  natural    ///< psi(m), m >= 1 an integer, the same at all tokens
};

/// Lemma A.1. Input `z`, output `phi` = phi(z). One layer, one sublayer of it.
Program read_MS25_lemA1(Stored stored = Stored::unit, ReadBy by = ReadBy::feedforward);

/// Lemma A.2. Inputs `z0`, `z1`, ... of unit norm with these numbers of components, all read by one
/// mask; outputs `x0`, `x1`, ..., the same vectors. One layer. Precondition: all sizes >= 1.
Program read_several_MS25_lemA2(const std::vector<std::uint32_t>& sizes,
                                ReadBy by = ReadBy::feedforward);

struct StoreOptions {
  /// z = scale * (average of the flag over the tokens up to this one), at most 63 bits / 63 bits.
  Rational scale = 1;
  bool clear_raw = true;  ///< psi(z) is taken away again: a second layer, its attention alone
};
/// Lemma A.3. Input flag `f`, output `phi` = phi(z) in cells of its own; psi(z) is a raw cell.
Program store_MS25_lemA3(const StoreOptions& options = {});

/// Lemma A.4. Input `z`, a unit vector of `size` components, is zero afterwards; `kept` is another
/// one that stays. One layer without attention. Precondition: size >= 1.
Program remove_MS25_lemA4(std::uint32_t size = 2);
/// Lemma A.4 with "a parallel layer that stores some new value": `z` becomes the given `y`.
Program overwrite_MS25_lemA4(std::uint32_t size = 2);

/// Lemma A.5, repaired. A layer whose feed-forward sublayer reads what its attention wrote, and the
/// layer that undoes both. Input flag `f`, output `kept` = f; everything else is zero again.
Program clear_MS25_lemA5();

enum class OffsetForm {
  one_layer,     ///< phi(i - k) in a cell; the raw averages behind it stay
  cleared,       ///< the attention of the next layer takes them away
  shifted_query  ///< no cell: the query of the head that wants position i - k is shifted instead
};
/// Lemma A.6, repaired. From the first-flag alone: output `phi` = phi(i - k) at every token i, also
/// for i < k. shifted_query: inputs `I` = phi(i) and a unit vector `s`; output `before` is the `s`
/// of position max(i - k, 0), by an ordinary fetch.
Program offset_MS25_lemA6(std::uint32_t k, OffsetForm form = OffsetForm::one_layer);

enum class Compared {
  stored,    ///< inputs `x` = phi(x) and `y` = phi(y)
  computed,  ///< x is an average of flag `f` over the tokens up to this one, y one of flag `g` over
             ///< all tokens, by two heads
  raw        ///< x = i and y = m from raw psi(i) and psi(m): two layers
};
/// Lemma A.7, repaired. Output `equal` = +1 where x = y, else -1. `clear`: the raw difference is
/// taken away by the attention of one more layer. Inputs also: `I` = phi(i), except for `raw`.
Program equality_MS25_lemA7(Compared compared = Compared::stored, bool clear = true);

}}  // namespace logdepth::constructions_MS25

/// The parts of MS25 that other constructions repeat, as statements about their own cells. `name` is
/// the name of the head. What each does and why is at its lemma: lemA1_read.cpp, ...,
/// division_lem3_1.cpp.
namespace logdepth { inline namespace constructions_MS25 { namespace blocks {

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

}}}  // namespace logdepth::constructions_MS25::blocks
