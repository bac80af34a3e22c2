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

/// Settings by the names of the options, as far as they are given.
class Given {
 public:
  explicit Given(const std::string& construction) { values_[kConstruction] = construction; }
  Given& flag(const std::string& name, bool value) {
    if (value) values_[name] = std::uint64_t{1};
    return *this;
  }
  template <class T>
  Given& count(const std::string& name, const std::optional<T>& value) {
    if (value) values_[name] = std::uint64_t{*value};
    return *this;
  }
  Given& word(const std::string& name, const std::optional<std::string>& value) {
    if (value) values_[name] = *value;
    return *this;
  }
  Values with(const CompileSettings& compiling) const { return with_unroll(values_, compiling); }

 private:
  Values values_;
};

Say listened_to(const Say& say) {
  return say ? say : [](const std::string&) {};
}

}  // namespace

Transformer compile_regular(const AutomatonSource& automaton, const RegularSettings& settings,
                            const CompileSettings& compiling, const Say& say) {
  const Values values = Given(settings.construction)
                            .count("for-length", settings.for_length)
                            .count("radix", settings.radix)
                            .count("block", settings.block)
                            .word("positions", settings.positions)
                            .word("table", settings.table)
                            .with(compiling);
  const Construction& construction = chosen_construction(Problem::words, values);
  const LoadedAutomaton loaded = load_automaton(automaton);
  return compiled(requested_program(loaded, construction, values, listened_to(say)), compiling);
}

Transformer compile_connectivity(const ConnectivitySettings& settings,
                                 const CompileSettings& compiling) {
  const Values values = Given(settings.construction)
                            .count("size", settings.size)
                            .count("radix", settings.radix)
                            .count("for-vertices", settings.for_vertices)
                            .word("padding", settings.padding)
                            .with(compiling);
  return compiled(requested_program(Problem::graphs, values), compiling);
}

Transformer compile_division(const DivisionSettings& settings, const CompileSettings& compiling) {
  const Values values = Given(settings.construction)
                            .flag("own-argument", settings.own_argument)
                            .flag("unit-inputs", settings.unit_inputs)
                            .count("for-length", settings.for_length)
                            .with(compiling);
  return compiled(requested_program(Problem::divisions, values), compiling);
}

Transformer compile_crasp(const SourceFile& program, const CompileSettings& compiling,
                          const Say& say) {
  return compiled(requested_program(program, listened_to(say)).program, compiling);
}

Transformer compile_computation_graph(const ComputationGraphSettings& settings,
                                      const CompileSettings& compiling) {
  const auto count = [](std::uint32_t value) { return std::optional(value); };
  const Values values = Given(settings.construction)
                            .count("prime", count(settings.prime))
                            .count("names", count(settings.names))
                            .count("operands", count(settings.operands))
                            .count("depth", count(settings.depth))
                            .with(compiling);
  return compiled(requested_program(Problem::computation_graphs, values), compiling);
}

}  // namespace logdepth
