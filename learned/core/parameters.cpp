#include "learned/core/parameters.hpp"

#include <fmt/core.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "base/quoted_text.hpp"
#include "learned/records/counter_random.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/safetensors.hpp"

namespace logdepth { inline namespace learned_core {
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

void copy_from_host(const Tensor& to, const Tensor& from) {
  const torch::NoGradGuard no_grad;
  const Tensor shaped = from.view(to.sizes());
  if (to.is_cuda()) {
    to.copy_(shaped.to(to.scalar_type()).pin_memory(), /*non_blocking=*/true);
  } else {
    to.copy_(shaped);
  }
}

Parameters::Parameters(Seeds seeds, torch::Device device, torch::ScalarType type)
    : seeds_(std::move(seeds)), options_(torch::TensorOptions().device(device).dtype(type)) {}

Tensor Parameters::add(const std::string& name, std::vector<std::int64_t> shape, Initial initial) {
  std::vector<Tensor> of_seeds;
  for (const std::uint64_t seed : seeds_.all())
    of_seeds.push_back(
        drawn(shape, initial, CounterRandom(seed, RandomStream::parameters, all_.size())));
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
  Tensor tensor = values.to(options_).clone().requires_grad_(true);
  count_ += tensor.numel() / seeds();
  all_.push_back({name, tensor});
  return tensor;
}

void Parameters::gather() {
  torch::NoGradGuard no_grad;
  values_ = torch::empty({seeds(), count_}, options_);
  gradients_ = torch::zeros({seeds(), count_}, options_);
  std::int64_t at = 0;
  for (Named& parameter : all_) {
    const std::int64_t size = parameter.tensor.numel() / seeds();
    const auto shape = parameter.tensor.sizes();
    const Tensor place = values_.narrow(1, at, size).view(shape);
    place.copy_(parameter.tensor);
    parameter.tensor.set_data(place);
    if (!stacked()) parameter.tensor.mutable_grad() = gradients_.narrow(1, at, size).view(shape);
    at += size;
  }
  if (stacked()) return;
  values_ = values_.view({count_});
  gradients_ = gradients_.view({count_});
}

void Parameters::differentiate(const Tensor& loss) {
  std::vector<Tensor> tensors;
  for (const Named& parameter : all_) tensors.push_back(parameter.tensor);
  std::vector<Tensor> found = torch::autograd::grad({loss}, tensors, {}, {}, false, true);
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = (found[i].defined() ? found[i] : torch::zeros_like(tensors[i])).flatten(1);
  gradients_.copy_(torch::cat(found, 1));
}

namespace {

const std::vector<std::pair<std::string, torch::ScalarType>> kTypes = {
    {"F32", torch::kFloat32}, {"F64", torch::kFloat64}, {"BF16", torch::kBFloat16},
    {"F16", torch::kFloat16}, {"I64", torch::kInt64},   {"I32", torch::kInt32},
    {"U8", torch::kUInt8},    {"BOOL", torch::kBool}};

std::string shape_text(at::IntArrayRef shape) {
  std::ostringstream text;
  text << shape;
  return text.str();
}

}  // namespace

TensorFile read_tensor_file(const std::string& file) {
  SafeTensors content = read_safetensors(file);
  TensorFile result;
  result.metadata = std::move(content.metadata);
  for (const auto& [name, array] : content.arrays) {
    const torch::ScalarType* type = nullptr;
    for (const auto& [word, known] : kTypes)
      if (word == array.type) type = &known;
    if (!type) throw InputError(file + ": arrays of type " + array.type + " are not supported");
    Tensor tensor = torch::empty(std::vector<std::int64_t>(array.shape.begin(), array.shape.end()),
                                 torch::dtype(*type));
    if (!array.bytes.empty())
      std::memcpy(tensor.data_ptr(), array.bytes.data(), array.bytes.size());
    result.tensors.emplace(name, std::move(tensor));
  }
  return result;
}

void write_tensor_file(const TensorFile& content, const std::string& file) {
  SafeTensors out;
  out.metadata = content.metadata;
  for (const auto& [name, given] : content.tensors) {
    const Tensor tensor = given.detach().to(torch::kCPU).contiguous();
    SafeTensor array;
    for (const auto& [word, known] : kTypes)
      if (known == tensor.scalar_type()) array.type = word;
    array.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
    array.bytes.assign(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
    out.arrays.emplace(name, std::move(array));
  }
  write_safetensors(out, file);
}

std::map<std::string, Tensor> named_tensors(const Parameters& parameters) {
  std::map<std::string, Tensor> tensors;
  for (const Parameters::Named& parameter : parameters.all())
    tensors.emplace(parameter.name, parameter.tensor);
  return tensors;
}

void load_parameters(Parameters& parameters, const std::map<std::string, Tensor>& tensors,
                     const std::string& file) {
  if (tensors.size() != parameters.all().size())
    throw InputError(fmt::format("{}: expected {} parameters, found {}", file,
                                 parameters.all().size(), tensors.size()));
  torch::NoGradGuard no_grad;
  for (const Parameters::Named& parameter : parameters.all()) {
    const auto found = tensors.find(parameter.name);
    if (found == tensors.end())
      throw InputError(file + ": expected a parameter " + in_quotes(parameter.name));
    if (found->second.sizes() != parameter.tensor.sizes())
      throw InputError(file + ": " + parameter.name + ": expected shape " +
                       shape_text(parameter.tensor.sizes()) + ", found " +
                       shape_text(found->second.sizes()));
    if (!found->second.isfinite().all().item<bool>())
      throw InputError(file + ": " + parameter.name + ": expected finite numbers");
    Tensor to = parameter.tensor;
    to.copy_(found->second);
  }
}

double learning_rate(const TrainingConfig& config, std::uint64_t step) {
  const auto at = static_cast<double>(step);
  if (step < config.warm_up)
    return config.learning_rate * (at + 1) / static_cast<double>(config.warm_up);
  if (config.schedule == TrainingConfig::Schedule::constant) return config.learning_rate;
  if (config.schedule == TrainingConfig::Schedule::decaying) {
    const std::uint64_t begin = decay_begins(config);
    if (step < begin) return config.learning_rate;
    const double fallen =
        (at - static_cast<double>(begin)) / static_cast<double>(config.steps - begin);
    return config.learning_rate * (1 - (1 - config.floor) * std::min(1.0, fallen));
  }
  const auto falling = static_cast<double>(std::max<std::uint64_t>(
      1, config.steps > config.warm_up ? config.steps - config.warm_up : 1));
  const double share = std::min(1.0, (at - static_cast<double>(config.warm_up)) / falling);
  const double cosine = 0.5 * (1 + std::cos(std::numbers::pi * share));
  return config.learning_rate * (config.floor + (1 - config.floor) * cosine);
}

FlatAdamW::FlatAdamW(const TrainingConfig& config, const Parameters& parameters)
    : first_moment(torch::zeros_like(parameters.values())),
      second_moment(torch::zeros_like(parameters.values())),
      weight_decay_(config.weight_decay),
      clip_(config.clip),
      numbers_(torch::zeros({3, parameters.seeds(), 1}, parameters.options())) {}

namespace {
constexpr double kNormFloor = 1e-6, kRootFloor = 1e-8;  // as libtorch has them
}  // namespace

void FlatAdamW::prepare(const std::vector<double>& rates) {
  ++steps;
  const double bias1 = 1 - std::pow(kBeta1, static_cast<double>(steps));
  const double bias2 = 1 - std::pow(kBeta2, static_cast<double>(steps));
  std::vector<double> numbers;
  for (const double rate : rates) numbers.push_back(1 - rate * weight_decay_);
  for (const double rate : rates) numbers.push_back(rate / bias1);
  numbers.insert(numbers.end(), rates.size(), std::sqrt(bias2));
  copy_from_host(numbers_, torch::tensor(numbers, torch::kFloat64));
}

void FlatAdamW::update(Parameters& parameters) {
  torch::NoGradGuard no_grad;
  Tensor& g = parameters.gradients();
  if (trained.defined()) g.mul_(trained);
  const Tensor norm = g.norm(2, {1}, /*keepdim=*/true);
  const Tensor finite = norm.isfinite();
  g.mul_((clip_ / (norm + kNormFloor)).clamp_max(1));
  const Tensor clipped = torch::where(finite, g, torch::zeros_like(g));
  first_moment.copy_(torch::where(finite, first_moment.lerp(clipped, 1 - kBeta1), first_moment));
  second_moment.copy_(torch::where(
      finite, (second_moment * kBeta2).addcmul_(clipped, clipped, 1 - kBeta2), second_moment));
  const Tensor root = second_moment.sqrt().div_(numbers_[2]).add_(kRootFloor);
  const Tensor kept = trained.defined() ? 1 - (1 - numbers_[0]) * trained : numbers_[0];
  parameters.values().mul_(kept).sub_((first_moment * numbers_[1]).div_(root));
  g.zero_();
}

void FlatAdamW::step(Parameters& parameters, double rate) {
  torch::NoGradGuard no_grad;
  Tensor& g = parameters.gradients();
  if (trained.defined()) g.mul_(trained);
  g.mul_((clip_ / (g.norm() + kNormFloor)).clamp_max(1));
  ++steps;
  const double bias1 = 1 - std::pow(kBeta1, static_cast<double>(steps));
  const double bias2 = 1 - std::pow(kBeta2, static_cast<double>(steps));
  first_moment.lerp_(g, 1 - kBeta1);
  second_moment.mul_(kBeta2).addcmul_(g, g, 1 - kBeta2);
  const Tensor root = second_moment.sqrt().div_(std::sqrt(bias2)).add_(kRootFloor);
  Tensor& values = parameters.values();
  if (trained.defined()) {
    values.mul_(1 - rate * weight_decay_ * trained);
  } else {
    values.mul_(1 - rate * weight_decay_);
  }
  values.addcdiv_(first_moment, root, -rate / bias1);
  g.zero_();
}

}}  // namespace logdepth::learned_core
