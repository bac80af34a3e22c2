#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/training_config.hpp"

namespace logdepth { inline namespace learned_core {

using torch::Tensor;

/// Copies a tensor of the host into one of a device, which need not have done what it was told
/// before.
void copy_from_host(const torch::Tensor& to, const torch::Tensor& from);

/// How a parameter begins.
struct Initial {
  enum class Kind { constant, normal, xavier };
  Kind kind = Kind::constant;
  double value = 0;  ///< the constant, or the deviation of the normal

  static Initial constant(double value) { return {Kind::constant, value}; }
  static Initial normal(double deviation) { return {Kind::normal, deviation}; }
  /// Uniform within sqrt(6 / (rows + columns)) (Glorot and Bengio 2010).
  static Initial xavier() { return {Kind::xavier, 0}; }
};

/// What initial weights are drawn from: one seed, or the seeds of a stack of networks that are
/// trained as one.
class Seeds {
 public:
  Seeds(std::uint64_t one) : all_{one} {}
  Seeds(std::vector<std::uint64_t> all) : all_(std::move(all)) {}
  const std::vector<std::uint64_t>& all() const { return all_; }
  std::int64_t count() const { return static_cast<std::int64_t>(all_.size()); }

 private:
  std::vector<std::uint64_t> all_;
};

/// The numbers of a model. They lie in one flat tensor, and their gradients in another, so
/// that an optimiser's step is a handful of operations whatever the number of layers.
///
/// Of several seeds every parameter has a first dimension more, the seed, and so has the flat tensor:
/// networks of one shape that know nothing of one another, in the operations of one.
class Parameters {
 public:
  Parameters(Seeds seeds, torch::Device device, torch::ScalarType type);

  /// A new parameter; the handle stays valid. Names are unique. Precondition: before `gather`.
  Tensor add(const std::string& name, std::vector<std::int64_t> shape, Initial initial);
  /// A new parameter with the given values. Precondition: one seed.
  Tensor add(const std::string& name, const Tensor& values);
  /// Lays all parameters into the flat tensor; called once, when the model is complete.
  void gather();

  struct Named {
    std::string name;
    Tensor tensor;
  };
  const torch::TensorOptions& options() const { return options_; }
  const std::vector<Named>& all() const { return all_; }
  std::int64_t count() const { return count_; }  ///< of one seed
  std::int64_t seeds() const { return seeds_.count(); }
  bool stacked() const { return seeds() > 1; }
  /// [count], of several seeds [seeds, count]; shares memory with all parameters.
  Tensor& values() { return values_; }
  const Tensor& values() const { return values_; }
  /// In the shape of `values`. Of one seed what backward() adds to.
  Tensor& gradients() { return gradients_; }
  /// Makes `gradients` those of a loss, the sum of those of several seeds.
  void differentiate(const Tensor& loss);

 private:
  Tensor append(const std::string& name, const Tensor& values);

  Seeds seeds_;
  torch::TensorOptions options_;
  std::vector<Named> all_;
  std::int64_t count_ = 0;
  Tensor values_, gradients_;
};

/// Tensors by name and text by key, as a safetensors file.
struct TensorFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Errors of reading: InputError naming the file and what was expected.
TensorFile read_tensor_file(const std::string& file);
void write_tensor_file(const TensorFile& content, const std::string& file);

/// All parameters by name.
std::map<std::string, Tensor> named_tensors(const Parameters& parameters);
/// Overwrites every parameter. Errors: InputError where a name is missing, unknown or has another
/// shape, or a number is not finite.
void load_parameters(Parameters& parameters, const std::map<std::string, Tensor>& tensors,
                     const std::string& file);

/// The learning rate of a step, counted from 0: linear growth over the first `warm_up` steps, then
/// as TrainingConfig::Schedule says, down to `floor` at the last step.
double learning_rate(const TrainingConfig& config, std::uint64_t step);

/// AdamW (Loshchilov and Hutter 2019) on all parameters as one vector, after their gradient was
/// scaled down to the norm `clip`. The arithmetic is that of libtorch's own optimiser (a test
/// compares them); that one takes several operations per parameter tensor.
class FlatAdamW {
 public:
  FlatAdamW(const TrainingConfig& config, const Parameters& parameters);
  static constexpr double kBeta1 = 0.9, kBeta2 = 0.98;

  /// One update from the gradients, which are zero afterwards. Precondition: one seed.
  void step(Parameters& parameters, double rate);

  /// Of several seeds, each with its own rate and clipped by its own norm, in two parts: the numbers
  /// that differ from step to step, and the update, whose operations are the same at every step, so
  /// that a device can record them once. A seed whose gradient is not finite keeps its moments.
  void prepare(const std::vector<double>& rates);
  void update(Parameters& parameters);

  Tensor first_moment, second_moment;  ///< shaped as the values
  /// As the values, or of one seed: 1 where a number is trained, 0 where it stays. Undefined: all are.
  Tensor trained;
  std::uint64_t steps = 0;  ///< done so far

 private:
  double weight_decay_, clip_;
  /// Of the next update, [3, seeds, 1]: the share of the values that is kept, the rate over the
  /// correction of the first moment, the root of the correction of the second.
  Tensor numbers_;
};

}}  // namespace logdepth::learned_core
