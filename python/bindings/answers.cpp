// What a run answers: exact numbers and named outcomes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "logdepth/errors.hpp"
#include "logdepth/run.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {
namespace {

/// A fractions.Fraction where the number is rational, else a Real.
nb::object number_of(const ExactNumber& number) {
  if (number.text.find_first_not_of("-0123456789/") != std::string::npos) return nb::cast(number);
  return nb::module_::import_("fractions").attr("Fraction")(number.text);
}

std::string described(const Answer& answer) {
  std::string text = answer.reason.empty() ? name_of(answer.decision) : answer.reason;
  for (const auto& [name, numbers] : answer.numbers)
    if (!numbers.empty()) text += " " + name + "=" + numbers.back().text;
  if (answer.broken_promise) text += "; selection contract violated: " + *answer.broken_promise;
  return text;
}

void bind_number(nb::module_& module) {
  nb::class_<ExactNumber>(module, "Real",
                          "An exact number that is not rational: a rational and square roots of "
                          "rationals. Rational ones are fractions.Fraction.")
      .def_ro("text", &ExactNumber::text, "Exactly: \"sqrt(2/5)\", \"1/2 - sqrt(3)\".")
      .def(
          "__float__", [](const ExactNumber& number) { return number.approximate; },
          "Nearest float; infinite on overflow.")
      .def(
          "__eq__", [](const ExactNumber& a, const ExactNumber& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object) -> bool"),
          "Equal exactly: the text is canonical.")
      .def(
          "__hash__",
          [](const ExactNumber& number) { return std::hash<std::string>()(number.text); },
          "Equal numbers have equal hashes.")
      .def(
          "__str__", [](const ExactNumber& number) { return number.text; }, "Its text.")
      .def(
          "__repr__", [](const ExactNumber& number) { return "Real(" + number.text + ")"; },
          "Its text.");
}

}  // namespace

const char* name_of(Decision decision) {
  switch (decision) {
    case Decision::accepted:
      return "accepted";
    case Decision::rejected:
      return "rejected";
    case Decision::computed:
      return "computed";
    case Decision::undecided:
      return "undecided";
    case Decision::outside_field:
      return "outside_field";
    case Decision::outside_hypotheses:
      return "outside_hypotheses";
  }
  return "undecided";
}

bool accepted(Decision decision, const std::string& reason) {
  if (decision == Decision::computed)
    throw InputError("the network returns named numbers, not a decision; use .numbers");
  if (decision != Decision::accepted && decision != Decision::rejected) {
    const nb::object type = nb::module_::import_("logdepth.errors").attr("Undecided");
    PyErr_SetObject(type.ptr(), type(reason, name_of(decision)).ptr());
    throw nb::python_error();
  }
  return decision == Decision::accepted;
}

nb::list list_for_python(const std::vector<ExactNumber>& numbers) {
  nb::list list;
  for (const ExactNumber& number : numbers) list.append(number_of(number));
  return list;
}

nb::object numbers_for_python(const std::map<std::string, std::vector<ExactNumber>>& numbers) {
  nb::dict named;
  for (const auto& [name, of_tokens] : numbers) named[name.c_str()] = list_for_python(of_tokens);
  return named;
}

void bind_answers(nb::module_& module) {
  bind_number(module);
  nb::class_<Answer>(module, "Answer",
                     "Result of an exact run; `bool(answer)` is `accepted`. `decision` names every "
                     "outcome, also those without a decision.")
      .def_prop_ro(
          "decision", [](const Answer& answer) { return name_of(answer.decision); },
          nb::sig("def decision(self) -> " DECISION),
          "\"accepted\" (of a graph: connected), \"rejected\", \"computed\" (it answers with named "
          "numbers), \"undecided\" (both logits are equal), \"outside_field\" (a norm is no sum of "
          "square roots, and the network answers with named numbers or a comparison was not "
          "decided), "
          "\"outside_hypotheses\" (the network does not support the input, such as a word that is "
          "too long).")
      .def_prop_ro(
          "accepted", [](const Answer& answer) { return accepted(answer.decision, answer.reason); },
          "Whether the input is accepted. Raises Undecided if decision is undecided, outside_field "
          "or outside_hypotheses, and BadInput if the network returns numbers.")
      .def(
          "__bool__", [](const Answer& answer) { return accepted(answer.decision, answer.reason); },
          "`accepted`, with its errors.")
      .def_ro("reason", &Answer::reason, "Why nothing was decided; empty otherwise.")
      .def_prop_ro(
          "numbers", [](const Answer& answer) { return numbers_for_python(answer.numbers); },
          nb::sig("def numbers(self) -> dict[str, list[fractions.Fraction | Real]]"),
          "Where decision is \"computed\": by name an exact number for each token, the tokens that "
          "begin and end a word among them; the last one is the answer to the word.")
      .def_ro("products", &Answer::products,
              "The products of the first 1, 2, ... letters, each as the images of the points 0, 1, "
              "...: letters x points. None if the file has no prefix read-out, or if "
              "one is undecided.")
      .def_ro("states", &Answer::states,
              "The states after the first 1, 2, ... letters, where the file reads these.")
      .def_ro("broken_promise", &Answer::broken_promise,
              "The first violated selection contract, as a sentence. The network then does not do "
              "what its file states.")
      .def_ro("left_field", &Answer::left_field,
              "Where the values left the number field (sums of square roots), as a sentence; "
              "selection contracts were checked up to there. The decision is still exact.")
      .def_ro("depth", &Answer::depth, "Number of executed layers.")
      .def(
          "__repr__", [](const Answer& answer) { return "<" + described(answer) + ">"; },
          "The decision, its reason, the numbers of the last token.");
}

}  // namespace logdepth::python
