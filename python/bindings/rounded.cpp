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
      .def_ro("value", &RoundedNumber::value, "As it was computed.")
      .def_ro("error", &RoundedNumber::error, "The exact number is at most so far away.")
      .def(
          "__float__", [](const RoundedNumber& number) { return number.value; }, "Its value.")
      .def(
          "__repr__",
          [](const RoundedNumber& number) {
            return shown(nb::float_(number.value)) + " ± " + shown(nb::float_(number.error));
          },
          "Value and error.");
  nb::class_<RoundedSettings>(module, "RoundedSettings", "How a rounded run calculates.")
      .def(
          "__init__",
          [](RoundedSettings* settings, const std::string& engine, const std::string& device,
             std::optional<double> temperature, const std::string& rule, double tolerance,
             std::size_t threads) {
            new (settings) RoundedSettings{engine, device, temperature, rule, tolerance, threads};
          },
          "engine"_a, "device"_a, "temperature"_a.none(), "rule"_a, "tolerance"_a, "threads"_a,
          "In the words of the command line.");
}

}  // namespace

void bind_rounded(nb::module_& module) {
  bind_rounded_numbers(module);
  nb::class_<RoundedAnswer>(module, "RoundedAnswer",
                            "What a rounded run has to say of an input. What is not certified says "
                            "so, and why.")
      .def_prop_ro(
          "decision", [](const RoundedAnswer& answer) { return name_of(answer.decision); },
          nb::sig("def decision(self) -> " DECISION),
          "As of an `Answer`; as computed, to be trusted if certified.")
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
          "An exact run gives the same answer.")
      .def_prop_ro(
          "accepted",
          [](const RoundedAnswer& answer) { return accepted(answer.decision, answer.reason); },
          "Whether it is accepted, as computed. Undecided and BadInput as of an `Answer`.")
      .def(
          "__bool__",
          [](const RoundedAnswer& answer) { return accepted(answer.decision, answer.reason); },
          "`accepted`, with its errors.")
      .def_ro("reason", &RoundedAnswer::reason, "Why nothing was decided, or is not certified.")
      .def_ro("numbers", &RoundedAnswer::numbers,
              "Where decision is \"computed\": by name a number for each token.")
      .def_ro("products", &RoundedAnswer::products, "As of an `Answer`: letters x points, or None.")
      .def_ro("states", &RoundedAnswer::states, "As of an `Answer`: one for each letter, or None.")
      .def_prop_ro(
          "prefixes",
          [](const RoundedAnswer& answer) {
            std::vector<std::string> names;
            for (const Certainty certainty : answer.prefixes) names.push_back(text(certainty));
            return names;
          },
          nb::sig("def prefixes(self) -> list[" CERTAINTY "]"),
          "The certainty of each of `products` or `states`.")
      .def_ro("depth", &RoundedAnswer::depth, "Layers that were run.")
      .def(
          "__repr__",
          [](const RoundedAnswer& answer) {
            return "<" + text(answer.certainty) + ": " + name_of(answer.decision) +
                   (answer.reason.empty() ? "" : ", " + answer.reason) + ">";
          },
          "Certainty, decision, reason.");
}

}  // namespace logdepth::python
