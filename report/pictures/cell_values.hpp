#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/exact/run_model.hpp"

namespace logdepth::inline report_pictures {

/// What the cells of a token hold, in words: numbers exact where they are short, else rounded; of a
/// one-hot cell its label, where the file's program says it. Cells that are zero and constants are
/// left out.
class CellValues {
 public:
  explicit CellValues(const Model& model);

  /// "E = 3/5 4/5, d.0 = 3, ..."; empty where the file names no cells.
  std::string text(const Stream<ValueId>& stream, std::size_t token, const ValuePool& pool) const;

 private:
  struct NamedCell {
    std::string name;
    std::vector<std::uint32_t> coordinates;
    std::vector<std::string> labels;  ///< of a one-hot cell
  };
  std::vector<NamedCell> cells_;
};

}  // namespace logdepth::inline report_pictures
