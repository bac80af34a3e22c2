#include "learned/relit/relit_network.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <utility>

#include "learned/records/counter_random.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

/// Nothing halts before the head has learned when.
constexpr double kInitialHalting = -2;

/// Errors: InputError unless the task is asked in the language model's tokens, and answered by one.
Backbone fitting(Backbone backbone, const TaskFormat& format) {
  const TaskFormat& read = backbone.model->format();
  if (format.tables != read.tables)
    throw InputError(fmt::format("network.backbone: {}: expected the task's {} tokens, found {}",
                                 backbone.name, format.tables.empty() ? 0 : format.tables.front(),
                                 read.tables.front()));
  if (format.outputs != read.tables || format.readout != TaskFormat::Readout::one_token ||
      format.view != TaskFormat::View::causal)
    throw InputError("network.kind: relit: expected a task with one token to predict after a text");
  return backbone;
}

Batch chosen(const Batch& batch, const Tensor& rows) {
  Batch part = batch;
  part.indices = batch.indices.index_select(0, rows);
  if (batch.lengths.defined()) part.lengths = batch.lengths.index_select(0, rows);
  part.read = batch.read.index_select(0, rows);
  part.targets = batch.targets.index_select(0, rows);
  return part;
}

/// y at the token of each sample that is read, [B, width].
Tensor at_read(const Tensor& y, const Batch& batch) {
  return y.gather(1, batch.read.unsqueeze(-1).expand({-1, -1, y.size(-1)})).squeeze(1);
}

}  // namespace

AnswerHead::AnswerHead(Parameters& parameters, const Backbone& backbone, RelitSettings::Head kind)
    : backbone_(&backbone), frozen_(kind == RelitSettings::Head::frozen) {
  if (frozen_) return;
  trained_ = Linear(parameters.add("head.weight", backbone.head_weight()));
  if (const Tensor bias = backbone.head_bias(); bias.defined())
    bias_ = parameters.add("head.bias", bias);
}

Tensor AnswerHead::operator()(const Tensor& states, TrainingConfig::Precision precision) const {
  if (frozen_) return backbone_->model->unembed(states, precision);
  const Tensor logits = trained_(states, precision);
  return bias_.defined() ? logits + bias_ : logits;
}

RelitNetwork::RelitNetwork(const RelitSettings& settings, Backbone backbone,
                           const TaskFormat& format, std::uint64_t seed, torch::Device device,
                           torch::ScalarType type)
    : Network(format, seed, device, type),
      settings_(settings),
      backbone_(fitting(std::move(backbone), format)),
      hidden_(hidden_states(backbone_, settings)),
      block_(parameters_, settings, backbone_.shape),
      head_(parameters_, backbone_, settings.head) {
  if (settings.halting)
    halting_head_ = Linear(parameters_, "halting", backbone_.shape.width, 1, true, kInitialHalting,
                           Initial::constant(0));
  if (settings.adapters > 0) backbone_.model->adapt(parameters_, settings.adapters);
  parameters_.gather();
}

Tensor RelitNetwork::states(const Batch& batch, TrainingConfig::Precision precision) const {
  return (*hidden_)(batch, precision).to(type_);
}

Anchor RelitNetwork::anchor(const Batch& batch, const Tensor& x,
                            TrainingConfig::Precision precision) const {
  const Tensor embeddings =
      block_.cross_attends() ? backbone_.embeddings(batch).to(type_) : Tensor();
  return block_.anchor(x, embeddings, batch.lengths, precision);
}

ReasoningStates RelitNetwork::recursions(ReasoningStates states, const Anchor& anchor,
                                         std::uint32_t count) const {
  for (std::uint32_t i = 0; i < count; ++i) states = block_(std::move(states), anchor);
  return states;
}

Tensor RelitNetwork::halting(const Tensor& read, TrainingConfig::Precision precision) const {
  return (*halting_head_)(read, precision).squeeze(-1);
}

Tensor RelitNetwork::halting_now(const Tensor& logit, std::uint32_t step) const {
  return step >= settings_.least_steps ? logit > 0 : torch::zeros_like(logit, torch::kBool);
}

Tensor RelitNetwork::noise(const Tensor& x, const Lesson& lesson) const {
  if (!block_.begins_with_noise()) return {};
  const std::int64_t samples = x.size(0), numbers = x.size(1) * x.size(2);
  const Tensor drawn = torch::empty({samples, x.size(1), x.size(2)}, torch::kFloat64);
  double* const to = drawn.data_ptr<double>();
  at::parallel_for(0, samples, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      CounterRandom random(lesson.seed, RandomStream::starts, lesson.step,
                           static_cast<std::uint64_t>(b));
      for (std::int64_t i = b * numbers; i < (b + 1) * numbers; ++i) to[i] = random.normal();
    }
  });
  return drawn.to(x.options());
}

Tensor RelitNetwork::operator()(const Batch& batch, const PassOptions& options,
                                PassTrace* trace) const {
  const Tensor x = states(batch, options.precision);
  const Anchor anchor = this->anchor(batch, x, options.precision);
  ReasoningStates state = block_.begin(x, {});
  const bool every_step = trace && (trace->take_readings || !trace->read_after.empty());
  Tensor answered;  // what is read when a sample halts
  Tensor running = torch::ones({x.size(0)}, x.options().dtype(torch::kBool));
  Tensor taken = torch::zeros_like(running, torch::kInt64);
  for (std::uint32_t step = 1; step <= options.loops; ++step) {
    const Tensor before = state.y;
    state = recursions(std::move(state), anchor, settings_.recursions);
    const Tensor read = at_read(state.y, batch);
    if (trace && trace->take_readings)
      trace->readings.push_back({1, batch.relative_change(before, state.y)});
    if (trace)
      for (const std::uint32_t after : trace->read_after)
        if (after == step) trace->logits.push_back(head_(read, options.precision));
    answered = answered.defined() ? torch::where(running.unsqueeze(-1), read, answered) : read;
    if (!halting_head_) continue;
    taken = taken + running;
    running = running & halting_now(halting(read, options.precision), step).logical_not();
    if (!every_step && !running.any().item<bool>()) break;
  }
  if (trace && halting_head_) trace->loops_taken = taken;
  return head_(answered, options.precision);
}

RelitNetwork::Judged RelitNetwork::judged(const Tensor& y, const Batch& batch, std::uint32_t step,
                                          TrainingConfig::Precision precision) const {
  Judged result;
  const Tensor read = at_read(y, batch);
  const Tensor logits = head_(read, precision);
  const Tensor targets = batch.targets.select(-1, 0);
  result.logits = logits.detach();
  result.losses =
      torch::cross_entropy_loss(logits, targets, {}, at::Reduction::None, Samples::kIgnored);
  if (!halting_head_) return result;
  const Tensor halts = halting(read, precision);
  const Tensor right = (logits.argmax(-1) == targets).to(halts.scalar_type());
  result.losses =
      result.losses + settings_.halting_weight * torch::binary_cross_entropy_with_logits(
                                                     halts, right, {}, {}, at::Reduction::None);
  result.halting = halting_now(halts.detach(), step);
  return result;
}

ReasoningStates RelitNetwork::macro_step(ReasoningStates state, const Anchor& anchor,
                                         bool learned) const {
  if (settings_.through_time) return recursions(std::move(state), anchor, settings_.recursions);
  {
    const torch::NoGradGuard recall;
    state =
        recursions(state.detached(), anchor.detached(), settings_.recursions - (learned ? 1 : 0));
  }
  return learned ? block_(std::move(state), anchor) : state;
}

Learned RelitNetwork::learn(const Batch& batch, const Lesson& lesson) {
  const TrainingConfig::Precision precision = lesson.training.precision;
  const std::int64_t count = batch.indices.size(0);
  Batch now = batch;
  Tensor rows = torch::arange(count, batch.indices.options());  // of the samples that still run
  Tensor x = states(now, precision);
  ReasoningStates state = block_.begin(x, noise(x, lesson));
  Anchor anchor = this->anchor(now, x, precision);
  Tensor losses, logits;  // of every sample, after its last macro step
  Tensor through_time;    // the sum of the losses
  double earlier = std::numeric_limits<double>::infinity(), supervised = 0;
  for (std::uint32_t step = 1; step <= settings_.macro_steps; ++step) {
    const bool last = step == settings_.macro_steps;
    const bool learned = last || settings_.deep_supervision;
    state = macro_step(std::move(state), anchor, learned);
    if (!learned) continue;
    const Judged judged = this->judged(state.y, now, step, precision);
    const Tensor loss = judged.losses.sum() / static_cast<double>(count);
    ++supervised;
    if (settings_.through_time) {
      through_time = through_time.defined() ? through_time + loss : loss;
    } else {
      lesson.descend(loss);
    }
    const Tensor each = judged.losses.detach();
    losses = losses.defined() ? losses.index_copy(0, rows, each) : each;
    logits = logits.defined() ? logits.index_copy(0, rows, judged.logits) : judged.logits;
    if (last) break;

    if (settings_.loss_epsilon > 0) {
      const double mean = losses.mean().item<double>();
      if (step >= settings_.least_steps &&
          std::abs(mean - earlier) < settings_.loss_epsilon * std::abs(earlier))
        break;
      earlier = mean;
    }
    if (judged.halting.defined() && judged.halting.any().item<bool>()) {
      const Tensor running = judged.halting.logical_not().nonzero().squeeze(-1);
      if (running.numel() == 0) break;
      rows = rows.index_select(0, running);
      now = chosen(now, running);
      x = x.index_select(0, running);
      state = {state.y.index_select(0, running), state.z.index_select(0, running)};
      if (settings_.through_time) anchor = anchor.of(running);
    }
    if (settings_.through_time) continue;
    if (settings_.adapters > 0) x = states(now, precision);  // the adapters have moved
    anchor = this->anchor(now, x, precision);                // and so has the block
  }
  if (settings_.through_time) lesson.descend(through_time / supervised);
  return {losses.mean(), logits};
}

LinearProbe::LinearProbe(const RelitSettings& settings, Backbone backbone, const TaskFormat& format,
                         std::uint64_t seed, torch::Device device, torch::ScalarType type)
    : Network(format, seed, device, type),
      backbone_(fitting(std::move(backbone), format)),
      hidden_(hidden_states(backbone_, settings)),
      map_(parameters_, "map", backbone_.shape.width, backbone_.shape.width, true),
      head_(parameters_, backbone_, settings.head) {
  if (settings.adapters > 0) backbone_.model->adapt(parameters_, settings.adapters);
  parameters_.gather();
}

Tensor LinearProbe::operator()(const Batch& batch, const PassOptions& options, PassTrace*) const {
  const Tensor x = at_read((*hidden_)(batch, options.precision).to(type_), batch);
  return head_(map_(x, options.precision), options.precision);
}

}  // namespace logdepth::inline learned_relit
