#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/exact/exact.hpp"
#include "runtime/exact/value_pool.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/forward.hpp"

namespace logdepth { inline namespace runtime_exact {

/// Numbers directions of pairs of numbers, and the tuples of them: sorted by angle, exactly. Good as
/// long as the pool keeps its numbers.
class KeyDirections {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit KeyDirections(const ValuePool& pool) : by_angle_(ByAngle(pool)) {}

  /// From here on another input: what is noted of directions is that none has been seen.
  void begin() { ++input_; }
  /// The number of the directions of `terms` pairs; kNone if one of them is zero.
  std::size_t number(const ValueId* vector, std::uint32_t terms);
  /// What the positions so far have of a direction, of the largest preference only.
  struct Seen {
    std::size_t count = 0;
    ValueId preference = ValuePool::kZero;
  };
  Seen& seen(std::size_t direction) {
    if (noted_.size() <= direction) noted_.resize(direction + 1);
    auto& [input, seen] = noted_[direction];
    if (input != input_) seen = {};
    input = input_;
    return seen;
  }
  /// Pairs that were numbered.
  std::size_t size() const { return known_.size(); }

 private:
  std::size_t number(const PlaneVector& pair);

  std::map<PlaneVector, std::size_t, ByAngle> by_angle_;
  std::unordered_map<std::uint64_t, std::size_t> known_;
  std::map<std::vector<std::size_t>, std::size_t> tuples_;
  std::vector<std::size_t> tuple_;
  std::uint64_t input_ = 0;
  std::vector<std::pair<std::uint64_t, Seen>> noted_;  ///< by direction, of which input
};

class FoundKeys;

/// What a head that keeps this contract selects, in words.
std::string contract_text(const Contract& contract);

/// A row at which a head did not select what it promised.
struct BrokenContract {
  std::uint64_t step = 0;           ///< executed layer, from 1
  std::size_t layer = 0, head = 0;  ///< of the file, from 0
  std::size_t token = 0;            ///< that asks
  std::string sentence;             ///< layer, head, token, what was promised and selected
};

/// Checks every head's promise at every row of exact runs, one after the other.
class ContractCheck : public ForwardObserver<ValueId> {
 public:
  ContractCheck(const Model& model, const Exact& arithmetic);

  void before(const Location& location, const Stream<ValueId>& stream) override;
  void on_head(const Location& location, std::size_t head, const HeadRows<ValueId>& rows) override;
  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override;

  std::uint64_t total_evaluated() const;  ///< rows checked
  /// Heads whose contract was never asked, in the order of the file.
  std::vector<HeadPlace> unevaluated() const;
  /// The first broken contract.
  const std::optional<BrokenContract>& broken_row() const { return broken_; }
  /// The same as a sentence.
  std::optional<std::string> broken() const {
    return broken_ ? std::optional(broken_->sentence) : std::nullopt;
  }
  /// Forgets the broken contract; the counts go on.
  void clear_broken() { broken_.reset(); }

 private:
  /// What a head must select, read from the stream before the sublayer and from its keys.
  struct Expected {
    /// rightmost: at [v - 1] the last of the first v positions where the form is largest
    std::vector<std::size_t> last_largest;
    /// flagged: whether the flag holds at a position, and at how many of the first v
    std::vector<char> flagged, asks;
    std::vector<std::size_t> flagged_before;
    std::shared_ptr<const FoundKeys> found;
    /// related: per position the pairs it asks for and the pairs it answers, as bits
    std::vector<std::vector<std::uint64_t>> asks_for, answers;
    std::vector<char> preferred;  ///< related: whether a position is preferred
  };
  /// Of a head with a FindContract, from run to run.
  KeyDirections& directions_of(const Location& location, std::size_t head);
  Real value(const SparseVector& form, const Stream<ValueId>& stream, std::size_t token) const;
  static bool kept_related(const Expected& expected, const SelectedRow& row);
  bool kept(const Contract& contract, const Expected& expected, const SelectedRow& row) const;

  const Model& model_;
  const Exact& arithmetic_;
  std::vector<Expected> expected_;                     ///< per head of the sublayer
  std::vector<std::vector<std::uint64_t>> evaluated_;  ///< rows per layer of the file and head
  std::optional<BrokenContract> broken_;
  std::map<HeadPlace, KeyDirections> directions_;  ///< as long as the numbers are
  std::uint64_t numbers_ = 0;                      ///< the forgetting that came before them
};

}}  // namespace logdepth::runtime_exact
