#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/report/criteria.hpp"
#include "learned/report/series.hpp"
#include "report/report.hpp"

namespace logdepth { inline namespace learned_report {

/// Writes the files to the folder, which is made if need be. Result: their names. Errors:
/// InputError when one cannot be written; before any is where a folder has its name.
std::vector<std::string> write_report_files(const std::vector<report::File>& files,
                                            const std::string& folder);

/// The page NAME.md of runs and of a paper, of all runs without one: verdicts, a table for each difficulty with a row a
/// series, one figure; NAME.json holds the same. Errors: InputError without runs that the paper is about.
report::Report comparison(const std::vector<RunSeries>& all, const PaperFile& paper);

/// A construction's depth at every size, as whoever counted it hands it over.
struct ConstructedCurve {
  enum class Form {
    claimed,   ///< a formula of the paper, not built
    repaired,  ///< the paper's construction, made right
    optimised  ///< the fewest layers
  };
  std::string problem;  ///< "S3"
  Form form = Form::repaired;
  std::string construction;                                     ///< "tree"
  std::string encoding;                                         ///< of positions
  std::string formula;                                          ///< "2 ceil(log2 n) + 4"
  std::vector<std::pair<std::uint64_t, std::uint64_t>> depths;  ///< size and layers
  std::optional<double> slope;                                  ///< layers per doubling
  /// Width of the residual stream and nonzero weights; where there is a network per size, those of the one for
  /// `file_of`. 0 where nothing is built.
  std::uint64_t width = 0, numbers = 0, file_of = 0;
  std::string verification;  ///< how the weights were compared with an oracle
};

/// The page depth.md: layers for n letters, constructed, claimed and published, beside those of trained networks of
/// word problems, whose depth is fixed and whose length is free, or whose iterations a schedule prescribes. A
/// construction with several encodings of positions is shown in that of the fewest layers. The runs that the paper is
/// about may be none. `command`: that makes the page.
report::Report layers_page(const std::vector<RunSeries>& runs, const PaperFile& paper,
                           const std::vector<ConstructedCurve>& constructed,
                           const std::string& command);

}}  // namespace logdepth::learned_report
