#include "runtime/exact/found_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "runtime/exact/plane_angle.hpp"

namespace logdepth::inline runtime_exact {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
/// Numbers directions of pairs, and the tuples of them.
class Directions {
 public:
  explicit Directions(const ValuePool& pool) : by_angle_(ByAngle(pool)) {}

  /// The number of the directions of `terms` pairs; kNone if one of them is zero.
  std::size_t number(const ValueId* vector, std::uint32_t terms) {
    std::vector<std::size_t> tuple;
    for (std::uint32_t t = 0; t < terms; ++t) {
      const PlaneVector pair(vector[2 * t], vector[2 * t + 1]);
      if (pair == PlaneVector(ValuePool::kZero, ValuePool::kZero)) return kNone;
      tuple.push_back(number(pair));
    }
    return tuples_.try_emplace(std::move(tuple), tuples_.size()).first->second;
  }

 private:
  std::size_t number(const PlaneVector& pair) {
    const std::uint64_t both = std::uint64_t{pair.first} << 32 | pair.second;
    const auto known = known_.find(both);
    if (known != known_.end()) return known->second;
    const std::size_t found = by_angle_.try_emplace(pair, by_angle_.size()).first->second;
    known_.emplace(both, found);
    return found;
  }
  std::map<PlaneVector, std::size_t, ByAngle> by_angle_;
  std::unordered_map<std::uint64_t, std::size_t> known_;
  std::map<std::vector<std::size_t>, std::size_t> tuples_;
};

}  // namespace

FoundKeys::FoundKeys(const FindContract& contract, const HeadRows<ValueId>& rows,
                     const ValuePool& pool)
    : prefer_(contract.prefer), exactly_one_(contract.exactly_one) {
  Directions directions(pool);
  // How many positions of each direction have been seen, of the largest preference only.
  std::vector<Expected> seen;
  const auto see = [&](std::size_t position) {
    const ValueId* key = rows.key(position).data();
    const std::size_t direction = directions.number(key, contract.terms);
    const ValueId preference = prefer_ ? key[2 * contract.terms] : ValuePool::kZero;
    key_directions_.push_back(direction);
    preferences_.push_back(preference);
    if (direction == kNone) return;
    if (seen.size() <= direction) seen.resize(direction + 1);
    Expected& best = seen[direction];
    if (best.count > 0 && best.preference != preference) {
      if (pool[preference] < pool[best.preference]) return;
      best.count = 0;
    }
    best = {direction, best.count + 1, preference};
  };
  const auto expect = [&](std::size_t row) {
    const std::size_t direction = directions.number(rows.query(row).data(), contract.terms);
    expected_.push_back(direction < seen.size() ? seen[direction] : Expected{});
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
         preferences_[position] == expected.preference;
}

bool FoundKeys::kept(const SelectedRow& row) const {
  const Expected& expected = expected_[row.row];
  if (expected.count == 0 || row.count != expected.count) return false;
  if (exactly_one_ && row.count != 1) return false;
  if (row.one_key) return matches(row.last, expected);
  const auto positions = (*row.positions)();
  return std::all_of(positions.begin(), positions.end(),
                     [&](std::size_t position) { return matches(position, expected); });
}

}  // namespace logdepth::inline runtime_exact
