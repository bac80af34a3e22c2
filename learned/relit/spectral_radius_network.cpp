#include "learned/relit/spectral_radius_network.hpp"

#include <torch/autograd.h>

#include <cmath>

#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_relit {

using torch::Tensor;

double spectral_radius(const std::function<Tensor(const Tensor&)>& map, const Tensor& point,
                       std::uint32_t iterations, std::uint64_t seed) {
  const torch::AutoGradMode gradient(true);
  const Tensor at = point.detach().clone().requires_grad_(true);
  const Tensor image = map(at);
  CounterRandom random(seed, RandomStream::starts);
  Tensor direction = torch::empty(at.sizes(), torch::kFloat64);
  for (std::int64_t i = 0; i < direction.numel(); ++i)
    direction.data_ptr<double>()[i] = random.normal();
  direction = (direction / direction.norm()).to(at.options());
  double growth = 0;
  const std::uint32_t unsettled = iterations / 2;
  for (std::uint32_t i = 0; i < iterations; ++i) {
    const Tensor next = torch::autograd::grad({image}, {at}, {direction}, /*retain_graph=*/true)[0];
    const double length = next.norm().item<double>();
    if (length == 0) return 0;
    if (i >= unsettled) growth += std::log(length);
    direction = next / length;
  }
  return std::exp(growth / (iterations - unsettled));
}

}  // namespace logdepth::inline learned_relit
