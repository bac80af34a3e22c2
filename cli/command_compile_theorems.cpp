#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/compile_output.hpp"
#include "constructions/MS25/division_floor_lem3_1.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_bounded_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_radix_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_sized_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/latent_reasoning/computation_graph.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

struct ConnectivityOptions {
  OutputOptions output;
  std::string construction = "compact", padding = "n3-n2";
  std::uint32_t size = 0, radix = 3, vertices = 0;
  CLI::Option* size_option = nullptr;
  CLI::Option* radix_option = nullptr;
  CLI::Option* vertices_option = nullptr;
  CLI::Option* padding_option = nullptr;
};

Program build_connectivity(const ConnectivityOptions& options) {
  const bool sized = options.size_option->count() > 0;
  const std::string& form = options.construction;
  if (options.radix_option->count() > 0 && form != "radix")
    throw InputError("--radix goes with --construction radix");
  if (options.vertices_option->count() > 0 && form != "bounded")
    throw InputError("--for-vertices goes with --construction bounded");
  if (form == "rows" || form == "radix") {
    if (!sized)
      throw InputError("--construction " + form + " needs --size N, the number of vertices");
    if (options.padding_option->count() > 0)
      throw InputError("--padding does not go with --construction " + form +
                       (form == "rows" ? ", which has no padding" : ": --radix says how much"));
    return form == "rows" ? graph_connectivity_rows_MS25_thm5_1(options.size)
                          : graph_connectivity_radix_MS25_thm5_1(options.size, options.radix);
  }
  const bool n3 = options.padding == "n3";
  if (form == "bounded") {
    if (sized)
      throw InputError(
          "--size does not go with --construction bounded: expected --for-vertices N, and graphs "
          "of "
          "fewer vertices are not filled up");
    if (options.vertices_option->count() == 0)
      throw InputError("--construction bounded needs --for-vertices N, the number of vertices");
    if (n3) throw InputError("--construction bounded needs --padding n3-n2");
    return graph_connectivity_bounded_MS25_thm5_1(options.vertices);
  }
  if (sized) {
    if (form == "paper") throw InputError("--size goes with --construction compact, rows or radix");
    if (n3) throw InputError("--size of --construction compact needs --padding n3-n2");
    return graph_connectivity_sized_MS25_thm5_1(options.size);
  }
  return graph_connectivity_MS25_thm5_1(
      form == "paper" ? ConnectivityForm::paper : ConnectivityForm::compact,
      n3 ? GraphInput::Padding::n3 : GraphInput::Padding::n3_minus_n2);
}

}  // namespace

Command add_compile_division(CLI::App& compile) {
  struct Options {
    OutputOptions output;
    std::string construction = "compact";
    bool own_argument = false, unit_inputs = false;
    std::uint64_t length = 0;
    CLI::Option* length_option = nullptr;

    Program build() const {
      if (construction == "floor") {
        if (length_option->count() == 0)
          throw InputError("--construction floor needs --for-length N, the number of tokens");
        if (unit_inputs)
          throw InputError("--unit-inputs: --construction floor always takes unit vectors");
        return division_floor_MS25_lem3_1(length, own_argument);
      }
      if (length_option->count() > 0)
        throw InputError("--for-length goes with --construction floor");
      return division_MS25_lem3_1(
          {construction == "paper" ? DivisionForm::paper : DivisionForm::compact, own_argument,
           unit_inputs});
    }
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = compile.add_subcommand(
      "division",
      "quotient and remainder of a_i by m at every token, from raw streams (MS25 Lemma 3.1)\n"
      "Example: logdepth compile division -o division.json");
  command
      ->add_option("--construction", options->construction,
                   "compact: fewest layers for every length; paper: the paper's steps, repaired;\n"
                   "floor: fewest layers for --for-length N, from unit vectors")
      ->check(CLI::IsMember({"compact", "paper", "floor"}));
  command->add_flag("--own-argument", options->own_argument,
                    "a_i = i: divide the position itself (compact, floor)");
  command->add_flag("--unit-inputs", options->unit_inputs,
                    "phi(i) and dir(i, m) are given as unit vectors (compact)");
  options->length_option =
      command
          ->add_option(
              "--for-length", options->length,
              "inputs of at most this many tokens (floor); they are given dir(i, L) as well,\n"
              "L = ceil(N/8)")
          ->check(kSmallCount);
  options->output.add_to(*command);
  return [options] { return options->output.finish(options->build(), nlohmann::json::object()); };
}

Command add_compile_connectivity(CLI::App& compile) {
  auto options = std::make_shared<ConnectivityOptions>();
  CLI::App* command =
      compile.add_subcommand("connectivity",
                             "whether t can be reached from s in a graph (MS25 Theorem 5.1)\n"
                             "Example: logdepth compile connectivity -o connectivity.json");
  command
      ->add_option(
          "--construction", options->construction,
          "compact: one layer per squaring; paper: two, the paper's, repaired; rows: one\n"
          "token per vertex, all pairs at once, for --size N; radix: walks of --radix times\n"
          "the length in one layer, for --size N; bounded: as compact with a layer fewer, for\n"
          "--for-vertices N")
      ->check(CLI::IsMember({"compact", "paper", "rows", "radix", "bounded"}));
  options->size_option =
      command
          ->add_option("--size", options->size,
                       "graphs of at most this many vertices: fewer layers, all rational")
          ->check(kSmallCount);
  options->radix_option =
      command
          ->add_option(
              "--radix", options->radix,
              "of --construction radix: 2 with n^3 - n^2 padding tokens, 3 with n^4 - n^2\n"
              "(3 if not given)")
          ->check(kSmallCount);
  options->vertices_option =
      command
          ->add_option("--for-vertices", options->vertices,
                       "graphs of at most this many vertices (bounded), each with its own tokens")
          ->check(kSmallCount);
  options->padding_option =
      command->add_option("--padding", options->padding, "number of padding tokens")
          ->check(CLI::IsMember({"n3", "n3-n2"}));
  options->output.add_to(*command, "numbers of vertices");
  return [options] {
    return options->output.finish(build_connectivity(*options), nlohmann::json::object());
  };
}

Command add_compile_computation_graph(CLI::App& compile) {
  struct Options {
    OutputOptions output;
    std::string construction = "compact";
    ComputationGraphOptions graph;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = compile.add_subcommand(
      "computation-graph",
      "arithmetic modulo a prime on a computation graph, one iteration per unit of depth\n"
      "Example: logdepth compile computation-graph --prime 5 --names 16 --depth 8 -o graph.json");
  ComputationGraphOptions& graph = options->graph;
  command
      ->add_option("--construction", options->construction,
                   "compact: one layer per unit of depth; pairwise: an operation in each layer, "
                   "with smaller tables")
      ->check(CLI::IsMember({"compact", "pairwise"}));
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
    if (options->output.unroll_option->count() > 0)
      throw InputError(
          "--unroll: iterations on a computation graph do not grow with its length, expected "
          "--depth D for graphs up to that depth");
    options->graph.form =
        options->construction == "compact" ? GraphEvaluation::compact : GraphEvaluation::pairwise;
    return options->output.finish(computation_graph(options->graph), nlohmann::json::object());
  };
}

}  // namespace logdepth
