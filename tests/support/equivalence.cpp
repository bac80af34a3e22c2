#include "tests/support/equivalence.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "compiler/passes/schedule.hpp"
#include "compiler/rules/program_rules.hpp"
#include "tests/support/coordinate_renaming.hpp"
#include "tests/support/weight_rows.hpp"

namespace logdepth::support {
namespace {

const Range kZero{0, 0};

/// The coordinates that are not zero at every token.
std::vector<bool> live_coordinates(std::uint32_t width, const std::vector<TokenRanges>& tokens) {
  std::vector<bool> live(width, false);
  for (const TokenRanges& token : tokens)
    for (std::uint32_t c = 0; c < width; ++c)
      if (!(token[c] == kZero)) live[c] = true;
  return live;
}

class Proof {
 public:
  Proof(const MutationSubject& subject, const Model& mutant)
      : s_(subject), a_(subject.model), b_(mutant), schedule_(schedule_layers(s_.program)) {}

  std::optional<std::string> find() {
    if (!(a_.cells == b_.cells)) {
      const auto renamed = in_coordinates_of(a_, b_);
      if (!renamed) return std::nullopt;
      b_ = *renamed;
      because("every cell keeps coordinates of its own, only elsewhere");
    }
    if (a_.alphabet != b_.alphabet || a_.input != b_.input || a_.norm != b_.norm ||
        a_.width != b_.width || a_.shape != b_.shape || !(a_.unroll == b_.unroll) ||
        !(a_.position == b_.position) || a_.embedding != b_.embedding)
      return std::nullopt;
    for (std::size_t layer = 0; layer < a_.layers.size(); ++layer)
      if (!attention(layer) || !feedforward(layer)) return std::nullopt;
    if (!readout()) return std::nullopt;
    if (reasons_.empty()) return "the same weights";
    std::string text;
    for (const std::string& reason : reasons_) text += (text.empty() ? "" : "; ") + reason;
    return text;
  }

 private:
  bool because(const std::string& reason) {
    reasons_.insert(reason);
    return true;
  }

  // --- masks -------------------------------------------------------------------------------------

  /// z = norm(mask * h) is mask * h divided by one positive number at every token. That number is
  /// the same for both masks when the sum of squares is, and under layer norm the mean as well.
  bool same_norm(const SparseVector& a, const SparseVector& b,
                 const std::vector<TokenRanges>& tokens) {
    if (a == b) return true;
    Coordinates left = factors(a), right = factors(b);
    const auto live = live_coordinates(a_.width, tokens);
    std::set<std::uint32_t> squares, means;  // where they differ
    for (std::uint32_t c = 0; c < a_.width; ++c) {
      if (!live[c] || left[c] == right[c]) continue;
      if (left[c].abs() != right[c].abs()) squares.insert(c);
      if (a_.norm == Norm::layernorm) means.insert(c);
    }
    for (const TokenRanges& token : tokens) {
      Rational square, mean;
      for (const auto* places : {&squares, &means})
        for (const std::uint32_t c : *places) {
          if (!token[c].exact()) return false;
          const Rational h = token[c].low;
          if (places == &squares) square += (right[c] * right[c] - left[c] * left[c]) * h * h;
          if (places == &means) mean += (right[c] - left[c]) * h;
        }
      if (!square.is_zero() || !mean.is_zero()) return false;
    }
    return because("the masks give every token the same norm");
  }

  // --- attention ---------------------------------------------------------------------------------

  /// What a head computes from the stream itself, masks included.
  struct HeadForm {
    bool causal = true;
    Bilinear score;  ///< (asking, asked) coordinates
    Bilinear value;  ///< (written, read) coordinates
    HeadForm(const Head& head, const SparseVector& mask, const std::vector<bool>& live)
        : causal(head.causal),
          score(product(rows_behind(head.query, mask, live), rows_behind(head.key, mask, live))),
          value(product(columns_of(head.output), rows_behind(head.value, mask, live))) {}
  };

  bool attention(std::size_t layer) {
    const Attention& a = a_.layers[layer].attention;
    const Attention& b = b_.layers[layer].attention;
    if (a == b) return true;
    const auto& moment = s_.moments.layers[layer];
    if (a.heads.size() != b.heads.size() || !same_norm(a.mask, b.mask, moment.attention))
      return false;
    if (a.mask == b.mask && std::is_permutation(a.heads.begin(), a.heads.end(), b.heads.begin()))
      return because("the heads of a layer are added up, in any order");
    const auto live = live_coordinates(a_.width, moment.attention);
    const TokenOrder order(s_.program, a_, s_.courses, live, a.mask);
    const bool one_norm = a.mask == b.mask;
    for (std::size_t k = 0; k < a.heads.size(); ++k) {
      const HeadForm before(a.heads[k], a.mask, live), after(b.heads[k], b.mask, live);
      const auto& fetch = std::get<FetchStatement>(*statements(layer).attention.at(k));
      if (!(same_contract(a.heads[k], b.heads[k], moment.attention) ||
            (one_norm && own_keeps(order, after, b.heads[k].contract))) ||
          !same_values(before, after, moment.selectable()) ||
          !(same_selection(fetch, before, after, moment) ||
            (one_norm && (same_selection_by_order(order, before, after) ||
                          any_selection_does(order, before, after, moment.attention)))))
        return false;
    }
    return true;
  }

  const ScheduledLayer& statements(std::size_t layer) const {
    const std::size_t initial = schedule_.initial.size();
    const std::size_t final = a_.layers.size() - schedule_.final.size();
    if (layer < initial) return schedule_.initial[layer];
    if (layer >= final) return schedule_.final[layer - final];
    return schedule_.repeated[(layer - initial) % schedule_.repeated.size()];
  }

  bool same_contract(const Head& a, const Head& b, const std::vector<TokenRanges>& tokens) {
    if (a.contract == b.contract) return true;
    const auto* match = std::get_if<MatchContract>(&b.contract);
    if (match && !match->exactly_one) {
      if (a.key.entries.empty()) return because("all keys are zero, so any set shares one key");
      if (!std::holds_alternative<UniformContract>(a.contract))
        return because("a single selected position is a set that shares one key");
    }
    if (match && std::holds_alternative<RightmostContract>(a.contract))
      return because("the last of the largest flags is exactly one position");
    const auto* x = std::get_if<RightmostContract>(&a.contract);
    const auto* y = std::get_if<RightmostContract>(&b.contract);
    if (!x || !y) return false;
    if (positive_multiple(factors(x->flag), factors(y->flag)))
      return because("the promised flag is multiplied by one positive factor");
    std::vector<std::pair<Rational, Rational>> values;
    for (const TokenRanges& token : tokens) {
      const Range p = value(factors(x->flag), token), q = value(factors(y->flag), token);
      if (!p.exact() || !q.exact()) return false;
      values.emplace_back(p.low, q.low);
    }
    for (const auto& [p, q] : values)
      for (const auto& [other_p, other_q] : values)
        if ((p - other_p).sign() != (q - other_q).sign()) return false;
    return because("the promise orders the tokens alike, all that occur");
  }

  bool same_values(const HeadForm& a, const HeadForm& b, const std::vector<TokenRanges>& tokens) {
    if (a.value == b.value) return true;
    Bilinear difference = b.value;
    for (const auto& [place, factor] : a.value) difference[place] -= factor;
    std::map<std::uint32_t, Coordinates> rows;
    for (const auto& [place, factor] : difference)
      if (!factor.is_zero()) rows[place.first][place.second] = factor;
    for (const auto& [target, row] : rows)
      for (const TokenRanges& token : tokens)
        if (!(value(row, token) == kZero)) return false;
    return because("a head's output is the same for every token that can be selected");
  }

  bool same_selection(const FetchStatement& fetch, const HeadForm& a, const HeadForm& b,
                      const Moments::Layer& moment) {
    const bool same_score = positive_multiple(a.score, b.score);
    if (same_score && a.causal == b.causal) {
      if (a.score != b.score) because("every score is multiplied by one positive factor");
      return true;
    }
    if (const auto* pointed = std::get_if<SelectPointed>(&fetch.selector)) {
      if (same_score || is_pointed_score(*pointed, b.score))
        return because("the inequality of the pointed selector holds for any set of positions");
      return same_selection_by_positions(a, b, moment.positions);
    }
    if (const auto* rightmost = std::get_if<SelectRightmost>(&fetch.selector))
      return a.causal == b.causal && is_rightmost_score(*rightmost, b.score) &&
             because("the flag still outweighs the position, which still increases");
    return same_selection_by_values(a, b, moment);
  }

  std::uint32_t at(CellId cell, std::uint32_t i) const {
    return a_.cells.at(s_.program.cells[cell].name).coordinates.at(i);
  }

  /// q.k of the pointer's and the key's code, or of (e - back, 1) and phi: see head_schema.cpp.
  bool is_pointed_score(const SelectPointed& selector, const Bilinear& score) const {
    Bilinear schema;
    for (std::uint32_t i = 0; i < size_of(s_.program.cells[selector.key].type); ++i)
      schema[{at(selector.pointer, i), at(selector.key, i)}] = 1;
    if (selector.back)
      schema[{at(selector.pointer, 1), at(selector.key, 0)}] =
          -Rational(selector.back, held_code(s_.program.cells[selector.key].type)->parameter);
    return positive_multiple(schema, score);
  }

  /// flag weight * flag + position weight * h(p), where h increases strictly and all its values lie
  /// within an interval of length 1 that is open above: p/sqrt(p^2+1) and (t^2-1)/(t^2+1) as in
  /// head_schema.cpp, and the negated second components -1/sqrt(p^2+1) and -2t/(t^2+1), t >= 1.
  bool is_rightmost_score(const SelectRightmost& selector, const Bilinear& score) const {
    if (selector.flags.size() != 1) return false;
    const Literal& literal = selector.flags.front();
    const bool flag = std::holds_alternative<FlagType>(s_.program.cells[literal.cell].type);
    const bool grows =
        held_code(s_.program.cells[selector.key].type)->kind != PositionCode::Kind::circle;
    const std::uint32_t one = at(*constant_cell(s_.program), 0);
    const std::uint32_t mark = at(literal.cell, flag ? 0 : literal.value);
    if (score.size() != 2 || !score.contains({one, mark})) return false;
    Rational gap = score.at({one, mark});  // of flagged and not: 2 for +-1, 1 for a label
    if (flag) gap *= literal.value ? 2 : -2;
    for (const std::uint32_t i : {0u, 1u}) {
      const auto position = score.find({one, at(selector.key, i)});
      if (position == score.end()) continue;
      const Rational slope = position->second * Rational(i == 0 && grows ? 1 : -1);
      return slope.sign() > 0 && gap >= slope;
    }
    return false;
  }

  static std::optional<Rational> score(const Bilinear& form, const TokenRanges& asking,
                                       const TokenRanges& asked) {
    Rational total;
    for (const auto& [place, factor] : form) {
      const Range &x = asking[place.first], &y = asked[place.second];
      if (x == kZero || y == kZero) continue;
      if (!x.exact() || !y.exact()) return std::nullopt;
      total += x.low * y.low * factor;
    }
    return total;
  }

  /// With a limit on the length the positions are finitely many: one visible position is best, and
  /// the same one afterwards.
  bool same_selection_by_positions(const HeadForm& a, const HeadForm& b,
                                   const std::vector<TokenRanges>& positions) {
    if (positions.empty() || a.causal != b.causal || !a.causal) return false;
    const auto best = [&](const Bilinear& form, std::size_t p) -> std::optional<std::size_t> {
      std::vector<Rational> scores;
      for (std::size_t r = 0; r <= p; ++r) {
        const auto here = score(form, positions[p], positions[r]);
        if (!here) return std::nullopt;
        scores.push_back(*here);
      }
      const auto largest = std::max_element(scores.begin(), scores.end());
      if (std::count(scores.begin(), scores.end(), *largest) > 1) return std::nullopt;
      return static_cast<std::size_t>(largest - scores.begin());
    };
    for (std::size_t p = 0; p < positions.size(); ++p) {
      const auto before = best(a.score, p);
      if (!before || before != best(b.score, p)) return false;
    }
    return because("the same position is best at every one of the " +
                   std::to_string(positions.size()) + " positions up to the limit");
  }

  /// Scores of finite cells, all pairs compared: where a token's own key was the best one, the best
  /// keys are the same ones afterwards. Without the causal flag the set may grow, so then all
  /// tokens with the best key must also agree in what the head reads.
  bool same_selection_by_values(const HeadForm& a, const HeadForm& b,
                                const Moments::Layer& moment) {
    const auto& tokens = moment.attention;
    std::map<std::uint32_t, Coordinates> reads;
    for (const auto& [place, factor] : a.value) reads[place.first][place.second] = factor;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      for (std::size_t j = 0; j < tokens.size(); ++j) {
        if (i == moment.only_first && i != j && a.causal && b.causal) continue;  // sees itself only
        const auto own = score(a.score, tokens[i], tokens[i]);
        const auto other = score(a.score, tokens[i], tokens[j]);
        const auto new_own = score(b.score, tokens[i], tokens[i]);
        const auto new_other = score(b.score, tokens[i], tokens[j]);
        if (!own || !other || !new_own || !new_other || *other > *own || *new_other > *new_own ||
            (*other == *own) != (*new_other == *new_own))
          return false;
        if (a.causal == b.causal || *other < *own) continue;
        for (const auto& [target, row] : reads) {
          const Range x = value(row, tokens[i]), y = value(row, tokens[j]);
          if (!x.exact() || !(x == y)) return false;
        }
      }
    return because("all pairs of cell values compared: the same keys are best" +
                   std::string(a.causal == b.causal ? "" : ", and they agree in what is read"));
  }

  /// Numbers that grow with the position, of both sides of a score.
  bool same_selection_by_order(const TokenOrder& order, const HeadForm& a, const HeadForm& b) {
    if (a.causal != b.causal)
      return positive_multiple(a.score, b.score) && order.later_are_worse(a.score) &&
             because("no later token is as good as the token itself, so it need not be hidden");
    const Course *before = order.own_is_best(a.score), *after = order.own_is_best(b.score);
    return a.causal && before && after &&
           (before == after || (before->strict() && after->strict())) &&
           because(
               "scores grow with what grows from token to token: best is what equals the token's "
               "own");
  }

  /// A head that takes the same from every token, which needs one of them.
  bool any_selection_does(const TokenOrder& order, const HeadForm& a, const HeadForm& b,
                          const std::vector<TokenRanges>& tokens) {
    if (a.causal != b.causal || !order.one_is_best(a.score) || !order.one_is_best(b.score))
      return false;
    for (const auto& [place, factor] : a.value)
      for (const TokenRanges& token : tokens)
        if (!token[place.second].exact() || token[place.second] != tokens.front()[place.second])
          return false;
    return because("one token is best, and a head takes the same from every token");
  }

  /// A head that selects the token itself, the last one that it sees: a match, and the rightmost where
  /// the flag never falls.
  bool own_keeps(const TokenOrder& order, const HeadForm& form, const Contract& contract) {
    const Course* own = order.own_is_best(form.score);
    if (!form.causal || !own || !own->strict()) return false;
    if (std::holds_alternative<MatchContract>(contract))
      return because("the token itself alone is selected, a match");
    const auto* rightmost = std::get_if<RightmostContract>(&contract);
    return rightmost && order.never_falls(factors(rightmost->flag)) &&
           because("the token itself is the last one, and the promised flag never falls");
  }

  // --- feed-forward ------------------------------------------------------------------------------

  using Unit =
      std::pair<Coordinates, Coordinates>;  ///< row of `in` behind the mask, column of `out`

  /// A positive factor passes through ReLU: of a row it is taken to the column.
  static std::vector<Unit> units(const FeedForward& block, const std::vector<bool>& live) {
    auto in = rows_behind(block.in, block.mask, live), out = columns_of(block.out);
    std::vector<Unit> units;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i].empty() || out[i].empty()) continue;
      const Rational size = take_size(in[i]);
      for (auto& [place, factor] : out[i]) factor = factor * size;
      units.emplace_back(in[i], out[i]);
    }
    std::sort(units.begin(), units.end());
    return units;
  }

  bool feedforward(std::size_t layer) {
    const FeedForward& a = a_.layers[layer].feedforward;
    const FeedForward& b = b_.layers[layer].feedforward;
    if (a == b) return true;
    const auto& tokens = s_.moments.layers[layer].feedforward;
    if (!same_norm(a.mask, b.mask, tokens)) return false;
    const auto live = live_coordinates(a_.width, tokens);
    const auto before = units(a, live), after = units(b, live);
    std::vector<Unit> lost, found;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                        std::back_inserter(lost));
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(found));
    if (lost.empty() && found.empty())
      return because("the units of a layer read and write the same, in any order");
    bool silent = true;
    for (const TokenRanges& token : tokens) {
      Coordinates change;
      for (const auto* side : {&lost, &found})
        for (const auto& [in, out] : *side) {
          const Range sum = value(in, token);
          if (sum.never_positive()) continue;  // ReLU
          if (!sum.exact()) return false;
          silent = false;
          for (const auto& [target, factor] : out)
            change[target] += factor * sum.low * Rational(side == &lost ? -1 : 1);
        }
      for (const auto& [target, amount] : change)
        if (!amount.is_zero()) return false;
    }
    const std::string all = std::to_string(tokens.size()) + " combinations of cell values";
    return because(silent ? "the unit is never active: none of the " + all +
                                " that occur makes its sum positive"
                          : "the units add up to the same for all " + all + " that occur");
  }

  // --- logits ------------------------------------------------------------------------------------

  /// Index of the strictly largest row, rows.size() on a tie; absent when ranges do not tell.
  static std::optional<std::size_t> winner(const std::vector<Range>& logits) {
    std::size_t best = 0;
    bool tie = false;
    for (const Range& logit : logits)
      if (!logit.exact()) return std::nullopt;
    for (std::size_t i = 1; i < logits.size(); ++i) {
      tie = logits[i].low == logits[best].low || (tie && logits[i].low < logits[best].low);
      if (logits[best].low < logits[i].low) best = i;
    }
    return tie ? logits.size() : best;
  }

  /// Verdict, or images of the points; a tie is the number -1.
  using Reading = std::vector<std::int64_t>;
  static std::optional<Reading> verdict(const Model& model, const TokenRanges& token) {
    const auto& output = std::get<AcceptOutput>(model.output);
    const auto rows = rows_of(model.unembedding);
    const auto best =
        winner({value(rows.at(output.reject), token), value(rows.at(output.accept), token)});
    if (!best) return std::nullopt;
    return Reading{static_cast<std::int64_t>(*best)};
  }
  static std::optional<Reading> prefix(const Model& model, const TokenRanges& token) {
    const auto rows = rows_of(model.unembedding);
    const auto best_of = [&](std::size_t first, std::size_t count) {
      std::vector<Range> logits;
      for (std::size_t i = 0; i < count; ++i) logits.push_back(value(rows.at(first + i), token));
      return winner(logits);
    };
    const auto& readout = std::get<AcceptOutput>(model.output).prefix;
    if (const auto* element = std::get_if<ElementReadout>(&readout)) {
      const auto best = best_of(element->first_row, element->elements.size());
      if (!best) return std::nullopt;
      if (*best == element->elements.size()) return Reading{-1};
      return Reading(element->elements[*best].begin(), element->elements[*best].end());
    }
    Reading images;
    if (const auto* points = std::get_if<TransformationReadout>(&readout)) {
      std::size_t row = points->first_row;
      for (const auto& candidates : points->images) {
        const auto best = best_of(row, candidates.size());
        if (!best) return std::nullopt;
        images.push_back(*best == candidates.size() ? -1 : candidates[*best]);
        row += candidates.size();
      }
    }
    return images;
  }

  bool readout() {
    if (a_.unembedding == b_.unembedding && a_.output == b_.output) return true;
    if (!std::holds_alternative<AcceptOutput>(a_.output) ||
        !std::holds_alternative<AcceptOutput>(b_.output) || s_.moments.verdicts.empty())
      return false;
    for (const bool decides : {true, false})
      for (const TokenRanges& token : decides ? s_.moments.verdicts : s_.moments.prefixes) {
        const auto before = decides ? verdict(a_, token) : prefix(a_, token);
        const auto after = decides ? verdict(b_, token) : prefix(b_, token);
        if (!before || before != after) return false;
      }
    return because("only margins of logits differ: the winners are the same for all " +
                   std::to_string(s_.moments.verdicts.size()) + " states at the end");
  }

  const MutationSubject& s_;
  const Model& a_;
  Model b_;
  Schedule schedule_;
  std::set<std::string> reasons_;
};

}  // namespace

std::optional<std::string> equivalence_proof(const MutationSubject& subject, const Model& mutant) {
  return Proof(subject, mutant).find();
}

}  // namespace logdepth::support
