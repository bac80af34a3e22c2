#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace logdepth::inline learned_records {

/// The score of a run (Task::score) after some numbers of steps.
struct LearningCurve {
  struct Point {
    std::uint64_t steps = 0;
    double score = 0;
    std::uint64_t tokens = 0;           ///< trained on until then; 0: not recorded
    std::vector<double> accuracy = {};  ///< at each index, of tasks that have indices
    std::vector<double> by_loops =
        {};  ///< the score after 1, 2, ... loops, up to those it then ran
  };
  std::string score;          ///< what it is
  std::vector<Point> points;  ///< steps grow; the last one is the end of the run
  /// Where the same run ended before it was given more steps: there its rate had fallen as it has at
  /// the last point, which `points` of the full rate before have not.
  std::vector<Point> ends = {};

  enum class Trend { unknown, rising, flat, falling };
  /// What the second half of the steps did to the score. A size that was reached (kSizeScore) is flat
  /// where every point of that half has it, rising where it ends as its largest, else falling. A share
  /// is rising where it grew by more than a fiftieth, else flat. Unknown without a point in the first
  /// half. Where the run ended in the first half before, that end alone is compared with the last one:
  /// what the fall of the rate adds is in both.
  Trend trend() const;
  /// The curve of the same network run so many times (at least 1): of the points that tell loops
  /// apart, with 0 where it did not run so often yet.
  LearningCurve after_loops(std::uint64_t loops) const;
};

/// The name of a score that is a whole number, the size of what a network does, and no share.
inline constexpr const char* kSizeScore = "n*";

/// "still improving", "plateaued", "falling", "no learning curve".
const char* trend_name(LearningCurve::Trend trend);

/// Whether a point is taken after `step` steps: first, 2 first, 4 first, ...; never if first is 0.
bool is_curve_step(std::uint64_t step, std::uint64_t first);

nlohmann::ordered_json to_json(const LearningCurve& curve);
/// Errors: those of nlohmann::json for what is not such a curve.
LearningCurve learning_curve_from_json(const nlohmann::ordered_json& json);

}  // namespace logdepth::inline learned_records
