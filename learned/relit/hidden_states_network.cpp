#include "learned/relit/hidden_states_network.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "runtime/file/sha256.hpp"

namespace logdepth::inline learned_relit {
namespace {

Tensor parameter_named(const UniversalTransformer& model, const char* name) {
  for (const Parameters::Named& parameter : model.parameters().all())
    if (parameter.name == name) return parameter.tensor;
  return {};
}

PassOptions whole_pass(const UniversalTransformer& model, const Batch& batch,
                       TrainingConfig::Precision precision) {
  PassOptions options;
  options.loops = model.loops_of(batch);
  options.precision = precision;
  return options;
}

std::string key_of(const std::vector<std::int32_t>& prompt) {
  return {reinterpret_cast<const char*>(prompt.data()), prompt.size() * sizeof(std::int32_t)};
}

/// The prompts of a batch, without their padding.
std::vector<std::vector<std::int32_t>> prompts_of(const Batch& batch) {
  const Tensor indices = batch.indices.select(-1, 0).to(torch::kCPU, torch::kInt32).contiguous();
  const std::int64_t tokens = indices.size(1);
  const Tensor lengths = batch.lengths.defined() ? batch.lengths.to(torch::kCPU) : Tensor();
  std::vector<std::vector<std::int32_t>> prompts;
  for (std::int64_t b = 0; b < indices.size(0); ++b) {
    const std::int32_t* const first = indices.data_ptr<std::int32_t>() + b * tokens;
    const std::int64_t length = lengths.defined() ? lengths.data_ptr<std::int64_t>()[b] : tokens;
    prompts.emplace_back(first, first + length);
  }
  return prompts;
}

}  // namespace

Tensor Backbone::embeddings(const Batch& batch) const {
  return torch::embedding(parameter_named(*model, "embedding.0"), batch.indices.select(-1, 0));
}

Tensor Backbone::head_weight() const {
  return parameter_named(*model, shape.tied_readout ? "embedding.0" : "readout.weight");
}

Tensor Backbone::head_bias() const {
  return parameter_named(*model, "readout.bias");
}

std::string Backbone::fingerprint() const {
  const Tensor values = model->parameters().values().to(torch::kCPU).contiguous();
  return sha256({static_cast<const char*>(values.data_ptr()), values.nbytes()});
}

Tensor AdaptedStates::operator()(const Batch& batch, TrainingConfig::Precision precision) const {
  return backbone_.model->hidden(batch, whole_pass(*backbone_.model, batch, precision));
}

KeptStates::KeptStates(const Backbone& backbone, const std::string& folder, std::uint32_t at_once,
                       std::uint64_t most_bytes)
    : backbone_(backbone),
      folder_(folder.empty() ? default_states_folder() : folder),
      at_once_(at_once),
      most_bytes_(most_bytes) {}

void KeptStates::remember(const std::string& key, const Tensor& states) const {
  if (bytes_ + states.nbytes() > most_bytes_ || !memory_.emplace(key, states).second) return;
  bytes_ += states.nbytes();
}

std::vector<Tensor> KeptStates::compute(const std::vector<Prompt>& prompts,
                                        TrainingConfig::Precision precision) const {
  const torch::NoGradGuard no_grad;
  const UniversalTransformer& model = *backbone_.model;
  const Batch batch =
      to_batch(samples_of_texts(prompts), model.format(), model.device(), model.type());
  const Tensor states =
      model.hidden(batch, whole_pass(model, batch, precision)).to(torch::kCPU, torch::kFloat32);
  computed_ += prompts.size();
  std::vector<Tensor> each;
  for (std::size_t i = 0; i < prompts.size(); ++i)
    each.push_back(states[static_cast<std::int64_t>(i)]
                       .narrow(0, 0, static_cast<std::int64_t>(prompts[i].size()))
                       .clone());
  return each;
}

std::vector<Tensor> KeptStates::states_of(const std::vector<Prompt>& prompts,
                                          TrainingConfig::Precision precision) const {
  const std::int64_t width = backbone_.shape.width;
  const bool rounded = precision == TrainingConfig::Precision::bfloat16;
  const StateFiles files(folder_, backbone_.digest + (rounded ? "-bfloat16" : ""),
                         static_cast<std::size_t>(width));
  std::vector<Tensor> found(prompts.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    if (const auto known = memory_.find(key_of(prompts[i])); known != memory_.end()) {
      found[i] = known->second;
    } else if (const auto kept = files.read(prompts[i])) {
      found[i] = torch::empty({static_cast<std::int64_t>(prompts[i].size()), width});
      std::memcpy(found[i].data_ptr(), kept->data(), kept->size() * sizeof(float));
      remember(key_of(prompts[i]), found[i]);
    } else {
      missing.push_back(i);
    }
  }
  for (std::size_t first = 0; first < missing.size(); first += at_once_) {
    const std::size_t end = std::min(first + at_once_, missing.size());
    std::vector<Prompt> together;
    for (std::size_t i = first; i < end; ++i) together.push_back(prompts[missing[i]]);
    const std::vector<Tensor> computed = compute(together, precision);
    for (std::size_t i = first; i < end; ++i) {
      const Tensor& states = found[missing[i]] = computed[i - first];
      files.write(prompts[missing[i]],
                  {states.data_ptr<float>(), static_cast<std::size_t>(states.numel())});
      remember(key_of(prompts[missing[i]]), states);
    }
  }
  return found;
}

Tensor KeptStates::operator()(const Batch& batch, TrainingConfig::Precision precision) const {
  const std::vector<Tensor> found = states_of(prompts_of(batch), precision);
  const Tensor states = torch::zeros(
      {batch.indices.size(0), batch.indices.size(1), std::int64_t{backbone_.shape.width}});
  for (std::size_t b = 0; b < found.size(); ++b)
    states[static_cast<std::int64_t>(b)].narrow(0, 0, found[b].size(0)).copy_(found[b]);
  return states.to(batch.indices.device(), backbone_.model->type());
}

std::unique_ptr<HiddenStates> hidden_states(const Backbone& backbone,
                                            const RelitSettings& settings) {
  if (settings.states == RelitSettings::States::embedding)
    return std::make_unique<EmbeddingStates>(backbone);
  if (settings.adapters > 0) return std::make_unique<AdaptedStates>(backbone);
  return std::make_unique<KeptStates>(backbone, settings.states_folder, settings.state_batch);
}

}  // namespace logdepth::inline learned_relit
