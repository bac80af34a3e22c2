// What the files of the extension module share: their parts of it, and how Python's values become
// the library's.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <chrono>
#include <optional>
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

// Types as type checkers read them: names; inputs.
#define DECISION                                                                      \
  "typing.Literal['accepted', 'rejected', 'computed', 'undecided', 'outside_field', " \
  "'outside_hypotheses']"
#define CERTAINTY "typing.Literal['certified', 'ambiguous', 'uncertified']"
#define INPUT "str | collections.abc.Sequence[str] | Question | RawStreams"

namespace logdepth::python {

namespace nb = nanobind;

// Each binds one subject.
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

/// A word as a user types it, or a sequence of letters.
Letters letters_of(const Transformer& transformer, nb::handle word);
std::vector<Letters> all_letters(const Transformer& transformer, nb::handle words);
/// Is `target` reached from `source`?
struct Question {
  DirectedGraph graph;
  std::uint32_t source, target;
};
using Input = std::variant<Letters, Question, RawStreams>;
/// A question, raw streams, or else a word.
Input input_of(const Transformer& transformer, nb::handle input);
/// What a function of the library answers to an input, while other threads have the interpreter; a
/// question about a graph is three parts of it.
template <class Ask>
auto asked_of(const Transformer& transformer, nb::handle asked, const Ask& ask) {
  const Input input = input_of(transformer, asked);
  const Working working;
  const auto* question = std::get_if<Question>(&input);
  if (question) return ask(question->graph, question->source, question->target);
  const auto* streams = std::get_if<RawStreams>(&input);
  return streams ? ask(*streams) : ask(std::get<Letters>(input));
}
/// The text form of a program, where there is one.
using ProgramText = std::optional<std::string>;
/// What a run is compared with: `against` may be empty. `notes` outlives the result.
RunComparison comparison_of(const std::string& against, const ProgramText& program,
                            std::vector<std::string>& notes);
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
