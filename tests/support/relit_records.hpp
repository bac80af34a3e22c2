#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "learned/relit/presets.hpp"
#include "learned/relit/runs.hpp"
#include "learned/word_problems/word_task.hpp"

namespace logdepth::laws {

// Records of runs of ReLIT whose numbers are known.

using Json = nlohmann::ordered_json;
using States = RelitSettings::States;
using Method = RelitMethod;
using Counts = std::vector<std::size_t>;

/// What a run found of 50 samples at each of the depths 0 to 3.
struct Found {
  Counts right = {50, 45, 40, 35};  ///< by proof depth
  Counts after = {140, 160, 170};   ///< by macro step
  std::vector<Counts> halting = {{0, 50, 0}, {0, 40, 10}, {0, 30, 20}, {0, 20, 30}};
  bool rising = false;
};

inline RunRecord record(Method method, std::uint64_t seed, const Found& found = {},
                        States states = States::last) {
  RunRecord run;
  run.config = relit_preset(RulesTaskConfig::Set::rules, RuleWorld::closed, false);
  set_relit_method(run.config, method);
  run.config.seed = seed;
  auto& task = run.config.task.as<RulesTaskConfig>();
  auto& network = run.config.network->as<RelitSettings>();
  task.test_samples = 200;
  task.tokens = network.backbone = "runs/base/seed-1";
  network.states = states;
  run.folder = "runs/" + run.config.preset + "/seed-" + std::to_string(seed);
  run.training["stopped"] = "steps";
  run.training["curve"] = {
      {"score", "right"},
      {"points",
       {{{"steps", 1}, {"score", 0.5}}, {{"steps", 4}, {"score", found.rising ? 0.9 : 0.5}}}}};
  const std::size_t steps = task.macro_steps;
  Json& result = run.result;
  const std::size_t right = std::accumulate(found.right.begin(), found.right.end(), std::size_t{0});
  result = {{"kind", "rules"}, {"set", "rules"}, {"asked", 200}, {"right", right}};
  Counts all(steps);
  double sum = 0;
  result["by_proof_depth"] = Json::array();
  result["halting_by_proof_depth"] = Json::array();
  for (std::size_t depth = 0; depth < 4; ++depth) {
    const Counts counts = steps == 1 ? Counts{50} : found.halting[depth];
    double halting = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      all[i] += counts[i];
      halting += static_cast<double>(counts[i] * (i + 1));
    }
    sum += halting;
    result["by_proof_depth"].push_back({{"depth", depth},
                                        {"asked", 50},
                                        {"right", found.right[depth]},
                                        {"mean_halting", halting / 50}});
    result["halting_by_proof_depth"].push_back(counts);
  }
  result["mean_halting"] = sum / 200;
  result["by_macro_step"] = Json::array();
  for (std::size_t i = 0; i < steps; ++i)
    result["by_macro_step"].push_back({{"step", i + 1},
                                       {"right", steps == 1 ? right : found.after[i]},
                                       {"change", 0.5 / static_cast<double>(i + 1)}});
  result["halting"] = all;
  result["mean_flips"] = steps == 1 ? 0 : 0.25;
  result["trajectories"] = Json::array();
  if (steps == 3)
    result["trajectories"] = {
        {{"depth", 2}, {"target", "yes"}, {"answers", {"no", "yes", "yes"}}, {"halted", 2}},
        {{"depth", 0}, {"target", "no"}, {"answers", {"no", "no", "yes"}}, {"halted", 3}}};
  return run;
}

inline RunRecord with_samples(RunRecord run, std::uint32_t samples) {
  run.config.task.as<RulesTaskConfig>().training_samples = samples;
  set_epochs(run.config, kRelitEpochs);
  run.folder += "-" + std::to_string(samples);
  return run;
}

/// Three seeds of ReLIT, what it is compared with and an ablation; seed 2 of ReLIT alone at 200
/// samples.
inline std::vector<RunRecord> some_records() {
  std::vector<RunRecord> records;
  for (const std::size_t seed : {3, 1, 2}) {
    records.push_back(record(Method::relit, seed, {{50, 45, 40, 30 + seed}}));
    records.push_back(record(Method::one_pass, seed, {{40, 40, 40, 30}}));
    records.push_back(record(Method::linear_probe, seed, {{30, 30, 30, 30}}));
    records.push_back(record(Method::replace, seed, {{50, 45, 40, 30 - seed}}));
    records.push_back(record(Method::relit, seed, {{30, 30, 30, 30}}, States::embedding));
    records.push_back(record(Method::relit, seed, {{25, 25, 25, 25}}, States::random));
  }
  records.push_back(with_samples(record(Method::relit, 2, {{25, 30, 25, 20}}), 200));
  RunRecord other;
  other.config.task = WordTaskConfig();
  records.push_back(other);
  return records;
}

}  // namespace logdepth::laws
