// Property tests against what the user says is right.
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "logdepth/certify.hpp"
#include "logdepth/test.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

namespace {

/// A word as a function of the user's takes it: a str where all letters of the alphabet are single
/// characters, else a tuple of letters.
nb::object word_for_python(const Letters& word, bool single_characters) {
  if (!single_characters) return nb::tuple(nb::cast(word));
  std::string text;
  for (const std::string& letter : word) text += letter;
  return nb::str(text.c_str());
}

/// What says "reject" in another way is no verdict: a text is true, and so is a match of length 0.
bool truth(nb::handle answer) {
  if (PyBool_Check(answer.ptr())) return nb::cast<bool>(answer);
  const std::string type = type_of(answer);  // of numpy: bool, bool_
  if (type != "bool" && type != "bool_")
    throw InputError("expected a function that returns True or False; it returned " +
                     shown(answer));
  return nb::cast<bool>(nb::bool_(answer));
}

/// An exact number as the library compares it.
std::string text_of(nb::handle number) {
  if (nb::isinstance<ExactNumber>(number)) return nb::cast<const ExactNumber&>(number).text;
  const nb::object exact = nb::module_::import_("logdepth.cells").attr("exact");
  return nb::cast<std::string>(nb::str(exact(number)));
}

TestResult test_function(const Transformer& transformer, const nb::callable& oracle,
                         const TestedWords& words) {
  const bool single = std::ranges::all_of(transformer.alphabet(), [](const std::string& letter) {
    return nb::len(nb::str(letter.c_str())) == 1;
  });
  const auto asked = [&](const Letters& word) { return oracle(word_for_python(word, single)); };
  // What the function is of is seen from what it answers.
  const bool numbers =
      nb::isinstance(asked({}), nb::module_::import_("collections.abc").attr("Mapping"));
  const Working working;
  if (!numbers)
    return test(
        transformer,
        [&](const Letters& letters) {
          const nb::gil_scoped_acquire acquired;
          return truth(asked(letters));
        },
        words);
  return test_numbers(
      transformer,
      [&](const Letters& letters) {
        const nb::gil_scoped_acquire acquired;
        std::map<std::string, std::string> expected;
        for (const auto& [name, number] :
             nb::cast<nb::dict>(nb::module_::import_("builtins").attr("dict")(asked(letters))))
          expected[nb::cast<std::string>(name)] = text_of(number);
        return expected;
      },
      words);
}

const char* name_of(WrongWord::Wrong wrong) {
  constexpr const char* kNames[] = {"answer", "product", "promise", "depth", "limit", "cell"};
  return kNames[static_cast<std::size_t>(wrong)];
}

/// What all results of tests say of themselves.
template <class Result>
void bind_verdict(nb::class_<Result>& result) {
  result
      .def_ro("promises", &Result::promises,
              "Number of checked selection contract instances (one per head and row).")
      .def_ro("unasked", &Result::unasked, "Heads whose selection contract was never checked.")
      .def_ro("wrong", &Result::wrong,
              "The first failing input, where the test stops; None if it passed.")
      .def_prop_ro("passed", &Result::passed, "Whether the test passed.")
      .def("__bool__", &Result::passed, "`passed`.")
      .def("__str__", &Result::text, "A summary like that of `logdepth test`.")
      .def(
          "__repr__", [](const Result& of) { return "<" + of.text() + ">"; }, "The summary.");
}

/// What was expected of a failing input, and what was found.
template <class Wrong>
void bind_difference(nb::class_<Wrong>& wrong) {
  wrong.def_ro("expected", &Wrong::expected, "In words: \"accept\", \"exactly one position\", ...")
      .def_ro("got", &Wrong::got, "In words: \"accept\", \"exactly one position\", ...");
}

void bind_word_tests(nb::module_& module) {
  nb::class_<WrongWord> wrong(module, "WrongWord",
                              "A shrunk word on which a network fails: no letter can be removed or "
                              "replaced by the first letter of the alphabet.");
  wrong.def_ro("word", &WrongWord::word, "Its letters.")
      .def_prop_ro(
          "wrong", [](const WrongWord& found) { return name_of(found.wrong); },
          nb::sig("def wrong(self) -> "
                  "typing.Literal['answer', 'product', 'promise', 'depth', 'limit', 'cell']"),
          "The failed property: the answer, a prefix product or state, a selection contract, the "
          "number of layers, the rejection of words above the size limit, or a cell value.")
      .def(
          "__repr__",
          [](const WrongWord& found) {
            return "<wrong " + std::string(name_of(found.wrong)) + " on " +
                   shown(nb::cast(found.word)) + ": expected " + found.expected + ", found " +
                   found.got + ">";
          },
          "Word, expected, found.");
  bind_difference(wrong);
  nb::class_<TestResult> result(module, "TestResult",
                                "Result of a test; true if it passed. `print` shows a summary.");
  result.def_ro("exhaustive_words", &TestResult::exhaustive_words, "Number of short words tested.")
      .def_ro("chosen_words", &TestResult::chosen_words,
              "Number of tested words with one letter that differs from the rest.")
      .def_ro("random_words", &TestResult::random_words, "Number of random words tested.")
      .def_ro("accepted", &TestResult::accepted, "Number of accepted words among them.")
      .def_ro("numbers", &TestResult::numbers, "Number of named values compared.")
      .def_ro("products", &TestResult::products, "Number of prefix products compared.")
      .def_ro("states", &TestResult::states, "Number of states after prefixes compared.");
  bind_verdict(result);
}

/// A graph as a function of the user's takes it: of each vertex the list of those it leads to.
nb::object graph_for_python(const DirectedGraph& graph) {
  nb::dict neighbours;
  for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex)
    neighbours[nb::int_(vertex)] = nb::list();
  for (const auto& [from, to] : graph.edges)
    nb::cast<nb::list>(neighbours[nb::int_(from)]).append(to);
  return neighbours;
}

/// Greatest size of which all inputs are tried, number of random ones, their greatest size, seed.
using Asked = std::array<std::uint64_t, 4>;

#define WORDS "batch: collections.abc.Iterable[str | collections.abc.Sequence[str]]"

TestedWords words_of(const Transformer& network, const Asked& bounds, nb::iterable batch) {
  return {bounds[0], bounds[1], bounds[2], bounds[3], all_letters(network, batch)};
}

GraphTestResult ask_graphs(const Transformer& transformer, const nb::object& connected,
                           const Asked& bounds, bool undirected) {
  const TestedGraphs graphs{bounds[0], bounds[1], bounds[2], bounds[3], undirected};
  const Working working;
  if (connected.is_none()) return test_graphs(transformer, graphs);
  return test_graphs(
      transformer,
      [&](const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
        const nb::gil_scoped_acquire acquired;
        return truth(connected(graph_for_python(graph), source, target));
      },
      graphs);
}

void bind_graph_tests(nb::module_& module) {
  nb::class_<WrongGraph> wrong(
      module, "WrongGraph",
      "A shrunk graph on which a network fails: no vertex and no edge can be removed.");
  wrong
      .def_prop_ro(
          "graph", [](const WrongGraph& found) { return graph_for_python(found.graph); },
          nb::sig("def graph(self) -> dict[int, list[int]]"),
          "For each vertex the list of its successors.")
      .def_ro("source", &WrongGraph::source, "The vertex to start from.")
      .def_ro("target", &WrongGraph::target, "The vertex to reach.");
  bind_difference(wrong);
  nb::class_<GraphTestResult> result(module, "GraphTestResult",
                                     "Result of a test on graphs; true if it passed.");
  result
      .def_ro("exhaustive_graphs", &GraphTestResult::exhaustive_graphs,
              "Number of small graphs tested.")
      .def_ro("random_graphs", &GraphTestResult::random_graphs, "Number of larger graphs tested.")
      .def_ro("pairs", &GraphTestResult::pairs, "Number of queries (source and target).")
      .def_ro("connected", &GraphTestResult::connected, "Number of connected queries among them.");
  bind_verdict(result);
}

void bind_division_tests(nb::module_& module) {
  nb::class_<WrongDivision> wrong(module, "WrongDivision",
                                  "A shrunk input on which a division network fails.");
  wrong.def_ro("divisor", &WrongDivision::divisor, "The same at all tokens.")
      .def_ro("dividends", &WrongDivision::dividends, "One for each token.");
  bind_difference(wrong);
  nb::class_<DivisionTestResult> result(module, "DivisionTestResult",
                                        "Result of a test on divisions; true if it passed.");
  result
      .def_ro("exhaustive_inputs", &DivisionTestResult::exhaustive_inputs,
              "Number of short inputs tested.")
      .def_ro("random_inputs", &DivisionTestResult::random_inputs,
              "Number of random inputs tested.")
      .def_ro("divisions", &DivisionTestResult::divisions,
              "Number of quotients and remainders compared.");
  bind_verdict(result);
}

void bind_asking(nb::class_<Transformer>& transformer) {
  transformer
      .def(
          "test_function",
          [](const Transformer& network, const nb::callable& oracle, const Asked& bounds,
             nb::iterable batch) {
            return test_function(network, oracle, words_of(network, bounds, batch));
          },
          "oracle"_a, "bounds"_a, "batch"_a,
          nb::sig("def test_function(self, oracle: collections.abc.Callable[[typing.Any], "
                  "typing.Any], bounds: collections.abc.Sequence[int], " WORDS ") -> TestResult"),
          "Tests it on words against a function.")
      .def(
          "test_against",
          [](const Transformer& network, const std::string& oracle, const Asked& bounds,
             nb::iterable batch) {
            const TestedWords words = words_of(network, bounds, batch);
            const Working working;
            return test_against(network, oracle, words);
          },
          "oracle"_a, "bounds"_a, "batch"_a,
          nb::sig(
              "def test_against(self, oracle: str, bounds: collections.abc.Sequence[int], " WORDS
              ") -> TestResult"),
          "Tests it on words against an oracle of the command line.")
      .def("test_graphs", &ask_graphs, "connected"_a.none(), "bounds"_a, "undirected"_a,
           nb::sig("def test_graphs(self, connected: collections.abc.Callable[[dict[int, "
                   "list[int]], int, int], typing.Any] | None, bounds: "
                   "collections.abc.Sequence[int], undirected: bool) -> GraphTestResult"),
           "Tests it on graphs against a function, or graph search.")
      .def(
          "test_division",
          [](const Transformer& network, const Asked& bounds) {
            return test_division(network, {bounds[0], bounds[1], bounds[2], bounds[3]});
          },
          "bounds"_a, Released(), "Tests its divisions against integer division.");
}

}  // namespace

void bind_tests(nb::module_& module, nb::class_<Transformer>& transformer) {
  bind_word_tests(module);
  bind_graph_tests(module);
  bind_division_tests(module);
  bind_asking(transformer);
}

// Runs beside what is right: checks, and the first value that differs.
namespace {

std::optional<cells::Program> program_of(const ProgramText& text) {
  if (!text) return std::nullopt;
  return program_from_text(*text, "program");
}

}  // namespace

RunComparison comparison_of(const std::string& against, const ProgramText& program,
                            std::vector<std::string>& notes) {
  return {against, program_of(program),
          [&notes](const std::string& note) { notes.push_back(note); }};
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
             const ProgramText& program) {
            std::vector<std::string> notes;
            const RunComparison comparison = comparison_of(against, program, notes);
            RunCheck found = asked_of(network, asked, [&](const auto&... parts) {
              return check(network, parts..., comparison);
            });
            return nb::make_tuple(std::move(found.answer), std::move(found.problems),
                                  std::move(notes));
          },
          "input"_a.none(), "against"_a, "program"_a.none(),
          nb::sig("def check(self, input: " INPUT ", against: str, program: str | None) -> "
                  "tuple[Answer, list[str], list[str]]"),
          "Answer, problems, notes.")
      .def(
          "diff",
          [](const Transformer& network, nb::handle asked, const ProgramText& program,
             const std::string& engine, std::optional<std::string> rule,
             std::optional<std::string> scores) {
            DiffSettings settings{engine, std::move(rule), std::move(scores), program_of(program)};
            Diff found = asked_of(network, asked, [&](const auto&... parts) {
              return diff(network, parts..., settings);
            });
            return nb::make_tuple(std::move(found.first), std::move(found.refused));
          },
          "input"_a.none(), "program"_a.none(), "engine"_a, "rule"_a.none(), "scores"_a.none(),
          nb::sig("def diff(self, input: " INPUT ", program: str | None, engine: str, rule: str "
                  "| None, scores: str | None) -> tuple[FirstDifference | None, str]"),
          "First difference, and why there is no run.");
}

// What is certified of the weights.
void bind_certificates(nb::module_& module, nb::class_<Transformer>& transformer) {
  nb::class_<FailedTheorem>(module, "FailedTheorem",
                            "A theorem that was tried, and the step at which its proof fails.")
      .def_ro("theorem", &FailedTheorem::theorem, "Name of the theorem.")
      .def_ro("reason", &FailedTheorem::reason,
              "The step: layer, head or coordinate, and what was expected.")
      .def(
          "__repr__",
          [](const FailedTheorem& failed) {
            return "<" + failed.theorem + ": " + failed.reason + ">";
          },
          "Name and reason.");
  nb::class_<Certification>(
      module, "Certification",
      "What is certified of a network, or why nothing is; true where its answers are certified.")
      .def_ro("theorem", &Certification::theorem, "Its name; empty where there is none.")
      .def_ro("scope", &Certification::scope, "\"every length\", or \"at most 16 letters\".")
      .def_ro("statement", &Certification::statement, "What logdepth-recheck prints.")
      .def_ro("outputs_certified", &Certification::outputs_certified,
              "False where nothing is certified, or the selections of heads alone.")
      .def_ro("certificate", &Certification::certificate,
              "The text that `logdepth certify -o` writes.")
      .def_ro("failed", &Certification::failed, "Where there is no theorem: each that was tried.")
      .def("__bool__", &Certification::certified, "The answers are certified.")
      .def(
          "__repr__",
          [](const Certification& of) {
            if (of.certified()) return "<certified: theorem " + of.theorem + ", " + of.scope + ">";
            if (of.theorem.empty()) return std::string("<not certified>");
            return "<" + of.theorem + " hold, " + of.scope + "; outputs not certified>";
          },
          "Theorem and scope.");
  transformer.def("certify", &certify, Released(), "The first theorem that covers the weights.")
      .def("recheck", &recheck, "certificate"_a, Released(),
           "What the certificate certifies of the weights.");
}

}  // namespace logdepth::python
