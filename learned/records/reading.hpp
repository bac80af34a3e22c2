#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace logdepth { inline namespace learned_records {

/// An object of a stored run, whose fields are what they should be or are refused. Errors of all:
/// InputError "PLACE.NAME: expected ...".
class RecordFields {
 public:
  /// `place`: as in "runs/one/record.json: result". The object must outlive this.
  RecordFields(const nlohmann::ordered_json& json, std::string place);

  /// A number up to 2^53, so that whole ones are exact.
  double number(const char* name) const;
  double share(const char* name) const;  ///< a number from 0 to 1
  /// A whole number from `least` to 10^9.
  std::uint32_t count(const char* name, std::uint32_t least = 1) const;
  std::string text(const char* name) const;
  bool truth(const char* name) const;
  const nlohmann::ordered_json& list(const char* name) const;
  std::vector<double> numbers(const char* name) const;
  std::vector<double> shares(const char* name) const;  ///< a list of numbers from 0 to 1
  bool has(const char* name) const { return json_.contains(name); }
  /// It is there, without a value.
  bool is_null(const char* name) const { return has(name) && json_[name].is_null(); }
  RecordFields object(const char* name) const;
  /// The fields of the object `item`, an entry of the list `name`.
  RecordFields entry(const char* name, const nlohmann::ordered_json& item) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& expected) const;

 protected:
  const nlohmann::ordered_json& json_;
  std::string place_;

 private:
  using Typed = bool (nlohmann::ordered_json::*)() const noexcept;
  const nlohmann::ordered_json& typed(const char* name, Typed is_typed, const char* expected) const;
};

/// One number that was measured on a trained network: the score of samples of one difficulty after so many
/// iterations. Every task writes its results in this form too, and reports read nothing else of a result.
struct RunReading {
  std::string
      of;  ///< the difficulty that `at` counts: letters, hops, nesting depth, nodes, graph depth, distance, ...
  double at = 0;
  /// Of the repeated block: a mean where the network decides itself, absent where none of the samples came to an end.
  std::optional<double> iterations;
  std::optional<double> layers = {};  ///< executed in so many iterations
  double score = 0;                   ///< share of the samples, 0 to 1
  double samples = 0;
  std::string what =
      "right";  ///< what the score counts: right, solved, nodes, mended, false positives, ...
  /// Whether the network ran as it does by itself. False where the measurement imposed the iterations: such readings
  /// do not count where no iterations are named.
  bool own = true;

  bool operator==(const RunReading&) const = default;
};
using RunReadings = std::vector<RunReading>;

/// `what` and `own` are left out where they are as above.
nlohmann::ordered_json to_json(const RunReading& reading);
/// Errors: those of RecordFields, whose place names the file.
RunReading reading_from_json(const RecordFields& json);

/// n*: the largest `at` up to which every one that was measured has the score, each at the most iterations that it
/// was measured with. 0 where not even the least has it; of distances, which begin at 0, then -1.
double reached(const RunReadings& readings, double threshold = 0.95);

/// Scores are quotients of counts: comparisons with a decimal threshold allow for its rounding.
inline constexpr double kScoreRounding = 1e-9;

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
};

/// The name of a score that is a whole number, the size of what a network does, and no share.
inline constexpr const char* kSizeScore = "n*";

/// Whether a point is taken after `step` steps: first, 2 first, 4 first, ...; never if first is 0.
bool is_curve_step(std::uint64_t step, std::uint64_t first);

nlohmann::ordered_json to_json(const LearningCurve& curve);
/// Errors: those of nlohmann::json for what is not such a curve.
LearningCurve learning_curve_from_json(const nlohmann::ordered_json& json);

}}  // namespace logdepth::learned_records
