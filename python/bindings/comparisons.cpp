// Runs beside what is right: checks, and the first value that differs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "logdepth/compare.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

RunComparison comparison_of(const std::string& against, nb::handle program,
                            std::vector<std::string>& notes) {
  RunComparison comparison;
  comparison.against = against;
  if (!program.is_none()) comparison.program = nb::cast<const cells::Program&>(program);
  comparison.note = [&notes](const std::string& note) { notes.push_back(note); };
  return comparison;
}

void bind_comparisons(nb::module_& module, nb::class_<Transformer>& transformer) {
  nb::class_<FirstDifference>(module, "FirstDifference",
                              "First value of a run that differs from its program, or of a "
                              "floating-point run from the exact run.")
      .def_ro("layer", &FirstDifference::layer, "Executed layer, from 1; 0: the embedding.")
      .def_ro("sublayer", &FirstDifference::sublayer,
              "\"embedding\", \"attention\", \"feed-forward\", \"unembedding\" or \"the end\".")
      .def_ro("token", &FirstDifference::token, "Index of the token, from 0.")
      .def_ro("cell", &FirstDifference::cell, "Name of the cell, with its component.")
      .def_ro("expected", &FirstDifference::expected, "Expected value.")
      .def_ro("found", &FirstDifference::found, "Value of the run.")
      .def(
          "__str__", [](const FirstDifference& first) { return first.text; }, "One sentence.")
      .def(
          "__repr__", [](const FirstDifference& first) { return "<" + first.text + ">"; },
          "The sentence.");
  transformer
      .def(
          "check",
          [](const Transformer& network, nb::handle asked, const std::string& against,
             nb::handle program) {
            const Input input = input_of(network, asked);
            std::vector<std::string> notes;
            const RunComparison comparison = comparison_of(against, program, notes);
            RunCheck found;
            {
              const Working working;
              found = asked_of(input, [&](const auto&... parts) {
                return check(network, parts..., comparison);
              });
            }
            return nb::make_tuple(std::move(found.answer), std::move(found.problems),
                                  std::move(notes));
          },
          "input"_a.none(), "against"_a, "program"_a.none(),
          nb::sig("def check(self, input: " INPUT ", against: str, program: Program | None) -> "
                  "tuple[Answer, list[str], list[str]]"),
          "Answer, problems, notes.")
      .def(
          "diff",
          [](const Transformer& network, nb::handle asked, nb::handle program,
             const std::string& engine, std::optional<std::string> rule,
             std::optional<std::string> scores) {
            const Input input = input_of(network, asked);
            DiffSettings settings{engine, std::move(rule), std::move(scores), std::nullopt};
            if (!program.is_none()) settings.program = nb::cast<const cells::Program&>(program);
            Diff found;
            {
              const Working working;
              found = asked_of(
                  input, [&](const auto&... parts) { return diff(network, parts..., settings); });
            }
            return nb::make_tuple(std::move(found.first), std::move(found.refused));
          },
          "input"_a.none(), "program"_a.none(), "engine"_a, "rule"_a.none(), "scores"_a.none(),
          nb::sig("def diff(self, input: " INPUT
                  ", program: Program | None, engine: str, rule: str "
                  "| None, scores: str | None) -> tuple[FirstDifference | None, str]"),
          "First difference, and why there is no run.");
}

}  // namespace logdepth::python
