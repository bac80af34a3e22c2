#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "learned/core/batch.hpp"
#include "learned/core/block.hpp"
#include "learned/core/parameters.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_core {

/// How one pass of a network runs.
struct PassOptions {
  std::uint32_t loops = 1;          ///< of the repeated block
  std::uint32_t gradient_span = 0;  ///< loops that the gradient passes, from the last; 0: all
  TrainingConfig::Precision precision = TrainingConfig::Precision::float32;
  const Probe* probe = nullptr;
  std::vector<KeyValueCache>* caches = nullptr;  ///< for tokens that continue earlier ones
  std::int64_t first_position = 0;
};

/// What is remembered of the loops of a pass.
struct PassTrace {
  bool take_readings = false;
  bool take_taught = false;  ///< read out what is taught beside the answers
  std::vector<std::uint32_t>
      read_after;  ///< numbers of loops, growing, to read the state out after

  std::vector<LoopReading> readings;  ///< of every loop, if they are taken
  /// Loops of every token [B, L], or of every sample [B]; undefined where all took as many as they
  /// were told.
  Tensor loops_taken;
  std::vector<Tensor> logits;  ///< for each of `read_after`
  /// Of the readout after executed layer 1, 2, ..., as many as there are of both.
  std::vector<Tensor> taught;
};

/// One step of training, as a network is told of it.
struct Lesson {
  const TrainingConfig& training;
  std::uint64_t seed = 0, step = 0;  ///< what random numbers are drawn from
  /// Descends on a loss, or on the sum of those of several seeds: its gradient, then one step of the
  /// optimiser.
  std::function<void(const Tensor& loss)> descend;
};
/// What came of it, detached.
struct Learned {
  Tensor loss;    ///< a number; of several seeds one for each, [seeds]
  Tensor logits;  ///< the answers, as they were before the last descent
};

/// What a trainer trains. A network of several seeds is a stack of networks: the samples of the first
/// one, then those of the second, as many of each.
class Network {
 public:
  Network(const TaskFormat& format, Seeds seeds, torch::Device device, torch::ScalarType type,
          Purpose purpose = Purpose::trained)
      : format_(format),
        device_(device),
        type_(type),
        parameters_(std::move(seeds), device, type, purpose) {}
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Logits [B, L, TaskFormat::logits()], or [B, .] where one answer is read out of a sample.
  virtual Tensor operator()(const Batch& batch, const PassOptions& options,
                            PassTrace* trace = nullptr) const = 0;
  /// Learns from a batch: by one descent on the loss that `training` asks for, or in a way of its
  /// own.
  virtual Learned learn(const Batch& batch, const Lesson& lesson);
  /// How often the loop runs on these samples.
  virtual std::uint32_t loops_of(const Batch& batch) const = 0;
  /// The same in training, where a range is drawn from.
  virtual std::uint32_t training_loops(const Batch& batch, std::uint64_t seed,
                                       std::uint64_t step) const = 0;

  /// Whether it can be asked for another number of loops.
  virtual bool loops() const { return false; }
  /// Whether it decides itself how often the loop runs on each token or sample.
  virtual bool halts() const { return false; }

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const TaskFormat& format() const { return format_; }
  torch::Device device() const { return device_; }
  torch::ScalarType type() const { return type_; }

 protected:
  TaskFormat format_;
  torch::Device device_;
  torch::ScalarType type_;
  Parameters parameters_;
};

/// Errors: InputError where this libtorch has no such device.
void expect_device(torch::Device device);

/// The loss of one pass as `training` supervises it; of several seeds one for each, [seeds].
/// `last_logits`: those after the last loop.
Tensor supervised_loss(const Network& network, const Batch& batch, const PassOptions& options,
                       const TrainingConfig& training, Tensor* last_logits = nullptr);

}  // namespace logdepth::inline learned_core
