#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/papers.hpp"
#include "learned/reachability/relation_task.hpp"
#include "learned/report/depth_figure.hpp"
#include "learned/word_problems/word_task.hpp"

/// Records of runs as tables of depth read them, made by hand.
namespace logdepth::depth_records {

using Json = nlohmann::ordered_json;

/// The table with what MS25 prints.
inline DepthTable table_of(const std::vector<RunRecord>& records,
                           const std::vector<ConstructedCurve>& constructed = {}) {
  return depth_table(records, constructed, published_lines());
}

inline RunRecord record_of(TaskConfig task, Json result) {
  RunRecord record;
  record.config.task = std::move(task);
  record.config.model.initial = 1;
  record.config.model.repeated = 0;
  record.machine = {{"device", "cpu"}, {"processor", "a processor"}};
  record.training = {{"steps", 1500}, {"seconds", 60.0}, {"stopped", "steps"}};
  record.result = std::move(result);
  record.folder = "runs/one";
  return record;
}

/// With n* after so many steps.
inline void with_curve(RunRecord& run, const std::vector<std::pair<int, double>>& points) {
  run.training["curve"] = {{"score", "n*"}, {"points", Json::array()}};
  for (const auto& [steps, score] : points)
    run.training["curve"]["points"].push_back({{"steps", steps}, {"score", score}});
}
/// With the same after half of the steps as in the end.
inline void plateaued(RunRecord& run, double score) {
  with_curve(run, {{750, score}, {1500, score}});
}

/// A stack of `depth` layers that was asked for 16 letters and had plateaued.
inline RunRecord words(const std::string& monoid, std::uint32_t depth, int reach,
                       std::uint64_t seed = 1) {
  WordTaskConfig task;
  task.monoid = monoid;
  RunRecord record = record_of(
      task, {{"kind", "words"}, {"strict", reach}, {"censored", reach >= 16}, {"length", 16}});
  record.config.seed = seed;
  record.config.model.initial = depth;
  plateaued(record, reach);
  return record;
}

inline RunRecord looped(const std::string& monoid, std::uint32_t loops, int reach) {
  RunRecord record = words(monoid, 0, reach);
  record.config.model.repeated = 1;
  record.config.model.loops = {LoopRule::Kind::fixed, loops, loops};
  return record;
}

/// An adaptive loop that was asked by loops, each with its n*; asked for `length` letters.
inline RunRecord by_loops(std::uint64_t seed, const std::vector<int>& reached, int length) {
  RunRecord record = looped("A5", 1, reached.back());
  record.config.seed = seed;
  record.config.model.loops.kind = LoopRule::Kind::per_doubling;
  record.result["length"] = length;
  record.result["censored"] = reached.back() == length;
  record.result["by_loops"] = Json::array();
  for (std::size_t i = 0; i < reached.size(); ++i)
    record.result["by_loops"].push_back({{"loops", i + 1},
                                         {"strict", reached[i]},
                                         {"loose", reached[i]},
                                         {"censored", reached[i] == length}});
  return record;
}

inline RunRecord rows(std::uint32_t depth, int h, bool censored = false) {
  RunRecord record =
      record_of(RelationTaskConfig(), {{"kind", "relation"}, {"h", h}, {"censored", censored}});
  record.config.model.initial = depth;
  plateaued(record, h);
  return record;
}

/// Without the mask, by which an iteration would move one hop.
inline RunRecord hops() {
  HopTaskConfig task;
  task.masked = false;
  task.identities = 32;
  RunRecord record = record_of(task, {{"kind", "hops"},
                                      {"difficulties", {1, 2, 3, 4, 5, 6, 8, 10, 12}},
                                      {"frontier", Json::array()}});
  for (const auto& [loops, reached] : {std::pair(1, 1), {2, 2}, {3, 3}, {5, 5}, {8, 8}, {15, 12}})
    record.result["frontier"].push_back({{"loops", loops}, {"difficulty", reached}});
  record.config.model.initial = 0;
  record.config.model.repeated = 1;
  record.config.model.gate = ModelConfig::Gate::gru;
  plateaued(record, 12);
  return record;
}

/// Five depths that double what is reached with every second layer, and one that is censored.
inline std::vector<RunRecord> doubling(const std::string& monoid) {
  std::vector<RunRecord> runs;
  for (const auto& [depth, reach] :
       {std::pair(2u, 3), {4u, 6}, {6u, 12}, {8u, 24}, {10u, 48}, {12u, 64}}) {
    runs.push_back(words(monoid, depth, reach));
    runs.back().result["length"] = 64;
    runs.back().result["censored"] = reach == 64;
  }
  return runs;
}

inline ConstructedCurve curve(const std::string& problem, ConstructedCurve::Form form,
                              std::uint64_t per_doubling, std::uint64_t up_to = 1024) {
  ConstructedCurve curve;
  curve.problem = problem;
  curve.form = form;
  curve.construction = "made up";
  curve.encoding = "first-flag";
  curve.formula = "some formula";
  for (std::uint64_t n = 2, k = 1; n <= up_to; n *= 2, ++k)
    curve.depths.emplace_back(n, per_doubling * k);
  curve.slope = static_cast<double>(per_doubling);
  curve.verification = "verified: by hand";
  return curve;
}

inline std::vector<RunRecord> many_runs() {
  std::vector<RunRecord> runs = doubling("A5");
  for (const std::uint64_t seed : {2u, 3u}) {
    runs.push_back(words("A5", 2, 4, seed));
    runs.push_back(words("A5", 4, 5 + static_cast<int>(seed), seed));
  }
  for (const auto& [width, reach] : {std::pair(32u, 2), {128u, 5}, {256u, 8}}) {
    runs.push_back(words("A5", 2, reach));
    runs.back().config.model.width = width;
  }
  for (RunRecord& run :
       std::vector<RunRecord>{hops(), rows(1, 1), rows(2, 2), rows(3, 5), rows(4, 8), rows(5, 17)})
    runs.push_back(std::move(run));
  return runs;
}

inline DepthTable full_table() {
  using Form = ConstructedCurve::Form;
  DepthTable table =
      table_of(many_runs(), {curve("A5", Form::claimed, 8), curve("A5", Form::repaired, 2),
                             curve("A5", Form::optimised, 1)});
  table.command = "logdepth compare depth runs";
  return table;
}

/// All figures behind each other.
inline std::string pictures(const DepthTable& table) {
  std::string all;
  for (const DepthFigure& figure : depth_figures(table)) all += figure.svg;
  return all;
}

}  // namespace logdepth::depth_records
