// The rule that answers every row: distinct queries beside distinct keys. Scores in double, with a
// bound on their error, leave few candidates for the maximum; these are compared exactly, so ties
// are proved. A query looks at a key once, when it comes into sight; rows in between see no change.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "base/worker_threads.hpp"
#include "runtime/exact/attention_question.hpp"
#include "runtime/exact/score_filter.hpp"

namespace logdepth::inline runtime_exact {
namespace {

/// Scores that one thread should at least have to compute.
constexpr std::size_t kWorthAThread = std::size_t{1} << 20;

/// Follows one query at a time through the key classes as they come into sight.
class Follower {
 public:
  Follower(const Question& question, const ScoreFilter& filter)
      : q_(question), filter_(filter), score_(question.keys.size()) {}

  /// `asks` have one query, those that see less come first. Their answers are sets of classes.
  template <class Answer>
  void follow(const std::vector<std::uint32_t>& asks, Answer answer) {
    query_ = q_.asks[asks.front()].query;
    in_double_ = filter_.query(query_);
    best_.clear();
    exact_.clear();
    held_ = 0;
    std::size_t seen = 0;
    for (const std::uint32_t ask : asks) {
      const std::size_t visible = q_.keys.seen_by(q_.asks[ask].visible);
      if (visible > seen) look_at(seen, visible);
      seen = visible;
      answer(ask, best_);
    }
  }
  const AttentionStatistics& statistics() const { return statistics_; }

 private:
  void look_at(std::size_t begin, std::size_t end) {
    statistics_.scores += end - begin;
    double largest = filter_.score(in_double_, begin, end, score_.data());
    if (!best_.empty()) largest = std::max(largest, score_[best_.front()]);
    // What lies below this is exactly smaller than the key whose double score is the largest. With
    // an infinite bound, or scores that are none, every comparison is exact.
    const double threshold = largest - 2 * in_double_.bound;
    for (std::size_t c = begin; c < end; ++c) {
      if (score_[c] < threshold) {
        ++statistics_.decided_in_double;
        continue;
      }
      const auto candidate = static_cast<std::uint32_t>(c);
      const int order = best_.empty() ? 1 : compare(candidate, best_.front());
      if (order > 0) best_.clear();
      if (order >= 0) best_.push_back(candidate);
    }
  }

  /// Sign of score(a) - score(b).
  int compare(std::uint32_t a, std::uint32_t b) {
    const double difference = score_[a] - score_[b];
    if (!in_double_.rounded) {
      ++statistics_.decided_in_double;
      return (difference > 0) - (difference < 0);
    }
    if (difference > 2 * in_double_.bound || difference < -2 * in_double_.bound) {
      ++statistics_.decided_in_double;
      return difference > 0 ? 1 : -1;
    }
    ++statistics_.decided_exactly;
    const Real &x = exact(a), &y = exact(b);
    if (x == y) {
      ++statistics_.exact_ties;
      return 0;
    }
    return x < y ? -1 : 1;
  }
  const Real& exact(std::uint32_t c) {
    const auto [entry, fresh] = exact_.try_emplace(c);
    if (fresh) {
      entry->second = filter_.exact(query_, c);
      held_ += entry->second.heap_bytes();
      if (held_ > 0) q_.pool->expect_room(held_);
    }
    return entry->second;
  }

  const Question& q_;
  const ScoreFilter& filter_;
  TupleId query_ = 0;
  ScoreFilter::Query in_double_;
  std::vector<double> score_;
  std::vector<std::uint32_t> best_;
  std::map<std::uint32_t, Real> exact_;  // node addresses stay valid
  std::size_t held_ = 0;                 // bytes of these beside themselves
  AttentionStatistics statistics_;
};

}  // namespace

void attend_by_distinct_keys(Question& question, AttentionStatistics& statistics,
                             std::size_t threads) {
  std::map<TupleId, std::size_t> number_of_query;
  std::vector<std::vector<std::uint32_t>> asks_of_query;
  for (std::uint32_t ask = 0; ask < question.asks.size(); ++ask) {
    if (question.asks[ask].answer != Question::kOpen) continue;
    const auto [entry, fresh] =
        number_of_query.try_emplace(question.asks[ask].query, asks_of_query.size());
    if (fresh) asks_of_query.emplace_back();
    asks_of_query[entry->second].push_back(ask);
  }
  if (asks_of_query.empty()) return;
  const AttentionRule rule =
      asks_of_query.size() == 1 ? AttentionRule::one_query : AttentionRule::distinct_keys;

  const ScoreFilter filter(question);
  const std::size_t work = asks_of_query.size() * question.keys.size();
  const std::size_t workers =
      std::clamp<std::size_t>(work / kWorthAThread, 1, std::max<std::size_t>(threads, 1));
  // Share w is every workers-th query. Asks are written by one thread each; sets of several classes
  // are gathered per share and numbered afterwards, so nothing depends on timing.
  struct Share {
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> several;
    AttentionStatistics statistics;
  };
  std::vector<Share> shares(workers);
  const auto work_on = [&](std::size_t worker) {
    Follower follower(question, filter);
    for (std::size_t q = worker; q < asks_of_query.size(); q += workers)
      follower.follow(asks_of_query[q],
                      [&](std::uint32_t number, const std::vector<std::uint32_t>& best) {
                        Ask& ask = question.asks[number];
                        ask.rule = rule;
                        ask.answer = best.front();
                        if (best.size() > 1) shares[worker].several.emplace_back(number, best);
                      });
    shares[worker].statistics = follower.statistics();
  };
  share_work(workers, workers, work_on);
  for (Share& share : shares) {
    statistics += share.statistics;
    for (auto& [number, best] : share.several)
      question.asks[number].answer = question.answer_of(std::move(best));
  }
}

}  // namespace logdepth::inline runtime_exact
