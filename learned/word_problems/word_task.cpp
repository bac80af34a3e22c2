#include "learned/word_problems/word_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "learned/report/criteria.hpp"
#include "learned/word_problems/labelling.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/transition_monoid.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace learned_word_problems {
namespace {

constexpr std::uint32_t kMostLength = 1u << 16;
/// Tokens of a batch: more is a mistyped setting.
constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 26;

}  // namespace

const WordTaskConfig& WordTaskConfig::checked() const {
  const WordTaskConfig& c = *this;
  require(c.max_length >= 2 && c.max_length <= kMostLength,
          fmt::format("task.max_length: expected 2 to {}, found {}", kMostLength, c.max_length));
  require(c.threshold > 0 && c.threshold <= 1,
          "task.threshold: expected more than 0 and at most 1, found " +
              nlohmann::ordered_json(c.threshold).dump());
  require(
      c.batch_tokens > 0 && c.batch_tokens <= kMostTokens,
      fmt::format("task.batch_tokens: expected 1 to {}, found {}", kMostTokens, c.batch_tokens));
  require(c.batch_least > 0, "task.batch_least: expected at least 1, found 0");
  require(
      std::uint64_t{c.batch_least} * c.max_length <= kMostTokens,
      fmt::format("task.batch_least: expected at most {} words of task.max_length = {}, found {}",
                  kMostTokens / c.max_length, c.max_length, c.batch_least));
  require(c.validation > 0, "task.validation: expected at least 1, found 0");
  require(c.mixed_lengths >= 0 && c.mixed_lengths <= 1,
          "task.mixed_lengths: expected 0 to 1, found " +
              nlohmann::ordered_json(c.mixed_lengths).dump());
  require(c.measured_times >= 1 && c.measured_times <= 64,
          fmt::format("task.measured_times: expected 1 to 64, found {}", c.measured_times));
  require(
      c.measured_times == 1 || c.positions == WordTaskConfig::Positions::begin,
      "task.measured_times: expected task.positions begin, since a table has no more positions");
  for (const std::uint32_t radix : c.edges)
    require(radix >= 2, fmt::format("task.edges: expected radices of at least 2, found {}", radix));
  if (c.packs()) {
    require(c.edges.empty(),
            "task.row_tokens: words that share a row read every edge, expected task.edges []");
    require(c.row_tokens > c.max_length && c.row_tokens <= kMostTokens,
            fmt::format("task.row_tokens: expected at least {}, a word of task.max_length letters "
                        "with its begin token, found {}",
                        c.max_length + 1, c.row_tokens));
    require(c.positions == WordTaskConfig::Positions::begin,
            "task.row_tokens: expected task.positions begin");
    require(c.teach == WordTaskConfig::Teach::none,
            "task.row_tokens: words that share a row are not taught windows, expected task.teach "
            "none");
  }
  require(c.data.empty() ||
              (c.monoid.empty() && c.regex.empty() && c.automaton.empty() && c.crasp.empty()),
          "task.data: a file has its own letters and labels, expected no task.monoid, task.regex, "
          "task.automaton or task.crasp");
  if (c.monoid.empty()) {
    require(c.teach == WordTaskConfig::Teach::none,
            "task.teach: windows are products of a monoid, expected task.teach none without one");
    require(c.letters == WordTaskConfig::Letters::all,
            "task.letters: an automaton, a program or a file has its own letters, expected all");
    require(
        c.data.empty() || c.labels == WordTaskConfig::Labels::states,
        "task.labels: a file without task.regex and task.automaton has its own labels, expected "
        "states");
    require(c.crasp.empty() || (c.regex.empty() && c.automaton.empty()),
            "task.crasp: expected one of task.regex, task.automaton and task.crasp, found " +
                std::string(c.regex.empty() ? "task.automaton" : "task.regex") + " as well");
  }
  require(c.teach == WordTaskConfig::Teach::none || !c.shuffled_labels,
          "task.teach: expected labels that are computed, not task.shuffled_labels");
  return c;
}

NamedLetters WordTaskConfig::named_letters() const {
  return letters == Letters::all ? NamedLetters::all : NamedLetters::generators;
}

void WordTaskConfig::visit(SettingVisitor& visit) {
  visit("monoid", monoid);
  if (monoid.empty()) {
    visit("regex", regex);
    visit.file("automaton", automaton);
    if (regex.empty() && automaton.empty()) visit.file("crasp", crasp);
    if (crasp.empty()) visit("labels", labels, {"states", "verdicts"});
  }
  visit("letters", letters, {"all", "generators"});
  visit("positions", positions, {"table", "begin"});
  visit("max_length", max_length);
  visit("batch_tokens", batch_tokens);
  visit("batch_least", batch_least);
  visit("row_tokens", row_tokens);
  visit("validation", validation);
  visit("measured_times", measured_times);
  visit("threshold", threshold);
  visit("mixed_lengths", mixed_lengths);
  visit("teach", teach, {"none", "windows"});
  visit.file("data", data);
  visit("shuffled_labels", shuffled_labels);
  visit("edges", edges);
}

std::uint32_t WordTaskConfig::taught_levels() const {
  return teach == Teach::windows ? static_cast<std::uint32_t>(ceil_log2(max_length)) : 0;
}

std::uint32_t WordTaskConfig::edge_levels() const {
  const std::size_t letters = std::size_t{measured_times} * max_length;
  return static_cast<std::uint32_t>(levels_within(edges, letters).size());
}

std::uint32_t WordTaskConfig::longest() const {
  return positions == Positions::table ? max_length : kMostLength;
}

ReadEdges WordTaskConfig::edges_of(std::size_t letters) const {
  return measured_edges.radices.empty() ? ReadEdges{levels_within(edges, letters), false}
                                        : measured_edges;
}

void WordTaskConfig::ask(const MeasureRequest& request) {
  const bool table = positions == Positions::table;
  require(request.length == 0 || (request.length >= 2 && request.length <= longest()),
          fmt::format("--length: expected 2 to {}{}, found {}", longest(),
                      table ? ", the positions that the network has" : "", request.length));
  if (request.length > 0) {
    max_length = request.length;
    measured_times = 1;
    row_tokens = 0;  // nothing is trained
  }
  if (request.samples > 0) validation = request.samples;
  require(request.keep_edges.empty() || request.cut_edges.empty(),
          "--keep-edges: expected this or --cut-edges, found both");
  const bool cut = !request.cut_edges.empty();
  measured_edges = {cut ? request.cut_edges : request.keep_edges, cut};
  for (const std::uint32_t radix : measured_edges.radices)
    require(radix >= 2, fmt::format("{}: expected radices of at least 2, found {}",
                                    cut ? "--cut-edges" : "--keep-edges", radix));
}

ProductQuestion WordTaskConfig::products() const {
  const Action generators = named_monoid(monoid, NamedLetters::generators);
  const auto elements = enumerate_monoid(generators.generators, generators.points, kMostElements);
  return {monoid, named_monoid(monoid, named_letters()).alphabet.names(), max_length,
          elements.value().elements};
}

// What reports read from a result of the task `words`.

namespace {

/// Words that were measured at each index: `words`, or what the result has of words of many lengths.
std::vector<double> asked_of(const RecordFields& result, std::size_t length) {
  if (!result.has("asked")) return std::vector<double>(length, result.number("words"));
  const std::vector<double> asked = result.numbers("asked");
  if (asked.size() != length) result.refuse("asked", "a number for each accuracy");
  return asked;
}

}  // namespace

RunReadings WordTaskConfig::readings(const RecordFields& result, const ModelConfig& model) const {
  RunReadings readings;
  const auto add = [&](const RecordFields& fields, double loops, bool own) {
    const std::vector<double> accuracy = fields.shares("accuracy");
    const std::vector<double> asked = asked_of(result, accuracy.size());
    for (std::size_t i = 0; i < accuracy.size(); ++i)
      if (asked[i] > 0)
        readings.push_back({.of = "letters",
                            .at = static_cast<double>(i + 1),
                            .iterations = loops,
                            .score = accuracy[i],
                            .samples = asked[i],
                            .own = own});
  };
  if (!result.has("by_loops")) {
    add(result, model.repeated > 0 ? model.loops.least : 1, true);
    return readings;
  }
  const nlohmann::ordered_json& list = result.list("by_loops");
  for (const nlohmann::ordered_json& item : list) {
    const RecordFields entry = result.entry("by_loops", item);
    add(entry, entry.count("loops"), &item == &list.back());
  }
  return readings;
}

RunConfig word_problem(const std::string& monoid, WordModel kind, std::uint32_t depth,
                       std::uint32_t block) {
  RunConfig config = preset("ms25", "word-problem");
  config.task.as<WordTaskConfig>().monoid = monoid;
  ModelConfig& model = config.model;
  if (kind == WordModel::stack) {
    model.initial = depth;
    model.repeated = 0;
  } else if (kind == WordModel::loop) {
    require(block > 0 && depth % block == 0,
            fmt::format("--block: expected a divisor of the depth {}, found {}", depth, block));
    model.repeated = block;
    model.loops.least = depth / block;
  } else {
    apply_preset(config, "ms25", "adaptive loop");
    model.repeated = block;
    model.loops.least = std::max<std::uint32_t>(1, depth);
  }
  return config;
}

void pack(RunConfig& config) {
  ModelConfig& model = config.model;
  apply_preset(config, "ms25", model.repeated == 0 ? "packed" : "packed loop");
  auto& words = config.task.as<WordTaskConfig>();
  // Two words of the longest stage but one; a multiple of eight, as fused operations have it.
  words.row_tokens = (words.max_length + 1 + 7) / 8 * 8;
  if (model.repeated > 0) model.step_rows = std::max(model.step_rows, model.loops.least);
}

RunConfig from_construction(const std::string& weights, const std::string& monoid,
                            WordTaskConfig::Letters letters, std::uint32_t length) {
  RunConfig config = preset("ms25", "from-construction");
  config.constructed->weights = weights;
  auto& words = config.task.as<WordTaskConfig>();
  words.monoid = monoid;
  words.letters = letters;
  words.max_length = length;
  return config;
}

}}  // namespace logdepth::learned_word_problems
