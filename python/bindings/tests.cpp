// Property tests against what the user says is right.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "logdepth/errors.hpp"
#include "logdepth/test.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

namespace {

/// Words as a function of the user's takes them: a str where all letters are single characters, else
/// a tuple of letters.
class WordsForPython {
 public:
  explicit WordsForPython(const Letters& alphabet)
      : single_characters_(std::ranges::all_of(alphabet, [](const std::string& letter) {
          return nb::len(nb::str(letter.c_str())) == 1;
        })) {}
  nb::object operator()(const Letters& word) const {
    if (single_characters_) {
      std::string text;
      for (const std::string& letter : word) text += letter;
      return nb::str(text.c_str());
    }
    return nb::tuple(nb::cast(word));
  }

 private:
  bool single_characters_;
};

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
  const cells::Fraction fraction = exact(number);
  return std::to_string(fraction.p) + (fraction.q == 1 ? "" : "/" + std::to_string(fraction.q));
}

TestResult test_function(const Transformer& transformer, const nb::callable& oracle,
                         const TestedWords& words) {
  const WordsForPython word(transformer.alphabet());
  const auto asked = [&](const Letters& letters) { return oracle(word(letters)); };
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
  switch (wrong) {
    case WrongWord::Wrong::answer:
      return "answer";
    case WrongWord::Wrong::product:
      return "product";
    case WrongWord::Wrong::promise:
      return "promise";
    case WrongWord::Wrong::depth:
      return "depth";
    case WrongWord::Wrong::limit:
      return "limit";
    case WrongWord::Wrong::cell:
      return "cell";
  }
  return "answer";
}

void bind_word_tests(nb::module_& module) {
  nb::class_<WrongWord>(module, "WrongWord",
                        "A shrunk word on which a network fails: no letter can be removed or "
                        "replaced by the first letter of the alphabet.")
      .def_ro("word", &WrongWord::word, "Its letters.")
      .def_prop_ro(
          "wrong", [](const WrongWord& found) { return name_of(found.wrong); },
          nb::sig("def wrong(self) -> "
                  "typing.Literal['answer', 'product', 'promise', 'depth', 'limit', 'cell']"),
          "The failed property: the answer, a prefix product or state, a selection contract, the "
          "number of layers, the rejection of words above the size limit, or a cell value.")
      .def_ro("expected", &WrongWord::expected,
              "In words: \"accept\", \"exactly one position\", ...")
      .def_ro("got", &WrongWord::got, "In words: \"accept\", \"exactly one position\", ...")
      .def(
          "__repr__",
          [](const WrongWord& found) {
            return "<wrong " + std::string(name_of(found.wrong)) + " on " +
                   shown(nb::cast(found.word)) + ": expected " + found.expected + ", found " +
                   found.got + ">";
          },
          "Word, expected, found.");
  nb::class_<TestResult>(module, "TestResult",
                         "Result of a test; true if it passed. `print` shows a summary.")
      .def_ro("exhaustive_words", &TestResult::exhaustive_words, "Number of short words tested.")
      .def_ro("chosen_words", &TestResult::chosen_words,
              "Number of tested words with one letter that differs from the rest.")
      .def_ro("random_words", &TestResult::random_words, "Number of random words tested.")
      .def_ro("accepted", &TestResult::accepted, "Number of accepted words among them.")
      .def_ro("numbers", &TestResult::numbers, "Number of named values compared.")
      .def_ro("products", &TestResult::products, "Number of prefix products compared.")
      .def_ro("states", &TestResult::states, "Number of states after prefixes compared.")
      .def_ro("promises", &TestResult::promises,
              "Number of checked selection contract instances (one per head and row).")
      .def_ro("unasked", &TestResult::unasked, "Heads whose selection contract was never checked.")
      .def_ro("wrong", &TestResult::wrong,
              "The first failing word, where the test stops; None if it passed.")
      .def_prop_ro("passed", &TestResult::passed, "Whether the test passed.")
      .def("__bool__", &TestResult::passed, "`passed`.")
      .def("__str__", &TestResult::text, "A summary like that of `logdepth test`.")
      .def(
          "__repr__", [](const TestResult& result) { return "<" + result.text() + ">"; },
          "The sentence.");
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

GraphTestResult test_graph_function(const Transformer& transformer, const nb::callable& connected,
                                    const TestedGraphs& graphs) {
  const Working working;
  return test_graphs(
      transformer,
      [&](const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
        const nb::gil_scoped_acquire acquired;
        return truth(connected(graph_for_python(graph), source, target));
      },
      graphs);
}

void bind_graph_tests(nb::module_& module) {
  nb::class_<WrongGraph>(
      module, "WrongGraph",
      "A shrunk graph on which a network fails: no vertex and no edge can be removed.")
      .def_prop_ro(
          "graph", [](const WrongGraph& found) { return graph_for_python(found.graph); },
          nb::sig("def graph(self) -> dict[int, list[int]]"),
          "For each vertex the list of its successors.")
      .def_ro("source", &WrongGraph::source, "The vertex to start from.")
      .def_ro("target", &WrongGraph::target, "The vertex to reach.")
      .def_ro("expected", &WrongGraph::expected,
              "In words: \"accept\", \"exactly one position\", ...")
      .def_ro("got", &WrongGraph::got, "In words: \"accept\", \"exactly one position\", ...");
  nb::class_<GraphTestResult>(module, "GraphTestResult",
                              "Result of a test on graphs; true if it passed.")
      .def_ro("exhaustive_graphs", &GraphTestResult::exhaustive_graphs,
              "Number of small graphs tested.")
      .def_ro("random_graphs", &GraphTestResult::random_graphs, "Number of larger graphs tested.")
      .def_ro("pairs", &GraphTestResult::pairs, "Number of queries (source and target).")
      .def_ro("connected", &GraphTestResult::connected, "Number of connected queries among them.")
      .def_ro("promises", &GraphTestResult::promises,
              "Number of checked selection contract instances (one per head and row).")
      .def_ro("unasked", &GraphTestResult::unasked,
              "Heads whose selection contract was never checked.")
      .def_ro("wrong", &GraphTestResult::wrong, "The first failing graph; None if it passed.")
      .def_prop_ro("passed", &GraphTestResult::passed, "Whether the test passed.")
      .def("__bool__", &GraphTestResult::passed, "`passed`.")
      .def("__str__", &GraphTestResult::text, "A sentence.")
      .def(
          "__repr__", [](const GraphTestResult& result) { return "<" + result.text() + ">"; },
          "The sentence.");
}

void bind_division_tests(nb::module_& module) {
  nb::class_<WrongDivision>(module, "WrongDivision",
                            "A shrunk input on which a division network fails.")
      .def_ro("divisor", &WrongDivision::divisor, "The same at all tokens.")
      .def_ro("dividends", &WrongDivision::dividends, "One for each token.")
      .def_ro("expected", &WrongDivision::expected,
              "In words: \"accept\", \"exactly one position\", ...")
      .def_ro("got", &WrongDivision::got, "In words: \"accept\", \"exactly one position\", ...");
  nb::class_<DivisionTestResult>(module, "DivisionTestResult",
                                 "Result of a test on divisions; true if it passed.")
      .def_ro("exhaustive_inputs", &DivisionTestResult::exhaustive_inputs,
              "Number of short inputs tested.")
      .def_ro("random_inputs", &DivisionTestResult::random_inputs,
              "Number of random inputs tested.")
      .def_ro("divisions", &DivisionTestResult::divisions,
              "Number of quotients and remainders compared.")
      .def_ro("promises", &DivisionTestResult::promises,
              "Number of checked selection contract instances (one per head and row).")
      .def_ro("unasked", &DivisionTestResult::unasked,
              "Heads whose selection contract was never checked.")
      .def_ro("wrong", &DivisionTestResult::wrong, "The first failing input; None if it passed.")
      .def_prop_ro("passed", &DivisionTestResult::passed, "Whether the test passed.")
      .def("__bool__", &DivisionTestResult::passed, "`passed`.")
      .def("__str__", &DivisionTestResult::text, "A sentence.")
      .def(
          "__repr__", [](const DivisionTestResult& result) { return "<" + result.text() + ">"; },
          "The sentence.");
}

void bind_asking(nb::class_<Transformer>& transformer) {
  transformer
      .def(
          "test_function",
          [](const Transformer& network, const nb::callable& oracle, std::size_t up_to,
             std::size_t random, std::size_t max_length, std::uint64_t seed) {
            return test_function(network, oracle, {up_to, random, max_length, seed});
          },
          "oracle"_a, "up_to"_a, "random"_a, "max_length"_a, "seed"_a,
          nb::sig(
              "def test_function(self, oracle: collections.abc.Callable[[typing.Any], "
              "typing.Any], up_to: int, random: int, max_length: int, seed: int) -> TestResult"),
          "Tests it on words against a function.")
      .def(
          "test_against",
          [](const Transformer& network, const std::string& oracle, std::size_t up_to,
             std::size_t random, std::size_t max_length, std::uint64_t seed) {
            return test_against(network, oracle, {up_to, random, max_length, seed});
          },
          "oracle"_a, "up_to"_a, "random"_a, "max_length"_a, "seed"_a, Released(),
          "Tests it on words against an oracle of the command line.")
      .def(
          "test_graphs",
          [](const Transformer& network, std::size_t up_to, std::size_t random,
             std::size_t max_size, std::uint64_t seed, bool undirected) {
            return test_graphs(network, {up_to, random, max_size, seed, undirected});
          },
          "up_to"_a, "random"_a, "max_size"_a, "seed"_a, "undirected"_a, Released(),
          "Tests it on graphs against graph search.")
      .def(
          "test_graph_function",
          [](const Transformer& network, const nb::callable& connected, std::size_t up_to,
             std::size_t random, std::size_t max_size, std::uint64_t seed, bool undirected) {
            return test_graph_function(network, connected,
                                       {up_to, random, max_size, seed, undirected});
          },
          "connected"_a, "up_to"_a, "random"_a, "max_size"_a, "seed"_a, "undirected"_a,
          nb::sig("def test_graph_function(self, connected: collections.abc.Callable[[dict[int, "
                  "list[int]], int, int], typing.Any], up_to: int, random: int, max_size: int, "
                  "seed: int, undirected: bool) -> GraphTestResult"),
          "Tests it on graphs against a function.")
      .def(
          "test_division",
          [](const Transformer& network, std::size_t up_to, std::size_t random,
             std::size_t max_length, std::uint64_t seed) {
            return test_division(network, {up_to, random, max_length, seed});
          },
          "up_to"_a, "random"_a, "max_length"_a, "seed"_a, Released(),
          "Tests its divisions against integer division.");
}

}  // namespace

void bind_tests(nb::module_& module, nb::class_<Transformer>& transformer) {
  bind_word_tests(module);
  bind_graph_tests(module);
  bind_division_tests(module);
  bind_asking(transformer);
}

}  // namespace logdepth::python
