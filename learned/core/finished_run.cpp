#include "learned/core/finished_run.hpp"

#include <fmt/core.h>

#include <utility>

#include "learned/core/constructed_network.hpp"
#include "learned/core/parameters.hpp"
#include "learned/core/universal_transformer.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_core {

std::unique_ptr<Network> make_network(const RunConfig& config, const TaskFormat& format,
                                      torch::Device device, Seeds seeds) {
  if (config.constructed)
    return make_constructed_network(*config.constructed, config.task->products(), format, device);
  return std::make_unique<UniversalTransformer>(config.model, format, std::move(seeds), device);
}

FinishedRun open_run(const std::string& folder, torch::Device device) {
  FinishedRun run;
  run.record = read_run(folder);
  const RunConfig& config = run.record.config;
  run.network =
      make_network(config, config.task->make_task(config.seed)->format(), device, config.seed);
  const std::string weights = folder + "/" + kWeightsFile;
  load_parameters(run.network->parameters(), read_tensor_file(weights).tensors, weights);
  return run;
}

namespace {

/// The stage of the curriculum that a run ended in; the last one where no record says it.
std::size_t stage_reached(const RunRecord& record, const Task& task) {
  const std::size_t last = task.stages() - 1;
  const std::string reached = record.training.value("stage", task.stage_name(last));
  for (std::size_t stage = 0; stage < last; ++stage)
    if (task.stage_name(stage) == reached) return stage;
  return last;
}

void check_loops(std::uint32_t loops, const RunConfig& config) {
  const ModelConfig& model = config.model;
  if (model.repeated == 0 || config.constructed)
    throw InputError("--loops: expected a run whose model repeats a block");
  if (config.task->most_loops() > 0 || model.loops.kind == LoopRule::Kind::asked)
    throw InputError(fmt::format(
        "--loops is not allowed with the task {}, which determines the number of iterations",
        config.task->kind()));
  if (model.step_embedding == ModelConfig::StepEmbedding::learned && loops > model.step_rows)
    throw InputError(
        fmt::format("--loops: expected 1 to {}, the steps that the network has an embedding for, "
                    "found {}",
                    model.step_rows, loops));
}

/// A predictor that loops so often where a measure leaves it to the model.
Predictor with_loops(Predictor predictor, std::uint32_t loops) {
  predictor.answers = [answers = predictor.answers, loops](const Samples& samples,
                                                           std::uint32_t asked) {
    return answers(samples, asked > 0 ? asked : loops);
  };
  if (predictor.own_loops) predictor.own_loops = [loops](std::size_t) { return loops; };
  return predictor;
}

}  // namespace

nlohmann::ordered_json measure_run(const MeasureRequest& request, const std::string& folder,
                                   torch::Device device, const MeasureProgress& progress) {
  const FinishedRun run = open_run(folder, device);
  const RunConfig& config = run.record.config;
  TaskConfig asked = config.task;
  asked->ask(request);
  const std::unique_ptr<Task> task = asked->make_task(config.seed);
  if (request.loops > 0) check_loops(request.loops, config);
  const bool keeps = !request.keep_edges.empty(), cuts = !request.cut_edges.empty();
  require(
      !(keeps || cuts) || !config.constructed,
      std::string(cuts ? "--cut-edges" : "--keep-edges") + ": expected a run of a stack or a loop");
  Predictor predictor = predictor_of(*run.network, config.training.precision);
  if (request.loops > 0) predictor = with_loops(std::move(predictor), request.loops);
  const std::size_t stage =
      request.length > 0 ? task->stages() - 1 : stage_reached(run.record, *task);
  nlohmann::ordered_json measured = {{"run", folder}};
  if (request.loops > 0) measured["loops"] = request.loops;
  if (keeps) measured["keep_edges"] = request.keep_edges;
  if (cuts) measured["cut_edges"] = request.cut_edges;
  RunConfig measured_config = config;
  measured_config.task = asked;
  if (request.loops > 0) measured_config.model.loops = {LoopRule::Kind::fixed, request.loops, 1};
  measured["result"] = task->measure(predictor, stage, progress);
  add_inspections(measured_config, *run.network, measured["result"]);
  return measured;
}

}}  // namespace logdepth::learned_core
