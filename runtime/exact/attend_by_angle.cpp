// Rule `angle`. If scores depend on two dimensions and all keys have one norm there, the score is a
// multiple of the cosine of the angle between query and key. It falls from the query's own
// direction on both ways round, so the best visible key is the next one to the left or to the
// right.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "runtime/exact/attention_question.hpp"
#include "runtime/exact/exact_sum.hpp"
#include "runtime/exact/plane_angle.hpp"

namespace logdepth::inline runtime_exact {
namespace {

/// The next living number at or after a number, where numbers die one by one.
class Living {
 public:
  explicit Living(std::size_t count) : next_(count + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
  }
  void die(std::size_t i) { next_[i] = i + 1; }
  /// The number of numbers when none is left.
  std::size_t at_or_after(std::size_t i) {
    std::size_t root = i;
    while (next_[root] != root) root = next_[root];
    while (next_[i] != root) {
      const std::size_t after = next_[i];
      next_[i] = root;
      i = after;
    }
    return root;
  }

 private:
  std::vector<std::size_t> next_;
};

class Circle {
 public:
  Circle(const Question& question, std::uint32_t x, std::uint32_t y)
      : q_(question), x_(x), y_(y), by_angle_(*question.pool) {
    order_.resize(q_.keys.size());
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return by_angle_(pair(q_.keys.vector[a]), pair(q_.keys.vector[b]));
    });
  }

  std::size_t size() const { return order_.size(); }
  std::uint32_t at(std::size_t place) const { return order_[place]; }
  /// The first place that is not before the query.
  std::size_t place_of(TupleId query) const {
    const auto found = std::lower_bound(
        order_.begin(), order_.end(), query,
        [&](std::uint32_t c, TupleId q) { return by_angle_(pair(q_.keys.vector[c]), pair(q)); });
    return static_cast<std::size_t>(found - order_.begin());
  }
  /// Sign of the difference of two scores.
  int compare(TupleId query, std::uint32_t a, std::uint32_t b, AttentionStatistics& s) const {
    const PlaneVector q = pair(query), k = pair(q_.keys.vector[a]), l = pair(q_.keys.vector[b]);
    const ValuePool& pool = *q_.pool;
    const auto near = [&](ValueId v) { return pool.approximation(v); };
    double difference = 0, bound = 0x1p-1000;
    const auto add = [&](ValueId factor, ValueId key, double sign) {
      const Approximation f = near(factor), v = near(key);
      difference += sign * f.value * v.value;
      bound += (std::abs(f.value) + f.bound) * v.bound + f.bound * std::abs(v.value) +
               0x1p-49 * std::abs(f.value * v.value);  // of five roundings at most
    };
    add(q.first, k.first, 1);
    add(q.second, k.second, 1);
    add(q.first, l.first, -1);
    add(q.second, l.second, -1);
    if (difference > 2 * bound || difference < -2 * bound) {
      ++s.decided_in_double;
      return difference > 0 ? 1 : -1;
    }
    ++s.decided_exactly;
    ExactSum sum;
    sum.add_product(pool[q.first], pool[k.first]);
    sum.add_product(pool[q.second], pool[k.second]);
    sum.add_product(-pool[q.first], pool[l.first]);
    sum.add_product(-pool[q.second], pool[l.second]);
    const int sign = sum.sign();
    if (sign == 0) ++s.exact_ties;
    return sign;
  }

 private:
  PlaneVector pair(TupleId id) const {
    const auto vector = q_.vector(id);
    return {vector[x_], vector[y_]};
  }
  const Question& q_;
  std::uint32_t x_, y_;
  ByAngle by_angle_;
  std::vector<std::uint32_t> order_;  // classes by angle
};

}  // namespace

void attend_by_angle(Question& question, AttentionStatistics& statistics) {
  std::vector<std::uint32_t> plane;
  for (const auto& block : question.blocks) plane.insert(plane.end(), block.begin(), block.end());
  if (plane.size() != 2) return;
  // Under a number of its own: no block of the head has it, whatever blocks make the plane.
  constexpr std::uint32_t whole_plane = 64;
  const ValueId squares = question.squares(whole_plane, plane, question.keys.vector[0]);
  for (const TupleId key : question.keys.vector)
    if (question.squares(whole_plane, plane, key) != squares) return;

  std::vector<Ask*> open;
  for (Ask& ask : question.asks)
    if (ask.answer == Question::kOpen && ask.query != TuplePool<ValueId>::kZero)
      open.push_back(&ask);  // the zero query has no direction
  // From the last row to the first, keys go out of sight.
  std::stable_sort(open.begin(), open.end(),
                   [](const Ask* a, const Ask* b) { return a->visible > b->visible; });
  const Circle circle(question, plane[0], plane[1]);
  const std::size_t n = circle.size();
  std::vector<std::size_t> place(n);
  for (std::size_t i = 0; i < n; ++i) place[circle.at(i)] = i;
  Living clockwise(n), counter(n);  // the second on mirrored places
  std::size_t seen = n;
  for (Ask* ask : open) {
    for (; seen > 0 && question.keys.first[seen - 1] >= ask->visible; --seen) {
      clockwise.die(place[seen - 1]);
      counter.die(n - 1 - place[seen - 1]);
    }
    const std::size_t here = circle.place_of(ask->query);
    std::size_t after = clockwise.at_or_after(here);
    if (after == n) after = clockwise.at_or_after(0);
    std::size_t before = counter.at_or_after(n - here);
    if (before == n) before = counter.at_or_after(0);
    const std::uint32_t left = circle.at(n - 1 - before), right = circle.at(after);
    statistics.scores += left == right ? 1 : 2;
    const int order = left == right ? 1 : circle.compare(ask->query, left, right, statistics);
    if (order == 0) {
      ask->answer = question.answer_of({std::min(left, right), std::max(left, right)});
    } else {
      ask->answer = order > 0 ? left : right;
    }
    ask->rule = AttentionRule::angle;
  }
}

}  // namespace logdepth::inline runtime_exact
