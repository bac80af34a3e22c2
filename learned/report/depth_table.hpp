#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/run_record.hpp"
#include "learned/report/depth_points.hpp"
#include "learned/report/law_verdict.hpp"
#include "learned/report/line_fit.hpp"
#include "learned/report/published_line.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth::inline learned_report {

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
  /// Width of the residual stream and numbers of the file; where there is a network per size, those
  /// of the one for `file_of`. 0 where nothing is built.
  std::uint64_t width = 0, numbers = 0, file_of = 0;
  std::string verification;  ///< how the weights were compared with an oracle
};
const char* form_label(ConstructedCurve::Form form);

/// What a cell about trained networks is.
enum class CellStatus {
  measured,        ///< a curve through at least three uncensored depths
  still_rising,    ///< as budget_limited, and a learning curve still rose at the end
  falling,         ///< as budget_limited; none rose, but one fell
  flat,            ///< as budget_limited, but every learning curve was flat at the end
  budget_limited,  ///< the budget ended what was not finished; learning curves are not recorded
  not_fitted       ///< too few uncensored depths
};
const char* status_label(CellStatus status);

/// By how much the tokens of training grow with every doubling of what is passed, over the runs that
/// passed two sizes.
struct TokenGrowth {
  report::Range factor;
  std::size_t runs = 0;  ///< of the series, also those that passed fewer
};

struct LearnedRow {
  LearnedSeries series;
  DepthFit best, median;
  CellStatus status = CellStatus::not_fitted;
  LawVerdict verdict;
  std::optional<TokenGrowth> tokens;  ///< absent where no run passed two sizes
  std::vector<DepthFit> run_fits;     ///< of a series by loops, one for each of its runs
  std::vector<std::string> notes;

  /// What the series says of its law: that of the best seed, or of the median one where training
  /// has settled only that.
  const DepthFit& law() const { return best.fitted() || !median.fitted() ? best : median; }
};

struct WidthRow {
  LearnedWidths series;
  WidthFit best;
};

struct DepthProblem {
  std::string name;  ///< "S3", "reachability"
  std::string size;  ///< what depth grows with: "n letters", "distance h"
  std::vector<ConstructedCurve> constructed;
  std::vector<LearnedRow> learned;
  std::optional<PublishedLine> published;
};

/// Learned, published, claimed, repaired and optimised curves of depth, problem by problem.
struct DepthTable {
  std::string command;               ///< that makes it
  std::size_t records = 0;           ///< training runs that were read
  std::size_t repeated_runs = 0;     ///< of them, those that repeat another one: left out
  std::size_t constructed_runs = 0;  ///< of them, networks made from weights files: left out
  std::vector<DepthProblem> problems;
  std::vector<WidthRow> widths;
  std::optional<PublishedLine> published_widths;  ///< the first that is about widths
};

/// At most this many letters, with a curriculum that was never finished, says more about the
/// budget than about depth: such a series is not fitted.
inline constexpr double kSmallReach = 4;

/// Problems stand in the order of `constructed`, then in that of the names of the others. `seed`:
/// of the resampling. Errors: as depth_series.
DepthTable depth_table(const std::vector<RunRecord>& records,
                       const std::vector<ConstructedCurve>& constructed,
                       const std::vector<PublishedLine>& published, std::uint64_t seed = 1);

/// The picture of one problem.
struct DepthFigure {
  std::string problem;
  std::string file;  ///< "depth-A5.svg"
  std::string svg;
};

// The same content in three forms; the same table gives the same bytes.
/// With the files of the figures, to be shown.
std::string depth_table_markdown(const DepthTable& table, const std::vector<DepthFigure>& figures);
/// A page by itself, with the figures in it.
std::string depth_table_html(const DepthTable& table, const std::vector<DepthFigure>& figures);
std::string depth_table_json(const DepthTable& table);  ///< schema logdepth/compare-depth/1

}  // namespace logdepth::inline learned_report
