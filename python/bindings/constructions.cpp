// The ready-made constructions.
#include "logdepth/constructions.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

namespace {

void bind_settings(nb::module_& module) {
  nb::class_<SourceFile>(module, "SourceFile", "A file to read, or a text in its place.")
      .def(nb::init<const std::string&>(), "file"_a, "The file is read.")
      .def(nb::init<const std::string&, const std::string&>(), "called"_a, "content"_a,
           "The given text is used as the content of the file.");
  nb::class_<TransitionTable>(module, "TransitionTable",
                              "A deterministic automaton, written down. Its states are 0, 1, ...; "
                              "`compile_regular` takes it.")
      .def(
          "__init__",
          [](TransitionTable* table, Letters letters,
             std::vector<std::vector<std::optional<std::uint32_t>>> next,
             std::vector<bool> accepting, std::uint32_t start, std::vector<std::string> states,
             const std::string& name) {
            new (table) TransitionTable{std::move(letters),   std::move(next),
                                        std::move(accepting), start,
                                        std::move(states),    name};
          },
          "letters"_a, "next"_a, "accepting"_a, "start"_a = 0,
          "states"_a = std::vector<std::string>(), "name"_a = "automaton",
          "`letters` in their order; `next`: of each state, by letter, the next one, None where no "
          "word that goes on this way is accepted (states x letters); `accepting`: of each state; "
          "`start`: the state before the first letter; `states`: what they are called, none: by "
          "their numbers; `name`: what the automaton is called in the weights.")
      .def_ro("letters", &TransitionTable::letters, "In their order.")
      .def_ro("next", &TransitionTable::next, "States x letters: the next state, or None.")
      .def_ro("accepting", &TransitionTable::accepting, "One flag for each state.")
      .def_ro("start", &TransitionTable::start, "The state before the first letter.")
      .def_ro("states", &TransitionTable::states, "Names of the states; none: their numbers.")
      .def_ro("name", &TransitionTable::name, "Name in the weights file.")
      .def(
          "__repr__",
          [](const TransitionTable& table) {
            return "<automaton " + table.name + ", " + std::to_string(table.next.size()) +
                   " states>";
          },
          "Name and number of states.");
  nb::class_<AutomatonSource>(module, "AutomatonSource", "Source of an automaton.")
      .def(nb::init<>(), "An empty source.")
      .def_rw("regex", &AutomatonSource::regex, "A regular expression.")
      .def_rw("fst", &AutomatonSource::fst, "AT&T / OpenFst text acceptor.")
      .def_rw("jff", &AutomatonSource::jff, "JFLAP file.")
      .def_rw("dot", &AutomatonSource::dot, "Graphviz file.")
      .def_rw("mata", &AutomatonSource::mata, "File of the library Mata.")
      .def_rw("json", &AutomatonSource::json, "The dictionary of Python's libraries.")
      .def_rw("group", &AutomatonSource::group, "A group or monoid by its name.")
      .def_rw("transitions", &AutomatonSource::transitions, "A given automaton.")
      .def_rw("alphabet", &AutomatonSource::alphabet, "The letters in their order.")
      .def_rw("symbols", &AutomatonSource::symbols, "OpenFst symbols file.")
      .def_rw("letters", &AutomatonSource::letters,
              "Letters of a group: generators or all elements.");
  nb::class_<RegularSettings>(module, "RegularSettings", "How a regular language is recognised.")
      .def(nb::init<>(), "The defaults of the command line.")
      .def_rw("construction", &RegularSettings::construction, "Name.")
      .def_rw("for_length", &RegularSettings::for_length,
              "Word length for which `auto` minimises the depth.")
      .def_rw("radix", &RegularSettings::radix, "Number of factors that a layer multiplies.")
      .def_rw("block", &RegularSettings::block, "Layers of the loop.")
      .def_rw("positions", &RegularSettings::positions, "Position code.")
      .def_rw("table", &RegularSettings::table, "Of products.");
  nb::class_<CompileSettings>(module, "CompileSettings", "How a program is compiled.")
      .def(nb::init<>(), "Root mean square, with the loop.")
      .def_rw("layernorm", &CompileSettings::layernorm, "Subtracts the mean.")
      .def_rw("strict", &CompileSettings::strict, "Pads queries, keys and values.")
      .def_rw("unroll", &CompileSettings::unroll, "Without a loop, up to this size.")
      .def_rw("name", &CompileSettings::name, "In the weights.");
}

}  // namespace

void bind_constructions(nb::module_& module) {
  bind_settings(module);
  module.def(
      "compile",
      [](const cells::Program& program, const CompileSettings& settings) {
        const cells::Program copy = program;  // another thread may go on with it
        const Working working;
        return compile(copy, settings);
      },
      "program"_a, "settings"_a, "The transformer of a program.");
  module.def("compile_regular", &compile_regular, "automaton"_a, "settings"_a, "compiling"_a,
             "say"_a.none(), Released(), "The transformer of a regular language.");
  module.def(
      "compile_connectivity",
      [](const std::string& construction, std::optional<std::uint32_t> size,
         std::optional<std::uint32_t> radix, std::optional<std::uint32_t> for_vertices,
         std::optional<std::string> padding, const CompileSettings& compiling) {
        return compile_connectivity({construction, size, radix, for_vertices, padding}, compiling);
      },
      "construction"_a, "size"_a.none(), "radix"_a.none(), "for_vertices"_a.none(),
      "padding"_a.none(), "compiling"_a, Released(), "Of graphs.");
  module.def(
      "compile_division",
      [](const std::string& construction, bool own_argument, bool unit_inputs,
         std::optional<std::uint64_t> for_length, const CompileSettings& compiling) {
        return compile_division({construction, own_argument, unit_inputs, for_length}, compiling);
      },
      "construction"_a, "own_argument"_a, "unit_inputs"_a, "for_length"_a.none(), "compiling"_a,
      Released(), "Of division.");
  module.def("compile_crasp", &compile_crasp, "program"_a, "compiling"_a, "say"_a.none(),
             Released(), "Of a C-RASP program.");
  module.def(
      "compile_computation_graph",
      [](const std::string& construction, std::uint32_t prime, std::uint32_t names,
         std::uint32_t operands, std::uint32_t depth, const CompileSettings& compiling) {
        return compile_computation_graph({construction, prime, names, operands, depth}, compiling);
      },
      "construction"_a, "prime"_a, "names"_a, "operands"_a, "depth"_a, "compiling"_a, Released(),
      "The transformer of computation graphs.");
}

}  // namespace logdepth::python
