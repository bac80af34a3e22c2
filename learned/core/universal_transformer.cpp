#include "learned/core/universal_transformer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "learned/records/counter_random.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace learned_core {
namespace {

std::vector<TransformerBlock> stack(Parameters& parameters, const std::string& name,
                                    std::uint32_t layers, const ModelConfig& config,
                                    const Tensor& distances) {
  std::vector<TransformerBlock> blocks;
  for (std::uint32_t i = 0; i < layers; ++i)
    blocks.emplace_back(parameters, fmt::format("{}.{}", name, i), config, distances);
  return blocks;
}

Tensor through(const std::vector<TransformerBlock>& blocks, Tensor h, AttentionContext& context) {
  for (const TransformerBlock& block : blocks) h = block(h, context);
  return h;
}

/// The table of Positions::deberta; undefined of the others.
Tensor distance_table(Parameters& parameters, const ModelConfig& config) {
  if (config.positions != ModelConfig::Positions::deberta) return {};
  return parameters.add("distances", {2 * std::int64_t{config.max_distance}, config.width},
                        Initial::normal(config.embedding_deviation));
}

/// The rows of a table at indices [B, L]. Of several seeds, [S, rows, width], as a product with rows of
/// one 1: exact, and its gradient sorts nothing.
Tensor looked_up(const Tensor& table, const Tensor& indices) {
  if (table.dim() == 2) return torch::embedding(table, indices);
  const Tensor chosen =
      indices.reshape({table.size(0), -1, 1}) == torch::arange(table.size(1), indices.options());
  return torch::bmm(chosen.to(table.scalar_type()), table)
      .view({indices.size(0), indices.size(1), table.size(2)});
}

/// Bytes [B, L, L]: whether two tokens of a row are of one text.
Tensor same_segment(const Tensor& segments) {
  return (segments.unsqueeze(2) == segments.unsqueeze(1)).to(torch::kUInt8);
}

}  // namespace

UniversalTransformer::UniversalTransformer(const ModelConfig& config, const TaskFormat& format,
                                           Seeds seeds, torch::Device device,
                                           torch::ScalarType type)
    : Network(format, std::move(seeds), device, type),
      config_(config),
      distances_(distance_table(parameters_, config)),
      initial_(stack(parameters_, "initial", config.initial, config, distances_)),
      repeated_(stack(parameters_, "repeated", config.repeated, config, distances_)),
      final_(stack(parameters_, "final", config.final, config, distances_)) {
  const std::int64_t width = config.width;
  if (config.gate == ModelConfig::Gate::gru)
    // Small weights: at the beginning the bias alone decides, z = sigmoid(-2) = 0.119.
    gate_ = Linear(parameters_, "gate", 2 * width, width, true, -2, Initial::normal(0.02));
  if (config.step_embedding == ModelConfig::StepEmbedding::learned)
    step_embedding_ = parameters_.add("step_embedding", {std::int64_t{config.step_rows}, width},
                                      Initial::normal(0.02));
  const Initial embedding = Initial::normal(config.embedding_deviation);
  for (std::size_t i = 0; i < format.tables.size(); ++i)
    tables_.push_back(parameters_.add(fmt::format("embedding.{}", i),
                                      {std::int64_t{format.tables[i]}, width}, embedding));
  if (format.features > 0)
    features_ = Linear(parameters_, "features", format.features, width, false);
  if (config.final_norm) final_norm_ = ChannelNorm(parameters_, "final_norm", width, config);
  if (format.readout == TaskFormat::Readout::pair)
    readout_hidden_ = Linear(parameters_, "readout.hidden", 2 * width, width, true);
  readout_ = Linear(parameters_, "readout", width, format.logits(), true);
  const std::uint32_t taught =
      config.repeated == 0 ? std::min(format.taught, config.layers()) : format.taught;
  for (std::uint32_t level = 1; level <= taught; ++level) {
    const std::string name = fmt::format("taught.{}", level);
    taught_.push_back({ChannelNorm(parameters_, name + ".norm", width, config),
                       Linear(parameters_, name + ".readout", width, format.logits(), true)});
  }
  parameters_.gather();
}

Tensor UniversalTransformer::embed(const Batch& batch) const {
  Tensor h;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const Tensor found =
        looked_up(tables_[i], batch.indices.select(-1, static_cast<std::int64_t>(i)));
    h = h.defined() ? h + found : found;
  }
  if (format_.features > 0) {
    const Tensor read = features_(batch.features, TrainingConfig::Precision::float32);
    h = h.defined() ? h + read : read;
  }
  return h;
}

Tensor UniversalTransformer::read_out(const Tensor& state, const Batch& batch,
                                      AttentionContext& context) const {
  Tensor read = through(final_, state, context);
  if (config_.final_norm) read = final_norm_(read);
  if (batch.read.defined()) {
    const Tensor rows = batch.read.unsqueeze(-1).expand({-1, -1, read.size(-1)});
    read = read.gather(1, rows).flatten(1);
    if (format_.readout == TaskFormat::Readout::pair)
      read = torch::gelu(readout_hidden_(read, context.precision));
  }
  return readout_(read, context.precision);
}

Tensor UniversalTransformer::at_step(const Tensor& state, std::uint32_t step) const {
  if (!step_embedding_.defined()) return state;
  if (step >= config_.step_rows)
    throw InputError(fmt::format(
        "model.step_rows: expected at least {}, the requested number of loops, found {}", step + 1,
        config_.step_rows));
  const double scale = config_.step_scale;
  if (step_embedding_.dim() == 2) return state + scale * step_embedding_[step].to(state.options());
  const Tensor of_seeds = (scale * step_embedding_.select(1, step)).unsqueeze(1);
  return (state.view({step_embedding_.size(0), -1, state.size(-1)}) + of_seeds).view(state.sizes());
}

Tensor UniversalTransformer::think(Tensor state, const Batch& batch, const PassOptions& options,
                                   AttentionContext& context, PassTrace* trace) const {
  for (std::uint32_t step = 0; step < options.loops; ++step) {
    const Tensor candidate = through(repeated_, at_step(state, step), context);
    if (config_.gate == ModelConfig::Gate::gru) {
      const Tensor share =
          torch::sigmoid(gate_(torch::cat({candidate, state}, -1), context.precision));
      state = torch::lerp(state, candidate, share);
    } else {
      state = candidate;
    }
    if (!trace) continue;
    for (const std::uint32_t after : trace->read_after) {
      if (after != step + 1) continue;
      AttentionContext reading = context;  // the final layers run once more for every readout
      reading.states = nullptr;
      trace->logits.push_back(read_out(state, batch, reading));
    }
  }
  return state;
}

Tensor UniversalTransformer::operator()(const Batch& batch, const PassOptions& options,
                                        PassTrace* trace) const {
  AttentionContext context(options);
  context.mask.causal = format_.view == TaskFormat::View::causal;
  context.mask.open = batch.segments.defined() ? same_segment(batch.segments) : batch.view;
  context.mask.lengths = batch.lengths;
  context.layer_views = batch.layer_views;
  std::vector<Tensor> states;
  if (trace && trace->take_taught) context.states = &states;
  Tensor state = through(initial_, embed(batch), context);
  if (!repeated_.empty()) state = think(state, batch, options, context, trace);
  const Tensor logits = read_out(state, batch, context);
  if (batch.layer_views.size() > context.executed + 1)
    throw InputError(fmt::format(
        "edges of a scan: expected at most {} radices, one for each layer that the network runs, "
        "found {}",
        context.executed, batch.layer_views.size() - 1));
  for (std::size_t level = 0; level < std::min(states.size(), taught_.size()); ++level)
    trace->taught.push_back(
        taught_[level].readout(taught_[level].norm(states[level]), options.precision));
  return logits;
}

std::uint32_t UniversalTransformer::loops_of(const Batch& batch) const {
  const LoopRule& rule = config_.loops;
  if (rule.kind == LoopRule::Kind::range) return rule.most;
  if (rule.kind == LoopRule::Kind::per_doubling)
    return std::max<std::uint32_t>(1,
                                   rule.least * static_cast<std::uint32_t>(ceil_log2(batch.size)));
  return rule.kind == LoopRule::Kind::asked && batch.loops > 0 ? batch.loops : rule.least;
}

std::uint32_t UniversalTransformer::training_loops(const Batch& batch, std::uint64_t seed,
                                                   std::uint64_t step) const {
  const LoopRule& rule = config_.loops;
  if (rule.kind != LoopRule::Kind::range) return loops_of(batch);
  CounterRandom random(seed, RandomStream::loops, step);
  return rule.least + static_cast<std::uint32_t>(random.below(rule.most - rule.least + 1));
}

}}  // namespace logdepth::learned_core
