#include "learned/relit/relit_verdicts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/rank_correlation.hpp"

namespace logdepth {
namespace {

using States = RelitSettings::States;

Verdict decided(bool passed) {
  return passed ? Verdict::passed : Verdict::failed;
}

Verdict above_zero(const std::optional<SeedMean>& mean) {
  return mean ? decided(mean->mean > kRounding) : Verdict::undecided;
}

std::size_t seeds_in(const std::optional<SeedMean>& mean) {
  return mean ? mean->seeds : 0;
}

std::optional<double> to_gain_depth(const RelitRun& run) {
  return run.accuracy_to(kGainDepth);
}

std::string title_of(const RelitSeries& base) {
  return fmt::format("{} on {}", base.title(), base.backbone());
}

std::string mean_text(const RelitSeries& series, std::optional<double> (*number)(const RelitRun&)) {
  std::vector<double> values;
  for (const RelitRun& run : series.runs)
    if (const auto value = number(run)) values.push_back(*value);
  const auto mean = seed_mean(values);
  return mean ? fixed_text(mean->mean, 3) : "not measured";
}

/// A difference, and whether its sign may be chance.
std::string found_text(const SeedMean& difference) {
  const bool unsure = difference.error && std::abs(difference.mean) < 2 * *difference.error;
  return difference_text(difference) + (unsure ? ", less than two standard errors" : "");
}

/// How many runs pass by themselves. `judge`: the verdict of a series of one run.
template <class Judge>
SeriesCriterion::Alone by_seed(const RelitSeries& series, std::size_t parts, Judge judge) {
  SeriesCriterion::Alone alone;
  alone.parts = parts;
  for (const RelitRun& run : series.runs) {
    const Verdict of_run = judge(series.only(run));
    alone.judged += of_run != Verdict::undecided;
    alone.passing += of_run == Verdict::passed;
  }
  return alone;
}

SeriesCriterion gain_criterion(const RelitSection& section, const RelitSeries& base) {
  const RelitSeries* const once = section.best_compared(base, RelitMethod::one_pass);
  const GainVerdict verdict = judge_gain(section, base);
  const auto fall = verdict.fall();
  std::vector<std::string> after;
  for (const double accuracy : verdict.after_step) after.push_back(fixed_text(accuracy, 3));
  return CriterionBuilder("RL-4", title_of(base))
      .part(fmt::format("on proofs of depth 0 to {} at least {} above the one-pass block of equal "
                        "parameters",
                        kGainDepth, short_text(kGain, 3)),
            verdict.gain
                ? fmt::format("{} ({} against {})", found_text(*verdict.gain),
                              mean_text(base, to_gain_depth), mean_text(*once, to_gain_depth))
                : "not measured",
            verdict.gains())
      .part(fmt::format("no macro step loses more than {} of an earlier one", short_text(kFall, 3)),
            fall ? fmt::format("after each {}", joined(after)) : "one macro step", verdict.holds())
      .alone(by_seed(base, 2,
                     [&](const RelitSeries& one) { return judge_gain(section, one).verdict(); }))
      .needs(seeds_in(verdict.gain), "runs of the method one-pass on the same seeds")
      .needs(fall ? base.runs.size() : 0, "more than one macro step")
      .done(verdict.verdict());
}

SeriesCriterion halting_criterion(const RelitSeries& base) {
  const HaltingVerdict verdict = judge_halting(base);
  const auto correlation = verdict.correlation();
  std::vector<std::string> means;
  for (const auto& [depth, mean] : verdict.points)
    means.push_back(fmt::format("{} at {}", fixed_text(mean, 2), depth));
  return CriterionBuilder("RL-5", title_of(base))
      .part("mean halting depth rises with proof depth, Spearman above 0",
            fmt::format("{} ({}); {} show a direction and are no test",
                        correlation ? signed_text(*correlation, 2) : "no coefficient",
                        joined(means), counted(verdict.points.size(), "point")),
            verdict.verdict())
      .alone(by_seed(base, 1, [](const RelitSeries& one) { return judge_halting(one).verdict(); }))
      .needs(verdict.verdict() == Verdict::undecided ? 0 : base.runs.size(),
             verdict.may_halt ? "proofs of two depths"
                              : "a head that may halt before the last macro step")
      .done(verdict.verdict());
}

SeriesCriterion bottleneck_criterion(const RelitSection& section, const RelitSeries& base) {
  const BottleneckVerdict verdict = judge_bottleneck(section, base);
  CriterionBuilder criterion("RL-6", title_of(base));
  const auto accuracy = [](const RelitSeries* series) {
    return series ? fixed_text(series->accuracy()->median, 3) : "not run";
  };
  const auto add = [&](const char* asks, States states, const std::optional<SeedMean>& found,
                       Verdict part) {
    const RelitSeries* const other = section.on_states(base, states);
    const auto probe = [&](const RelitSeries& series) {
      return accuracy(section.best_compared(series, RelitMethod::linear_probe));
    };
    criterion.part(
        asks,
        found ? fmt::format("{} ({} against {}); linear probes {} and {}", found_text(*found),
                            accuracy(&base), accuracy(other), probe(base), probe(*other))
              : "not measured",
        part);
  };
  add("less on the output of the embedding", States::embedding, verdict.embedding,
      verdict.below_embedding());
  add("less on states of random weights", States::random, verdict.random, verdict.below_random());
  return criterion.needs(seeds_in(verdict.embedding), "runs with --states embedding")
      .needs(seeds_in(verdict.random), "runs with --states random")
      .done(verdict.verdict());
}

}  // namespace

std::optional<double> GainVerdict::fall() const {
  if (after_step.size() < 2) return std::nullopt;
  double best = after_step.front(), fall = 0;
  for (const double accuracy : after_step) {
    fall = std::max(fall, best - accuracy);
    best = std::max(best, accuracy);
  }
  return fall;
}

Verdict GainVerdict::gains() const {
  return gain ? decided(gain->mean >= kGain - kRounding) : Verdict::undecided;
}

Verdict GainVerdict::holds() const {
  const auto lost = fall();
  return lost ? decided(*lost <= kFall + kRounding) : Verdict::undecided;
}

GainVerdict judge_gain(const RelitSection& section, const RelitSeries& base) {
  GainVerdict verdict;
  if (const RelitSeries* once = section.best_compared(base, RelitMethod::one_pass))
    verdict.gain = seed_mean(paired_differences(base, *once, to_gain_depth));
  for (std::size_t step = 1; step <= base.task().macro_steps; ++step) {
    std::vector<double> values;
    for (const RelitRun& run : base.runs) values.push_back(*run.accuracy_after(step));
    verdict.after_step.push_back(seed_mean(values)->mean);
  }
  return verdict;
}

std::optional<double> HaltingVerdict::correlation() const {
  std::vector<double> depths, means;
  for (const auto& [depth, mean] : points) {
    depths.push_back(depth);
    means.push_back(mean);
  }
  return rank_correlation(depths, means);
}

Verdict HaltingVerdict::verdict() const {
  if (!may_halt || points.size() < 2) return Verdict::undecided;
  const auto found = correlation();
  return decided(found && *found > kRounding);
}

HaltingVerdict judge_halting(const RelitSeries& series) {
  HaltingVerdict verdict;
  verdict.may_halt = series.may_halt();
  for (const ProofDepthScore& score : series.runs.front().by_depth) {
    std::vector<double> means;
    for (const RelitRun& run : series.runs)
      if (const auto mean = run.halting_at(score.depth)) means.push_back(*mean);
    verdict.points.emplace_back(score.depth, seed_mean(means)->mean);
  }
  return verdict;
}

Verdict BottleneckVerdict::below_embedding() const {
  return above_zero(embedding);
}

Verdict BottleneckVerdict::below_random() const {
  return above_zero(random);
}

BottleneckVerdict judge_bottleneck(const RelitSection& section, const RelitSeries& base) {
  const auto difference = [&](States states) -> std::optional<SeedMean> {
    const RelitSeries* const other = section.on_states(base, states);
    return other ? accuracy_difference(base, *other) : std::nullopt;
  };
  return {difference(States::embedding), difference(States::random)};
}

std::vector<SeriesCriterion> relit_criteria(const RelitSection& section) {
  std::vector<SeriesCriterion> criteria;
  if (!section.has_proofs()) return criteria;
  for (const RelitSeries* base : section.bases()) {
    criteria.push_back(gain_criterion(section, *base));
    criteria.push_back(halting_criterion(*base));
    criteria.push_back(bottleneck_criterion(section, *base));
  }
  if (criteria.empty())
    for (const char* name : {"RL-4", "RL-5", "RL-6"})
      criteria.push_back(CriterionBuilder(name, "ReLIT")
                             .needs(0, "runs of the method relit")
                             .done(Verdict::undecided));
  return criteria;
}

const std::vector<TestedCriterion>& relit_tested_criteria() {
  static const std::vector<TestedCriterion> kCriteria = {
      {"RL-1",
       "training leaves the language model's numbers as they are, bit by bit, and the recall phase "
       "allocates no graph",
       "tests of the network; of one run `--probe` says it of the numbers"},
      {"RL-2", "the gradient of a macro step is that of its last recursion at the detached states",
       "tests of the network, against differences in double precision"},
      {"RL-3",
       "answers and depths of generated questions are those of a prover that chains backwards, and "
       "counts of words say nothing about the answer",
       "tests of the generator, on 10 000 questions"}};
  return kCriteria;
}

std::optional<SeedMean> accuracy_difference(const RelitSeries& ours, const RelitSeries& other) {
  return seed_mean(paired_differences(
      ours, other, [](const RelitRun& run) { return std::optional(run.accuracy()); }));
}

}  // namespace logdepth
