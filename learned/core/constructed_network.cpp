#include "learned/core/constructed_network.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth { inline namespace learned_core {
namespace {

Tensor dense(const SparseMatrix& matrix) {
  Tensor result = torch::zeros({matrix.rows, matrix.columns}, torch::kFloat64);
  auto at = result.accessor<double, 2>();
  for (const MatrixEntry& e : matrix.entries) at[e.row][e.column] = e.value.approximate();
  return result;
}

Tensor dense(const SparseVector& vector, std::int64_t width) {
  Tensor result = torch::zeros({width}, torch::kFloat64);
  auto at = result.accessor<double, 1>();
  for (const SparseEntry& e : vector) at[e.index] = e.value.approximate();
  return result;
}

}  // namespace

ConstructedLayers::ConstructedLayers(Parameters& parameters, const Model& model,
                                     const ConstructedConfig& config)
    : config_(config), norm_(model.norm) {
  const std::int64_t width = model.width;
  const auto options = parameters.options();
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const logdepth::Layer& from = model.layers[l];
    const std::string name = fmt::format("layers.{}.", l);
    Layer layer;
    layer.block = from.block;
    layer.attention_mask = dense(from.attention.mask, width).to(options);
    layer.feed_forward_mask = dense(from.feedforward.mask, width).to(options);
    for (std::size_t i = 0; i < from.attention.heads.size(); ++i) {
      const logdepth::Head& head = from.attention.heads[i];
      const std::string at = fmt::format("{}heads.{}.", name, i);
      layer.heads.push_back({head.causal, parameters.add(at + "query", dense(head.query)),
                             parameters.add(at + "key", dense(head.key)),
                             parameters.add(at + "value", dense(head.value)),
                             parameters.add(at + "output", dense(head.output))});
    }
    if (from.feedforward.in.rows > 0) {
      layer.in = parameters.add(name + "in", dense(from.feedforward.in));
      layer.out = parameters.add(name + "out", dense(from.feedforward.out));
    }
    layers_.push_back(std::move(layer));
  }
  unembedding_ = parameters.add("unembedding", dense(model.unembedding));
}

Tensor ConstructedLayers::normed(const Tensor& streams, const Tensor& mask) const {
  Tensor x = streams * mask;
  if (norm_ == Norm::layernorm) x = x - x.mean(-1, /*keepdim=*/true);
  const Tensor squares = x.square().sum(-1, /*keepdim=*/true);
  const Tensor blank = squares <= config_.tolerance * config_.tolerance;
  // The root of a blank row is never taken, so that its gradient is 0 and not undefined.
  const Tensor length = squares.masked_fill(blank, 1).sqrt();
  return (x * (std::sqrt(static_cast<double>(x.size(-1))) / length)).masked_fill(blank, 0);
}

Tensor ConstructedLayers::attend(const Head& head, const Tensor& z) const {
  const Tensor q = torch::linear(z, head.query), k = torch::linear(z, head.key);
  Tensor scores = torch::matmul(q, k.transpose(-2, -1));
  if (head.causal) {
    AttentionMask causal;
    causal.causal = true;
    scores = scores + causal.bias(scores.size(-2), scores.size(-1), scores.options());
  }
  Tensor weights;
  if (config_.attention == ConstructedConfig::Attention::softmax) {
    weights = torch::softmax(config_.temperature * scores, -1);
  } else {
    // An arg max has no gradient: what is selected is a constant, values carry the gradient.
    const Tensor sizes = q.norm(2, {-1}, true) * k.norm(2, {-1}, true).amax(-2, true);
    const Tensor selected =
        (scores >= scores.amax(-1, true) - config_.tolerance * sizes).to(scores.scalar_type());
    weights = (selected / selected.sum(-1, true)).detach();
  }
  return torch::linear(torch::matmul(weights, torch::linear(z, head.value)), head.output);
}

Tensor ConstructedLayers::one_layer(const Layer& layer, Tensor h) const {
  if (!layer.heads.empty()) {
    const Tensor z = normed(h, layer.attention_mask);
    for (const Head& head : layer.heads) h = h + attend(head, z);
  }
  if (layer.in.defined()) {
    const Tensor z = normed(h, layer.feed_forward_mask);
    h = h + torch::linear(torch::relu(torch::linear(z, layer.in)), layer.out);
  }
  return h;
}

Tensor ConstructedLayers::operator()(Tensor streams, std::uint32_t loops) const {
  const auto run = [&](Block block) {
    for (const Layer& layer : layers_)
      if (layer.block == block) streams = one_layer(layer, streams);
  };
  run(Block::initial);
  for (std::uint32_t i = 0; i < loops; ++i) run(Block::repeated);
  run(Block::final);
  return streams;
}

Tensor ConstructedLayers::logits(const Tensor& streams) const {
  return torch::linear(streams, unembedding_);
}

Tensor initial_stream(const Model& model, const Tokens& tokens) {
  Exact exact;
  const std::size_t count = tokens.kinds.size();
  Stream<ValueId> stream(std::make_shared<SegmentPools<ValueId>>(segments_of(model), exact.zero()),
                         count);
  if (const auto refusal = embed(model, tokens, exact, stream))
    throw InputError("the weights file " + in_quotes(model.name) + ": " + refusal->reason);
  Tensor result =
      torch::zeros({1, static_cast<std::int64_t>(count), static_cast<std::int64_t>(model.width)},
                   torch::kFloat64);
  auto at = result.accessor<double, 3>();
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t c = 0; c < model.width; ++c)
      at[0][static_cast<std::int64_t>(t)][static_cast<std::int64_t>(c)] =
          exact.pool()[stream.at(t, c)].approximate().value;
  return result;
}

namespace {

class ProductNetwork final : public Network {
 public:
  ProductNetwork(Model model, const ConstructedConfig& config, const ProductQuestion& question,
                 const TaskFormat& format, torch::Device device)
      : Network(format, 0, device, torch::kFloat64),
        model_(std::move(model)),
        layers_(parameters_, model_, config) {
    check(question);
    const std::int64_t width = model_.width;
    Tensor letters =
        torch::zeros({static_cast<std::int64_t>(model_.alphabet.size()), width}, torch::kFloat64);
    for (std::size_t i = 0; i < model_.alphabet.size(); ++i)
      letters[static_cast<std::int64_t>(i)] = dense(model_.embedding.at(model_.alphabet[i]), width);
    // The streams of one word, less what its letter adds, are the positions.
    const auto tokens =
        tokens_of(model_, std::vector<std::string>(question.longest, model_.alphabet.front()));
    if (!tokens.has_value()) throw InputError(config.weights + ": " + describe(tokens.refusal()));
    Tensor streams = initial_stream(model_, tokens.value())[0];
    begin_ = static_cast<std::int64_t>(first_letter(model_));
    streams.narrow(0, begin_, streams.size(0) - begin_) -= letters[0];
    positions_ = streams.to(device);
    letters_ = parameters_.add("embedding", letters);
    parameters_.gather();
    read_elements(question);
  }

  Tensor operator()(const Batch& batch, const PassOptions& options, PassTrace*) const override {
    const Tensor letters = torch::embedding(letters_, batch.indices.select(-1, 0));
    const std::int64_t tokens = letters.size(1) + begin_;
    const Tensor given = torch::constant_pad_nd(letters, {0, 0, begin_, 0});
    const Tensor streams = layers_(given + positions_.narrow(0, 0, tokens), options.loops);
    return element_logits(layers_.logits(streams.narrow(1, begin_, letters.size(1))));
  }
  std::uint32_t loops_of(const Batch& batch) const override {
    return static_cast<std::uint32_t>(loops_at(model_.unroll, batch.size));
  }

 private:
  void check(const ProductQuestion& question) const {
    const auto refuse = [&](const std::string& expected) {
      throw InputError("the weights file " + in_quotes(model_.name) + ": expected " + expected);
    };
    if (!std::holds_alternative<WordInput>(model_.input) || !reads_prefixes(model_) ||
        reads_states(model_))
      refuse("one of words that reads prefix products, as compile regular --group writes it");
    if (std::get<WordInput>(model_.input).end) refuse("one without an end token");
    if (question.letters != model_.alphabet)
      refuse("the letters of " + question.name + " (task.letters: all or generators)");
    if (const auto longest = largest_size(model_); longest && *longest < question.longest)
      refuse(fmt::format("task.max_length of at most {}, the limit of the network", *longest));
  }

  /// Which rows of the unembedding say what an element does: [elements, points] row indices.
  void read_elements(const ProductQuestion& question) {
    const auto& readout = std::get<AcceptOutput>(model_.output).prefix;
    std::vector<std::int64_t> rows;
    const auto row = [&](const auto& candidates, const auto& wanted, std::uint32_t first,
                         const Transformation& images) {
      for (std::uint32_t i = 0; i < candidates.size(); ++i)
        if (candidates[i] == wanted) return static_cast<std::int64_t>(first + i);
      throw InputError("the weights file " + in_quotes(model_.name) + ": expected one of " +
                       question.name + ", it has no element " + format_transformation(images));
    };
    if (const auto* elements = std::get_if<ElementReadout>(&readout)) {
      for (const Transformation& images : question.elements)
        rows.push_back(row(elements->elements, images, elements->first_row, images));
      questions_ = {{elements->first_row, static_cast<std::int64_t>(elements->elements.size())}};
    } else {
      const auto& points = std::get<TransformationReadout>(readout);
      for (const Transformation& images : question.elements) {
        if (points.images.size() != images.size())
          throw InputError(fmt::format("the weights file {}: expected {} points, those of {}",
                                       in_quotes(model_.name), images.size(), question.name));
        std::uint32_t first = points.first_row;
        for (std::size_t q = 0; q < images.size(); ++q) {
          rows.push_back(row(points.images[q], images[q], first, images));
          first += static_cast<std::uint32_t>(points.images[q].size());
        }
      }
      std::int64_t first = points.first_row;
      for (const auto& candidates : points.images) {
        questions_.emplace_back(first, static_cast<std::int64_t>(candidates.size()));
        first += questions_.back().second;
      }
    }
    const auto asked = static_cast<std::int64_t>(questions_.size());
    element_rows_ = torch::tensor(rows, torch::kLong)
                        .view({static_cast<std::int64_t>(question.elements.size()), asked})
                        .to(device_);
  }

  Tensor element_logits(const Tensor& logits) const {
    Tensor sum;
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      const auto [first, count] = questions_[q];
      const Tensor sure = torch::log_softmax(logits.narrow(-1, first, count), -1);
      const Tensor chosen =
          sure.index_select(-1, element_rows_.select(1, static_cast<std::int64_t>(q)) - first);
      sum = sum.defined() ? sum + chosen : chosen;
    }
    return sum;
  }

  Model model_;
  ConstructedLayers layers_;
  std::int64_t begin_ = 0;  ///< tokens before the first letter
  Tensor letters_, positions_, element_rows_;
  std::vector<std::pair<std::int64_t, std::int64_t>> questions_;  ///< first row and number of rows
};

}  // namespace

std::unique_ptr<Network> make_constructed_network(const ConstructedConfig& config,
                                                  const ProductQuestion& question,
                                                  const TaskFormat& format, torch::Device device) {
  return std::make_unique<ProductNetwork>(read_weights(config.weights), config, question, format,
                                          device);
}

}}  // namespace logdepth::learned_core
