#include "learned/relit/criteria.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/rank_correlation.hpp"

namespace logdepth::relit {
namespace {

using report::Criterion;
using report::Mean;
using report::Verdict;
using States = RelitSettings::States;

std::optional<double> to_gain_depth(const Run& run) {
  return run.accuracy_to(kGainDepth);
}

std::string mean_to_gain_depth(const Series& series) {
  const auto mean = series.mean(to_gain_depth);
  return mean ? fixed_text(mean->mean, 3) : "not measured";
}

/// A difference, and whether its sign may be chance.
std::string found_text(const Mean& difference) {
  const bool unsure = difference.error && std::abs(difference.mean) < 2 * *difference.error;
  return difference_text(difference) + (unsure ? ", less than two standard errors" : "");
}

std::size_t seeds_in(const std::optional<Mean>& mean) {
  return mean ? mean->seeds : 0;
}

Verdict judge(const std::optional<Mean>& mean, const report::Threshold& threshold) {
  return report::judge(mean ? std::optional(mean->mean) : std::nullopt, threshold);
}

Criterion gain_criterion(const Section& section, const Series& base) {
  const Series* const once = section.best_compared(base, RelitMethod::one_pass);
  std::optional<Mean> gain;
  if (once) gain = report::mean_of(paired_differences(base, *once, to_gain_depth));
  std::vector<double> after;
  for (std::size_t step = 1; step <= base.task().macro_steps; ++step)
    after.push_back(base.mean([&](const Run& run) { return run.accuracy_after(step); })->mean);
  const auto fall = largest_fall(after);
  Criterion criterion{"RL-4", base.on_backbone()};
  return criterion
      .part(fmt::format("on proofs of depth 0 to {} at least {} above the one-pass block of equal "
                        "parameters",
                        kGainDepth, short_text(kGain.limit, 3)),
            gain ? fmt::format("{} ({} against {})", found_text(*gain), mean_to_gain_depth(base),
                               mean_to_gain_depth(*once))
                 : "not measured",
            judge(gain, kGain))
      .part(fmt::format("no macro step loses more than {} of an earlier one",
                        short_text(kFall.limit, 3)),
            fall ? "after each " + report::cell_text(report::Data(after)) : "one macro step",
            report::judge(fall, kFall))
      .needs(seeds_in(gain), "runs of the method one-pass on the same seeds")
      .needs(fall ? base.runs.size() : 0, "more than one macro step");
}

Criterion halting_criterion(const Series& base) {
  const Halts halts = mean_halts(base);
  const auto correlation = halting_correlation(halts);
  const Verdict verdict = judge_halting(halts, base.may_halt());
  std::vector<std::string> means;
  for (const auto& [depth, mean] : halts)
    means.push_back(fmt::format("{} at {}", fixed_text(mean, 2), depth));
  Criterion criterion{"RL-5", base.on_backbone()};
  return criterion
      .part("mean halting depth rises with proof depth, Spearman above 0",
            fmt::format("{} ({}); {} show a direction and are no test",
                        correlation ? signed_text(*correlation, 2) : "no coefficient",
                        joined(means), counted(halts.size(), "point")),
            verdict)
      .needs(verdict == Verdict::undecided ? 0 : base.runs.size(),
             base.may_halt() ? "proofs of two depths"
                             : "a head that may halt before the last macro step");
}

Criterion bottleneck_criterion(const Section& section, const Series& base) {
  Criterion criterion{"RL-6", base.on_backbone()};
  const auto accuracy = [](const Series* series) {
    return series ? fixed_text(series->accuracy()->median, 3) : "not run";
  };
  const auto probe = [&](const Series& series) {
    return accuracy(section.best_compared(series, RelitMethod::linear_probe));
  };
  const auto add = [&](const char* asks, States states, const char* option) {
    const Series* const other = section.on_states(base, states);
    const auto found = other ? accuracy_difference(base, *other) : std::nullopt;
    criterion.part(
        asks,
        found ? fmt::format("{} ({} against {}); linear probes {} and {}", found_text(*found),
                            accuracy(&base), accuracy(other), probe(base), probe(*other))
              : "not measured",
        judge(found, kMore));
    criterion.needs(seeds_in(found), std::string("runs with --states ") + option);
  };
  add("less on the output of the embedding", States::embedding, "embedding");
  add("less on states of random weights", States::random, "random");
  return criterion;
}

}  // namespace

std::optional<double> largest_fall(const std::vector<double>& after_step) {
  if (after_step.size() < 2) return std::nullopt;
  double best = after_step.front(), fall = 0;
  for (const double accuracy : after_step) {
    fall = std::max(fall, best - accuracy);
    best = std::max(best, accuracy);
  }
  return fall;
}

Halts mean_halts(const Series& series) {
  Halts halts;
  for (const ProofDepthScore& score : series.runs.front().by_depth) {
    const auto mean = series.mean([&](const Run& run) { return run.halting_at(score.depth); });
    halts.emplace_back(score.depth, mean->mean);
  }
  return halts;
}

std::optional<double> halting_correlation(const Halts& halts) {
  std::vector<double> depths, means;
  for (const auto& [depth, mean] : halts) {
    depths.push_back(depth);
    means.push_back(mean);
  }
  return rank_correlation(depths, means);
}

Verdict judge_halting(const Halts& halts, bool may_halt) {
  if (!may_halt || halts.size() < 2) return Verdict::undecided;
  return report::judge(halting_correlation(halts).value_or(0), kMore);
}

std::optional<Mean> accuracy_difference(const Series& ours, const Series& other) {
  return report::mean_of(paired_differences(
      ours, other, [](const Run& run) { return std::optional(run.accuracy()); }));
}

std::vector<Criterion> criteria_of(const Section& section) {
  std::vector<Criterion> criteria;
  if (!section.has_proofs()) return criteria;
  for (const Series* base : section.bases()) {
    criteria.push_back(report::with_each_seed(
        *base, 2, [&](const Series& one) { return gain_criterion(section, one); }));
    criteria.push_back(report::with_each_seed(*base, 1, halting_criterion));
    criteria.push_back(bottleneck_criterion(section, *base));
  }
  if (criteria.empty())
    for (const char* name : {"RL-4", "RL-5", "RL-6"})
      criteria.push_back(Criterion{name, "ReLIT"}.needs(0, "runs of the method relit"));
  return criteria;
}

report::Data thresholds() {
  return {{"RL-4", {{"depth", kGainDepth}, {"gain", kGain.limit}, {"fall", kFall.limit}}},
          {"RL-5", {{"correlation_above", 0}}},
          {"RL-6", {{"difference_above", 0}}}};
}

report::Data tested_criteria() {
  const auto criterion = [](const char* name, const char* asks, const char* held_by) {
    return report::Data{{"name", name}, {"asks", asks}, {"held_by", held_by}};
  };
  return report::Data::array(
      {criterion("RL-1",
                 "training leaves the language model's numbers as they are, bit by bit, and the "
                 "recall phase allocates no graph",
                 "tests of the network; for one run, `--probe` checks the weights"),
       criterion(
           "RL-2",
           "the gradient of a macro step is that of its last recursion at the detached states",
           "tests of the network, against differences in double precision"),
       criterion("RL-3",
                 "answers and depths of generated questions are those of a prover that chains "
                 "backwards, and counts of words carry no information about the answer",
                 "tests of the generator, on 10 000 questions")});
}

}  // namespace logdepth::relit
