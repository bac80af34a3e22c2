#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learned/records/learning_curve.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/line_fit.hpp"

namespace logdepth {

/// One trained network in a series, or one number of loops of it.
struct RunPoint {
  DepthPoint point;
  bool ended_early = false;  ///< by seconds or an interruption, before its steps were done
  /// The curriculum did not come to its last stage.
  bool unfinished = false;
  LearningCurve::Trend trend = LearningCurve::Trend::unknown;  ///< at the end of training
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
  std::string shape;        ///< of looped networks "(0, 1, 0)", what (s, r, t) is; else empty
  std::uint32_t width = 0;  ///< of the residual stream
  std::string device;       ///< "cpu", "cuda"
  /// What tells it from a series alike in all of the above, "model.heads=8"; and a control says so.
  std::string setting;
  std::string reach;             ///< "n*", "h*", "hops"
  std::string unit;              ///< what it counts: "letters", "hops"
  double threshold = 0;          ///< accuracy or recall that counts as solved
  std::vector<RunPoint> points;  ///< by depth, then in the order of the records
  SeriesCost cost;

  std::vector<DepthPoint> depth_points() const;
};

/// Trained networks that differ in width (and with it heads and hidden units) and seed only.
struct LearnedWidths {
  std::string problem, kind, shape, device, setting, reach;
  double depth = 0;
  std::vector<RunPoint> points;  ///< `depth` holds log2 of the width
  SeriesCost cost;

  std::vector<DepthPoint> width_points() const;
};

/// The series of these records whose task has a reading of depth; other tasks, and networks that
/// were made from a weights file, are left out. The depth is what was executed: s + r * loops + t, where
/// loops that grow with the input are those of the longest input that was measured. A looped
/// network that ran its loop once is a stack, and also a point of the loops of its shape, if there
/// are any. Errors: InputError naming the run's folder, for a result that is not one of its task.
std::vector<LearnedSeries> depth_series(const std::vector<RunRecord>& records);

/// The series with at least two widths; not of tasks that ask one network at several depths.
std::vector<LearnedWidths> width_series(const std::vector<RunRecord>& records);

}  // namespace logdepth
