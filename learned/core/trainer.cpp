#include "learned/core/trainer.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/quoted_text.hpp"
#include "learned/core/finished_run.hpp"
#include "learned/records/training_config.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_core {
namespace {

constexpr const char* kHeader = "step,seconds,stage,loss,accuracy,tokens\n";
constexpr std::uint64_t kMostRows = 4000;

}  // namespace

LossHistory::LossHistory(std::string folder, const TrainingConfig& training,
                         const TrainingState& state)
    : file_(std::move(folder) + kLossesFile), text_(kHeader) {
  const std::uint64_t readings = std::max<std::uint64_t>(1, training.steps / training.read_every);
  every_ = training.read_every * ((readings + kMostRows - 1) / kMostRows);
  if (state.step == 0 || !std::filesystem::exists(file_)) return;
  std::istringstream before(read_whole_file(file_));
  std::string line;
  std::getline(before, line);
  while (std::getline(before, line)) {
    std::uint64_t step = 0;
    const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), step);
    if (failure == std::errc() && step <= state.step) text_ += line + "\n";
  }
}

void LossHistory::add(const TrainingState& state, const std::string& stage) {
  if (state.step % every_ != 0) return;
  text_ += fmt::format("{},{:.1f},{},{:.6g},{:.4f},{}\n", state.step, state.seconds, stage,
                       state.loss, state.accuracy, state.tokens);
}

void LossHistory::write() const {
  write_whole_file(file_, text_);
}

namespace {

using Clock = std::chrono::steady_clock;

std::vector<RunConfig> checked(std::vector<RunConfig> configs, torch::Device device) {
  for (const RunConfig& config : configs) {
    validate(config);
    expect_device(device);
    check_initial_weights(config);
    if (configs.size() > 1 && !stacks_with(configs.front(), config))
      throw InputError(
          "runs that are trained together: expected packed samples (task.row_tokens) and settings "
          "that differ in seed and training.learning_rate only");
  }
  return configs;
}

std::unique_ptr<Network> network_of(const std::vector<RunConfig>& configs, const TaskFormat& format,
                                    torch::Device device) {
  std::vector<std::uint64_t> seeds;
  for (const RunConfig& config : configs) seeds.push_back(config.seed);
  return make_network(configs.front(), format, device, seeds);
}

std::vector<std::unique_ptr<Task>> tasks_of(const std::vector<RunConfig>& configs) {
  std::vector<std::unique_ptr<Task>> tasks;
  for (const RunConfig& config : configs) tasks.push_back(config.task->make_task(config.seed));
  return tasks;
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

std::vector<std::string> parts_of(const std::string& text, char divider) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, divider);) parts.push_back(part);
  return parts;
}

/// The state in which the learning rate begins to fall.
constexpr const char* kBeforeDecayFile = "before-decay.safetensors";
constexpr const char* kFirstMoment = "optimiser.first_moment";
constexpr const char* kSecondMoment = "optimiser.second_moment";

/// As FlatAdamW::trained. Errors: InputError where training.only has a name that no parameter has.
Tensor trained_numbers(const Parameters& parameters, const TrainingConfig& training) {
  if (training.only.empty() && !training.keep_zeros) return {};
  const std::vector<std::string> names = parts_of(training.only, ',');
  std::set<std::string> unused(names.begin(), names.end()), known;
  const auto within = [](const std::string& part, const std::string& name) {
    return !part.empty() && ("." + name + ".").find("." + part + ".") != std::string::npos;
  };
  std::vector<Tensor> trained;
  for (const Parameters::Named& parameter : parameters.all()) {
    bool matched = training.only.empty();
    for (const std::string& part : parts_of(parameter.name, '.')) known.insert(part);
    for (const std::string& name : names) {
      if (!within(name, parameter.name)) continue;
      matched = true;
      unused.erase(name);
    }
    Tensor own = matched ? torch::ones_like(parameter.tensor) : torch::zeros_like(parameter.tensor);
    if (training.keep_zeros) own.mul_(parameter.tensor != 0);
    trained.push_back(own.flatten(parameters.stacked() ? 1 : 0));
  }
  if (!unused.empty())
    throw InputError(
        fmt::format("training.only: expected names among {}, or several joined by dots, found {}",
                    fmt::join(known, ", "), in_quotes(*unused.begin())));
  return torch::cat(trained, parameters.stacked() ? 1 : 0).detach();
}

/// In the order of Trainer::Stop.
constexpr std::array kStopNames = {"steps", "seconds", "interrupted", "diverged"};

/// What a seed has of numbers that all seeds share a tensor of.
Tensor row_of(const Tensor& numbers, std::size_t seed) {
  return numbers.dim() == 1 ? numbers : numbers[static_cast<std::int64_t>(seed)];
}

}  // namespace

Trainer::Trainer(std::vector<RunConfig> configs, torch::Device device)
    : configs_(checked(std::move(configs), device)),
      tasks_(tasks_of(configs_)),
      network_(network_of(configs_, tasks_.front()->format(), device)),
      optimiser_(configs_.front().training, network_->parameters()),
      states_(configs_.size()) {
  optimiser_.trained = trained_numbers(network_->parameters(), configs_.front().training);
}

Learned Trainer::learn(const Batch& batch, const std::function<void(const Tensor& loss)>& descend) {
  const RunConfig& config = configs_.front();
  PassOptions options;
  options.loops = network_->training_loops(batch, config.seed, states_.front().step);
  options.precision = config.training.precision;
  Tensor logits;
  const Tensor loss = supervised_loss(*network_, batch, options, config.training, &logits);
  descend(loss);
  return {loss.detach(), logits};
}

Learned Trainer::learn(const Samples& samples) {
  Parameters& parameters = network_->parameters();
  const TaskFormat format = task().format();
  std::vector<double> rates;
  for (const RunConfig& config : configs_)
    rates.push_back(learning_rate(config.training, states_.front().step));
  if (!parameters.stacked())
    return learn(to_batch(samples, format, network_->device(), network_->type()),
                 [&](const Tensor& loss) {
                   loss.backward();
                   optimiser_.step(parameters, rates.front());
                 });
  optimiser_.prepare(rates);
  const Batch batch = to_batch(samples, format, torch::kCPU, network_->type());
  if (!graph_) {
    inputs_ = batch;
    for (Tensor* const tensor : {&inputs_.indices, &inputs_.targets, &inputs_.segments})
      *tensor = torch::empty_like(*tensor, tensor->options().device(network_->device()));
    const auto step_on_inputs = [this] {
      return learn(inputs_, [this](const Tensor& loss) {
        network_->parameters().differentiate(loss.sum());
        optimiser_.update(network_->parameters());
      });
    };
    graph_ = std::make_unique<StepGraph>(step_on_inputs, network_->device());
  }
  copy_from_host(inputs_.indices, batch.indices);
  copy_from_host(inputs_.targets, batch.targets);
  copy_from_host(inputs_.segments, batch.segments);
  return graph_->run();
}

void Trainer::one_step() {
  const TrainingConfig& training = configs_.front().training;
  std::vector<Samples> samples;
  for (std::size_t seed = 0; seed < seeds(); ++seed)
    samples.push_back(tasks_[seed]->training_batch(states_[seed].stage, states_[seed].step));
  const Learned learned = learn(seeds() == 1 ? samples.front() : joined_samples(samples));
  for (std::size_t seed = 0; seed < seeds(); ++seed) {
    TrainingState& state = states_[seed];
    for (std::size_t i = 0; i < samples[seed].count; ++i) state.tokens += samples[seed].length(i);
    ++state.step;
  }
  // Reading waits for the device, so it is not done at every step.
  const std::uint64_t step = states_.front().step;
  if (step % training.read_every == 0 || step == training.steps) read(samples, learned);
}

void Trainer::read(const std::vector<Samples>& samples, const Learned& learned) {
  const TrainingConfig& training = configs_.front().training;  // settings that all seeds share
  const Tensor losses = learned.loss.to(torch::kCPU, torch::kFloat64).reshape({-1});
  const std::vector<std::int32_t> all = answers(learned.logits, task().format());
  const auto each = static_cast<std::ptrdiff_t>(all.size() / seeds());
  for (std::size_t seed = 0; seed < seeds(); ++seed) {
    TrainingState& state = states_[seed];
    state.loss = losses[static_cast<std::int64_t>(seed)].item<double>();
    state.diverged = state.diverged || !std::isfinite(state.loss);
    if (samples[seed].review || state.diverged) continue;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(seed) * each;
    const Task& task = *tasks_[seed];
    const double accuracy = task.promoting_accuracy(samples[seed], {first, first + each});
    state.accuracy = training.average * state.accuracy + (1 - training.average) * accuracy;
    if (state.accuracy < training.promotion || state.stage + 1 >= task.stages()) continue;
    ++state.stage;
    state.accuracy = 0;
    state.promotions.push_back({{"step", state.step}, {"to", task.stage_name(state.stage)}});
  }
}

void Trainer::take_score(std::size_t seed) {
  TrainingState& state = states_[seed];
  const auto& points = state.curve.points;
  if (configs_[seed].training.curve_first == 0 || state.diverged) return;
  if (!points.empty() && points.back().steps >= state.step) return;
  Score score = tasks_[seed]->score(predictor(seed), state.stage);
  state.curve.points.push_back({state.step, score.value, state.tokens, std::move(score.accuracy),
                                std::move(score.by_loops)});
}

Trainer::Stop Trainer::train(const std::atomic<bool>& interrupted, const Report& report,
                             const std::function<void()>& save,
                             const std::vector<std::string>& folders) {
  const TrainingConfig& training = configs_.front().training;
  const auto each_seed = [&](const auto& what) {
    for (std::size_t seed = 0; seed < seeds(); ++seed) what(seed);
  };
  each_seed([&](std::size_t seed) { states_[seed].curve.score = tasks_[seed]->score_name(); });
  Clock::time_point saved = Clock::now();
  const TrainingState& state = states_.front();
  while (state.step < training.steps) {
    if (interrupted) return Stop::interrupted;
    if (training.seconds > 0 && state.seconds >= training.seconds) return Stop::seconds;
    if (training.schedule == TrainingConfig::Schedule::decaying &&
        state.step == decay_begins(training))
      each_seed([&](std::size_t seed) {
        save_checkpoint(folders.at(seed) + "/" + kBeforeDecayFile, seed);
      });
    const Clock::time_point begin = Clock::now();
    one_step();
    const Clock::time_point now = Clock::now();
    const double spent = std::chrono::duration<double>(now - begin).count();
    each_seed([&](std::size_t seed) { states_[seed].seconds += spent; });
    if (std::ranges::all_of(states_, &TrainingState::diverged)) return Stop::diverged;
    if (state.step % training.read_every == 0) report(state);
    if (is_curve_step(state.step, training.curve_first))
      each_seed([&](std::size_t seed) { take_score(seed); });
    if (now - saved > std::chrono::minutes(1)) {
      save();
      saved = now;
    }
  }
  each_seed([&](std::size_t seed) { take_score(seed); });
  return Stop::steps;
}

void Trainer::resume(const std::vector<std::string>& folders) {
  for (std::size_t seed = 0; seed < seeds(); ++seed) {
    resume(folders.at(seed), seed);
    if (states_[seed].step != states_.front().step)
      throw InputError(fmt::format(
          "{}: expected a checkpoint after {} steps, as in {}, found one after {}; continue them "
          "one by one with --together 1",
          folders[seed], states_.front().step, folders.front(), states_[seed].step));
  }
}

void Trainer::resume(const std::string& folder, std::size_t seed) {
  namespace fs = std::filesystem;
  const RunConfig& config = configs_[seed];
  TrainingState& state = states_[seed];
  const std::string latest = folder + "/" + kCheckpointFile;
  const std::string before = folder + "/" + kBeforeDecayFile;
  if (!fs::exists(latest)) return;
  TrainingConfig earlier = config.training;
  earlier.steps = load_checkpoint(latest, seed);
  // A rate that fell towards another end is not the one of this run.
  if (earlier.schedule != TrainingConfig::Schedule::decaying ||
      earlier.steps == config.training.steps || state.step <= decay_begins(earlier))
    return;
  if (!fs::exists(before))
    throw InputError(before +
                     ": expected the checkpoint of the step at which the learning rate began to "
                     "fall, which a longer run continues from; choose another folder");
  LearningCurve ended = state.curve;
  const bool at_its_end = state.step == earlier.steps && !ended.points.empty();
  if (at_its_end) ended.ends.push_back(ended.points.back());
  load_checkpoint(before, seed);
  state.curve.ends = std::move(ended.ends);
}

const Network& Trainer::of_seed(std::size_t seed) const {
  if (!network_->parameters().stacked()) return *network_;
  if (!one_)
    one_ =
        make_network(configs_.front(), task().format(), network_->device(), configs_.front().seed);
  const torch::NoGradGuard no_grad;
  one_->parameters().values().copy_(
      network_->parameters().values()[static_cast<std::int64_t>(seed)]);
  return *one_;
}

void Trainer::save_checkpoint(const std::string& file, std::size_t seed) const {
  const TrainingState& now = states_[seed];
  TensorFile content;
  content.tensors = named_tensors(of_seed(seed).parameters());
  content.tensors[kFirstMoment] = row_of(optimiser_.first_moment, seed);
  content.tensors[kSecondMoment] = row_of(optimiser_.second_moment, seed);
  const nlohmann::ordered_json state = {
      {"step", now.step},     {"descents", optimiser_.steps}, {"stage", now.stage},
      {"loss", now.loss},     {"accuracy", now.accuracy},     {"seconds", now.seconds},
      {"tokens", now.tokens}, {"promotions", now.promotions}, {"curve", to_json(now.curve)}};
  content.metadata = {{"config", to_json(configs_[seed]).dump()}, {"state", state.dump()}};
  write_tensor_file(content, file);
}

std::uint64_t Trainer::load_checkpoint(const std::string& file, std::size_t seed) {
  TrainingState& now = states_[seed];
  TensorFile content = read_tensor_file(file);
  const auto refuse = [&](const std::string& expected) {
    return InputError(file + ": expected " + expected);
  };
  const auto config = nlohmann::json::parse(content.metadata["config"], nullptr, false);
  const auto state = nlohmann::ordered_json::parse(content.metadata["state"], nullptr, false);
  if (config.is_discarded() || state.is_discarded())
    throw refuse("the checkpoint of a training run");
  const RunConfig made_by = run_config_from_json(config, file);
  if (!continues(made_by, configs_[seed]))
    throw refuse("a checkpoint of the same configuration; remove it or choose another folder");
  Tensor first, second;
  try {
    now.step = state.at("step");
    now.stage = state.at("stage");
    now.loss = state.at("loss");
    now.accuracy = state.at("accuracy");
    now.seconds = state.at("seconds");
    now.tokens = state.at("tokens");
    now.promotions = state.at("promotions");
    now.curve = learning_curve_from_json(state.at("curve"));
    // Older checkpoints are of networks that descend once a step.
    optimiser_.steps = state.value("descents", now.step);
    first = content.tensors.at(kFirstMoment);
    second = content.tensors.at(kSecondMoment);
  } catch (const std::exception&) {
    throw refuse("the state of a training run in its metadata");
  }
  const auto moment = [&](const Tensor& tensor) {
    return tensor.dim() == 1 && tensor.size(0) == network_->parameters().count() &&
           tensor.isfinite().all().item<bool>();
  };
  if (now.stage >= tasks_[seed]->stages() || !now.promotions.is_array() || !moment(first) ||
      !moment(second))
    throw refuse("the state of a run of this configuration");
  if (now.step > configs_[seed].training.steps)
    throw refuse(
        fmt::format("training.steps of at least {}, the steps that it has made", now.step));
  content.tensors.erase(kFirstMoment);
  content.tensors.erase(kSecondMoment);
  row_of(optimiser_.first_moment, seed).copy_(first);
  row_of(optimiser_.second_moment, seed).copy_(second);
  load_network(content.tensors, file, seed);
  return made_by.training.steps;
}

void Trainer::load_network(const std::map<std::string, Tensor>& tensors, const std::string& file,
                           std::size_t seed) {
  if (!network_->parameters().stacked()) {
    load_parameters(network_->parameters(), tensors, file);
    return;
  }
  of_seed(seed);  // makes the network of one
  load_parameters(one_->parameters(), tensors, file);
  const torch::NoGradGuard no_grad;
  row_of(network_->parameters().values(), seed).copy_(one_->parameters().values());
}

void Trainer::load_weights() {
  for (std::size_t seed = 0; seed < seeds(); ++seed) {
    const std::string& file = configs_[seed].initial_weights;
    load_network(read_tensor_file(file).tensors, file, seed);
  }
}

void Trainer::save_weights(const std::string& file, std::size_t seed) const {
  write_tensor_file(
      {named_tensors(of_seed(seed).parameters()), {{"config", to_json(configs_[seed]).dump()}}},
      file);
}

Predictor Trainer::predictor(std::size_t seed) const {
  return predictor_of(of_seed(seed), configs_[seed].training.precision);
}

nlohmann::ordered_json Trainer::moved(const MeasureProgress& progress) const {
  const RunConfig& config = configs_.front();
  const std::unique_ptr<Network> before =
      make_network(config, task().format(), network_->device(), config.seed);
  const torch::NoGradGuard no_grad;
  const Tensor& from = before->parameters().values();
  const Tensor change = (network_->parameters().values() - from).abs();
  return {{"result", task().measure(predictor_of(*before, config.training.precision), state().stage,
                                    progress)},
          {"relative_change", (change.norm() / from.norm()).item<double>()},
          {"largest_change", change.max().item<double>()}};
}

RunRecord Trainer::record(Stop stop, const MeasureProgress& progress, std::size_t seed) const {
  const TrainingState& state = states_[seed];
  RunRecord record;
  record.config = configs_[seed];
  record.inputs = input_hashes(record.config);
  record.machine = {{"device", network_->device().is_cuda() ? "cuda" : "cpu"},
                    {"processor", processor()},
                    {"libtorch", TORCH_VERSION},
                    {"threads", at::get_num_threads()}};
  if (const std::string name = device_name(network_->device()); !name.empty())
    record.machine["device_name"] = name;
  record.machine["blas"] = matrix_library().name;
  if (const std::string kernels = matrix_kernels(); !kernels.empty())
    record.machine["kernels"] = kernels;
  record.training = {
      {"steps", state.step},
      {"seconds", std::round(state.seconds * 10) / 10},
      {"stopped", kStopNames[static_cast<std::size_t>(state.diverged ? Stop::diverged : stop)]},
      {"parameters", network_->parameters().count()},
      {"tokens", state.tokens},
      {"loss", state.loss},
      {"accuracy", state.accuracy},
      {"stage", task().stage_name(state.stage)},
      {"promotions", state.promotions},
      {"curve", to_json(state.curve)}};
  if (seeds() > 1) record.training["together"] = seeds();
  record.result = tasks_[seed]->measure(predictor(seed), state.stage, progress);
  if (!state.diverged) add_inspections(configs_[seed], of_seed(seed), record.result);
  if (record.config.constructed) record.training["before"] = moved(progress);
  return record;
}

}}  // namespace logdepth::learned_core
