#include "exports/write_export.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <python_modules.hpp>

#include "exports/network_config.hpp"
#include "exports/onnx_graph.hpp"
#include "exports/separations.hpp"
#include "exports/transformer_lens.hpp"
#include "logdepth/errors.hpp"
#include "objects/phrases.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

/// A folder is named by its configuration, which is written last.
template <class Real>
void write_folder(const Network& network, const FloatArrays<Real>& arrays,
                  const nlohmann::json& config, ExportTarget target, const std::string& path) {
  const SafeTensors tensors = tensors_of(network, arrays);
  const OutputFolder folder(path);
  write_safetensors(tensors, path + "/model.safetensors");
  if (target != ExportTarget::safetensors)
    write_whole_file(path + "/logdepth_torch.py", kTorchModule);
  if (target == ExportTarget::transformer_lens)
    write_whole_file(path + "/logdepth_lens.py", kLensModule);
  write_whole_file(path + "/config.json", config.dump(1) + "\n");
}

template <class Real>
SelfTest write_as(const Model& model, const Network& network, const ExportSettings& settings,
                  const std::string& path) {
  const FloatArrays<Real> arrays = float_arrays<Real>(network);
  const bool unrolled =
      settings.target == ExportTarget::onnx || settings.target == ExportTarget::transformer_lens;
  const SelfTest test = self_test(model, network, arrays, settings.seed, unrolled);
  nlohmann::json config = network_config(model, network, test, settings);
  config["unrolled"] = unrolled;
  if (settings.target == ExportTarget::onnx) {
    write_whole_file(path, onnx_graph(model, network, arrays, config));
  } else {
    write_folder(network, arrays, config, settings.target, path);
  }
  return test;
}

std::string weighing_text(const std::optional<double>& temperature) {
  if (!temperature) return "averaging-hard";
  return *temperature == 0 ? "softmax of equal scores"
                           : fmt::format("softmax at temperatures up to {}", *temperature);
}

}  // namespace

ExportReport write_export(const Model& model, const ExportSettings& settings,
                          const std::string& path) {
  if (settings.target == ExportTarget::transformer_lens) require_transformer_lens(model, settings);
  Network network = network_of(model, settings);
  if (settings.target == ExportTarget::transformer_lens) require_transformer_lens(network);
  choose_weighing(network, settings);
  const SelfTest test = settings.single ? write_as<float>(model, network, settings, path)
                                        : write_as<double>(model, network, settings, path);
  ExportReport report;
  report.loops = network.loops;
  report.tokens = network.most_tokens;
  report.inputs = test.inputs;
  report.answers = test.answers;
  report.separated = network.separated;
  if (!network.hard) {
    report.temperature = 0;
    for (const NetworkLayer& layer : network.layers)
      for (const NetworkHead& head : layer.heads)
        if (head.compares) report.temperature = std::max(*report.temperature, head.temperature);
  }
  report.text = fmt::format(
      "{}, {}, up to length {} ({}, {}); {} of {}: as the exact run; heads {}",
      network.single ? "float32" : "float64", weighing_text(report.temperature), network.length,
      counted(network.most_tokens, "token"), counted(network.loops, "loop"),
      counted(test.answers, "answer"), counted(test.inputs, "input"),
      network.separated ? "proved to be separated" : "tested, not proved");
  return report;
}

}  // namespace logdepth
