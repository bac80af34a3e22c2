#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "runtime/floats/candidates.hpp"
#include "runtime/floats/number.hpp"
#include "runtime/floats/plan.hpp"
#include "runtime/floats/token_steps.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {
inline namespace LOGDEPTH_SIDE {

/// Averaging-hard attention in floating point that knows what it cannot tell.
///
/// Scores. Key dimensions of one known norm (a block) are scored by the distance to the query that
/// is scaled to that norm: q.k = |q||k| - (|q| / 2|k|) |q' - k|^2 with q' = q |k| / |q|, and the
/// first term is the same for all keys. Two codes that are close have a small difference, which
/// floating point computes with a small relative error, where the product loses it below the
/// rounding of 1. With Z = -2 score, up to a constant of the row:
///     Z_j = sum_b w_b |q'_b - k_jb|^2 - sum_d 2 q_d k_jd,    w_b = |q_b| / |k_b|,
/// and the smallest Z is selected.
///
/// Errors. The first sum is r_j^2 for a Euclidean distance r_j between vectors that are known up to
/// a in all, so |r_j - r~_j| <= a and |r_j^2 - r~_j^2| <= 2 a r~_j + a^2. The weights and the
/// arithmetic change it by at most a factor 1 + rho, the second sum is off by at most e. With P a
/// bound of the second sum, X_j = Z_j + P >= 0 bounds r_j^2, and
///     |X_j - X~_j| <= E(X~_j),    E(X) = e + 2 a sqrt(X) + a^2 + rho X,
/// where a and rho are widened a little, so that the terms of second order are in them.
///
/// Selection (rule `bounded`). The smallest X is at most U = X~min + E(X~min). A key with
/// X~ - E(X~) > U is not selected. The function is convex in sqrt(X), so these are the keys beyond
///     sqrt(T) = (a + sqrt(a^2 + (1 - rho)(U + e + a^2))) / (1 - rho).
/// All others are candidates. If they are one, it is selected. If any distance of two scores below
/// the separation of the head means a tie, and all candidates are that close, all are selected.
/// Otherwise the average of the selected ones lies in the convex hull of the candidates' values.
enum class RowState : std::uint8_t {
  single,
  tie,
  alike,
  ambiguous,
  waiting_tie,  ///< for an average that rows share (attend_head.hpp)
  waiting       ///< the same, alike or ambiguous
};
/// What the scores of a row say of its head's promise.
enum class RowContract : std::uint8_t { open, kept, broken };

/// Tokens whose keys are equal bit by bit: the scores of a row are those of the groups. Groups are
/// in the order of their first tokens, so that a row of a causal head sees the first ones.
struct KeyGroups {
  std::size_t count = 0;
  const std::uint32_t* of = nullptr;      ///< per token; null: every token is a group
  const std::uint32_t* seen = nullptr;    ///< per token: groups of the tokens up to it
  const std::uint32_t* start = nullptr;   ///< per group, and the end
  const std::uint32_t* member = nullptr;  ///< tokens by group, in order
};

/// A row that waits: whose average it waits for.
template <class Real>
struct Waiting {
  /// Set in `candidates` where there are several groups; else it is the number of the one.
  static constexpr std::uint64_t kSeveral = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kNothing = kSeveral - 1;
  static constexpr std::uint64_t kAll = kSeveral - 2;  ///< that the row sees
  std::uint64_t candidates = kNothing;
  std::uint64_t tokens = 0;  ///< of the candidates, about
  Real threshold = Real(0);
};

/// One value of the candidates of a row, averaged.
template <class Real>
struct ValueAverage {
  CompensatedSum<Real> sum;
  Real low = Real(0), high = Real(0);
  double largest_error = 0, errors = 0;

  LOGDEPTH_BOTH void add(const Ball<Real>& x, bool first) {
    sum.add(x.value);
    errors += x.error;
    if (x.error > largest_error) largest_error = x.error;
    if (first || x.value < low) low = x.value;
    if (first || high < x.value) high = x.value;
  }
  LOGDEPTH_BOTH double spread() const { return as_double(high - low); }
  /// Whether there are provably different ones.
  LOGDEPTH_BOTH bool differs(const Rounding& rounding) const {
    return spread() > 2 * largest_error * (1 + 4 * rounding.u);
  }
  /// The average of what is selected: all of them, if they tie.
  LOGDEPTH_BOTH Ball<Real> over(std::size_t count, bool tie, const Rounding& rounding) const {
    const double apart = spread();
    Ball<Real> result{low, apart == 0 ? 0 : sum.error(count, rounding)};
    if (apart != 0) result.value = sum.over(count);
    if (tie) {
      result.error += apart == 0 ? largest_error
                                 : safely_above(errors / static_cast<double>(count) *
                                                (1 + 0x1p-50 * static_cast<double>(count)));
    } else {
      result.error = safely_above(result.error + apart * (1 + 4 * rounding.u) + largest_error);
    }
    return result;
  }
};

/// Answers one row of a head: the averages of the selected values.
template <class Real, class Score>
struct AttendRow {
  HeadView<Real> head;
  Numbers<Real> value, average;
  std::uint32_t values;
  std::size_t tokens;
  Choice choice;
  Rounding rounding;
  RowState* state;
  RowContract* contract;
  KeyGroups groups = {};
  const std::uint32_t* rows = nullptr;  ///< to be answered; null: all of them
  Waiting<Real>* waiting = nullptr;     ///< per row; null: no row waits

  /// Rows are dealt from both ends, 32 at a time: neighbours cost the same under a causal mask, and
  /// so do large shares.
  LOGDEPTH_BOTH std::size_t dealt(std::size_t i) const {
    const std::size_t whole = tokens / 64 * 64;  // the rest stays where it is
    const std::size_t from_end = i / 64 * 32 + i % 32;
    if (i >= whole) return i;
    return i / 32 % 2 == 0 ? from_end : whole - 1 - from_end;
  }
  LOGDEPTH_BOTH void operator()(std::size_t i) const { answer(rows ? rows[i] : dealt(i)); }

  /// How many keys there are to compare with.
  LOGDEPTH_BOTH std::size_t keys() const { return groups.of ? groups.count : tokens; }

  LOGDEPTH_BOTH void answer(std::size_t row) const {
    const std::size_t seen = head.causal ? row + 1 : tokens;
    if (waiting && seen > 1 && choice.rule == Choice::Rule::bounded && knows_nothing(row)) {
      state[row] = RowState::waiting;
      contract[row] = RowContract::open;
      waiting[row].candidates = Waiting<Real>::kAll;
      return;
    }
    const Score score(head, row);
    Candidates<Real, Score> keys(score, groups.of ? groups_seen(row) : seen);
    if (choice.temperature > 0) {
      state[row] = RowState::alike;
      return soften(row, keys);
    }
    const RowBounds& bounds = head.bounds[row];
    const double best = as_double(keys.best);
    const double smallest = best + bounds.products > 0 ? best + bounds.products : 0;
    double excess = 0;
    if (choice.rule == Choice::Rule::snapped) excess = 2 * choice.tolerance * bounds.scale;
    if (choice.rule == Choice::Rule::bounded) {
      excess = reach(bounds, smallest) - smallest;
      excess = safely_above(excess) + 0x1p-50 * bounds.products;
      excess += 4 * rounding.u * (magnitude(keys.best) + excess);
    }
    keys.select(keys.best + Real(excess));
    decide(row, keys, bounds, smallest, excess);
    contract[row] = contract_of(state[row], keys, bounds, smallest);
  }

 private:
  /// Whether the bounds are so large that all keys are candidates, whatever they score, and neither
  /// a tie nor a broken contract can be certain.
  LOGDEPTH_BOTH bool knows_nothing(std::size_t row) const {
    const RowBounds& bounds = head.bounds[row];
    const double least = reach(bounds, 0), most = bounds.farthest;
    return bounds.e < INFINITY && least < INFINITY && least >= most && least >= 2 * head.gap &&
           !(head.matches && most > uncertainty(bounds, most));
  }
  /// The state of a row, and the averages of what is selected.
  LOGDEPTH_BOTH void decide(std::size_t row, const Candidates<Real, Score>& keys,
                            const RowBounds& bounds, double smallest, double excess) const {
    if (keys.count == 0 || (!(excess < INFINITY) && keys.count < keys.visible)) {
      // Scores beyond the range of the format: any key may be selected.
      state[row] = RowState::ambiguous;
      for (std::uint32_t v = 0; v < values; ++v) average.set(v, row, {Real(0), INFINITY});
      return;
    }
    if (keys.count == 1 && tokens_of(keys.listed[0], row) == 1) {
      state[row] = RowState::single;
      const std::size_t selected = first_token(keys.listed[0]);
      for (std::uint32_t v = 0; v < values; ++v) average.set(v, row, value.at(v, selected));
      return;
    }
    const bool tie = choice.rule != Choice::Rule::bounded || tied(keys, bounds, smallest, excess);
    if (waiting && (groups.of || keys.count > kFew)) {
      state[row] = tie ? RowState::waiting_tie : RowState::waiting;
      waiting[row] = what_waits(keys);
      return;
    }
    bool differ = false;
    for (std::uint32_t v = 0; v < values; v += kTogether)
      differ |= average_of(v, values - v < kTogether ? values - v : kTogether, row, keys, tie);
    state[row] = tie ? RowState::tie : differ ? RowState::ambiguous : RowState::alike;
  }

  /// So few are averaged at once.
  static constexpr std::size_t kFew = 16;

  LOGDEPTH_BOTH std::size_t groups_seen(std::size_t row) const {
    return head.causal ? groups.seen[row] : groups.count;
  }
  LOGDEPTH_BOTH std::size_t first_token(std::size_t group) const {
    return groups.of ? groups.member[groups.start[group]] : group;
  }
  /// How many tokens of a group the row sees.
  LOGDEPTH_BOTH std::size_t tokens_of(std::size_t group, std::size_t row) const {
    if (!groups.of) return 1;
    std::size_t from = groups.start[group], to = groups.start[group + 1];
    const std::size_t begin = from;
    if (!head.causal) return to - from;
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      if (groups.member[middle] <= row) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from - begin;
  }
  /// Calls visit(token) for every candidate that the row sees, group by group.
  template <class Visit>
  LOGDEPTH_BOTH void each_token(const Candidates<Real, Score>& keys, std::size_t row,
                                Visit visit) const {
    keys.each_candidate([&](std::size_t group) {
      if (!groups.of) return visit(group);
      const std::size_t begin = groups.start[group], end = begin + tokens_of(group, row);
      for (std::size_t i = begin; i < end; ++i) visit(groups.member[i]);
    });
  }

  /// Of several candidates, those among keys that the row does not see count as well: they add no
  /// token to its average, and rows that see more and more keys have the same candidates.
  LOGDEPTH_BOTH Waiting<Real> what_waits(const Candidates<Real, Score>& found) const {
    Waiting<Real> row;
    row.threshold = found.threshold;
    row.candidates = found.listed[0];
    if (found.count == found.visible) row.candidates = Waiting<Real>::kAll;
    if (found.count == 1 || found.count == found.visible) return row;
    const KeysWithin unseen = keys_within(found.score, found.threshold, found.visible, keys());
    row.candidates = (found.print + unseen.print) | Waiting<Real>::kSeveral;
    const std::size_t listed = found.count < found.kListed ? found.count : found.kListed;
    row.tokens = listed;
    if (groups.of) {
      row.tokens = 0;
      for (std::size_t i = 0; i < listed; ++i)
        row.tokens += groups.start[found.listed[i] + 1] - groups.start[found.listed[i]];
    }
    row.tokens = row.tokens * found.count / listed;
    return row;
  }

  /// A tie selects all candidates, and a single one is selected; of others nothing is certain.
  LOGDEPTH_BOTH RowContract contract_of(RowState found, const Candidates<Real, Score>& keys,
                                        const RowBounds& bounds, double smallest) const {
    using Selects = typename PlanHead<Real>::Selects;
    if (head.matches && smallest > uncertainty(bounds, smallest)) return RowContract::broken;
    const bool tie = found == RowState::tie || found == RowState::waiting_tie;
    if (!(tie || found == RowState::single) || head.selects == Selects::anything)
      return RowContract::open;
    const bool kept = head.selects == Selects::one ? !tie : keys.count == keys.visible;
    return kept ? RowContract::kept : RowContract::broken;
  }
  LOGDEPTH_BOTH static double uncertainty(const RowBounds& b, double x) {
    return safely_above(b.e + 2 * b.a * ::sqrt(x) + b.a * b.a + b.rho * x);
  }
  /// T of the comment above.
  LOGDEPTH_BOTH static double reach(const RowBounds& b, double smallest) {
    if (!(b.rho < 0.5)) return INFINITY;
    const double most = smallest + uncertainty(b, smallest) + b.e + b.a * b.a;
    const double root_of = (b.a + ::sqrt(b.a * b.a + (1 - b.rho) * most)) / (1 - b.rho);
    return safely_above(root_of * root_of);
  }

  /// Candidates closer than the head's separation are ties. A score that is certainly less than
  /// the separation away and certainly not the largest contradicts it: then nothing is concluded.
  LOGDEPTH_BOTH bool tied(const Candidates<Real, Score>& keys, const RowBounds& bounds,
                          double smallest, double excess) const {
    const double separation = 2 * head.gap;  // Z counts scores twice
    // Exact scores of candidates are between smallest - off and smallest + excess + off.
    const double off = uncertainty(bounds, smallest + excess);
    if (!(excess + 2 * off < separation)) return false;
    const double band = separation - off - uncertainty(bounds, smallest + separation);
    if (!(band > excess)) return true;
    return keys.count_within(keys.best + Real(band)) == keys.count;
  }

  static constexpr std::uint32_t kTogether = 8;
  /// The averages of `several` values, from `first` on, over the candidates, in one pass over them;
  /// whether they hold provably different ones.
  LOGDEPTH_BOTH bool average_of(std::uint32_t first, std::uint32_t several, std::size_t row,
                                const Candidates<Real, Score>& keys, bool tie) const {
    ValueAverage<Real> averages[kTogether];
    std::size_t count = 0;
    each_token(keys, row, [&](std::size_t j) {
      for (std::uint32_t v = 0; v < several; ++v)
        averages[v].add(value.at(first + v, j), count == 0);
      ++count;
    });
    bool differ = false;
    for (std::uint32_t v = 0; v < several; ++v) {
      average.set(first + v, row, averages[v].over(count, tie, rounding));
      differ |= averages[v].differs(rounding);
    }
    return differ;
  }

  /// Softmax: the bounds say nothing about it.
  LOGDEPTH_BOTH void soften(std::size_t row, const Candidates<Real, Score>& keys) const {
    for (std::uint32_t v = 0; v < values; ++v) average.set(v, row, {Real(0), 0});
    Real total(0);
    const Real half_temperature(choice.temperature / 2);
    for (std::size_t j = 0; j < keys.visible; ++j) {
      const Real w = exponential(half_temperature * (keys.best - keys.score(j)));
      if (!(w > Real(0))) continue;
      total = total + w;
      for (std::uint32_t v = 0; v < values; ++v) {
        Real& sum = average.value[v * average.stride + row];
        sum = sum + w * value.value[v * value.stride + j];
      }
    }
    for (std::uint32_t v = 0; v < values; ++v) {
      Real& sum = average.value[v * average.stride + row];
      sum = sum / total;
    }
  }
};

}}}}  // namespace logdepth::runtime_floats::float_pass::LOGDEPTH_SIDE
