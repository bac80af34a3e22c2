#include "library/exports/onnx_graph.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/phrases.hpp"
#include "library/exports/model_card.hpp"
#include "library/exports/onnx_nodes.hpp"
#include "library/exports/python_modules.hpp"
#include "runtime/stream/embed.hpp"

namespace logdepth::exports {
namespace {

template <class Real>
class OnnxWriter {
 public:
  OnnxWriter(const Network& network, const FloatArrays<Real>& arrays)
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
    const FloatArray<Real>& array = arrays_.at(name);
    return graph_.constant(name, kType, {array.rows, array.columns}, bytes_of(array.numbers));
  }
  /// As the right factor of a product.
  std::string transposed(const std::string& name) {
    const FloatArray<Real>& array = arrays_.at(name);
    std::vector<Real> numbers;
    for (std::size_t column = 0; column < array.columns; ++column)
      for (std::size_t row = 0; row < array.rows; ++row)
        numbers.push_back(array.numbers[row * array.columns + column]);
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
  const FloatArrays<Real>& arrays_;
  OnnxGraph graph_;
  std::string h_;
  std::size_t step_ = 0;
};

}  // namespace

template <class Real>
std::string onnx_graph(const Model& model, const Network& network, const FloatArrays<Real>& arrays,
                       const nlohmann::json& config) {
  return OnnxWriter<Real>(network, arrays).write(given_place(model), config);
}

template std::string onnx_graph(const Model&, const Network&, const FloatArrays<float>&,
                                const nlohmann::json&);
template std::string onnx_graph(const Model&, const Network&, const FloatArrays<double>&,
                                const nlohmann::json&);

}  // namespace logdepth::exports
