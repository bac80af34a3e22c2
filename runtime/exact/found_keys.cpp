#include "runtime/exact/found_keys.hpp"

#include <algorithm>

namespace logdepth::inline runtime_exact {

std::size_t KeyDirections::number(const ValueId* vector, std::uint32_t terms) {
  tuple_.clear();
  for (std::uint32_t t = 0; t < terms; ++t) {
    const PlaneVector pair(vector[2 * t], vector[2 * t + 1]);
    if (pair == PlaneVector(ValuePool::kZero, ValuePool::kZero)) return kNone;
    tuple_.push_back(number(pair));
  }
  if (terms == 1) return tuple_.front();
  return tuples_.try_emplace(tuple_, tuples_.size()).first->second;
}

std::size_t KeyDirections::number(const PlaneVector& pair) {
  const std::uint64_t both = std::uint64_t{pair.first} << 32 | pair.second;
  const auto known = known_.find(both);
  if (known != known_.end()) return known->second;
  const std::size_t found = by_angle_.try_emplace(pair, by_angle_.size()).first->second;
  known_.emplace(both, found);
  return found;
}

FoundKeys::FoundKeys(const FindContract& contract, const HeadRows<ValueId>& rows,
                     const ValuePool& pool, KeyDirections& directions)
    : prefer_(contract.prefer), exactly_one_(contract.exactly_one) {
  directions.begin();
  const auto see = [&](std::size_t position) {
    const ValueId* key = rows.key(position).data();
    const std::size_t direction = directions.number(key, contract.terms);
    const ValueId preference = prefer_ ? key[2 * contract.terms] : ValuePool::kZero;
    key_directions_.push_back(direction);
    preferences_.push_back(preference);
    if (direction == KeyDirections::kNone) return;
    KeyDirections::Seen& best = directions.seen(direction);
    if (best.count > 0 && best.preference != preference) {
      if (pool[preference] < pool[best.preference]) return;
      best.count = 0;
    }
    best = {best.count + 1, preference};
  };
  const auto expect = [&](std::size_t row) {
    const std::size_t direction = directions.number(rows.query(row).data(), contract.terms);
    expected_.push_back({direction, direction == KeyDirections::kNone
                                        ? KeyDirections::Seen{}
                                        : directions.seen(direction)});
  };
  if (!rows.causal)
    for (std::size_t position = 0; position < rows.tokens(); ++position) see(position);
  for (std::size_t row = 0; row < rows.tokens(); ++row) {
    if (rows.causal) see(row);
    expect(row);
  }
}

bool FoundKeys::matches(std::size_t position, const Expected& expected) const {
  return key_directions_[position] == expected.direction &&
         preferences_[position] == expected.seen.preference;
}

bool FoundKeys::kept(const SelectedRow& row) const {
  const Expected& expected = expected_[row.row];
  if (expected.seen.count == 0 || row.count != expected.seen.count) return false;
  if (exactly_one_ && row.count != 1) return false;
  if (row.one_key) return matches(row.last, expected);
  const auto positions = (*row.positions)();
  return std::all_of(positions.begin(), positions.end(),
                     [&](std::size_t position) { return matches(position, expected); });
}

}  // namespace logdepth::inline runtime_exact
