// MS25 Theorem 5.1: log depth decides graph connectivity.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "constructions/MS25/graph_connectivity_bounded_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_radix_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_sized_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "proofs-check/claims/claim_list.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

/// The theorem, whatever the construction in `file`.
Claim theorem_5_1(const std::string& name, Form form, const std::string& file) {
  Claim claim = claim_named(name, form);
  claim.title = "Graph connectivity in log depth";
  claim.statement =
      "There is a looped transformer with causal and unmasked heads that, given the adjacency "
      "matrix of a directed or undirected graph over n vertices, n^3 padding tokens and s, t in "
      "unary, decides with ceil(log2 n) loops whether there is a path from s to t.";
  claim.source = "MS25 §5, Theorem 5.1 and Appendix C";
  claim.claimed.text = "(17, 2, 1), depth 2 ceil(log2 n) + 18, n^3 padding tokens";
  claim.claimed.initial = 17;
  claim.claimed.repeated = 2;
  claim.claimed.final = 1;
  claim.claimed.depth = [](std::uint64_t n) { return 2 * ceil_log2(n) + 18; };
  claim.claimed.counted = "the number of vertices";
  claim.file = file;
  claim.tests = {"tests/claims/connectivity.cpp"};
  claim.curve = "graph connectivity";
  return claim;
}

/// One network for every n.
Claim connectivity(const std::string& name, ConnectivityForm form, GraphInput::Padding padding) {
  const bool compact = form == ConnectivityForm::compact;
  const bool small = padding == GraphInput::Padding::n3_minus_n2;
  Claim claim = theorem_5_1(name, compact || small ? Form::optimised : Form::repaired,
                            "constructions/MS25/graph_connectivity_thm5_1.cpp");
  claim.picture = small == compact;

  Instance directed;
  directed.name = "directed";
  directed.program = [form, padding] { return graph_connectivity_MS25_thm5_1(form, padding); };
  directed.against = AgainstReachability{false, true};  // four vertices take two loops
  directed.bounds = {3, 4, compact && small ? std::size_t{10} : std::size_t{7}};
  directed.tight_at = {3, 4, 6};
  Instance undirected = directed;
  undirected.name = "undirected";
  undirected.against = AgainstReachability{true, false};
  undirected.bounds = {4, 2, 6};
  undirected.layernorm = false;  // the same file as for directed graphs
  undirected.tight_at.clear();
  claim.instances = {std::move(directed), std::move(undirected)};
  return claim;
}

/// One network, of a size that does not depend on the contract, for every n up to it.
Claim bounded() {
  Claim claim =
      connectivity("thm-5.1/bounded", ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2);
  claim.file = "constructions/MS25/graph_connectivity_bounded_thm5_1.cpp";
  claim.tests = {"tests/claims/connectivity_bounded.cpp"};
  claim.hypotheses = {"one network for at most 8 L vertices"};
  for (Instance& instance : claim.instances)
    instance.program = [] { return graph_connectivity_bounded_MS25_thm5_1(10); };
  return claim;
}

/// Four layers before the loop: found by hand, not built.
Claim four_initial_layers() {
  Claim claim = theorem_5_1("thm-5.1/four-initial-layers", Form::optimised, "");
  claim.tests.clear();
  claim.statement =
      "The same with four layers before a loop of one layer, (4, 1, 1), for every n, by a rational "
      "position encoding that does not know n.";
  claim.curve.clear();
  claim.reason =
      "no position encoding of a program holds it: 1/(2p+1) as a number beside unit codes, and a "
      "polygon of six components whose last three are squares that sum to 4n - 6; and a query for "
      "a "
      "vertex from a code of another kind is no linear form of it";
  return claim;
}

/// One network per n: the theorem is about a single one, so these are records of another kind.
Claim family(const std::string& name, const std::string& file,
             const std::function<Program(std::uint32_t)>& construction,
             const std::vector<std::pair<std::uint32_t, Bounds>>& sizes) {
  Claim claim = theorem_5_1(name, Form::optimised, file);
  claim.hypotheses = {"one network per number of vertices"};
  claim.family = [construction](std::uint64_t n) {
    return construction(static_cast<std::uint32_t>(n));
  };
  claim.picture = true;
  for (const auto& [size, bounds] : sizes) {
    Instance instance;
    instance.name = fmt::format("for {} vertices", size);
    instance.program = [construction, size = size] { return construction(size); };
    instance.against = AgainstReachability{false, bounds.up_to + 1 == size};
    instance.bounds = bounds;
    instance.tight_at = {size};
    claim.instances.push_back(std::move(instance));
  }
  return claim;
}

/// The same with walks `radix` times as long after each loop.
Claim radix(const std::string& name, std::uint32_t radix,
            const std::vector<std::pair<std::uint32_t, Bounds>>& sizes) {
  Claim claim = family(
      name, "constructions/MS25/graph_connectivity_radix_thm5_1.cpp",
      [radix](std::uint32_t size) { return graph_connectivity_radix_MS25_thm5_1(size, radix); },
      sizes);
  claim.hypotheses.push_back(fmt::format("n^{} - n^2 padding tokens", radix + 1));
  claim.tests = {"tests/claims/connectivity_radix.cpp"};
  return claim;
}

}  // namespace

std::vector<Claim> MS25_thm5_1_claims() {
  using Padding = GraphInput::Padding;
  return {connectivity("thm-5.1/paper-n3", ConnectivityForm::paper, Padding::n3),
          connectivity("thm-5.1/paper-n3-n2", ConnectivityForm::paper, Padding::n3_minus_n2),
          connectivity("thm-5.1/compact-n3", ConnectivityForm::compact, Padding::n3),
          connectivity("thm-5.1/compact-n3-n2", ConnectivityForm::compact, Padding::n3_minus_n2),
          bounded(),
          four_initial_layers(),
          family("thm-5.1/sized", "constructions/MS25/graph_connectivity_sized_thm5_1.cpp",
                 graph_connectivity_sized_MS25_thm5_1,
                 {{3, {3, 0, 3}}, {4, {3, 4, 4}}, {6, {1, 2, 6}}}),
          radix("thm-5.1/radix-2", 2, {{3, {3, 0, 3}}, {4, {3, 4, 4}}, {6, {1, 2, 6}}}),
          radix("thm-5.1/radix-3", 3, {{3, {3, 0, 3}}, {5, {1, 4, 5}}}),
          family("thm-5.1/rows", "constructions/MS25/graph_connectivity_rows_thm5_1.cpp",
                 graph_connectivity_rows_MS25_thm5_1, {{4, {4, 20, 4}}, {10, {1, 20, 10}}})};
}

}  // namespace logdepth::inline proofs_check_papers_MS25
