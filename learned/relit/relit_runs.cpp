#include "learned/relit/relit_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/phrases.hpp"
#include "learned/relit/relit_results.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

using Set = RulesTaskConfig::Set;
using States = RelitSettings::States;
using SettingNames = std::set<std::string>;

/// What changes of ReLIT are made of; what the one block that runs once has no use for; what the
/// linear map has no use for either. A name that ends in a point stands for all that begin so.
const SettingNames kChanged = {
    "network.probe",   "network.through_time", "network.replace",        "network.deep_supervision",
    "network.head",    "network.halting",      "network.adapters",       "network.cross_attention",
    "network.z_start", "network.update_y",     "network.y_every_latent", "network.subtract_input"};
const SettingNames kOfLoops = {
    "network.macro_steps",    "network.recursions",  "network.latent_steps", "task.macro_steps",
    "network.halting_weight", "network.least_steps", "network.loss_epsilon", "training."};
const SettingNames kOfBlock = {"network.layers", "network.heads", "network.hidden"};
const SettingNames kOfStates = {"network.states"};
const SettingNames kOfSamples = {"task.training_samples", "training.steps"};
/// Columns of their own.
const SettingNames kNamedElsewhere = {"network.backbone", "network.states", "task.tokens",
                                      "task.training_samples"};

bool is_among(const SettingNames& names, const std::string& path) {
  return names.contains(path) || names.contains(path.substr(0, path.find('.') + 1));
}

SettingNames both(SettingNames names, const SettingNames& more) {
  names.insert(more.begin(), more.end());
  return names;
}

/// The settings that have not the same value; a configuration spells out all of them.
SettingNames differing(const RelitSeries& one, const RelitSeries& other) {
  SettingNames names;
  for (const auto& [path, value] : one.settings) {
    const auto found = other.settings.find(path);
    if (found == other.settings.end() || found->second != value) names.insert(path);
  }
  return names;
}

bool alike_but(const RelitSeries& one, const RelitSeries& other, const SettingNames& names) {
  return std::ranges::all_of(differing(one, other),
                             [&](const std::string& path) { return is_among(names, path); });
}

std::string method_word(RelitMethod method) {
  return kRelitMethods[static_cast<std::size_t>(method)];
}

std::vector<std::string> changes_of(const RelitSettings& network, const FlatSettings& settings) {
  const bool probe = network.probe == RelitSettings::Probe::linear;
  const bool once =
      !probe && network.macro_steps == 1 && network.recursions == 1 && network.latent_steps == 1;
  const bool loops = !probe && !once;
  std::vector<std::string> changes;
  const auto add = [&](bool holds, RelitMethod method) {
    if (holds) changes.push_back(method_word(method));
  };
  add(probe, RelitMethod::linear_probe);
  add(once, RelitMethod::one_pass);
  add(loops && network.through_time, RelitMethod::through_time);
  add(!probe && network.replace, RelitMethod::replace);
  add(loops && !network.deep_supervision, RelitMethod::no_deep_supervision);
  add(network.head == RelitSettings::Head::trainable, RelitMethod::trainable_head);
  add(loops && !network.halting, RelitMethod::no_halting);
  add(network.adapters > 0, RelitMethod::adapters);
  add(!probe && network.cross_attention, RelitMethod::cross_attention);
  if (probe) return changes;
  const RelitSettings defaults;
  const auto add_setting = [&](bool holds, const std::string& name) {
    if (holds) changes.push_back(name + "=" + settings.at("network." + name));
  };
  add_setting(network.z_start != defaults.z_start, "z_start");
  add_setting(network.update_y != defaults.update_y, "update_y");
  add_setting(network.y_every_latent != defaults.y_every_latent, "y_every_latent");
  add_setting(network.subtract_input != defaults.subtract_input, "subtract_input");
  return changes;
}

FlatSettings settings_of(const RunConfig& config) {
  FlatSettings settings;
  flatten(settings_of_series(config), "", settings);
  settings.erase("network.states_folder");
  return settings;
}

std::string section_key(const RunConfig& config) {
  auto task = to_json(config).at("task");
  for (const char* name : {"training_samples", "test_samples", "batch", "macro_steps", "tokens"})
    task.erase(name);
  return task.dump();
}

/// A place in the order of series: ReLIT first, then as methods are listed, then other changes.
std::size_t rank_of(const RelitSeries& series) {
  if (series.changes.empty()) return 0;
  const auto* const found = std::ranges::find(kRelitMethods, series.changes.front());
  return static_cast<std::size_t>(found - std::begin(kRelitMethods));
}

void name_settings(std::vector<RelitSeries>& all) {
  for (RelitSeries& series : all) {
    SettingNames names;
    for (const RelitSeries& other : all) {
      if (other.changes != series.changes) continue;
      const bool same_samples = other.task().training_samples == series.task().training_samples;
      for (const std::string& path : differing(series, other))
        if (!kNamedElsewhere.contains(path) && (same_samples || !kOfSamples.contains(path)))
          names.insert(path);
    }
    std::vector<std::string> parts;
    for (const std::string& path : names) parts.push_back(path + "=" + series.settings.at(path));
    series.setting = joined(parts);
  }
}

/// The last parts of a path that tell a model from others: "base/seed-1" of a run.
std::string name_of_model(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path + "/").parent_path();
  const std::string last = whole.filename().string();
  const std::string folder = whole.parent_path().filename().string();
  return last.starts_with("seed-") && !folder.empty() ? folder + "/" + last : last;
}

void add_to(std::vector<std::size_t>& sums, const std::vector<std::size_t>& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

const char* negation_text(RuleSettings::Negation negation) {
  switch (negation) {
    case RuleSettings::Negation::none:
      return "no negation";
    case RuleSettings::Negation::facts:
      return "negation in facts";
    case RuleSettings::Negation::rules:
      break;
  }
  return "negation in facts and rules";
}

}  // namespace

bool RelitSeries::is(RelitMethod method) const {
  return method == RelitMethod::relit ? changes.empty()
                                      : changes == std::vector{method_word(method)};
}

bool RelitSeries::is_base() const {
  return changes.empty() && network().states == States::last;
}

std::string RelitSeries::title() const {
  return (changes.empty() ? "ReLIT" : joined(changes)) +
         (setting.empty() ? "" : " (" + setting + ")");
}

std::string RelitSeries::backbone() const {
  const std::string model = name_of_model(network().backbone);
  switch (network().states) {
    case States::embedding:
      return model + ", embedding only";
    case States::random:
      return model + ", random weights";
    case States::last:
      break;
  }
  return model;
}

std::vector<std::uint64_t> RelitSeries::seeds() const {
  std::vector<std::uint64_t> numbers;
  for (const RelitRun& run : runs) numbers.push_back(run.seed);
  return numbers;
}

std::vector<RunEnd> RelitSeries::ends() const {
  std::vector<RunEnd> all;
  for (const RelitRun& run : runs) all.push_back(run.end);
  return all;
}

RelitSeries RelitSeries::only(const RelitRun& run) const {
  RelitSeries one = *this;
  one.runs = {run};
  return one;
}

bool RelitSeries::may_halt() const {
  return network().halting && network().least_steps < network().macro_steps;
}

std::uint64_t RelitSeries::layers_applied() const {
  const RelitSettings& block = network();
  if (block.probe == RelitSettings::Probe::linear) return 0;
  const std::uint64_t recursions = std::uint64_t{block.macro_steps} * block.recursions;
  const std::uint64_t answers = block.update_y == RelitSettings::UpdateY::linear ? 0
                                : block.y_every_latent ? block.latent_steps
                                                       : 1;
  return recursions * (block.latent_steps + answers) * block.layers;
}

std::vector<std::size_t> RelitSeries::halting() const {
  std::vector<std::size_t> sums(task().macro_steps);
  for (const RelitRun& run : runs) add_to(sums, run.halting);
  return sums;
}

std::vector<std::size_t> RelitSeries::halting_at(std::uint32_t depth) const {
  std::vector<std::size_t> sums(task().macro_steps);
  for (const RelitRun& run : runs) {
    const ProofDepthScore* const score = run.at(depth);
    if (!score || score->halting.empty()) return {};
    add_to(sums, score->halting);
  }
  return sums;
}

std::string RelitSection::title() const {
  const RulesTaskConfig& asked = task();
  if (asked.set == Set::nli) return "pairs of sentences with quantifiers and negation";
  if (asked.set == Set::file) return "questions of " + asked.questions;
  const auto depths = asked.depths;
  return fmt::format("facts and rules, {} world, {}, proofs of depth {}",
                     asked.rules.world == RuleWorld::closed ? "closed" : "open",
                     negation_text(asked.rules.negation),
                     depths.size() == 1 ? std::to_string(depths.front())
                                        : fmt::format("{} to {}", depths.front(), depths.back()));
}

const char* RelitSection::depth_name() const {
  return has_proofs() ? "proof depth" : "difficulty";
}

std::optional<double> RelitSection::chance() const {
  if (task().set == Set::file) return std::nullopt;
  const bool two = has_proofs() && task().rules.world == RuleWorld::closed;
  return 1.0 / (two ? 2 : 3);
}

std::vector<std::uint32_t> RelitSection::depths() const {
  std::set<std::uint32_t> all;
  for (const RelitSeries& one : series)
    for (const RelitRun& run : one.runs)
      for (const ProofDepthScore& score : run.by_depth) all.insert(score.depth);
  return {all.begin(), all.end()};
}

std::uint32_t RelitSection::most_macro_steps() const {
  std::uint32_t most = 1;
  for (const RelitSeries& one : series) most = std::max(most, one.task().macro_steps);
  return most;
}

std::vector<const RelitSeries*> RelitSection::bases() const {
  std::vector<const RelitSeries*> found;
  for (const RelitSeries& one : series)
    if (one.is_base() && by_samples(one).back() == &one) found.push_back(&one);
  return found;
}

std::vector<const RelitSeries*> RelitSection::compared(const RelitSeries& base,
                                                       RelitMethod method) const {
  SettingNames names = both(kChanged, kOfLoops);
  if (method == RelitMethod::linear_probe) names = both(names, kOfBlock);
  std::vector<const RelitSeries*> found;
  for (const RelitSeries& one : series)
    if (one.is(method) && alike_but(base, one, names)) found.push_back(&one);
  return found;
}

const RelitSeries* RelitSection::best_compared(const RelitSeries& base, RelitMethod method) const {
  const RelitSeries* best = nullptr;
  for (const RelitSeries* one : compared(base, method))
    if (!best || one->accuracy()->median > best->accuracy()->median) best = one;
  return best;
}

const RelitSeries* RelitSection::on_states(const RelitSeries& base, States states) const {
  for (const RelitSeries& one : series)
    if (one.network().states == states && one.changes == base.changes &&
        alike_but(base, one, kOfStates))
      return &one;
  return nullptr;
}

std::vector<const RelitSeries*> RelitSection::ablations(const RelitSeries& base) const {
  std::vector<const RelitSeries*> found;
  for (const RelitSeries& one : series)
    if (!one.changes.empty() && alike_but(base, one, kChanged) &&
        one.network().probe == RelitSettings::Probe::none)
      found.push_back(&one);
  return found;
}

std::vector<const RelitSeries*> RelitSection::by_samples(const RelitSeries& base) const {
  std::vector<const RelitSeries*> found;
  for (const RelitSeries& one : series) {
    const bool same_steps = one.task().training_samples != base.task().training_samples ||
                            one.config.training.steps == base.config.training.steps;
    if (same_steps && alike_but(base, one, kOfSamples)) found.push_back(&one);
  }
  std::ranges::stable_sort(found, {},
                           [](const RelitSeries* one) { return one->task().training_samples; });
  return found;
}

std::vector<RelitSection> relit_sections(const std::vector<RunRecord>& records) {
  std::vector<std::pair<std::string, RelitSection>> found;
  std::map<std::pair<std::string, std::uint64_t>, const RunRecord*> read;  // settings, seed
  for (const RunRecord& record : records) {
    if (!record.config.task.try_as<RulesTaskConfig>() || !record.config.network ||
        !record.config.network->try_as<RelitSettings>())
      continue;
    RelitRun run = relit_run(record);
    const FlatSettings settings = settings_of(record.config);
    std::string key;
    for (const auto& [path, value] : settings) key += path + "=" + value + "\n";
    const auto [same, first] = read.emplace(std::pair(key, run.seed), &record);
    if (!first) {
      if (same->second->result == record.result) continue;
      throw InputError(fmt::format(
          "{} and {}: expected one result of seed {}, found two that differ under the same "
          "configuration",
          same->second->folder, record.folder, run.seed));
    }
    const std::string of_section = section_key(record.config);
    auto section =
        std::ranges::find(found, of_section, &std::pair<std::string, RelitSection>::first);
    if (section == found.end()) section = found.insert(found.end(), {of_section, {}});
    auto& all = section->second.series;
    auto series = std::ranges::find(all, settings, &RelitSeries::settings);
    if (series == all.end())
      series =
          all.insert(all.end(), {record.config,
                                 {},
                                 settings,
                                 changes_of(record.config.network->as<RelitSettings>(), settings),
                                 ""});
    series->runs.push_back(std::move(run));
  }
  if (found.empty())
    throw InputError(
        "RUNS: expected at least one run of a recursive block on a frozen language model, as "
        "'train relit' leaves them");
  std::vector<RelitSection> sections;
  for (auto& [key, section] : found) {
    for (RelitSeries& series : section.series) std::ranges::sort(series.runs, {}, &RelitRun::seed);
    std::ranges::stable_sort(section.series, {}, rank_of);
    name_settings(section.series);
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace logdepth
