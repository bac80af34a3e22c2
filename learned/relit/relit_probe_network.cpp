#include "learned/relit/relit_probe_network.hpp"

#include <algorithm>
#include <utility>

#include "learned/core/make_network.hpp"
#include "learned/core/network_predictor.hpp"
#include "learned/core/optimiser.hpp"
#include "learned/records/task.hpp"
#include "learned/relit/spectral_radius_network.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

using Json = nlohmann::ordered_json;

/// Prompts whose states are followed, and those of them at which the radius is taken.
constexpr std::size_t kFollowed = 16, kRadii = 4;
/// Macro steps that are followed, as a multiple of those of the training.
constexpr std::uint32_t kFar = 8;
constexpr std::uint32_t kIterations = 60;

/// Some samples of those given; with one, without padding.
Samples part(const Samples& samples, std::size_t first, std::size_t count) {
  Samples result = samples;
  result.count = std::min(count, samples.count - first);
  result.tokens = 0;
  for (std::size_t i = first; i < first + result.count; ++i)
    result.tokens = std::max(result.tokens, static_cast<std::size_t>(samples.lengths.at(i)));
  result.indices.clear();
  for (std::size_t i = first; i < first + result.count; ++i) {
    const auto row = samples.indices.begin() + static_cast<std::ptrdiff_t>(i * samples.tokens);
    result.indices.insert(result.indices.end(), row,
                          row + static_cast<std::ptrdiff_t>(result.tokens));
  }
  const auto cut = [&](auto& numbers) {
    numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(first));
    numbers.resize(result.count);
  };
  cut(result.lengths);
  cut(result.read);
  cut(result.targets);
  return result;
}

/// The first samples that a task measures with.
Samples measured_samples(const Task& task) {
  std::optional<Samples> first;
  task.score(Predictor([&](const Samples& samples, std::uint32_t) {
               if (!first) first = part(samples, 0, kFollowed);
               return samples.targets;
             }),
             0);
  return first.value();
}

Json backbone_json(const RunRecord& record, const Task& task, torch::Device device) {
  const torch::AutoGradMode gradient(true);
  const std::unique_ptr<Network> fresh = make_network(record.config, task.format(), device);
  const Backbone& backbone = dynamic_cast<const RelitNetwork&>(*fresh).backbone();
  const std::string before = backbone.fingerprint();
  FlatAdamW optimiser(record.config.training, fresh->parameters());
  const Samples samples = part(task.training_batch(0, 0), 0, kRadii);
  fresh->learn(to_batch(samples, task.format(), device, fresh->type()),
               {record.config.training, record.config.seed, 0, [&](const Tensor& loss) {
                  loss.backward();
                  optimiser.step(fresh->parameters(), record.config.training.learning_rate);
                }});
  return {{"file", backbone.name},
          {"parameters", backbone.model->parameters().count()},
          {"before", before},
          {"after", backbone.fingerprint()}};
}

Json radius_json(const RelitNetwork& network, const Samples& sample,
                 TrainingConfig::Precision precision) {
  const Batch batch = to_batch(sample, network.format(), network.device(), network.type());
  const RelitSettings& settings = network.settings();
  const Tensor x = network.states(batch, precision);
  const Anchor anchor = network.anchor(batch, x, precision);
  const auto recursion = [&](const Tensor& both) {
    const ReasoningStates next = network.block()({both[0], both[1]}, anchor);
    return torch::stack({next.y, next.z});
  };
  const ReasoningStates begin = network.block().begin(x, {});
  Tensor state = torch::stack({begin.y, begin.z});
  const auto radius_after = [&](std::uint32_t macro_steps) {
    for (std::uint32_t i = 0; i < macro_steps * settings.recursions; ++i) state = recursion(state);
    return spectral_radius(recursion, state, kIterations);
  };
  const double trained = radius_after(settings.macro_steps);
  const double far = radius_after((kFar - 1) * settings.macro_steps);
  return {{"tokens", sample.tokens}, {"trained", trained}, {"far", far}};
}

}  // namespace

Json probe_relit(const RunRecord& record, const Network& network) {
  const auto* const relit = dynamic_cast<const RelitNetwork*>(&network);
  if (!relit) throw InputError("config.network: expected a run with a recursive block");
  const torch::NoGradGuard no_grad;
  const std::unique_ptr<Task> task = record.config.task->make_task(record.config.seed);
  const Samples samples = measured_samples(*task);
  const auto precision = record.config.training.precision;
  Json result;
  result["run"] = record.folder;
  result["backbone"] = backbone_json(record, *task, network.device());
  result["macro_steps"] = relit->settings().macro_steps;
  result["convergence"] = Json::array();
  std::uint32_t step = 0;
  for (const LoopReading& reading :
       predictor_of(network, precision)
           .loop_readings(samples, kFar * relit->settings().macro_steps))
    result["convergence"].push_back({{"step", ++step}, {"change", reading.change}});
  result["spectral_radius"] = Json::array();
  for (std::size_t i = 0; i < std::min(kRadii, samples.count); ++i)
    result["spectral_radius"].push_back(radius_json(*relit, part(samples, i, 1), precision));
  return result;
}

}  // namespace logdepth::inline learned_relit
