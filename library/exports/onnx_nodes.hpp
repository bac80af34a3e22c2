#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "library/exports/protobuf.hpp"

namespace logdepth::exports {

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
                   const Wholes& lists = {});
  /// `bytes`: little-endian. Returns the name; the same name again is the same constant.
  std::string constant(const std::string& name, Type type, const std::vector<std::uint64_t>& shape,
                       const std::string& bytes);

  /// A dimension is a number or a name.
  void input(const std::string& name, Type type, const std::vector<std::string>& shape);
  void output(const std::string& name, Type type, const std::vector<std::string>& shape);

  /// The bytes of the model.
  std::string model(const std::string& name,
                    const std::map<std::string, std::string>& metadata) const;

 private:
  ProtobufMessage nodes_, initializers_, inputs_, outputs_;
  std::set<std::string> constants_;
};

}  // namespace logdepth::exports
