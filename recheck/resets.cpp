#include <algorithm>
#include <numeric>

#include "recheck/read_out.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

// The theorem of cascades of resets (constant depth). Every token has one of finitely many classes: its kind, then for every
// head the class of the token that the head selects. Within a class a coordinate is a form in the own position code alone.
// So the network is a finite machine, which is compared with X letter by letter.
// Lemma last_flag: let r(j) increase strictly within [0, 1): the component p/|(p, L)| of phi, the first of fine, the first of
//   circle negated. If the score of j is w(class of j) + c r(j), c > 0, and every w is the largest or at least c below it, then
//   the last visible token whose class has the largest w is selected, alone, provided there is one; <begin> is.
// Lemma match (heads.cpp) holds where scores differ by nothing but the two codes, for all classes of keys.

namespace recheck {
namespace {

constexpr std::size_t kMostStates = 20000;
constexpr long kMostBack = 64;

struct Selection {
  std::set<int> classes;  // the last visible token of one of these; or, if it is empty,
  long back = 0;          // the token so many positions back
};

struct Stage {  // an attention sublayer: its heads, and the classes after it
  std::vector<Selection> heads;
  std::map<std::vector<int>, int> classes;  // class before, classes selected
};

using State =
    std::vector<std::vector<int>>;  // of every head: the class it holds, or the last `back` classes

struct Machine {
  std::vector<Stage> stages;
  std::map<State, int> states;
  std::vector<State> list;
  std::vector<std::vector<std::pair<int, int>>>
      next;  // of a state and a letter: class of the token, state after it
  std::set<int> classes;
  int begin_class = 0;

  int token(const State* before, int kind, State& after) {
    int own = kind;
    std::size_t memory = 0;
    for (Stage& stage : stages) {
      std::vector<int> key = {own};
      for (const Selection& head : stage.heads) {
        const bool last = !head.classes.empty();
        std::vector<int> held =
            before != nullptr
                ? (*before)[memory]
                : std::vector<int>(last ? 1 : static_cast<std::size_t>(head.back), own);
        if (last) {
          need(before != nullptr || head.classes.contains(own),
               "<begin> is not selected by a head that looks for the last of some classes");
          if (head.classes.contains(own)) held = {own};
          key.push_back(held.front());
        } else {
          held.push_back(own);
          key.push_back(held.front());
          held.erase(held.begin());
        }
        after.push_back(std::move(held));
        ++memory;
      }
      own = stage.classes.emplace(key, static_cast<int>(stage.classes.size())).first->second;
    }
    return own;
  }

  int state_number(const State& state) {
    const auto [at, fresh] = states.emplace(state, static_cast<int>(list.size()));
    if (fresh) list.push_back(state);
    need(list.size() <= kMostStates, "more than 20000 states of the heads");
    return at->second;
  }

  /// All classes that occur in any word, and all states with their successors; the first state is that after <begin>.
  void explore(int kinds) {
    states.clear(), list.clear(), next.clear(), classes.clear();
    State state;
    classes.insert(begin_class = token(nullptr, 0, state));
    state_number(state);
    for (std::size_t i = 0; i < list.size(); ++i) {
      next.emplace_back();
      for (int kind = 1; kind < kinds; ++kind) {
        State after;
        const State before = list[i];
        const int own = token(&before, kind, after);
        classes.insert(own);
        next[i].emplace_back(own, state_number(after));
      }
    }
  }
};

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
              std::to_string(machine_.list.size()) + " states of the heads\n";
    compare(theorem);
    theorem.steps = std::move(steps_);
    return theorem;
  }

 private:
  using ByClass = std::map<int, Stream>;
  int kinds() const { return static_cast<int>(weights_.kinds.size()); }

  void attention(const Layer& layer, const std::string& where) {
    ByClass z;
    for (const int x : machine_.classes)
      z[x] = normalised(frame_, layer.attention_mask, streams_[x], where);
    Stage stage;
    std::vector<ByClass> read;
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
      for (const auto& [x, y] : z)
        queries.insert(apply(frame_, head.query, y)), keys[apply(frame_, head.key, y)].insert(x);
      const auto selection = select(queries, keys, here);
      for (const auto& [x, stream] : values)
        for (const auto& [c, form] : stream)
          need(is_constant(form) ||
                   (selection && !selection->classes.empty() && !selection->classes.contains(x)),
               here + ": reads the position of another token");
      if (!selection) {
        add_mean(values, everywhere, here);
        continue;
      }
      steps_ += here + ": " +
                (selection->classes.empty()
                     ? std::to_string(selection->back) + " positions back"
                     : "the last token of " + std::to_string(selection->classes.size()) + " of " +
                           std::to_string(z.size()) + " classes") +
                "\n";
      stage.heads.push_back(*selection);
      read.push_back(std::move(values));
    }
    machine_.stages.push_back(std::move(stage));
    machine_.explore(kinds());
    ByClass after;
    for (const auto& [key, number] : machine_.stages.back().classes) {
      Stream& h = after[number] = streams_.at(key[0]);
      for (const auto& [c, form] : everywhere) add(h[c], form);
      for (std::size_t i = 0; i < read.size(); ++i)
        for (const auto& [c, form] : read[i].at(key[i + 1])) add(h[c], form);
    }
    streams_ = std::move(after);
  }

  /// A uniform head: only <begin> may hold something else than all others.
  void add_mean(const ByClass& values, Stream& everywhere, const std::string& where) const {
    const Stream* others = nullptr;
    const Stream empty;
    for (const auto& [x, stream] : values) {
      if (x == machine_.begin_class) continue;
      need(others == nullptr || *others == stream,
           where + ": averages what differs between letters");
      others = &stream;
    }
    if (others == nullptr) others = &empty;
    for (const auto& [c, form] : *others) {
      add(everywhere[c], form);
      add(everywhere[c], own('V'), -constant_of(form));
    }
    for (const auto& [c, form] : values.at(machine_.begin_class))
      add(everywhere[c], own('V'), constant_of(form));
  }

  /// What the head selects at every token; nothing if all scores are equal.
  std::optional<Selection> select(const std::set<Stream>& queries,
                                  const std::map<Stream, std::set<int>>& keys,
                                  const std::string& where) const {
    std::optional<std::optional<Selection>> found;
    for (const Stream& query : queries) {
      std::vector<Bilinear> scores;
      bool codes = false;
      for (const auto& [key, classes] : keys) {
        scores.push_back(whole_score(query, key));
        for (const auto& [atom, form] : scores.back())
          codes = codes || (atom != kOne && !is_constant(form));
      }
      const std::optional<Selection> selection =
          codes ? match(scores, where) : last_flag(scores, keys, where);
      need(!found || ((*found).has_value() == selection.has_value() &&
                      (!selection || ((**found).classes == selection->classes &&
                                      (**found).back == selection->back))),
           where + ": selects differently at different tokens");
      found = selection;
    }
    return *found;
  }

  Selection match(const std::vector<Bilinear>& scores, const std::string& where) const {
    for (const Bilinear& other : scores)
      need(other == scores.front(), where + ": the score depends on the class of the key");
    Bilinear score = scores.front();
    score.erase(kOne);
    const Shift b = matched(frame_, score, where);
    need(b.strides == 0 && b.constant <= kMostBack, where + ": reads " + shown(b) +
                                                        " positions back; expected at most " +
                                                        std::to_string(kMostBack));
    return {{}, b.constant};
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
