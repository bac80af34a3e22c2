// The ready-made constructions.
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "logdepth/constructions.hpp"
#include "logdepth/draw.hpp"
#include "logdepth/export.hpp"
#include "logdepth/inspect.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

namespace {

void bind_settings(nb::module_& module) {
  nb::class_<SourceFile>(module, "SourceFile", "A file to read, or a text in its place.")
      .def(nb::init<const std::string&>(), "file"_a, "The file is read.")
      .def(nb::init<const std::string&, const std::string&>(), "called"_a, "content"_a,
           "The given text is used as the content of the file.");
  nb::class_<AutomatonSource>(module, "AutomatonSource", "Source of an automaton.")
      .def(nb::init<>(), "An empty source.")
      .def_rw("regex", &AutomatonSource::regex, "A regular expression.")
      .def_rw("fst", &AutomatonSource::fst, "AT&T / OpenFst text acceptor.")
      .def_rw("jff", &AutomatonSource::jff, "JFLAP file.")
      .def_rw("dot", &AutomatonSource::dot, "Graphviz file.")
      .def_rw("mata", &AutomatonSource::mata, "File of the library Mata.")
      .def_rw("json", &AutomatonSource::json, "The dictionary of Python's libraries.")
      .def_rw("group", &AutomatonSource::group, "A group or monoid by its name.")
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
      [](const std::string& program, const CompileSettings& settings) {
        return compile(program_from_text(program, "program"), settings);
      },
      "program"_a, "settings"_a, Released(), "The transformer of a program, given in text form.");
  module.def(
      "program_text",
      [](const std::string& text, const std::string& source) {
        return program_from_text(text, source).text();
      },
      "text"_a, "source"_a, "Parses a program text and prints it in canonical form.");
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
  module.def(
      "compile_khop",
      [](std::uint32_t hops, const std::string& form, std::uint32_t letters,
         const CompileSettings& compiling) {
        return compile_khop({hops, form, letters}, compiling);
      },
      "hops"_a, "form"_a, "letters"_a, "compiling"_a, Released(), "Of induction heads.");
  module.def("compile_formula", &compile_formula, "algebra"_a, "compiling"_a, Released(),
             "The value of formulas.");
  module.def("compile_ltl", &compile_ltl, "formula"_a, "alphabet"_a.none(), "compiling"_a,
             Released(), "Of a formula of past temporal logic.");
  module.def("zoo", &zoo, "name"_a, Released(), "One of zoo_networks.");
  module.def(
      "zoo_networks",
      [] {
        nb::dict networks;
        for (const ZooNetwork& one : zoo_networks())
          networks[one.name.c_str()] = one.family + ": " + one.computes;
        return networks;
      },
      nb::sig("def zoo_networks() -> dict[str, str]"), "What each network computes, by its name.");
}

// Networks for other programs.
namespace {

ExportTarget target_called(const std::string& name) {
  return chosen<ExportTarget, 5>("target", name,
                                 {{{"torch", ExportTarget::torch},
                                   {"safetensors", ExportTarget::safetensors},
                                   {"onnx", ExportTarget::onnx},
                                   {"transformer-lens", ExportTarget::transformer_lens},
                                   {"circuit", ExportTarget::circuit}}});
}

/// "auto", "tested", "hard" or a number.
void set_temperature(nb::handle temperature, ExportSettings& settings) {
  if (nb::isinstance<nb::str>(temperature)) {
    const std::string word = nb::cast<std::string>(temperature);
    if (word == "auto") return;
    settings.attention = word == "tested" ? ExportAttention::tested : ExportAttention::hard;
    require(word == "hard" || word == "tested",
            "--temperature: expected auto, tested, hard or a number above 0, found '" + word + "'");
    return;
  }
  settings.attention = ExportAttention::temperature;
  if (!nb::try_cast(temperature, settings.temperature))
    throw InputError("--temperature: expected auto, tested, hard or a number above 0, found a " +
                     type_of(temperature));
}

}  // namespace

void bind_exports(nb::module_& module, nb::class_<Transformer>& transformer) {
  nb::class_<ExportReport>(module, "ExportReport", "Result of `Model.export`.")
      .def_ro("temperature", &ExportReport::temperature,
              "Highest temperature of a head; None: averaging-hard attention.")
      .def_ro("loops", &ExportReport::loops,
              "Number of iterations of the repeated block at this length.")
      .def_ro("tokens", &ExportReport::tokens, "Number of tokens of the longest input.")
      .def_ro("inputs", &ExportReport::inputs, "Number of inputs of the self-test, which passed.")
      .def_ro("answers", &ExportReport::answers, "Number of answers compared with the exact run.")
      .def_ro("separated", &ExportReport::separated,
              "Whether every head is proved to select the same positions as the exact run, up to "
              "the length. The rest of the export is tested.")
      .def_ro("certified", &ExportReport::certified,
              "Whether certificate.json is in the folder: bounds for every word up to the length.")
      .def_ro("text", &ExportReport::text, "Summary, as the command prints it.")
      .def(
          "__repr__", [](const ExportReport& report) { return "<" + report.text + ">"; },
          "The sentence.");
  transformer.def(
      "export",
      [](const Transformer& network, const std::string& target, const std::string& path,
         std::uint64_t length, nb::handle temperature, const std::string& precision,
         std::uint64_t seed, bool certify, std::optional<std::uint64_t> pairs) {
        ExportSettings settings;
        settings.target = target_called(target);
        settings.length = length;
        set_temperature(temperature, settings);
        settings.single =
            chosen<bool, 2>("precision", precision, {{{"float64", false}, {"float32", true}}});
        settings.seed = seed;
        settings.certify = certify;
        require(!pairs || settings.target == ExportTarget::circuit,
                "--pairs: only of --to circuit");
        settings.pairs = pairs.value_or(settings.pairs);
        const Working working;
        return export_network(network, settings, path);
      },
      "target"_a, "path"_a, "length"_a, "temperature"_a, "precision"_a, "seed"_a, "certify"_a,
      "pairs"_a.none(),
      nb::sig("def export(self, target: str, path: str, length: int, temperature: str | float, "
              "precision: str, seed: int, certify: bool, pairs: int | None) -> ExportReport"),
      "Writes an export for another program.");
  transformer.def("circuit", &circuit, "letters"_a, "file_norms"_a, Released(),
                  "The text of circuit.json.");
}

// What is done with a transformer: compiled, read, written, run, tested, drawn, inspected. The
// interpreter is free for other threads while the library works.
namespace {

void bind_sheets(nb::module_& module) {
  nb::class_<CellSheet>(module, "CellSheet",
                        "A named value that every token holds, and where it lies in the residual "
                        "stream.")
      .def_ro("name", &CellSheet::name, "Its name in the program.")
      .def_ro("type", &CellSheet::type, "\"flag\", \"onehot\", \"key\", ...")
      .def_ro("lifetime", &CellSheet::lifetime, "\"permanent\", \"state\" or \"scratch\".")
      .def_ro("coordinates", &CellSheet::coordinates, "Coordinates in the residual stream, from 0.")
      .def_ro("meaning", &CellSheet::meaning, "What it holds: \"one of 3 labels: begin, a, b\".")
      .def_ro("read_by", &CellSheet::read_by,
              "What reads it: \"head prev (layer 1)\", \"output\"; layers from 1.")
      .def_ro("written_by", &CellSheet::written_by,
              "What writes it: \"embedding\", \"look-up product (layer 1)\".")
      .def(
          "__repr__", [](const CellSheet& cell) { return "<" + cell.type + " " + cell.name + ">"; },
          "Type and name.");
  nb::class_<HeadSheet>(module, "HeadSheet", "An attention head of the file.")
      .def_ro("layer", &HeadSheet::layer, "Number of the layer in the file, from 1.")
      .def_ro("head", &HeadSheet::head, "Index of the head in its layer, from 0.")
      .def_ro("name", &HeadSheet::name, "Its name in the program, else \"head 1\".")
      .def_ro("selects", &HeadSheet::selects,
              "Its selection contract: \"exactly one position\", ...")
      .def_ro("reads", &HeadSheet::reads, "The values that its scores compare.")
      .def(
          "__repr__",
          [](const HeadSheet& head) { return "<" + head.name + " selects " + head.selects + ">"; },
          "Name and selection contract.");
  nb::class_<ClaimSheet>(
      module, "ClaimSheet",
      "The model card: name, source and hypotheses, and what is counted and proved on its weights.")
      .def_ro("name", &ClaimSheet::name, "Name given by its author.")
      .def_ro("construction", &ClaimSheet::construction, "Name of the construction.")
      .def_ro("source", &ClaimSheet::source, "Its source: paper and statement.")
      .def_ro("hypotheses", &ClaimSheet::hypotheses, "Its hypotheses, one sentence each.")
      .def_ro("deviations", &ClaimSheet::deviations, "Deviations from the source.")
      .def_ro("alphabet", &ClaimSheet::alphabet, "Letters in their order; empty for other inputs.")
      .def_ro("states", &ClaimSheet::states,
              "Number of states that the file reads, numbered from 0; None: it reads none.")
      .def_ro("initial_state", &ClaimSheet::initial_state, "State after the empty word.")
      .def_ro("accepting_states", &ClaimSheet::accepting_states, "Accepting states, ascending.")
      .def_ro("state_names", &ClaimSheet::state_names,
              "Names of the states, if the automaton has them.")
      .def_ro("initial", &ClaimSheet::initial, "Layers before the repeated block.")
      .def_ro("repeated", &ClaimSheet::repeated, "Layers of the repeated block.")
      .def_ro("final", &ClaimSheet::final, "Layers after the repeated block.")
      .def_ro("depth", &ClaimSheet::depth, "A formula in n: \"ceil(log2 n) + 1\".")
      .def_ro("largest", &ClaimSheet::largest, "Largest supported input; None: any.")
      .def_ro("width", &ClaimSheet::width, "Dimension of the residual stream, padding included.")
      .def_ro("used", &ClaimSheet::used, "Used dimensions, without mirrors.")
      .def_ro("heads", &ClaimSheet::heads, "Number of heads in the largest attention sublayer.")
      .def_ro("units", &ClaimSheet::units, "Hidden units of all feed-forward sublayers.")
      .def_ro("nonzeros", &ClaimSheet::nonzeros, "Nonzero weights of the file.")
      .def_ro("cells", &ClaimSheet::cell_index, "All named cells.")
      .def_ro("head_index", &ClaimSheet::head_index, "All heads, layer by layer.")
      .def_ro("proved", &ClaimSheet::proved,
              "What is proved for every length, one sentence each: score gaps of heads, distances "
              "of tested values from 0.")
      .def_ro("unproved", &ClaimSheet::unproved, "The same for heads and tests without a proof.")
      .def(
          "__repr__",
          [](const ClaimSheet& sheet) {
            return "<" + sheet.name + ": depth " + sheet.depth + ", width " +
                   std::to_string(sheet.width) + ", " + std::to_string(sheet.nonzeros) +
                   " nonzero weights>";
          },
          "Name, depth, width, nonzero weights.");
}

using TransformerClass = nb::class_<Transformer>;

void bind_files(TransformerClass& transformer) {
  transformer.def_static("load", &Transformer::load, "file"_a, Released(), "Reads a weights file.")
      .def_static("from_text", &Transformer::from_text, "json"_a, "source"_a = "weights",
                  Released(), "Reads the text of a weights file.")
      .def("save", &Transformer::save, "file"_a, Released(), "Writes the weights file.")
      .def("text", &Transformer::text, Released(), "The bytes of the file.")
      .def_prop_ro("sha256", &Transformer::sha256, "Hash that identifies the weights.")
      .def_prop_ro("name", &Transformer::name, "Name given by its author.")
      .def_prop_ro("alphabet", &Transformer::alphabet, "The letters of its words.")
      .def("word", &Transformer::word, "typed"_a, "Splits a typed word into letters.")
      .def(
          "program", [](const Transformer& network) { return embedded_program(network).text(); },
          Released(), "The text form of the embedded program.")
      .def("depth", &Transformer::depth, "n"_a, "Number of executed layers for an input of size n.")
      .def("inspect", &inspect, Released(), "The model card.");
}

void bind_exact_runs(TransformerClass& transformer) {
  transformer
      .def(
          "run",
          [](const Transformer& network, nb::handle asked) {
            return asked_of(network, asked,
                            [&](const auto&... parts) { return run(network, parts...); });
          },
          "input"_a.none(), nb::sig("def run(self, input: " INPUT ") -> Answer"), "Runs an input.")
      .def(
          "run_all",
          [](const Transformer& network, nb::iterable words, bool prefixes) {
            const std::vector<Letters> all = all_letters(network, words);
            const Working working;
            return run_all(network, all, {prefixes});
          },
          "words"_a, "prefixes"_a,
          nb::sig("def run_all(self, words: collections.abc.Iterable[str | "
                  "collections.abc.Sequence[str]], prefixes: bool) -> list[Answer]"),
          "Runs many words.")
      .def(
          "divide",
          [](const Transformer& network, std::uint64_t dividend, std::uint64_t divisor) {
            DivisionAnswer divided;
            {
              const Working working;
              divided = divide(network, dividend, divisor);
            }
            return nb::make_tuple(divided.quotient, divided.remainder, divided.answer);
          },
          "dividend"_a, "divisor"_a,
          nb::sig("def divide(self, dividend: int, divisor: int) -> tuple[str, str, Answer]"),
          "Quotient, remainder, and the answer of the whole run.")
      .def(
          "division_streams",
          [](const Transformer& network, std::uint64_t dividend, std::uint64_t divisor) {
            return division_streams(network, dividend, divisor).numbers;
          },
          "dividend"_a, "divisor"_a, "Numbers by name, one text per token.")
      .def(
          "trace",
          [](const Transformer& network, nb::handle asked) {
            return asked_of(network, asked,
                            [&](const auto&... parts) { return trace(network, parts...); });
          },
          "input"_a.none(), nb::sig("def trace(self, input: " INPUT ") -> RawTrace"),
          "Records every value of a run.");
}

void bind_rounded_runs(TransformerClass& transformer) {
  transformer
      .def(
          "run_rounded",
          [](const Transformer& network, nb::handle asked, const RoundedSettings& settings) {
            return asked_of(network, asked, [&](const auto&... parts) {
              return run_rounded(network, parts..., settings);
            });
          },
          "input"_a.none(), "settings"_a,
          nb::sig("def run_rounded(self, input: " INPUT ", settings: RoundedSettings) -> "
                  "RoundedAnswer"),
          "Runs an input in floating point.")
      .def(
          "run_rounded_all",
          [](const Transformer& network, nb::iterable words, const RoundedSettings& settings) {
            const std::vector<Letters> all = all_letters(network, words);
            const Working working;
            return run_rounded_all(network, all, settings);
          },
          "words"_a, "settings"_a,
          nb::sig("def run_rounded_all(self, words: collections.abc.Iterable[str | "
                  "collections.abc.Sequence[str]], settings: RoundedSettings) -> "
                  "list[RoundedAnswer]"),
          "Runs many words in floating point.");
}

void bind_drawings(TransformerClass& transformer) {
  transformer.def("svg", nb::overload_cast<const Transformer&>(&svg), Released(), "Its circuit.")
      .def(
          "svg",
          [](const Transformer& network, nb::handle asked, const std::string& against,
             const ProgramText& program) {
            std::vector<std::string> notes;
            const RunComparison comparison = comparison_of(against, program, notes);
            std::string picture = asked_of(network, asked, [&](const auto&... parts) {
              return svg(network, parts..., comparison);
            });
            return nb::make_tuple(std::move(picture), std::move(notes));
          },
          "input"_a.none(), "against"_a, "program"_a.none(),
          nb::sig("def svg(self, input: " INPUT ", against: str, program: str | None) -> "
                  "tuple[str, list[str]]"),
          "A run, and why it is not compared with something.")
      .def("draw", nb::overload_cast<const Transformer&, const std::string&>(&draw), "file"_a,
           Released(), "Its circuit, into a file.")
      .def(
          "draw",
          [](const Transformer& network, nb::handle asked, const std::string& file,
             const std::string& against, const ProgramText& program) {
            std::vector<std::string> notes;
            const RunComparison comparison = comparison_of(against, program, notes);
            asked_of(network, asked,
                     [&](const auto&... parts) { draw(network, parts..., file, comparison); });
          },
          "input"_a, "file"_a, "against"_a, "program"_a.none(),
          nb::sig("def draw(self, input: " INPUT ", file: str, against: str, program: str | "
                  "None) -> None"),
          "A run, into a file.");
}

}  // namespace

void bind_transformer(nb::module_& module) {
  bind_sheets(module);
  TransformerClass transformer(
      module, "Transformer",
      "A transformer with exact rational weights; `logdepth.Model` is made of it.");
  bind_files(transformer);
  bind_exact_runs(transformer);
  bind_rounded_runs(transformer);
  bind_drawings(transformer);
  bind_tests(module, transformer);
  bind_comparisons(module, transformer);
  bind_certificates(module, transformer);
  bind_exports(module, transformer);
}

}  // namespace logdepth::python
