#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/compile_output.hpp"
#include "cli/optional_option.hpp"
#include "constructions/latent_reasoning/computation_graph.hpp"
#include "library/requests/theorem_requests.hpp"

namespace logdepth {
Command add_compile_division(CLI::App& compile) {
  struct Options {
    OutputOptions output;
    DivisionSettings division;
  };
  auto options = std::make_shared<Options>();
  DivisionSettings& division = options->division;
  CLI::App* command = compile.add_subcommand(
      "division",
      "quotient and remainder of a_i by m at every token, from raw streams (MS25 Lemma 3.1)\n"
      "Example: logdepth compile division -o division.json");
  command
      ->add_option("--construction", division.construction,
                   "compact: fewest layers for every length; paper: the paper's steps, repaired;\n"
                   "floor: fewest layers for --for-length N, from unit vectors")
      ->check(CLI::IsMember(kDivisionConstructions));
  command->add_flag("--own-argument", division.own_argument,
                    "a_i = i: divide the position itself (compact, floor)");
  command->add_flag("--unit-inputs", division.unit_inputs,
                    "phi(i) and dir(i, m) are given as unit vectors (compact)");
  add_optional(*command, "--for-length", division.for_length,
               "inputs of at most this many tokens (floor); they are given dir(i, L) as well,\n"
               "L = ceil(N/8)")
      ->check(kSmallCount);
  options->output.add_to(*command);
  return [options] {
    return options->output.finish(requested_program(options->division), nlohmann::json::object());
  };
}

Command add_compile_connectivity(CLI::App& compile) {
  struct Options {
    OutputOptions output;
    ConnectivitySettings connectivity;
  };
  auto options = std::make_shared<Options>();
  ConnectivitySettings& connectivity = options->connectivity;
  CLI::App* command =
      compile.add_subcommand("connectivity",
                             "whether t can be reached from s in a graph (MS25 Theorem 5.1)\n"
                             "Example: logdepth compile connectivity -o connectivity.json");
  command
      ->add_option(
          "--construction", connectivity.construction,
          "compact: one layer per squaring; paper: two, the paper's, repaired; rows: one\n"
          "token per vertex, all pairs at once, for --size N; radix: walks of --radix times\n"
          "the length in one layer, for --size N; bounded: as compact with a layer fewer, for\n"
          "--for-vertices N")
      ->check(CLI::IsMember(kConnectivityConstructions));
  add_optional(*command, "--size", connectivity.size,
               "graphs of at most this many vertices: fewer layers, all rational")
      ->check(kSmallCount);
  add_optional(*command, "--radix", connectivity.radix,
               "of --construction radix: 2 with n^3 - n^2 padding tokens, 3 with n^4 - n^2\n"
               "(3 if not given)")
      ->check(kSmallCount);
  add_optional(*command, "--for-vertices", connectivity.for_vertices,
               "graphs of at most this many vertices (bounded), each with its own tokens")
      ->check(kSmallCount);
  add_optional(*command, "--padding", connectivity.padding, "number of padding tokens")
      ->check(CLI::IsMember(kConnectivityPaddings));
  options->output.add_to(*command, "numbers of vertices");
  return [options] {
    return options->output.finish(requested_program(options->connectivity),
                                  nlohmann::json::object());
  };
}

Command add_compile_computation_graph(CLI::App& compile) {
  struct Options {
    OutputOptions output;
    ComputationGraphSettings graph;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = compile.add_subcommand(
      "computation-graph",
      "arithmetic modulo a prime on a computation graph, one iteration per unit of depth\n"
      "Example: logdepth compile computation-graph --prime 5 --names 16 --depth 8 -o graph.json");
  ComputationGraphSettings& graph = options->graph;
  command
      ->add_option("--construction", graph.construction,
                   "compact: one layer per unit of depth; pairwise: an operation in each layer, "
                   "with smaller tables")
      ->check(CLI::IsMember(kComputationGraphConstructions));
  command
      ->add_option("--prime", graph.prime,
                   fmt::format("values are 0 to P-1 ({} if not given)", graph.prime))
      ->check(kSmallCount);
  command
      ->add_option("--names", graph.names,
                   fmt::format("variables x0 to x<K-1> ({} if not given)", graph.names))
      ->check(kSmallCount);
  command
      ->add_option(
          "--operands", graph.operands,
          fmt::format("largest number of operands of an expression: 1 to {0} ({0} if not given)",
                      kMaxGraphOperands))
      ->check(kSmallCount);
  command
      ->add_option("--depth", graph.depth,
                   "iterations: graphs up to this depth are solved (1 if not given)")
      ->check(kSmallCount);
  options->output.add_to(*command);
  return [options] {
    return options->output.finish(requested_program(options->graph, options->output.settings),
                                  nlohmann::json::object());
  };
}

}  // namespace logdepth
