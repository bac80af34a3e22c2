#include "tests/support/plain_decoder.hpp"

#include <cmath>

namespace logdepth::support {

using Row = std::vector<double>;

Row PlainDecoder::times(const std::string& name, const Row& x) const {
  const Row& matrix = arrays.at(name);
  Row y(matrix.size() / x.size(), 0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += matrix[i * x.size() + j] * x[j];
  return y;
}

Row PlainDecoder::normed(const std::string& name, const Row& x) const {
  const Row& factor = arrays.at(name);
  double squares = 0;
  for (const double value : x) squares += value * value;
  const double root = std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  Row y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = factor.at(i) * x[i] / root;
  return y;
}

/// Every head: channels c and c + w/2 turn by position * base^(-2c/w).
void PlainDecoder::turn(Row& x, std::size_t position) const {
  const std::size_t head = width / heads;
  for (std::size_t first = 0; first < x.size(); first += head)
    for (std::size_t c = 0; c < head / 2; ++c) {
      const double angle =
          static_cast<double>(position) /
          std::pow(rotary_base, 2 * static_cast<double>(c) / static_cast<double>(head));
      const double a = x[first + c], b = x[first + c + head / 2];
      x[first + c] = a * std::cos(angle) - b * std::sin(angle);
      x[first + c + head / 2] = b * std::cos(angle) + a * std::sin(angle);
    }
}

PlainDecoder::Rows PlainDecoder::attended(const std::string& at, const Rows& z) const {
  Rows queries, keys, values, result;
  for (std::size_t i = 0; i < z.size(); ++i) {
    queries.push_back(times(at + "self_attn.q_proj.weight", z[i]));
    keys.push_back(times(at + "self_attn.k_proj.weight", z[i]));
    values.push_back(times(at + "self_attn.v_proj.weight", z[i]));
    if (olmo2) {
      queries[i] = normed(at + "self_attn.q_norm.weight", queries[i]);
      keys[i] = normed(at + "self_attn.k_norm.weight", keys[i]);
    }
    turn(queries[i], i);
    turn(keys[i], i);
  }
  const std::size_t w = width / heads;
  for (std::size_t i = 0; i < z.size(); ++i) {
    Row joined(width, 0);
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t q = h * w, k = h * key_heads / heads * w;
      Row weights;
      double sum = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        double score = 0;
        for (std::size_t c = 0; c < w; ++c) score += queries[i][q + c] * keys[j][k + c];
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(w))));
        sum += weights.back();
      }
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t c = 0; c < w; ++c) joined[q + c] += weights[j] / sum * values[j][k + c];
    }
    result.push_back(times(at + "self_attn.o_proj.weight", joined));
  }
  return result;
}

Row PlainDecoder::fed_forward(const std::string& at, const Row& z) const {
  Row gate = times(at + "mlp.gate_proj.weight", z);
  const Row up = times(at + "mlp.up_proj.weight", z);
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
  return times(at + "mlp.down_proj.weight", gate);
}

void PlainDecoder::layer(const std::string& at, Rows& h) const {
  const auto add = [](Row& x, const Row& change) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += change[i];
  };
  Rows z = h;
  if (!olmo2)
    for (Row& row : z) row = normed(at + "input_layernorm.weight", row);
  const Rows changes = attended(at, z);
  for (std::size_t i = 0; i < h.size(); ++i)
    add(h[i], olmo2 ? normed(at + "post_attention_layernorm.weight", changes[i]) : changes[i]);
  for (Row& row : h)
    add(row, olmo2 ? normed(at + "post_feedforward_layernorm.weight", fed_forward(at, row))
                   : fed_forward(at, normed(at + "post_attention_layernorm.weight", row)));
}

PlainDecoder::Pass PlainDecoder::operator()(const std::vector<std::int32_t>& tokens) const {
  const Row& embedding = arrays.at("model.embed_tokens.weight");
  Rows h;
  for (const std::int32_t token : tokens) {
    const auto first = embedding.begin() + token * static_cast<std::ptrdiff_t>(width);
    h.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
  }
  Pass pass;
  for (const std::size_t number : order) {
    pass.streams.push_back(h);
    layer("model.layers." + std::to_string(number) + ".", h);
  }
  pass.streams.push_back(h);
  const bool tied = !arrays.contains("lm_head.weight");
  for (const Row& row : h)
    pass.logits.push_back(times(tied ? "model.embed_tokens.weight" : "lm_head.weight",
                                normed("model.norm.weight", row)));
  return pass;
}

double plain_loss(const PlainDecoder::Rows& logits, const std::vector<std::int32_t>& tokens) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    double all = 0;
    for (const double logit : logits[i]) all += std::exp(logit);
    sum += std::log(all) - logits[i][static_cast<std::size_t>(tokens[i + 1])];
  }
  return sum / static_cast<double>(tokens.size() - 1);
}

}  // namespace logdepth::support
