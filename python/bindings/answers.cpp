// What a run answers: exact numbers and named outcomes.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

namespace {

/// A fractions.Fraction where the number is rational, else a Real.
nb::object number_of(const ExactNumber& number) {
  if (number.text.find_first_not_of("-0123456789/") != std::string::npos) return nb::cast(number);
  return nb::module_::import_("fractions").attr("Fraction")(number.text);
}

/// As an answer of Python's spells it.
const char* name_of(Decision decision) {
  constexpr const char* kNames[] = {"accepted",  "rejected",      "computed",
                                    "undecided", "outside_field", "outside_hypotheses"};
  return kNames[static_cast<std::size_t>(decision)];
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

/// Errors: InputError where the answer is numbers; the package's Undecided where nothing is decided.
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

/// Fractions where rational, else Reals.
nb::list list_for_python(const std::vector<ExactNumber>& numbers) {
  nb::list list;
  for (const ExactNumber& number : numbers) list.append(number_of(number));
  return list;
}

/// By name a list of fractions.Fraction where rational, else of Real.
nb::object numbers_for_python(const std::map<std::string, std::vector<ExactNumber>>& numbers) {
  nb::dict named;
  for (const auto& [name, of_tokens] : numbers) named[name.c_str()] = list_for_python(of_tokens);
  return named;
}

/// What answers of exact and of rounded runs have alike.
template <class Of>
void bind_decision(nb::class_<Of>& answer) {
  answer
      .def_prop_ro(
          "decision", [](const Of& of) { return name_of(of.decision); },
          nb::sig("def decision(self) -> " DECISION),
          "\"accepted\" (of a graph: connected), \"rejected\", \"computed\" (it answers with named "
          "numbers), \"undecided\" (both logits are equal), \"outside_field\" (a norm is no sum of "
          "square roots, and the network answers with named numbers or a comparison was not "
          "decided), \"outside_hypotheses\" (the network does not support the input, such as a "
          "word that is too long).")
      .def_prop_ro(
          "accepted", [](const Of& of) { return accepted(of.decision, of.reason); },
          "Whether the input is accepted. Raises Undecided if decision is undecided, outside_field "
          "or outside_hypotheses, and BadInput if the network returns numbers.")
      .def(
          "__bool__", [](const Of& of) { return accepted(of.decision, of.reason); },
          "`accepted`, with its errors.")
      .def_ro("products", &Of::products,
              "The products of the first 1, 2, ... letters, each as the images of the points 0, 1, "
              "...: letters x points. None if the file has no prefix read-out, or if "
              "one is undecided.")
      .def_ro("states", &Of::states,
              "The states after the first 1, 2, ... letters, where the file reads these.")
      .def_ro("broken_promise", &Of::broken_promise,
              "The first violated selection contract, as a sentence. The network then does not do "
              "what its file states, and nothing is certified.")
      .def_ro("depth", &Of::depth, "Number of executed layers.");
}

}  // namespace

void bind_answers(nb::module_& module) {
  bind_number(module);
  nb::class_<Answer> answer(
      module, "Answer",
      "Result of an exact run; `bool(answer)` is `accepted`. `decision` names "
      "every outcome, also those without a decision.");
  bind_decision(answer);
  answer.def_ro("reason", &Answer::reason, "Why nothing was decided; empty otherwise.")
      .def_prop_ro(
          "numbers", [](const Answer& of) { return numbers_for_python(of.numbers); },
          nb::sig("def numbers(self) -> dict[str, list[fractions.Fraction | Real]]"),
          "Where decision is \"computed\": by name an exact number for each token, the tokens that "
          "begin and end a word among them; the last one is the answer to the word.")
      .def_ro("left_field", &Answer::left_field,
              "Where the values left the number field (sums of square roots), as a sentence; "
              "selection contracts were checked up to there. The decision is still exact.")
      .def(
          "__repr__", [](const Answer& of) { return "<" + described(of) + ">"; },
          "The decision, its reason, the numbers of the last token.");
}

// Runs in floating point, every answer with what may be believed of it.
namespace {

void bind_rounded_numbers(nb::module_& module) {
  nb::class_<RoundedNumber>(module, "RoundedNumber", "A number of a rounded run.")
      .def_ro("value", &RoundedNumber::value, "The computed value.")
      .def_ro("error", &RoundedNumber::error, "Bound on the distance to the exact number.")
      .def(
          "__float__", [](const RoundedNumber& number) { return number.value; }, "Its value.")
      .def(
          "__repr__",
          [](const RoundedNumber& number) {
            return shown(nb::float_(number.value)) + " ± " + shown(nb::float_(number.error));
          },
          "Value and error.");
  nb::class_<RoundedSettings>(module, "RoundedSettings", "Settings of a run in floating point.");
  module.def(
      "rounded",
      [](const std::string& engine, const std::string& device, std::optional<double> temperature,
         const std::string& rule, double tolerance, std::size_t threads) {
        RoundedSettings settings{engine, device, temperature, rule, tolerance, threads};
        require_settings(settings);
        return settings;
      },
      "engine"_a, "device"_a, "temperature"_a.none(), "rule"_a, "tolerance"_a, "threads"_a,
      "Settings in the words of the command line.");
}

}  // namespace

void bind_rounded(nb::module_& module) {
  bind_rounded_numbers(module);
  nb::class_<RoundedAnswer> answer(
      module, "RoundedAnswer",
      "Result of a run in floating point, as computed. `certainty` tells whether the result is "
      "certified, and so exact; `reason` why not.");
  bind_decision(answer);
  answer
      .def_prop_ro(
          "certainty", [](const RoundedAnswer& of) { return text(of.certainty); },
          nb::sig("def certainty(self) -> " CERTAINTY),
          "\"certified\": an exact run gives the same answer, proved from the error bounds of "
          "every number of the run; \"ambiguous\": some head or test met numbers that the bounds "
          "cannot tell apart; \"uncertified\": the error is too large, a selection contract is not "
          "known to be kept, or another rule than \"bounded\" was used.")
      .def_prop_ro(
          "certified", [](const RoundedAnswer& of) { return of.certainty == Certainty::certified; },
          "Whether an exact run is proved to give the same answer.")
      .def_ro("reason", &RoundedAnswer::reason,
              "Why nothing was decided, or why it is not certified.")
      .def_ro("numbers", &RoundedAnswer::numbers,
              "Where decision is \"computed\": by name a number for each token.")
      .def_prop_ro(
          "prefixes",
          [](const RoundedAnswer& of) {
            std::vector<std::string> names;
            for (const Certainty certainty : of.prefixes) names.push_back(text(certainty));
            return names;
          },
          nb::sig("def prefixes(self) -> list[" CERTAINTY "]"),
          "The certainty of each of `products` or `states`.")
      .def(
          "__repr__",
          [](const RoundedAnswer& of) {
            return "<" + text(of.certainty) + ": " + name_of(of.decision) +
                   (of.reason.empty() ? "" : ", " + of.reason) + ">";
          },
          "Certainty, decision, reason.");
}

// Everything that happened in an exact run.
void bind_traces(nb::module_& module) {
  nb::class_<TraceColumn>(module, "TraceColumn", "One column of a trace: a number of a cell.")
      .def_ro("cell", &TraceColumn::cell, "Its name; of a file without names the coordinate.")
      .def_ro("component", &TraceColumn::component, "Component of the cell, from 0.")
      .def_ro("coordinate", &TraceColumn::coordinate, "Coordinate in the residual stream, from 0.")
      .def(
          "__repr__",
          [](const TraceColumn& column) {
            return "<" + column.cell + "[" + std::to_string(column.component) + "]>";
          },
          "Cell and component.");
  nb::class_<TraceMoment>(module, "TraceMoment",
                          "A point in time at which a trace records the residual stream.")
      .def_ro("layer", &TraceMoment::layer,
              "Number of executed layers, including this one; 0: after the embedding.")
      .def_ro("sublayer", &TraceMoment::sublayer,
              "\"embedding\", \"attention\" or \"feedforward\".")
      .def(
          "__repr__",
          [](const TraceMoment& moment) {
            return "<layer " + std::to_string(moment.layer) + ", " + moment.sublayer + ">";
          },
          "Layer and sublayer.");
  nb::class_<TraceHead>(module, "TraceHead", "What a head selected in an executed layer.")
      .def_ro("layer", &TraceHead::layer, "Number of the executed layer, from 1.")
      .def_ro("head", &TraceHead::head, "Index of the head in its layer, from 0.")
      .def_ro("name", &TraceHead::name, "Its name in the program, else \"head 1\".")
      .def_ro("selected", &TraceHead::selected, "For each token the selected tokens, ascending.")
      .def(
          "__repr__",
          [](const TraceHead& head) {
            return "<layer " + std::to_string(head.layer) + ", " + head.name + ">";
          },
          "Layer and name.");
  nb::class_<Trace>(module, "RawTrace", "An exact run as the extension module holds it.")
      .def_ro("moments", &Trace::moments, "Meaning of the first index of the array.")
      .def_ro("tokens", &Trace::tokens, "Meaning of its second index.")
      .def_ro("columns", &Trace::columns, "Meaning of its third index.")
      .def_prop_ro(
          "entries",
          [](const Trace& trace) {
            return nb::bytes(trace.entries.data(), trace.entries.size() * sizeof(std::uint32_t));
          },
          "Moments x tokens x columns indices into the numbers, 32 bits each.")
      .def_prop_ro(
          "floats",
          [](const Trace& trace) {
            std::vector<double> floats;
            for (const ExactNumber& number : trace.numbers) floats.push_back(number.approximate);
            return nb::bytes(floats.data(), floats.size() * sizeof(double));
          },
          "Nearest floats, 64 bits each.")
      .def_prop_ro(
          "numbers", [](const Trace& trace) { return list_for_python(trace.numbers); },
          nb::sig("def numbers(self) -> list[fractions.Fraction | Real]"), "All distinct numbers.")
      .def_ro("heads", &Trace::heads, "Layer by layer.")
      .def_ro("answer", &Trace::answer, "Result of `run` on the same input.");
}

}  // namespace logdepth::python
