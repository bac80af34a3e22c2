#include "library/exports/circuit_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/cell_names.hpp"
#include "constructions/catalogue/catalogue.hpp"
#include "library/exports/network.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::exports {
namespace {

using nlohmann::ordered_json;
using Kind = CircuitNode::Kind;

constexpr const char* kCircuit = "circuit.json";
constexpr const char* kEap = "circuit.eap.json";
constexpr const char* kAutoCircuit = "edges.autocircuit.json";
constexpr const char* kPyvene = "pyvene.json";
constexpr const char* kPairs = "pairs.csv";
constexpr const char* kPrompts = "prompts.json";
const std::set<std::string> kCircuitFiles = {kCircuit, kEap,   kAutoCircuit,
                                             kPyvene,  kPairs, kPrompts};

/// All words of a length are run to find pairs, as long as they are no more than these.
constexpr std::uint64_t kMostWords = 4096;

std::string kind_text(Kind kind) {
  static constexpr std::array kTexts = {"embed", "pos", "head", "mlp", "logits"};
  return kTexts[static_cast<std::size_t>(kind)];
}
std::string kind_text(CircuitEdge::Kind kind) {
  return kind == CircuitEdge::Kind::structural ? "structural" : "norm";
}

/// "a0.h1->m0", "embed->a0.h0<q>".
std::string edge_name(const std::string& source, const std::string& target,
                      const std::string& part) {
  return source + "->" + target + (part.empty() ? "" : "<" + part + ">");
}

/// "initial.0", "repeated.TURN.0", "final.0".
std::string torch_layer(const Model& model, const CircuitNode& node) {
  const Shape& shape = model.shape;
  const Block block = model.layers[node.file_layer].block;
  if (block == Block::initial) return fmt::format("initial.{}", node.file_layer);
  const std::size_t at = node.file_layer - shape.initial;
  if (block == Block::final) return fmt::format("final.{}", at - shape.repeated);
  return fmt::format("repeated.{}.{}", (node.layer - shape.initial) / shape.repeated, at);
}

/// Where torch (unrolled) and TransformerLens show what a node writes; of an mlp torch shows the units.
ordered_json hooks_json(const Model& model, const CircuitNode& node) {
  switch (node.kind) {
    case Kind::embed:
      return {{"transformer_lens", "hook_embed"}};
    case Kind::pos:
      return {{"transformer_lens", "hook_pos_embed"}};
    case Kind::logits:
      return {{"transformer_lens", "unembed.hook_out"}};
    case Kind::head:
      return {{"torch", fmt::format("{}.heads.{}.result", torch_layer(model, node), node.head)},
              {"transformer_lens",
               fmt::format("blocks.{}.attn.hook_result[{}]", node.layer, node.head)}};
    case Kind::mlp:
      break;
  }
  return {{"torch", torch_layer(model, node) + ".units"},
          {"transformer_lens", fmt::format("blocks.{}.hook_mlp_out", node.layer)}};
}

ordered_json node_json(const Model& model, const CircuitNode& node) {
  ordered_json json = {{"name", node.name}, {"kind", kind_text(node.kind)}};
  const bool layered = node.kind == Kind::head || node.kind == Kind::mlp;
  if (layered) json.update({{"layer", node.layer}, {"file_layer", node.file_layer}});
  if (node.kind == Kind::head)
    json.update({{"head", node.head},
                 {"title", node.title},
                 {"selects", node.selects},
                 {"copies", node.copies}});
  json["hooks"] = hooks_json(model, node);
  json["reads"] = node.reads;
  json["writes"] = node.writes;
  return json;
}

ordered_json units_json(const std::vector<CircuitUnit>& units) {
  ordered_json all = ordered_json::array();
  for (const CircuitUnit& unit : units)
    all.push_back({{"when", unit.when},
                   {"then", unit.then},
                   {"lookup", unit.lookup.empty() ? ordered_json() : ordered_json(unit.lookup)}});
  return all;
}

ordered_json edge_json(const Circuit& circuit, const CircuitEdge& edge) {
  ordered_json json = {{"source", circuit.nodes[edge.source].name},
                       {"target", circuit.nodes[edge.target].name},
                       {"part", edge.part},
                       {"kind", kind_text(edge.kind)},
                       {"varies", edge.varies},
                       {"entries", edge.entries},
                       {"reason", nullptr},
                       {"cells", edge.cells},
                       {"read_cells", nullptr}};
  if (edge.reason)
    json["reason"] = {{"row", edge.reason->row},
                      {"column", edge.reason->column},
                      {"value", edge.reason->value.text()}};
  if (edge.read_cells) json["read_cells"] = *edge.read_cells;
  return json;
}

// --- what other tools read -------------------------------------------------------------------------

/// All edges of a transformer of these layers and heads, as EAP-IG and auto-circuit number them.
struct ToolEdge {
  std::string source, target, part;
};
std::vector<ToolEdge> tool_edges(std::size_t layers, std::size_t heads) {
  std::vector<std::string> stream = {"input"};
  std::vector<ToolEdge> all;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::vector<std::string> here;
    for (std::size_t k = 0; k < heads; ++k) here.push_back(fmt::format("a{}.h{}", layer, k));
    for (const std::string& source : stream)
      for (const std::string& target : here)
        for (const char* part : {"q", "k", "v"}) all.push_back({source, target, part});
    stream.insert(stream.end(), here.begin(), here.end());
    const std::string mlp = fmt::format("m{}", layer);
    for (const std::string& source : stream) all.push_back({source, mlp, ""});
    stream.push_back(mlp);
  }
  for (const std::string& source : stream) all.push_back({source, "logits", ""});
  return all;
}

/// The structural edges, `input` being these nodes.
std::set<std::string> structural(const Circuit& circuit, const std::set<std::string>& input) {
  std::set<std::string> names;
  for (const CircuitEdge& edge : circuit.edges) {
    if (edge.kind != CircuitEdge::Kind::structural) continue;
    const CircuitNode& source = circuit.nodes[edge.source];
    const bool begins = source.kind == Kind::embed || source.kind == Kind::pos;
    if (begins && !input.contains(source.name)) continue;
    names.insert(
        edge_name(begins ? "input" : source.name, circuit.nodes[edge.target].name, edge.part));
  }
  return names;
}

/// EAP-IG and the circuit track of MIB. `input` is hook_embed: positions have no node there. EAP-IG fails on
/// layers of one head, so there is a second one.
ordered_json eap_json(const Circuit& circuit, std::size_t width) {
  const std::size_t heads = std::max<std::size_t>(circuit.heads, 2);
  const std::set<std::string> inside = structural(circuit, {"embed"});
  ordered_json nodes = {{"input", {{"in_graph", true}}}}, edges;
  for (std::size_t layer = 0; layer < circuit.layers; ++layer) {
    for (std::size_t k = 0; k < heads; ++k)
      nodes[fmt::format("a{}.h{}", layer, k)] = {{"in_graph", false}};
    nodes[fmt::format("m{}", layer)] = {{"in_graph", false}};
  }
  nodes["logits"] = {{"in_graph", true}};
  for (const ToolEdge& edge : tool_edges(circuit.layers, heads)) {
    const std::string name = edge_name(edge.source, edge.target, edge.part);
    const bool in = inside.contains(name);
    edges[name] = {{"score", in ? 1.0 : 0.0}, {"in_graph", in}};
    for (const std::string& node : {edge.source, edge.target})
      if (in) nodes[node]["in_graph"] = true;
  }
  return {{"cfg",
           {{"n_layers", circuit.layers},
            {"n_heads", heads},
            {"parallel_attn_mlp", false},
            {"d_model", width}}},
          {"nodes", nodes},
          {"edges", edges}};
}

/// "Resid Start->A0.0.Q"; Resid Start is the embedded stream, with positions.
ordered_json autocircuit_json(const Circuit& circuit) {
  const std::size_t heads = std::max<std::size_t>(circuit.heads, 2);
  const std::set<std::string> inside = structural(circuit, {"embed", "pos"});
  const auto node = [](const std::string& name, const std::string& part) -> std::string {
    if (name == "input") return "Resid Start";
    if (name == "logits") return "Resid End";
    if (name.front() == 'm') return "MLP " + name.substr(1);
    std::string head = "A" + name.substr(1);
    head.erase(head.find('h'), 1);
    return part.empty() ? head : head + "." + static_cast<char>(part[0] - 'a' + 'A');
  };
  ordered_json names = ordered_json::array();
  for (const ToolEdge& edge : tool_edges(circuit.layers, heads))
    if (inside.contains(edge_name(edge.source, edge.target, edge.part)))
      names.push_back(node(edge.source, "") + "->" + node(edge.target, edge.part));
  return names;
}

/// Where the cells lie in the stream after a block, for RepresentationConfig(subspace_partition=...).
ordered_json pyvene_json(const Model& model, const Circuit& circuit) {
  std::vector<std::string> owner(model.width);
  for (const auto& [name, cell] : model.cells)
    for (const std::uint32_t c : cell.coordinates) owner[c] = name;
  ordered_json partition = ordered_json::array(), cells = ordered_json::array(), places;
  for (std::size_t first = 0; first < owner.size();) {
    std::size_t end = first + 1;
    while (end < owner.size() && owner[end] == owner[first]) ++end;
    partition.push_back({first, end});
    cells.push_back(owner[first].empty() ? ordered_json() : ordered_json(owner[first]));
    first = end;
  }
  for (std::size_t layer = 0; layer < circuit.layers; ++layer)
    places.push_back({{"layer", layer},
                      {"component", fmt::format("blocks[{}].output", layer)},
                      {"unit", "pos"}});
  return {{"subspace_partition", partition}, {"cells", cells}, {"representations", places}};
}

// --- pairs -----------------------------------------------------------------------------------------

struct WordPair {
  std::size_t clean = 0, corrupted = 0;  // of all words of the length
  std::size_t letter = 0;                // that differs
};

/// All words of one length with their exact verdicts, and pairs of them that differ in one letter and in the
/// verdict; as many as asked that are accepted as that are rejected, where there are.
class Pairs {
 public:
  Pairs(const Model& model, const ExportSettings& settings) : model_(model) {
    const std::size_t letters = model.alphabet.size();
    for (; length_ < settings.length && count_ * letters <= kMostWords; ++length_)
      count_ *= letters;
    if (length_ == 0) length_ = 1, count_ = letters;
    Runner runner(model);
    for (std::size_t i = 0; i < count_; ++i) {
      std::optional<bool>& verdict = verdicts_.emplace_back();
      const Tokens tokens = tokens_of(model, word(i)).value();
      const auto stream = runner.run(tokens);
      if (!stream.has_value()) continue;  // outside the field
      const auto accepted = runner.accepts(stream.value(), tokens.kinds.size() - 1);
      if (accepted.has_value()) verdict = accepted.value();
    }
    choose(settings);
  }

  std::size_t size() const { return chosen_.size(); }
  std::size_t length() const { return length_; }

  std::string csv() const {
    const auto& output = std::get<AcceptOutput>(model_.output);
    std::string text = "clean,corrupted,correct_idx,incorrect_idx,variable,token\n";
    for (const WordPair& pair : chosen_) {
      const bool yes = *verdicts_[pair.clean];
      text += fmt::format("{},{},{},{},letter,{}\n", quoted(pair.clean), quoted(pair.corrupted),
                          yes ? output.accept : output.reject, yes ? output.reject : output.accept,
                          pair.letter + std::get<WordInput>(model_.input).begin);
    }
    return text;
  }

  /// auto-circuit: tokens, as numbers.
  ordered_json prompts() const {
    const auto& output = std::get<AcceptOutput>(model_.output);
    ordered_json prompts = ordered_json::array();
    for (const WordPair& pair : chosen_) {
      const bool yes = *verdicts_[pair.clean];
      prompts.push_back({{"clean", numbers(pair.clean)},
                         {"corrupt", numbers(pair.corrupted)},
                         {"answers", {yes ? output.accept : output.reject}},
                         {"wrong_answers", {yes ? output.reject : output.accept}}});
    }
    return {{"prompts", prompts}};
  }

 private:
  /// The word of this number, its first letter counting least.
  std::vector<std::string> word(std::size_t number) const {
    std::vector<std::string> letters;
    for (std::size_t i = 0; i < length_; ++i, number /= model_.alphabet.size())
      letters.push_back(model_.alphabet[number % model_.alphabet.size()]);
    return letters;
  }
  /// Letters with blanks between them, in quotes where CSV asks for them.
  std::string quoted(std::size_t number) const {
    const std::string text = joined(word(number), " ");
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string escaped = "\"";
    for (const char c : text) escaped += c == '"' ? "\"\"" : std::string(1, c);
    return escaped + "\"";
  }
  ordered_json numbers(std::size_t number) const {
    std::vector<std::string> kinds = model_.alphabet;
    for (const std::string& kind : extra_kinds(model_.input)) kinds.push_back(kind);
    ordered_json all = ordered_json::array();
    const Tokens tokens = tokens_of(model_, word(number)).value();
    for (const std::string& kind : tokens.kinds)
      all.push_back(std::ranges::find(kinds, kind) - kinds.begin());
    return all;
  }

  void choose(const ExportSettings& settings) {
    std::array<std::vector<WordPair>, 2> all;  // clean rejected, accepted
    std::size_t place = 1;
    for (std::size_t letter = 0; letter < length_; ++letter, place *= model_.alphabet.size())
      for (std::size_t i = 0; i < count_; ++i)
        for (std::size_t other = 0; other < model_.alphabet.size(); ++other) {
          const std::size_t own = i / place % model_.alphabet.size();
          const std::size_t j = i - own * place + other * place;
          if (verdicts_[i] && verdicts_[j] && *verdicts_[i] != *verdicts_[j])
            all[*verdicts_[i]].push_back({i, j, letter});
        }
    std::mt19937_64 random(settings.seed);
    for (std::vector<WordPair>& of : all)
      for (std::size_t i = of.size(); i > 1; --i) std::swap(of[i - 1], of[random() % i]);
    for (std::size_t i = 0; chosen_.size() < settings.pairs && i < all[0].size(); ++i)
      for (const std::vector<WordPair>& of : all)
        if (chosen_.size() < settings.pairs) chosen_.push_back(of[i]);
  }

  const Model& model_;
  std::size_t length_ = 0, count_ = 1;
  std::vector<std::optional<bool>> verdicts_;
  std::vector<WordPair> chosen_;
};

}  // namespace

std::string circuit_json(const Model& model, const Circuit& circuit, CircuitNorms norms) {
  ordered_json folded = ordered_json::array(), cells = ordered_json::object(),
               units = ordered_json::object(), nodes, edges = ordered_json::array();
  const auto text = [](bool proved) { return proved ? "folded" : "computed"; };
  for (std::size_t layer = 0; layer < circuit.layers; ++layer)
    folded.push_back({{"attention", text(circuit.attention_folded[layer])},
                      {"feedforward", text(circuit.feedforward_folded[layer])}});
  const auto construction = std::ranges::find_if(
      catalogue(), [&](const Construction& one) { return one.key.name == model.construction; });
  for (const CellSheet& cell : cell_meanings(model))
    cells[cell.name] = {
        {"coordinates", cell.coordinates},
        {"type", cell.type},
        {"lifetime", cell.lifetime},
        {"meaning", cell.meaning},
        {"holds", construction == catalogue().end() ? "" : construction->cell_text(cell.name)}};
  for (const CircuitNode& node : circuit.nodes) {
    nodes.push_back(node_json(model, node));
    // A looped layer runs often and has its units once.
    if (node.kind == Kind::mlp && !units.contains(std::to_string(node.file_layer)))
      units[std::to_string(node.file_layer)] = units_json(node.units);
  }
  for (const CircuitEdge& edge : circuit.edges)
    if (edge.kind != CircuitEdge::Kind::none) edges.push_back(edge_json(circuit, edge));
  return ordered_json{{"schema", "logdepth/circuit/1"},
                      {"model", model.name},
                      {"sha256", weights_hash(model)},
                      {"semantics", norms == CircuitNorms::file ? "as_file" : "as_exported"},
                      {"norm", norm_name(model.norm)},
                      {"letters", circuit.letters},
                      {"tokens", circuit.tokens},
                      {"loops", circuit.loops},
                      {"width", model.width},
                      {"n_layers", circuit.layers},
                      {"n_heads", circuit.heads},
                      {"norms", folded},
                      {"possible", circuit.edges.size()},
                      {"coordinates", circuit.coordinates},
                      {"cells", cells},
                      {"nodes", nodes},
                      {"units", units},
                      {"edges", edges}}
             .dump(1) +
         "\n";
}

ExportReport write_circuit(const Model& model, const ExportSettings& settings,
                           const std::string& path) {
  require_length(model, settings.length);
  if (!std::holds_alternative<WordInput>(model.input))
    throw ExportRefused("the weights file " + in_quotes(model.name) +
                        " reads no words; a circuit is written of networks that read words");
  if (settings.pairs > 0 && !std::holds_alternative<AcceptOutput>(model.output))
    throw ExportRefused("the weights file " + in_quotes(model.name) +
                        " has no verdict, so no pairs of words; expected --pairs 0");
  if (settings.attention != ExportAttention::separated || settings.single || settings.certify)
    throw InputError(
        "--to circuit writes exact edges: --temperature, --precision and --certify are of other "
        "targets");
  WholeFolder folder(path, kCircuitFiles);
  const CircuitNorms norms = settings.file_norms ? CircuitNorms::file : CircuitNorms::exported;
  const Circuit circuit = circuit_of(model, settings.length, norms);
  const auto write = [&](const char* name, const std::string& text) {
    write_whole_file(folder.file(name), text);
  };
  write(kCircuit, circuit_json(model, circuit, norms));
  write(kEap, eap_json(circuit, model.width).dump(1) + "\n");
  write(kAutoCircuit, autocircuit_json(circuit).dump(1) + "\n");
  write(kPyvene, pyvene_json(model, circuit).dump(1) + "\n");
  std::string pairs = "no pairs";
  if (settings.pairs > 0) {
    const Pairs found(model, settings);
    write(kPairs, found.csv());
    write(kPrompts, found.prompts().dump(1) + "\n");
    pairs =
        fmt::format("{} of {}", counted(found.size(), "pair"), counted(found.length(), "letter"));
  }
  folder.commit();
  ExportReport report;
  report.loops = circuit.loops;
  report.tokens = circuit.tokens;
  report.text = fmt::format(
      "circuit for {}: {} nodes, {} of {} possible edges structural, {} through a norm; {}",
      counted(circuit.letters, "letter"), circuit.nodes.size(),
      circuit.count(CircuitEdge::Kind::structural), circuit.edges.size(),
      circuit.count(CircuitEdge::Kind::norm), pairs);
  return report;
}

}  // namespace logdepth::exports
