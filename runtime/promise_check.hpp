#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/exact.hpp"

namespace logdepth {

/// Checks every head's promise at every row of exact runs, one after the other.
class PromiseCheck : public ForwardObserver<ValueId> {
 public:
  PromiseCheck(const Model& model, const Exact& arithmetic)
      : model_(model), arithmetic_(arithmetic) {
    for (const Layer& layer : model.layers)
      evaluated_.emplace_back(layer.attention.heads.size(), 0);
  }

  void before(const Location& location, const Stream<ValueId>& stream) override;
  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override;

  /// Rows checked per layer of the file and head; a head with 0 was never asked.
  const std::vector<std::vector<std::uint64_t>>& evaluated() const { return evaluated_; }
  std::uint64_t total_evaluated() const;
  /// The first broken promise as a sentence: layer, head, token, what was promised and selected.
  const std::optional<std::string>& broken() const { return broken_; }
  /// Forgets the broken promise; the counts go on.
  void forgive() { broken_.reset(); }

 private:
  const Model& model_;
  const Exact& arithmetic_;
  /// rightmost heads: per head, the last flagged position at or before each token, computed on the
  /// stream the head reads; empty for other heads.
  std::vector<std::vector<std::size_t>> last_flagged_;
  std::vector<std::vector<std::uint64_t>> evaluated_;
  std::optional<std::string> broken_;
};

}  // namespace logdepth
