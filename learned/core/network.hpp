#pragma once

#include <torch/types.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "learned/core/block.hpp"
#include "learned/core/parameters.hpp"
#include "learned/records/task.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth { inline namespace learned_core {

/// Samples as tensors. Shapes as in Samples.
struct Batch {
  torch::Tensor indices;   ///< int64
  torch::Tensor features;  ///< of the model's type; undefined without features
  torch::Tensor view;      ///< bytes; undefined unless View::given
  torch::Tensor lengths;   ///< int64 [B]; undefined without padding
  torch::Tensor segments;  ///< int32 [B, L]; undefined unless several texts share a row
  torch::Tensor read;      ///< int64 [B, 1 or 2]; undefined of Readout::each_token
  torch::Tensor targets;   ///< int64
  torch::Tensor due;       ///< int64; undefined where every target is due after the first loop
  std::vector<torch::Tensor> layer_views;  ///< bytes [L, L], as in Samples
  std::vector<torch::Tensor> taught;       ///< int64, of each level, shaped as `targets`
  std::size_t size = 0;                    ///< n of log n
  std::uint32_t loops = 0;                 ///< that the samples ask for
};

/// Errors: std::logic_error where the samples do not have the format's shape.
Batch to_batch(const Samples& samples, const TaskFormat& format, torch::Device device,
               torch::ScalarType type);

/// The answers that logits [..., TaskFormat::logits()] give: the largest class of each head, or the
/// positive bits, in the layout of Samples::targets, on the CPU.
Answers answers(const torch::Tensor& logits, const TaskFormat& format);

/// Which targets a loss asks for, and how.
struct LossTerm {
  std::int64_t due_after = 0;  ///< those due after so many loops; 0: all
  double empty_discount = 0;   ///< alpha of CE(p, y) (1 - alpha p[empty])
  torch::Tensor targets = {};  ///< in place of the batch's own, if defined
  std::int64_t seeds = 1;      ///< the samples are of so many networks, as many of each
};
/// Mean cross-entropy over the targets that are asked for, summed over the heads of answers; of
/// bits, their mean binary one. Of several seeds the mean of each, [seeds].
torch::Tensor mean_loss(const torch::Tensor& logits, const Batch& batch, const TaskFormat& format,
                        const LossTerm& term = {});

/// What is remembered of the loops of a pass.
struct PassTrace {
  bool take_taught = false;  ///< read out what is taught beside the answers
  std::vector<std::uint32_t>
      read_after;  ///< numbers of loops, growing, to read the state out after

  std::vector<Tensor> logits;  ///< for each of `read_after`
  /// Of the readout after executed layer 1, 2, ..., as many as there are of both.
  std::vector<Tensor> taught;
};

/// What came of one step of training, detached.
struct Learned {
  Tensor loss;    ///< a number; of several seeds one for each, [seeds]
  Tensor logits;  ///< the answers, as they were before the last descent
};

/// What a trainer trains. A network of several seeds is a stack of networks: the samples of the first
/// one, then those of the second, as many of each.
class Network {
 public:
  Network(const TaskFormat& format, Seeds seeds, torch::Device device, torch::ScalarType type)
      : format_(format),
        device_(device),
        type_(type),
        parameters_(std::move(seeds), device, type) {}
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Logits [B, L, TaskFormat::logits()], or [B, .] where one answer is read out of a sample.
  virtual Tensor operator()(const Batch& batch, const PassOptions& options,
                            PassTrace* trace = nullptr) const = 0;
  /// How often the loop runs on these samples.
  virtual std::uint32_t loops_of(const Batch& batch) const = 0;
  /// The same in training, where a range is drawn from.
  virtual std::uint32_t training_loops(const Batch& batch, std::uint64_t /*seed*/,
                                       std::uint64_t /*step*/) const {
    return loops_of(batch);
  }

  /// Whether it can be asked for another number of loops.
  virtual bool loops() const { return false; }

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

/// A network as measures see it. Several numbers of loops are one pass that is read out after each
/// of them; decoding keeps keys and values. The network must outlive the result.
Predictor predictor_of(const Network& network, TrainingConfig::Precision precision);

}}  // namespace logdepth::learned_core
