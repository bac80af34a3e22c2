#include "learned/depth_recurrent/difficulty_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "learned/records/training_config.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_depth_recurrent {

std::vector<std::uint32_t> frontier(const AccuracyHeatmap& heatmap, double threshold) {
  std::vector<std::uint32_t> reached(heatmap.loops.size());
  for (std::size_t column = 0; column < reached.size(); ++column)
    for (std::size_t row = 0; row < heatmap.difficulties.size(); ++row) {
      if (!(heatmap.accuracy[row][column] >= threshold)) break;
      reached[column] = heatmap.difficulties[row];
    }
  return reached;
}

std::uint32_t largest_solved(const AccuracyHeatmap& heatmap, double threshold) {
  std::uint32_t largest = 0;
  for (std::size_t row = 0; row < heatmap.difficulties.size(); ++row)
    for (const double accuracy : heatmap.accuracy[row])
      if (accuracy >= threshold) largest = std::max(largest, heatmap.difficulties[row]);
  return largest;
}

namespace {

/// Samples that a predictor is given at once in a measurement.
constexpr std::size_t kMeasuredAtOnce = 250;

void require_growing(const std::vector<std::uint32_t>& numbers, const std::string& setting) {
  bool growing = !numbers.empty() && numbers.front() >= 1;
  for (std::size_t i = 1; i < numbers.size(); ++i) growing &= numbers[i - 1] < numbers[i];
  require(growing, setting + ": expected increasing numbers of at least 1");
}

std::size_t count_right(const Samples& samples, const Answers& answers) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < samples.count; ++i) right += answers.at(i) == samples.targets[i];
  return right;
}

}  // namespace

void DifficultySettings::visit_difficulties(SettingVisitor& visit) {
  visit("easiest", easiest);
  visit("hardest", hardest);
  visit("batch", batch);
  visit("tested", tested);
  visit("test_loops", test_loops);
  visit("validation", validation);
  visit("threshold", threshold);
}

void DifficultySettings::validate() const {
  for (const std::uint32_t loops : test_loops)
    require(loops <= kLoopLimit, fmt::format("task.test_loops: expected at most {}", kLoopLimit));
}

std::uint32_t DifficultySettings::most_loops() const {
  return test_loops.empty() ? 0 : *std::max_element(test_loops.begin(), test_loops.end());
}

RunReadings DifficultySettings::readings(const RecordFields& result,
                                         const ModelConfig& model) const {
  const std::vector<double> difficulties = result.numbers("difficulties"),
                            loops = result.numbers("loops");
  const nlohmann::ordered_json& accuracy = result.list("accuracy");
  if (accuracy.size() != difficulties.size())
    result.refuse("accuracy", "a row for each difficulty");
  RunReadings readings;
  for (std::size_t row = 0; row < accuracy.size(); ++row) {
    if (!accuracy[row].is_array() || accuracy[row].size() != loops.size())
      result.refuse("accuracy", "a number for each number of loops");
    for (std::size_t column = 0; column < loops.size(); ++column) {
      if (!accuracy[row][column].is_number()) result.refuse("accuracy", "numbers");
      readings.push_back({.of = difficulty(),
                          .at = difficulties[row],
                          .iterations = loops[column],
                          .score = accuracy[row][column].get<double>(),
                          .samples = result.number("samples"),
                          // By itself a network runs as often as it did at most in training.
                          .own = loops.size() == 1 || loops[column] == model.loops.most});
    }
  }
  return readings;
}

std::string DifficultyTask::difficulty_text(std::uint32_t difficulty) const {
  return fmt::format("depth {}", difficulty);
}

void DifficultyTask::check_difficulties() const {
  const DifficultySettings& c = settings();
  require(
      c.easiest >= 1 && c.easiest <= c.hardest,
      fmt::format("task.easiest: expected 1 to task.hardest = {}, found {}", c.hardest, c.easiest));
  require_growing(c.tested, "task.tested");
  require_growing(c.test_loops, "task.test_loops");
  require(c.batch >= 1 && c.batch <= 65536, "task.batch: expected 1 to 65536");
  require(c.validation >= 2 && c.validation % 2 == 0,
          "task.validation: expected an even number of at least 2, half of them true");
  require(c.threshold > 0.5 && c.threshold <= 1,
          "task.threshold: expected more than 0.5, which a coin reaches, and at most 1");
}

Samples DifficultyTask::training_batch(std::size_t, std::uint64_t step) const {
  Questions questions;
  for (std::uint32_t i = 0; i < settings().batch; ++i) {
    CounterRandom random(seed_, RandomStream::training, step, i);
    const auto difficulty = static_cast<std::uint32_t>(
        settings().easiest + random.below(settings().hardest - settings().easiest + 1));
    questions.push_back({difficulty, i % 2 == 1, random});
  }
  return samples(std::move(questions), Use::training);
}

nlohmann::ordered_json DifficultyTask::measure(const Predictor& predictor, std::size_t,
                                               const MeasureProgress& progress) const {
  AccuracyHeatmap heatmap{settings().tested, settings().test_loops, {}};
  const std::size_t total = heatmap.difficulties.size() * settings().validation;
  std::size_t done = 0;
  for (const std::uint32_t difficulty : heatmap.difficulties) {
    std::vector<std::size_t> right(heatmap.loops.size());
    for (std::size_t first = 0; first < settings().validation; first += kMeasuredAtOnce) {
      const Samples samples = validation_samples(difficulty, first);
      const std::vector<Answers> answers = predictor.answers_after(samples, heatmap.loops);
      for (std::size_t column = 0; column < right.size(); ++column)
        right[column] += count_right(samples, answers.at(column));
      done += samples.count;
      if (progress) progress(done, total);
    }
    std::vector<double>& row = heatmap.accuracy.emplace_back();
    for (const std::size_t count : right) row.push_back(share_of(count, settings().validation));
  }
  Json result;
  result["kind"] = settings().kind();
  result["difficulty"] = unit();
  result["difficulties"] = heatmap.difficulties;
  result["loops"] = heatmap.loops;
  result["samples"] = settings().validation;
  result["threshold"] = settings().threshold;
  result["accuracy"] = heatmap.accuracy;
  result["frontier"] = Json::array();
  const std::vector<std::uint32_t> reached = frontier(heatmap, settings().threshold);
  for (std::size_t i = 0; i < reached.size(); ++i)
    result["frontier"].push_back({{"loops", heatmap.loops[i]}, {"difficulty", reached[i]}});
  result["largest_solved"] = largest_solved(heatmap, settings().threshold);
  add_to_result(result);
  return result;
}

Score DifficultyTask::score(const Predictor& predictor, std::size_t) const {
  const Samples samples = validation_samples(settings().hardest, 0);
  const Answers answers = predictor.answers(samples, settings().test_loops.back());
  return {share_of(count_right(samples, answers), samples.count)};
}

std::string DifficultyTask::score_name() const {
  return fmt::format("share of right answers, {} at T = {}", difficulty_text(settings().hardest),
                     settings().test_loops.back());
}

std::string DifficultyTask::summary(const Json& result) const {
  const auto largest = result["largest_solved"].get<std::uint32_t>();
  std::string text =
      fmt::format("{}: {} solved;", subject(), largest == 0 ? "nothing" : difficulty_text(largest));
  for (const Json& entry : result["frontier"])
    text += std::string(&entry == &result["frontier"].front() ? "" : ",") +
            " T = " + entry["loops"].dump() + ": " + entry["difficulty"].dump();
  // The hardest that was trained, among those measured.
  const std::vector<std::uint32_t>& tested = settings().tested;
  const auto beyond = std::upper_bound(tested.begin() + 1, tested.end(), settings().hardest);
  const auto row = static_cast<std::size_t>(beyond - tested.begin()) - 1;
  text += fmt::format("; {:.3f} right at {}, T = {}", result["accuracy"][row].back().get<double>(),
                      difficulty_text(tested[row]), settings().test_loops.back());
  return text;
}

DifficultyTask::Questions DifficultyTask::validation_questions(std::uint32_t difficulty) const {
  Questions questions;
  for (std::size_t i = 0; i < settings().validation; ++i)
    questions.push_back(
        {difficulty, i % 2 == 1, CounterRandom(seed_, RandomStream::validation, difficulty, i)});
  return questions;
}

void DifficultyTask::try_every_difficulty() const {
  const auto first_two = [&](std::uint32_t difficulty) {
    Questions questions = validation_questions(difficulty);
    questions.resize(2, questions.front());
    return questions;
  };
  for (std::uint32_t difficulty = settings().easiest; difficulty <= settings().hardest;
       ++difficulty)
    inputs(first_two(difficulty), Use::training);
  for (const std::uint32_t difficulty : settings().tested)
    inputs(first_two(difficulty), Use::measurement);
}

Samples DifficultyTask::samples(Questions questions, Use use) const {
  std::vector<std::int32_t> targets, labels;
  for (const DifficultyQuestion& question : questions) {
    targets.push_back(question.answer);
    labels.push_back(static_cast<std::int32_t>(question.difficulty));
  }
  Samples samples = inputs(std::move(questions), use);
  samples.targets = std::move(targets);
  samples.labels = std::move(labels);
  return samples;
}

Samples DifficultyTask::validation_samples(std::uint32_t difficulty, std::size_t first) const {
  Questions questions = validation_questions(difficulty);
  const auto begin = questions.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t count = std::min(kMeasuredAtOnce, questions.size() - first);
  return samples({begin, begin + static_cast<std::ptrdiff_t>(count)}, Use::measurement);
}

}}  // namespace logdepth::learned_depth_recurrent
