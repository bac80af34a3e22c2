// The constructions of the papers, ready-made: constructions.hpp.
#include "logdepth/constructions.hpp"

#include "library/requests/compile_request.hpp"
#include "library/requests/crasp_request.hpp"
#include "library/requests/regular_request.hpp"
#include "library/transformer_inside.hpp"

namespace logdepth {
namespace {

Transformer compiled(Program program, const CompileSettings& compiling) {
  return transformer_of(requested_model(std::move(program), compiling));
}

/// A setting by the name of its option.
struct Setting {
  template <class T>
  Setting(const char* option, const std::optional<T>& given) : name(option) {
    if (given) value = *given;
  }
  Setting(const char* option, const std::string& word) : name(option), value(word) {}
  Setting(const char* option, std::uint32_t number) : name(option), value(number) {}
  Setting(const char* option, bool flag) : name(option) {
    if (flag) value = 1u;
  }
  std::string name;
  std::optional<OptionValue> value;
};

Values given(const std::vector<Setting>& settings, const CompileSettings& compiling) {
  Values values;
  for (const auto& [name, value] : settings)
    if (value) values[name] = *value;
  return with_unroll(std::move(values), compiling);
}

Say listened_to(const Say& say) {
  return say ? say : [](const std::string&) {};
}

}  // namespace

Transformer compile_regular(const AutomatonSource& automaton, const RegularSettings& settings,
                            const CompileSettings& compiling, const Say& say) {
  const auto& s = settings;
  const Values values = given({{kConstruction, s.construction},
                               {"for-length", s.for_length},
                               {"radix", s.radix},
                               {"block", s.block},
                               {"positions", s.positions},
                               {"table", s.table}},
                              compiling);
  const Construction& construction = chosen_construction(Problem::words, values);
  const LoadedAutomaton loaded = load_automaton(automaton);
  if (say)
    for (const std::string& note : loaded.notes) say(note);
  return compiled(requested_program(loaded, construction, values, listened_to(say)), compiling);
}

Transformer compile_connectivity(const ConnectivitySettings& settings,
                                 const CompileSettings& compiling) {
  const auto& s = settings;
  const Values values = given({{kConstruction, s.construction},
                               {"size", s.size},
                               {"radix", s.radix},
                               {"for-vertices", s.for_vertices},
                               {"padding", s.padding}},
                              compiling);
  return compiled(requested_program(Problem::graphs, values), compiling);
}

Transformer compile_division(const DivisionSettings& settings, const CompileSettings& compiling) {
  const auto& s = settings;
  const Values values = given({{kConstruction, s.construction},
                               {"own-argument", s.own_argument},
                               {"unit-inputs", s.unit_inputs},
                               {"for-length", s.for_length}},
                              compiling);
  return compiled(requested_program(Problem::divisions, values), compiling);
}

Transformer compile_crasp(const SourceFile& program, const CompileSettings& compiling,
                          const Say& say) {
  return compiled(requested_program(program, listened_to(say)).program, compiling);
}

Transformer compile_computation_graph(const ComputationGraphSettings& settings,
                                      const CompileSettings& compiling) {
  const auto& s = settings;
  const Values values = given({{kConstruction, s.construction},
                               {"prime", s.prime},
                               {"names", s.names},
                               {"operands", s.operands},
                               {"depth", s.depth}},
                              compiling);
  return compiled(requested_program(Problem::computation_graphs, values), compiling);
}

}  // namespace logdepth
