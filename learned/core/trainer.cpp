#include "learned/core/trainer.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>
#include <torch/version.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "learned/core/language_model.hpp"
#include "learned/core/make_network.hpp"
#include "learned/core/matrix_kernels.hpp"
#include "learned/core/network_predictor.hpp"
#include "learned/core/tensor_files.hpp"
#include "learned/language_model/initial_weights.hpp"
#include "learned/records/input_files.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_core {
namespace {

using Clock = std::chrono::steady_clock;

RunConfig checked(const RunConfig& config, torch::Device device) {
  validate(config);
  expect_device(device);
  check_initial_weights(config, device.is_cpu() ? ModelUse::trained : ModelUse::read);
  return config;
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

/// The state in which the learning rate begins to fall.
constexpr const char* kBeforeDecayFile = "before-decay.safetensors";
constexpr const char* kFirstMoment = "optimiser.first_moment";
constexpr const char* kSecondMoment = "optimiser.second_moment";

}  // namespace

const char* stop_name(Trainer::Stop stop) {
  switch (stop) {
    case Trainer::Stop::steps:
      return "steps";
    case Trainer::Stop::seconds:
      return "seconds";
    case Trainer::Stop::interrupted:
      return "interrupted";
    case Trainer::Stop::diverged:
      return "diverged";
  }
  return "";
}

Trainer::Trainer(const RunConfig& config, torch::Device device)
    : config_(checked(config, device)),
      task_(config.task->make_task(config.seed)),
      network_(make_network(config, task_->format(), device)),
      optimiser_(config.training, network_->parameters()) {}

void Trainer::one_step() {
  const TrainingConfig& training = config_.training;
  const Samples samples = task_->training_batch(state_.stage, state_.step);
  const Batch batch = to_batch(samples, task_->format(), network_->device(), network_->type());
  const Learned learned = network_->learn(
      batch, {training, config_.seed, state_.step, [&](const Tensor& loss) {
                loss.backward();
                optimiser_.step(network_->parameters(), learning_rate(training, state_.step));
              }});
  for (std::size_t i = 0; i < samples.count; ++i) state_.tokens += samples.length(i);
  ++state_.step;
  ++state_.stage_steps;
  // Reading waits for the device, so it is not done at every step.
  if (state_.step % training.read_every == 0 || state_.step == training.steps)
    read(samples, learned.logits, learned.loss.item<double>());
}

void Trainer::read(const Samples& samples, const Tensor& logits, double loss) {
  const TrainingConfig& training = config_.training;
  state_.loss = loss;
  if (samples.review) return;
  const double accuracy = task_->promoting_accuracy(samples, answers(logits, task_->format()));
  state_.accuracy = training.average * state_.accuracy + (1 - training.average) * accuracy;
  if (state_.accuracy < training.promotion || state_.stage_steps < training.stage_least ||
      state_.stage + 1 >= task_->stages())
    return;
  ++state_.stage;
  state_.stage_steps = 0;
  state_.accuracy = 0;
  state_.promotions.push_back({{"step", state_.step}, {"to", task_->stage_name(state_.stage)}});
}

void Trainer::take_score() {
  const auto& points = state_.curve.points;
  if (config_.training.curve_first == 0) return;
  if (!points.empty() && points.back().steps >= state_.step) return;
  Score score = task_->score(predictor(), state_.stage);
  state_.curve.points.push_back({state_.step, score.value, state_.tokens, std::move(score.accuracy),
                                 std::move(score.by_loops)});
}

Trainer::Stop Trainer::train(const std::atomic<bool>& interrupted, const Report& report,
                             const std::function<void()>& save, const std::string& folder) {
  const TrainingConfig& training = config_.training;
  state_.curve.score = task_->score_name();
  Clock::time_point saved = Clock::now();
  while (state_.step < training.steps) {
    if (interrupted) return Stop::interrupted;
    if (training.seconds > 0 && state_.seconds >= training.seconds) return Stop::seconds;
    if (training.schedule == TrainingConfig::Schedule::decaying &&
        state_.step == decay_begins(training))
      save_checkpoint(folder + "/" + kBeforeDecayFile);
    const Clock::time_point begin = Clock::now();
    one_step();
    const Clock::time_point now = Clock::now();
    state_.seconds += std::chrono::duration<double>(now - begin).count();
    if (!std::isfinite(state_.loss)) return Stop::diverged;
    if (state_.step % training.read_every == 0) report(state_);
    if (is_curve_step(state_.step, training.curve_first)) take_score();
    if (now - saved > std::chrono::minutes(1)) {
      save();
      saved = now;
    }
  }
  take_score();
  return Stop::steps;
}

void Trainer::resume(const std::string& folder) {
  namespace fs = std::filesystem;
  const std::string latest = folder + "/" + kCheckpointFile;
  const std::string before = folder + "/" + kBeforeDecayFile;
  if (!fs::exists(latest)) return;
  TrainingConfig earlier = config_.training;
  earlier.steps = load_checkpoint(latest);
  // A rate that fell towards another end is not the one of this run.
  if (earlier.schedule != TrainingConfig::Schedule::decaying ||
      earlier.steps == config_.training.steps || state_.step <= decay_begins(earlier))
    return;
  if (!fs::exists(before))
    throw InputError(before +
                     ": expected the checkpoint of the step at which the learning rate began to "
                     "fall, which a longer run continues from; choose another folder");
  LearningCurve ended = state_.curve;
  const bool at_its_end = state_.step == earlier.steps && !ended.points.empty();
  if (at_its_end) ended.ends.push_back(ended.points.back());
  load_checkpoint(before);
  state_.curve.ends = std::move(ended.ends);
}

void Trainer::save_checkpoint(const std::string& file) const {
  TensorFile content;
  content.tensors = named_tensors(network_->parameters());
  content.tensors[kFirstMoment] = optimiser_.first_moment;
  content.tensors[kSecondMoment] = optimiser_.second_moment;
  const nlohmann::ordered_json state = {{"step", state_.step},
                                        {"descents", optimiser_.steps},
                                        {"stage", state_.stage},
                                        {"stage_steps", state_.stage_steps},
                                        {"loss", state_.loss},
                                        {"accuracy", state_.accuracy},
                                        {"seconds", state_.seconds},
                                        {"tokens", state_.tokens},
                                        {"promotions", state_.promotions},
                                        {"curve", to_json(state_.curve)}};
  content.metadata = {{"config", to_json(config_).dump()}, {"state", state.dump()}};
  write_tensor_file(content, file);
}

std::uint64_t Trainer::load_checkpoint(const std::string& file) {
  TensorFile content = read_tensor_file(file);
  const auto refuse = [&](const std::string& expected) {
    return InputError(file + ": expected " + expected);
  };
  const auto config = nlohmann::json::parse(content.metadata["config"], nullptr, false);
  const auto state = nlohmann::ordered_json::parse(content.metadata["state"], nullptr, false);
  if (config.is_discarded() || state.is_discarded())
    throw refuse("the checkpoint of a training run");
  const RunConfig made_by = run_config_from_json(config, file);
  if (!continues(made_by, config_))
    throw refuse("a checkpoint of the same configuration; remove it or choose another folder");
  try {
    state_.step = state.at("step");
    state_.stage = state.at("stage");
    state_.stage_steps = state.at("stage_steps");
    state_.loss = state.at("loss");
    state_.accuracy = state.at("accuracy");
    state_.seconds = state.at("seconds");
    state_.tokens = state.at("tokens");
    state_.promotions = state.at("promotions");
    state_.curve = learning_curve_from_json(state.at("curve"));
    // Older checkpoints are of networks that descend once a step.
    optimiser_.steps = state.value("descents", state_.step);
    const auto options = network_->parameters().values().options();
    optimiser_.first_moment = content.tensors.at(kFirstMoment).to(options);
    optimiser_.second_moment = content.tensors.at(kSecondMoment).to(options);
  } catch (const std::exception&) {
    throw refuse("the state of a training run in its metadata");
  }
  const auto moment = [&](const Tensor& tensor) {
    return tensor.sizes() == network_->parameters().values().sizes() &&
           tensor.isfinite().all().item<bool>();
  };
  if (state_.stage >= task_->stages() || state_.stage_steps > state_.step ||
      !state_.promotions.is_array() || !moment(optimiser_.first_moment) ||
      !moment(optimiser_.second_moment))
    throw refuse("the state of a run of this configuration");
  if (state_.step > config_.training.steps)
    throw refuse(
        fmt::format("training.steps of at least {}, the steps that it has made", state_.step));
  content.tensors.erase(kFirstMoment);
  content.tensors.erase(kSecondMoment);
  load_parameters(network_->parameters(), content.tensors, file);
  return made_by.training.steps;
}

void Trainer::load_weights() {
  const std::string& file = config_.initial_weights;
  if (is_language_model(file)) {
    load_language_model(network_->parameters(), config_.model, LanguageModelFile(file),
                        config_.initial_layers);
  } else {
    load_parameters(network_->parameters(), read_tensor_file(file).tensors, file);
  }
}

void Trainer::save_weights(const std::string& file) const {
  write_tensor_file({named_tensors(network_->parameters()), {{"config", to_json(config_).dump()}}},
                    file);
}

Predictor Trainer::predictor() const {
  return predictor_of(*network_, config_.training.precision);
}

nlohmann::ordered_json Trainer::moved(const MeasureProgress& progress) const {
  const std::unique_ptr<Network> before =
      make_network(config_, task_->format(), network_->device());
  const torch::NoGradGuard no_grad;
  const Tensor& from = before->parameters().values();
  const Tensor change = (network_->parameters().values() - from).abs();
  return {{"result", task_->measure(predictor_of(*before, config_.training.precision), state_.stage,
                                    progress)},
          {"relative_change", (change.norm() / from.norm()).item<double>()},
          {"largest_change", change.max().item<double>()}};
}

RunRecord Trainer::record(Stop stop, const MeasureProgress& progress) const {
  RunRecord record;
  record.config = config_;
  record.inputs = input_hashes(config_);
  record.machine = {{"device", network_->device().is_cuda() ? "cuda" : "cpu"},
                    {"processor", processor()},
                    {"libtorch", TORCH_VERSION},
                    {"threads", at::get_num_threads()}};
  if (const std::string kernels = matrix_kernels(); !kernels.empty())
    record.machine["kernels"] = kernels;
  record.training = {{"steps", state_.step},
                     {"seconds", std::round(state_.seconds * 10) / 10},
                     {"stopped", stop_name(stop)},
                     {"parameters", network_->parameters().count()},
                     {"tokens", state_.tokens},
                     {"loss", state_.loss},
                     {"accuracy", state_.accuracy},
                     {"stage", task_->stage_name(state_.stage)},
                     {"promotions", state_.promotions},
                     {"curve", to_json(state_.curve)}};
  record.result = task_->measure(predictor(), state_.stage, progress);
  if (config_.constructed) record.training["before"] = moved(progress);
  return record;
}

}  // namespace logdepth::inline learned_core
