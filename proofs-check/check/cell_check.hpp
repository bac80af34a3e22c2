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
/// is. A file without an index is not looked at. What a sublayer left as it was has been looked at, and
/// so has a tuple that was right in an earlier token or run, or a column of them.
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
    std::vector<std::uint32_t> coordinates, segments;
    std::optional<BrokenCell::Rule> type;  ///< what its type allows, where that is anything
    bool scratch = false, erased = false;
    std::optional<ValueId> first;  ///< of a constant, in this run
    bool looked_at = false;  ///< it has to be blank after this sublayer, and something is there
  };
  /// What a change of one segment can break.
  struct Part {
    std::vector<std::size_t> cells;   ///< of the types that the segment alone shows
    std::vector<std::size_t> others;  ///< constants, and cells that reach into other segments
    std::vector<std::uint32_t> unnamed;
    struct Mirror {
      std::uint32_t segment;
      std::vector<std::uint32_t> coordinates;  ///< of the cell
      std::vector<TupleId> known;  ///< by tuple, the latest one there that is its mirror
    };
    std::vector<Mirror> mirrors;        ///< by the segment of the other half
    std::vector<char> right;            ///< by tuple: cells and unnamed coordinates are right
    std::vector<std::uint32_t> beside;  ///< segments of mirrors and of `others`
    std::optional<Memo> columns;  ///< of it and of these: kRight where the whole stream was right
  };
  void begin(const Stream<ValueId>& stream);
  void forget_columns();
  void look(const Location& location, const Stream<ValueId>& stream);
  /// Fills changes_right_.
  void look_at_changes(const Stream<ValueId>& stream);
  /// What is known of the columns of a part and of those beside it.
  std::uint32_t& known_columns(Part& part, std::size_t segment, const Stream<ValueId>& stream);
  void hold(const Cell& cell, const Stream<ValueId>& stream, std::size_t token);
  bool is_mirrored(std::uint32_t c, const Stream<ValueId>& stream, std::size_t token);
  bool all_zero() const;
  bool is_right(Part& part, const Stream<ValueId>& stream, std::size_t token);
  bool are_mirrors(Part::Mirror& mirror, std::size_t segment, const Stream<ValueId>& stream,
                   std::size_t token);
  bool allowed(Cell& cell);
  bool unit(const std::vector<ValueId>& values);
  ValueId negated(ValueId value);
  /// Whether constants of a part that were right once are those of this run.
  bool same_constants(const Part& part, const Stream<ValueId>& stream);

  const Model& model_;
  Exact& arithmetic_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> unnamed_, mirrored_;  ///< coordinates; of mirrors the first
  std::vector<Part> parts_;                        ///< by segment
  std::optional<BrokenCell> broken_;
  // As long as ids of numbers and tuples keep their meaning.
  ValueId one_{}, minus_one_{};
  std::vector<ValueId> held_;            ///< by the cell that is looked at
  std::optional<Stream<ValueId>> seen_;  ///< after the sublayer before
  std::vector<char> changes_right_;  ///< per token: what the sublayer changed is as it should be
  std::map<std::vector<ValueId>, bool> units_;
  std::vector<ValueId> negatives_;  ///< by the number; zero where it is not yet known
  std::uint64_t columns_cleared_ = 0;
  std::vector<ColumnNumber> columns_;   ///< of the part that is looked at
  std::vector<std::size_t> new_parts_;  ///< whose columns are not known to be right
};

}  // namespace logdepth::inline proofs_check_check
