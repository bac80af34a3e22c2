#include "learned/records/task.hpp"

#include <algorithm>
#include <stdexcept>

#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_records {

Samples samples_of_texts(const std::vector<std::vector<std::int32_t>>& texts,
                         std::int32_t padding) {
  Samples samples;
  samples.count = texts.size();
  for (const auto& text : texts) samples.tokens = std::max(samples.tokens, text.size());
  samples.size = samples.tokens;
  samples.targets.assign(samples.count * samples.tokens, Samples::kIgnored);
  for (const auto& text : texts) {
    samples.indices.insert(samples.indices.end(), text.begin(), text.end());
    samples.lengths.push_back(static_cast<std::int32_t>(text.size()));
    samples.indices.resize(samples.lengths.size() * samples.tokens, padding);
  }
  return samples;
}

Samples joined_samples(const std::vector<Samples>& of_seeds) {
  Samples all = of_seeds.front();
  const auto append = [](auto& to, const auto& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  for (std::size_t seed = 1; seed < of_seeds.size(); ++seed) {
    const Samples& more = of_seeds[seed];
    all.count += more.count;
    append(all.indices, more.indices);
    append(all.targets, more.targets);
    append(all.segments, more.segments);
    append(all.labels, more.labels);
  }
  return all;
}

double Task::promoting_accuracy(const Samples& samples,
                                const std::vector<std::int32_t>& answers) const {
  std::size_t asked = 0, right = 0;
  for (std::size_t i = 0; i < samples.targets.size(); ++i) {
    if (samples.targets[i] == Samples::kIgnored) continue;
    ++asked;
    right += samples.targets[i] == answers[i];
  }
  return share_of(right, asked);
}

namespace {

void settings(MeasureRequest& request, SettingVisitor& visit) {
  visit("length", request.length);
  visit("samples", request.samples);
  visit("loops", request.loops);
  visit("keep_edges", request.keep_edges);
  visit("cut_edges", request.cut_edges);
}

}  // namespace

nlohmann::ordered_json to_json(const MeasureRequest& request) {
  MeasureRequest copy = request;  // the list of settings serves readers too
  return settings_to_json([&](SettingVisitor& visit) { settings(copy, visit); });
}

MeasureRequest measure_request_from_json(const nlohmann::json& json, const std::string& source) {
  MeasureRequest request;
  read_settings(json, source, [&](SettingVisitor& visit) { settings(request, visit); });
  return request;
}

void TaskSettings::ask(const MeasureRequest& request) {
  const char* const asked = request.length > 0            ? "--length"
                            : request.samples > 0         ? "--words"
                            : !request.keep_edges.empty() ? "--keep-edges"
                            : !request.cut_edges.empty()  ? "--cut-edges"
                                                          : nullptr;
  if (asked)
    throw InputError(std::string(asked) + ": expected a run on words, this one is of the task " +
                     kind());
}

TaskConfig::TaskConfig() : TaskConfig(known_tasks().at(0)) {}

void TaskConfig::visit(SettingVisitor& visit) {
  std::vector<const char*> kinds;
  std::size_t now = 0;
  for (const TaskConfig& known : known_tasks()) {
    if (std::string(known->kind()) == settings_->kind()) now = kinds.size();
    kinds.push_back(known->kind());
  }
  std::size_t wanted = now;
  visit.word("kind", wanted, kinds);
  if (wanted != now) *this = known_tasks()[wanted];
  settings_->visit(visit);
}

ProductQuestion TaskSettings::products() const {
  throw std::logic_error(std::string("a task of ") + kind() + " has no products");
}

}}  // namespace logdepth::learned_records
