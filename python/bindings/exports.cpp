// Networks for other programs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "logdepth/export.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

namespace {

ExportTarget target_called(const std::string& name) {
  return chosen<ExportTarget, 4>("target", name,
                                 {{{"torch", ExportTarget::torch},
                                   {"safetensors", ExportTarget::safetensors},
                                   {"onnx", ExportTarget::onnx},
                                   {"transformer-lens", ExportTarget::transformer_lens}}});
}

/// "auto", "tested", "hard" or a number.
void set_temperature(nb::handle temperature, ExportSettings& settings) {
  if (nb::isinstance<nb::str>(temperature)) {
    const std::string word = nb::cast<std::string>(temperature);
    if (word == "auto") return;
    settings.attention = word == "tested" ? ExportAttention::tested : ExportAttention::hard;
    require(word == "hard" || word == "tested",
            "--temperature: expected auto, tested, hard or a number above 0, found '" + word + "'");
    return;
  }
  settings.attention = ExportAttention::temperature;
  if (!nb::try_cast(temperature, settings.temperature))
    throw InputError("--temperature: expected auto, tested, hard or a number above 0, found a " +
                     type_of(temperature));
}

}  // namespace

void bind_exports(nb::module_& module, nb::class_<Transformer>& transformer) {
  nb::class_<ExportReport>(module, "ExportReport", "Result of `Model.export`.")
      .def_ro("temperature", &ExportReport::temperature,
              "Highest temperature of a head; None: averaging-hard attention.")
      .def_ro("loops", &ExportReport::loops,
              "Number of iterations of the repeated block at this length.")
      .def_ro("tokens", &ExportReport::tokens, "Number of tokens of the longest input.")
      .def_ro("inputs", &ExportReport::inputs, "Number of inputs of the self-test, which passed.")
      .def_ro("answers", &ExportReport::answers, "Number of answers compared with the exact run.")
      .def_ro("separated", &ExportReport::separated,
              "Whether every head is proved to select the same positions as the exact run, up to "
              "the length. The rest of the export is tested.")
      .def_ro("certified", &ExportReport::certified,
              "Whether certificate.json is in the folder: bounds for every word up to the length.")
      .def_ro("text", &ExportReport::text, "Summary, as the command prints it.")
      .def(
          "__repr__", [](const ExportReport& report) { return "<" + report.text + ">"; },
          "The sentence.");
  transformer.def(
      "export",
      [](const Transformer& network, const std::string& target, const std::string& path,
         std::uint64_t length, nb::handle temperature, const std::string& precision,
         std::uint64_t seed, bool certify) {
        ExportSettings settings;
        settings.target = target_called(target);
        settings.length = length;
        set_temperature(temperature, settings);
        settings.single =
            chosen<bool, 2>("precision", precision, {{{"float64", false}, {"float32", true}}});
        settings.seed = seed;
        settings.certify = certify;
        const Working working;
        return export_network(network, settings, path);
      },
      "target"_a, "path"_a, "length"_a, "temperature"_a, "precision"_a, "seed"_a, "certify"_a,
      nb::sig("def export(self, target: str, path: str, length: int, temperature: str | float, "
              "precision: str, seed: int, certify: bool) -> ExportReport"),
      "Writes an export for another program.");
}

}  // namespace logdepth::python
