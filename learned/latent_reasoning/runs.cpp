#include "learned/latent_reasoning/runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/phrases.hpp"
#include "learned/latent_reasoning/latent_steps_task.hpp"
#include "learned/latent_reasoning/latent_values_task.hpp"
#include "learned/latent_reasoning/latent_words_task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::latent {
namespace {

using Generator = GraphShape::Generator;
using RunJson = nlohmann::ordered_json;

constexpr std::optional<double> kNone;
/// Depths of a result beyond so many times the number of names are damage.
constexpr std::uint32_t kMostDepthPerName = 4;

/// The method that a result has to name, and the row.
struct LatentMethodOfRun {
  std::string method, row;
};

LatentMethodOfRun method_of(const RunConfig& config) {
  if (const auto* words = config.task.try_as<LatentWordsConfig>())
    return {"chain-of-thought",
            std::string("chain-of-thought/") + thought_format_name(words->format)};
  if (const auto* steps = config.task.try_as<LatentStepsConfig>()) {
    const std::string method = steps->corrupted > 0 ? "corrected" : "discrete";
    return {method, config.constructed ? "constructed" : method};
  }
  static constexpr const char* kMethods[] = {"feed-forward", "recurrent", "continuous",
                                             "no-oracle"};
  const std::string method =
      kMethods[static_cast<int>(config.task.as<LatentValuesConfig>().method)];
  return {method, method};
}

std::size_t row_of(const std::string& name) {
  const auto named = [&](const Row& row) { return row.name == name; };
  return static_cast<std::size_t>(std::ranges::find_if(rows(), named) - rows().begin());
}

std::vector<GraphCell> cells_of(const GraphTaskSettings& task) {
  std::vector<GraphCell> cells;
  for (const std::uint32_t nodes : task.test_nodes) cells.push_back({Generator::uniform, nodes});
  for (const std::uint32_t nodes : task.test_deep_nodes) cells.push_back({Generator::deep, nodes});
  return cells;
}

// --- a result ------------------------------------------------------------------------------------

/// The object `name` of another one, if it is there and not null.
const RunJson* part(const RunJson& json, const char* name) {
  const auto at = json.find(name);
  return at == json.end() || !at->is_object() ? nullptr : &*at;
}

/// Whether runs of these settings iterate until nothing changes.
bool iterates(const GraphTaskSettings& task) {
  const auto* values = dynamic_cast<const LatentValuesConfig*>(&task);
  return dynamic_cast<const LatentStepsConfig*>(&task) ||
         (values && values->method == LatentValuesConfig::Method::no_oracle);
}

/// A depth of graphs.
std::uint32_t depth_of(const RecordFields& fields, const GraphTaskSettings& task) {
  const std::uint32_t depth = fields.count("depth"), most = kMostDepthPerName * task.graphs.names;
  if (depth > most) fields.refuse("depth", fmt::format("at most {}", most));
  return depth;
}

Settling settling_of(const RunJson& json, const std::string& place, const GraphTaskSettings& task) {
  const RecordFields fields(json, place);
  Settling settling;
  settling.settled = fields.share("settled");
  for (const RunJson& item : fields.list("by_depth")) {
    const RecordFields entry = fields.entry("by_depth", item);
    const std::uint32_t depth = depth_of(entry, task);
    const double iterations = entry.number("iterations");
    if (iterations < 0) entry.refuse("iterations", "a number of at least 0");
    if (entry.count("graphs") >= kGraphsOfDepth) settling.iterations[depth] = iterations;
  }
  if (const RunJson* fit = part(json, "fit")) {
    const RecordFields line(*fit, place + ".fit");
    settling.fit = {line.number("slope"), line.number("intercept"), line.number("r2")};
  }
  return settling;
}

Cell cell_of(const RunJson& json, const GraphCell& expected, const GraphTaskSettings& task,
             const RecordFields& result, const std::string& place) {
  const RecordFields fields = result.entry("cells", json);
  Cell cell;
  cell.cell = expected;
  if (fields.count("nodes") != expected.nodes ||
      json.value("generator", RunJson()) != graph_generator_name(expected.generator))
    fields.refuse("nodes", "the cells that the configuration names, in their order");
  cell.graphs = fields.count("graphs");
  cell.solved = fields.share("solved");
  cell.nodes = fields.share("node_accuracy");
  for (const RunJson& item : fields.list("by_depth")) {
    const RecordFields entry = fields.entry("by_depth", item);
    cell.by_depth.push_back({depth_of(entry, task), entry.count("graphs"), entry.share("solved")});
  }
  if (json.contains("structure")) cell.structure = fields.share("structure");
  if (iterates(task) && !part(json, "settling")) fields.refuse("settling", "an object");
  if (const RunJson* recovery = part(json, "recovery")) {
    const RecordFields of(*recovery, place + ".cells.recovery");
    cell.recovery = {of.share("nodes"), of.share("graphs"), std::nullopt};
    if (recovery->contains("hit_nodes") && !recovery->at("hit_nodes").is_null())
      cell.recovery->hit_nodes = of.share("hit_nodes");
  } else if (dynamic_cast<const LatentStepsConfig*>(&task)) {
    fields.refuse("recovery", "an object");
  }
  return cell;
}

Run run_of(const RunRecord& record) {
  const std::string place = record_file(record) + ": result";
  const RecordFields result(record.result, place);
  const auto& task = record.config.task.as<GraphTaskSettings>();
  const std::string method = method_of(record.config).method;
  const auto expect = [&](const char* name, const RunJson& expected) {
    const auto found = record.result.find(name);
    if (found == record.result.end() || *found != expected)
      result.refuse(name, expected.dump() + ", as in its configuration");
  };
  expect("kind", task.kind());
  expect("method", method);
  expect("trained_nodes", {task.least_nodes, task.most_nodes});
  Run run;
  run.end = run_end(record);
  const std::vector<GraphCell> cells = cells_of(task);
  const RunJson& list = result.list("cells");
  if (list.size() != cells.size())
    result.refuse("cells", counted(cells.size(), "cell") + ", as in its configuration");
  for (std::size_t i = 0; i < cells.size(); ++i)
    run.cells.push_back(cell_of(list[i], cells[i], task, result, place));
  if (const RunJson* settling = part(record.result, "settling")) {
    run.settling = settling_of(*settling, place + ".settling", task);
  } else if (iterates(task)) {
    result.refuse("settling", "an object");
  }
  if (record.config.constructed)
    run.layers_per_iteration = record.training.at("layers_per_iteration").get<std::uint32_t>();
  return run;
}

// --- what belongs together -----------------------------------------------------------------------

/// What the training graphs are; absent of other tasks.
std::optional<std::string> section_key(const RunRecord& record) {
  if (!record.config.task.try_as<GraphTaskSettings>()) return std::nullopt;
  RunJson task = to_json(record.config).at("task"), key;
  for (const char* name : {"generator", "window", "modulus", "names", "operations",
                           "operand_weights", "least_nodes", "most_nodes"})
    key[name] = task.at(name);
  return key.dump();
}

template <class ByDepth>
std::map<std::uint32_t, report::Range> ranges_by_depth(const std::vector<Run>& runs,
                                                       ByDepth by_depth) {
  std::map<std::uint32_t, std::vector<double>> values;
  for (const Run& run : runs)
    for (const auto& [depth, value] : by_depth(run)) values[depth].push_back(value);
  std::map<std::uint32_t, report::Range> ranges;
  for (const auto& [depth, list] : values) ranges[depth] = *report::range_of(list);
  return ranges;
}

}  // namespace

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"feed-forward", "feed-forward", "feed-forward"},
      {"recurrent", "recurrent", "recurrent"},
      {"chain-of-thought/val", "chain of thought, values", "chain-of-thought"},
      {"chain-of-thought/eq-val", "chain of thought, equations", "chain-of-thought"},
      {"chain-of-thought/eq-op-val", "chain of thought, operands", "chain-of-thought"},
      {"continuous", "continuous", "continuous"},
      {"no-oracle", "continuous, no oracle", "no-oracle"},
      {"discrete", "discrete", "discrete"},
      {"corrected", "discrete, corrected", "corrected"},
      {"constructed", "constructed (exact)", ""}};
  return kRows;
}

const Cell* Run::at(const GraphCell& cell) const {
  for (const Cell& one : cells)
    if (one.cell == cell) return &one;
  return nullptr;
}

std::map<std::uint32_t, double> Run::solved_by_depth(Generator generator) const {
  std::map<std::uint32_t, std::pair<std::size_t, double>> sums;  // graphs, solved
  for (const Cell& cell : cells)
    if (cell.cell.generator == generator)
      for (const DepthScore& score : cell.by_depth) {
        auto& [graphs, solved] = sums[score.depth];
        graphs += score.graphs;
        solved += score.solved * static_cast<double>(score.graphs);
      }
  std::map<std::uint32_t, double> shares;
  for (const auto& [depth, sum] : sums)
    if (sum.first >= kGraphsOfDepth) shares[depth] = sum.second / static_cast<double>(sum.first);
  return shares;
}

std::string Series::title() const {
  return rows()[row].title + (setting.empty() ? "" : " (" + setting + ")");
}

std::optional<report::Range> Series::solved(const GraphCell& cell) const {
  return in_cell(cell, [](const Cell& at) { return at.solved; });
}

std::optional<report::Range> Series::hit_nodes(const GraphCell& cell) const {
  return in_cell(cell, [](const Cell& at) { return at.recovery ? at.recovery->hit_nodes : kNone; });
}

std::optional<report::Range> Series::slope() const {
  return range([](const Run& run) -> std::optional<double> {
    return run.settling && run.settling->fit ? std::optional(run.settling->fit->slope)
                                             : std::nullopt;
  });
}

std::map<std::uint32_t, report::Range> Series::solved_by_depth(Generator generator) const {
  return ranges_by_depth(runs, [&](const Run& run) { return run.solved_by_depth(generator); });
}

std::map<std::uint32_t, report::Range> Series::iterations_by_depth() const {
  return ranges_by_depth(runs, [](const Run& run) {
    return run.settling ? run.settling->iterations : std::map<std::uint32_t, double>();
  });
}

std::string Section::title() const {
  const GraphTaskSettings& graphs = task();
  const GraphShape& shape = graphs.graphs;
  const std::size_t operands = shape.operand_weights.size();
  return fmt::format("{} modulo {}, {}, {} names, trained on N = {} to {}{}",
                     shape.operations == GraphShape::Operations::add ? "addition" : "+ - x",
                     shape.modulus,
                     operands == 1 ? "1 operand" : fmt::format("1 to {} operands", operands),
                     shape.names, graphs.least_nodes, graphs.most_nodes,
                     shape.generator == Generator::deep ? " by the generator deep" : "");
}

std::vector<const Series*> Section::of(const std::string& row) const {
  std::vector<const Series*> found;
  for (const Series& one : series)
    if (rows()[one.row].name == row) found.push_back(&one);
  return found;
}

std::vector<std::uint32_t> Section::nodes(Generator generator) const {
  std::set<std::uint32_t> all;
  for (const Series& one : series)
    for (const GraphCell& cell : cells_of(one.task()))
      if (cell.generator == generator) all.insert(cell.nodes);
  return {all.begin(), all.end()};
}

Generator Section::generator_of_depths() const {
  return nodes(Generator::deep).empty() ? Generator::uniform : Generator::deep;
}

std::vector<Section> sections_of(const std::vector<RunRecord>& records) {
  std::vector<Section> sections;
  for (const RecordSection& found : run_table(records, {section_key})) {
    Section& section = sections.emplace_back();
    for (const RecordGroup& group : found.groups) {
      Series& series = section.series.emplace_back();
      series.config = group.records.front()->config;
      series.settings = group.settings;
      series.row = row_of(method_of(series.config).row);
      for (const RunRecord* record : group.records) series.runs.push_back(run_of(*record));
    }
    std::ranges::stable_sort(section.series, {}, &Series::row);
    // Where an absolute table's size differs beside something else, it follows from that.
    name_settings(section.series,
                  [](const Series& one, const Series& other) {
                    return one.row == other.row ? std::optional(SettingNames()) : std::nullopt;
                  },
                  {"model.position_rows"});
  }
  if (sections.empty())
    throw InputError(
        "RUNS: expected at least one run of computation graphs, as 'train latent-reasoning' leaves "
        "them");
  return sections;
}

}  // namespace logdepth::latent
