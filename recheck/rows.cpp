#include "recheck/accepted.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"
#include "recheck/theorem.hpp"

// The theorem of reachability over rows: n tokens, token i holds row i of a reflexive relation R as flags, +1 or -1 [checked by
// given]. One layer replaces R by R;R and changes nothing else [checked by squared, expected], and 2^loops >= n - 1 [checked by
// check_loops], so that R becomes what can be reached.
// Lemma or_head: let the score of token k at token i be constant + c R_ik + d R_kj with c > d > 0, and a R_kj + b what is read
//   there [checked by or_over_related, good], of all tokens [checked by causal]. Since R_ii holds, the largest score is that of the
//   k with R_ik, of these those with R_kj if there are any. So the average is a S_ij + b, where S_ij holds iff R_ik and R_kj for
//   some k.

namespace recheck {
namespace {

class Rows {
 public:
  explicit Rows(const Weights& weights) : weights_(weights), frame_{weights, {}, "", 0}, n_(0) {
    frame_.laws.size_of = [](const Cell&) { return -1; };
  }

  Theorem prove() {
    const Json& input = weights_.input;
    n_ = static_cast<int>(input.at("size").integer(1, weights_.width));
    need(n_ >= 3, "size " + std::to_string(n_) +
                      "; expected at least 3, fewer vertices have few graphs: run them all");
    need(weights_.layers.size() == 1 && weights_.has_loop(),
         "expected one repeated layer and no other");
    check_loops();
    const std::vector<Stream> start = given(input);
    std::vector<Stream> h = start, z;
    const Layer& layer = weights_.layers[0];
    for (int i = 0; i < n_; ++i)
      z.push_back(normalised(frame_, layer.attention_mask, token(start, i),
                             "token " + std::to_string(i) + ", attention"));
    for (std::size_t s = 0; s < layer.heads.size(); ++s)
      attend(layer.heads[s], z, h, "head " + std::to_string(s));
    for (int i = 0; i < n_; ++i) {
      const std::string where = "token " + std::to_string(i);
      Stream& row = h[static_cast<std::size_t>(i)];
      const Undecided left = add_feed_forward(frame_, layer, row, where + ", feed-forward");
      need(left.empty(), [&] {
        return where + ", feed-forward: a unit of unknown sign, ReLU(" + shown(left.front().first) +
               ")";
      });
      for (int c = 0; c < weights_.width; ++c) {
        const Form expected = squared(at(token(start, i), c)), found = at(row, c);
        need(found == expected, [&] {
          return where + ": coordinate " + std::to_string(c) + " ends a loop; expected " +
                 shown(expected) + ", found " + shown(found);
        });
      }
    }
    observe([&] {
      Accepted of{"loop", frame_, {}};
      for (int i = 0; i < n_; ++i) of.streams[i] = token(start, i);
      return of;
    });
    check_logits(start);
    Theorem theorem;
    theorem.limit = n_;
    return theorem;
  }

 private:
  static const Stream& token(const std::vector<Stream>& streams, int i) {
    return streams[static_cast<std::size_t>(i)];
  }
  static Atom related(int i, int j) { return {{'F', i, 0, {}}, j}; }
  static Form flag(int i, int j) { return {{i == j ? kOne : related(i, j), 1}}; }
  static Form squared(const Form& form) {  // R replaced by R;R
    Form out;
    for (const auto& [atom, value] : form)
      add(out, atom == kOne ? atom : Atom{{'S', atom.cell.id, 0, {}}, atom.part}, value);
    return out;
  }

  void check_loops() const {
    const Json& unroll = weights_.unroll;
    need(unroll.at("kind").string() == "ceil_log2", "unroll: expected ceil_log2");
    // minus is 0 or 1, so n - minus >= 2, and 2^loops >= n - 1 either way
    const std::optional<long> limit = weights_.limit();
    need(!limit || *limit >= n_, "unroll: max_length is below the size");
  }

  std::vector<Stream> given(const Json& input) const {
    const Json& position = weights_.position;
    need(position.at("kind").string() == "table", "position: expected a table");
    const auto& rows = position.at("rows").array();
    need(static_cast<int>(rows.size()) >= n_, "position: fewer rows than vertices");
    const bool mirrored = input.has("mirrored") && input.at("mirrored").boolean();
    std::vector<Stream> streams;
    for (int i = 0; i < n_; ++i) {
      Stream& h = streams.emplace_back();
      for (int k = 0; k < n_; ++k) {
        add(h[k], flag(i, k));
        if (mirrored) add(h[k + weights_.width / 2], flag(i, k), -1);
      }
      for (const auto& [c, value] : weights_.embedding[0]) add(h[c], kOne, value);
      for (const auto& [c, value] : to_row(rows[static_cast<std::size_t>(i)], weights_.width))
        add(h[c], kOne, value);
    }
    return streams;
  }

  void attend(const Head& head, const std::vector<Stream>& z, std::vector<Stream>& h,
              const std::string& where) {
    std::vector<Stream> values, queries, keys;
    std::map<int, int> written;
    for (const Stream& token : z) {
      values.push_back(apply(frame_, head.output, apply(frame_, head.value, token)));
      queries.push_back(apply(frame_, head.query, token));
      keys.push_back(apply(frame_, head.key, token));
      for (const auto& [c, form] : values.back()) written[c] = 1;
    }
    if (written.empty()) return;  // adds nothing, whatever it selects
    need(!head.causal, where + ": causal");
    for (int i = 0; i < n_; ++i) {
      std::vector<Form> scores;  // of token k at token i
      for (const Stream& key : keys) {
        Form& form = scores.emplace_back();
        for (const auto& [b, queried] : whole_score(token(queries, i), key))
          for (const auto& [a, value] : queried) {
            need(a == kOne || b == kOne, where + ": a score multiplies two flags");
            add(form, a == kOne ? b : a, value);
          }
      }
      for (const auto& [c, unused] : written) {
        std::vector<Form> read;
        for (const Stream& value : values) read.push_back(at(value, c));
        add(h[static_cast<std::size_t>(i)][c], or_over_related(scores, read, i, where));
      }
    }
  }

  Form or_over_related(const std::vector<Form>& scores, const std::vector<Form>& read, int i,
                       const std::string& where) const {
    for (int j = 0; j < n_; ++j) {
      int k = 0;  // a third token, n >= 3
      while (k == i || k == j) ++k;
      const mpq_class c = value_in(scores[static_cast<std::size_t>(k)], related(i, k)),
                      d = value_in(scores[static_cast<std::size_t>(k)], related(k, j));
      const mpq_class a = value_in(read[static_cast<std::size_t>(k)], related(k, j)),
                      b = constant_of(read[static_cast<std::size_t>(k)]);
      bool good = c > d && d > 0;
      std::optional<mpq_class> rest;
      for (k = 0; good && k < n_; ++k) {
        Form score = scores[static_cast<std::size_t>(k)], value = read[static_cast<std::size_t>(k)];
        add(score, flag(i, k), -c);
        add(score, flag(k, j), -d);
        add(value, flag(k, j), -a);
        add(value, kOne, -b);
        good = is_constant(score) && value.empty() && (!rest || *rest == constant_of(score));
        rest = constant_of(score);
      }
      if (!good) continue;
      Form sum = squared(flag(i, j));
      for (auto& [atom, value] : sum) value *= a;
      add(sum, kOne, b);
      std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
      return sum;
    }
    throw Refused(where + ", token " + std::to_string(i) + ": not an OR over related tokens");
  }

  /// Logit j of token i is positive iff j can be reached from i, and never 0.
  void check_logits(const std::vector<Stream>& start) const {
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        const Form logit = combine(weights_.unembedding.row(j), token(start, i));
        const bool good = logit.size() == 1 &&
                          logit.begin()->first == (i == j ? kOne : related(i, j)) &&
                          logit.begin()->second > 0;
        need(good, [&] {
          return "logit " + std::to_string(j) + " of token " + std::to_string(i) +
                 ": expected a positive multiple of R" + std::to_string(i) + "[" +
                 std::to_string(j) + "], found " + shown(logit);
        });
      }
  }

  const Weights& weights_;
  Frame frame_;
  int n_;
};

}  // namespace

Theorem prove_rows(const Weights& weights) {
  return Rows(weights).prove();
}

}  // namespace recheck
