#include "learned/core/make_network.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "learned/core/constructed_network.hpp"
#include "learned/core/paper_networks.hpp"
#include "learned/core/universal_transformer.hpp"

namespace logdepth::inline learned_core {

std::unique_ptr<Network> make_network(const RunConfig& config, const TaskFormat& format,
                                      torch::Device device) {
  if (config.constructed)
    return make_constructed_network(*config.constructed, config.task->products(), format, device);
  if (config.network) {
    const std::string kind = (*config.network)->kind();
    for (const NetworkMaker& maker : network_makers())
      if (maker.kind == kind) return maker.make(config, format, device);
    throw std::logic_error("no paper makes networks of kind " + kind);
  }
  return std::make_unique<UniversalTransformer>(config.model, format, config.seed, device);
}

std::unique_ptr<Network> make_stacked_network(const RunConfig& config, Seeds seeds,
                                              const TaskFormat& format, torch::Device device) {
  return std::make_unique<UniversalTransformer>(config.model, format, std::move(seeds), device);
}

}  // namespace logdepth::inline learned_core
