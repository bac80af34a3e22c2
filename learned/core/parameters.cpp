#include "learned/core/parameters.hpp"

#include <torch/autograd.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_core {
namespace {

Tensor drawn(const std::vector<std::int64_t>& shape, Initial initial, CounterRandom random) {
  Tensor values = torch::empty(shape, torch::kFloat64);
  double* const data = values.data_ptr<double>();
  const double bound =
      initial.kind == Initial::Kind::xavier
          ? std::sqrt(6.0 / static_cast<double>(values.size(0) + values.size(values.dim() - 1)))
          : 0;
  for (std::int64_t i = 0; i < values.numel(); ++i) switch (initial.kind) {
      case Initial::Kind::constant:
        data[i] = initial.value;
        break;
      case Initial::Kind::normal:
        data[i] = initial.value * random.normal();
        break;
      case Initial::Kind::xavier:
        data[i] = bound * (2 * random.unit() - 1);
        break;
    }
  return values;
}

}  // namespace

Parameters::Parameters(Seeds seeds, torch::Device device, torch::ScalarType type, Purpose purpose)
    : seeds_(std::move(seeds)),
      purpose_(purpose),
      options_(torch::TensorOptions().device(device).dtype(type)) {}

Tensor Parameters::add(const std::string& name, std::vector<std::int64_t> shape, Initial initial) {
  std::vector<Tensor> of_seeds;
  for (const std::uint64_t seed : seeds_.all())
    of_seeds.push_back(
        purpose_ == Purpose::loaded
            ? torch::empty(shape, options_)
            : drawn(shape, initial, CounterRandom(seed, RandomStream::parameters, all_.size())));
  return append(name, stacked() ? torch::stack(of_seeds) : of_seeds.front());
}

Tensor Parameters::add(const std::string& name, const Tensor& values) {
  if (stacked()) throw std::logic_error("given values of a parameter of several seeds: " + name);
  return append(name, values);
}

Tensor Parameters::append(const std::string& name, const Tensor& values) {
  if (values_.defined()) throw std::logic_error("a parameter after gather: " + name);
  for (const Named& known : all_)
    if (known.name == name) throw std::logic_error("two parameters are called " + name);
  Tensor tensor = values.to(options_).clone().requires_grad_(purpose_ == Purpose::trained);
  count_ += tensor.numel() / seeds();
  all_.push_back({name, tensor});
  return tensor;
}

void Parameters::gather() {
  torch::NoGradGuard no_grad;
  values_ = torch::empty({seeds(), count_}, options_);
  if (purpose_ == Purpose::trained) gradients_ = torch::zeros({seeds(), count_}, options_);
  std::int64_t at = 0;
  for (Named& parameter : all_) {
    const std::int64_t size = parameter.tensor.numel() / seeds();
    const auto shape = parameter.tensor.sizes();
    const Tensor place = values_.narrow(1, at, size).view(shape);
    place.copy_(parameter.tensor);
    parameter.tensor.set_data(place);
    if (gradients_.defined() && !stacked())
      parameter.tensor.mutable_grad() = gradients_.narrow(1, at, size).view(shape);
    at += size;
  }
  if (stacked()) return;
  values_ = values_.view({count_});
  if (gradients_.defined()) gradients_ = gradients_.view({count_});
}

void Parameters::differentiate(const Tensor& loss) {
  if (!stacked()) {
    loss.backward();
    return;
  }
  std::vector<Tensor> tensors;
  for (const Named& parameter : all_) tensors.push_back(parameter.tensor);
  std::vector<Tensor> found = torch::autograd::grad({loss}, tensors, {}, {}, false, true);
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = (found[i].defined() ? found[i] : torch::zeros_like(tensors[i])).flatten(1);
  gradients_.copy_(torch::cat(found, 1));
}

}  // namespace logdepth::inline learned_core
