#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "compiler/file/measure.hpp"
#include "library/exports/self_test.hpp"
#include "library/exports/write_export.hpp"
#include "library/requests/ready_networks.hpp"
#include "library/runs/engine.hpp"
#include "library/runs/run_answers.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
namespace {

constexpr std::size_t kShort = 63;   ///< words, all up to some length
constexpr std::size_t kRandom = 32;  ///< longer words, or graphs

std::vector<std::vector<std::string>> example_words(const Model& model, std::uint64_t length) {
  std::vector<std::vector<std::string>> words, layer = {{}};
  for (std::uint64_t n = 0; n <= length && words.size() + layer.size() <= kShort; ++n) {
    words.insert(words.end(), layer.begin(), layer.end());
    layer = exports::longer_words(layer, model.alphabet);
  }
  exports::Choice random{std::mt19937_64(1)};
  for (std::size_t i = 0; i < kRandom; ++i) {
    std::vector<std::string> word(1 + random.below(length));
    for (std::string& letter : word) letter = model.alphabet[random.below(model.alphabet.size())];
    words.push_back(std::move(word));
  }
  return words;
}

nlohmann::json verdict_of(const RunAnswer& answer) {
  if (answer.limit) throw SizeLimit(*answer.limit);
  return answer.verdict;
}

nlohmann::json word_example(const std::vector<std::string>& word, const RunAnswer& answer,
                            const std::optional<StateNumbers>& numbers) {
  nlohmann::json line = {{"word", word}, {"accept", verdict_of(answer)}};
  if (numbers) line["initial_state"] = numbers->initial;
  if (!answer.prefixes) return line;
  for (const Read<PrefixAnswer>& prefix : *answer.prefixes) {
    if (!prefix.has_value()) continue;
    const PrefixAnswer& value = prefix.value().value;
    if (const auto* product = std::get_if<std::vector<std::uint32_t>>(&value)) {
      line["products"].push_back(*product);
      if (numbers) line["states"].push_back(product->at(numbers->initial));
    } else {
      line["states"].push_back(std::get<std::uint32_t>(value));
    }
  }
  return line;
}

std::string graph_examples(const Model& model, std::uint64_t length) {
  RunAnswers answers(model, exact_engine(model), Reading());
  exports::Choice random{std::mt19937_64(1)};
  std::string lines;
  for (std::size_t i = 0; i < kRandom; ++i) {
    const std::uint64_t vertices = 1 + random.below(length);
    Graph graph;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
    for (std::uint64_t v = 0; v < vertices; ++v) graph.add_vertex(std::to_string(v));
    for (std::uint64_t from = 0; from < vertices; ++from)
      for (std::uint64_t to = 0; to < vertices; ++to)
        if (from != to && random.below(3) == 0) {
          graph.add_edge(static_cast<Vertex>(from), static_cast<Vertex>(to));
          edges.emplace_back(from, to);
        }
    const auto source = static_cast<Vertex>(random.below(vertices));
    const auto target = static_cast<Vertex>(random.below(vertices));
    const RunAnswer answer = answers.pair(graph, source, target);
    lines += nlohmann::json{{"vertices", vertices},
                            {"edges", edges},
                            {"source", source},
                            {"target", target},
                            {"connected", verdict_of(answer)}}
                 .dump() +
             "\n";
  }
  return lines;
}

/// Exact answers as JSON lines: all short inputs, and random ones up to `length` letters or vertices.
/// Words have the state after every prefix where the file follows an automaton, as `numbers` says, and
/// products where it reads these. Deterministic.
std::string zoo_examples(const CheckedModel& model, const std::optional<StateNumbers>& numbers,
                         std::uint64_t length) {
  if (std::holds_alternative<GraphInput>(model->input)) return graph_examples(model, length);
  RunAnswers answers(model, exact_engine(model), {.prefixes = reads_prefixes(model)});
  std::string lines;
  for (const auto& word : example_words(model, length))
    lines += word_example(word, answers.word(word), numbers).dump() + "\n";
  return lines;
}

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char *kWeights = "weights.json.gz", *kExamples = "examples.jsonl",
                     *kCard = "README.md", *kRecord = "network.json", *kOnnx = "model.onnx",
                     *kTensors = "safetensors", *kCircuit = "circuit";

struct ZooOptions {
  std::string output;
  std::vector<std::string> only;
  bool list = false, circuits = false;
};

std::vector<ReadyNetwork> chosen_networks(const ZooOptions& options) {
  std::vector<ReadyNetwork> all = options.circuits ? circuit_networks() : ready_networks();
  for (const std::string& name : options.only)
    if (std::ranges::none_of(all, [&](const ReadyNetwork& one) { return one.name == name; }))
      throw InputError("--only: expected a name that zoo --list prints, found " + in_quotes(name));
  if (!options.only.empty())
    std::erase_if(all, [&](const ReadyNetwork& one) {
      return std::ranges::find(options.only, one.name) == options.only.end();
    });
  return all;
}

/// Of an export what was written, or why it was not.
struct Exported {
  bool written = false, hard = false;
  std::uint64_t length = 0;
  std::string text;
};

/// At the length, or at half of it, and so on: the temperatures of some networks are beyond float64
/// at the whole one.
Exported exported_with(ExportAttention attention, const Model& model, ExportTarget target,
                       std::uint64_t length, const std::string& path) {
  Exported result;
  const bool hard = attention == ExportAttention::hard;
  const auto refused = [&](const char* why) {
    if (result.text.empty()) result.text = why;
  };
  for (std::uint64_t n = length; n > 0; n = n > 2 ? n / 2 : n - 1) {
    const ExportSettings settings{.target = target, .length = n, .attention = attention};
    try {
      return {true, hard, n, exports::write_export(model, settings, path).text};
    } catch (const ExportRefused& error) {
      refused(error.what());
    } catch (const ExportWrong& error) {
      // Proved separations never get here; averaging-hard attention may be tested only.
      if (!hard) throw;
      refused(error.what());
    }
  }
  return result;
}

/// With softmax, or, where no separation of a head is proved, with averaging-hard attention.
Exported exported(const Model& model, ExportTarget target, std::uint64_t length,
                  const std::string& path) {
  const Exported softmax = exported_with(ExportAttention::separated, model, target, length, path);
  if (softmax.written) return softmax;
  Exported hard = exported_with(ExportAttention::hard, model, target, length, path);
  if (hard.written) {
    hard.text += fmt::format("; not with softmax: {}", softmax.text);
  } else {
    hard.text = fmt::format("softmax: {}; averaging-hard: {}", softmax.text, hard.text);
  }
  return hard;
}

std::string attention_text(const Exported& of) {
  if (!of.written) return "";
  return of.hard ? "averaging-hard" : "softmax";
}

std::string states_text(const std::optional<StateNumbers>& numbers) {
  if (!numbers) return "";
  std::vector<std::string> accepting;
  for (const std::uint32_t state : numbers->accepting) accepting.push_back(std::to_string(state));
  return fmt::format("| states | {}, numbered from 0; initial {}; accepting {} |\n",
                     numbers->states, numbers->initial,
                     accepting.empty() ? "none" : joined(accepting));
}

std::string card(const ReadyNetwork& network, const CheckedModel& model, const std::string& hash,
                 const std::optional<StateNumbers>& numbers, const Measures& sizes,
                 const Exported& tensors, const Exported& onnx, const Exported& circuit) {
  std::string text = fmt::format("# {}\n\n{}: {}.\n\n| | |\n|---|---|\n", network.name,
                                 network.family, network.computes);
  text += fmt::format("| construction | {}, {} |\n", model->construction, model->source);
  text += fmt::format("| depth | {}, shape ({}, {}, {}) |\n", depth_formula(model), sizes.initial,
                      sizes.repeated, sizes.final);
  text += fmt::format("| sizes | width {}, {} per sublayer at most, {}, {} |\n", sizes.width,
                      counted(sizes.heads, "head"), counted(sizes.units, "hidden unit"),
                      counted(sizes.nonzeros, "nonzero weight"));
  text += states_text(numbers);
  text += fmt::format("| sha256 of the weights | {} |\n", hash);
  text +=
      fmt::format("\nThe same weights: `{} -o weights.json`\n\n| file | contents |\n|---|---|\n",
                  network.command);
  text += fmt::format("| {} | exact weights |\n", kWeights);
  const auto exported_row = [&](const char* name, const Exported& of) {
    text += of.written ? fmt::format("| {} | {} |\n", name, of.text)
                       : fmt::format("| ({}) | not written: {} |\n", name, of.text);
  };
  exported_row(kTensors, tensors);
  exported_row(kOnnx, onnx);
  exported_row(kCircuit, circuit);
  text += fmt::format("| {} | exact answers, one input per line |\n", kExamples);
  text += "\nHypotheses:\n\n";
  for (const std::string& hypothesis : model->hypotheses) text += "- " + hypothesis + "\n";
  return text;
}

/// What is known of a network that is complete: its record is written last. Errors: InputError where
/// the folder holds something else.
std::optional<json> record_of(const ReadyNetwork& network, const std::string& hash,
                              const std::string& folder) {
  if (!fs::exists(folder)) return std::nullopt;
  const auto refuse = [&](const std::string& found) {
    throw InputError(folder + ": expected the network " + network.name +
                     " of this version, found " + found + "; remove the folder");
  };
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::set<std::string> known = {kWeights, kExamples, kCard,   kRecord,
                                         kOnnx,    kTensors,  kCircuit};
    if (!known.contains(name)) refuse(in_quotes(name));
  }
  const std::string file = folder + "/" + kRecord;
  if (!fs::exists(file)) return std::nullopt;
  const json record = json::parse(read_text_file(file), nullptr, false);
  if (!record.is_object() || record.value("sha256", "") != hash) refuse("another one");
  return std::make_optional(record);
}

json write_network(const ReadyNetwork& network, const CheckedModel& model, const std::string& hash,
                   const std::string& folder) {
  const OutputFolder around(folder);
  const auto path = [&](const char* name) { return folder + "/" + name; };
  const Measures sizes = measure(model, 1);
  const std::optional<StateNumbers> numbers = state_numbers(model);
  save_weights(model, path(kWeights));
  const Exported tensors =
      exported(model, ExportTarget::safetensors, network.length, path(kTensors));
  const Exported onnx = exported(model, ExportTarget::onnx, network.length, path(kOnnx));
  const Exported circuit = exported_with(ExportAttention::separated, model, ExportTarget::circuit,
                                         network.length, path(kCircuit));
  write_whole_file(path(kExamples), zoo_examples(model, numbers, network.length));
  write_whole_file(path(kCard), card(network, model, hash, numbers, sizes, tensors, onnx, circuit));
  json files = {kWeights, kExamples, kCard};
  if (tensors.written) files.push_back(kTensors);
  if (onnx.written) files.push_back(kOnnx);
  if (circuit.written) files.push_back(kCircuit);
  const json record = {{"schema", "logdepth/zoo/1"},
                       {"name", network.name},
                       {"family", network.family},
                       {"computes", network.computes},
                       {"command", network.command},
                       {"sha256", hash},
                       {"depth", depth_formula(model)},
                       {"width", sizes.width},
                       {"nonzeros", sizes.nonzeros},
                       {"length", tensors.length},
                       {"onnx_length", onnx.length},
                       {"attention", attention_text(tensors)},
                       {"onnx_attention", attention_text(onnx)},
                       {"files", files}};
  write_whole_file(path(kRecord), record.dump(1) + "\n");
  return record;
}

std::string table(const json& records) {
  std::string text = fmt::format(
      "# Compiled networks\n\n{} of `logdepth zoo`, each in its folder: exact weights, "
      "safetensors, ONNX, circuits of words, exact examples and a card.\n\n| network | family | "
      "computes | depth | width | nonzero weights |\n|---|---|---|---|---|---|\n",
      counted(records.size(), "network"));
  for (const json& one : records)
    text +=
        fmt::format("| [{0}]({0}/README.md) | {1} | {2} | {3} | {4} | {5} |\n",
                    one.at("name").get<std::string>(), one.at("family").get<std::string>(),
                    one.at("computes").get<std::string>(), one.at("depth").get<std::string>(),
                    one.at("width").get<std::uint64_t>(), one.at("nonzeros").get<std::uint64_t>());
  return text;
}

int zoo(const ZooOptions& options) {
  const std::vector<ReadyNetwork> networks = chosen_networks(options);
  if (options.list) {
    for (const ReadyNetwork& network : networks)
      std::cout << network.name << " (" << network.family << "): " << network.computes << '\n';
    return kDone;
  }
  if (options.output.empty()) throw InputError("OUT: expected the name of a folder");
  const OutputFolder around(options.output);
  json records = json::array();
  std::size_t before = 0;
  {
    Progress progress("zoo", "networks");
    for (const ReadyNetwork& network : networks) {
      const CheckedModel model = network.compile();
      const std::string hash = weights_hash(model);
      const std::string folder = options.output + "/" + network.name;
      auto record = record_of(network, hash, folder);
      if (record) ++before;
      records.push_back(record ? *record : write_network(network, model, hash, folder));
      progress(records.size(), networks.size());
    }
  }
  write_whole_file(options.output + "/zoo.json", records.dump(1) + "\n");
  write_whole_file(options.output + "/README.md", table(records));
  std::cerr << "wrote " << options.output << ": " << counted(records.size(), "network")
            << (before > 0 ? fmt::format(", {} of them before", before) : "") << '\n';
  return kDone;
}

}  // namespace

Command add_zoo(CLI::App& app) {
  auto options = std::make_shared<ZooOptions>();
  CLI::App* command = app.add_subcommand(
      "zoo",
      "write 100 compiled networks with exports, exact examples and cards; an interrupted command "
      "is resumed by repeating it\nExample: logdepth zoo networks");
  command->add_option("OUT", options->output, "folder to write, one folder per network in it");
  command->add_option("--only", options->only, "write only the network of this name");
  command->add_flag("--list", options->list, "list the networks without writing them");
  command->add_flag("--circuits", options->circuits,
                    "60 networks of words with a fixed number of layers, for tools that look for "
                    "circuits");
  add_run_limits(*command);
  return [options] { return zoo(*options); };
}

}}  // namespace logdepth::cli
