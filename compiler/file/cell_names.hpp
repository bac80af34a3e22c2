#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_file {

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
  explicit CellNames(const Model& model);

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
  std::vector<NamedCell> cells_;  ///< by first coordinate
  std::vector<std::optional<Place>> place_;
};

/// "3…5, 9" from increasing numbers; of more than `limit` ranges the first ones and the last.
std::string number_ranges(const std::vector<std::uint32_t>& numbers, std::size_t limit);

/// Groups cell names, which keep their order, into families.
std::vector<CellFamily> group_families(const std::vector<std::string>& names);

}  // namespace logdepth::inline compiler_file
