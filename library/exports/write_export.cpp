#include "library/exports/write_export.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <python_modules.hpp>
#include <set>

#include "base/phrases.hpp"
#include "library/exports/network_config.hpp"
#include "library/exports/onnx_graph.hpp"
#include "library/exports/transformer_lens.hpp"
#include "library/exports/weighing.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/file_pieces.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/file/whole_folder.hpp"

namespace logdepth::exports {
namespace {

constexpr const char* kTensorFile = "model.safetensors";
constexpr const char* kTorchFile = "logdepth_torch.py";
constexpr const char* kLensFile = "logdepth_lens.py";
constexpr const char* kConfigFile = "config.json";
constexpr const char* kSumsFile = "SHA256SUMS";

/// What Python compiled of the modules goes with them.
const std::set<std::string> kFiles = {kTensorFile, kTorchFile, kLensFile,
                                      kConfigFile, kSumsFile,  "__pycache__"};

template <class Real>
void write_folder(WholeFolder& folder, const Network& network, const FloatArrays<Real>& arrays,
                  const nlohmann::json& config, ExportTarget target) {
  write_safetensors(tensors_of(network, arrays), folder.file(kTensorFile));
  std::map<std::string, std::string> texts = {{kConfigFile, config.dump(1) + "\n"}};
  if (target != ExportTarget::safetensors) texts[kTorchFile] = kTorchModule;
  if (target == ExportTarget::transformer_lens) texts[kLensFile] = kLensModule;
  std::string sums =
      fmt::format("{}  {}\n", sha256(FilePieces(folder.file(kTensorFile))), kTensorFile);
  for (const auto& [name, text] : texts) {
    write_whole_file(folder.file(name), text);
    sums += fmt::format("{}  {}\n", sha256(text), name);
  }
  write_whole_file(folder.file(kSumsFile), sums);
  folder.commit();
}

template <class Real>
SelfTest write_as(const Model& model, const Network& network, const ExportSettings& settings,
                  const std::string& path) {
  // Before the self-test, which may be long: whether there is a place to write.
  std::optional<WholeFolder> folder;
  if (settings.target != ExportTarget::onnx) folder.emplace(path, kFiles);
  const FloatArrays<Real> arrays = float_arrays<Real>(network);
  const bool unrolled =
      settings.target == ExportTarget::onnx || settings.target == ExportTarget::transformer_lens;
  const SelfTest test = self_test(model, network, arrays, settings.seed, unrolled);
  nlohmann::json config = network_config(model, network, test, settings);
  config["unrolled"] = unrolled;
  if (settings.target == ExportTarget::onnx) {
    write_whole_file(path, onnx_graph(model, network, arrays, config));
  } else {
    write_folder(*folder, network, arrays, config, settings.target);
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
  require(!path.empty(), "expected the name of a file or folder to write, found an empty one");
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
      "{}, {}, up to length {} ({}, {}); {} of {} agree with the exact run; heads {}",
      network.single ? "float32" : "float64", weighing_text(report.temperature), network.length,
      counted(network.most_tokens, "token"), counted(network.loops, "loop"),
      counted(test.answers, "answer"), counted(test.inputs, "input"),
      network.separated ? "proved to be separated" : "tested, not proved");
  return report;
}

}  // namespace logdepth::exports
