#include "library/exports/tested_temperature.hpp"

#include <algorithm>

#include "library/exports/weighing.hpp"

namespace logdepth::exports {

template <class Real>
std::optional<double> tested_temperature(const Model& model, Network& network,
                                         const FloatArrays<Real>& arrays, std::uint64_t seed,
                                         bool unrolled) {
  ExportSettings tried;
  tried.attention = ExportAttention::temperature;
  const double highest = std::min(highest_temperature(network), 0x1p60);
  for (tried.temperature = 1; tried.temperature <= highest; tried.temperature *= 2) {
    choose_weighing(network, tried);
    try {
      (void)self_test(model, network, arrays, seed, unrolled);
      return tried.temperature;
    } catch (const ExportWrong&) {
      continue;  // a wrong answer, mostly among the first words
    }
  }
  return std::nullopt;
}

template std::optional<double> tested_temperature(const Model&, Network&, const FloatArrays<float>&,
                                                  std::uint64_t, bool);
template std::optional<double> tested_temperature(const Model&, Network&,
                                                  const FloatArrays<double>&, std::uint64_t, bool);

}  // namespace logdepth::exports
