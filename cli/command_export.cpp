#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/run_limits.hpp"
#include "cli/temperature_option.hpp"
#include "cli/validators.hpp"
#include "library/exports/write_export.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

struct ExportArguments {
  std::string model, target, output, precision = "float64", temperature = "auto";
  ExportSettings settings;
  bool json = false;
};

const std::map<std::string, ExportTarget> kTargets = {
    {"torch", ExportTarget::torch},
    {"safetensors", ExportTarget::safetensors},
    {"onnx", ExportTarget::onnx},
    {"transformer-lens", ExportTarget::transformer_lens}};

int export_model(ExportArguments& options) {
  refuse_overwriting(options.output, {options.model});
  ExportSettings settings = options.settings;
  settings.target = kTargets.at(options.target);
  settings.single = options.precision == "float32";
  read_temperature(options.temperature, settings);
  const Model model = read_weights(options.model);
  const ExportReport report = exports::write_export(model, settings, options.output);
  std::cerr << "wrote " << options.output << ": " << report.text << '\n';
  if (options.json)
    std::cout << nlohmann::json{{"schema", "logdepth/export/1"},
                                {"target", options.target},
                                {"precision", options.precision},
                                {"length", settings.length},
                                {"tokens", report.tokens},
                                {"loops", report.loops},
                                {"temperature", report.temperature
                                                    ? nlohmann::json(*report.temperature)
                                                    : nlohmann::json()},
                                {"inputs", report.inputs},
                                {"answers", report.answers},
                                {"separated", report.separated},
                                {"certified", report.certified}}
                     .dump(2)
              << '\n';
  return kDone;
}

}  // namespace

Command add_export(CLI::App& app) {
  auto options = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand(
      "export",
      "export a network in floating point to other programs, after a self-test against the exact "
      "run\nExample: logdepth export a5.json --to torch --length 32 -o a5");
  command->add_option("MODEL", options->model, "weights file")->required();
  command
      ->add_option("--to", options->target,
                   "target; torch, safetensors and transformer-lens write a folder, onnx a file")
      ->required()
      ->check(choice_of({"torch", "safetensors", "onnx", "transformer-lens"}));
  command
      ->add_option("--length", options->settings.length,
                   "largest input size: letters, vertices or raw tokens")
      ->required()
      ->check(kSmallCount);
  command->add_option("--temperature", options->temperature,
                      "softmax temperature: a number, auto (default; from the proved score gaps), "
                      "tested (least power of two that passes the self-test), or hard "
                      "(averaging-hard attention)");
  command->add_option("--precision", options->precision, "number format (default: float64)")
      ->check(choice_of({"float64", "float32"}));
  command->add_option("--seed", options->settings.seed, "seed of the self-test (default: 1)")
      ->check(kCount);
  command->add_flag("--json", options->json, "print a summary as JSON on standard output");
  command->add_option("-o,--output", options->output, "folder to write; for onnx a file")
      ->required();
  command->add_flag("--certify", options->settings.certify,
                    "write bounds that hold for every word up to the length, certificate.json, for "
                    "float_recheck.py");
  add_run_limits(*command);
  return [options] { return export_model(*options); };
}

}  // namespace logdepth::inline cli
