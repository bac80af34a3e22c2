// Computation graphs evaluated by iteration, as "Unlocking Out-of-Distribution Generalization in
// Transformers via Latent Space Reasoning" (anonymous, under review) trains transformers to do.
#include "constructions/latent_reasoning/computation_graph.hpp"

#include "proofs-check/claims/claim.hpp"

namespace logdepth { inline namespace proofs_check_papers_latent_reasoning {
namespace {

Claim evaluation(const std::string& name, GraphEvaluation form) {
  Claim claim = claim_named(name, Form::optimised);
  claim.title = "Computation graphs, one unit of depth an iteration";
  claim.statement =
      "On a word of equations modulo a prime, each iteration of a recurrent block computes values "
      "one layer deeper in the computation graph: after iteration t every variable of depth at "
      "most t holds its value, for as many iterations as the graph is deep.";
  claim.source =
      "\"Unlocking Out-of-Distribution Generalization in Transformers via Latent Space "
      "Reasoning\", Section 3 and Appendices C.2 and C.4";
  claim.file = "constructions/latent_reasoning/computation_graph.cpp";
  claim.tests = {"tests/claims/computation_graph.cpp"};
  // What is trained there. The paper states no weights, and accuracies below 1.
  claim.claimed.text =
      "learned blocks of 2 layers, of 4 where wrong values are corrected: depth 2 T, 4 T";
  claim.claimed.initial = claim.claimed.final = 0;
  claim.claimed.repeated = 2;

  const auto add = [&](const std::string& name, const ComputationGraphOptions& options,
                       const Bounds& bounds) {
    claim.instances.push_back({.name = name,
                               .program = [options] { return computation_graph(options); },
                               .against = AgainstComputationGraph{},
                               .bounds = bounds});
  };
  add("modulo 3, 8 names, 3 iterations", {.form = form, .prime = 3, .names = 8, .depth = 3},
      {3, 20, 8});
  if (form == GraphEvaluation::pairwise)  // the sizes of the paper, graphs of up to 128 equations
    add("modulo 23, 128 names, 9 iterations", {.form = form, .prime = 23, .names = 128, .depth = 9},
        {1, 3, 128});
  return claim;
}

}  // namespace

PaperPart latent_reasoning_computation_graph() {
  return {{evaluation("latent-3/compact", GraphEvaluation::compact),
           evaluation("latent-3/pairwise", GraphEvaluation::pairwise)},
          {}};
}

}}  // namespace logdepth::proofs_check_papers_latent_reasoning
