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
#include "learned/report/run_table.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::inline learned_report {
namespace {

using report::cell_text;
using report::Data;
using report::kNothing;
using Run = SettingsSweep::Run;
using Choice = SettingsSweep::Choice;

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

Data data_of(const SettingsSweep& sweep, const Choice& choice) {
  Data data = {
      {"values", choice.values}, {"runs", Data::array()}, {"median_tokens", Data::array()}};
  for (const Run& run : choice.runs) {
    Data passed = Data::array();
    for (const PassedSize& one : run.passed)
      passed.push_back({{"length", one.size}, {"steps", one.steps}, {"tokens", one.tokens}});
    data["runs"].push_back({{"seed", run.seed},
                            {"reached", run.reached.reach},
                            {"censored", run.reached.censored},
                            {"tokens", run.tokens},
                            {"early_end", run.early_end},
                            {"passed", std::move(passed)}});
  }
  for (const std::uint64_t size : sweep.sizes)
    data["median_tokens"].push_back(report::or_null(choice.median_tokens(size)));
  return data;
}

/// A cell with an item for each run, by seed.
template <class Text>
std::string of_runs(const Data& choice, Text text) {
  std::vector<std::string> items;
  for (const Data& run : choice.at("runs")) items.push_back(text(run));
  return joined(items);
}

/// Steps of each seed, and the median in thousands of tokens. `place`: of the size among all.
std::string passed_cell(const Data& choice, std::uint64_t size, std::size_t place) {
  const Data& tokens = choice.at("median_tokens").at(place);
  return of_runs(choice,
                 [&](const Data& run) {
                   for (const Data& passed : run.at("passed"))
                     if (passed.at("length") == size) return cell_text(passed.at("steps"));
                   return std::string(report::kNothing);
                 }) +
         (tokens > 0 ? fmt::format(" ({} k)", fixed_text(tokens.get<double>() / 1000, 0)) : "");
}

std::string reached_cell(const Data& run) {
  const auto early_end = run.at("early_end").get<std::string>();
  return cell_text(run.at("reached"), {.digits = 6, .shortest = true}) +
         (run.at("censored") == true ? "+" : "") +
         (early_end.empty() ? "" : " (" + early_end + ")");
}

report::Table table_of(const SettingsSweep& sweep, const Data& choices) {
  std::vector<report::Column> columns;
  for (std::size_t i = 0; i < sweep.settings.size(); ++i)
    columns.push_back(
        report::column(markdown_text(sweep.settings[i]), fmt::format("/values/{}", i)));
  columns.push_back({"seeds", [](const Data& choice) {
                       return of_runs(choice, [](const Data& run) { return run["seed"].dump(); });
                     }});
  for (std::size_t i = 0; i < sweep.sizes.size(); ++i)
    columns.push_back(
        {fmt::format("length {}", sweep.sizes[i]),
         [i, size = sweep.sizes[i]](const Data& choice) { return passed_cell(choice, size, i); }});
  columns.push_back({markdown_text(kSizeScore),
                     [](const Data& choice) { return of_runs(choice, reached_cell); }});
  return report::table_of(choices, columns, sweep.settings.size() + 1);
}

std::string best_sentence(const SettingsSweep& sweep) {
  const Choice* best = sweep.best();
  if (!best) return "No run passed a length.";
  std::vector<std::string> values;
  for (std::size_t i = 0; i < sweep.settings.size(); ++i)
    values.push_back(sweep.settings[i] + " = " + best->values[i]);
  const std::uint64_t size = sweep.sizes.back();
  const std::optional<double> tokens = best->median_tokens(size);
  return markdown_text(fmt::format(
      "Length {} was passed by most seeds, and then soonest, under {}: {}{}.", size,
      values.empty() ? "the only settings" : joined(values),
      share_text(best->passing(size), best->runs.size()),
      tokens ? fmt::format(", {} thousand letters in the median", fixed_text(*tokens / 1000, 0))
             : ""));
}

}  // namespace

report::Report sweep_report(const std::vector<RunRecord>& records) {
  const SettingsSweep sweep = settings_sweep(records);
  report::Report page{"sweep",
                      "Settings that were tried" +
                          (sweep.problem.empty() ? "" : " on " + markdown_text(sweep.problem))};
  page.data = {{"problem", sweep.problem},
               {"settings", sweep.settings},
               {"sizes", sweep.sizes},
               {"choices", Data::array()}};
  for (const Choice& choice : sweep.choices) page.data["choices"].push_back(data_of(sweep, choice));
  const Choice* best = sweep.best();
  page.data["best"] = best ? Data(best->values) : Data();
  return page
      .add(
          "Steps until a length was passed, seed by seed, and in brackets thousands of letters "
          "until then, the median over seeds; – where it was not. n*+: the longest words that were "
          "trained.")
      .add(table_of(sweep, page.data["choices"]))
      .add(best_sentence(sweep));
}

}  // namespace logdepth::inline learned_report
