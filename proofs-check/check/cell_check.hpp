#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/failure.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/forward.hpp"

namespace logdepth::inline proofs_check_check {

/// Holds exact runs against the file's own index of cells, at every token after every sublayer: what
/// each type allows, what lifetimes say is blank, mirrors under layernorm, and zero wherever no cell
/// is. A file without an index is not looked at. What a sublayer left as it was has been looked at.
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
  /// What a change of one segment can break.
  struct Part {
    std::vector<std::size_t> cells;
    std::vector<std::uint32_t> unnamed, mirrored;
  };
  void begin();
  void look(const Location& location, const Stream<ValueId>& stream);
  /// What a sublayer changed in a token is as it should be.
  bool change_is_right(const Stream<ValueId>& stream, std::size_t token);
  void hold(const Cell& cell, const Stream<ValueId>& stream, std::size_t token);
  bool is_mirrored(std::uint32_t c, const Stream<ValueId>& stream, std::size_t token);
  bool all_zero() const;
  bool allowed(const Cell& cell);
  bool unit(const std::vector<ValueId>& values);
  ValueId negated(ValueId value);

  const Model& model_;
  Exact& arithmetic_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> unnamed_, mirrored_;  ///< coordinates; of mirrors the first
  std::vector<Part> parts_;                        ///< by segment
  std::optional<BrokenCell> broken_;
  // Of one run: ids of numbers mean nothing in the next.
  ValueId one_{}, minus_one_{};
  std::vector<ValueId> held_;            ///< by the cell that is looked at
  std::optional<Stream<ValueId>> seen_;  ///< after the sublayer before
  std::map<std::vector<ValueId>, bool> units_;
  std::vector<ValueId> negatives_;  ///< by the number; zero where it is not yet known
  std::map<std::string, ValueId> constants_;
};

}  // namespace logdepth::inline proofs_check_check
