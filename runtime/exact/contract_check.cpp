#include "runtime/exact/contract_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

#include "base/overload.hpp"

namespace logdepth { inline namespace runtime_exact {

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

/// What a head with a FindContract has to select at every row, from its exact queries and keys:
/// no scores, only which keys are positive multiples of the query in every pair of dimensions.
///
/// Directions are numbers, so each row costs a look-up and not a pass over the keys.
class FoundKeys {
 public:
  FoundKeys(const FindContract& contract, const HeadRows<ValueId>& rows, const ValuePool& pool,
            KeyDirections& directions)
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

  /// Whether `row` selects all visible positions that match (with `prefer`: the preferred ones
  /// among them), at least one (or exactly one), and nothing else.
  bool kept(const SelectedRow& row) const {
    const Expected& expected = expected_[row.row];
    if (expected.seen.count == 0 || row.count != expected.seen.count) return false;
    if (exactly_one_ && row.count != 1) return false;
    if (row.one_key) return matches(row.last, expected);
    const auto positions = (*row.positions)();
    return std::all_of(positions.begin(), positions.end(),
                       [&](std::size_t position) { return matches(position, expected); });
  }

 private:
  struct Expected {
    std::size_t direction = 0;  ///< number of the query's direction
    KeyDirections::Seen seen;   ///< the positions to select
  };
  bool matches(std::size_t position, const Expected& expected) const {
    return key_directions_[position] == expected.direction &&
           preferences_[position] == expected.seen.preference;
  }

  bool prefer_, exactly_one_;
  std::vector<std::size_t> key_directions_;
  std::vector<ValueId> preferences_;  ///< the key component after the terms, with `prefer`
  std::vector<Expected> expected_;    ///< per row
};

std::string contract_text(const Contract& contract) {
  return std::visit(
      Overload{
          [](const UniformContract&) { return std::string("all visible positions"); },
          [](const MatchContract& match) {
            return std::string(match.exactly_one ? "exactly one position"
                                                 : "the positions that share one key");
          },
          [](const RightmostContract&) {
            return std::string("the last position where the flags are largest");
          },
          [](const FlaggedContract&) { return std::string("the flagged positions"); },
          [](const FindContract& find) {
            return std::string(find.exactly_one ? "the one position that matches"
                               : find.prefer    ? "the preferred matching positions"
                                                : "the matching positions");
          },
          [](const RelatedContract&) { return std::string("the preferred related positions"); }},
      contract);
}

ContractCheck::ContractCheck(const Model& model, const Exact& arithmetic)
    : model_(model), arithmetic_(arithmetic) {
  for (const Layer& layer : model.layers) evaluated_.emplace_back(layer.attention.heads.size(), 0);
}

std::uint64_t ContractCheck::total_evaluated() const {
  std::uint64_t total = 0;
  for (const auto& heads : evaluated_)
    for (const std::uint64_t rows : heads) total += rows;
  return total;
}

std::vector<HeadPlace> ContractCheck::unevaluated() const {
  std::vector<HeadPlace> heads;
  for (std::size_t layer = 0; layer < evaluated_.size(); ++layer)
    for (std::size_t head = 0; head < evaluated_[layer].size(); ++head)
      if (evaluated_[layer][head] == 0) heads.push_back({layer, head});
  return heads;
}

Real ContractCheck::value(const SparseVector& form, const Stream<ValueId>& stream,
                          std::size_t token) const {
  Real sum;
  for (const SparseEntry& e : form)
    sum = sum + arithmetic_.pool()[stream.at(token, e.index)].scaled(e.value);
  return sum;
}

void ContractCheck::before(const Location& location, const Stream<ValueId>& stream) {
  if (location.sublayer != Sublayer::attention) return;
  const auto& heads = model_.layers[location.layer].attention.heads;
  expected_.clear();
  expected_.resize(heads.size());
  for (std::size_t k = 0; k < heads.size(); ++k) {
    Expected& expected = expected_[k];
    if (const auto* rightmost = std::get_if<RightmostContract>(&heads[k].contract)) {
      Real largest;
      std::size_t last = 0;
      for (std::size_t token = 0; token < stream.tokens; ++token) {
        Real here = value(rightmost->flag, stream, token);
        if (token == 0 || here >= largest) {
          largest = std::move(here);
          last = token;
        }
        expected.last_largest.push_back(last);
      }
    } else if (const auto* contract = std::get_if<FlaggedContract>(&heads[k].contract)) {
      std::size_t flagged = 0;
      for (std::size_t token = 0; token < stream.tokens; ++token) {
        const bool holds = value(contract->flag, stream, token).sign() > 0;
        flagged += holds;
        expected.flagged.push_back(holds);
        expected.flagged_before.push_back(flagged);
        expected.asks.push_back(!contract->when ||
                                value(*contract->when, stream, token).sign() > 0);
      }
    } else if (const auto* related = std::get_if<RelatedContract>(&heads[k].contract)) {
      for (std::size_t token = 0; token < stream.tokens; ++token) {
        auto& asks = expected.asks_for.emplace_back((related->pairs.size() + 63) / 64);
        auto& answers = expected.answers.emplace_back(asks.size());
        for (std::size_t i = 0; i < related->pairs.size(); ++i) {
          const RelatedContract::Pair& pair = related->pairs[i];
          const std::uint64_t bit = std::uint64_t{1} << i % 64;
          if (arithmetic_.sign(stream.at(token, pair.query)) > 0) asks[i / 64] |= bit;
          if (arithmetic_.sign(stream.at(token, pair.key)) > 0) answers[i / 64] |= bit;
        }
        expected.preferred.push_back(value(related->prefer, stream, token).sign() > 0);
      }
    }
  }
}

KeyDirections& ContractCheck::directions_of(const Location& location, std::size_t head) {
  /// Pairs that a head may remember beside those of its current input.
  constexpr std::size_t kMostPairs = std::size_t{1} << 14;
  if (numbers_ != arithmetic_.forgotten()) directions_.clear();
  numbers_ = arithmetic_.forgotten();
  const HeadPlace place{location.layer, head};
  auto found = directions_.find(place);
  if (found != directions_.end() && found->second.size() > kMostPairs) {
    directions_.erase(found);
    found = directions_.end();
  }
  if (found == directions_.end())
    found = directions_.emplace(place, KeyDirections(arithmetic_.pool())).first;
  return found->second;
}

void ContractCheck::on_head(const Location& location, std::size_t head,
                            const HeadRows<ValueId>& rows) {
  const Contract& contract = model_.layers[location.layer].attention.heads[head].contract;
  if (const auto* find = std::get_if<FindContract>(&contract))
    expected_[head].found = std::make_shared<const FoundKeys>(*find, rows, arithmetic_.pool(),
                                                              directions_of(location, head));
}

bool ContractCheck::kept_related(const Expected& expected, const SelectedRow& row) {
  std::vector<std::size_t> related, preferred;
  const std::vector<std::uint64_t>& asks = expected.asks_for[row.row];
  for (std::size_t j = 0; j < row.visible; ++j) {
    std::uint64_t answers = 0;
    for (std::size_t i = 0; i < asks.size(); ++i) answers |= asks[i] & expected.answers[j][i];
    if (answers == 0) continue;
    related.push_back(j);
    if (expected.preferred[j]) preferred.push_back(j);
  }
  return !related.empty() && (*row.positions)() == (preferred.empty() ? related : preferred);
}

bool ContractCheck::kept(const Contract& contract, const Expected& expected,
                         const SelectedRow& row) const {
  return std::visit(
      Overload{[&](const UniformContract&) { return row.count == row.visible; },
               [&](const MatchContract& match) {
                 return match.exactly_one ? row.count == 1 : row.one_key;
               },
               [&](const RightmostContract&) {
                 return row.count == 1 && row.last == expected.last_largest[row.visible - 1];
               },
               [&](const FlaggedContract&) {
                 const std::size_t flagged = expected.flagged_before[row.visible - 1];
                 if (!expected.asks[row.row] || flagged == 0) return row.count == row.visible;
                 if (row.count != flagged || !expected.flagged[row.last]) return false;
                 if (flagged == 1 || flagged == row.visible) return true;
                 const auto positions = (*row.positions)();
                 return std::all_of(positions.begin(), positions.end(), [&](std::size_t position) {
                   return expected.flagged[position] != 0;
                 });
               },
               [&](const FindContract&) { return expected.found->kept(row); },
               [&](const RelatedContract&) { return kept_related(expected, row); }},
      contract);
}

void ContractCheck::on_row(const Location& location, std::size_t head, const SelectedRow& row) {
  ++evaluated_[location.layer][head];
  if (broken_) return;
  const Contract& contract = model_.layers[location.layer].attention.heads[head].contract;
  if (kept(contract, expected_[head], row)) return;
  std::string positions;
  for (const std::size_t p : (*row.positions)()) {
    if (positions.size() > 60) {
      positions += ", ...";
      break;
    }
    positions += fmt::format("{}{}", positions.empty() ? "" : ", ", p);
  }
  broken_ = {location.step, location.layer, head, row.row,
             fmt::format("layer {}, head {}, token {}: expected {}, found {} of {} (position {})",
                         location.step, head, row.row, contract_text(contract), row.count,
                         row.visible, positions)};
}

}}  // namespace logdepth::runtime_exact
