#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "learned/records/task.hpp"

namespace logdepth { inline namespace learned_depth_recurrent {

/// The token behind that of padding, 0.
inline constexpr std::int32_t kClassToken = 1;

/// Accuracies by difficulty of the samples and number of loops of the model.
struct AccuracyHeatmap {
  std::vector<std::uint32_t> difficulties;    ///< of the rows, growing
  std::vector<std::uint32_t> loops;           ///< of the columns, growing
  std::vector<std::vector<double>> accuracy;  ///< [difficulties][loops], 0 to 1
};

/// For each number of loops the largest difficulty such that it and every smaller one reach the
/// threshold; 0 where not even the smallest does.
std::vector<std::uint32_t> frontier(const AccuracyHeatmap& heatmap, double threshold);

/// The largest difficulty that reaches the threshold at some number of loops; 0 without one.
std::uint32_t largest_solved(const AccuracyHeatmap& heatmap, double threshold);

/// What the tasks of this paper have in common: questions with the answer yes or no and a
/// difficulty, a whole number of at least 1, which say how many loops they may need.
struct DifficultySettings : TaskSettings {
  std::uint32_t easiest = 1, hardest = 5;  ///< trained on, every one as often
  std::uint32_t batch = 64;
  std::vector<std::uint32_t> tested;      ///< difficulties that are measured, growing
  std::vector<std::uint32_t> test_loops;  ///< numbers of loops that are measured, growing
  std::uint32_t validation = 1000;        ///< samples per difficulty
  double threshold = 0.95;                ///< of the frontier

  void validate() const override;
  std::uint32_t most_loops() const override;
  RunReadings readings(const RecordFields& result, const ModelConfig& model) const override;

 protected:
  /// What readings call a difficulty: "hops".
  virtual const char* difficulty() const = 0;
  void visit_difficulties(SettingVisitor& visit);
};

/// A question to be made: what it is like, and the random numbers that decide the rest.
struct DifficultyQuestion {
  enum class Use { training, measurement };
  std::uint32_t difficulty = 0;
  bool answer = false;
  CounterRandom random;
};

/// Samples of a training batch have difficulties drawn from easiest ... hardest; answers alternate,
/// no first. `measure` gives accuracies by difficulty and number of loops, the same samples for
/// every number of loops, and what is read off them as above.
class DifficultyTask : public Task {
 public:
  using Json = nlohmann::ordered_json;

  Samples training_batch(std::size_t stage, std::uint64_t step) const override;
  Json measure(const Predictor& predictor, std::size_t stage,
               const MeasureProgress& progress) const override;
  /// Of the hardest trained difficulty at the largest number of loops.
  Score score(const Predictor& predictor, std::size_t stage) const override;
  std::string score_name() const override;
  std::string summary(const Json& result) const override;

 protected:
  using Questions = std::vector<DifficultyQuestion>;
  using Use = DifficultyQuestion::Use;

  explicit DifficultyTask(std::uint64_t seed) : seed_(seed) {}

  virtual const DifficultySettings& settings() const = 0;
  /// What a difficulty is called in results.
  virtual const char* unit() const { return "depth"; }
  /// As in "5 hops".
  virtual std::string difficulty_text(std::uint32_t difficulty) const;
  /// What is asked about, as in "twin, 36 vertices".
  virtual std::string subject() const = 0;
  /// The samples without targets and labels, one for each question.
  virtual Samples inputs(Questions questions, Use use) const = 0;
  /// Adds to a result what is particular to the task.
  virtual void add_to_result(Json&) const {}

  /// Errors: InputError naming a setting of DifficultySettings that is out of range.
  void check_difficulties() const;
  /// All questions about one difficulty that a measurement asks.
  Questions validation_questions(std::uint32_t difficulty) const;
  /// Makes two samples of every difficulty that is trained on or measured. Errors: those of
  /// `inputs`, where there are none.
  void try_every_difficulty() const;

 private:
  Samples samples(Questions questions, Use use) const;
  /// Those from `first` on, as many as a predictor is given at once.
  Samples validation_samples(std::uint32_t difficulty, std::size_t first) const;

  std::uint64_t seed_;
};

}}  // namespace logdepth::learned_depth_recurrent
