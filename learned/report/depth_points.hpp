#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/depth_reading.hpp"
#include "learned/records/learning_curve.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/line_fit.hpp"
#include "learned/report/passed_sizes.hpp"

namespace logdepth::inline learned_report {

/// One trained network in a series, or one number of loops of it.
struct RunPoint {
  DepthPoint point;
  std::size_t run = 0;                             ///< of the series
  std::optional<DepthReading::Interval> interval;  ///< of the reach
  std::optional<double>
      loose;                 ///< the largest single size that is solved, whatever smaller ones are
  bool ended_early = false;  ///< by seconds or an interruption, before its steps were done
  /// The curriculum did not come to its last stage.
  bool unfinished = false;
  LearningCurve::Trend trend = LearningCurve::Trend::unknown;  ///< of its reach in training
};

/// One training in a series. What a record does not name is 0.
struct SeriesRun {
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
  double tokens = 0, parameters = 0;
  std::vector<PassedSize> passed;  ///< of words
  /// It took fewer steps than twice those of the first point of its curve, so that none is in the first
  /// half and nothing can have plateaued.
  bool brief = false;
  std::vector<double> accuracy = {};  ///< at sizes 1, 2, ..., of its own number of loops
  std::vector<double> circuit = {};   ///< as in DepthReading
};

/// What a series is measured on, for the report.
struct SeriesCost {
  std::size_t runs = 0;
  double seconds = 0, least = 0, most = 0;  ///< of training: the sum, and per run
  std::vector<std::string> processors;      ///< each once, sorted
};

/// Trained networks that differ in depth and seed only.
struct LearnedSeries {
  std::string problem;  ///< "S3", or "reachability"
  /// "stack", "loop", "adaptive loop", "row tokens", "pair tokens", "masked recurrence",
  /// "unmasked recurrence".
  std::string kind;
  std::string shape;  ///< of looped networks "(0, 1, 0)", what (s, r, t) is; else empty
  /// One network at every number of loops, instead of a network for each depth.
  bool by_loops = false;
  std::uint32_t width = 0;  ///< of the residual stream
  std::string device;       ///< "cpu", "cuda"
  /// What tells it from a series alike in all of the above, "model.heads=8"; and a control says so.
  std::string setting;
  std::string reach;             ///< "n*", "h*", "hops"
  std::string unit;              ///< what it counts: "letters", "hops"
  double threshold = 0;          ///< accuracy or recall that counts as solved
  std::optional<bool> solvable;  ///< of words over a monoid: whether all of its groups are
  std::vector<RunPoint> points;  ///< by depth, then in the order of the records
  std::vector<SeriesRun> runs;   ///< in the order of the records
  std::size_t diverged = 0;      ///< runs without a result, which are none of `runs`
  SeriesCost cost;

  /// Those of a series by loops say which network they are of, and a network that was never trained
  /// for as many loops as another is absent there.
  std::vector<DepthPoint> depth_points() const;
  std::vector<DepthPoint> depth_points(std::size_t run) const;  ///< those of one run
  /// Whether the runs were given what free training has to find; the figure of all groups leaves them out.
  bool control() const { return setting.find("control: ") != std::string::npos; }
};

/// Trained networks that differ in width (and with it heads and hidden units) and seed only.
struct LearnedWidths {
  std::string problem, kind, shape, device, setting, reach;
  double depth = 0;
  std::vector<RunPoint> points;  ///< `depth` holds log2 of the width; none of runs that diverged
  SeriesCost cost;

  std::vector<DepthPoint> width_points() const;
};

/// The series of these records whose task has a reading of depth; other tasks, and networks that
/// were made from a weights file, are left out. Records of a series agree in all settings of task,
/// model and training but depth, width and budget. The depth is what was executed: s + r * loops + t,
/// where loops that grow with the input are those of the longest input that was measured. A looped
/// network that ran its loop once is a stack, and also a point of the loops of its shape, if there
/// are any. A network that was asked at several numbers of loops is in a series by loops; one whose
/// loops grow with the input is nowhere else. Errors: InputError naming the run's folder, for a
/// result that is not one of its task.
std::vector<LearnedSeries> depth_series(const std::vector<RunRecord>& records);

/// The series with at least two widths, under the model's own number of loops; rates of learning may
/// differ with the width.
std::vector<LearnedWidths> width_series(const std::vector<RunRecord>& records);

}  // namespace logdepth::inline learned_report
