#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "learned/core/network.hpp"
#include "learned/core/optimiser.hpp"
#include "learned/records/learning_curve.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/task.hpp"

namespace logdepth::inline learned_core {

/// Where a training run stands. Everything that the next step depends on, beside the weights.
struct TrainingState {
  std::uint64_t step = 0;
  std::size_t stage = 0;
  std::uint64_t stage_steps = 0;  ///< since the stage began
  double loss = 0;                ///< at the latest reading
  double accuracy = 0;            ///< its average in this stage, as the curriculum sees it
  double seconds = 0;             ///< of training, over all sessions
  std::uint64_t tokens = 0;       ///< trained on
  nlohmann::ordered_json promotions = nlohmann::ordered_json::array();
  LearningCurve curve;
};

/// Trains one configuration: curriculum, budget, checkpoints.
class Trainer {
 public:
  /// Errors: InputError where settings contradict each other or the device is not there.
  Trainer(const RunConfig& config, torch::Device device);

  enum class Stop { steps, seconds, interrupted, diverged };
  using Report = std::function<void(const TrainingState&)>;
  /// Steps until the budget is spent or `interrupted` becomes true, and takes the points of the
  /// learning curve. `report` is called after every reading, `save` about once a minute. Where the
  /// learning rate begins to fall a checkpoint is left in `folder`, from which a run of more steps
  /// goes on.
  Stop train(const std::atomic<bool>& interrupted, const Report& report,
             const std::function<void()>& save, const std::string& folder);

  /// A later session goes on from here with the same bits.
  void save_checkpoint(const std::string& file) const;
  /// Goes on from the checkpoint of a folder, if there is one: the latest, or the one before the
  /// learning rate fell where it fell for an earlier end. Errors: InputError where the file is of
  /// another configuration; steps and seconds may differ as `continues` says.
  void resume(const std::string& folder);
  /// Begins as RunConfig::initial_weights says. Errors: InputError where they do not fit.
  void load_weights();
  void save_weights(const std::string& file) const;

  /// The network as it is, for measures.
  Predictor predictor() const;
  /// Measures the network and says how it was trained. Of a constructed network also what it could
  /// do before, and how far its numbers have moved.
  RunRecord record(Stop stop, const MeasureProgress& progress) const;

  const TrainingState& state() const { return state_; }
  const Task& task() const { return *task_; }
  Network& network() { return *network_; }

 private:
  void one_step();
  /// The number of steps that the run of the checkpoint was to have.
  std::uint64_t load_checkpoint(const std::string& file);
  void take_score();
  nlohmann::ordered_json moved(const MeasureProgress& progress) const;
  void read(const Samples& samples, const Tensor& logits, double loss);

  RunConfig config_;
  std::unique_ptr<Task> task_;
  std::unique_ptr<Network> network_;
  FlatAdamW optimiser_;
  TrainingState state_;
};

const char* stop_name(Trainer::Stop stop);

}  // namespace logdepth::inline learned_core
