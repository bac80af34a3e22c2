#include "learned/reachability/presets.hpp"

#include <algorithm>

namespace logdepth::inline learned_reachability {

RunConfig relation(RelationTaskConfig::Tokens tokens, std::uint32_t vertices, std::uint32_t depth,
                   bool looped) {
  RunConfig config;
  RelationTaskConfig graphs;
  graphs.tokens = tokens;
  graphs.vertices = vertices;
  ModelConfig& model = config.model;
  if (tokens == RelationTaskConfig::Tokens::pairs) {
    config.preset = "pair-tokens";
    graphs.batch = 8;
    model.repeated = 2;
    model.loops = {LoopRule::Kind::per_doubling, std::max<std::uint32_t>(1, depth), 0};
  } else {
    config.preset = "row-tokens";
    model.initial = looped ? 0 : depth;
    model.repeated = looped ? 1 : 0;
    model.loops.least = depth;
  }
  config.task = graphs;
  return config;
}

}  // namespace logdepth::inline learned_reachability
