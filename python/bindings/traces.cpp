// Everything that happened in an exact run.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"

namespace logdepth::python {

void bind_traces(nb::module_& module) {
  nb::class_<TraceColumn>(module, "TraceColumn", "One column of a trace: a number of a cell.")
      .def_ro("cell", &TraceColumn::cell, "Its name; of a file without names the coordinate.")
      .def_ro("component", &TraceColumn::component, "Of the cell, from 0.")
      .def_ro("coordinate", &TraceColumn::coordinate, "Of the residual stream, from 0.")
      .def(
          "__repr__",
          [](const TraceColumn& column) {
            return "<" + column.cell + "[" + std::to_string(column.component) + "]>";
          },
          "Cell and component.");
  nb::class_<TraceMoment>(module, "TraceMoment", "When a trace looks at the residual stream.")
      .def_ro("layer", &TraceMoment::layer,
              "Layers that have run, this one included; 0: after the embedding.")
      .def_ro("sublayer", &TraceMoment::sublayer,
              "\"embedding\", \"attention\" or \"feedforward\".")
      .def(
          "__repr__",
          [](const TraceMoment& moment) {
            return "<layer " + std::to_string(moment.layer) + ", " + moment.sublayer + ">";
          },
          "Layer and sublayer.");
  nb::class_<TraceHead>(module, "TraceHead", "What a head selected in an executed layer.")
      .def_ro("layer", &TraceHead::layer, "Executed, from 1.")
      .def_ro("head", &TraceHead::head, "Of the layer, from 0.")
      .def_ro("name", &TraceHead::name, "As the program calls it, else \"head 1\".")
      .def_ro("selected", &TraceHead::selected, "For each token the selected tokens, ascending.")
      .def(
          "__repr__",
          [](const TraceHead& head) {
            return "<layer " + std::to_string(head.layer) + ", " + head.name + ">";
          },
          "Layer and name.");
  nb::class_<Trace>(module, "RawTrace", "An exact run as the extension module holds it.")
      .def_ro("moments", &Trace::moments, "Of the array's first index.")
      .def_ro("tokens", &Trace::tokens, "Of its second.")
      .def_ro("columns", &Trace::columns, "Of its third.")
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
          "Near the numbers, 64 bits each.")
      .def_prop_ro(
          "numbers", [](const Trace& trace) { return list_for_python(trace.numbers); },
          nb::sig("def numbers(self) -> list[fractions.Fraction | Real]"), "All different.")
      .def_ro("heads", &Trace::heads, "Layer by layer.")
      .def_ro("answer", &Trace::answer, "What `run` says of the same input.");
}

}  // namespace logdepth::python
