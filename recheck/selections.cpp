#include <algorithm>
#include <tuple>

#include "recheck/accepted.hpp"
#include "recheck/refusal.hpp"
#include "recheck/theorem.hpp"

// What heads select, for tokens of finitely many classes; <begin> is visible to every token, and every token to itself.
// Lemma match, back (sublayers.cpp): where all classes have one score [checked by alike] and it is that of two position codes
//   [checked by matched], one position wins alone.
// Lemma nearest (compiler/lemmas/head_schema.cpp, nearest, phi over L): for keys (j, L)/|(j, L)|, L an integer [checked by
//   parameter], and a query that is a positive multiple of (x, 1) [checked by denominator, of_position], x rational [checked by
//   rational], one visible position has the largest score: its proof needs (j^2 + j + L^2)^2 + L^2 to be no square of an integer.
// Lemma same: for keys of one length at all tokens [checked by length] and the query of a token c > 0 times its key [checked by
//   factor, scaled], k_i.k_j <= k_i.k_i with equality iff k_j = k_i (Cauchy-Schwarz): the tokens with the own key are selected, the
//   token itself among them.
// Lemma rightmost: let r(j) increase strictly within [0, 1) (class_heads.cpp, last_flag), let the score of j be w + c r(j), c > 0
//   [checked by slopes, code], and w and the flag f of the contract functions of the class of j [checked by numbers]. If w is equal
//   where f is, and larger by c or more where f is larger [checked by check_rightmost], then the last of the visible tokens with
//   the largest f wins alone. Its f is at least that of <begin> and of the token itself [checked by least].
// Lemma flagged: if the scores of a token are one number where f > 0 and a smaller one elsewhere [checked by high, low], it selects
//   the visible tokens with f > 0, or all if there is none. Equal scores select all [checked by uniform].

// The theorem of selections, tier S: at every token of every word and in every pass of the loop, every head selects what its
// contract states, and every norm is what is printed. What the outputs compute is not claimed.
// Invariant: the stream of a token is that of one class, and <begin> is of a class of its own [checked by begin, keep]. A class
// gives a form for every coordinate, in atoms of the token: its position code, 1/(p+1), codes of positions up to its own (K of an
// id), directions of numbers, and unknown numbers U. An atom means one function of the token, whatever its class [checked by
// unknowns_, pointers_, relus_].
// Lemma signs: where a form holds the sign of a number, a class is one class for each sign that the number can have [checked by
//   choices, possible].
// Lemma read: a token that selects one position holds afterwards what one of the classes there writes: K is the code of that
//   position, a K of an id one of a position before it [checked by before, there], and the rest a number within its bounds [checked
//   by moved, within]. <begin> sees itself alone in a causal head [checked by reads].
// Lemma mean: <begin> writes a, all others b: the mean over 0 .. p is (a - b)/(p+1) + b [checked by first, others, causal]. Else
//   the mean is within the bounds of what is written [checked by within], and is not the least of them if <begin>, which is
//   visible, writes more [checked by above].
// Lemma loop: the block is run on the classes at its head and all that it made of them, until it makes no new ones [checked by all,
//   before]: an induction over the passes. At its head the codes of other positions are those of unknown ones, so that the classes
//   say less than is known [checked by at_head].

namespace recheck {
namespace {

/// A class of tokens, as an attention sublayer reads it: <begin> or not, the stream, and its norm.
struct Seen {
  bool begin = false;
  Stream h, z;
};

/// Which tokens a token of one class selects.
struct Chosen {
  enum class Kind { all, some, own, back, pointer, last } kind = Kind::all;
  std::int64_t back = 0;          // back: positions; pointer: positions before the coded one
  int pointer = 0;                // pointer: id of its K; 0 for the position nearest to a ratio
  std::set<std::size_t> classes;  // that the selected tokens may have
  auto operator<=>(const Chosen&) const = default;
};

/// What a head is proved to select: the choice of every class of tokens, and a text that tells it.
struct Selects {
  std::vector<Chosen> by_class;
  std::string text;
};

using Kind = Chosen::Kind;

/// Proves that a head selects what its contract states; the contract is a claim, and the scores alone prove which tokens these are.
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
    const auto at = [&](int query, int key) { return value_in(entries.at, {query, key}); };
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
      (holds(x) ? high : low).insert(constant_of(value_in(all[x], kOne)));
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

constexpr std::size_t kMostClasses = 400;
constexpr int kMostPasses = 16, kFreshPointers = 1 << 24;

using Classes = std::set<std::pair<bool, Stream>>;  // <begin> or not
using Signs = std::map<int, int>;                   // of the atoms Q

Form with_signs(const Form& form, const Signs& signs) {
  Form out;
  for (const auto& [atom, value] : form) {
    const bool sign = atom.cell.kind == 'Q';
    add(out, sign ? kOne : atom, sign ? mpq_class(value * signs.at(atom.cell.id)) : value);
  }
  return out;
}

Stream with_signs(const Stream& stream, const Signs& signs) {
  Stream out;
  for (const auto& [c, form] : stream)
    if (Form fixed = with_signs(form, signs); !fixed.empty()) out.emplace(c, std::move(fixed));
  return out;
}

class Selections {
 public:
  explicit Selections(const Weights& weights) : weights_(weights), frame_{weights, {}, "", 0} {
    const int kinds = static_cast<int>(weights.kinds.size());
    frame_.laws.size_of = [kinds](const Cell&) { return kinds; };
    frame_.by_rays = true;
  }

  std::vector<std::string> prove() {
    begin();
    block("initial");
    loop();
    block("final");
    need(!found_.empty(), "no head and no norm");
    std::vector<std::string> lines;
    for (const auto& [place, texts] : found_) {
      std::string line;
      for (const std::string& text : texts) line += (line.empty() ? "" : " or ") + text;
      lines.push_back(std::get<3>(place) + ": " + line);
    }
    return lines;
  }

 private:
  void begin() {
    const Stream start = embedded(frame_);
    for (int kind = 0; kind < static_cast<int>(weights_.kinds.size()); ++kind)
      for (const int parity : {1, -1}) {
        if (kind == 0 && parity < 0) continue;  // position 0 is even
        Stream h;
        for (const auto& [c, form] : start)
          for (const auto& [atom, value] : form)
            if (atom.cell.kind == 'P')
              add(h[c], kOne, value * parity);
            else if (atom.cell.kind != 'T')
              add(h[c], atom, value);
            else if (atom.part == kind)
              add(h[c], kOne, value);
        keep(classes_, kind == 0, std::move(h), "embedding");
      }
  }

  static void keep(Classes& classes, bool begin, Stream h, const std::string& where) {
    std::erase_if(h, [](const auto& entry) { return entry.second.empty(); });
    classes.emplace(begin, std::move(h));
    need(classes.size() <= kMostClasses, where + ": more than 400 classes of tokens");
  }

  void block(const std::string& name) {
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const Layer& layer = weights_.layers[n];
      if (layer.block != name) continue;
      if (!layer.heads.empty()) attention(layer, static_cast<int>(n));
      if (layer.in.rows > 0) feed_forward(layer, static_cast<int>(n));
    }
  }

  /// Lemma loop.
  void loop() {
    if (!weights_.has_loop()) return;
    Classes all;
    for (const auto& [first, h] : classes_) all.emplace(first, at_head(h));
    for (int pass = 0;; ++pass) {
      need(pass < kMostPasses, "the loop makes new classes of tokens in 16 passes");
      classes_ = all;
      for (auto& [place, texts] : found_)
        if (weights_.layers[static_cast<std::size_t>(std::get<0>(place))].block == "repeated")
          texts.clear();
      block("repeated");
      const std::size_t before = all.size();
      for (const auto& [first, h] : classes_) keep(all, first, at_head(h), "loop");
      if (all.size() == before) break;
    }
    classes_ = all;
    seen("loop");
  }

  /// The stream with codes of other positions numbered in their order.
  static Stream at_head(const Stream& h) {
    std::map<Cell, int> numbers;
    Stream out;
    for (const auto& [c, form] : h)
      for (const auto& [atom, value] : form) {
        Atom renamed = atom;
        if (atom.cell.kind == 'K' && atom.cell != own('K').cell) {
          const int next = static_cast<int>(numbers.size()) + 1;
          renamed.cell = {'K', numbers.emplace(atom.cell, next).first->second, 0, {}};
        }
        add(out[c], renamed, value);
      }
    return out;
  }

  // Signs, by which classes are split.

  /// Every choice of the signs that the forms hold, for a token of such a class.
  std::vector<Signs> choices(const std::vector<const Stream*>& streams, const Undecided& units,
                             bool first) const {
    std::set<int> ids;
    const auto look = [&](const Form& form) {
      for (const auto& [atom, value] : form)
        if (atom.cell.kind == 'Q') ids.insert(atom.cell.id);
    };
    for (const Stream* stream : streams)
      for (const auto& [c, form] : *stream) look(form);
    for (const auto& [form, uses] : units) look(form);
    std::vector<Signs> out = {{}};
    for (const int id : ids) {
      std::vector<Signs> longer;
      for (const Signs& signs : out)
        for (const int sign : possible(frame_.sign_forms[static_cast<std::size_t>(id)], first)) {
          longer.push_back(signs);
          longer.back()[id] = sign;
        }
      out = std::move(longer);
      need(out.size() <= kMostClasses, "more than 400 choices of signs");
    }
    return out;
  }

  std::vector<int> possible(Form form, bool first) const {
    if (first) {
      Form there;
      for (const auto& [atom, value] : form) {
        std::optional<mpq_class> known;
        if (atom.cell.kind == 'V') known = 1;
        if (atom.cell.kind == 'U') known = unknown(atom).first;
        add(there, known ? kOne : atom, known ? mpq_class(value * *known) : value);
      }
      form = there;
    }
    Form negative;
    add(negative, form, -1);
    if (form.empty()) return {0};
    if (frame_.laws.positive(form)) return {1};
    if (frame_.laws.positive(negative)) return {-1};
    const auto [low, high] = frame_.laws.bounds(form);
    if (low >= 0) return {0, 1};
    if (high <= 0) return {-1, 0};
    return {-1, 0, 1};
  }

  // Unknown numbers.

  const Unknown& unknown(const Atom& atom) const {
    return frame_.laws.unknowns[static_cast<std::size_t>(atom.cell.id)];
  }

  bool rational(const Form& form) const {
    return std::all_of(form.begin(), form.end(), [&](const auto& term) {
      const Atom& atom = term.first;
      return atom == kOne || atom.cell.kind == 'V' ||
             (atom.cell.kind == 'U' && unknown(atom).rational);
    });
  }

  /// What is read by one rule from these forms, one for each class, as a multiple of an unknown number: multiples of forms are
  /// multiples of one number.
  using Rule = std::pair<std::string, std::vector<Form>>;
  template <typename Bounds>
  Form unknown_of(const std::string& rule, const std::vector<Form>& forms, Bounds bounds) {
    mpq_class leading;
    for (const Form& form : forms)
      if (leading == 0 && !form.empty()) leading = form.begin()->second;
    if (leading == 0) return {};
    Rule key{rule, {}};
    for (const Form& form : forms) add(key.second.emplace_back(), form, 1 / leading);
    const auto [at, fresh] = unknowns_.try_emplace(key, frame_.laws.unknowns.size());
    if (fresh) frame_.laws.unknowns.push_back(bounds(key.second));
    return {{Atom{{'U', static_cast<int>(at->second), 0, {}}, 0}, leading}};
  }

  // Attention.

  void attention(const Layer& layer, int n) {
    const std::string where = layer_name(n) + ", attention";
    rule_ = std::to_string(++sublayer_) + " ";
    std::vector<Seen> tokens;
    for (const auto& [first, h] : classes_) {
      const Stream z = normalised(frame_, layer.attention_mask, h, where);
      found_[{n, 1, 0, where}].insert(frame_.norm);
      for (const Signs& signs : choices({&z}, {}, first))
        tokens.push_back({first, h, with_signs(z, signs)});
      need(tokens.size() <= kMostClasses, where + ": more than 400 classes of tokens");
    }
    std::vector<std::set<Stream>> streams;  // of every class, after the heads so far
    for (const Seen& token : tokens) streams.push_back({token.h});
    for (std::size_t i = 0; i < layer.heads.size(); ++i) {
      const Head& head = layer.heads[i];
      const std::string here = layer_name(n) + ", head " + std::to_string(i);
      const Selects selects = Contract(frame_, head, tokens, here).prove();
      found_[{n, 0, static_cast<int>(i), here}].insert(selects.text);
      std::vector<Stream> values;
      for (const Seen& token : tokens)
        values.push_back(apply(frame_, head.output, apply(frame_, head.value, token.z)));
      const std::string rule = rule_ + std::to_string(i) + " ";
      for (std::size_t x = 0; x < tokens.size(); ++x) {
        std::set<Stream> after;
        const Chosen& chosen = selects.by_class[x];
        for (const Stream& read : reads(chosen, head, tokens, values, x, rule))
          for (Stream h : streams[x]) {
            for (const auto& [c, form] : read) add(h[c], form);
            std::erase_if(h, [](const auto& entry) { return entry.second.empty(); });
            after.insert(std::move(h));
            need(after.size() <= kMostClasses, here + ": more than 400 classes of tokens");
          }
        streams[x] = std::move(after);
      }
    }
    classes_.clear();
    for (std::size_t x = 0; x < tokens.size(); ++x)
      for (const Stream& h : streams[x]) keep(classes_, tokens[x].begin, h, where);
    seen(where);
  }

  void seen(const std::string& where) const {
    observe([&] {
      Accepted of{where, frame_, {}};
      int begins = 0, others = 0;  // classes of <begin> have negative numbers
      for (const auto& [first, h] : classes_) of.streams[first ? --begins : others++] = h;
      return of;
    });
  }

  /// What a token of class x may read.
  std::set<Stream> reads(const Chosen& chosen, const Head& head, const std::vector<Seen>& tokens,
                         const std::vector<Stream>& values, std::size_t x,
                         const std::string& rule) {
    const bool many = chosen.kind == Kind::all || chosen.kind == Kind::some;
    if (many) return {mean(chosen.kind == Kind::all, head.causal, tokens, values, rule)};
    const bool before = head.causal || chosen.kind == Kind::back || chosen.kind == Kind::pointer;
    if (chosen.kind == Kind::own || (tokens[x].begin && before)) return {values[x]};
    std::set<Stream> out;
    for (const std::size_t y : chosen.classes) out.insert(moved(values[y], chosen, head, rule));
    return out;
  }

  /// Lemma mean.
  Stream mean(bool all, bool causal, const std::vector<Seen>& tokens,
              const std::vector<Stream>& values, std::string rule) {
    if (all) rule = rule_ + (causal ? "mean" : "mean of all");
    std::set<int> written;
    for (const Stream& value : values)
      for (const auto& [c, form] : value) written.insert(c);
    Stream out;
    for (const int c : written) {
      std::vector<Form> forms;
      std::set<Form> first, others;
      bool constant = true;
      for (std::size_t x = 0; x < tokens.size(); ++x) {
        forms.push_back(at(values[x], c));
        constant = constant && is_constant(forms.back());
        (tokens[x].begin ? first : others).insert(forms.back());
      }
      if (constant && all && first.size() == 1 && others.size() <= 1 &&
          (causal || others.empty() || first == others)) {
        const mpq_class a = constant_of(*first.begin()),
                        b = others.empty() ? a : constant_of(*others.begin());
        add(out[c], kOne, b);
        add(out[c], own('V', 0), a - b);
        continue;
      }
      out[c] = unknown_of(rule, forms, [&](const std::vector<Form>& of) {
        Unknown number = within(of);
        number.rational = constant;
        for (std::size_t x = 0; x < of.size() && first.size() == 1; ++x)
          if (tokens[x].begin && is_constant(of[x])) {
            if (causal) number.first = constant_of(of[x]);
            number.above = all && constant_of(of[x]) > number.low;
            number.below = all && constant_of(of[x]) < number.high;
          }
        return number;
      });
    }
    return out;
  }

  /// Bounds of all the forms.
  Unknown within(const std::vector<Form>& forms) const {
    std::optional<Unknown> out;
    for (const Form& form : forms) {
      const auto [low, high] = frame_.laws.bounds(form);
      if (!out) out = Unknown{low, high};
      out->low = std::min(out->low, low);
      out->high = std::max(out->high, high);
    }
    return *out;
  }

  /// Lemma read, of what a class writes.
  Stream moved(const Stream& value, const Chosen& chosen, const Head& head, std::string rule) {
    rule += std::to_string(static_cast<int>(chosen.kind)) + " " + std::to_string(chosen.back) +
            " " + std::to_string(chosen.pointer) + " ";
    const bool before = head.causal || chosen.kind != Kind::last;
    Stream out;
    for (const auto& [c, form] : value) {
      Form rest;
      for (const auto& [atom, factor] : form) {
        if (atom == kOne)
          add(out[c], atom, factor);
        else if (atom.cell.kind == 'K' && before)
          add(out[c], Atom{there(atom.cell, chosen, rule), atom.part}, factor);
        else
          add(rest, atom, factor);
      }
      add(out[c], unknown_of(rule, {rest}, [&](const std::vector<Form>& of) {
            Unknown number = within(of);
            number.rational = rational(of[0]);
            return number;
          }));
    }
    return out;
  }

  /// The code of the position that is coded at the selected token.
  Cell there(Cell cell, const Chosen& chosen, const std::string& rule) {
    const bool own_code = cell.id == 0;
    if (chosen.kind == Kind::back && own_code) {
      cell.at = plus(cell.at, {0, chosen.back});
      return cell;
    }
    if (chosen.pointer != 0 && chosen.back == 0 && cell == own('K').cell)
      return {'K', chosen.pointer, 0, {}};
    const auto fresh = kFreshPointers + static_cast<int>(pointers_.size());
    return {'K', pointers_.try_emplace({rule, cell}, fresh).first->second, 0, {}};
  }

  // Feed-forward.

  void feed_forward(const Layer& layer, int n) {
    const std::string where = layer_name(n) + ", feed-forward";
    const std::string rule = std::to_string(++sublayer_) + " units";
    Classes after;
    for (const auto& [first, before] : classes_) {
      Stream h = before;
      const Undecided units = add_feed_forward(frame_, layer, h, where);
      found_[{n, 2, 0, where}].insert(frame_.norm);
      for (const Signs& signs : choices({&h}, units, first)) {
        Stream stream = with_signs(h, signs);
        for (const auto& [form, uses] : units) {
          const Form value = with_signs(form, signs), positive = relu(value, rule);
          for (const auto& [c, factor] : uses) add(stream[c], positive, factor);
        }
        keep(after, first, std::move(stream), where);
      }
    }
    classes_ = std::move(after);
    seen(where);
  }

  /// relu(x) is x or 0 where the sign of x is known, and else a number between 0 and the largest x.
  Form relu(const Form& form, const std::string& rule) {
    const auto bounds = frame_.laws.bounds(form);
    if (bounds.first >= 0) return form;
    if (bounds.second <= 0) return {};
    const auto known = relus_.try_emplace({rule, form}, frame_.laws.unknowns.size());
    if (known.second) {
      Unknown number{0, bounds.second};
      number.rational = rational(form);
      frame_.laws.unknowns.push_back(number);
    }
    return {{Atom{{'U', static_cast<int>(known.first->second), 0, {}}, 0}, 1}};
  }

  const Weights& weights_;
  Frame frame_;
  Classes classes_;
  int sublayer_ = 0;  // counted over all passes
  std::string rule_;  // its number
  std::map<Rule, std::size_t> unknowns_;
  std::map<std::pair<std::string, Form>, std::size_t> relus_;
  std::map<std::pair<std::string, Cell>, int> pointers_;
  std::map<std::tuple<int, int, int, std::string>, std::set<std::string>> found_;
};

}  // namespace

std::vector<std::string> selections_of(const Weights& weights) {
  const Json& input = weights.input;
  need(input.at("kind").string() == "word" && input.at("begin").boolean(),
       "input: expected words after <begin>");
  return Selections(weights).prove();
}

Theorem prove_selections(const Weights& weights, const Json& certificate) {
  certificate.only({"format", "version", "theorem", "sha256", "tier", "proves"});
  need(certificate.at("tier").string() == "S", "certificate: a theorem of tier S");
  Theorem theorem;
  theorem.selections = selections_of(weights);
  std::vector<std::string> claims;
  for (const Json& claim : certificate.at("proves").array()) claims.push_back(claim.string());
  const std::vector<std::string>& lines = theorem.selections;
  const auto apart = std::mismatch(claims.begin(), claims.end(), lines.begin(), lines.end());
  need(claims == lines, "the certificate claims another line" +
                            (apart.second == lines.end() ? "" : "; expected " + *apart.second));
  return theorem;
}

}  // namespace recheck
