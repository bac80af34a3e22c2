#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/phrases.hpp"
#include "learned/records/depth_reading.hpp"
#include "learned/relit/runs.hpp"

namespace logdepth::relit {
namespace {

using RunJson = nlohmann::ordered_json;

/// Trajectories of a result; a longer list is damage.
constexpr std::size_t kMostTrajectories = 12;
/// Means are sums of whole numbers over whole numbers.
constexpr double kMeanTolerance = 1e-6;
/// Absent where runs were measured before it was told.
constexpr const char* kByDepth = "halting_by_proof_depth";

/// Counts of samples, one for each macro step.
std::vector<std::size_t> counts_by_step(const RecordFields& fields, const char* name,
                                        const RunJson& list, std::size_t steps,
                                        std::size_t samples) {
  std::vector<std::size_t> counts;
  std::size_t sum = 0;
  for (const RunJson& item : list) {
    const bool whole = item.is_number_integer() && item >= 0 && item <= samples;
    if (!whole) fields.refuse(name, fmt::format("whole numbers up to {}", samples));
    counts.push_back(item.get<std::size_t>());
    sum += counts.back();
  }
  if (counts.size() != steps || sum != samples)
    fields.refuse(name, fmt::format("{} for {} in all", counted(steps, "number"),
                                    counted(samples, "sample")));
  return counts;
}

/// The mean macro step of such counts.
double mean_of(const std::vector<std::size_t>& counts) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += static_cast<double>(counts[i] * (i + 1));
    all += static_cast<double>(counts[i]);
  }
  return sum / all;
}

/// Two ways to the mean macro step of the halt.
void check_mean(const RecordFields& fields, const char* name, double found, double expected) {
  if (std::fabs(found - expected) > kMeanTolerance * expected)
    fields.refuse(name, fmt::format("a mean of {:.6g} as elsewhere in the result", expected));
}

double mean_halting(const RecordFields& fields, std::size_t steps) {
  const double mean = fields.number("mean_halting");
  if (mean < 1 || mean > static_cast<double>(steps))
    fields.refuse("mean_halting", fmt::format("a number from 1 to {}", steps));
  return mean;
}

std::size_t right_of(const RecordFields& fields, std::size_t asked) {
  const std::size_t right = fields.count("right", 0);
  if (right > asked)
    fields.refuse("right", fmt::format("at most {}, the number of questions", asked));
  return right;
}

std::vector<ProofDepthScore> depths_of(const RecordFields& result, const RulesTaskConfig& task) {
  std::vector<ProofDepthScore> scores;
  for (const RunJson& item : result.list("by_proof_depth")) {
    const RecordFields fields = result.entry("by_proof_depth", item);
    ProofDepthScore score;
    score.depth = fields.count("depth", 0);
    if (!scores.empty() && score.depth <= scores.back().depth)
      fields.refuse("depth", "depths that grow");
    if (task.set == RulesTaskConfig::Set::rules &&
        std::ranges::find(task.depths, score.depth) == task.depths.end())
      fields.refuse("depth", "one of those in its configuration");
    score.asked = fields.count("asked");
    score.right = right_of(fields, score.asked);
    score.mean_halting = mean_halting(fields, task.macro_steps);
    scores.push_back(std::move(score));
  }
  return scores;
}

/// The counts of every depth that was asked.
void read_halting(const RecordFields& result, Run& run, std::size_t steps) {
  const RunJson& list = result.list(kByDepth);
  if (list.size() != run.by_depth.size())
    result.refuse(kByDepth, counted(run.by_depth.size(), "list") + ", one for each proof depth");
  for (std::size_t i = 0; i < list.size(); ++i) {
    ProofDepthScore& score = run.by_depth[i];
    score.halting = counts_by_step(result, kByDepth, list[i], steps, score.asked);
    check_mean(result, kByDepth, mean_of(score.halting), score.mean_halting);
  }
}

std::vector<MacroStepScore> steps_of(const RecordFields& result, std::size_t steps,
                                     std::size_t asked) {
  std::vector<MacroStepScore> scores;
  const RunJson& list = result.list("by_macro_step");
  if (list.size() != steps)
    result.refuse("by_macro_step", counted(steps, "entry", "entries") + ", its macro steps");
  for (const RunJson& item : list) {
    const RecordFields fields = result.entry("by_macro_step", item);
    if (fields.count("step") != scores.size() + 1) fields.refuse("step", "1, 2, 3, ... in order");
    MacroStepScore score{right_of(fields, asked), std::nullopt};
    if (!item.contains("change") || !item["change"].is_null()) {
      score.change = fields.number("change");
      if (*score.change < 0) fields.refuse("change", "a number of at least 0");
    }
    scores.push_back(score);
  }
  return scores;
}

AnswerTrajectory trajectory_of(const RecordFields& fields, std::size_t steps) {
  AnswerTrajectory trajectory;
  trajectory.depth = fields.count("depth", 0);
  trajectory.target = fields.text("target");
  const RunJson& answers = fields.list("answers");
  if (answers.size() != steps || !std::ranges::all_of(answers, &RunJson::is_string))
    fields.refuse("answers", counted(steps, "word") + ", one for each macro step");
  for (const RunJson& answer : answers) trajectory.answers.push_back(answer.get<std::string>());
  trajectory.halted = fields.count("halted");
  if (trajectory.halted > steps)
    fields.refuse("halted", fmt::format("a macro step from 1 to {}", steps));
  return trajectory;
}

/// That parts are parts of the whole.
void check_sums(const Run& run, const RecordFields& result) {
  std::size_t asked = 0, right = 0;
  double halting = 0;
  for (const ProofDepthScore& score : run.by_depth) {
    asked += score.asked;
    right += score.right;
    halting += score.mean_halting * static_cast<double>(score.asked);
  }
  if (asked != run.asked || right != run.right)
    result.refuse("by_proof_depth",
                  fmt::format("{} right in all", share_text(run.right, run.asked)));
  check_mean(result, "by_proof_depth", halting / static_cast<double>(asked), run.mean_halting);
  check_mean(result, "halting", mean_of(run.halting), run.mean_halting);
}

}  // namespace

Run run_of(const RunRecord& record) {
  const RecordFields result(record.result, record_file(record) + ": result");
  const auto& task = record.config.task.as<RulesTaskConfig>();
  const std::size_t steps = task.macro_steps;
  if (result.text("kind") != task.kind())
    result.refuse("kind", fmt::format("\"{}\", as in its configuration", task.kind()));
  Run run;
  run.asked = result.count("asked");
  if (run.asked != task.test_samples)
    result.refuse("asked", fmt::format("{}, as in its configuration", task.test_samples));
  run.right = right_of(result, run.asked);
  run.mean_halting = mean_halting(result, steps);
  run.by_depth = depths_of(result, task);
  run.by_step = steps_of(result, steps, run.asked);
  run.halting = counts_by_step(result, "halting", result.list("halting"), steps, run.asked);
  if (record.result.contains(kByDepth)) read_halting(result, run, steps);
  run.mean_flips = result.number("mean_flips");
  if (run.mean_flips < 0 || run.mean_flips > static_cast<double>(steps - 1))
    result.refuse("mean_flips", fmt::format("a number from 0 to {}", steps - 1));
  const RunJson& trajectories = result.list("trajectories");
  if (trajectories.size() > kMostTrajectories)
    result.refuse("trajectories", fmt::format("at most {}", kMostTrajectories));
  for (const RunJson& item : trajectories)
    run.trajectories.push_back(trajectory_of(result.entry("trajectories", item), steps));
  check_sums(run, result);
  run.end = run_end(record);
  return run;
}

double Run::accuracy() const {
  return static_cast<double>(right) / static_cast<double>(asked);
}

std::optional<double> Run::accuracy_to(std::uint32_t depth) const {
  std::size_t of = 0, all = 0;
  for (const ProofDepthScore& score : by_depth)
    if (score.depth <= depth) {
      of += score.right;
      all += score.asked;
    }
  if (all == 0) return std::nullopt;
  return static_cast<double>(of) / static_cast<double>(all);
}

const ProofDepthScore* Run::at(std::uint32_t depth) const {
  const auto found = std::ranges::find(by_depth, depth, &ProofDepthScore::depth);
  return found == by_depth.end() ? nullptr : &*found;
}

std::optional<double> Run::accuracy_at(std::uint32_t depth) const {
  const ProofDepthScore* score = at(depth);
  if (!score) return std::nullopt;
  return static_cast<double>(score->right) / static_cast<double>(score->asked);
}

std::optional<double> Run::halting_at(std::uint32_t depth) const {
  const ProofDepthScore* score = at(depth);
  return score ? std::optional(score->mean_halting) : std::nullopt;
}

std::optional<double> Run::accuracy_after(std::size_t step) const {
  if (step == 0 || step > by_step.size()) return std::nullopt;
  return static_cast<double>(by_step[step - 1].right) / static_cast<double>(asked);
}

std::optional<double> Run::change_in(std::size_t step) const {
  return step == 0 || step > by_step.size() ? std::nullopt : by_step[step - 1].change;
}

}  // namespace logdepth::relit
