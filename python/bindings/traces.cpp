// Everything that happened in an exact run.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"

namespace logdepth::python {

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
