#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/program/program.hpp"
#include "logdepth/inspect.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace compiler_file {

/// Cells that differ only in the number after the last dot, in increasing order of that number:
/// d.0, d.1, ... Every other cell is a family of its own.
struct CellFamily {
  std::string text;  ///< "d.0…d.4", "I", "d.0…d.9 (7 cells)"
  std::vector<std::string> cells;
};

/// Coordinates of the residual stream in words, by the file's optional `cells` index. A coordinate
/// without a name is written h[7]; under layernorm, the mirror of a named cell is left out.
class CellNames {
 public:
  /// `program`: its labels name the components of one-hot cells, "cur=b" in place of "cur[2]".
  explicit CellNames(const Model& model, const Program* program = nullptr);

  /// Items such as "I", "d.0…d.4", "a[1]", "parts of d.0…d.4", "h[7…9]"; none for no coordinates.
  std::vector<std::string> describe(const std::set<std::uint32_t>& coordinates) const;
  /// The coordinates and all others of the named cells they belong to.
  std::set<std::uint32_t> whole_cells(const std::set<std::uint32_t>& coordinates) const;
  /// One item per group of copies (to, from): "sd.0…sd.4 := d.0…d.4", with `sign` for ":=".
  std::vector<std::string> describe_copies(
      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& copies,
      const std::string& sign) const;
  /// "d.0[2]", "fst", "h[7]".
  std::string component(std::uint32_t coordinate) const;
  /// The names of their cells, each once, in the order of the coordinates; mirrors are those of what they
  /// mirror, and a coordinate without a name is a cell of its own.
  std::vector<std::string> cells(const std::set<std::uint32_t>& coordinates) const;
  bool is_mirror(std::uint32_t coordinate) const;

  /// Families of the whole index, in the order of their first coordinates.
  std::vector<CellFamily> families() const;

 private:
  struct Place {
    std::size_t cell = 0;   ///< in cells_
    std::size_t index = 0;  ///< component
  };
  struct NamedCell {
    std::string name;
    const CellIndex* index;
  };

  const Model& model_;
  const Program* program_;
  std::vector<NamedCell> cells_;  ///< by first coordinate
  std::vector<std::optional<Place>> place_;
};

/// "3…5, 9" from increasing numbers; of more than `limit` ranges the first ones and the last.
std::string number_ranges(const std::vector<std::uint32_t>& numbers, std::size_t limit);

/// Groups cell names, which keep their order, into families.
std::vector<CellFamily> group_families(const std::vector<std::string>& names);

/// "a[0] - 1/2 b[1]", mirrors left out.
std::string linear_form(const CellNames& names, const SparseVector& form);

/// What a head promises to select, for the drawings: "exactly one position", ...
std::string contract_text(const CellNames& names, const Contract& contract);

/// What a head writes: copies ("sd := d"; one target, one value row, one source, up to a positive factor) and
/// means. `blank`: the targets are proved to be zero before; otherwise it only adds.
std::vector<std::string> head_writes(const CellNames& names, const Head& head, bool blank);

/// What the file says that the states are called whose images its prefix products are
/// (`parameters.states`, a list as JSON text, as `compile regular` writes it from the names in a
/// user's automaton, which begins in state 0); empty where it says nothing of that kind.
std::vector<std::string> names_of_states(const Model& model);

/// The coordinates that the embedding writes, and those that the code of positions does.
std::set<std::uint32_t> embedded_coordinates(const Model& model);
std::set<std::uint32_t> position_coordinates(const Model& model);

/// All cells of the file's index, in the order of their first coordinates; none where the file has
/// no index. Names of heads and look-ups are those of the embedded program where it fits the
/// weights; otherwise heads have numbers, and feed-forward sublayers are one part each.
std::vector<CellSheet> cell_meanings(const Model& model);

}}  // namespace logdepth::compiler_file
