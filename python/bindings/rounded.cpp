// Runs in floating point, every answer with what may be believed of it.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

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
  nb::class_<RoundedSettings>(module, "RoundedSettings", "Settings of a run in floating point.")
      .def(
          "__init__",
          [](RoundedSettings* settings, const std::string& engine, const std::string& device,
             std::optional<double> temperature, const std::string& rule, double tolerance,
             std::size_t threads) {
            const RoundedSettings given{engine, device, temperature, rule, tolerance, threads};
            require_settings(given);
            new (settings) RoundedSettings(given);
          },
          "engine"_a, "device"_a, "temperature"_a.none(), "rule"_a, "tolerance"_a, "threads"_a,
          "In the words of the command line.");
}

}  // namespace

void bind_rounded(nb::module_& module) {
  bind_rounded_numbers(module);
  nb::class_<RoundedAnswer>(module, "RoundedAnswer",
                            "Result of a run in floating point. `certainty` tells whether the "
                            "result is certified; `reason` why not.")
      .def_prop_ro(
          "decision", [](const RoundedAnswer& answer) { return name_of(answer.decision); },
          nb::sig("def decision(self) -> " DECISION),
          "Like `Answer.decision`, as computed; exact if certified.")
      .def_prop_ro(
          "certainty", [](const RoundedAnswer& answer) { return text(answer.certainty); },
          nb::sig("def certainty(self) -> " CERTAINTY),
          "\"certified\": an exact run gives the same answer, proved from the error bounds of "
          "every "
          "number of the run; \"ambiguous\": some head or test met numbers that the bounds cannot "
          "tell apart; \"uncertified\": the error is too large, or another rule than \"bounded\" "
          "was "
          "used.")
      .def_prop_ro(
          "certified",
          [](const RoundedAnswer& answer) { return answer.certainty == Certainty::certified; },
          "Whether an exact run is proved to give the same answer.")
      .def_prop_ro(
          "accepted",
          [](const RoundedAnswer& answer) { return accepted(answer.decision, answer.reason); },
          "Whether the input is accepted, as computed. Raises Undecided and BadInput like "
          "`Answer.accepted`.")
      .def(
          "__bool__",
          [](const RoundedAnswer& answer) { return accepted(answer.decision, answer.reason); },
          "`accepted`, with its errors.")
      .def_ro("reason", &RoundedAnswer::reason,
              "Why nothing was decided, or why it is not certified.")
      .def_ro("numbers", &RoundedAnswer::numbers,
              "Where decision is \"computed\": by name a number for each token.")
      .def_ro("products", &RoundedAnswer::products,
              "Like `Answer.products`: letters x points, or None.")
      .def_ro("states", &RoundedAnswer::states,
              "Like `Answer.states`: one for each letter, or None.")
      .def_prop_ro(
          "prefixes",
          [](const RoundedAnswer& answer) {
            std::vector<std::string> names;
            for (const Certainty certainty : answer.prefixes) names.push_back(text(certainty));
            return names;
          },
          nb::sig("def prefixes(self) -> list[" CERTAINTY "]"),
          "The certainty of each of `products` or `states`.")
      .def_ro("depth", &RoundedAnswer::depth, "Number of executed layers.")
      .def(
          "__repr__",
          [](const RoundedAnswer& answer) {
            return "<" + text(answer.certainty) + ": " + name_of(answer.decision) +
                   (answer.reason.empty() ? "" : ", " + answer.reason) + ">";
          },
          "Certainty, decision, reason.");
}

}  // namespace logdepth::python
