// Rule `match`. Let B_b be the largest norm of a visible key on block b. By Cauchy-Schwarz
//   q . k  <=  sum over blocks |q_b| B_b,   with equality iff k_b = (B_b / |q_b|) q_b for all b;
// on a block of one dimension the bound is q_b times the largest, or smallest, visible k_b. So if
// some visible key is that vector, it is a best one, and the others of its class are all the rest.

#include <algorithm>
#include <compare>
#include <vector>

#include "runtime/exact/attention_question.hpp"
#include "runtime/exact/exact_sum.hpp"

namespace logdepth::inline runtime_exact {
namespace {

/// Bounds that change with every key certify nothing worth their cost.
constexpr std::size_t kMaxChanges = 64;
constexpr std::uint32_t kNoTarget = static_cast<std::uint32_t>(-2);

std::strong_ordering compare(const ValuePool& pool, ValueId a, ValueId b) {
  return a == b ? std::strong_ordering::equal : pool[a] <=> pool[b];
}

/// Per block the largest squared norm twice, or the largest and smallest value of one dimension.
struct Change {
  std::uint32_t from;  ///< first position that sees these bounds
  TupleId bounds;
};

class Match {
 public:
  explicit Match(Question& question)
      : q_(question),
        bounds_(question.memory->bounds.try_emplace(2 * q_.blocks.size(), 2 * q_.blocks.size())
                    .first->second),
        targets_(question.memory->targets.try_emplace(2 * q_.blocks.size(), 2).first->second) {}

  bool find_bounds() {
    std::vector<ValueId> now(2 * q_.blocks.size());
    for (std::uint32_t c = 0; c < q_.keys.size(); ++c) {
      bool changed = c == 0;
      for (std::size_t b = 0; b < q_.blocks.size(); ++b) {
        const bool scalar = q_.blocks[b].size() == 1;
        const TupleId key = q_.keys.vector[c];
        const ValueId here =
            scalar ? q_.vector(key)[q_.blocks[b][0]] : q_.squares(q_.numbers[b], q_.blocks[b], key);
        if (c == 0 || compare(*q_.pool, here, now[2 * b]) > 0) {
          now[2 * b] = here;
          changed = true;
        }
        if (c == 0 || (scalar && compare(*q_.pool, here, now[2 * b + 1]) < 0)) {
          now[2 * b + 1] = here;
          changed = true;
        }
        if (!scalar) now[2 * b + 1] = now[2 * b];
      }
      if (!changed) continue;
      if (!q_.rows->causal) changes_.clear();
      if (changes_.size() == kMaxChanges) return false;
      changes_.push_back({q_.rows->causal ? q_.keys.first[c] : 0, bounds_.intern(now.data())});
    }
    return true;
  }

  /// The class of the vector that attains all bounds, if it is visible.
  std::uint32_t best_class(const Ask& ask) {
    const auto after = std::upper_bound(
        changes_.begin(), changes_.end(), ask.visible - 1,
        [](std::uint32_t position, const Change& change) { return position < change.from; });
    const std::uint32_t key[2] = {ask.query, std::prev(after)->bounds};
    std::uint32_t& known = targets_[key];
    if (known == Memo::kUnknown) known = target(ask.query, key[1]);
    if (known == kNoTarget) return KeyClasses::kNone;
    const std::uint32_t c = q_.keys.of_vector.find(known);
    return c != KeyClasses::kNone && q_.keys.first[c] < ask.visible ? c : KeyClasses::kNone;
  }

 private:
  std::uint32_t target(TupleId query, TupleId bounds) {
    const auto vector = q_.vector(query);
    std::vector<ValueId> best(vector.begin(), vector.end());
    for (std::size_t b = 0; b < q_.blocks.size(); ++b) {
      const ValueId largest = bounds_[bounds][2 * b], smallest = bounds_[bounds][2 * b + 1];
      if (q_.blocks[b].size() == 1) {
        ValueId& x = best[q_.blocks[b][0]];
        if (x == ValuePool::kZero) return kNoTarget;  // any key will do here, not one class
        x = q_.pool->sign(x) > 0 ? largest : smallest;
        continue;
      }
      const ValueId own = q_.squares(q_.numbers[b], q_.blocks[b], query);
      if (own == ValuePool::kZero) return kNoTarget;
      if (own == largest) continue;
      const Real &wanted = (*q_.pool)[largest], &given = (*q_.pool)[own];
      if (!wanted.is_rational() || !given.is_rational()) return kNoTarget;
      const Real scale = Real::root(wanted.rational_part() / given.rational_part());
      for (const std::uint32_t d : q_.blocks[b])
        if (best[d] != ValuePool::kZero) best[d] = q_.pool->intern((*q_.pool)[best[d]] * scale);
    }
    return q_.rows->vectors->intern(best.data());
  }

  Question& q_;
  TuplePool<ValueId>& bounds_;
  Memo& targets_;
  std::vector<Change> changes_;
};

}  // namespace

void attend_by_match(Question& question, AttentionStatistics&) {
  Match match(question);
  if (!match.find_bounds()) return;
  for (Ask& ask : question.asks) {
    if (ask.answer != Question::kOpen) continue;
    const std::uint32_t c = match.best_class(ask);
    if (c == KeyClasses::kNone) continue;
    ask.answer = c;
    ask.rule = AttentionRule::match;
  }
}

}  // namespace logdepth::inline runtime_exact
