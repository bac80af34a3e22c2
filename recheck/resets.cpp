#include <algorithm>
#include <numeric>

#include "recheck/machine.hpp"
#include "recheck/read_out.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// The theorem of cascades (constant depth). Within a class of tokens (machine.hpp) a coordinate is a form in the own position's
// code and parity, in counts and their directions. So the network is a finite machine, compared with X letter by letter.
// Lemma last_flag: let r(j) increase strictly within [0, 1): the component p/|(p, L)| of phi, the first of fine, the first of
//   circle negated. If the score of j is w(class of j) + c r(j), c > 0, and every w is the largest or at least c below it, then
//   the last visible token whose class has the largest w is selected, alone, provided there is one; <begin> is.
// Lemma match (heads.cpp) holds where scores differ by nothing but the two codes, for all classes of keys.
// Lemma count: the mean of w(class), 0 for <begin>, over the tokens up to p is C/(p+1), where C counts by weights w.
// Lemma floor: let keys be the code fine of offset b, (a^2-1)/(a^2+1) and 2a/(a^2+1) with a = 2j+b, and the query a positive
//   multiple of (x, 1) with x = (C+i)/m + (b-1)/2 for integers m from 1 to b and i from 0 to m-1. The codes of j and j+1 are
//   equally near to slope B(j) = j + (b+1)/2 - 1/(2j+b+1). For j = floor((C+i)/m), x >= j + (b-1)/2 > B(j-1) and
//   x <= j + (b+1)/2 - 1/m < B(j), since m < 2j+b+1: position j is nearest, alone. It is visible: weights are at most m, so
//   C <= m p, and j <= p. Its parity depends on C modulo 2m alone.

namespace recheck {
namespace {

constexpr long kMostBack = 64, kMostWeight = 1000;

class Resets {
 public:
  explicit Resets(const Weights& weights) : weights_(weights), frame_{weights, {}, "", 0} {
    frame_.laws.size_of = [this](const Cell&) { return kinds(); };
  }

  Theorem prove() {
    Theorem theorem;
    theorem.name = "resets";
    need(!weights_.has_loop(), "a repeated block; expected initial layers only");
    if (weights_.unroll.has("max_length"))
      theorem.limit = weights_.unroll.at("max_length").integer(0, 1L << 60);
    const Stream start = embedded(frame_);
    for (int kind = 0; kind < kinds(); ++kind)
      for (const auto& [c, form] : start)
        for (const auto& [atom, value] : form)
          if (atom.cell != own('T').cell)
            add(streams_[kind][c], atom, value);
          else if (atom.part == kind)
            add(streams_[kind][c], kOne, value);
    machine_.explore(kinds());
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const std::string where = "layer " + std::to_string(n);
      if (!weights_.layers[n].heads.empty()) attention(weights_.layers[n], where + ", attention");
      for (const int x : machine_.classes) {
        Undecided left =
            add_feed_forward(frame_, weights_.layers[n], streams_[x], where + ", feed-forward");
        need(left.empty(), [&] {
          return where + ", feed-forward: a unit of unknown sign, ReLU(" +
                 shown(left.front().first) + "), at tokens of class " + std::to_string(x);
        });
      }
    }
    steps_ += std::to_string(machine_.classes.size()) + " classes of tokens, " +
              std::to_string(machine_.states.size()) + " states of the heads\n";
    compare(theorem);
    theorem.steps = std::move(steps_);
    return theorem;
  }

 private:
  using ByClass = std::map<int, Stream>;
  int kinds() const { return static_cast<int>(weights_.kinds.size()); }

  /// What a head writes, by the class of the token that it selects.
  struct Read {
    Selection selection;
    ByClass values;
  };

  void attention(const Layer& layer, const std::string& where) {
    ByClass z;
    for (const int x : machine_.classes)
      z[x] = normalised(frame_, layer.attention_mask, streams_[x], where);
    Stage stage;
    std::vector<Read> reads;
    Stream everywhere;  // what uniform heads add at every token
    for (std::size_t n = 0; n < layer.heads.size(); ++n) {
      const Head& head = layer.heads[n];
      const std::string here = where + ", head " + std::to_string(n);
      ByClass values;
      bool none = true;
      for (const auto& [x, y] : z)
        none =
            (values[x] = apply(frame_, head.output, apply(frame_, head.value, y))).empty() && none;
      if (none) continue;  // adds nothing, whatever it selects
      need(head.causal, here + ": not causal");
      std::set<Stream> queries;
      std::map<Stream, std::set<int>> keys;
      for (const auto& [x, y] : z) {
        queries.insert(apply(frame_, head.query, y));
        keys[apply(frame_, head.key, y)].insert(x);
      }
      const auto selection = select(queries, keys, here);
      check_values(selection, values, here);
      if (!selection) {
        add_mean(values, everywhere, here);
        continue;
      }
      steps_ += here + ": " + described(*selection, z.size()) + "\n";
      stage.heads.push_back(*selection);
      reads.push_back({*selection, std::move(values)});
    }
    machine_.stages.push_back(std::move(stage));
    machine_.explore(kinds());
    ByClass after;
    for (const auto& [key, number] : machine_.stages.back().classes) {
      Stream& h = after[number] = streams_.at(key[0]);
      for (const auto& [c, form] : everywhere) add(h[c], form);
      for (std::size_t i = 0; i < reads.size(); ++i) add_read(reads[i], key[i + 1], h);
    }
    streams_ = std::move(after);
  }

  /// What is written must be a number; of a position that is only known by its parity, a number and its parity.
  static void check_values(const std::optional<Selection>& selection, const ByClass& values,
                           const std::string& where) {
    const bool last = selection && selection->kind == Selection::Kind::last,
               floor = selection && selection->kind == Selection::Kind::floor;
    for (const auto& [x, stream] : values) {
      if (last && !selection->classes.contains(x)) continue;
      need(!floor || stream == values.begin()->second,
           where + ": reads the class of a token that is known by its position alone");
      for (const auto& [c, form] : stream)
        for (const auto& [atom, value] : form)
          need(atom == kOne || (floor && atom == own('P')),
               where + ": reads the position of another token");
    }
  }

  static std::string described(const Selection& selection, std::size_t classes) {
    if (selection.kind == Selection::Kind::back)
      return std::to_string(selection.back) + " positions back";
    if (selection.kind == Selection::Kind::last)
      return "the last token of " + std::to_string(selection.classes.size()) + " of " +
             std::to_string(classes) + " classes";
    return "position floor((count " + std::to_string(selection.counter) + " + " +
           std::to_string(selection.offset) + ")/" + std::to_string(selection.divisor) + ")";
  }

  static void add_read(const Read& read, int selected, Stream& h) {
    const bool floor = read.selection.kind == Selection::Kind::floor;
    for (const auto& [c, form] : floor ? read.values.begin()->second : read.values.at(selected))
      for (const auto& [atom, value] : form)
        add(h[c], kOne, atom == kOne || selected == 0 ? value : mpq_class(-value));
  }

  /// A uniform head: the mean of what <begin> holds and of a multiple of a count.
  void add_mean(const ByClass& values, Stream& everywhere, const std::string& where) {
    std::set<int> written;
    for (const auto& [x, stream] : values)
      for (const auto& [c, form] : stream) written.insert(c);
    mpq_class wanted;
    for (const int c : written)
      if (std::all_of(values.begin(), values.end(), [&](const auto& entry) {
            return entry.first == machine_.begin_class || at(entry.second, c).empty();
          }))
        wanted = abs(constant_of(at(values.at(machine_.begin_class), c)));
    for (const int c : written) {
      const mpq_class first = constant_of(at(values.at(machine_.begin_class), c));
      std::map<int, mpq_class> others;
      std::set<mpq_class> distinct;
      for (const auto& [x, stream] : values)
        if (x != machine_.begin_class) distinct.insert(others[x] = constant_of(at(stream, c)));
      add(everywhere[c], own('V'), first);
      // Where another code is given, the number of letters is a count like others.
      if (distinct.empty() ||
          (distinct.size() == 1 &&
           (frame_.code.empty() || *distinct.begin() == first || *distinct.begin() == 0))) {
        // p of p + 1 tokens hold the same
        const mpq_class same = distinct.empty() ? mpq_class(0) : *distinct.begin();
        add(everywhere[c], kOne, same);
        add(everywhere[c], own('V'), -same);
      } else {
        const auto [counter, unit] = counted(others, wanted, where);
        const long largest = machine_.counters[static_cast<std::size_t>(counter)].largest();
        add(everywhere[c], Atom{{'M', counter, static_cast<int>(largest), {}}, 0}, unit);
      }
    }
  }

  /// The numbers as unit * weights, with weights that are counts: number of the counter, unit. The unit is `wanted` (what
  /// <begin> alone holds elsewhere: counts of one direction have one unit) or else leaves no common divisor.
  std::pair<int, mpq_class> counted(const std::map<int, mpq_class>& numbers,
                                    const mpq_class& wanted, const std::string& where) {
    mpz_class denominator = 1, divisor = 0;
    for (const auto& [x, value] : numbers) denominator = lcm(denominator, value.get_den());
    for (const auto& [x, value] : numbers) divisor = gcd(divisor, mpz_class(value * denominator));
    mpq_class unit(divisor, denominator);
    unit.canonicalize();
    if (wanted != 0 && mpq_class(unit / wanted).get_den() == 1) unit = wanted;
    if (std::any_of(numbers.begin(), numbers.end(),
                    [](const auto& entry) { return entry.second < 0; }))
      unit = -unit;
    Counter counter{static_cast<int>(machine_.stages.size()), {}};
    for (const auto& [x, value] : numbers) {
      const mpq_class weight = value / unit;
      need(weight >= 0 && weight <= kMostWeight,
           where + ": averages numbers that are no multiples of small counts");
      counter.weights[x] = weight.get_num().get_si();
    }
    auto& counters = machine_.counters;
    const auto known = std::find(counters.begin(), counters.end(), counter);
    if (known != counters.end()) return {static_cast<int>(known - counters.begin()), unit};
    counters.push_back(counter);
    return {static_cast<int>(counters.size()) - 1, unit};
  }

  /// What the head selects at every token; nothing if all scores are equal.
  std::optional<Selection> select(const std::set<Stream>& queries,
                                  const std::map<Stream, std::set<int>>& keys,
                                  const std::string& where) const {
    std::optional<std::optional<Selection>> found;
    for (const Stream& query : queries) {
      std::vector<Bilinear> scores;
      bool codes = false, counts = false;
      for (const auto& [key, classes] : keys) {
        scores.push_back(whole_score(query, key));
        for (const auto& [key_atom, form] : scores.back()) {
          codes = codes || (key_atom != kOne && !is_constant(form));
          for (const auto& [atom, value] : form) counts = counts || atom.cell.kind == 'D';
        }
      }
      std::optional<Selection> selection;
      if (codes) {
        for (const Bilinear& other : scores)
          need(other == scores.front(), where + ": the score depends on the class of the key");
        Bilinear score = scores.front();
        score.erase(kOne);
        selection = counts ? floor(score, where) : match(score, where);
      } else {
        selection = last_flag(scores, keys, where);
      }
      need(!found || *found == selection, where + ": selects differently at different tokens");
      found = selection;
    }
    return *found;
  }

  Selection match(const Bilinear& score, const std::string& where) const {
    const Shift b = matched(frame_, score, where);
    need(b.strides == 0 && b.constant <= kMostBack, where + ": reads " + shown(b) +
                                                        " positions back; expected at most " +
                                                        std::to_string(kMostBack));
    Selection selection;
    selection.kind = Selection::Kind::back;
    selection.back = b.constant;
    return selection;
  }

  /// The query (A D_i + B D_last, E D_last) is a positive multiple of ((A C_i + B L)/(E L), 1).
  Selection floor(const Bilinear& score, const std::string& where) const {
    const Cell cell = score.begin()->second.begin()->first.cell;
    const int last = cell.version - 1;
    std::map<std::pair<int, int>, mpq_class> entry;
    for (const auto& [key, asked] : score)
      for (const auto& [atom, value] : asked) {
        need(key.cell == own('K').cell && atom.cell == cell && cell.kind == 'D',
             where + ": the score is not that of one count and the own position code");
        entry[{atom.part, key.part}] = value;
      }
    const int part = entry.begin()->first.first;  // of the count
    const mpq_class a = entry[{part, 0}], b = entry[{last, 0}], e = entry[{last, 1}];
    need(entry.size() == 3 && part < last && a > 0 && e > 0 && frame_.code == "fine",
         where + ": not the nearest position to a count");
    const auto& [counters, length] = frame_.directions[static_cast<std::size_t>(cell.id)];
    const int counter = counters[static_cast<std::size_t>(part)];
    const mpq_class m = e * length / a, i = m * (b / e - (frame_.parameter - 1) / 2);
    const long largest = machine_.counters[static_cast<std::size_t>(counter)].largest();
    need(
        m.get_den() == 1 && m >= std::max(largest, 1L) && m <= frame_.parameter && m <= kMostWeight,
        where + ": divides by " + shown(m) + "; expected an integer from the largest weight " +
            std::to_string(largest) + " to the offset " + shown(frame_.parameter));
    need(i.get_den() == 1 && i >= 0 && i < m, where + ": adds " + shown(i) +
                                                  " to a count; expected an integer from 0 to " +
                                                  shown(m - 1));
    Selection selection;
    selection.kind = Selection::Kind::floor;
    selection.counter = counter;
    selection.divisor = m.get_num().get_si();
    selection.offset = i.get_num().get_si();
    return selection;
  }

  std::optional<Selection> last_flag(const std::vector<Bilinear>& scores,
                                     const std::map<Stream, std::set<int>>& keys,
                                     const std::string& where) const {
    std::vector<mpq_class> weights;
    std::set<mpq_class> slopes;
    for (const Bilinear& score : scores) {
      mpq_class weight, slope;
      for (const auto& [atom, form] : score) {
        need(is_constant(form), where + ": the query depends on the position");
        need(atom == kOne || atom == own('K', 0),
             where + ": the key is not the rising component of a position code");
        (atom == kOne ? weight : slope) = constant_of(form);
      }
      weights.push_back(weight);
      slopes.insert(frame_.code == "circle" ? mpq_class(-slope) : slope);
    }
    need(slopes.size() == 1, where + ": positions weigh differently in different classes");
    const mpq_class top = *std::max_element(weights.begin(), weights.end()),
                    slope = *slopes.begin();
    const bool equal =
        std::all_of(weights.begin(), weights.end(), [&](const mpq_class& w) { return w == top; });
    if (slope == 0 && equal) return {};
    need(slope > 0, where + ": selects several tokens of some classes");
    need(frame_.code == "circle" || frame_.code == "fine" || frame_.code == "phi",
         where + ": no rising component of a position code");
    Selection selection;
    auto key = keys.begin();
    for (const mpq_class& w : weights) {
      need(w == top || top - w >= slope,
           where + ": the position may outweigh the class; expected at least " + shown(slope) +
               ", found " + shown(top - w));
      if (w == top) selection.classes.insert(key->second.begin(), key->second.end());
      ++key;
    }
    return selection;
  }

  /// What is read at a token of this class: product or state, and whether it is accepted.
  std::pair<Images, bool> read_class(const PrefixRows& rows, int x) const {
    const std::string where = "read-out at tokens of class " + std::to_string(x);
    const auto number = [&](Form form) {
      need(is_constant(form), where + ": a logit depends on the position");
      return constant_of(form);
    };
    std::vector<int> winners;
    int row = rows.first_row;
    for (const int size : rows.groups()) {
      std::vector<mpq_class> logits;
      for (int i = 0; i < size; ++i)
        logits.push_back(number(combine(weights_.unembedding.row(row++), streams_.at(x))));
      winners.push_back(winner(logits, where));
    }
    const mpq_class verdict = number(verdict_form(frame_, streams_.at(x)));
    need(verdict != 0, where + ": the verdict is a tie");
    return {rows.read(winners), verdict > 0};
  }

  /// What is read after a letter is a function of what was read before it and of the letter; for products, the product.
  void compare(Theorem& theorem) {
    const PrefixRows rows = read_prefix_rows(weights_);
    need(rows.kind != PrefixRows::Kind::none, "no prefix read-out");
    const bool product = rows.kind != PrefixRows::Kind::state;
    std::map<int, std::pair<Images, bool>> read;
    for (const int x : machine_.classes) read[x] = read_class(rows, x);
    Automaton automaton;
    automaton.points = rows.points;
    automaton.letters = {weights_.kinds.begin() + 1, weights_.kinds.end()};
    const auto& [begin, accepts_empty] = read.at(machine_.begin_class);
    for (int k = 0; k + 1 < kinds(); ++k)
      automaton.maps.push_back(
          product ? read.at(machine_.next[0][static_cast<std::size_t>(k)].first).first
                  : Images(static_cast<std::size_t>(rows.points), -1));
    Images identity(static_cast<std::size_t>(rows.points));
    std::iota(identity.begin(), identity.end(), 0);
    need(!product || begin == identity, "<begin> does not act as the identity");
    std::map<Images, bool> accepts = {{begin, accepts_empty}};
    std::set<std::pair<int, Images>> seen = {{0, begin}};
    std::vector<std::pair<int, Images>> left = {{0, begin}};
    while (!left.empty()) {
      const auto [state, before] = left.back();
      left.pop_back();
      for (std::size_t k = 0; k < automaton.maps.size(); ++k) {
        const auto& [x, after] = machine_.next[static_cast<std::size_t>(state)][k];
        const auto& [now, accepted] = read.at(x);
        Images& letter = automaton.maps[k];
        const std::string where = "after letter " + std::to_string(k);
        if (product) {
          for (std::size_t q = 0; q < before.size(); ++q)
            need(now[q] == letter[static_cast<std::size_t>(before[q])],
                 where + ": the product of point " + std::to_string(q) + " is read as " +
                     std::to_string(now[q]) + "; expected " +
                     std::to_string(letter[static_cast<std::size_t>(before[q])]));
        } else {
          int& image = letter[static_cast<std::size_t>(before[0])];
          need(image < 0 || image == now[0], where + ": state " + std::to_string(before[0]) +
                                                 " leads to states " + std::to_string(image) +
                                                 " and " + std::to_string(now[0]));
          image = now[0];
        }
        need(accepts.emplace(now, accepted).first->second == accepted,
             where + ": the verdict is not a function of what is read");
        if (seen.emplace(after, now).second) left.emplace_back(after, now);
      }
    }
    if (!product) automaton.initial = begin[0];
    for (const auto& [what, accepted] : accepts)
      if (accepted && product)
        automaton.accepted_products.insert(what);
      else if (accepted)
        automaton.accepting.insert(what[0]);
    theorem.prefixes = product ? "products" : "states";
    theorem.automaton = std::move(automaton);
  }

  const Weights& weights_;
  Frame frame_;
  Machine machine_;
  ByClass streams_;
  std::string steps_;
};

}  // namespace

Theorem prove_resets(const Weights& weights) {
  weights.unroll.only({"kind", "loops"}, {"max_length"});
  return Resets(weights).prove();
}

}  // namespace recheck
