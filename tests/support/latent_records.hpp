#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/latent_reasoning/latent_steps_task.hpp"
#include "learned/latent_reasoning/latent_values_task.hpp"
#include "learned/latent_reasoning/latent_words_task.hpp"
#include "learned/latent_reasoning/runs.hpp"
#include "learned/word_problems/word_task.hpp"

namespace logdepth::latent_records {

// Records of runs on computation graphs whose numbers are known.

using Json = nlohmann::ordered_json;
using Method = LatentValuesConfig::Method;

inline LatentValuesConfig values(Method method) {
  LatentValuesConfig task;
  task.method = method;
  return task;
}

inline LatentStepsConfig steps(double corrupted = 0) {
  LatentStepsConfig task;
  task.corrupted = corrupted;
  return task;
}

/// What a run found, cell by cell of `test_nodes`.
struct Found {
  std::vector<double> solved = {1, 1, 1};
  std::optional<double> slope = {}, hit = {};
  bool rising = false;
};

template <class Settings>
inline RunRecord record(Settings task, const std::string& method, std::uint64_t seed,
                        const Found& found, std::vector<std::uint32_t> nodes = {8, 16, 32}) {
  task.test_nodes = std::move(nodes);
  RunRecord run;
  run.config.preset = method;
  run.config.seed = seed;
  run.config.task = task;
  run.folder = "runs/" + method + "/seed-" + std::to_string(seed);
  run.training["curve"] = {
      {"score", "solved"},
      {"points",
       {{{"steps", 1}, {"score", 0.5}}, {{"steps", 4}, {"score", found.rising ? 0.9 : 0.5}}}}};
  run.result = {{"kind", task.kind()}, {"method", method}, {"trained_nodes", {3, 8}}};
  run.result["cells"] = Json::array();
  const bool mends = std::string(task.kind()) == "latent-steps";
  const bool iterates = mends || method == "no-oracle";
  for (std::size_t i = 0; i < task.test_nodes.size(); ++i) {
    const double solved = found.solved.at(i);
    Json cell = {{"generator", "uniform"},
                 {"nodes", task.test_nodes[i]},
                 {"graphs", 300},
                 {"solved", solved},
                 {"node_accuracy", (1 + solved) / 2}};
    cell["by_depth"] = {{{"depth", 4}, {"graphs", 30}, {"solved", solved}},
                        {{"depth", 5}, {"graphs", 6}, {"solved", solved}}};
    if (iterates) cell["settling"] = {{"settled", 1.0}, {"by_depth", Json::array()}};
    if (mends)
      cell["recovery"] = {{"replaced", 0.1},
                          {"nodes", 0.9},
                          {"graphs", 0.5},
                          {"hit_nodes", found.hit ? Json(*found.hit) : Json()},
                          {"hit", 9}};
    run.result["cells"].push_back(cell);
  }
  if (iterates)
    run.result["settling"] = {
        {"settled", 1.0},
        {"by_depth",
         {{{"depth", 4}, {"graphs", 90}, {"iterations", 4.5}},
          {{"depth", 9}, {"graphs", latent::kGraphsOfDepth - 1}, {"iterations", 9.0}}}},
        {"fit", nullptr}};
  if (found.slope)
    run.result["settling"]["fit"] = {
        {"slope", *found.slope}, {"intercept", 0.0}, {"r2", 1.0}, {"graphs", 90}};
  return run;
}

inline RunRecord discrete(std::uint64_t seed, const Found& found) {
  return record(steps(), "discrete", seed, found);
}

/// Three seeds of all methods but chains of thought of values and of operands.
inline std::vector<RunRecord> some_records() {
  std::vector<RunRecord> records;
  for (const std::uint64_t seed : {3, 1, 2}) {
    const double less = 0.01 * static_cast<double>(seed);
    records.push_back(discrete(seed, {{1, 0.9 - less, 0.6}, 1.0, 0.1, seed == 2}));
    records.push_back(
        record(steps(0.25), "corrected", seed, {{1, 0.95 - less, 0.9}, 1.1, 0.8 + less}));
    records.push_back(record(values(Method::continuous), "continuous", seed, {{0.9, 0.5, 0.4, 0.1}},
                             {8, 12, 16, 32}));
    records.push_back(record(values(Method::no_oracle), "no-oracle", seed,
                             {{0.9, 0.4, 0.3, 0.1}, 1.5}, {8, 12, 16, 32}));
    records.push_back(record(values(Method::feed_forward), "feed-forward", seed, {{0.9, 0.1, 0}}));
    records.push_back(record(values(Method::recurrent), "recurrent", seed, {{0.95, 0.2, 0}}));
    records.push_back(record(LatentWordsConfig(), "chain-of-thought", seed, {{0.9, 0.4, 0}}));
    records.back().result["cells"][0]["structure"] = 0.95;
  }
  RunRecord other;
  other.config.task = WordTaskConfig();
  records.push_back(other);
  return records;
}

}  // namespace logdepth::latent_records
