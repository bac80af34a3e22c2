#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/finding.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/forward.hpp"

namespace logdepth {

/// Holds exact runs against the file's own index of cells, at every token after every sublayer: what
/// each type allows, what lifetimes say is blank, mirrors under layernorm, and zero wherever no cell
/// is. A file without an index is not looked at.
class CellCheck : public ForwardObserver<ValueId> {
 public:
  CellCheck(const Model& model, Exact& arithmetic);

  void before(const Location& location, const Stream<ValueId>& stream) override;
  void after(const Location& location, const Stream<ValueId>& stream) override;

  /// The first since the latest call of forgive().
  const std::optional<BrokenCell>& broken() const { return broken_; }
  void forgive() { broken_.reset(); }

 private:
  struct Cell {
    std::string name;
    std::vector<std::uint32_t> coordinates;
    std::optional<BrokenCell::Rule> type;  ///< what its type allows, where that is anything
    bool scratch = false, erased = false;
  };
  void begin();
  void look(const Location& location, const Stream<ValueId>& stream);
  bool allowed(const Cell& cell);
  bool unit(const std::vector<ValueId>& values);
  ValueId negated(ValueId value);

  const Model& model_;
  Exact& arithmetic_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> unnamed_, mirrored_;  ///< coordinates; of mirrors the first
  std::optional<BrokenCell> broken_;
  // Of one run: ids of numbers mean nothing in the next.
  ValueId one_{}, minus_one_{};
  std::vector<ValueId> held_;  ///< by the cell that is looked at
  std::map<std::vector<ValueId>, bool> units_;
  std::map<ValueId, ValueId> negatives_;
  std::map<std::string, ValueId> constants_;
};

}  // namespace logdepth
