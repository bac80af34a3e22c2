// MS25 Appendix A: building blocks, Lemmas A.1-A.7.
//
// Notation. psi(z) = (z, 1) and phi(z) = psi(z)/sqrt(z^2 + 1). The paper's 4-vectors add the
//   negatives, which make the mean zero; here that is the compiler's business (`layernorm`), so
//   phi(z) has norm 1, as "unit-norm" in A.2 says (the paper's phi(z) has norm sqrt(2), at z = 0
//   <0, 1, 0, -1>).
// Hypotheses of all. Masked pre-norm without epsilon, averaging-hard attention, exact numbers.
//
// Numbers of layers
//        claimed                    true
//   A.1  "a masked pre-norm"        one sublayer, of either kind
//   A.2  "a masked pre-norm"        one sublayer, of either kind
//   A.3  2                          1, and the attention of the next to clear psi(z)
//   A.4  "a feedforward sub-layer"  a feed-forward sublayer
//   A.5  1                          1 for what attention wrote and unit vectors, else 2
//   A.6  1                          1, also for i < k; 0 where phi(i - k) is only a query
//   A.7  1, and 1 to clear          1, and the attention of the next; 2 from raw psi
//
// Each lemma below: statement, deviations, cells, why it is right, and what its heads promise.
#include "constructions/MS25/building_blocks_appA.hpp"

#include <fmt/core.h>

#include <sstream>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/blocks.hpp"

namespace logdepth {
namespace {

/// The head of every block: raw streams, no loop.
std::string begin(const std::string& name, const std::string& form, const std::string& lemma) {
  return "logdepth-cells 1\nprogram \"" + name + "\"\nconstruction \"" + form +
         "\"\nsource \"MS25 Lemma " + lemma +
         "\"\ninput cells\nunroll fixed 0\n"
         "hypothesis \"masked pre-norm without epsilon, averaging-hard attention, exact "
         "numbers\"\n";
}

std::string reader(ReadBy by) {
  return by == ReadBy::attention ? "attention" : "feed-forward";
}
std::string form_name(OffsetForm form) {
  return form == OffsetForm::one_layer ? "one layer"
         : form == OffsetForm::cleared ? "cleared"
                                       : "shifted query";
}
std::string form_name(Compared compared) {
  return compared == Compared::stored     ? "stored"
         : compared == Compared::computed ? "computed"
                                          : "raw";
}

std::string output(const std::string& name, const std::string& cell, std::uint32_t size) {
  if (size == 1) return "output " + name + " + " + cell + "\n";
  std::string text;
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::string index = std::to_string(i);
    text += "output " + name + "." + index + " + " + cell + "[" + index + "]\n";
  }
  return text;
}

std::string direction_cell(const std::string& name, std::uint32_t size) {
  return fmt::format("cell {} direction {}\n", name, size);
}

/// "+ 2 x", or nothing for the factor 0.
std::string term(const Rational& factor, const std::string& component) {
  if (factor.is_zero()) return "";
  return std::string(factor.sign() < 0 ? " - " : " + ") + factor.abs().text() + " " + component;
}

}  // namespace

// --- Lemma A.1 -----------------------------------------------------------------------------------
//
// Statement. There is a masked pre-norm that retrieves phi(z) where phi(z) or psi(z) is stored.
// Deviations: none. A layer that reads must also write; here it writes phi(z) to a blank cell.
// Cells
//   z  given        phi(z), psi(i) or psi(m)
//   x  direction 2  phi(z)
// Why. psi(z) is not zero and phi(z) is its direction, so the mask {z} alone normalises both to
//   phi(z). The three programs are one file but for the declared input, and every rational z may
//   be run on any of them.
// Promise (by attention). The tokens of the same direction, at least the token itself: their
//   average is that direction.

Program read_MS25_lemA1(Stored stored, ReadBy by) {
  std::string text = begin("read", reader(by), "A.1");
  switch (stored) {
    case Stored::unit:
      text += "hypothesis \"z = phi(z), or raw psi(z), for any rational z\"\n";
      text += "cell z direction 2\ngiven z\n";
      break;
    case Stored::position:
      text += "hypothesis \"z = raw psi(i) at position i, from 0\"\n";
      text += "cell z number 2\ngiven z position\n";
      break;
    case Stored::natural:
      text += "hypothesis \"z = raw psi(m), m >= 1 an integer, the same at all tokens\"\n";
      text += "cell z number 2\ngiven z natural\n";
      break;
  }
  text += "cell x direction 2\ninitial\n";
  text += by == ReadBy::attention ? blocks::read("read", "z", "x") : "normalise x from z[0] z[1]\n";
  return parse_program(text + output("phi", "x", 2), "read");
}

// --- Lemma A.2 -----------------------------------------------------------------------------------
//
// Statement. There is a masked pre-norm that retrieves <phi_1, ..., phi_k> where unit vectors
//   phi_1, ..., phi_k are stored.
// Deviation. The paper's scale 1/sqrt(2k) is rational only if 2k is a square; otherwise no rational
//   matrix can take it in. The mask also takes the constant 1 with weight w = (k - 1)/2, so that
//   k + w^2 = ((k + 1)/2)^2 and the scale 2/(k + 1) is rational. A square k needs no constant.
// Cells
//   z0, z1, ...  given      unit vectors
//   x0, x1, ...  direction  the same, read and written exactly
//   one          constant
// Why. The squared norm of the masked stream is one rational square at every token.
// Promise (by attention). The tokens that hold the same vectors, at least the token itself.

Program read_several_MS25_lemA2(const std::vector<std::uint32_t>& sizes, ReadBy by) {
  std::string text = begin("read several", reader(by), "A.2");
  text +=
      "hypothesis \"z0, z1, ... are unit vectors\"\n"
      "deviation \"the constant completes the norm to a rational square; 1/sqrt(2k) is "
      "irrational\"\n"
      "cell one constant\n";
  std::string givens, same, copies, moves, outputs;
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    const std::string z = fmt::format("z{}", j), x = fmt::format("x{}", j);
    text += direction_cell(z, sizes[j]);
    text += direction_cell(x, sizes[j]);
    givens += "given " + z + "\n";
    same += " " + z;
    copies += "  copy " + x + " " + z + "\n";
    moves += "move " + x + " " + z + "\n";
    outputs += output(x, x, sizes[j]);
  }
  text += givens + "initial\n";
  text += by == ReadBy::attention ? "fetch read causal same" + same + "\n" + copies : moves;
  return parse_program(text + outputs, "read several");
}

// --- Lemma A.3 -----------------------------------------------------------------------------------
//
// Statement. If a head computes the scalar z from h, two layers h -> h' -> h'' exist so that
//   phi(z) is read by a masked pre-norm from h' or h'', and is stored in h'' at formerly blank
//   indices I.
// Deviation. The paper's second layer reads psi(z) from I with its feed-forward sublayer after its
//   attention has taken psi(z) away. Here the first layer's own feed-forward sublayer reads it, and
//   writes phi(z) to I; psi(z) lies in a raw cell beside, which the second layer's attention
//   clears. (Written onto psi(z) itself it works as well: the direction is the same.) Without the
//   clearing one layer is enough.
// Cells
//   f    flag         given
//   one  constant
//   z    number 2     psi(z)
//   x    direction 2  phi(z), the indices I
// Why. The head writes (z, 1), the 1 as an average of the constant, so the direction exists. It
//   reads cells that no sublayer in between has written: its average is the same once more (A.5).
// Promise. measure, measure_again: all tokens up to this one.

Program store_MS25_lemA3(const StoreOptions& options) {
  const std::string measure = "fetch measure causal uniform\n  add z[0]" +
                              term(options.scale, "f") + "\n  add z[1] + one\n";
  std::string text = begin("store", options.clear_raw ? "cleared" : "one layer", "A.3");
  text += "parameter scale \"" + options.scale.text() + "\"\n";
  text +=
      "hypothesis \"z is computed by a head: scale times the average of the flag f up to here\"\n"
      "deviation \"phi(z) is read and written by the first layer already: after the second layer's "
      "attention psi(z) is no longer there to be read\"\n"
      "cell f flag\ncell one constant\ncell z number 2\ncell x direction 2\ngiven f\ninitial\n";
  text += measure + "normalise x from z[0] z[1]\n";
  if (options.clear_raw) text += blocks::undone(measure);
  return parse_program(text + output("phi", "x", 2), "store");
}

// --- Lemma A.4 -----------------------------------------------------------------------------------
//
// Statement. If a unit-norm vector is stored at I, a feed-forward sublayer removes it; with a
//   layer that stores a new value in parallel, it is overwritten.
// Deviations: none. The new value comes from the same sublayer, so the same mask reads it (A.2).
// Cells
//   z     given     a unit vector
//   kept  given     another one, not touched
//   y     given     overwrite only: the new value
//   one   constant
// Why. Read alone, or with others of constant norm, z is known exactly, and z - z = 0. A
//   coordinate x passes the ReLU as ReLU(x) - ReLU(-x).

namespace {

std::string unit_vectors(const std::string& name, std::uint32_t size) {
  return begin(name, "feed-forward", "A.4") +
         "hypothesis \"z is a unit vector\"\ncell one constant\n" + direction_cell("z", size) +
         direction_cell("kept", 2);
}

}  // namespace

Program remove_MS25_lemA4(std::uint32_t size) {
  return parse_program(unit_vectors("remove", size) + "given z\ngiven kept\ninitial\nerase z\n" +
                           output("kept", "kept", 2),
                       "remove");
}

Program overwrite_MS25_lemA4(std::uint32_t size) {
  return parse_program(unit_vectors("overwrite", size) + direction_cell("y", size) +
                           "given z\ngiven kept\ngiven y\ninitial\nmove z y\n" +
                           output("z", "z", size) + output("kept", "kept", 2),
                       "overwrite");
}

// --- Lemma A.5 -----------------------------------------------------------------------------------
//
// Statement. If a layer wrote delta to indices at which h was blank, another layer resets h +
//   delta to h: a copy of the first layer with all signs flipped.
// Deviation. False as stated where the feed-forward sublayer reads what its own layer's attention
//   wrote. In the copy the attention takes that away first, and the feed-forward sublayer reads h
//   instead: below, blank cells, so its output would stay behind. Repaired:
//   - what attention wrote is undone by the attention with flipped signs, provided that no cell
//     that it reads has been written since;
//   - what the feed-forward sublayer wrote is undone before that, by the same sublayer with
//     flipped signs in a layer before (then clearing takes a layer more than the paper says), or
//     at any time by Lemma A.4 if it is a unit vector. Here: by A.4, so that one layer is enough.
// Cells
//   f    flag         given
//   one  constant
//   z    number 2     (the average of f, 1)
//   x    direction 2  its direction
// Why. z ends as an average plus its negative, both of the cells f and one, which nothing writes.
// Promise. measure, measure_again: all tokens up to this one.

Program clear_MS25_lemA5() {
  const std::string measure = "fetch measure causal uniform\n  add z[0] + f\n  add z[1] + one\n";
  std::string text = begin("clear", "repaired", "A.5");
  text +=
      "hypothesis \"the cells that the attention read are not written in between\"\n"
      "deviation \"what the feed-forward sublayer read from its own attention it cannot read "
      "again: its output is removed as a unit vector\"\n"
      "cell f flag\ncell one constant\ncell z number 2\ncell x direction 2\ngiven f\ninitial\n";
  text += measure + "normalise x from z[0] z[1]\n" + blocks::undone(measure) + "erase x\n";
  return parse_program(text + "output kept + f\n", "clear");
}

// --- Lemma A.6 -----------------------------------------------------------------------------------
//
// Statement. From 1[i = 0] and 1[i < k] in the stream, one layer adds phi(i - k) at
//   indices i >= k.
// Deviations, each with its reason:
//   - uniform heads with values 1[j = 0] and 1[j >= k] return, for positions from 0, 1/(i + 1) and
//     (i - k + 1)/(i + 1), the direction of i - k + 1. The value is 1 - (k + 1) 1[j = 0] instead;
//   - so 1[i < k] is not needed, and phi(i - k) is right for i < k as well;
//   - shifted_query: phi(i - k) is not stored, since a query does without it: the head's query is
//     phi(i), shifted.
// Cells
//   one   constant
//   fst   flag         the first-flag
//   kept  given        not read: raw streams have at least one given value
//   a     number 2     (i - k, 1)/(i + 1)
//   x     direction 2  phi(i - k)
//   shifted_query
//   I     key          given: phi(i)
//   s     direction 2  given: a unit vector
//   x     direction 2  the s of position max(i - k, 0)
// Why. Of the i + 1 visible tokens one is the first: the averages are 1 - (k + 1)/(i + 1) =
//   (i - k)/(i + 1) and 1/(i + 1), the second positive. Shifted query: with phi(i) = (x0, x1),
//   (x0 - k x1, x1) is a positive multiple of phi(i - k), and a linear image of the stream.
// Promise. position: all tokens up to this one; before: exactly one.

Program offset_MS25_lemA6(std::uint32_t k, OffsetForm form) {
  std::string text = begin("offset", form_name(form), "A.6");
  text += fmt::format("parameter k \"{}\"\n", k);
  if (form == OffsetForm::shifted_query) {
    text +=
        "hypothesis \"I = phi(i) at position i, from 0; s is a unit vector\"\n"
        "deviation \"phi(i - k) is not stored: the query is shifted\"\n"
        "cell I key phi\ncell s direction 2\ncell x direction 2\ncell one constant\n"
        "given I\ngiven s\ninitial\n";
    text += "fetch before causal match I";
    if (k > 0) text += fmt::format(" back {}", k);
    text += " key I\n  copy x s\n";
    return parse_program(text + output("before", "x", 2), "offset, shifted query");
  }
  const std::string averages = blocks::offset("position", "a", "one", "fst", k);
  text +=
      "hypothesis \"the position encoding separates the first position; positions from 0\"\n"
      "deviation \"the head's value is 1 - (k+1) 1[j = 0]: 1[j >= k] gives phi(i - k + 1)\"\n"
      "deviation \"1[i < k] is not needed\"\n"
      "cell kept direction 2\ncell one constant\ncell fst flag\ncell a number 2\n"
      "cell x direction 2\ngiven kept\nposition fst\ninitial\n";
  text += averages + "normalise x from a[0] a[1]\n";
  if (form == OffsetForm::cleared) text += blocks::undone(averages);
  return parse_program(text + output("phi", "x", 2), "offset");
}

// --- Lemma A.7 -----------------------------------------------------------------------------------
//
// Statement. Given scalars x, y computable by heads or stored in the stream, one layer writes
//   1[x = y], and a second one clears all intermediate values.
// Deviations, each with its reason:
//   - the feed-forward sublayer has no bias, and its mask may hold nothing but x - y (read with
//     the constant it would be scaled by the data): the 1 of 1 - ReLU(s) - ReLU(-s) comes from the
//     attention, which sets the flag; the feed-forward sublayer takes 2 ReLU(s) + 2 ReLU(-s) away;
//   - the answer is +1 or -1, not 1 or 0, so that masks that read it have a constant norm (A.2);
//   - stored scalars are compared as phi(x)_0 - phi(y)_0: what a mask reads of two scalars is
//     their phi, not x - y. Equal if and only if x = y, since x -> x/sqrt(x^2 + 1) is injective;
//   - raw psi(x) and psi(y) are read under their joint norm, r (x, 1, y, 1) with r > 0, and
//     r (x - y) has the sign of x - y. That mask has no room for the constant, so the flag is set
//     by a second layer, and tested there: two layers.
// Cells
//   I     key          phi(i); given, but for `raw`
//   one   constant
//   D     number       a positive multiple of x - y; stored: phi(x)_0 - phi(y)_0
//   e     flag         the answer
//   x, y  direction 2  stored, given: phi(x), phi(y)
//   f, g  flag         computed, given
//   i, m  number 2     raw, given: psi(i), psi(m)
// Why. D alone in the mask is read as its sign, decided exactly: 0 only if D = 0. For clearing,
//   the heads repeat what they read from cells that nothing has written since (A.5).
// Promise. own, compare: exactly one, the token itself (raw: the tokens with the same i and m);
//   x: all tokens up to this one; y: all tokens.

Program equality_MS25_lemA7(Compared compared, bool clear) {
  std::string text = begin("equality", form_name(compared) + (clear ? ", cleared" : ""), "A.7");
  text +=
      "deviation \"the 1 comes from attention: a feed-forward sublayer has no bias\"\n"
      "deviation \"the answer is +1 or -1\"\n"
      "cell one constant\ncell I key phi\ncell D number 1\ncell e flag\n";
  std::string heads;  // whose averages make up D
  if (compared == Compared::stored) {
    heads = blocks::compare("compare", "D", "+ x[0] - y[0]", "e", "I");
    text +=
        "hypothesis \"I = phi(i) at position i, from 0; x = phi(x) and y = phi(y)\"\n"
        "deviation \"phi(x) and phi(y) are compared, not x and y\"\n"
        "cell x direction 2\ncell y direction 2\ngiven I\ngiven x\ngiven y\ninitial\n";
    text += heads;
  } else if (compared == Compared::computed) {
    heads = "fetch x causal uniform\n  add D + f\nfetch y unmasked uniform\n  add D - g\n";
    text +=
        "hypothesis \"I = phi(i) at position i, from 0; x and y are computed by heads: the average "
        "of f up to here, the average of g over all tokens\"\n"
        "cell f flag\ncell g flag\ngiven I\ngiven f\ngiven g\ninitial\n";
    text += heads + blocks::preset("own", "e", "I");
  } else {
    heads = "fetch compare causal same i m under i m\n  add D + i[0] - m[0]\n";
    text +=
        "hypothesis \"raw psi(i) at position i, from 0, and raw psi(m), m >= 1 an integer, the "
        "same at all tokens\"\n"
        "deviation \"x and y are read under their joint norm, so the flag is set a layer later\"\n"
        "cell i number 2\ncell m number 2\ngiven i position\ngiven m natural\ninitial\n";
    text += heads + "normalise I from i[0] i[1]\n" + blocks::preset("own", "e", "I");
  }
  text += blocks::decide("e", "D");
  if (clear) text += blocks::undone(heads);
  return parse_program(text + "output equal + e\n", "equality");
}

// --- the parts as text ---------------------------------------------------------------------------

namespace blocks {

std::string read(const std::string& name, const std::string& raw, const std::string& unit) {
  return "fetch " + name + " causal same " + raw + " under " + raw + "\n  copy " + unit + " " +
         raw + "\n";
}

std::string undone(std::string_view heads) {
  std::istringstream lines{std::string(heads)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word == "copy" || word == "set") continue;
    result += word == "add" ? "  add" : word;
    std::string name;
    words >> name;
    result += " " + name + (word == "fetch" ? "_again" : "");
    while (words >> word) {
      const bool sign = word == "+" || word == "-";
      result += !sign ? " " + word : word == "+" ? " -" : " +";
    }
    result += "\n";
  }
  return result;
}

std::string offset(const std::string& name, const std::string& number, const std::string& one,
                   const std::string& first, std::uint32_t k) {
  const Rational half(1, 2), steps(static_cast<std::int64_t>(k));
  // [first] = 1/2 one + 1/2 first, and one - (k + 1) [first] beside it.
  return "fetch " + name + " causal uniform\n  add " + number + "[0]" +
         term((Rational(1) - steps) * half, one) + term((-Rational(1) - steps) * half, first) +
         "\n  add " + number + "[1]" + term(half, one) + term(half, first) + "\n";
}

namespace {
std::string own(const std::string& name, const std::string& key) {
  return "fetch " + name + " causal match " + key + " key " + key + "\n";
}
}  // namespace

std::string preset(const std::string& name, const std::string& flag, const std::string& key) {
  return own(name, key) + "  set " + flag + "=true\n";
}

std::string compare(const std::string& name, const std::string& number, const std::string& form,
                    const std::string& flag, const std::string& key) {
  return own(name, key) + "  add " + number + " " + form + "\n  set " + flag + "=true\n";
}

std::string decide(const std::string& flag, const std::string& number) {
  return "test " + flag + " zero " + number + "\n";
}

// --- the parts as statements ---------------------------------------------------------------------

cells::Fetch read(const std::string& name, const cells::Vector& raw, const cells::Vector& unit) {
  return cells::fetch(name).causal(cells::same(raw)).under(raw).copy(unit, raw);
}

cells::Fetch offset(const std::string& name, const cells::Number& number,
                    const cells::Constant& one, const cells::Flag& first, std::uint32_t k) {
  // The averages of one - (k + 1) [first] and of [first] = (one + first)/2.
  const std::int64_t steps = k;
  return cells::fetch(name)
      .causal(cells::uniform())
      .add(number[0], ((1 - steps) * one - (1 + steps) * first) / 2)
      .add(number[1], (one + first) / 2);
}

cells::Fetch preset(const std::string& name, const cells::Flag& flag, const cells::Key& key) {
  return cells::fetch(name).causal(cells::match(key).key(key)).set(flag);
}

cells::Fetch compare(const std::string& name, const cells::Number& number, const cells::Form& form,
                     const cells::Flag& flag, const cells::Key& key) {
  return cells::fetch(name).causal(cells::match(key).key(key)).add(number, form).set(flag);
}

}  // namespace blocks
}  // namespace logdepth
