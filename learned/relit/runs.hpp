#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/relit/presets.hpp"
#include "learned/relit/relit_settings.hpp"
#include "learned/relit/rules_task.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth::relit {

/// Results of the task of this paper (rules_task.hpp) as the report reads them: runs that differ in
/// the seed only are a series, series that were asked the same kind of prompts a section.

struct ProofDepthScore {
  std::uint32_t depth = 0;
  std::size_t asked = 0, right = 0;
  double mean_halting = 0;
  std::vector<std::size_t> halting;  ///< samples by macro step; empty where that was not recorded
};

struct MacroStepScore {
  std::size_t right = 0;
  std::optional<double> change;  ///< of the answer's state in this macro step, relative
};

/// The answers of one sample after every macro step.
struct AnswerTrajectory {
  std::uint32_t depth = 0;
  std::string target;
  std::vector<std::string> answers;
  std::uint32_t halted = 0;  ///< macro step, counted from 1
};

struct Run {
  std::size_t asked = 0, right = 0;
  double mean_halting = 0, mean_flips = 0;
  std::vector<ProofDepthScore> by_depth;  ///< depths grow
  std::vector<MacroStepScore> by_step;
  std::vector<std::size_t> halting;  ///< samples by macro step
  std::vector<AnswerTrajectory> trajectories;
  RunEnd end;

  double accuracy() const;
  /// Of the samples whose proofs are at most this deep.
  std::optional<double> accuracy_to(std::uint32_t depth) const;
  const ProofDepthScore* at(std::uint32_t depth) const;  ///< null where it was not asked
  std::optional<double> accuracy_at(std::uint32_t depth) const;
  std::optional<double> halting_at(std::uint32_t depth) const;  ///< its mean
  // Macro steps are counted from 1; absent beyond the last.
  std::optional<double> accuracy_after(std::size_t step) const;  ///< whether halted or not
  std::optional<double> change_in(std::size_t step) const;
};
/// Errors: InputError naming the file and the number, where the result contradicts itself or the
/// configuration.
Run run_of(const RunRecord& record);

struct Series : RunSeries<Run> {
  /// What tells it from ReLIT itself, as `--method` calls it or as a setting: "replace",
  /// "z_start=zero". Empty of ReLIT.
  std::vector<std::string> changes;

  const RulesTaskConfig& task() const { return config.task.as<RulesTaskConfig>(); }
  const RelitSettings& network() const { return config.network->as<RelitSettings>(); }
  bool is(RelitMethod method) const;  ///< that, and nothing else
  /// ReLIT itself, on the states of the language model's last layer.
  bool is_base() const;
  std::string title() const;     ///< "ReLIT", "replace (network.layers=4)"
  std::string backbone() const;  ///< "base/seed-1", "base/seed-1, embedding only"
  std::string on_backbone() const { return title() + " on " + backbone(); }
  /// Whether its head can stop a sample before the last macro step.
  bool may_halt() const;
  /// Layers that a sample has passed after the last macro step: macro steps * recursions * latent
  /// steps * layers, and those of the answer where the block updates it too. 0 of a probe.
  std::uint64_t layers_applied() const;
  /// Samples of all runs by macro step of the halt; of a proof depth, empty where a run lacks it.
  std::vector<std::size_t> halting() const;
  std::vector<std::size_t> halting_at(std::uint32_t depth) const;
  std::optional<report::Range> accuracy() const {
    return range([](const Run& run) { return run.accuracy(); });
  }
};

struct Section {
  std::vector<Series> series;  ///< ReLIT, what it is compared with, ReLIT changed

  const RulesTaskConfig& task() const { return series.front().task(); }
  bool has_proofs() const { return task().set == RulesTaskConfig::Set::rules; }
  /// As in "facts and rules, closed world, \"not\" in facts, proofs of depth 0 to 3".
  std::string title() const;
  const char* depth_name() const;        ///< what samples are sorted by: "proof depth"
  std::optional<double> chance() const;  ///< the accuracy of guessing; absent of a file
  std::vector<std::uint32_t> depths() const;
  std::uint32_t most_macro_steps() const;
  /// ReLIT where it was trained on the most samples, for each backbone and size.
  std::vector<const Series*> bases() const;

  /// Series of one method that have all settings of `base` but what the method changes or has no
  /// use for. One pass and probes may be trained otherwise.
  std::vector<const Series*> compared(const Series& base, RelitMethod method) const;
  /// The one of them with the largest median; null without any.
  const Series* best_compared(const Series& base, RelitMethod method) const;
  /// The same on other states of the same language model.
  const Series* on_states(const Series& base, RelitSettings::States states) const;
  /// ReLIT changed in whatever way, all else being equal; not one pass and probes.
  std::vector<const Series*> ablations(const Series& base) const;
  /// The series that differ in the number of training samples, and the steps that follow from it:
  /// growing, `base` among them.
  std::vector<const Series*> by_samples(const Series& base) const;
  /// Whether there are none with more samples.
  bool has_most_samples(const Series& one) const { return by_samples(one).back() == &one; }
};

/// The runs of this paper among the records, in the order of their first members; records of other
/// tasks, or of the task without a network of this paper, are left out. Errors: InputError where
/// there is none, and those of run_table and run_of.
std::vector<Section> sections_of(const std::vector<RunRecord>& records);

}  // namespace logdepth::relit
