#include "library/exports/float_certificate.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "library/exports/float_proof.hpp"
#include "library/exports/weighing.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::exports {
namespace {

/// Bounds are stated this much weaker than they are shown, so that a checker may round more.
constexpr double kSlack = 0x1p-20;

std::string rational_text(double x) {
  return Rational(mpq_class(x)).text();
}
std::string below(const Rational& x) {
  return rational_text(x.approximate() * (1 - kSlack));
}
std::string above(double x) {
  return rational_text(x * (1 + kSlack));
}

}  // namespace

CertifiedNetwork certified_network(const Model& model, const ExportSettings& settings) {
  require(settings.attention != ExportAttention::tested,
          "--temperature tested: expected auto, hard or a number for a certificate");
  CertifiedNetwork found{network_of(model, settings), {}};
  Network& network = found.network;
  if (!network.unproved.empty())
    throw ExportWrong("no certificate of floating-point answers: " + network.unproved);
  const bool hard = network.hard;
  try {
    network.hard = true;
    found.bounds = float_bounds(model, network);
    network.hard = hard;
    for (const auto& [at, proved] : found.bounds.heads) {
      NetworkHead& head = network.layers[at.first].heads[at.second];
      head.loss = proved.rounding * (1 + kSlack);
      head.gap = proved.left > 0 ? proved.left * (1 - kSlack) + 2 * head.loss : 0;
    }
    if (const auto refusal = choose_weighing(network, settings))
      throw ExportRefused(*refusal + "; --temperature hard exports averaging-hard attention");
    if (!hard) found.bounds = float_bounds(model, network);
  } catch (const NotShown& step) {
    throw ExportWrong(
        fmt::format("no certificate of floating-point answers up to length {} in {}: {}",
                    network.length, network.single ? "float32" : "float64", step.what()));
  }
  for (const auto& at : found.bounds.heads) {
    NetworkHead& head = network.layers[at.first.first].heads[at.first.second];
    if (!hard) continue;
    head.relative = false;
    head.tolerance = at.second.left / 2;
  }
  network.separated = true;
  return found;
}

std::string float_certificate(const Model& model, const CertifiedNetwork& certified,
                              const std::string& tensors) {
  const auto& [network, bounds] = certified;
  nlohmann::json heads = nlohmann::json::array(), answers = heads, measured = heads;
  for (const auto& [at, proved] : bounds.heads) {
    const NetworkHead& head = network.layers[at.first].heads[at.second];
    nlohmann::json& stated = heads.emplace_back();
    stated = {{"layer", at.first + 1},
              {"head", at.second + 1},
              {"separation",
               proved.separation ? nlohmann::json(below(*proved.separation)) : nlohmann::json()},
              {"rounding", above(proved.rounding)},
              {"left", rational_text(proved.left * (1 - kSlack))}};
    stated[network.hard ? "tolerance" : "temperature"] =
        rational_text(network.hard ? head.tolerance : head.temperature);
  }
  for (const auto& [name, proved] : bounds.answers)
    answers.push_back(
        {{"answer", name}, {"margin", below(proved.margin)}, {"error", above(proved.error)}});
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const NetworkLayer& layer = network.layers[l];
    if (!layer.attention.folded && !layer.heads.empty())
      measured.push_back(fmt::format("layer {}, attention", l + 1));
    if (!layer.feedforward.folded && layer.in.rows > 0)
      measured.push_back(fmt::format("layer {}, feed-forward", l + 1));
  }
  nlohmann::json certificate = {{"format", "logdepth-float-certificate"},
                                {"version", 1},
                                {"sha256", weights_hash(model)},
                                {"length", network.length},
                                {"precision", network.single ? "float32" : "float64"},
                                {"attention", network.hard ? "hard" : "softmax"},
                                {"sums", "in any order"},
                                {"measured_norms", measured},
                                {"heads", heads},
                                {"answers", answers}};
  if (!tensors.empty()) certificate["tensors"] = tensors;
  return certificate.dump(1) + "\n";
}

std::string certificate_text(const CertifiedNetwork& certified) {
  const auto& [network, bounds] = certified;
  std::string text = fmt::format(
      "every word of at most {}: in {}, {} attention, sums in any order, every head selects the "
      "tokens of the exact run, and every answer is that of the exact run\n",
      counted(network.length, "letter"), network.single ? "float32" : "float64",
      network.hard ? "averaging-hard" : "softmax");
  for (const auto& [at, proved] : bounds.heads)
    text += fmt::format("{}: separation {}, rounding {:.2g}, left {:.2g}\n",
                        head_place(network, at.first, at.second),
                        proved.separation ? fmt::format("{:.2g}", proved.separation->approximate())
                                          : "of one token",
                        proved.rounding, proved.left);
  for (const auto& [name, proved] : bounds.answers)
    text += fmt::format("{}: margin {:.2g}, error {:.2g}\n", name, proved.margin.approximate(),
                        proved.error);
  return text;
}

}  // namespace logdepth::exports
