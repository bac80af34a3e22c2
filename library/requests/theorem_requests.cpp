#include "library/requests/theorem_requests.hpp"

#include <fmt/core.h>

#include "base/phrases.hpp"
#include "constructions/MS25/division_floor_lem3_1.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_bounded_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_radix_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_sized_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/crasp/counting_programs.hpp"
#include "constructions/latent_reasoning/computation_graph.hpp"
#include "library/requests/option_checks.hpp"
#include "library/requests/source_file.hpp"
#include "logdepth/errors.hpp"
#include "objects/crasp.hpp"

namespace logdepth {
namespace {

constexpr std::uint32_t kGraphRadix = 3;

/// What the command line has checked while it read.
void check_values(const ConnectivitySettings& settings) {
  require_one_of("--construction", settings.construction, kConnectivityConstructions);
  if (settings.padding) require_one_of("--padding", *settings.padding, kConnectivityPaddings);
  require_at_most("--size", settings.size.value_or(0), kMostParts);
  require_at_most("--radix", settings.radix.value_or(0), kMostParts);
  require_at_most("--for-vertices", settings.for_vertices.value_or(0), kMostParts);
}

}  // namespace

Program requested_program(const ConnectivitySettings& settings) {
  check_values(settings);
  const std::string& form = settings.construction;
  if (settings.radix && form != "radix") throw InputError("--radix goes with --construction radix");
  if (settings.for_vertices && form != "bounded")
    throw InputError("--for-vertices goes with --construction bounded");
  if (form == "rows" || form == "radix") {
    if (!settings.size)
      throw InputError("--construction " + form + " needs --size N, the number of vertices");
    if (settings.padding)
      throw InputError("--padding does not go with --construction " + form +
                       (form == "rows" ? ", which has no padding" : ": --radix says how much"));
    return form == "rows" ? graph_connectivity_rows_MS25_thm5_1(*settings.size)
                          : graph_connectivity_radix_MS25_thm5_1(
                                *settings.size, settings.radix.value_or(kGraphRadix));
  }
  const bool n3 = settings.padding == "n3";
  if (form == "bounded") {
    if (settings.size)
      throw InputError(
          "--size does not go with --construction bounded: expected --for-vertices N, and graphs "
          "of fewer vertices are not filled up");
    if (!settings.for_vertices)
      throw InputError("--construction bounded needs --for-vertices N, the number of vertices");
    if (n3) throw InputError("--construction bounded needs --padding n3-n2");
    return graph_connectivity_bounded_MS25_thm5_1(*settings.for_vertices);
  }
  if (settings.size) {
    if (form == "paper") throw InputError("--size goes with --construction compact, rows or radix");
    if (n3) throw InputError("--size of --construction compact needs --padding n3-n2");
    return graph_connectivity_sized_MS25_thm5_1(*settings.size);
  }
  return graph_connectivity_MS25_thm5_1(
      form == "paper" ? ConnectivityForm::paper : ConnectivityForm::compact,
      n3 ? GraphInput::Padding::n3 : GraphInput::Padding::n3_minus_n2);
}

Program requested_program(const DivisionSettings& settings) {
  require_one_of("--construction", settings.construction, kDivisionConstructions);
  require_at_most("--for-length", settings.for_length.value_or(0), kMostParts);
  if (settings.construction == "floor") {
    if (!settings.for_length)
      throw InputError("--construction floor needs --for-length N, the number of tokens");
    if (settings.unit_inputs)
      throw InputError("--unit-inputs: --construction floor always takes unit vectors");
    return division_floor_MS25_lem3_1(*settings.for_length, settings.own_argument);
  }
  if (settings.for_length) throw InputError("--for-length goes with --construction floor");
  return division_MS25_lem3_1(
      {settings.construction == "paper" ? DivisionForm::paper : DivisionForm::compact,
       settings.own_argument, settings.unit_inputs});
}

Program requested_program(const ComputationGraphSettings& settings,
                          const CompileSettings& compiling) {
  require_one_of("--construction", settings.construction, kComputationGraphConstructions);
  require_at_most("--prime", settings.prime, kMostParts);
  require_at_most("--names", settings.names, kMostParts);
  require_at_most("--operands", settings.operands, kMostParts);
  require_at_most("--depth", settings.depth, kMostParts);
  if (compiling.unroll)
    throw InputError(
        "--unroll: iterations on a computation graph do not grow with its length, expected "
        "--depth D for graphs up to that depth");
  return computation_graph(
      {settings.construction == "compact" ? GraphEvaluation::compact : GraphEvaluation::pairwise,
       settings.prime, settings.names, settings.operands, settings.depth});
}

RequestedCrasp requested_program(const SourceFile& crasp, const Say& say) {
  const CraspProgram read = parse_crasp(content_of(crasp), crasp.name);
  RequestedCrasp requested{counting_program(read, "crasp " + base_name(crasp)), read.lines.size()};
  const auto number = [&](const char* name) -> std::size_t {
    return std::stoull(requested.program.parameters.at(name));
  };
  requested.nesting = number("nesting");
  requested.comparisons = number("comparisons");
  requested.table_layers = number("table_layers");
  say(fmt::format(
      "program: {}, {}, counts nested {} deep; layers: {} for comparisons, {} for tables",
      requested.program.name, counted(requested.lines, "line"), requested.nesting,
      requested.comparisons, requested.table_layers));
  return requested;
}

}  // namespace logdepth
