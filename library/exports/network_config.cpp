#include "library/exports/network_config.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/file/cell_names.hpp"
#include "compiler/program/program.hpp"
#include "library/exports/python_modules.hpp"
#include "runtime/file/model_meaning.hpp"
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
  return {{"name", head.name},
          {"causal", head.causal},
          {"compares", head.compares},
          {"tolerance", {{"value", head.tolerance}, {"relative", head.relative}}},
          {"temperature", hard ? json() : json(head.temperature)},
          {"gap", head.gap > 0 ? json(head.gap) : json()},
          {"rounding", head.loss}};
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

/// Text of the file between as many backticks as it does not have.
std::string code(const std::string& text) {
  const std::string shown = printable(text, kMostPrinted);
  std::string mark = "`";
  while (shown.find(mark) != std::string::npos) mark += '`';
  const std::string blank = mark.size() > 1 ? " " : "";
  return mark + blank + shown + blank + mark;
}

/// A bar would end the cell, also between backticks.
std::string row(const std::string& key, const std::string& value) {
  std::string cell;
  for (const char c : value) cell += c == '|' ? "\\|" : std::string(1, c);
  return fmt::format("| {} | {} |\n", key, cell);
}

std::string kind_of(const json& config) {
  return config.at("input").at("kind").get<std::string>();
}

std::string input_text(const json& config) {
  const json& input = config.at("input");
  const std::string kind = kind_of(config);
  const auto length = config.at("length").get<std::uint64_t>();
  if (kind == "word") {
    std::vector<std::string> letters;
    for (const json& letter : config.at("alphabet")) letters.push_back(code(letter));
    return fmt::format("words of at most {} over {}{}{}", counted(length, "letter"),
                       joined(letters, " "),
                       input.value("begin", false) ? ", after a token `<begin>`" : "",
                       input.value("end", false) ? ", before a token `<end>`" : "");
  }
  if (kind == "graph")
    return fmt::format("directed graphs of at most {}, as {}",
                       counted(length, "vertex", "vertices"),
                       input.at("layout") == "rows" ? "rows of the adjacency matrix"
                                                    : "tokens of the adjacency matrix");
  std::vector<std::string> names;
  for (const json& name : input.at("names")) names.push_back(code(name));
  return fmt::format("raw streams of at most {}, with the values {}", counted(length, "token"),
                     joined(names));
}

std::string answer_text(const json& config) {
  const json& output = config.at("output");
  const std::string kind = output.at("kind");
  if (kind == "relation")
    return "token i, row j: above 0 if vertex j is reached from vertex i (`relation`)";
  if (kind == "cells") {
    std::vector<std::string> names;
    for (const json& name : output.at("names")) names.push_back(code(name));
    return "numbers of every token: " + joined(names) + " (`numbers`)";
  }
  std::string text = fmt::format("last token: accepted if row {} is larger than row {} (`verdict`)",
                                 output.at("accept").get<int>(), output.at("reject").get<int>());
  if (output.contains("prefix"))
    text += "; every letter: " +
            std::string(output.at("prefix").at("kind") == "state" ? "the state after"
                                                                  : "the product of") +
            " the letters so far (`prefixes`)";
  return text;
}

/// An input that the export takes, as a Python value.
std::string example_of(const json& config) {
  const std::string kind = kind_of(config);
  if (kind == "graph") return config.at("input").at("layout") == "rows" ? "[[1]]" : "([[1]], 0, 0)";
  if (kind == "cells") return json(config.at("examples").at(0).at("given")).dump();
  // A list of one letter; json escapes it as Python reads it.
  return "[" + config.at("alphabet").at(0).dump(-1, ' ', true) + "]";
}

std::string opening(const json& config, ExportTarget target) {
  const std::string example = example_of(config);
  switch (target) {
    case ExportTarget::torch:
      return "import logdepth_torch\n\nnetwork = "
             "logdepth_torch.load(\".\")\nprint(network.answer(" +
             example + ").tolist())\n";
    case ExportTarget::transformer_lens:
      return "import logdepth_lens\n\nbridge = logdepth_lens.load(\".\")\n"
             "print(bridge.logdepth.answer(" +
             example + ").tolist())\n";
    case ExportTarget::safetensors:
      return "import json\nfrom safetensors.numpy import load_file\n\n"
             "config = json.load(open(\"config.json\"))\n"
             "print(load_file(\"model.safetensors\")[\"unembedding\"].shape)\n";
    case ExportTarget::onnx:
    case ExportTarget::circuit:
      break;
  }
  return "import json, types\nimport numpy, onnxruntime\n\n"
         "session = onnxruntime.InferenceSession(FILE)\n"
         "entries = session.get_modelmeta().custom_metadata_map\n"
         "config, answers = json.loads(entries[\"logdepth\"]), types.ModuleType(\"answers\")\n"
         "exec(entries[\"logdepth_answers.py\"], answers.__dict__)\n"
         "print(session.run([\"logits\"], answers.feeds(config, " +
         example + ", numpy))[0][0].tolist())\n";
}

std::string known(const json& config, bool certificate) {
  const json& tested = config.at("tested");
  std::string text = fmt::format(
      "- Tested before writing: {} answers of {} inputs are those of the exact run",
      tested.at("answers").get<std::uint64_t>(), tested.at("inputs").get<std::uint64_t>());
  if (kind_of(config) == "word")
    text += fmt::format("; all words of at most {} are among them",
                        counted(tested.at("all_words_to_length").get<std::uint64_t>(), "letter"));
  text += ".\n";
  text += config.at("certified").at("to_length").is_null()
              ? "- Not proved: that every head selects what the exact run selects.\n"
              : "- Proved: every head that reads the exact stream, rounded, selects what the exact "
                "run selects, up to the length.\n";
  text += certificate ? "- Certified: every answer up to the length (`certificate.json`; "
                        "recheck/float_recheck.py of logdepth confirms it).\n"
                      : "- Not proved: that every answer is that of the exact run.\n";
  return text + "- Longer inputs are rejected. Equal logits are undecided and no answer.\n";
}

/// A name for every row of the unembedding: "accept", "image 2 of point 0", ...
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

}  // namespace

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
  const CarriedProgram carried(model, Trust::plausible);
  const CellNames names(model, carried.fitted() ? carried.program() : nullptr);
  for (std::uint32_t c = 0; c < network.width; ++c)
    config["residual"].push_back((names.is_mirror(c) ? "-" : "") + names.component(c));
  for (const NetworkLayer& layer : network.layers) {
    json heads = json::array();
    for (const NetworkHead& head : layer.heads) heads.push_back(head_json(head, network.hard));
    config["layers"].push_back(
        {{"block", block_name(layer.block)},
         {"attention", {{"norm", norm_json(layer.attention)}, {"heads", heads}}},
         {"feedforward", {{"norm", norm_json(layer.feedforward)}}}});
  }
  config["examples"] = examples_json(network, test);
  return config;
}

std::string model_card(const json& config, ExportTarget target, bool certificate) {
  std::string card = fmt::format("# {}\n\n", code(config.at("name")));
  card +=
      "A transformer that was compiled, not trained: its weights follow from a construction, and "
      "every\nactivation has a known meaning. The exact network is the weights file with this "
      "SHA-256.\n\n| | |\n|---|---|\n";
  card += row("construction", code(config.at("construction")));
  card += row("source", code(config.at("source")));
  card += row("SHA-256", code(config.at("sha256")));
  card += row("input", input_text(config));
  card += row("answer", answer_text(config));
  card +=
      row("numbers", fmt::format("{}, {} attention, width {}, {} of the repeated block",
                                 config.at("precision").get<std::string>(),
                                 config.at("attention") == "hard" ? "averaging-hard" : "softmax",
                                 config.at("width").get<std::uint64_t>(),
                                 counted(config.at("loops").get<std::uint64_t>(), "loop")));
  if (kind_of(config) == "word" && target != ExportTarget::onnx)
    card +=
        "\nWhich part reads what which part writes, edge by edge and exactly, is in "
        "`circuit.json`.";
  card += fmt::format(
      "\nNames of dimensions, tokens and logits are in the configuration (`residual`, `tokens`, "
      "`logits`).\nNames in brackets are functions of "
      "`logdepth_answers.py`.\n\n```python\n{}```\n\n{}",
      opening(config, target), known(config, certificate));
  return card;
}

namespace {

/// A message of Protocol Buffers, written field by field: numbers as varints, everything else as
/// its length and its bytes.
class ProtobufMessage {
 public:
  ProtobufMessage& number(std::uint32_t field, std::uint64_t value) {
    put(std::uint64_t{field} << 3);
    put(value);
    return *this;
  }
  ProtobufMessage& bytes(std::uint32_t field, std::string_view value) {
    put(std::uint64_t{field} << 3 | 2);
    put(value.size());
    text_ += value;
    return *this;
  }
  ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& value) {
    return bytes(field, value.text_);
  }
  const std::string& text() const { return text_; }

 private:
  void put(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value % 128 + 128);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

// Numbers of the fields, by the messages of onnx.proto.
namespace field {
constexpr std::uint32_t model_ir_version = 1, model_producer = 2, model_graph = 7, model_opset = 8,
                        model_metadata = 14;
constexpr std::uint32_t graph_node = 1, graph_name = 2, graph_initializer = 5, graph_input = 11,
                        graph_output = 12;
constexpr std::uint32_t node_input = 1, node_output = 2, node_name = 3, node_operation = 4,
                        node_attribute = 5;
constexpr std::uint32_t attribute_name = 1, attribute_whole = 3, attribute_wholes = 8,
                        attribute_type = 20;
constexpr std::uint32_t tensor_dimension = 1, tensor_type = 2, tensor_name = 8, tensor_bytes = 9;
}  // namespace field
constexpr std::uint64_t kWhole = 2, kWholes = 7;  // AttributeProto.AttributeType
constexpr std::uint64_t kIrVersion = 8, kOpset = 17;

/// A graph of ONNX (onnx.proto of ONNX 1.12, opset 17) that grows node by node. What a node gives is
/// called by the node's name.
class OnnxGraph {
 public:
  enum class Type : std::uint64_t { float32 = 1, int64 = 7, float64 = 11 };
  using Whole = std::map<std::string, std::int64_t>;
  using Wholes = std::map<std::string, std::vector<std::int64_t>>;

  /// Attributes are whole numbers, or lists of them. Returns the name.
  std::string node(const std::string& name, const std::string& operation,
                   const std::vector<std::string>& inputs, const Whole& attributes = {},
                   const Wholes& lists = {}) {
    ProtobufMessage node;
    for (const std::string& input : inputs) node.bytes(field::node_input, input);
    node.bytes(field::node_output, name).bytes(field::node_name, name);
    node.bytes(field::node_operation, operation);
    for (const auto& [key, value] : attributes)
      node.message(field::node_attribute,
                   ProtobufMessage()
                       .bytes(field::attribute_name, key)
                       .number(field::attribute_whole, static_cast<std::uint64_t>(value))
                       .number(field::attribute_type, kWhole));
    for (const auto& [key, values] : lists) {
      ProtobufMessage attribute;
      attribute.bytes(field::attribute_name, key);
      for (const std::int64_t value : values)
        attribute.number(field::attribute_wholes, static_cast<std::uint64_t>(value));
      node.message(field::node_attribute, attribute.number(field::attribute_type, kWholes));
    }
    nodes_.message(field::graph_node, node);
    return name;
  }

  /// `bytes`: little-endian. Returns the name; the same name again is the same constant.
  std::string constant(const std::string& name, Type type, const std::vector<std::uint64_t>& shape,
                       const std::string& bytes) {
    if (!constants_.insert(name).second) return name;
    ProtobufMessage tensor;
    for (const std::uint64_t size : shape) tensor.number(field::tensor_dimension, size);
    tensor.number(field::tensor_type, static_cast<std::uint64_t>(type));
    tensor.bytes(field::tensor_name, name).bytes(field::tensor_bytes, bytes);
    initializers_.message(field::graph_initializer, tensor);
    return name;
  }

  /// A dimension is a number or a name.
  void input(const std::string& name, Type type, const std::vector<std::string>& shape) {
    inputs_.message(field::graph_input, value_info(name, type, shape));
  }

  void output(const std::string& name, Type type, const std::vector<std::string>& shape) {
    outputs_.message(field::graph_output, value_info(name, type, shape));
  }

  /// The bytes of the model.
  std::string model(const std::string& name,
                    const std::map<std::string, std::string>& metadata) const {
    // A message is its fields one after the other.
    const std::string graph = nodes_.text() +
                              ProtobufMessage().bytes(field::graph_name, name).text() +
                              initializers_.text() + inputs_.text() + outputs_.text();
    ProtobufMessage model;
    model.number(field::model_ir_version, kIrVersion).bytes(field::model_producer, "logdepth");
    model.bytes(field::model_graph, graph);
    model.message(field::model_opset, ProtobufMessage().bytes(1, "").number(2, kOpset));
    for (const auto& [key, value] : metadata)
      model.message(field::model_metadata, ProtobufMessage().bytes(1, key).bytes(2, value));
    return model.text();
  }

 private:
  static ProtobufMessage value_info(const std::string& name, Type type,
                                    const std::vector<std::string>& shape) {
    ProtobufMessage dimensions;
    for (const std::string& size : shape) {
      const bool number = std::all_of(size.begin(), size.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
      dimensions.message(1, number ? ProtobufMessage().number(1, std::stoull(size))
                                   : ProtobufMessage().bytes(2, size));
    }
    const ProtobufMessage tensor =
        ProtobufMessage().number(1, static_cast<std::uint64_t>(type)).message(2, dimensions);
    return ProtobufMessage().bytes(1, name).message(2, ProtobufMessage().message(1, tensor));
  }

  ProtobufMessage nodes_, initializers_, inputs_, outputs_;
  std::set<std::string> constants_;
};

template <class Real>
class OnnxWriter {
 public:
  OnnxWriter(const Network& network, const FloatArrays& arrays)
      : network_(network), arrays_(arrays) {}

  std::string write(const GivenPlace& given, const nlohmann::json& config) {
    begin(given);
    run_block(Block::initial);
    for (std::uint64_t loop = 0; loop < network_.loops; ++loop) run_block(Block::repeated);
    run_block(Block::final);
    graph_.node("logits", "MatMul", {h_, transposed("unembedding")});
    graph_.output("logits", kType, stream_of(arrays_.at("unembedding").rows));
    return graph_.model(config.at("name"),
                        {{"logdepth", config.dump()},
                         {"logdepth_answers.py", kAnswersModule},
                         {"model_card.md", model_card(config, ExportTarget::onnx, false)}});
  }

 private:
  static constexpr auto kType =
      std::is_same_v<Real, float> ? OnnxGraph::Type::float32 : OnnxGraph::Type::float64;
  static constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

  static std::vector<std::string> stream_of(std::size_t size) {
    return {"batch", "length", std::to_string(size)};
  }
  template <class Number>
  static std::string bytes_of(const std::vector<Number>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
  }
  std::string scalar(Real value) {
    return graph_.constant(fmt::format("{}", value), kType, {}, bytes_of<Real>({value}));
  }
  std::string whole(const char* name, const std::vector<std::uint64_t>& shape, std::int64_t value) {
    return graph_.constant(name, OnnxGraph::Type::int64, shape, bytes_of<std::int64_t>({value}));
  }
  std::string matrix(const std::string& name) {
    const FloatArray& array = arrays_.at(name);
    return graph_.constant(name, kType, {array.rows, array.columns},
                           bytes_of(std::vector<Real>(array.numbers.begin(), array.numbers.end())));
  }
  /// As the right factor of a product.
  std::string transposed(const std::string& name) {
    const FloatArray& array = arrays_.at(name);
    std::vector<Real> numbers;
    for (std::size_t column = 0; column < array.columns; ++column)
      for (std::size_t row = 0; row < array.rows; ++row)
        numbers.push_back(static_cast<Real>(array.numbers[row * array.columns + column]));
    return graph_.constant(name + ".transposed", kType, {array.columns, array.rows},
                           bytes_of(numbers));
  }

  void begin(const GivenPlace& given) {
    if (!network_.tokens.empty()) {
      graph_.input("tokens", OnnxGraph::Type::int64, {"batch", "length"});
      h_ = graph_.node("token", "Gather", {matrix("embedding"), "tokens"});
    }
    if (given.values > 0) {
      graph_.input("given", kType, stream_of(given.values));
      std::vector<Real> spread(given.values * network_.width);
      for (std::size_t i = 0; i < given.values; ++i) {
        spread[i * network_.width + i] = 1;
        if (given.mirror > 0) spread[i * network_.width + i + given.mirror] = -1;
      }
      graph_.constant("places", kType, {given.values, network_.width}, bytes_of(spread));
      const std::string placed = graph_.node("placed", "MatMul", {"given", "places"});
      h_ = h_.empty() ? placed : graph_.node("token and given", "Add", {h_, placed});
    }
    const std::string length =
        graph_.node("length", "Shape", {network_.tokens.empty() ? "given" : "tokens"},
                    {{"start", 1}, {"end", 2}});
    const std::string number = graph_.node("number of tokens", "Squeeze", {length});
    const std::string columns =
        graph_.node("key", "Range", {whole("first", {}, 0), number, whole("step", {}, 1)});
    // ONNX Runtime names the node of a position that is not in the table.
    const std::string positions =
        graph_.node(fmt::format("position: at most {} (length {})",
                                counted(network_.most_tokens, "token"), network_.length),
                    "Gather", {matrix("positions"), columns});
    h_ = graph_.node("embedded", "Add", {h_, positions});
    const std::string rows = graph_.node("query", "Unsqueeze", {columns, whole("one", {1}, 1)});
    graph_.node("not to the right", "GreaterOrEqual", {rows, columns});
  }

  std::string largest(const std::string& name, const std::string& of) {
    return graph_.node(name, "ReduceMax", {of}, {{"keepdims", 1}}, {{"axes", {-1}}});
  }
  std::string sum(const std::string& name, const std::string& of) {
    return graph_.node(name, "ReduceSum", {of, whole("last", {1}, -1)}, {{"keepdims", 1}});
  }

  /// sqrt(width) x / |x|, and 0 where x is 0.
  std::string read(const NetworkNorm& norm, const std::string& at, const std::string& mask) {
    if (norm.folded) return h_;
    std::string x = graph_.node(at + "masked", "Mul", {h_, matrix(mask)});
    const std::string size = largest(at + "largest", graph_.node(at + "sizes", "Abs", {x}));
    const auto below = static_cast<Real>(norm.zero_below);
    const std::string zero =
        graph_.node(at + "is zero", "LessOrEqual",
                    {size, scalar(below > 0 ? std::nextafter(below, Real(0)) : Real(0))});
    if (network_.subtract_mean)
      x = graph_.node(
          at + "centred", "Sub",
          {x, graph_.node(at + "mean", "Div",
                          {sum(at + "sum", x), scalar(static_cast<Real>(network_.width))})});
    const std::string square = sum(at + "square", graph_.node(at + "squares", "Mul", {x, x}));
    const std::string length = graph_.node(
        at + "length", "Where", {zero, scalar(1), graph_.node(at + "root", "Sqrt", {square})});
    const std::string scale = graph_.node(
        at + "scale", "Div", {scalar(std::sqrt(static_cast<Real>(network_.width))), length});
    return graph_.node(at + "normed", "Where",
                       {zero, scalar(0), graph_.node(at + "scaled", "Mul", {x, scale})});
  }

  std::string visible(const NetworkHead& head, const std::string& name, const std::string& of,
                      Real otherwise) {
    if (!head.causal) return of;
    return graph_.node(name, "Where", {"not to the right", of, scalar(otherwise)});
  }
  std::string pattern(const NetworkHead& head, const std::string& at, const std::string& scores) {
    if (!network_.hard) {
      const std::string tempered = graph_.node(
          at + "tempered", "Mul", {scores, scalar(static_cast<Real>(head.temperature))});
      return graph_.node(at + "pattern", "Softmax",
                         {visible(head, at + "visible", tempered, -kInfinity)}, {{"axis", -1}});
    }
    const std::string seen = visible(head, at + "visible", scores, -kInfinity);
    std::string tolerance = scalar(static_cast<Real>(head.tolerance));
    if (head.relative) {
      const std::string sizes = graph_.node(at + "sizes", "Abs", {scores});
      tolerance = graph_.node(
          at + "tolerance", "Mul",
          {largest(at + "size", visible(head, at + "seen sizes", sizes, 0)), tolerance});
    }
    const std::string least =
        graph_.node(at + "least", "Sub", {largest(at + "largest", seen), tolerance});
    const std::string selected = graph_.node(
        at + "selected", "Cast", {graph_.node(at + "is selected", "GreaterOrEqual", {seen, least})},
        {{"to", static_cast<std::int64_t>(kType)}});
    return graph_.node(at + "pattern", "Div", {selected, sum(at + "number", selected)});
  }

  std::string attend(const NetworkHead& head, const std::string& at, const std::string& weights,
                     const std::string& z) {
    const std::string query =
        graph_.node(at + "query", "MatMul", {z, transposed(weights + "query")});
    const std::string key = graph_.node(at + "key", "MatMul", {z, transposed(weights + "key")});
    const std::string turned =
        graph_.node(at + "key turned", "Transpose", {key}, {}, {{"perm", {0, 2, 1}}});
    const std::string scores = graph_.node(at + "scores", "MatMul", {query, turned});
    const std::string value =
        graph_.node(at + "value", "MatMul", {z, transposed(weights + "value")});
    const std::string average =
        graph_.node(at + "average", "MatMul", {pattern(head, at, scores), value});
    return graph_.node(at + "result", "MatMul", {average, transposed(weights + "output")});
  }

  void run_block(Block block) {
    for (std::size_t l = 0; l < network_.layers.size(); ++l) {
      const NetworkLayer& layer = network_.layers[l];
      if (layer.block != block) continue;
      const std::string at = fmt::format("step {}: ", ++step_);
      const std::string weights = fmt::format("layers.{}.", l);
      if (!layer.heads.empty()) {
        const std::string z = read(layer.attention, at + "attention ", weights + "attention.mask");
        for (std::size_t k = 0; k < layer.heads.size(); ++k) {
          const std::string head = at + fmt::format("head {} ", k + 1);
          const std::string result =
              attend(layer.heads[k], head, weights + fmt::format("heads.{}.", k), z);
          h_ = graph_.node(head + "added", "Add", {h_, result});
        }
      }
      if (layer.in.rows > 0) {
        const std::string z =
            read(layer.feedforward, at + "feedforward ", weights + "feedforward.mask");
        const std::string in = graph_.node(at + "in", "MatMul", {z, transposed(weights + "in")});
        const std::string units = graph_.node(at + "units", "Relu", {in});
        const std::string out =
            graph_.node(at + "out", "MatMul", {units, transposed(weights + "out")});
        h_ = graph_.node(at + "feedforward added", "Add", {h_, out});
      }
      const std::string name = fmt::format("residual {}", step_);
      h_ = graph_.node(name, "Identity", {h_});
      graph_.output(name, kType, stream_of(network_.width));
    }
  }

  const Network& network_;
  const FloatArrays& arrays_;
  OnnxGraph graph_;
  std::string h_;
  std::size_t step_ = 0;
};

}  // namespace

std::string onnx_graph(const Model& model, const Network& network, const FloatArrays& arrays,
                       const nlohmann::json& config) {
  const GivenPlace given = given_place(model);
  return network.single ? OnnxWriter<float>(network, arrays).write(given, config)
                        : OnnxWriter<double>(network, arrays).write(given, config);
}

}  // namespace logdepth::exports
