#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "learned/core/batch.hpp"
#include "learned/core/block.hpp"
#include "learned/core/parameters.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth {

/// How one pass of a network runs.
struct PassOptions {
  std::uint32_t loops = 1;           ///< of the repeated block
  std::uint32_t gradient_span = 0;   ///< loops that the gradient passes, from the last; 0: all
  bool training = false;             ///< corruption acts, halting does not
  std::uint64_t seed = 0, step = 0;  ///< of what is drawn
  TrainingConfig::Precision precision = TrainingConfig::Precision::float32;
  const Probe* probe = nullptr;
  std::vector<KeyValueCache>* caches = nullptr;  ///< for tokens that continue earlier ones
  std::int64_t first_position = 0;
};

/// What is remembered of each loop.
struct StepRecord {
  Tensor state;             ///< [B, L, width], if states are kept
  Tensor logits;            ///< if every step is read out
  Tensor halting_logit;     ///< [B], of Halting::head
  double gate_share = 0;    ///< mean of z of the GRU-like gate, if states are kept
  std::int64_t active = 0;  ///< samples that had not halted before this step
};
struct Trace {
  bool keep_states = false, read_every_step = false;
  std::vector<StepRecord> steps;
};

/// What a trainer trains.
class Network {
 public:
  Network(const TaskFormat& format, std::uint64_t seed, torch::Device device,
          torch::ScalarType type)
      : format_(format), device_(device), type_(type), parameters_(seed, device, type) {}
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Logits [B, L, outputs], or [B, outputs] of Readout::pair.
  virtual Tensor operator()(const Batch& batch, const PassOptions& options,
                            Trace* trace = nullptr) const = 0;
  /// How often the loop runs on an input of size n (n of log n).
  virtual std::uint32_t loops_at(std::size_t size) const = 0;
  /// The same in training, where a range is drawn from.
  virtual std::uint32_t training_loops(std::size_t size, std::uint64_t seed,
                                       std::uint64_t step) const = 0;
  /// Whether steps of a trace have halting logits.
  virtual bool has_halting_head() const { return false; }

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

/// The network that a configuration describes: a universal transformer, or the one of a weights
/// file. Errors: InputError where file, task and settings do not fit.
std::unique_ptr<Network> make_network(const RunConfig& config, const TaskFormat& format,
                                      torch::Device device);

/// The loss of one pass: of the last step or the mean over steps, and with a halting head a tenth
/// of its cross-entropy against "every answer of this step is right" (ReLIT).
Tensor supervised_loss(const Network& network, const Batch& batch, const PassOptions& options,
                       TrainingConfig::Supervision supervision, Tensor* last_logits = nullptr);

}  // namespace logdepth
