#include "recheck/contracts.hpp"

#include <algorithm>

#include "recheck/refusal.hpp"

// What heads select, for tokens of finitely many classes; <begin> is visible to every token, and every token to itself.
// Lemma match, back (heads.cpp): where all classes have one score and it is that of two position codes, one position wins alone.
// Lemma nearest (compiler/lemmas/head_schema.cpp, nearest, phi over L): for keys (j, L)/|(j, L)|, L an integer, and a query that is
//   a positive multiple of (x, 1), x rational, one visible position has the largest score: its proof needs (j^2 + j + L^2)^2 + L^2
//   to be no square of an integer.
// Lemma same: for keys of one length at all tokens and the query of a token c > 0 times its key, k_i.k_j <= k_i.k_i with equality
//   iff k_j = k_i (Cauchy-Schwarz): the tokens with the own key are selected, the token itself among them.
// Lemma rightmost: let r(j) increase strictly within [0, 1) (class_heads.cpp, last_flag), let the score of j be w + c r(j), c > 0, and
//   w and the flag f of the contract functions of the class of j. If w is equal where f is, and larger by c or more where f is larger,
//   then the last of the visible tokens with the largest f wins alone. Its f is at least that of <begin> and of the token itself.
// Lemma flagged: if the scores of a token are one number where f > 0 and a smaller one elsewhere, it selects the visible tokens with
//   f > 0, or all if there is none. Equal scores select all.

namespace recheck {
namespace {

using Kind = Chosen::Kind;

class Contract {
 public:
  Contract(const Frame& frame, const Head& head, const std::vector<Seen>& tokens,
           const std::string& where)
      : frame_(frame), head_(head), tokens_(tokens), where_(where) {
    for (const Seen& token : tokens) {
      queries_.push_back(apply(frame, head.query, token.z));
      keys_.push_back(apply(frame, head.key, token.z));
    }
  }

  Selects prove() {
    const Json& contract = head_.contract;
    const std::string& kind = contract.at("kind").string();
    if (kind == "uniform") {
      contract.only({"kind"});
      return each([&](std::size_t i) { return uniform(i); }, "all visible positions");
    }
    if (kind == "match") {
      contract.only({"kind", "selects"});
      const std::string& selects = contract.at("selects").string();
      if (selects == "exactly-one") return one();
      if (selects != "at-least-one") throw Malformed("promise: unknown kind of match");
      return same();
    }
    if (kind == "rightmost") {
      contract.only({"kind", "flag"});
      return each([&, f = numbers("flag")](std::size_t i) { return rightmost(f, i); },
                  "the last position where its flag is largest");
    }
    need(kind == "flagged", where_ + ": contract " + kind + "; expected one that a lemma covers");
    contract.only({"kind", "flag"}, {"when"});
    const std::vector<mpq_class> flags = numbers("flag");
    std::vector<mpq_class> when(tokens_.size(), 1);
    if (contract.has("when")) when = numbers("when");
    return each([&](std::size_t i) { return flagged(flags, when[i] > 0, i); },
                "the positions with its flag, else all");
  }

 private:
  template <typename Choose>
  Selects each(Choose choose, std::string text) {
    Selects out{{}, std::move(text)};
    for (std::size_t i = 0; i < tokens_.size(); ++i) out.by_class.push_back(choose(i));
    return out;
  }

  /// Whether scores of this query are still to be checked; the same query is checked once.
  bool unchecked(std::size_t i, bool when = true) {
    return checked_.emplace(queries_[i], when).second;
  }

  /// A vector of the contract times the stream of every class.
  std::vector<mpq_class> numbers(const char* key) const {
    const Row row = to_row(head_.contract.at(key), frame_.weights.width);
    std::vector<mpq_class> out;
    for (const Seen& token : tokens_) {
      const Form form = combine(row, token.h);
      need(is_constant(form), where_ + ": the contract reads what no class of tokens fixes");
      out.push_back(constant_of(form));
    }
    return out;
  }

  /// The scores of a token of class i: those of every class of keys.
  std::vector<Bilinear> scores(std::size_t i) const {
    std::vector<Bilinear> out;
    for (const Stream& key : keys_) out.push_back(whole_score(queries_[i], key));
    return out;
  }

  Chosen uniform(std::size_t i) {
    if (!unchecked(i)) return {};
    const auto all = scores(i);
    need(alike(all) && std::all_of(all[0].begin(), all[0].end(),
                                   [](const auto& entry) { return entry.first == kOne; }),
         where_ + ": the scores differ; expected equal ones");
    return {};
  }

  static bool alike(const std::vector<Bilinear>& all) {
    return std::all_of(all.begin(), all.end(),
                       [&](const Bilinear& score) { return score == all.front(); });
  }

  Selects one() {
    std::map<Stream, Chosen> known;
    std::set<std::string> texts;
    Selects out;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto [at, fresh] = known.try_emplace(queries_[i]);
      if (fresh) at->second = position(i);
      const Chosen& chosen = at->second;
      texts.insert(chosen.kind == Kind::own ? "the own position"
                   : chosen.kind == Kind::back
                       ? "the position " + std::to_string(chosen.back) + " before"
                   : chosen.pointer == 0 ? "the position nearest to a ratio"
                   : chosen.back > 0
                       ? "the position " + std::to_string(chosen.back) + " before that of a pointer"
                       : "the position of a pointer");
      out.by_class.push_back(chosen);
    }
    for (const std::string& text : texts) out.text += (out.text.empty() ? "" : " or ") + text;
    out.text += ", alone";
    return out;
  }

  Chosen position(std::size_t i) const {
    const auto all = scores(i);
    need(alike(all), where_ + ": the score depends on the class of the key");
    Bilinear score = all[0];
    score.erase(kOne);
    need(!score.empty(), where_ + ": all scores are equal; expected one position");
    Chosen chosen;
    for (std::size_t k = 0; k < tokens_.size(); ++k) chosen.classes.insert(k);
    const Cell pointer = score.begin()->second.begin()->first.cell;
    const Entries entries = entries_of(score);
    const auto at = [&](int query, int key) {
      const auto found = entries.at.find({query, key});
      return found == entries.at.end() ? mpq_class(0) : found->second;
    };
    const mpq_class diagonal = at(0, 0);
    const mpq_class moves =
        diagonal == 0 ? mpq_class(-1) : mpq_class(-at(1, 0) * frame_.parameter / diagonal);
    const bool whole =
        pointer.kind == 'K' && diagonal == at(1, 1) && moves.get_den() == 1 && moves >= 0;
    if (frame_.code == "phi" && !whole) {
      nearest(entries);
      chosen.kind = Kind::pointer;
      return chosen;
    }
    const Shift b = matched(frame_, score, where_);
    if (pointer.id != 0) {
      chosen.kind = Kind::pointer;
      chosen.pointer = pointer.id;
      chosen.back = b.constant;
    } else {
      chosen.kind = b.constant == 0 ? Kind::own : Kind::back;
      chosen.back = b.constant;
      if (b.constant == 0) chosen.classes = {};
    }
    return chosen;
  }

  /// Lemma nearest: the query is (A, B) with rational A/B and B > 0, both over the numbers of one direction or pointer.
  void nearest(const Entries& entries) const {
    need(entries.queries.size() == 1 && entries.keys == std::set<Cell>{own('K').cell},
         where_ + ": the score is not that of one ratio and the own position code");
    need(head_.causal && frame_.parameter.get_den() == 1,
         where_ + ": not causal, or no code over an integer");
    const Cell& query = *entries.queries.begin();
    const bool direction = query.kind == 'D';
    need(direction || query.kind == 'K', where_ + ": the query is not a direction of numbers");
    Form denominator;
    mpq_class of_position;  // of a pointer, (e, L)/|(e, L)|: e >= 0 is rational
    for (const auto& [place, value] : entries.at) {
      const auto [part, key] = place;
      Form number;
      if (direction)
        number = number_form(
            frame_.laws
                .directions[static_cast<std::size_t>(query.id)][static_cast<std::size_t>(part)]
                .first);
      else if (part == 1)
        add(number, kOne, 1);
      else if (key == 1)
        of_position = value;
      for (const auto& [atom, factor] : number)
        need(atom == kOne || atom.cell.kind == 'V' ||
                 (atom.cell.kind == 'U' &&
                  frame_.laws.unknowns[static_cast<std::size_t>(atom.cell.id)].rational),
             where_ + ": the query is no ratio of rational numbers");
      if (key == 1) add(denominator, number, value);
    }
    need(of_position >= 0 && frame_.laws.positive(denominator),
         where_ + ": the denominator of a ratio may be 0");
  }

  /// The number of a direction, times 1/(p+1).
  Form number_form(int number) const {
    if (number == kUnit) return {{own('V', 0), 1}};
    if (number == kPosition) return {{kOne, 1}, {own('V', 0), -1}};
    return frame_.numbers[static_cast<std::size_t>(number)];
  }

  Selects same() const {
    std::optional<mpq_class> factor, length;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      Form square;
      std::map<std::pair<Atom, Atom>, mpq_class> cross;
      for (const auto& [r, form] : keys_[i]) {
        frame_.laws.add_square(form, square, cross);
        const Form query = at(queries_[i], r);
        if (!factor && !query.empty()) factor = query.begin()->second / form.begin()->second;
      }
      Stream scaled;
      for (const auto& [r, form] : keys_[i]) add(scaled[r], form, factor.value_or(0));
      need(factor && *factor > 0 && scaled == queries_[i],
           where_ + ": the query is not a positive multiple of the own key");
      if (!length) length = constant_of(square);
      need(cross.empty() && is_constant(square) && constant_of(square) == *length,
           where_ + ": keys of different lengths");
    }
    Chosen chosen;
    chosen.kind = Kind::some;
    return {std::vector<Chosen>(tokens_.size(), chosen), "the positions with the token's own key"};
  }

  void check_rightmost(const std::vector<mpq_class>& flags, std::size_t i) const {
    std::vector<mpq_class> weights;
    std::set<mpq_class> slopes;
    for (const Bilinear& score : scores(i)) {
      mpq_class weight, slope;
      for (const auto& [atom, form] : score) {
        need(is_constant(form) && (atom == kOne || atom == own('K', 0)),
             where_ + ": the score is not a number for each class and a rising component");
        (atom == kOne ? weight : slope) = constant_of(form);
      }
      weights.push_back(weight);
      slopes.insert(frame_.code == "circle" ? mpq_class(-slope) : slope);
    }
    const mpq_class c = *slopes.begin();
    need(slopes.size() == 1 && c > 0, where_ + ": the score does not rise with the position");
    need(frame_.code == "circle" || frame_.code == "fine" || frame_.code == "phi",
         where_ + ": no rising component of a position code");
    for (std::size_t x = 0; x < weights.size(); ++x)
      for (std::size_t y = 0; y < weights.size(); ++y)
        need(flags[x] == flags[y] ? weights[x] == weights[y]
                                  : flags[x] < flags[y] || weights[x] - weights[y] >= c,
             where_ + ": the position may outweigh the flag, or the flag is another one");
  }

  Chosen rightmost(const std::vector<mpq_class>& flags, std::size_t i) {
    if (unchecked(i)) check_rightmost(flags, i);
    const mpq_class top = *std::max_element(flags.begin(), flags.end());
    Chosen chosen;
    if (head_.causal && flags[i] == top) {
      chosen.kind = Kind::own;
      return chosen;
    }
    chosen.kind = Kind::last;
    mpq_class least = flags[i];
    std::optional<mpq_class> begin;
    for (std::size_t x = 0; x < flags.size(); ++x)
      if (tokens_[x].begin && (!begin || flags[x] < *begin)) begin = flags[x];
    if (begin) least = std::max(least, *begin);
    for (std::size_t x = 0; x < flags.size(); ++x)
      if (flags[x] >= least) chosen.classes.insert(x);
    return chosen;
  }

  Chosen flagged(const std::vector<mpq_class>& flags, bool when, std::size_t i) {
    const auto holds = [&](std::size_t x) { return when && flags[x] > 0; };
    Chosen chosen;
    for (std::size_t x = 0; x < flags.size(); ++x)
      if (holds(x)) chosen.kind = Kind::some;
    if (!unchecked(i, when)) return chosen;
    std::set<mpq_class> high, low;
    const auto all = scores(i);
    for (std::size_t x = 0; x < all.size(); ++x) {
      for (const auto& [atom, form] : all[x])
        need(atom == kOne && is_constant(form),
             where_ + ": the score is not a number for each class");
      const auto found = all[x].find(kOne);
      (holds(x) ? high : low)
          .insert(found == all[x].end() ? mpq_class(0) : constant_of(found->second));
    }
    need(high.size() <= 1 && low.size() <= 1 &&
             (high.empty() || low.empty() || *low.begin() < *high.begin()),
         where_ + ": the scores do not follow the flag");
    return chosen;
  }

  const Frame& frame_;
  const Head& head_;
  const std::vector<Seen>& tokens_;
  const std::string& where_;
  std::vector<Stream> queries_, keys_;
  std::set<std::pair<Stream, bool>> checked_;
};

}  // namespace

Selects proved_contract(const Frame& frame, const Head& head, const std::vector<Seen>& tokens,
                        const std::string& where) {
  return Contract(frame, head, tokens, where).prove();
}

}  // namespace recheck
