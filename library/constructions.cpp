// The constructions of the papers, ready-made: constructions.hpp.
#include "logdepth/constructions.hpp"

#include "library/requests/compile_request.hpp"
#include "library/requests/regular_request.hpp"
#include "library/requests/theorem_requests.hpp"
#include "library/transformer_inside.hpp"

namespace logdepth {
namespace {

Transformer compiled(Program program, const CompileSettings& compiling) {
  return transformer_of(requested_model(std::move(program), compiling));
}

Say listened_to(const Say& say) {
  return say ? say : [](const std::string&) {};
}

}  // namespace

Transformer compile_regular(const AutomatonSource& automaton, const RegularSettings& settings,
                            const CompileSettings& compiling, const Say& say) {
  check_regular(settings, compiling);
  const LoadedAutomaton loaded = load_automaton(automaton);
  return compiled(requested_program(loaded, settings, compiling, listened_to(say)), compiling);
}

Transformer compile_connectivity(const ConnectivitySettings& settings,
                                 const CompileSettings& compiling) {
  return compiled(requested_program(settings), compiling);
}

Transformer compile_division(const DivisionSettings& settings, const CompileSettings& compiling) {
  return compiled(requested_program(settings), compiling);
}

Transformer compile_crasp(const SourceFile& program, const CompileSettings& compiling,
                          const Say& say) {
  return compiled(requested_program(program, listened_to(say)).program, compiling);
}

Transformer compile_computation_graph(const ComputationGraphSettings& settings,
                                      const CompileSettings& compiling) {
  return compiled(requested_program(settings, compiling), compiling);
}

}  // namespace logdepth
