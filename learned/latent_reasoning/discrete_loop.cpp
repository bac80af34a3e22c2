#include "learned/latent_reasoning/discrete_loop.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace logdepth::inline learned_latent_reasoning {

std::vector<LoopEnd> run_discrete_loop(const Predictor& predictor, const FactorTables& tables,
                                       std::vector<FactoredState> states,
                                       const std::vector<std::uint32_t>& most,
                                       const StateSeen& seen) {
  std::vector<LoopEnd> ends(states.size());
  std::vector<std::size_t> running(states.size());
  std::iota(running.begin(), running.end(), 0);
  for (std::uint32_t t = 1; !running.empty(); ++t) {
    std::size_t tokens = 0;
    for (const std::size_t graph : running) tokens = std::max(tokens, states[graph].size());
    Samples samples = factored_samples(tables, running.size(), tokens);
    for (std::size_t i = 0; i < running.size(); ++i) put_state(samples, i, states[running[i]]);
    const Answers answers = predictor.answers(samples, 0);
    std::vector<std::size_t> still;
    for (std::size_t i = 0; i < running.size(); ++i) {
      const std::size_t graph = running[i];
      FactoredState next = answered_state(samples, answers, i, states[graph].size());
      if (seen) seen(graph, t, next);
      const bool settled = next == states[graph];
      states[graph] = std::move(next);
      if (settled) ends[graph].iterations = t - 1;
      if (!settled && t < most[graph]) still.push_back(graph);
    }
    running = std::move(still);
  }
  for (std::size_t i = 0; i < states.size(); ++i) ends[i].state = std::move(states[i]);
  return ends;
}

}  // namespace logdepth::inline learned_latent_reasoning
