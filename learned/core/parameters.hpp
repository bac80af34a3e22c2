#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace logdepth::inline learned_core {

using torch::Tensor;

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

/// What the numbers of a model are for.
enum class Purpose {
  trained,
  frozen,  ///< read only: without gradients
  loaded   ///< the same, and not even drawn: every one is about to be read from a file
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
  Parameters(Seeds seeds, torch::Device device, torch::ScalarType type,
             Purpose purpose = Purpose::trained);

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
  /// In the shape of `values`; undefined unless they are trained. Of one seed what backward() adds to.
  Tensor& gradients() { return gradients_; }
  /// Makes `gradients` those of a loss, which of several seeds is the sum of theirs.
  /// Precondition: they are zero.
  void differentiate(const Tensor& loss);

 private:
  Tensor append(const std::string& name, const Tensor& values);

  Seeds seeds_;
  Purpose purpose_;
  torch::TensorOptions options_;
  std::vector<Named> all_;
  std::int64_t count_ = 0;
  Tensor values_, gradients_;
};

}  // namespace logdepth::inline learned_core
