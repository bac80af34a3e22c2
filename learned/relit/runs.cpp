#include "learned/relit/runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::relit {
namespace {

using Set = RulesTaskConfig::Set;
using States = RelitSettings::States;

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

/// The settings in which a series may differ from the base that it is compared with.
bool alike_but(const Series& one, const Series& other, const SettingNames& names) {
  return logdepth::alike_but(one.settings, other.settings, names);
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
  FlatSettings settings = flat_settings(config);
  settings.erase("network.states_folder");
  return settings;
}

/// What was asked; absent where it was something else.
std::optional<std::string> section_key(const RunRecord& record) {
  const RunConfig& config = record.config;
  if (!config.task.try_as<RulesTaskConfig>() || !config.network ||
      !config.network->try_as<RelitSettings>())
    return std::nullopt;
  auto task = to_json(config).at("task");
  for (const char* name : {"training_samples", "test_samples", "batch", "macro_steps", "tokens"})
    task.erase(name);
  return task.dump();
}

/// A place in the order of series: ReLIT first, then as methods are listed, then other changes.
std::size_t rank_of(const Series& series) {
  if (series.changes.empty()) return 0;
  const auto* const found = std::ranges::find(kRelitMethods, series.changes.front());
  return static_cast<std::size_t>(found - std::begin(kRelitMethods));
}

/// What series of the same changes do not differ in by name.
std::optional<SettingNames> not_named(const Series& one, const Series& other) {
  if (one.changes != other.changes) return std::nullopt;
  const bool same_samples = one.task().training_samples == other.task().training_samples;
  return same_samples ? kNamedElsewhere : both(kNamedElsewhere, kOfSamples);
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

bool Series::is(RelitMethod method) const {
  return method == RelitMethod::relit ? changes.empty()
                                      : changes == std::vector{method_word(method)};
}

bool Series::is_base() const {
  return changes.empty() && network().states == States::last;
}

std::string Series::title() const {
  return (changes.empty() ? "ReLIT" : joined(changes)) +
         (setting.empty() ? "" : " (" + setting + ")");
}

std::string Series::backbone() const {
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

bool Series::may_halt() const {
  return network().halting && network().least_steps < network().macro_steps;
}

std::uint64_t Series::layers_applied() const {
  const RelitSettings& block = network();
  if (block.probe == RelitSettings::Probe::linear) return 0;
  const std::uint64_t recursions = std::uint64_t{block.macro_steps} * block.recursions;
  const std::uint64_t answers = block.update_y == RelitSettings::UpdateY::linear ? 0
                                : block.y_every_latent ? block.latent_steps
                                                       : 1;
  return recursions * (block.latent_steps + answers) * block.layers;
}

std::vector<std::size_t> Series::halting() const {
  std::vector<std::size_t> sums(task().macro_steps);
  for (const Run& run : runs) add_to(sums, run.halting);
  return sums;
}

std::vector<std::size_t> Series::halting_at(std::uint32_t depth) const {
  std::vector<std::size_t> sums(task().macro_steps);
  for (const Run& run : runs) {
    const ProofDepthScore* const score = run.at(depth);
    if (!score || score->halting.empty()) return {};
    add_to(sums, score->halting);
  }
  return sums;
}

std::string Section::title() const {
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

const char* Section::depth_name() const {
  return has_proofs() ? "proof depth" : "difficulty";
}

std::optional<double> Section::chance() const {
  if (task().set == Set::file) return std::nullopt;
  const bool two = has_proofs() && task().rules.world == RuleWorld::closed;
  return 1.0 / (two ? 2 : 3);
}

std::vector<std::uint32_t> Section::depths() const {
  std::set<std::uint32_t> all;
  for (const Series& one : series)
    for (const Run& run : one.runs)
      for (const ProofDepthScore& score : run.by_depth) all.insert(score.depth);
  return {all.begin(), all.end()};
}

std::uint32_t Section::most_macro_steps() const {
  std::uint32_t most = 1;
  for (const Series& one : series) most = std::max(most, one.task().macro_steps);
  return most;
}

std::vector<const Series*> Section::bases() const {
  std::vector<const Series*> found;
  for (const Series& one : series)
    if (one.is_base() && has_most_samples(one)) found.push_back(&one);
  return found;
}

std::vector<const Series*> Section::compared(const Series& base, RelitMethod method) const {
  SettingNames names = both(kChanged, kOfLoops);
  if (method == RelitMethod::linear_probe) names = both(names, kOfBlock);
  std::vector<const Series*> found;
  for (const Series& one : series)
    if (one.is(method) && alike_but(base, one, names)) found.push_back(&one);
  return found;
}

const Series* Section::best_compared(const Series& base, RelitMethod method) const {
  const Series* best = nullptr;
  for (const Series* one : compared(base, method))
    if (!best || one->accuracy()->median > best->accuracy()->median) best = one;
  return best;
}

const Series* Section::on_states(const Series& base, States states) const {
  for (const Series& one : series)
    if (one.network().states == states && one.changes == base.changes &&
        alike_but(base, one, kOfStates))
      return &one;
  return nullptr;
}

std::vector<const Series*> Section::ablations(const Series& base) const {
  std::vector<const Series*> found;
  for (const Series& one : series)
    if (!one.changes.empty() && alike_but(base, one, kChanged) &&
        one.network().probe == RelitSettings::Probe::none)
      found.push_back(&one);
  return found;
}

std::vector<const Series*> Section::by_samples(const Series& base) const {
  std::vector<const Series*> found;
  for (const Series& one : series) {
    const bool same_steps = one.task().training_samples != base.task().training_samples ||
                            one.config.training.steps == base.config.training.steps;
    if (same_steps && alike_but(base, one, kOfSamples)) found.push_back(&one);
  }
  std::ranges::stable_sort(found, {},
                           [](const Series* one) { return one->task().training_samples; });
  return found;
}

std::vector<Section> sections_of(const std::vector<RunRecord>& records) {
  std::vector<Section> sections;
  for (const RecordSection& found : run_table(records, {section_key, settings_of})) {
    Section& section = sections.emplace_back();
    for (const RecordGroup& group : found.groups) {
      Series& series = section.series.emplace_back();
      series.config = group.records.front()->config;
      series.settings = group.settings;
      series.changes = changes_of(series.network(), series.settings);
      for (const RunRecord* record : group.records) series.runs.push_back(run_of(*record));
    }
    std::ranges::stable_sort(section.series, {}, rank_of);
    name_settings(section.series, not_named);
  }
  if (sections.empty())
    throw InputError(
        "RUNS: expected at least one run of a recursive block on a frozen language model, as "
        "'train relit' leaves them");
  return sections;
}

}  // namespace logdepth::relit
