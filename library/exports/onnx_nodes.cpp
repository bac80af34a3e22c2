#include "library/exports/onnx_nodes.hpp"

#include <algorithm>
#include <cctype>

namespace logdepth::exports {
namespace {

// Numbers of the fields, by the messages of onnx.proto.
namespace model_field {
constexpr std::uint32_t ir_version = 1, producer = 2, graph = 7, opset = 8, metadata = 14;
}
namespace graph_field {
constexpr std::uint32_t node = 1, name = 2, initializer = 5, input = 11, output = 12;
}
namespace node_field {
constexpr std::uint32_t input = 1, output = 2, name = 3, operation = 4, attribute = 5;
}
namespace attribute_field {
constexpr std::uint32_t name = 1, whole = 3, wholes = 8, type = 20;
}
namespace tensor_field {
constexpr std::uint32_t dimension = 1, type = 2, name = 8, bytes = 9;
}
constexpr std::uint64_t kWhole = 2, kWholes = 7;  // AttributeProto.AttributeType
constexpr std::uint64_t kIrVersion = 8, kOpset = 17;

ProtobufMessage value_info(const std::string& name, OnnxGraph::Type type,
                           const std::vector<std::string>& shape) {
  ProtobufMessage dimensions;
  for (const std::string& size : shape) {
    const bool number =
        std::all_of(size.begin(), size.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    dimensions.message(1, number ? ProtobufMessage().number(1, std::stoull(size))
                                 : ProtobufMessage().bytes(2, size));
  }
  const ProtobufMessage tensor =
      ProtobufMessage().number(1, static_cast<std::uint64_t>(type)).message(2, dimensions);
  return ProtobufMessage().bytes(1, name).message(2, ProtobufMessage().message(1, tensor));
}

}  // namespace

std::string OnnxGraph::node(const std::string& name, const std::string& operation,
                            const std::vector<std::string>& inputs, const Whole& attributes,
                            const Wholes& lists) {
  ProtobufMessage node;
  for (const std::string& input : inputs) node.bytes(node_field::input, input);
  node.bytes(node_field::output, name).bytes(node_field::name, name);
  node.bytes(node_field::operation, operation);
  for (const auto& [key, value] : attributes)
    node.message(node_field::attribute,
                 ProtobufMessage()
                     .bytes(attribute_field::name, key)
                     .number(attribute_field::whole, static_cast<std::uint64_t>(value))
                     .number(attribute_field::type, kWhole));
  for (const auto& [key, values] : lists) {
    ProtobufMessage attribute;
    attribute.bytes(attribute_field::name, key);
    for (const std::int64_t value : values)
      attribute.number(attribute_field::wholes, static_cast<std::uint64_t>(value));
    node.message(node_field::attribute, attribute.number(attribute_field::type, kWholes));
  }
  nodes_.message(graph_field::node, node);
  return name;
}

std::string OnnxGraph::constant(const std::string& name, Type type,
                                const std::vector<std::uint64_t>& shape, const std::string& bytes) {
  if (!constants_.insert(name).second) return name;
  ProtobufMessage tensor;
  for (const std::uint64_t size : shape) tensor.number(tensor_field::dimension, size);
  tensor.number(tensor_field::type, static_cast<std::uint64_t>(type));
  tensor.bytes(tensor_field::name, name).bytes(tensor_field::bytes, bytes);
  initializers_.message(graph_field::initializer, tensor);
  return name;
}

void OnnxGraph::input(const std::string& name, Type type, const std::vector<std::string>& shape) {
  inputs_.message(graph_field::input, value_info(name, type, shape));
}
void OnnxGraph::output(const std::string& name, Type type, const std::vector<std::string>& shape) {
  outputs_.message(graph_field::output, value_info(name, type, shape));
}

std::string OnnxGraph::model(const std::string& name,
                             const std::map<std::string, std::string>& metadata) const {
  // A message is its fields one after the other.
  const std::string graph = nodes_.text() +
                            ProtobufMessage().bytes(graph_field::name, name).text() +
                            initializers_.text() + inputs_.text() + outputs_.text();
  ProtobufMessage model;
  model.number(model_field::ir_version, kIrVersion).bytes(model_field::producer, "logdepth");
  model.bytes(model_field::graph, graph);
  model.message(model_field::opset, ProtobufMessage().bytes(1, "").number(2, kOpset));
  for (const auto& [key, value] : metadata)
    model.message(model_field::metadata, ProtobufMessage().bytes(1, key).bytes(2, value));
  return model.text();
}

}  // namespace logdepth::exports
