#include "runtime/exact/decided_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "runtime/stream/embed.hpp"

namespace logdepth { inline namespace runtime_exact {

NestedPool::NestedPool() {
  intern(NestedRadical());
  intern(Real(1));
}

NestedId NestedPool::intern(NestedRadical value) {
  value = tower_.named(std::move(value));
  if (const auto known = ids_.find(value); known != ids_.end()) return known->second;
  const int sign = tower_.sign(value);
  const bool hidden_zero = sign == 0 && !entries_.empty();
  const NestedId id = hidden_zero ? kZero : NestedId{static_cast<std::uint32_t>(entries_.size())};
  // Held twice, as a number and as a key; a node of the map holds some pointers beside.
  bytes_ += 2 * (sizeof(Entry) + value.heap_bytes()) + 64;
  if (!hidden_zero) entries_.push_back({value, tower_.approximate(value), sign});
  ids_.emplace(std::move(value), id);
  return id;
}

NestedId NestedArithmetic::multiply(const Rational& weight, NestedId v) {
  if (weight.is_one() || is_zero(v)) return v;
  return intern(pool_[v].scaled(weight));
}

NestedId NestedArithmetic::product(NestedId a, NestedId b) {
  return intern(decided([&] { return pool_.tower().product(pool_[a], pool_[b]); }));
}

NestedId NestedArithmetic::add_product(NestedId base, const Rational& weight, NestedId v) {
  if (is_zero(base)) return multiply(weight, v);
  return intern(pool_[base] + pool_[v].scaled(weight));
}

void NestedArithmetic::accumulate(Sum& sum, const Rational& weight, NestedId v) {
  sum = sum + pool_[v].scaled(weight);
}

void NestedArithmetic::accumulate_square(Sum& sum, const Rational& weight, NestedId v) {
  decided([&] {
    const NestedRadical x = pool_[v].scaled(weight);
    sum = sum + pool_.tower().product(x, x);
  });
}

void NestedArithmetic::accumulate_product(Sum& sum, NestedId a, NestedId b) {
  decided([&] { sum = sum + pool_.tower().product(pool_[a], pool_[b]); });
}

int NestedArithmetic::sign_of(const Sum& sum) {
  return decided([&] { return pool_.tower().sign(sum); });
}

NestedId NestedArithmetic::close(Sum& sum) {
  return intern(std::exchange(sum, {}));
}

std::optional<NestedId> NestedArithmetic::norm_factor(std::uint32_t width, NestedId squares) {
  const auto square = pool_[squares].real();
  if (!square || !square->is_rational()) return std::nullopt;
  return intern(Real::root(Rational(width) / square->rational_part()));
}

std::optional<std::string> NestedArithmetic::normalise(
    std::uint32_t width, std::vector<std::pair<std::uint32_t, NestedId>>& masked) {
  // Rational multiples of one component y: norm(y c) = sign(y) norm(c), whatever y is.
  const NestedRadical& y = pool_[masked.front().second];
  std::vector<Rational> multiples;
  Rational square;
  for (const auto& [index, id] : masked) {
    const auto multiple = rational_factor(pool_[id], y);
    if (!multiple) break;
    multiples.push_back(*multiple);
    square += *multiple * *multiple;
  }
  if (multiples.size() == masked.size()) {
    const Real scale = Real::root(Rational(width) / square);
    const Rational sign(this->sign(masked.front().second));
    for (std::size_t i = 0; i < masked.size(); ++i)
      masked[i].second = intern(scale.scaled(sign * multiples[i]));
    return std::nullopt;
  }
  Sum squares;
  for (const auto& [index, id] : masked) accumulate_square(squares, Rational(1), id);
  const NestedRadical factor = decided([&] {
    // Not zero: no component is.
    return *pool_.tower().inverse_root(squares.scaled(Rational(1, width)));
  });
  for (auto& entry : masked)
    entry.second =
        intern(decided([&] { return pool_.tower().product(pool_[entry.second], factor); }));
  return std::nullopt;
}

int NestedArithmetic::compare(NestedId a, NestedId b) {
  return a == b ? 0 : sign_of(pool_[a] - pool_[b]);
}

namespace {

/// One head over nested radicals: quadratic, and every score that double does not decide as an
/// exact sum. Scores are remembered by query and key.
class NestedHead {
 public:
  NestedHead(HeadRows<NestedId>& rows, NestedArithmetic& arithmetic)
      : rows_(rows), a_(arithmetic) {}

  /// The positions with the largest score among the first `visible`.
  std::vector<std::size_t> selected(std::size_t row, std::size_t visible) {
    std::vector<TupleId> keys(rows_.keys.begin(),
                              rows_.keys.begin() + static_cast<std::ptrdiff_t>(visible));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    const std::vector<TupleId> best = best_keys(rows_.queries[row], keys);
    std::vector<std::size_t> positions;
    for (std::size_t j = 0; j < visible; ++j)
      if (std::binary_search(best.begin(), best.end(), rows_.keys[j])) positions.push_back(j);
    return positions;
  }

 private:
  struct Score {
    Approximation near;
    std::optional<NestedRadical> exact;  ///< once it was needed
  };

  /// Of some distinct keys, increasing.
  std::vector<TupleId> best_keys(TupleId query, const std::vector<TupleId>& keys) {
    double floor = -std::numeric_limits<double>::infinity();
    for (const TupleId key : keys) {
      const Approximation near = score(query, key).near;
      floor = std::max(floor, near.value - near.bound);
    }
    std::vector<TupleId> best;
    for (const TupleId key : keys) {
      Score& candidate = score(query, key);
      // Not of an infinite bound alone: inf - inf is no number, and compares as open.
      if (candidate.near.value + candidate.near.bound < floor) continue;
      if (!best.empty()) {
        const int order = a_.sign_of(exact(query, key) - exact(query, best.front()));
        if (order < 0) continue;
        if (order > 0) best.clear();
      }
      best.push_back(key);
    }
    return best;
  }

  Score& score(TupleId query, TupleId key) {
    const auto [at, is_new] = scores_.try_emplace({query, key});
    if (is_new) at->second.near = near(query, key);
    return at->second;
  }

  Approximation near(TupleId query, TupleId key) const {
    const auto q = (*rows_.vectors)[query], k = (*rows_.vectors)[key];
    Approximation sum;
    double sizes = 0;
    for (std::size_t c = 0; c < q.size(); ++c) {
      const Approximation& x = a_.pool().approximation(q[c]);
      const Approximation& y = a_.pool().approximation(k[c]);
      sum.value += x.value * y.value;
      sum.bound += std::abs(x.value) * y.bound + std::abs(y.value) * x.bound + x.bound * y.bound;
      sizes += std::abs(x.value * y.value);
    }
    // Products and sums of n doubles lose at most (n + 1) 2^-53 of their sizes to first order, and
    // the bound itself as much of its own; products of tiny numbers may lose all they are.
    const double n = static_cast<double>(q.size() + 4);
    sum.bound = sum.bound * (1 + n * 0x1p-50) + sizes * n * 0x1p-52 + 1e-290;
    return sum;
  }

  const NestedRadical& exact(TupleId query, TupleId key) {
    Score& known = score(query, key);
    if (!known.exact) {
      const auto q = (*rows_.vectors)[query], k = (*rows_.vectors)[key];
      NestedRadical sum;
      for (std::size_t c = 0; c < q.size(); ++c) a_.accumulate_product(sum, q[c], k[c]);
      known.exact = std::move(sum);
    }
    return *known.exact;
  }

  HeadRows<NestedId>& rows_;
  NestedArithmetic& a_;
  std::map<std::pair<TupleId, TupleId>, Score> scores_;
};

/// The average of a value part over the selected positions.
TupleId average(HeadRows<NestedId>::ValuePart& part, const std::vector<std::size_t>& positions,
                NestedArithmetic& a) {
  const TupleId first = part.ids[positions.front()];
  if (std::all_of(positions.begin(), positions.end(),
                  [&](std::size_t j) { return part.ids[j] == first; }))
    return first;
  const Rational share(1, static_cast<std::int64_t>(positions.size()));
  std::vector<NestedId> averages;
  for (std::size_t c = 0; c < part.tuples->length(); ++c) {
    NestedRadical sum;
    for (const std::size_t j : positions) a.accumulate(sum, share, (*part.tuples)[part.ids[j]][c]);
    averages.push_back(a.close(sum));
  }
  return part.tuples->intern(averages.data());
}

}  // namespace

void NestedArithmetic::attend(
    HeadRows<NestedId>& rows,
    const std::function<void(const SelectedRow&, std::span<const TupleId>)>& sink) {
  NestedHead head(rows, *this);
  for (std::size_t row = 0; row < rows.tokens(); ++row) {
    SelectedRow selected;
    selected.row = row;
    selected.visible = rows.causal ? row + 1 : rows.tokens();
    const std::vector<std::size_t> positions = head.selected(row, selected.visible);
    selected.count = positions.size();
    selected.last = positions.back();
    selected.one_key = std::all_of(positions.begin(), positions.end(), [&](std::size_t j) {
      return rows.keys[j] == rows.keys[positions.front()];
    });
    const std::function<std::vector<std::size_t>()> all = [&] { return positions; };
    selected.positions = &all;
    std::vector<TupleId> averages;
    for (auto& part : rows.values) averages.push_back(average(part, positions, *this));
    sink(selected, averages);
  }
}

std::optional<Refusal> NestedRunner::run(const Tokens& tokens, const Observers& observers) {
  stream_.reset();
  if (auto refusal = outside_hypotheses(model_, tokens)) return *refusal;
  forward_.reset();
  forward_.emplace(model_, arithmetic_.emplace(), memory_);
  auto stream = forward_->stream(tokens.kinds.size());
  if (const auto refusal = embed(model_, tokens, *arithmetic_, stream)) return *refusal;
  const auto loops = static_cast<std::size_t>(loops_at(model_.unroll, tokens.size));
  auto end = within_field([&] { return forward_->run(std::move(stream), loops, observers); });
  if (!end.has_value()) return end.refusal();
  stream_ = std::move(end).value();
  return std::nullopt;
}

std::optional<std::string> NestedRunner::nonzero(std::size_t token, std::size_t coordinate) {
  const NestedId value = stream_->at(token, coordinate);
  if (arithmetic_->is_zero(value)) return std::nullopt;
  return arithmetic_->pool().tower().text(arithmetic_->pool()[value]);
}

std::optional<Refusal> DecidedRun::run(const Tokens& tokens, const Runner::Observers& observers) {
  stream_.reset();
  left_.reset();
  past_ = nested_statistics();
  nested_.reset();
  auto stream = runner_.run(tokens, observers);
  if (stream.has_value()) {
    stream_ = std::move(stream).value();
    return std::nullopt;
  }
  const auto* left = std::get_if<OutsideField>(&stream.refusal());
  if (!left) return stream.refusal();
  left_ = *left;
  nested_.emplace(model_, memory_ - std::min(memory_, runner_.bytes()));
  auto refusal = nested_->run(tokens);
  if (refusal)
    if (const auto* open = std::get_if<OutsideField>(&*refusal))
      return OutsideField{left_->reason + "; " + open->reason};
  return refusal;
}

Outcome<bool> DecidedRun::accepts(std::size_t token) {
  return read(token, [&](const auto& logits) { return read_verdict(model_, logits); });
}

Outcome<bool> DecidedRun::relation(std::size_t from, std::size_t to) {
  check_relation(model_, tokens(), from, to);
  return read(from, [&](const auto& logits) { return read_relation(logits, from, to); });
}

Outcome<bool> DecidedRun::connected(std::size_t source, std::size_t target) {
  if (std::holds_alternative<RelationOutput>(model_.output)) return relation(source, target);
  return accepts(tokens() - 1);
}

Outcome<PrefixAnswer> DecidedRun::prefix(std::size_t token) {
  return read(token, [&](const auto& logits) { return read_prefix(model_, logits, token); });
}

Outcome<bool> DecidedRun::has_logits(std::size_t token, std::span<const Real> expected) {
  return read(token, [&](const auto& logits) { return logits_are(logits, expected); });
}

Outcome<std::vector<std::string>> DecidedRun::logits(std::size_t token) {
  return read(token, [](const auto& logits) { return texts_of(logits); });
}

std::optional<std::string> DecidedRun::nonzero(std::size_t token, std::size_t coordinate) {
  if (!stream_) return nested_->nonzero(token, coordinate);
  const ValueId value = stream_->at(token, coordinate);
  if (value == ValuePool::kZero) return std::nullopt;
  return runner_.arithmetic().pool()[value].text();
}

RadicalTower::Statistics DecidedRun::nested_statistics() const {
  RadicalTower::Statistics total = past_;
  if (nested_) total += nested_->arithmetic().pool().tower().statistics();
  return total;
}

}}  // namespace logdepth::runtime_exact
