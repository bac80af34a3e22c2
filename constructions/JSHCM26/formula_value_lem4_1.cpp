// The value of a formula in postfix order, over any finite algebra, without padding.
//
// Statement (Jerad et al., arXiv 2601.01754, 2026, Lemma 4.1 and Corollary 4.1). A looped transformer
//   evaluates Boolean formulas of n letters in O(log n) loops. The text of the proof was not at hand:
//   what stands here is the parallel pebble game of Rytter (1985), which it is said to use.
// Here. Depth 4 ceil(log2 n) + 7, every word of every length, accepted or not; no padding.
//
// Operands. A letter counts +1 if it is a value, -1 if it is a binary operator; depth(i) is the sum up
//   to token i, the number of operands on the stack. The word is a formula if depth is at least 1 from
//   the first letter on and 1 at the last. The right operand of i, or the only one, ends at i - 1; the
//   left one at the last token before i of depth(i): in between lies the right one, deeper.
//   D codes depth. C(i) := the visible tokens of depth(i); `first`: C(i) = {i}, tested by the mean over
//   C(i) of the first coordinate of the position code, which falls strictly. With r = |C(i)|, averages over C(i)
//   are 3 and 4/r, as exactly one of C(i) is first: K = direction of (3r, 4).
//   With N tokens |depth| and r are at most N: D is one of integers up to N, K of integers up to 4N.
//   Head promise of `left`: the token of D and of rank r - 1, exactly one, visible; where r = 1 the
//   token itself. For K[0] - 3/4 K[1] + 3/10 (1 + first) : K[1] is 3(r-1) : 4, and 3 : 4 if r = 1.
// Rounds. `open`: the value is fn(value at J), J inside the subformula, fn a map of the algebra with
//   one operand to come; `known`: it is val. Where neither holds, J is the token before.
//   Layer 1 of a round, activate: where one operand is known, J := the other one, fn := the operator with
//     the known one. An operator of one operand is open from the beginning.
//   Layers 2 and 3, square: where the token is open and the one at J too, J := J there, fn := fn o fn there.
//   Layer 4, pebble: where the token is open and the one at J known, known, val := fn(val there).
//   Each step keeps what `open` and `known` say, whatever the number of rounds.
// Enough rounds. Let size(v) be the number of values in the subformula, an operator of one operand
//   counted as one more. After k rounds
//   (1) every v of size at most 2^k is known, and
//   (2) for every open v, size(v) - size(J(v)) >= 2^k / 2, or J(v) is neither known nor open.
//   k = 0: values are known, and of open v one operand counts 1. Step: P := the known ones, after k
//   rounds; S := 2^k. Let v not be in P after the activation, and follow J from v, four times at most, as two
//   squares do, until a token of P, or one that is not open. A token w on the way is not in P, so
//   size(w) > S. If w was open before this activation, then by (2) its step takes off S/2, or leads to a
//   token u that was not open before it. A step from such a u takes off the size of an operand that is in P,
//   but was not at the activation before (for k = 0 that is at least 1), so by (1) more than S/2. So of
//   two steps one takes off S/2, and four take off S.
//   (1): size(v) <= 2S. If the way ends at a token that is not open, both its operands are outside P,
//   larger than S: impossible. If it ends in P, v is known after the round. Else S is taken off, and
//   what is left is of size at most S, in P. (2): the way ends at a token that is not open, or S was taken off, or v is
//   known, no longer open. So ceil(log2 n) rounds do, as size is at most n.
#include "constructions/JSHCM26/formula_value_lem4_1.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "constructions/construction.hpp"
#include "logdepth/program.hpp"

namespace logdepth::formula_values { namespace {

/// By elements: the images of a map of one of them.
using Map = std::vector<std::uint32_t>;

struct Operator {
  std::string letter;
  std::vector<Map> table;  // by the left operand; of one operand a single map
};

struct Algebra {
  std::uint32_t elements = 2;
  std::vector<Operator> unary, binary;
};

Algebra algebra_of(const std::string& name) {
  if (name == "boolean")
    return {2, {{"!", {{1, 0}}}}, {{"&", {{0, 0}, {0, 1}}}, {"|", {{0, 1}, {1, 1}}}}};
  Algebra ring;
  ring.elements = static_cast<std::uint32_t>(name.back() - '0');
  ring.binary = {{"*", {}}, {"+", {}}};
  for (std::uint32_t x = 0; x < ring.elements; ++x)
    for (Operator& operation : ring.binary) {
      Map& map = operation.table.emplace_back();
      for (std::uint32_t y = 0; y < ring.elements; ++y)
        map.push_back((operation.letter == "*" ? x * y : x + y) % ring.elements);
    }
  return ring;
}

/// first, then after it.
Map composed(const Map& after, const Map& first) {
  Map map;
  for (const std::uint32_t x : first) map.push_back(after[x]);
  return map;
}

Map with_right(const std::vector<Map>& table, std::uint32_t right) {
  Map map;
  for (const Map& row : table) map.push_back(row[right]);
  return map;
}

/// The maps from one operand of a formula to its value, the identity first.
std::vector<Map> maps_of(const Algebra& algebra) {
  std::vector<Map> steps, maps(1);
  for (const Operator& operation : algebra.unary) steps.push_back(operation.table[0]);
  for (const Operator& operation : algebra.binary)
    for (std::uint32_t x = 0; x < algebra.elements; ++x) {
      steps.push_back(operation.table[x]);
      steps.push_back(with_right(operation.table, x));
    }
  for (std::uint32_t x = 0; x < algebra.elements; ++x) maps[0].push_back(x);
  for (std::size_t known = 0; known < maps.size(); ++known)
    for (const Map& step : steps) {
      Map map = composed(step, maps[known]);
      if (std::ranges::find(maps, map) == maps.end()) maps.push_back(std::move(map));
    }
  return maps;
}

/// "10" for the map that exchanges 0 and 1.
std::string label_of(const Map& map) {
  std::string label;
  for (const std::uint32_t x : map) label += std::to_string(x);
  return label;
}

/// The cells, and the steps on them.
struct Formula {
  cells::Program& p;
  const Algebra& algebra;
  std::vector<Map> maps = maps_of(algebra);
  std::vector<std::string> map_labels = labels_of(maps);
  std::vector<std::string> elements = cells::numbered(algebra.elements);
  std::vector<std::string> kinds = kinds_of(algebra);

  cells::Constant one = p.constant();
  cells::Key I = p.key("I", cells::circle);                // the position
  cells::Pointer self = p.pointer("self", cells::circle);  // the same, to be copied
  cells::Pointer right = p.pointer("right", cells::circle);
  cells::OneHot kind = p.onehot("kind", kinds);
  cells::Number sums =
      p.number("sums", 3);  // over the number of visible tokens: depth, 1, depth - 1
  cells::Direction D = p.integer_direction("D", 2, cells::permanent, 1);
  cells::Number apart = p.number("apart");  // 0 where no token before has the depth
  cells::Flag first = p.flag("first");
  cells::Number shares = p.number("shares", 2);
  cells::Direction K = p.integer_direction("K", 2, cells::permanent, 4);  // of (3r, 4)
  cells::Pointer left = p.pointer("left", cells::circle);
  cells::Flag above = p.flag("above");  // depth > 0
  cells::Number low = p.number("low");  // share of letters of depth <= 0
  cells::Flag never = p.flag("never");  // low = 0
  cells::Flag ends = p.flag("ends");    // depth = 1
  cells::Flag known = p.flag("known", cells::state);
  cells::Flag open = p.flag("open", cells::state);
  cells::OneHot val = p.onehot("val", elements, cells::state);
  cells::OneHot fn = p.onehot("fn", map_labels, cells::state);
  cells::Pointer J = p.pointer("J", cells::circle, cells::state);
  cells::Flag left_known = p.flag("left_known", cells::scratch);
  cells::Flag right_known = p.flag("right_known", cells::scratch);
  cells::OneHot left_val = p.onehot("left_val", elements, cells::scratch);
  cells::OneHot right_val = p.onehot("right_val", elements, cells::scratch);
  cells::Flag next_open = p.flag("next_open", cells::scratch);
  cells::OneHot next_fn = p.onehot("next_fn", map_labels, cells::scratch);
  cells::Pointer next_J = p.pointer("next_J", cells::circle, cells::scratch);
  cells::OneHot answer = p.onehot("answer", answers_of(elements));

  static std::vector<std::string> labels_of(const std::vector<Map>& maps) {
    std::vector<std::string> labels;
    for (const Map& map : maps) labels.push_back(label_of(map));
    return labels;
  }
  static std::vector<std::string> kinds_of(const Algebra& algebra) {
    std::vector<std::string> kinds = {"begin", "value", "unary"};
    for (const Operator& operation : algebra.binary) kinds.push_back(operation.letter);
    return kinds;
  }
  static std::vector<std::string> answers_of(std::vector<std::string> elements) {
    elements.insert(elements.begin(), "none");
    return elements;
  }

  void tokens() const {
    std::vector<std::string> alphabet;
    const auto token = [&](const std::string& letter, const std::string& of_kind,
                           std::uint32_t value, const Map& map) {
      p.token(letter, kind == of_kind, known == (of_kind == "value"), open == (of_kind == "unary"),
              val.at(value), fn == label_of(map), first == true, above == false, never == true,
              ends == true);
      if (letter != cells::kBegin) alphabet.push_back(letter);
    };
    token(cells::kBegin, "begin", 0, maps[0]);
    for (std::uint32_t x = 0; x < algebra.elements; ++x) token(elements[x], "value", x, maps[0]);
    for (const Operator& operation : algebra.unary)
      token(operation.letter, "unary", 0, operation.table[0]);
    for (const Operator& operation : algebra.binary)
      token(operation.letter, operation.letter, 0, maps[0]);
    p.alphabet(alphabet).position(I).position(self).position(right, 1).position(J, 1);
  }

  /// Layers 1 to 6: operands, and whether the word is a formula.
  void operands() const {
    using namespace cells;
    Form step = kind["value"];
    for (const Operator& operation : algebra.binary) step += -Form(kind[operation.letter]);
    p.initial(
        fetch("depth")
            .causal(uniform())
            .add(sums[0], step)
            .add(sums[1], kind["begin"])
            .add(sums[2], step - kind["begin"]),
        normalise(D).from(sums[0], sums[1]), fetch("same_depth").causal(same(D)).add(apart, I[0]),
        fetch("itself").causal(match(I).key(I)).add(apart, -Form(I[0])), test(first).zero(apart),
        fetch("rank")
            .causal(same(D))
            .add(shares[0], 3 * Form(one))
            .add(shares[1], 2 * Form(one) + 2 * Form(first)),
        normalise(K).from(shares[0], shares[1]),
        fetch("left")
            .causal(find_one(D)
                        .key(D)
                        .also({K[0] - Fraction(3, 4) * Form(K[1]) +
                                   Fraction(3, 10) * (one + Form(first)),
                               K[1]})
                        .key(K))
            .copy(left, self),
        test(above).positive(sums[0]),
        fetch("lows").causal(uniform()).add(low, one / 2 - above / 2 - kind["begin"]),
        test(never).zero(low), test(ends).zero(sums[2]));
  }

  void activate() const {
    using namespace cells;
    Rules opens = {when(open).then(open)}, composes;
    for (std::uint32_t f = 0; f < maps.size(); ++f)
      composes.push_back(when(open, fn.at(f)).then(fn.at(f)));
    for (const Operator& operation : algebra.binary) {
      const std::vector<Map>& table = operation.table;
      const Value of_kind = kind == operation.letter;
      const auto waits = [&](auto... more) { return when(!open, !known, of_kind, more...); };
      opens.push_back(waits(left_known).then(open));
      opens.push_back(waits(!left_known, right_known).then(open));
      for (std::uint32_t x = 0; x < algebra.elements; ++x) {
        composes.push_back(waits(left_known, left_val.at(x)).then(fn == label_of(table[x])));
        composes.push_back(waits(!left_known, right_known, right_val.at(x))
                               .then(fn == label_of(with_right(table, x))));
      }
    }
    p.repeated(fetch("left_operand")
                   .causal(match(left).key(I))
                   .copy(left_val, val)
                   .copy(left_known, known),
               fetch("right_operand")
                   .causal(match(right).key(I))
                   .copy(right_val, val)
                   .copy(right_known, known),
               move(J, left, {!open, !known, !left_known, right_known}),
               lookup("choose", composes, {fn.at(0)}), lookup("activate", opens, {!open}),
               erase(left_val, left_known, right_val, right_known));
  }

  void square(const std::string& name) const {
    using namespace cells;
    Rules rules;
    for (std::uint32_t f = 0; f < maps.size(); ++f) {
      rules.push_back(when(!next_open, fn.at(f)).then(fn.at(f)));
      for (std::uint32_t g = 0; g < maps.size(); ++g)
        rules.push_back(when(next_open, fn.at(f), next_fn.at(g))
                            .then(fn == label_of(composed(maps[f], maps[g]))));
    }
    p.repeated(
        fetch(name).causal(match(J).key(I)).copy(next_J, J).copy(next_fn, fn).copy(next_open, open),
        move(J, next_J, {open, next_open}), lookup(name, rules), erase(next_J, next_fn, next_open));
  }

  void pebble() const {
    using namespace cells;
    Rules values;
    for (std::uint32_t x = 0; x < algebra.elements; ++x) {
      values.push_back(when(!open, val.at(x)).then(val.at(x)));
      for (std::uint32_t f = 0; f < maps.size(); ++f)
        values.push_back(when(open, fn.at(f), right_val.at(x)).then(val.at(maps[f][x])));
    }
    p.repeated(
        fetch("pebble").causal(match(J).key(I)).copy(right_val, val).copy(right_known, known),
        lookup("value", values),
        lookup("pebble",
               {when(open, right_known).then(!open, known),
                when(open, !right_known).then(open, !known), when(!open, known).then(!open, known),
                when(!open, !known).then(!open, !known)}),
        erase(right_val, right_known));
  }

  void answers() const {
    using namespace cells;
    Rules rules;
    for (const std::string& x : elements)
      rules.push_back(when(known, never, ends, val == x).then(answer == x));
    p.final(lookup("answer", rules, {answer == "none"}));
    if (algebra.unary.empty()) {
      for (const std::string& x : answer.labels()) p.output(x, answer[x]);
      return;
    }
    p.output("accept", answer["1"]).output("reject", answer["0"] + Form(answer["none"]));
  }
};

}}  // namespace logdepth::formula_values

namespace logdepth { inline namespace constructions_JSHCM26 {

const std::vector<std::string>& formula_algebras() {
  static const std::vector<std::string> kAll = {"boolean", "mod2", "mod3", "mod4",
                                                "mod5",    "mod6", "mod7"};
  return kAll;
}

Program formula_value(const FormulaOptions& options) {
  if (std::ranges::find(formula_algebras(), options.algebra) == formula_algebras().end())
    throw InputError("--algebra " + options.algebra + ": expected boolean, or mod2 to mod7");
  const formula_values::Algebra algebra = formula_values::algebra_of(options.algebra);
  const bool boolean = options.algebra == "boolean";
  cells::Program p(boolean ? std::string("value of a Boolean formula")
                           : "value of an expression, " + options.algebra);
  p.construction("formula-value");
  p.source(
      "Jerad et al., arXiv 2601.01754, 2026, Lemma 4.1 and Corollary 4.1; Rytter, The "
      "complexity of two-way pushdown automata and recursive programs, 1985");
  p.hypothesis(causal_network());
  p.deviation(
      "two squares of the pointers in a round, as in Rytter's game; the text of the paper's proof "
      "was not read");
  p.parameter("algebra", options.algebra);
  const formula_values::Formula network{p, algebra};
  network.tokens();
  network.operands();
  network.activate();
  for (std::uint32_t s = 1; s <= options.squares; ++s) network.square(fmt::format("square.{}", s));
  network.pebble();
  network.answers();
  return p.program();
}

Construction formula_value_record() {
  return {.key = {"JSHCM26", "lem-4.1", "formula-value"},
          .problem = Problem::formulas,
          .options = {{"algebra", ChoiceOption{formula_algebras(), FormulaOptions().algebra},
                       "boolean: letters 0 1 ! & |; mod2 to mod7: letters 0 1 ... + * (default: "
                       "boolean)"}},
          .program = [](const Request& r) { return formula_value({word_of(r.values, "algebra")}); },
          .cells = {{"left", "where the left operand ends"},
                    {"right", "where the right operand ends, or the only one"},
                    {"J", "where the operand ends that the value depends on"},
                    {"fn", "the map from the value there to the own value, by its images"}}};
}

}}  // namespace logdepth::constructions_JSHCM26
