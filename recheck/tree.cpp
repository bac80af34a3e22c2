#include <set>

#include "recheck/accepted.hpp"
#include "recheck/product.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// The theorem of the tree: words before <end>, two tokens joined in every level. Let N be p + 1 at a letter and the number of
// letters at <end>. At level s = 1, 2, 4, ... the token is active (A = +1) if it is a letter and s divides N, and its product cells
// hold the product of the last s letters up to it where it is active, else of the last N mod s.
// Lemma enter: at level 1 the cells hold the own letter [checked by begin, multiply], A is +1 at letters [checked by letter], and
//   all else is a function of the position [checked by enter].
// Lemma count: c tokens up to it are active, c = floor(N/s). The mean of [A] less [first token] is (c - 1)/(p + 1) [checked by
//   kLess, causal].
// Lemma last: B is the A of position max(p - 1, 0) [checked by back], J tells whether some token up to it has B. With 0 < u <= 2 w
//   the score u K0 + w B [checked by selects_last, code] selects the last of these; X there, one position back, is that of the last
//   active token before it [checked by kTokenBefore, kLast].
// Lemma odd: the position nearest to c - 1 [checked by numbers] is max(c - 1, 0) <= p; it is even (G = +1) if c is odd or 0.
// Lemma floor: the position nearest to p/2 is floor((p+1)/2), that nearest to (p-1)/2 is floor(p/2) [checked by three, shift]: the
//   bisector of j and j+1 is B(j) = j + 1/2 - e with 0 < e < 1/2, as e = (2j+1)/(2 (|(j, L)| + |(j+1, L)|)^2) and the two lengths
//   are more than j and j+1.
// Lemma level: let a layer block join X of that token, which acts first, to its own where A and not G, or where J and G and not A;
//   let it then set A to [A and not G] and leave all else [checked by check_level, factors, expected]. It takes level s to level
//   2s. A and c even: the last active token before it is s letters to the left, and 2s divides N. A and c odd: N mod 2s = s. Not A
//   and c odd: the last active token ends where its N mod s letters begin. Not A, c even: N mod 2s = N mod s, and G does not hold,
//   or J does not if c = 0. At position 0, B is its own A: there A means c = 1, which is odd, so nothing is joined; and at s = 1
//   every later letter has B itself.
// Lemma enough: after ceil(log2 n) levels and one more 2s > n [checked by unroll, minus]: no token is active, N mod 2s = N, all
//   letters up to it.

namespace recheck {
namespace {

constexpr Shift kLast{0, 1},
    kTokenBefore{0, 2};  // X of the last active token before, of the token before

class Tree : ProductProof {
 public:
  using ProductProof::ProductProof;

  Theorem prove() {
    Theorem theorem;
    Stream h = embedded(frame_, own('O'));
    const std::vector<Images> maps = products_.begin(frame_, h);
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      if (weights_.layers[n].block != "initial") continue;
      const std::string where = layer_name(n);
      attention(weights_.layers[n], h, where + ", attention");
      need(add_feed_forward(frame_, weights_.layers[n], h, where + ", feed-forward").empty(),
           where + ", feed-forward: a unit of unknown sign");
      seen(where + ", feed-forward", frame_, h, &products_);
    }
    enter(h);
    level("repeated", h);
    seen("loop", frame_, h, &products_);
    level("final", h);
    const Json& unroll = weights_.unroll;
    unroll.only({"kind", "of", "minus"}, {"max_length"});
    need(unroll.at("kind").string() == "ceil_log2" && unroll.at("of").string() == "letters" &&
             unroll.at("minus").integer(0, 1) == 0,
         "unroll: not a number of loops of this theorem");
    LabelReader(frame_, products_, h).read(maps, theorem);
    theorem.steps = std::move(steps_);
    return theorem;
  }

 private:
  /// What an atom at the selected token is at the own one, by its cell: its part 0 a form, or all parts those of a cell.
  struct Moves {
    bool own = false;  // the own token is selected
    std::map<Cell, Form> forms;
    std::map<Cell, Cell> cells;
  };

  /// Level 1: A is what the certificate says, and all else is the same at every level.
  void enter(Stream& h) {
    for (const Json& entry : certificate_.at("active").array()) {
      if (entry.array().size() != 2) throw Malformed("active: expected [coordinate, factor]");
      const int c = static_cast<int>(entry.items[0].integer(0, weights_.width - 1));
      const mpq_class x = entry.items[1].rational();
      need(!products_.owner.contains(c) && active_.emplace(c, x).second,
           "coordinate " + std::to_string(c) + " is claimed twice");
      Form letter, flag;
      add(letter, kOne, x);
      add(letter, own('T', 0), -2 * x);
      need_same(frame_, at(h, c), letter, "coordinate " + std::to_string(c) + " enters the loop");
      add(flag, own('A'), x);
      h[c] = flag;
    }
    products_.multiply(frame_, {}, h, "before the loop");  // refused unless the cells hold labels
    for (const auto& [c, form] : h) {
      if (products_.owner.contains(c) || active_.contains(c)) continue;
      for (const auto& [atom, value] : form)
        need(atom == kOne || std::string("OVKHP").find(atom.cell.kind) != std::string::npos,
             "coordinate " + std::to_string(c) + " enters the loop with " + shown(form));
    }
  }

  void level(const std::string& block, const Stream& entry) {
    Stream h = entry;
    Undecided left;
    std::string where;
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      if (weights_.layers[n].block != block) continue;
      where = layer_name(n);
      need(left.empty(), where + ": a unit of unknown sign before it");
      attention(weights_.layers[n], h, where + ", attention");
      where += ", feed-forward";
      left = add_feed_forward(frame_, weights_.layers[n], h, where);
      if (left.empty()) seen(where, frame_, h, &products_);
    }
    need(!where.empty(),
         "no " + block + " layers; expected a level of the tree in a loop and one after it");
    for (const int a : {1, -1})
      for (const int j : {1, -1})
        for (const int g : {1, -1}) {
          const std::map<Atom, int> flags = {{own('A'), a}, {own('J'), j}, {own('G'), g}};
          check_level(entry, h, left, flags,
                      where + ", token " + (a > 0 ? "" : "not ") + "active, " +
                          (j > 0 ? "" : "none ") + "before, " + (g > 0 ? "odd" : "even"));
        }
  }

  /// What a level does to tokens of these flags.
  void check_level(const Stream& entry, const Stream& h, const Undecided& left,
                   const std::map<Atom, int>& flags, const std::string& where) {
    const auto fixed = [&](const Form& form) {
      Form out;
      for (const auto& [atom, value] : form) {
        const auto flag = flags.find(atom);
        add(out, flag == flags.end() ? atom : kOne,
            flag == flags.end() ? value : value * flag->second);
      }
      return out;
    };
    const bool a = flags.at(own('A')) > 0, j = flags.at(own('J')) > 0, g = flags.at(own('G')) > 0;
    Stream now;
    for (const auto& [c, form] : h) now[c] = fixed(form);
    Undecided units;
    for (const auto& [open, uses] : left) {
      const Form form = fixed(open);
      const auto [low, high] = frame_.laws.bounds(form);
      if (low < 0 && high > 0)
        units.emplace_back(form, uses);
      else if (high > 0)
        for (const auto& [c, v] : uses) add(now[c], form, v);
    }
    Products products = products_;
    steps_ += products.multiply(frame_, units, now, where);
    const std::int64_t factors = a != g && (a || j) ? 2 : 1;
    need(products.length == Shift{0, factors} || products.cells.empty(),
         where + ": a product of " + shown(products.length) + " intervals; expected " +
             std::to_string(factors));
    for (int c = 0; c < weights_.width; ++c) {
      if (products.owner.contains(c)) continue;
      Form expected = at(entry, c);
      if (const auto active = active_.find(c); active != active_.end()) {
        expected.clear();
        add(expected, kOne, a && !g ? active->second : mpq_class(-active->second));
      }
      need_same(frame_, at(now, c), expected,
                where + ": coordinate " + std::to_string(c) + " ends a level");
    }
  }

  void attention(const Layer& layer, Stream& h, const std::string& where) {
    for (const auto& [head, here, values, scores] : writing_heads(frame_, layer, h, where)) {
      need(head.causal, here + ": not causal");
      const Moves moves = selected(scores, here);
      for (const auto& [c, form] : values) {
        add(h[c], read(form, moves, here));
        frame_.laws.simplify(h[c]);
      }
    }
    seen(where, frame_, h, &products_);
  }

  static Form read(const Form& form, const Moves& moves, const std::string& where) {
    Form out;
    for (const auto& [atom, v] : form) {
      const auto to_form = moves.forms.find(atom.cell);
      const auto to_cell = moves.cells.find(atom.cell);
      if (moves.own || atom == kOne)
        add(out, atom, v);
      else if (to_form != moves.forms.end())
        add(out, to_form->second, v);
      else if (to_cell != moves.cells.end())
        add(out, Atom{to_cell->second, atom.part}, v);
      else
        throw Refused(where + ": reads " + shown(form) + " of another token");
    }
    return out;
  }

  /// X at one place becomes X at another.
  void move_products(Shift from, Shift to, Moves& moves) const {
    for (int n = 0; n < static_cast<int>(products_.cells.size()); ++n)
      moves.cells[Cell{'X', n, products_.version, from}] = Cell{'X', n, products_.version, to};
  }

  Moves selected(const Bilinear& score, const std::string& where) const {
    Moves moves;
    const Cell code = own('K').cell, before = own('B').cell;
    if (score.empty()) {  // lemma count
      moves.forms[own('O').cell] = {{own('V'), 1}};
      moves.forms[own('A').cell] = {{kOne, -1}, {own('V'), 2}, {Atom{{'M', kLess, 0, {}}, 0}, 2}};
      return moves;
    }
    auto [queries, keys, entry] = entries_of(score);
    if (queries == std::set<Cell>{kOne.cell} && keys == std::set<Cell>{before, code}) {
      need(selects_last(score, own('B')) && frame_.code == "phi",
           where + ": not the last token after an active one");
      moves.cells[before] = own('J').cell;
      move_products(kTokenBefore, kLast, moves);
      return moves;
    }
    need(keys == std::set<Cell>{code} && queries.size() == 1 && *queries.begin() != kOne.cell &&
             frame_.code == "phi",
         where + ": the query is not one position");
    const Cell query = *queries.begin();
    const mpq_class &L = frame_.parameter, a = entry[{0, 0}], b = entry[{1, 0}], e = entry[{1, 1}];
    const bool three = !entry.contains({0, 1}) && entry.size() == 3;
    if (query == code && a == e) {
      const Shift back = matched(frame_, score, where);
      need(back == Shift{} || back == Shift{0, 1}, where + ": moves back by " + shown(back));
      moves.own = back == Shift{};
      moves.cells[own('A').cell] = before;
      move_products({}, kTokenBefore, moves);
    } else if (query ==
               code) {  // lemma floor: the query is a positive multiple of (a p + b L, e L)
      const mpq_class shift = e == 0 ? mpq_class(1) : mpq_class(b * L / e);
      need(three && a > 0 && e == 2 * a && (shift == 0 || shift == mpq_class(-1, 2)),
           where + ": not half of the own position");
      moves.cells[code] = Cell{'H', shift == 0 ? 1 : 0, 2, {}};
    } else {  // lemma odd
      const Weighted& numbers = query.kind == 'D'
                                    ? frame_.laws.directions[static_cast<std::size_t>(query.id)]
                                    : Weighted{};
      need(numbers.size() == 2 && numbers[0].first == kLess && numbers[1].first == kUnit && three &&
               b == 0 && a > 0 && e == L * a,
           where + ": not the position of the count");
      moves.cells[own('P').cell] = own('G').cell;
    }
    return moves;
  }

  std::map<int, mpq_class> active_;  // coordinates that hold multiples of A
  std::string steps_;
};

}  // namespace

Theorem prove_tree(const Weights& weights, const Json& certificate) {
  certificate.only({"format", "version", "theorem", "sha256", "cells", "decode", "active"});
  return Tree(weights, certificate).prove();
}

}  // namespace recheck
