#include "learned/core/universal_transformer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "learned/records/counter_random.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline learned_core {
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
                                           torch::ScalarType type, Purpose purpose)
    : Network(format, std::move(seeds), device, type, purpose),
      config_(config),
      distances_(distance_table(parameters_, config)),
      initial_(stack(parameters_, "initial", config.initial, config, distances_)),
      repeated_(stack(parameters_, "repeated", config.repeated, config, distances_)),
      final_(stack(parameters_, "final", config.final, config, distances_)),
      gate_(parameters_, config),
      step_embedding_(parameters_, config),
      router_(parameters_, config) {
  const std::int64_t width = config.width;
  const Initial embedding = Initial::normal(config.embedding_deviation);
  for (std::size_t i = 0; i < format.tables.size(); ++i)
    tables_.push_back(parameters_.add(fmt::format("embedding.{}", i),
                                      {std::int64_t{format.tables[i]}, width}, embedding));
  if (config.positions == ModelConfig::Positions::absolute)
    positions_ =
        parameters_.add("positions", {std::int64_t{config.position_rows}, width}, embedding);
  if (format.features > 0)
    features_ = Linear(parameters_, "features", format.features, width, false);
  if (config.final_norm) final_norm_ = ChannelNorm(parameters_, "final_norm", width, config);
  if (format.readout == TaskFormat::Readout::pair)
    readout_hidden_ = Linear(parameters_, "readout.hidden", 2 * width, width, true);
  if (config.tied_readout) {
    if (format.tables.size() != 1 || format.logits() != format.tables.front() ||
        config.readout_bias)
      throw InputError(
          "model.tied_readout: expected a task with one embedding table whose rows are its "
          "answers, and no model.readout_bias");
    readout_ = Linear(tables_.front());
  } else {
    readout_ = Linear(parameters_, "readout", width, format.logits(), config.readout_bias);
  }
  const std::uint32_t taught =
      config.repeated == 0 ? std::min(format.taught, config.layers()) : format.taught;
  for (std::uint32_t level = 1; level <= taught; ++level) {
    const std::string name = fmt::format("taught.{}", level);
    taught_.push_back({ChannelNorm(parameters_, name + ".norm", width, config),
                       Linear(parameters_, name + ".readout", width, format.logits(), true)});
  }
  parameters_.gather();
}

void UniversalTransformer::adapt(Parameters& parameters, std::int64_t rank) {
  for (std::vector<TransformerBlock>* blocks : {&initial_, &repeated_, &final_})
    for (TransformerBlock& block : *blocks) block.adapt(parameters, rank);
}

void UniversalTransformer::cut(std::uint32_t initial, std::uint32_t repeated) {
  std::vector<TransformerBlock> all = std::move(initial_);
  for (std::vector<TransformerBlock>* blocks : {&repeated_, &final_})
    all.insert(all.end(), blocks->begin(), blocks->end());
  const auto repeated_from = all.begin() + initial, final_from = repeated_from + repeated;
  initial_.assign(all.begin(), repeated_from);
  repeated_.assign(repeated_from, final_from);
  final_.assign(final_from, all.end());
}

Tensor UniversalTransformer::embed(const Batch& batch, std::int64_t first_position) const {
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
  if (positions_.defined()) {
    const std::int64_t end = first_position + h.size(1);
    if (end > positions_.size(0))
      throw InputError(fmt::format(
          "model.position_rows: expected at least {}, the tokens of the longest sample, found {}",
          end, positions_.size(0)));
    h = h + positions_.narrow(0, first_position, h.size(1));
  }
  return h;
}

Tensor UniversalTransformer::normed(Tensor state, AttentionContext& context) const {
  state = through(final_, state, context);
  return config_.final_norm ? final_norm_(state) : state;
}

Tensor UniversalTransformer::unembed(const Tensor& hidden,
                                     TrainingConfig::Precision precision) const {
  return readout_(hidden, precision);
}

Tensor UniversalTransformer::read_out(const Tensor& state, const Batch& batch,
                                      AttentionContext& context) const {
  Tensor read = normed(state, context);
  if (batch.read.defined()) {
    const Tensor rows = batch.read.unsqueeze(-1).expand({-1, -1, read.size(-1)});
    read = read.gather(1, rows).flatten(1);
    if (format_.readout == TaskFormat::Readout::pair)
      read = torch::gelu(readout_hidden_(read, context.precision));
  }
  return unembed(read, context.precision);
}

LoopReading UniversalTransformer::reading(const Tensor& before, const Tensor& candidate,
                                          const Tensor& after, const Batch& batch,
                                          const AttentionContext& context) const {
  const torch::NoGradGuard no_grad;
  LoopReading reading;
  reading.gate_share =
      config_.gate == ModelConfig::Gate::gru
          ? batch.mean_over_tokens(gate_.share(candidate, before, context.precision).mean(-1))
          : 1;
  reading.change = batch.relative_change(before, after);
  return reading;
}

Tensor UniversalTransformer::think(const Tensor& input, const Batch& batch,
                                   const PassOptions& options, AttentionContext& context,
                                   PassTrace* trace) const {
  Tensor state = input;
  const std::uint32_t without_gradient =
      options.gradient_span > 0 && options.gradient_span < options.loops
          ? options.loops - options.gradient_span
          : 0;
  for (std::uint32_t step = 0; step < options.loops; ++step) {
    const torch::AutoGradMode gradient(step >= without_gradient && torch::GradMode::is_enabled());
    const Tensor candidate = through(repeated_, step_embedding_(state, step), context);
    const Tensor next = gate_(candidate, state, context.precision);
    if (trace && trace->take_readings)
      trace->readings.push_back(reading(state, candidate, next, batch, context));
    state = next;
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

Tensor UniversalTransformer::think_adaptively(const Tensor& input, const Batch& batch,
                                              const PassOptions& options, AttentionContext& context,
                                              PassTrace* trace) const {
  const Tensor real = batch.real_tokens(torch::kBool);
  HaltingRouter::Progress progress = router_.begin(input, real);
  Tensor state = input;
  for (std::uint32_t step = 0; step < options.loops; ++step) {
    const Tensor candidate = through(repeated_, step_embedding_(state, step), context);
    state = router_.advance(state, gate_(candidate, state, context.precision),
                            step + 1 == options.loops, context.precision, progress);
    if (!progress.running.any().item<bool>()) break;
  }
  if (trace) trace->loops_taken = progress.loops_taken;
  return router_.outcome(state, progress);
}

AttentionContext UniversalTransformer::context_of(const Batch& batch,
                                                  const PassOptions& options) const {
  AttentionContext context;
  context.mask.causal = format_.view == TaskFormat::View::causal;
  context.mask.open = batch.segments.defined() ? same_segment(batch.segments) : batch.view;
  context.mask.lengths = batch.lengths;
  context.layer_views = batch.layer_views;
  context.first_position = options.first_position;
  context.caches = options.caches;
  context.probe = options.probe;
  context.precision = options.precision;
  return context;
}

Tensor UniversalTransformer::thought(const Batch& batch, const PassOptions& options,
                                     AttentionContext& context, PassTrace* trace) const {
  const Tensor state = through(initial_, embed(batch, options.first_position), context);
  if (repeated_.empty()) return state;
  return router_.present() ? think_adaptively(state, batch, options, context, trace)
                           : think(state, batch, options, context, trace);
}

Tensor UniversalTransformer::operator()(const Batch& batch, const PassOptions& options,
                                        PassTrace* trace) const {
  AttentionContext context = context_of(batch, options);
  std::vector<Tensor> states;
  if (trace && trace->take_taught) context.states = &states;
  const Tensor logits = read_out(thought(batch, options, context, trace), batch, context);
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

Tensor UniversalTransformer::hidden(const Batch& batch, const PassOptions& options) const {
  AttentionContext context = context_of(batch, options);
  return normed(thought(batch, options, context, nullptr), context);
}

std::uint32_t UniversalTransformer::loops_of(const Batch& batch) const {
  const LoopRule& rule = config_.loops;
  switch (rule.kind) {
    case LoopRule::Kind::fixed:
      break;
    case LoopRule::Kind::range:
      return rule.most;
    case LoopRule::Kind::per_doubling:
      return std::max<std::uint32_t>(
          1, rule.least * static_cast<std::uint32_t>(ceil_log2(batch.size)));
    case LoopRule::Kind::adaptive:
      return kAdaptiveCap;
    case LoopRule::Kind::asked:
      if (batch.loops > 0) return batch.loops;
  }
  return rule.least;
}

std::uint32_t UniversalTransformer::training_loops(const Batch& batch, std::uint64_t seed,
                                                   std::uint64_t step) const {
  const LoopRule& rule = config_.loops;
  if (rule.kind == LoopRule::Kind::adaptive) return rule.most;
  if (rule.kind != LoopRule::Kind::range) return loops_of(batch);
  CounterRandom random(seed, RandomStream::loops, step);
  return rule.least + static_cast<std::uint32_t>(random.below(rule.most - rule.least + 1));
}

}  // namespace logdepth::inline learned_core
