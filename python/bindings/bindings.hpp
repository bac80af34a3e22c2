// What the files of the extension module share: their parts of it, and how Python's values become
// the library's.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "logdepth/compare.hpp"
#include "logdepth/compile.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"
#include "logdepth/program.hpp"
#include "logdepth/run.hpp"

// Types as type checkers read them: what stands for a form, a value, a ratio; names; inputs.
#define FORM "Form | Component | Constant | Flag | Number"
#define VALUE "Value | Flag"
#define DECISION                                                                      \
  "typing.Literal['accepted', 'rejected', 'computed', 'undecided', 'outside_field', " \
  "'outside_hypotheses']"
#define CERTAINTY "typing.Literal['certified', 'ambiguous', 'uncertified']"
#define INPUT "str | collections.abc.Sequence[str] | Question | RawStreams"
#define RATIO "Ratio | Key | Pointer | Direction | Number"

namespace logdepth::python {

namespace nb = nanobind;

// A file each.
void bind_errors(nb::module_& module);
void bind_cells(nb::module_& module);
void bind_statements(nb::module_& module);
void bind_program(nb::module_& module);
void bind_inputs(nb::module_& module);
void bind_answers(nb::module_& module);
void bind_rounded(nb::module_& module);
void bind_traces(nb::module_& module);
void bind_constructions(nb::module_& module);
void bind_tests(nb::module_& module, nb::class_<Transformer>& transformer);
void bind_exports(nb::module_& module, nb::class_<Transformer>& transformer);
void bind_comparisons(nb::module_& module, nb::class_<Transformer>& transformer);
void bind_certificates(nb::module_& module, nb::class_<Transformer>& transformer);
void bind_transformer(nb::module_& module);

/// Lets Ctrl-C end what the library does: looks at the keyboard, at most twenty times a second.
class Keyboard {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < std::chrono::milliseconds(50)) return;
    looked_ = now;
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
};
/// While the library works: other threads have the interpreter, and Ctrl-C ends it.
struct Working {
  nb::gil_scoped_release released;
  Interruption keyboard{Keyboard()};
};
using Released = nb::call_guard<Working>;

/// An int or a fractions.Fraction as it is. Errors: InputError for a float, which is rounded, and for
/// whatever is no number.
cells::Fraction exact(nb::handle number);
/// A form, or a cell or component that stands for one; None and 0 are the empty one.
cells::Form form_of(nb::handle form);
/// Cells, and lists of them, one after the other.
cells::CellList cells_of(nb::handle cells);
/// Values (`letter == "a"`, `flag`, `~flag`), one after the other.
std::vector<cells::Value> values_of(nb::handle values);
/// Heads and other statements, and lists of them, one after the other.
cells::Statements statements_of(nb::handle statements);
/// A word as a user types it, or a sequence of letters.
Letters letters_of(const Transformer& transformer, nb::handle word);
/// Is `target` reached from `source`?
struct Question {
  DirectedGraph graph;
  std::uint32_t source, target;
};
using Input = std::variant<Letters, Question, RawStreams>;
/// A question, raw streams, or else a word.
Input input_of(const Transformer& transformer, nb::handle input);
/// What a function of the library answers to an input: a question about a graph is three parts of it.
template <class Ask>
auto asked_of(const Input& input, const Ask& ask) {
  const auto* question = std::get_if<Question>(&input);
  if (question) return ask(question->graph, question->source, question->target);
  const auto* streams = std::get_if<RawStreams>(&input);
  return streams ? ask(*streams) : ask(std::get<Letters>(input));
}
/// What a run is compared with: `against` may be empty, `program` None. `notes` outlives the result.
RunComparison comparison_of(const std::string& against, nb::handle program,
                            std::vector<std::string>& notes);
/// As an answer of Python's spells it.
const char* name_of(Decision decision);
/// Errors: InputError where the answer is numbers; the package's Undecided where nothing is decided.
bool accepted(Decision decision, const std::string& reason);
/// Fractions where rational, else Reals.
nb::list list_for_python(const std::vector<ExactNumber>& numbers);
/// By name a list of fractions.Fraction where rational, else of Real.
nb::object numbers_for_python(const std::map<std::string, std::vector<ExactNumber>>& numbers);
/// What Python calls a thing: its repr, or the name of its type.
std::string shown(nb::handle thing);
std::string type_of(nb::handle thing);

/// One of some names, as an argument spells it. Errors: InputError for another.
template <class Choice, std::size_t kCount>
Choice chosen(const char* argument, const std::string& name,
              const std::array<std::pair<const char*, Choice>, kCount>& choices) {
  std::string expected;
  for (const auto& [spelled, choice] : choices) {
    if (name == spelled) return choice;
    expected += (expected.empty() ? "'" : ", '") + std::string(spelled) + "'";
  }
  throw InputError(std::string(argument) + ": expected one of " + expected + ", found '" + name +
                   "'");
}

}  // namespace logdepth::python
