#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/exact/exact.hpp"
#include "runtime/exact/found_keys.hpp"
#include "runtime/file/head_place.hpp"
#include "runtime/stream/forward.hpp"

namespace logdepth::inline runtime_exact {

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
  void forgive() { broken_.reset(); }

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
  std::shared_ptr<const FoundKeys> found_keys(const FindContract& contract,
                                              const Location& location, std::size_t head,
                                              const HeadRows<ValueId>& rows);
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
  std::map<std::uint64_t, std::shared_ptr<const FoundKeys>> found_;  ///< by the number of rows
  std::size_t found_rows_ = 0;
};

}  // namespace logdepth::inline runtime_exact
