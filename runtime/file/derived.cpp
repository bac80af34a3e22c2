#include "runtime/file/derived.hpp"

#include <fmt/core.h>

#include "runtime/file/unrolling.hpp"

namespace logdepth::inline runtime_file {

std::string stated_depth(const Model& model) {
  const auto limit = largest_size(model);
  return depth_formula(model) + (limit ? fmt::format(", n <= {}", *limit) : "");
}

PrecisionFacts no_facts(const Model& model) {
  PrecisionFacts facts;
  for (const Layer& layer : model.layers)
    facts.layers.emplace_back().heads.resize(layer.attention.heads.size());
  return facts;
}

}  // namespace logdepth::inline runtime_file
