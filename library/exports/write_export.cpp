#include "library/exports/write_export.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/phrases.hpp"
#include "library/exports/circuit_files.hpp"
#include "library/exports/network.hpp"
#include "library/exports/network_config.hpp"
#include "library/exports/python_modules.hpp"
#include "library/exports/self_test.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::exports {
namespace {

constexpr const char* kTensorFile = "model.safetensors";
constexpr const char* kAnswersFile = "logdepth_answers.py";
constexpr const char* kTorchFile = "logdepth_torch.py";
constexpr const char* kLensFile = "logdepth_lens.py";
constexpr const char* kConfigFile = "config.json";
constexpr const char* kCircuitFile = "circuit.json";
constexpr const char* kCertificateFile = "certificate.json";
constexpr const char* kCardFile = "README.md";
constexpr const char* kSumsFile = "SHA256SUMS";

/// What Python compiled of the modules goes with them.
const std::set<std::string> kFiles = {kTensorFile, kAnswersFile, kTorchFile,       kLensFile,
                                      kConfigFile, kCircuitFile, kCertificateFile, kCardFile,
                                      kSumsFile,   "__pycache__"};

/// The text of a certificate, from the hash of the tensors; none where none is asked for.
using Certify = std::function<std::string(const std::string&)>;

void write_folder(WholeFolder& folder, const Model& model, const Network& network,
                  const FloatArrays& arrays, const nlohmann::json& config, ExportTarget target,
                  const Certify& certify) {
  write_safetensors(tensors_of(network, arrays), folder.file(kTensorFile));
  std::map<std::string, std::string> texts = {{kConfigFile, config.dump(1) + "\n"}};
  texts[kAnswersFile] = kAnswersModule;
  texts[kCardFile] = model_card(config, target, bool(certify));
  if (std::holds_alternative<WordInput>(model.input))
    texts[kCircuitFile] = circuit_json(
        model, circuit_of(model, network.length, CircuitNorms::exported), CircuitNorms::exported);
  if (target != ExportTarget::safetensors) texts[kTorchFile] = kTorchModule;
  if (target == ExportTarget::transformer_lens) texts[kLensFile] = kLensModule;
  const std::string tensors = sha256(FilePieces(folder.file(kTensorFile)));
  if (certify) texts[kCertificateFile] = certify(tensors);
  std::string sums = fmt::format("{}  {}\n", tensors, kTensorFile);
  for (const auto& [name, text] : texts) {
    write_whole_file(folder.file(name), text);
    sums += fmt::format("{}  {}\n", sha256(text), name);
  }
  write_whole_file(folder.file(kSumsFile), sums);
  folder.commit();
}

/// Whether every input runs as many loops as the longest.
bool runs_longest(ExportTarget target) {
  return target == ExportTarget::onnx || target == ExportTarget::transformer_lens;
}

/// What passes in place of a temperature that is not proved.
[[noreturn]] void refuse(const std::string& unproved, const Model& model, Network& network,
                         const ExportSettings& settings) {
  const auto found = tested_temperature(model, network, float_arrays(network), settings.seed,
                                        runs_longest(settings.target));
  throw ExportRefused(
      unproved +
      (found ? fmt::format("; --temperature {} passes the self-test (--temperature tested)",
                           found->temperature)
             : "; no power of two passes the self-test as a temperature") +
      "; --temperature hard exports averaging-hard attention");
}

SelfTest write_as(const Model& model, Network& network, const ExportSettings& settings,
                  const std::string& path, const Certify& certify) {
  // Before the self-test, which may be long: whether there is a place to write.
  std::optional<WholeFolder> folder;
  if (settings.target != ExportTarget::onnx) folder.emplace(path, kFiles);
  const FloatArrays arrays = float_arrays(network);
  const bool unrolled = runs_longest(settings.target);
  std::optional<TestedTemperature> tested;
  if (settings.attention == ExportAttention::tested && !certify &&
      !(tested = tested_temperature(model, network, arrays, settings.seed, unrolled)))
    throw ExportRefused(
        "--temperature tested: no power of two passes the self-test; --temperature hard exports "
        "averaging-hard attention");
  const SelfTest test =
      tested ? tested->test : self_test(model, network, arrays, settings.seed, unrolled);
  nlohmann::json config = network_config(model, network, test, settings);
  config["unrolled"] = unrolled;
  if (settings.target == ExportTarget::onnx) {
    write_whole_file(path, onnx_graph(model, network, arrays, config));
  } else {
    write_folder(*folder, model, network, arrays, config, settings.target, certify);
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
  if (settings.target == ExportTarget::circuit) return write_circuit(model, settings, path);
  CertifiedNetwork certified;
  Network& network = certified.network;
  network = network_of(model, settings);
  Certify certify;
  if (settings.certify) {
    if (settings.target == ExportTarget::onnx)
      throw ExportRefused(
          "--certify: the checker of certificates reads safetensors; use --to torch, safetensors "
          "or transformer-lens");
    certified = certified_network(model, settings);
    certify = [&](const std::string& tensors) { return float_certificate(certified, tensors); };
  } else {
    const auto unproved = choose_weighing(network, settings);
    if (unproved && settings.attention == ExportAttention::separated)
      refuse(*unproved, model, network, settings);
  }
  const SelfTest test = write_as(model, network, settings, path, certify);
  ExportReport report;
  report.loops = network.loops;
  report.tokens = network.most_tokens;
  report.inputs = test.inputs;
  report.answers = test.answers;
  report.separated = network.separated;
  report.certified = settings.certify;
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
  if (report.certified) report.text += "; every answer certified (certificate.json)";
  return report;
}

}  // namespace logdepth::exports
