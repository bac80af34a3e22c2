#include "learned/core/universal_transformer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

std::vector<TransformerBlock> stack(Parameters& parameters, const std::string& name,
                                    std::uint32_t layers, const ModelConfig& config) {
  std::vector<TransformerBlock> blocks;
  for (std::uint32_t i = 0; i < layers; ++i)
    blocks.emplace_back(parameters, fmt::format("{}.{}", name, i), config);
  return blocks;
}

Tensor through(const std::vector<TransformerBlock>& blocks, Tensor h, AttentionContext& context) {
  for (const TransformerBlock& block : blocks) h = block(h, context);
  return h;
}

}  // namespace

UniversalTransformer::UniversalTransformer(const ModelConfig& config, const TaskFormat& format,
                                           std::uint64_t seed, torch::Device device,
                                           torch::ScalarType type)
    : Network(format, seed, device, type),
      config_(config),
      initial_(stack(parameters_, "initial", config.initial, config)),
      repeated_(stack(parameters_, "repeated", config.repeated, config)),
      final_(stack(parameters_, "final", config.final, config)),
      gate_(parameters_, config),
      step_embedding_(parameters_, config),
      injection_(parameters_, config),
      discretiser_(parameters_, config),
      corruptor_(config),
      halting_(parameters_, config) {
  const std::int64_t width = config.width;
  for (std::size_t i = 0; i < format.tables.size(); ++i)
    tables_.push_back(parameters_.add(fmt::format("embedding.{}", i), {format.tables[i], width},
                                      Initial::normal(config.embedding_deviation)));
  if (format.features > 0)
    features_ = Linear(parameters_, "features", format.features, width, false);
  if (config.final_norm) final_norm_ = ChannelNorm(parameters_, "final_norm", width, config.norm);
  std::int64_t read = width;
  if (format.readout == TaskFormat::Readout::pair)
    readout_hidden_ = Linear(parameters_, "readout.hidden", 2 * width, read, true);
  readout_ = Linear(parameters_, "readout", read, format.outputs, true);
  parameters_.gather();
}

Tensor UniversalTransformer::embed(const Batch& batch) const {
  Tensor h;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const Tensor found =
        torch::embedding(tables_[i], batch.indices.select(-1, static_cast<std::int64_t>(i)));
    h = h.defined() ? h + found : found;
  }
  if (format_.features > 0) {
    const Tensor read = features_(batch.features, TrainingConfig::Precision::float32);
    h = h.defined() ? h + read : read;
  }
  return h;
}

Tensor UniversalTransformer::read_out(Tensor state, const Batch& batch,
                                      AttentionContext& context) const {
  state = through(final_, state, context);
  if (config_.final_norm) state = final_norm_(state);
  if (format_.readout == TaskFormat::Readout::pair) {
    const Tensor rows = batch.pairs.unsqueeze(-1).expand({-1, -1, state.size(-1)});
    const Tensor both = state.gather(1, rows).flatten(1);
    state = torch::gelu(readout_hidden_(both, context.precision));
  }
  return readout_(state, context.precision);
}

Tensor UniversalTransformer::one_step(const Tensor& state, const Tensor& input, std::uint32_t step,
                                      const PassOptions& options, AttentionContext& context,
                                      StepRecord* record) const {
  const Tensor read = injection_(step_embedding_(state, step), input, context.precision);
  const Tensor candidate = through(repeated_, read, context);
  if (record && config_.gate == ModelConfig::Gate::gru)
    record->gate_share =
        gate_.share(candidate, state, context.precision).detach().mean().item<double>();
  Tensor next = discretiser_(gate_(candidate, state, context.precision), context.precision);
  if (options.training && corruptor_.present())
    next = corruptor_(next, discretiser_.codes(),
                      CounterRandom(options.seed, RandomStream::corruption, options.step, step));
  return next;
}

Tensor UniversalTransformer::think(const Tensor& input, const Batch& batch,
                                   const PassOptions& options, AttentionContext& context,
                                   Trace* trace) const {
  Tensor state = input;
  Tensor active;  // samples that still think; undefined: all
  const bool may_halt = !options.training && config_.halting != ModelConfig::Halting::budget;
  const std::uint32_t without_gradient =
      options.gradient_span > 0 && options.gradient_span < options.loops
          ? options.loops - options.gradient_span
          : 0;
  for (std::uint32_t step = 0; step < options.loops; ++step) {
    const bool cut = step < without_gradient;
    const torch::AutoGradMode gradient(!cut && torch::GradMode::is_enabled());
    StepRecord record;
    record.active = active.defined() ? active.sum().item<std::int64_t>() : input.size(0);
    Tensor next = one_step(state, input, step, options, context,
                           trace && trace->keep_states ? &record : nullptr);
    if (active.defined()) next = torch::where(active.view({-1, 1, 1}), next, state);
    const Tensor stopping =
        may_halt ? halting_.stops(next, state, step, context.precision) : Tensor();
    state = next;
    if (trace) {
      if (trace->keep_states) record.state = state.detach();
      if (trace->read_every_step) {
        AttentionContext reading = context;  // the final layers run once more for every step
        record.logits = read_out(state, batch, reading);
      }
      if (config_.halting == ModelConfig::Halting::head)
        record.halting_logit = halting_.logit(state, context.precision);
      trace->steps.push_back(record);
    }
    if (stopping.defined()) {
      active = active.defined() ? active.logical_and(~stopping) : ~stopping;
      if (!active.any().item<bool>()) break;
    }
  }
  return state;
}

Tensor UniversalTransformer::operator()(const Batch& batch, const PassOptions& options,
                                        Trace* trace) const {
  AttentionContext context;
  context.mask.causal = format_.view == TaskFormat::View::causal;
  context.mask.open = batch.view;
  context.first_position = options.first_position;
  context.caches = options.caches;
  context.probe = options.probe;
  context.precision = options.precision;
  Tensor state = through(initial_, embed(batch), context);
  if (!repeated_.empty()) state = think(state, batch, options, context, trace);
  return read_out(state, batch, context);
}

std::uint32_t UniversalTransformer::loops_at(std::size_t size) const {
  const LoopRule& rule = config_.loops;
  if (rule.kind == LoopRule::Kind::per_doubling)
    return std::max<std::uint32_t>(1, rule.least * static_cast<std::uint32_t>(ceil_log2(size)));
  return rule.kind == LoopRule::Kind::range ? rule.most : rule.least;
}

std::uint32_t UniversalTransformer::training_loops(std::size_t size, std::uint64_t seed,
                                                   std::uint64_t step) const {
  const LoopRule& rule = config_.loops;
  if (rule.kind != LoopRule::Kind::range) return loops_at(size);
  CounterRandom random(seed, RandomStream::loops, step);
  return rule.least + static_cast<std::uint32_t>(random.below(rule.most - rule.least + 1));
}

bool UniversalTransformer::has_halting_head() const {
  return config_.halting == ModelConfig::Halting::head;
}

}  // namespace logdepth
