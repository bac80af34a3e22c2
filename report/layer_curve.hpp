#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace logdepth::report {

/// One form of a theorem for one problem, and its layers at every size, as whoever counted them hands them over.
struct LayerCurve {
  std::string problem;  ///< "S3", "reachability"
  std::string label;  ///< "as claimed" (a formula of the paper, not built), "repaired", "optimised"
  std::string
      construction;  ///< "tree", "scan", "cascade", "radix 4 (a network per n)", "Thm 4.1, uniform"
  std::string encoding;  ///< of positions: "first-flag", "two-circle", "table"
  std::string formula;   ///< "2 ceil(log2 n) + 4"
  /// Size and layers. Sizes are letters of a word, or the distance h between two vertices of a
  /// graph with h + 1 of them, the longest there is.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> depths;
  /// Layers per doubling of the size: the least-squares line through `depths` over log2 of the
  /// size. Absent for fewer than two sizes.
  std::optional<double> slope;
  /// Width of the residual stream, and numbers in the file that are not 0; where there is a network
  /// per size, those of the one for `file_of`. 0 where nothing is built.
  std::uint64_t width = 0, numbers = 0, file_of = 0;
  /// What was compared with an oracle and how it ended, as a phrase; for formulas that nothing was.
  std::string verification;
};

}  // namespace logdepth::report
