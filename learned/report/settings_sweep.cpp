#include "learned/report/settings_sweep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/distinct_runs.hpp"
#include "learned/report/report_files.hpp"
#include "learned/report/run_table.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {
namespace {

using Json = nlohmann::ordered_json;
using Run = SettingsSweep::Run;
using Choice = SettingsSweep::Choice;

/// In a cell.
constexpr const char* kNotPassed = "–";
/// Of a setting that a configuration does not have.
constexpr const char* kAbsent = "none";

/// Numbers before words, each in their order.
using ValueOrder = std::tuple<bool, double, std::string>;

ValueOrder order_of(const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool is_number = error == std::errc() && end == value.data() + value.size();
  return {!is_number, is_number ? number : 0, value};
}

std::vector<ValueOrder> order_of(const std::vector<std::string>& values) {
  std::vector<ValueOrder> order;
  for (const std::string& value : values) order.push_back(order_of(value));
  return order;
}

/// A run with all of its settings.
struct Described {
  FlatSettings settings;
  std::string problem;
  Run run;
};

std::vector<Described> described(const std::vector<RunRecord>& records) {
  std::vector<Described> all;
  for (const RunRecord& record : distinct_runs(records).records) {
    const RecordFields training = fields_of(record, record.training, "training");
    const auto reading =
        record.config.task->depth_reading(fields_of(record, record.result, "result"));
    const LearningCurve curve = learning_curve(record);
    if (!reading || reading->reach != kSizeScore || reading->points.empty()) continue;
    Described one;
    one.problem = reading->problem;
    flatten(settings_of_series(record.config), "", one.settings);
    one.run = {record.config.seed, passed_sizes(training, curve),
               training.has("tokens") ? training.number("tokens") : 0, reading->points.front(),
               early_end(record)};
    all.push_back(std::move(one));
  }
  if (all.empty()) throw InputError("expected runs on words, which report an n*, found none");
  return all;
}

std::string value_of(const FlatSettings& settings, const std::string& setting) {
  const auto found = settings.find(setting);
  return found == settings.end() ? kAbsent : found->second;
}

std::vector<std::string> differing(const std::vector<Described>& all) {
  std::set<std::string> names;
  for (const Described& one : all)
    for (const auto& [name, value] : one.settings) names.insert(name);
  std::vector<std::string> settings;
  for (const std::string& name : names)
    if (std::ranges::any_of(all, [&](const Described& one) {
          return value_of(one.settings, name) != value_of(all.front().settings, name);
        }))
      settings.push_back(name);
  return settings;
}

}  // namespace

const PassedSize* Run::at(std::uint64_t size) const {
  const auto found = std::ranges::find(passed, size, &PassedSize::size);
  return found == passed.end() ? nullptr : &*found;
}

std::size_t Choice::passing(std::uint64_t size) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(runs, [&](const Run& run) { return run.at(size) != nullptr; }));
}

std::optional<double> Choice::median_tokens(std::uint64_t size) const {
  std::vector<double> tokens;
  for (const Run& run : runs)
    if (const PassedSize* passed = run.at(size)) tokens.push_back(passed->tokens);
  std::ranges::sort(tokens);
  // The upper middle run is among those that passed, so both middle ones of an even number are.
  if (runs.size() / 2 >= tokens.size()) return std::nullopt;
  tokens.resize(runs.size(), tokens.back());
  return report::median(std::move(tokens));
}

const Choice* SettingsSweep::best() const {
  if (sizes.empty()) return nullptr;
  const std::uint64_t size = sizes.back();
  const auto rank = [&](const Choice& choice) {
    const std::optional<double> tokens = choice.median_tokens(size);
    return std::tuple(-static_cast<double>(choice.passing(size)), !tokens, tokens.value_or(0));
  };
  return &*std::ranges::min_element(choices, {}, rank);
}

SettingsSweep settings_sweep(const std::vector<RunRecord>& records) {
  const std::vector<Described> all = described(records);
  SettingsSweep sweep;
  sweep.settings = differing(all);
  if (std::ranges::all_of(all, [&](const auto& o) { return o.problem == all.front().problem; }))
    sweep.problem = all.front().problem;
  std::set<std::uint64_t> sizes;
  std::map<std::vector<ValueOrder>, Choice> choices;
  for (const Described& one : all) {
    std::vector<std::string> values;
    for (const std::string& setting : sweep.settings)
      values.push_back(value_of(one.settings, setting));
    Choice& choice = choices[order_of(values)];
    choice.values = values;
    choice.runs.push_back(one.run);
    for (const PassedSize& passed : one.run.passed) sizes.insert(passed.size);
  }
  sweep.sizes.assign(sizes.begin(), sizes.end());
  for (auto& [order, choice] : choices) {
    std::ranges::sort(choice.runs, {}, &Run::seed);
    sweep.choices.push_back(std::move(choice));
  }
  return sweep;
}

namespace {

std::string seeds_of(const Choice& choice) {
  std::vector<std::string> seeds;
  for (const Run& run : choice.runs) seeds.push_back(std::to_string(run.seed));
  return joined(seeds);
}

/// Steps of each seed, in the order of seeds, and the median in thousands of tokens.
std::string passed_cell(const Choice& choice, std::uint64_t size) {
  std::vector<std::string> steps;
  for (const Run& run : choice.runs) {
    const PassedSize* passed = run.at(size);
    steps.push_back(passed ? std::to_string(passed->steps) : kNotPassed);
  }
  const std::optional<double> tokens = choice.median_tokens(size);
  return joined(steps) +
         (tokens && *tokens > 0 ? fmt::format(" ({} k)", fixed_text(*tokens / 1000, 0)) : "");
}

std::string reached_cell(const Choice& choice) {
  std::vector<std::string> reached;
  for (const Run& run : choice.runs)
    reached.push_back(short_text(run.reached.reach, 6) + (run.reached.censored ? "+" : "") +
                      (run.early_end.empty() ? "" : " (" + run.early_end + ")"));
  return joined(reached);
}

std::string best_sentence(const SettingsSweep& sweep) {
  const Choice* best = sweep.best();
  if (!best) return "No run passed a length.\n";
  std::vector<std::string> values;
  for (std::size_t i = 0; i < sweep.settings.size(); ++i)
    values.push_back(sweep.settings[i] + " = " + best->values[i]);
  const std::uint64_t size = sweep.sizes.back();
  const std::optional<double> tokens = best->median_tokens(size);
  return markdown_text(fmt::format(
             "Length {} was passed by most seeds, and then soonest, under {}: {}{}.", size,
             values.empty() ? "the only settings" : joined(values),
             share_text(best->passing(size), best->runs.size()),
             tokens
                 ? fmt::format(", {} thousand letters in the median", fixed_text(*tokens / 1000, 0))
                 : "")) +
         "\n";
}

}  // namespace

std::string sweep_markdown(const std::vector<RunRecord>& records) {
  const SettingsSweep sweep = settings_sweep(records);
  std::string text =
      "# Settings that were tried" +
      (sweep.problem.empty() ? "" : " on " + markdown_text(sweep.problem)) +
      "\n\nSteps until a length was passed, seed by seed, and in brackets thousands of "
      "letters until then, the median over seeds; " +
      kNotPassed + " where it was not. n*+: the longest words that were trained.\n\n";
  std::vector<std::string> headings = markdown_texts(sweep.settings);
  const std::size_t settings = headings.size();
  headings.push_back("seeds");
  for (const std::uint64_t size : sweep.sizes) headings.push_back(fmt::format("length {}", size));
  headings.push_back(markdown_text(kSizeScore));
  text += markdown_headings(headings, settings + 1);
  for (const Choice& choice : sweep.choices) {
    std::vector<std::string> cells = markdown_texts(choice.values);
    cells.push_back(seeds_of(choice));
    for (const std::uint64_t size : sweep.sizes) cells.push_back(passed_cell(choice, size));
    cells.push_back(reached_cell(choice));
    text += markdown_row(cells);
  }
  return text + "\n" + best_sentence(sweep);
}

std::string sweep_json(const std::vector<RunRecord>& records) {
  const SettingsSweep sweep = settings_sweep(records);
  Json json = {{"problem", sweep.problem}, {"settings", sweep.settings}, {"sizes", sweep.sizes}};
  json["choices"] = Json::array();
  for (const Choice& choice : sweep.choices) {
    Json& entry = json["choices"].emplace_back(Json{{"values", choice.values}});
    entry["runs"] = Json::array();
    for (const Run& run : choice.runs) {
      Json& one = entry["runs"].emplace_back(Json{{"seed", run.seed},
                                                  {"reached", run.reached.reach},
                                                  {"censored", run.reached.censored},
                                                  {"tokens", run.tokens},
                                                  {"early_end", run.early_end}});
      one["passed"] = Json::array();
      for (const PassedSize& passed : run.passed)
        one["passed"].push_back(
            {{"length", passed.size}, {"steps", passed.steps}, {"tokens", passed.tokens}});
    }
    entry["median_tokens"] = Json::array();
    for (const std::uint64_t size : sweep.sizes) {
      const std::optional<double> tokens = choice.median_tokens(size);
      entry["median_tokens"].push_back(tokens ? Json(*tokens) : Json());
    }
  }
  const Choice* best = sweep.best();
  json["best"] = best ? Json(best->values) : Json();
  return json.dump(1) + "\n";
}

std::vector<std::string> save_sweep_report(const std::vector<RunRecord>& records,
                                           const std::string& folder) {
  return write_report_files(
      {{"sweep.md", sweep_markdown(records)}, {"sweep.json", sweep_json(records)}}, folder);
}

}  // namespace logdepth
