#include "library/exports/network_config.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "compiler/file/cell_names.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/stream/embed.hpp"

namespace logdepth::exports {
namespace {

using nlohmann::json;

json norm_json(const NetworkNorm& norm) {
  if (norm.folded) return nullptr;
  return {{"zero_below", norm.zero_below}};
}

json head_json(const NetworkHead& head, bool hard) {
  json said = {{"name", head.name},
               {"causal", head.causal},
               {"compares", head.compares},
               {"tolerance", {{"value", head.tolerance}, {"relative", head.relative}}},
               {"temperature", hard ? json() : json(head.temperature)},
               {"gap", head.gap > 0 ? json(head.gap) : json()},
               {"rounding", head.loss}};
  return said;
}

std::string block_text(Block block) {
  return block == Block::initial ? "initial" : block == Block::repeated ? "repeated" : "final";
}

/// What holds for every input up to the length, and what was tried.
json known_of(const Network& network, const SelfTest& test, const ExportSettings& settings) {
  return {
      {"certified",
       {{"to_length", network.separated ? json(network.length) : json()},
        {"what", network.separated
                     ? "every head that reads the exact stream, rounded, selects what the exact "
                       "run selects; what is not selected weighs less than the format can see"
                     : "nothing"}}},
      {"tested",
       {{"to_length", network.length},
        {"inputs", test.inputs},
        {"answers", test.answers},
        {"all_words_to_length", test.exhaustive},
        {"every_length_to", test.every_length},
        {"largest_difference", test.largest_difference},
        {"seed", settings.seed},
        {"what", "the answers of these inputs are those of the exact run"}}}};
}

json examples_json(const Network& network, const SelfTest& test) {
  json examples = json::array();
  for (const ExportExample& example : test.examples) {
    json tokens = json::array(), given = json::array();
    for (const std::string& kind : example.tokens.kinds)
      if (!network.tokens.empty())
        tokens.push_back(std::find(network.tokens.begin(), network.tokens.end(), kind) -
                         network.tokens.begin());
    for (const auto& row : example.tokens.given) {
      json& numbers = given.emplace_back(json::array());
      for (const Real& number : row) numbers.push_back(number.approximate().value);
    }
    examples.push_back({{"tokens", tokens},
                        {"given", given},
                        {"size", example.tokens.size},
                        {"logits", example.logits}});
  }
  return examples;
}

}  // namespace

std::vector<std::string> logit_names(const Model& model) {
  std::vector<std::string> names(model.unembedding.rows);
  std::visit(Overload{[&](const CellsOutput& cells) { names = cells.names; },
                      [&](const RelationOutput&) {
                        for (std::size_t i = 0; i < names.size(); ++i)
                          names[i] = fmt::format("to vertex {}", i);
                      },
                      [&](const AcceptOutput& accept) {
                        names[accept.accept] = "accept";
                        names[accept.reject] = "reject";
                        std::visit(
                            Overload{[](const std::monostate&) {},
                                     [&](const TransformationReadout& prefix) {
                                       std::size_t row = prefix.first_row;
                                       for (std::size_t q = 0; q < prefix.images.size(); ++q)
                                         for (const std::uint32_t image : prefix.images[q])
                                           names[row++] = fmt::format("point {} to {}", q, image);
                                     },
                                     [&](const ElementReadout& prefix) {
                                       for (std::size_t i = 0; i < prefix.elements.size(); ++i)
                                         names[prefix.first_row + i] =
                                             prefix_text(prefix.elements[i]);
                                     },
                                     [&](const StateReadout& prefix) {
                                       for (std::size_t i = 0; i < prefix.states; ++i)
                                         names[prefix.first_row + i] = fmt::format("state {}", i);
                                     }},
                            accept.prefix);
                      }},
             model.output);
  return names;
}

json network_config(const Model& model, const Network& network, const SelfTest& test,
                    const ExportSettings& settings) {
  const json file = json::parse(write_weights(model));
  json config = known_of(network, test, settings);
  config["format"] = "logdepth-network";
  config["version"] = 1;
  for (const char* same : {"name", "construction", "source", "sha256", "alphabet", "input",
                           "output", "norm", "width", "unroll"})
    config[same] = file.at(same);
  config["precision"] = network.single ? "float32" : "float64";
  config["attention"] = network.hard ? "hard" : "softmax";
  config["length"] = network.length;
  config["most_tokens"] = network.most_tokens;
  config["loops"] = network.loops;
  const GivenPlace given = given_place(model);
  config["given"] = {{"values", given.values}, {"mirror", given.mirror}};
  config["tokens"] = network.tokens;
  config["logits"] = logit_names(model);
  const CellNames names(model);
  for (std::uint32_t c = 0; c < network.width; ++c)
    config["residual"].push_back((names.is_mirror(c) ? "-" : "") + names.component(c));
  for (const NetworkLayer& layer : network.layers) {
    json heads = json::array();
    for (const NetworkHead& head : layer.heads) heads.push_back(head_json(head, network.hard));
    config["layers"].push_back(
        {{"block", block_text(layer.block)},
         {"attention", {{"norm", norm_json(layer.attention)}, {"heads", heads}}},
         {"feedforward", {{"norm", norm_json(layer.feedforward)}}}});
  }
  config["examples"] = examples_json(network, test);
  return config;
}

}  // namespace logdepth::exports
