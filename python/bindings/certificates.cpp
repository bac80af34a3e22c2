// What is proved of the weights.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "logdepth/certify.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

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
      "What is proved of a network, or why nothing is; true where a theorem is proved.")
      .def_ro("theorem", &Certification::theorem, "Its name; empty where nothing is proved.")
      .def_ro("scope", &Certification::scope, "\"every length\", or \"at most 16 letters\".")
      .def_ro("statement", &Certification::statement, "What logdepth-recheck prints.")
      .def_ro("outputs_proved", &Certification::outputs_proved,
              "False: heads and norms are proved, not what the outputs compute.")
      .def_ro("certificate", &Certification::certificate,
              "The text that `logdepth certify -o` writes.")
      .def_ro("failed", &Certification::failed,
              "Where nothing is proved: each theorem that was tried.")
      .def("__bool__", &Certification::proved, "A theorem is proved.")
      .def(
          "__repr__",
          [](const Certification& of) {
            return of.proved() ? "<proved: theorem " + of.theorem + ", " + of.scope + ">"
                               : std::string("<not proved>");
          },
          "Theorem and scope.");
  transformer.def("certify", &certify, Released(), "The first theorem that covers the weights.")
      .def("recheck", &recheck, "certificate"_a, Released(),
           "What the certificate proves of the weights.");
}

}  // namespace logdepth::python
