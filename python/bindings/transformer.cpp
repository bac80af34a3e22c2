// What is done with a transformer: compiled, read, written, run, tested, drawn, inspected. The
// interpreter is free for other threads while the library works.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "logdepth/draw.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/inspect.hpp"
#include "logdepth/run.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

namespace {

std::vector<Letters> all_letters(const Transformer& transformer, nb::handle words) {
  std::vector<Letters> all;
  for (const nb::handle word : words) all.push_back(letters_of(transformer, word));
  return all;
}

std::vector<Answer> run_words(const Transformer& transformer, const std::vector<Letters>& words,
                              bool prefixes) {
  const Working working;
  return run_all(transformer, words, {prefixes});
}

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
              "What reads it: \"head prev (layer 0)\", \"output\"; layers from 0.")
      .def_ro("written_by", &CellSheet::written_by,
              "What writes it: \"embedding\", \"look-up product (layer 0)\".")
      .def(
          "__repr__", [](const CellSheet& cell) { return "<" + cell.type + " " + cell.name + ">"; },
          "Type and name.");
  nb::class_<HeadSheet>(module, "HeadSheet", "An attention head of the file.")
      .def_ro("layer", &HeadSheet::layer, "Index of the layer in the file, from 0.")
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
      "The model card: name, source and hypotheses, and what is counted and proved on its "
      "weights.")
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
      .def("program", &embedded_program, Released(), "The embedded program.")
      .def("depth", &Transformer::depth, "n"_a, "Number of executed layers for an input of size n.")
      .def("inspect", &inspect, Released(), "The model card.");
}

void bind_exact_runs(TransformerClass& transformer) {
  transformer
      .def(
          "run",
          [](const Transformer& network, nb::handle asked) {
            const Input input = input_of(network, asked);
            if (const auto* word = std::get_if<Letters>(&input))
              return std::move(run_words(network, {*word}, true).front());
            const Working working;
            return asked_of(input, [&](const auto&... parts) { return run(network, parts...); });
          },
          "input"_a.none(), nb::sig("def run(self, input: " INPUT ") -> Answer"), "Runs an input.")
      .def(
          "run_all",
          [](const Transformer& network, nb::iterable words, bool prefixes) {
            return run_words(network, all_letters(network, words), prefixes);
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
          "prefixes",
          [](const Transformer& network, nb::iterable words) {
            const std::vector<Letters> all = all_letters(network, words);
            Prefixes found;
            {
              const Working working;
              found = run_prefixes(network, all);
            }
            return nb::make_tuple(
                found.words, found.letters, found.points,
                nb::bytes(found.entries.data(), found.entries.size() * sizeof(std::int32_t)));
          },
          "words"_a,
          nb::sig("def prefixes(self, words: collections.abc.Iterable[str | "
                  "collections.abc.Sequence[str]]) -> tuple[int, int, int, bytes]"),
          "Words, letters, points, and as many integers of 32 bits.")
      .def(
          "trace",
          [](const Transformer& network, nb::handle asked) {
            const Input input = input_of(network, asked);
            const Working working;
            return asked_of(input, [&](const auto&... parts) { return trace(network, parts...); });
          },
          "input"_a.none(), nb::sig("def trace(self, input: " INPUT ") -> RawTrace"),
          "Records every value of a run.");
}

void bind_rounded_runs(TransformerClass& transformer) {
  transformer
      .def(
          "run_rounded",
          [](const Transformer& network, nb::handle asked, const RoundedSettings& settings) {
            const Input input = input_of(network, asked);
            const Working working;
            return asked_of(input, [&](const auto&... parts) {
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
             nb::handle program) {
            const Input input = input_of(network, asked);
            std::vector<std::string> notes;
            const RunComparison comparison = comparison_of(against, program, notes);
            std::string picture;
            {
              const Working working;
              picture = asked_of(
                  input, [&](const auto&... parts) { return svg(network, parts..., comparison); });
            }
            return nb::make_tuple(std::move(picture), std::move(notes));
          },
          "input"_a.none(), "against"_a, "program"_a.none(),
          nb::sig("def svg(self, input: " INPUT ", against: str, program: Program | None) -> "
                  "tuple[str, list[str]]"),
          "A run, and why it is not compared with something.")
      .def("draw", nb::overload_cast<const Transformer&, const std::string&>(&draw), "file"_a,
           Released(), "Its circuit, into a file.")
      .def(
          "draw",
          [](const Transformer& network, nb::handle asked, const std::string& file,
             const std::string& against, nb::handle program) {
            const Input input = input_of(network, asked);
            std::vector<std::string> notes;
            const RunComparison comparison = comparison_of(against, program, notes);
            const Working working;
            asked_of(input,
                     [&](const auto&... parts) { draw(network, parts..., file, comparison); });
          },
          "input"_a, "file"_a, "against"_a, "program"_a.none(),
          nb::sig("def draw(self, input: " INPUT ", file: str, against: str, program: Program | "
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
