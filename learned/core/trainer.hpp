#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "learned/core/device.hpp"
#include "learned/core/network.hpp"
#include "learned/core/parameters.hpp"
#include "learned/records/reading.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/task.hpp"

namespace logdepth { inline namespace learned_core {

/// Where a training run stands. Everything that the next step depends on, beside the weights.
struct TrainingState {
  std::uint64_t step = 0;
  std::size_t stage = 0;
  double loss = 0;           ///< at the latest reading
  double accuracy = 0;       ///< its average in this stage, as the curriculum sees it
  double seconds = 0;        ///< of training, over all sessions
  std::uint64_t tokens = 0;  ///< trained on
  bool diverged = false;     ///< the loss is no number; others of a stack go on
  nlohmann::ordered_json promotions = nlohmann::ordered_json::array();
  LearningCurve curve;
};

/// The readings of a run as CSV, `losses.csv` of its folder: step, seconds, stage, loss, accuracy (the
/// average that the curriculum sees) and tokens. At most about four thousand rows, whatever the steps.
class LossHistory {
 public:
  /// Goes on from the rows of an earlier session, as far as `state` has come.
  LossHistory(std::string folder, const TrainingConfig& training, const TrainingState& state);
  void add(const TrainingState& state, const std::string& stage);
  /// Errors: as write_whole_file.
  void write() const;

 private:
  std::string file_, text_;
  std::uint64_t every_;
};

/// Trains one configuration: curriculum, budget, checkpoints. Of several seeds it trains a stack of
/// networks in the operations of one; each has its own samples, curriculum and learning rate, and
/// comes out as it would alone, up to rounding.
class Trainer {
 public:
  /// Errors: InputError where settings contradict each other or the device is not there.
  /// Also where they differ in more than seed and learning rate or several do not
  /// pack their samples into rows.
  Trainer(std::vector<RunConfig> configs, torch::Device device);

  enum class Stop { steps, seconds, interrupted, diverged };
  using Report = std::function<void(const TrainingState&)>;
  /// Steps until the budget is spent or `interrupted` becomes true, and takes the points of the
  /// learning curve. `report` is called after every reading with the state of the first seed, `save`
  /// about once a minute. Where the learning rate begins to fall a checkpoint of each seed is left in
  /// its folder, from which a run of more steps goes on.
  Stop train(const std::atomic<bool>& interrupted, const Report& report,
             const std::function<void()>& save, const std::vector<std::string>& folders);

  /// A later session goes on from here with the same bits.
  void save_checkpoint(const std::string& file, std::size_t seed = 0) const;
  /// Goes on from the checkpoints of the folders, if there are any: the latest, or the one before the
  /// learning rate fell where it fell for an earlier end. Errors: InputError where a file is of
  /// another configuration, or they are not of one step; steps and seconds may differ as `continues`
  /// says.
  void resume(const std::vector<std::string>& folders);
  /// Begins as RunConfig::initial_weights says. Errors: InputError where they do not fit.
  void load_weights();
  void save_weights(const std::string& file, std::size_t seed = 0) const;

  /// The network as it is, for measures; of one seed at a time.
  Predictor predictor(std::size_t seed = 0) const;
  /// Measures the network and says how it was trained. Of a constructed network also what it could
  /// do before, and how far its numbers have moved.
  RunRecord record(Stop stop, const MeasureProgress& progress, std::size_t seed = 0) const;

  std::size_t seeds() const { return configs_.size(); }
  const TrainingState& state(std::size_t seed = 0) const { return states_.at(seed); }
  const Task& task(std::size_t seed = 0) const { return *tasks_.at(seed); }
  Network& network() { return *network_; }

 private:
  void one_step();
  Learned learn(const Samples& samples);
  /// `descend` takes the gradient of a loss, of several seeds of the sum of theirs, and one step of the optimiser.
  Learned learn(const Batch& batch, const std::function<void(const Tensor& loss)>& descend);
  /// The network of one seed, as it is.
  const Network& of_seed(std::size_t seed) const;
  void resume(const std::string& folder, std::size_t seed);
  /// The number of steps that the run of the checkpoint was to have.
  std::uint64_t load_checkpoint(const std::string& file, std::size_t seed);
  void load_network(const std::map<std::string, Tensor>& tensors, const std::string& file,
                    std::size_t seed);
  void take_score(std::size_t seed);
  nlohmann::ordered_json moved(const MeasureProgress& progress) const;
  void read(const std::vector<Samples>& samples, const Learned& learned);

  std::vector<RunConfig> configs_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::unique_ptr<Network> network_;
  FlatAdamW optimiser_;
  std::vector<TrainingState> states_;
  Batch inputs_;                          ///< of the recorded step
  std::unique_ptr<StepGraph> graph_;      ///< of several seeds
  mutable std::unique_ptr<Network> one_;  ///< of_seed, of several
};

}}  // namespace logdepth::learned_core
