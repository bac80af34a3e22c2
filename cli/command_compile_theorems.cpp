#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/compile_output.hpp"
#include "cli/construction_options.hpp"

namespace logdepth::inline cli {
namespace {

/// A command that compiles a construction without an input of its own; `sizes`: what --unroll counts.
Command add_problem(CLI::App& compile, Problem problem, const std::string& name,
                    const std::string& description, const std::string& sizes = "lengths") {
  struct Options {
    OutputOptions output;
    Values values;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = compile.add_subcommand(name, description);
  add_construction_options(*command, problem, options->values);
  options->output.add_to(*command, sizes);
  return [options, problem] {
    const Values values = with_unroll(options->values, options->output.settings);
    return options->output.finish(requested_program(problem, values), nlohmann::json::object());
  };
}

}  // namespace

Command add_compile_division(CLI::App& compile) {
  return add_problem(
      compile, Problem::divisions, "division",
      "compile the division lemma: quotient and remainder of a_i by m at every token, from raw "
      "input (MS25 Lemma 3.1)\nExample: logdepth compile division -o division.json");
}

Command add_compile_connectivity(CLI::App& compile) {
  return add_problem(compile, Problem::graphs, "connectivity",
                     "compile graph connectivity: whether t is reachable from s (MS25 Theorem "
                     "5.1)\nExample: logdepth compile connectivity -o connectivity.json",
                     "numbers of vertices");
}

Command add_compile_computation_graph(CLI::App& compile) {
  return add_problem(compile, Problem::computation_graphs, "computation-graph",
                     "compile arithmetic modulo a prime on a computation graph, one iteration per "
                     "level of depth\nExample: logdepth compile computation-graph --prime 5 "
                     "--names 16 --depth 8 -o graph.json");
}

}  // namespace logdepth::inline cli
