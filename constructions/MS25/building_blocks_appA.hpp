#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth {

/// MS25 Appendix A: how scalars are read, stored, overwritten, cleared, shifted and compared.
/// psi(z) = (z, 1), phi(z) = psi(z)/sqrt(z^2 + 1), positions from 0. Each lemma is a program of its
/// own over raw streams (input `cells`), which `logdepth run MODEL --cells FILE` runs; the parts
/// that other constructions repeat are below, in `blocks`, as program text.

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
  Rational scale = 1;     ///< z = scale * (average of the flag over the tokens up to this one)
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
  raw        ///< x = i and y = m from raw psi(i) and psi(m): two layers, see the source file
};
/// Lemma A.7, repaired. Output `equal` = +1 where x = y, else -1. `clear`: the raw difference is
/// taken away by the attention of one more layer. Inputs also: `I` = phi(i), except for `raw`.
Program equality_MS25_lemA7(Compared compared = Compared::stored, bool clear = true);

/// Statements as text, for programs that are written as text. `name` is the name of the head; cell
/// names and forms are those of the program around.
namespace blocks {

/// A.1 by attention: `unit` := the direction of `raw`. Leaves the feed-forward sublayer free.
std::string read(const std::string& name, const std::string& raw, const std::string& unit);

/// A.5: the same heads with the signs of their averages flipped, named `..._again`. Only averages
/// are repeated: copied cells and set flags are unit vectors, which `erase` removes (A.4).
/// Precondition: `heads` are lines of `fetch`, `add`, `copy` and `set`.
std::string undone(std::string_view heads);

/// A.6: the averages (i - k, 1)/(i + 1) into `number`, from the constant and the first-flag.
std::string offset(const std::string& name, const std::string& number, const std::string& one,
                   const std::string& first, std::uint32_t k);

/// A.7, the attention: `flag` := true, which the feed-forward sublayer starts from. `key` is the
/// token's own position.
std::string preset(const std::string& name, const std::string& flag, const std::string& key);
/// The same head, which also adds `form` of the token's own cells to `number`.
std::string compare(const std::string& name, const std::string& number, const std::string& form,
                    const std::string& flag, const std::string& key);
/// A.7, the feed-forward sublayer: `flag` := [number = 0].
std::string decide(const std::string& flag, const std::string& number);

}  // namespace blocks
}  // namespace logdepth
