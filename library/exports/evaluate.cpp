#include "library/exports/evaluate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "logdepth/interruption.hpp"

namespace logdepth::exports {

template <class Real>
Evaluation<Real>::Evaluation(const Network& network, const FloatArrays<Real>& arrays,
                             std::size_t mirror)
    : network_(network), arrays_(arrays), mirror_(mirror) {
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    PlainLayer& layer = layers_.emplace_back();
    const std::string at = fmt::format("layers.{}.", l);
    for (std::size_t k = 0; k < network.layers[l].heads.size(); ++k) {
      const std::string head = at + fmt::format("heads.{}.", k);
      layer.heads.push_back({factors(arrays.at(head + "query")), factors(arrays.at(head + "key")),
                             factors(arrays.at(head + "value")),
                             factors(arrays.at(head + "output"))});
    }
    layer.in = factors(arrays.at(at + "in"));
    layer.out = factors(arrays.at(at + "out"));
  }
  unembedding_ = factors(arrays.at("unembedding"));
}

template <class Real>
auto Evaluation<Real>::factors(const FloatArray<Real>& array) -> Factors {
  Factors found;
  for (std::size_t row = 0; row < array.rows; ++row) {
    auto& kept = found.rows.emplace_back();
    for (std::size_t column = 0; column < array.columns; ++column)
      if (const Real value = array.numbers[row * array.columns + column]; value != 0)
        kept.push_back({column, value});
  }
  return found;
}

template <class Real>
auto Evaluation<Real>::Factors::operator()(const Row& x) const -> Row {
  Row product;
  for (const auto& row : rows) {
    Real sum = 0;
    for (const Factor& factor : row) sum += factor.value * x[factor.column];
    product.push_back(sum);
  }
  return product;
}

template <class Real>
auto Evaluation<Real>::read(const Row& h, const NetworkNorm& norm, const std::string& mask) const
    -> Row {
  if (norm.folded) return h;
  Row x = h;
  Real largest = 0, sum = 0, squares = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    x[c] *= arrays_.at(mask).numbers[c];
    largest = std::max(largest, std::abs(x[c]));
    sum += x[c];
  }
  if (largest == 0 || largest < norm.zero_below) return Row(x.size());
  const auto width = static_cast<Real>(network_.width);
  for (Real& number : x) {
    if (network_.subtract_mean) number -= sum / width;
    squares += number * number;
  }
  for (Real& number : x) number *= std::sqrt(width) / std::sqrt(squares);
  return x;
}

template <class Real>
void Evaluation<Real>::weigh(const NetworkHead& head, Row& scores) const {
  const Real largest = *std::max_element(scores.begin(), scores.end());
  Real size = 0, sum = 0;
  for (const Real score : scores) size = std::max(size, std::abs(score));
  const Real tolerance = static_cast<Real>(head.tolerance) * (head.relative ? size : Real(1));
  for (Real& score : scores) {
    score = network_.hard ? (score >= largest - tolerance ? Real(1) : Real(0))
                          : std::exp(static_cast<Real>(head.temperature) * (score - largest));
    sum += score;
  }
  for (Real& score : scores) score /= sum;
}

template <class Real>
void Evaluation<Real>::attend(const NetworkLayer& layer, const PlainLayer& plain, const Rows& z,
                              Rows& h) const {
  for (std::size_t k = 0; k < plain.heads.size(); ++k) {
    const PlainHead& head = plain.heads[k];
    Rows queries, keys, values;
    for (const Row& row : z) {
      queries.push_back(head.query(row));
      keys.push_back(head.key(row));
      values.push_back(head.value(row));
    }
    for (std::size_t i = 0; i < z.size(); ++i) {
      const std::size_t visible = layer.heads[k].causal ? i + 1 : z.size();
      Row weights(visible);
      for (std::size_t j = 0; j < visible; ++j)
        for (std::size_t d = 0; d < queries[i].size(); ++d)
          weights[j] += queries[i][d] * keys[j][d];
      weigh(layer.heads[k], weights);
      Row average(head.value.rows.size());
      for (std::size_t j = 0; j < visible; ++j)
        if (weights[j] != 0)
          for (std::size_t d = 0; d < average.size(); ++d) average[d] += weights[j] * values[j][d];
      const Row written = head.output(average);
      for (std::size_t c = 0; c < written.size(); ++c) h[i][c] += written[c];
    }
  }
}

template <class Real>
void Evaluation<Real>::run_layer(std::size_t l, Rows& h) const {
  look_for_interruption();
  const NetworkLayer& layer = network_.layers[l];
  const std::string at = fmt::format("layers.{}.", l);
  if (!layer.heads.empty()) {
    Rows z;
    for (const Row& row : h) z.push_back(read(row, layer.attention, at + "attention.mask"));
    attend(layer, layers_[l], z, h);
  }
  for (Row& row : h) {
    Row units = layers_[l].in(read(row, layer.feedforward, at + "feedforward.mask"));
    for (Real& unit : units) unit = std::max(unit, Real(0));
    const Row written = layers_[l].out(units);
    for (std::size_t c = 0; c < written.size(); ++c) row[c] += written[c];
  }
}

template <class Real>
std::vector<std::vector<double>> Evaluation<Real>::logits(const Tokens& tokens,
                                                          std::uint64_t loops) const {
  const auto& embedding = arrays_.at("embedding").numbers;
  const auto& positions = arrays_.at("positions").numbers;
  const std::size_t width = network_.width;
  const std::size_t count = std::max(tokens.kinds.size(), tokens.given.size());
  Rows h(count, Row(width));
  for (std::size_t t = 0; t < count; ++t) {
    if (!network_.tokens.empty()) {
      const auto kind = std::find(network_.tokens.begin(), network_.tokens.end(), tokens.kinds[t]);
      const auto row = static_cast<std::size_t>(kind - network_.tokens.begin());
      for (std::size_t c = 0; c < width; ++c) h[t][c] = embedding[row * width + c];
    }
    for (std::size_t c = 0; c < width; ++c) h[t][c] += positions[t * width + c];
    for (std::size_t i = 0; t < tokens.given.size() && i < tokens.given[t].size(); ++i) {
      const auto given = static_cast<Real>(tokens.given[t][i].approximate().value);
      h[t][i] += given;
      if (mirror_ > 0) h[t][i + mirror_] -= given;
    }
  }
  const auto run_block = [&](Block block) {
    for (std::size_t l = 0; l < network_.layers.size(); ++l)
      if (network_.layers[l].block == block) run_layer(l, h);
  };
  run_block(Block::initial);
  for (std::uint64_t loop = 0; loop < loops; ++loop) run_block(Block::repeated);
  run_block(Block::final);
  std::vector<std::vector<double>> logits;
  for (const Row& row : h) {
    const Row read = unembedding_(row);
    logits.emplace_back(read.begin(), read.end());
  }
  return logits;
}

template class Evaluation<float>;
template class Evaluation<double>;

}  // namespace logdepth::exports
