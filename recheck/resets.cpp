#include <numeric>

#include "recheck/accepted.hpp"
#include "recheck/class_heads.hpp"
#include "recheck/product.hpp"
#include "recheck/refusal.hpp"

// The theorem of cascades (constant depth). Within a class of tokens (class_heads.hpp) a coordinate is a form in the own position's
// code and parity, in counts and their directions. So the network is a finite machine, compared with X letter by letter. The lemmas
// of the heads are in class_heads.cpp.
// Lemma machine: every token of every word has one of the classes [checked by explore in class_heads.cpp], at which one product or
//   state is read and one verdict [checked by read_class]. If what is read after a letter is what the letter makes of what was read
//   before it, in every state that a word leads to [checked by compare, next], X reads the same at every prefix, and its verdict is
//   the network's [checked by accepts].

namespace recheck {
namespace {

class Resets {
 public:
  explicit Resets(const Weights& weights) : weights_(weights), by_class_(weights) {}

  Theorem prove() {
    Theorem theorem;
    need(!weights_.has_loop(), "a repeated block; expected initial layers only");
    machine_.explore(kinds());
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const std::string where = layer_name(n);
      if (!weights_.layers[n].heads.empty()) attention(weights_.layers[n], where + ", attention");
      feed_forward_by_class(weights_.layers[n], where + ", feed-forward");
    }
    by_class_.steps += std::to_string(machine_.classes.size()) + " classes of tokens, " +
                       std::to_string(machine_.states.size()) + " states of the heads\n";
    compare(theorem);
    theorem.steps = std::move(by_class_.steps);
    return theorem;
  }

 private:
  int kinds() const { return static_cast<int>(weights_.kinds.size()); }

  void attention(const Layer& layer, const std::string& where) {
    Stream everywhere;
    const std::vector<Read> reads = by_class_.heads(layer, where, everywhere);
    Stage stage;
    for (const Read& read : reads) stage.heads.push_back(read.selection);
    machine_.stages.push_back(std::move(stage));
    machine_.explore(kinds());
    ByClass after;
    for (const auto& [key, number] : machine_.stages.back().classes) {
      Stream& h = after[number] = streams_.at(key[0]);
      for (const auto& [c, form] : everywhere) add(h[c], form);
      for (std::size_t i = 0; i < reads.size(); ++i)
        add_read(reads[i].selection, reads[i].values, key[i + 1], h);
    }
    streams_ = std::move(after);
    seen(where);
  }

  void seen(const std::string& where) const {
    observe([&] { return Accepted{where, by_class_.frame, streams_, nullptr, &machine_}; });
  }

  /// Classes of one normalised stream are given the same.
  void feed_forward_by_class(const Layer& layer, const std::string& where) {
    if (layer.in.rows == 0) return;
    Frame& frame = by_class_.frame;
    std::map<Stream, Added> known;
    for (const int x : machine_.classes) {
      Stream& h = streams_[x];
      const auto [entry, fresh] =
          known.try_emplace(normalised(frame, layer.feedforward_mask, h, where));
      Added& added = entry->second;
      if (fresh) added = feed_forward(frame, layer, entry->first);
      need(added.left.empty(), [&] {
        return where + ": a unit of unknown sign, ReLU(" + shown(added.left.front().first) +
               "), at tokens of class " + std::to_string(x);
      });
      add(frame, added, h);
    }
    seen(where);
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
    const mpq_class verdict = number(verdict_form(by_class_.frame, streams_.at(x)));
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
  ClassHeads by_class_;
  Machine& machine_ = by_class_.machine;
  ByClass& streams_ = by_class_.streams;
};

}  // namespace

Theorem prove_resets(const Weights& weights) {
  return Resets(weights).prove();
}

}  // namespace recheck
