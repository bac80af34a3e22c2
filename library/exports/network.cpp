#include "library/exports/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "library/exports/separations.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/position_code.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::exports {
namespace {

/// A position takes a row of the table.
constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 16;

void require_length(const Model& model, std::uint64_t length) {
  require(length > 0, "--length: expected at least 1");
  if (const auto largest = largest_size(model); largest && length > *largest)
    throw InputError(
        fmt::format("--length: expected at most {} (the limit of the weights file {}), found {}",
                    *largest, in_quotes(model.name), length));
}

/// Of the longest input.
std::uint64_t most_tokens(const Model& model, std::uint64_t length) {
  const std::uint64_t tokens = std::visit(
      Overload{[&](const WordInput& word) { return length + word.begin + word.end; },
               [&](const CellsInput&) { return length; },
               [&](const GraphInput&) {
                 Graph graph;
                 for (std::uint64_t i = 0; i < length; ++i) graph.add_vertex(std::to_string(i));
                 return static_cast<std::uint64_t>(
                     tokens_of(model, graph, length - 1, length - 1).value().kinds.size());
               }},
      model.input);
  if (tokens > kMostTokens)
    throw SizeLimit(fmt::format("--length {}: {} tokens are more than the limit of {}", length,
                                tokens, kMostTokens));
  return tokens;
}

SparseMatrix matrix_of(std::uint32_t columns, const std::vector<SparseVector>& rows) {
  SparseMatrix matrix{static_cast<std::uint32_t>(rows.size()), columns, {}};
  for (std::uint32_t row = 0; row < matrix.rows; ++row)
    for (const SparseEntry& e : rows[row]) matrix.entries.push_back({row, e.index, e.value});
  return matrix;
}

/// pi(p) (runtime/README.md).
SparseVector position_row(const Position& position, std::size_t p) {
  SparseVector row = std::visit(
      Overload{[&](const FirstFlagPosition& flag) { return p == 0 ? flag.first : flag.rest; },
               [&](const CodePosition& code) {
                 SparseVector values;
                 for (const CodeFill& fill : code.fills) {
                   const auto shown = rational_code(code.code, p >= fill.back ? p - fill.back : 0);
                   for (std::size_t i = 0; i < shown.size(); ++i)
                     values.push_back({fill.at[i], shown[i] * fill.scale});
                 }
                 for (const SparseEntry& e : code.parity)
                   values.push_back({e.index, p % 2 == 0 ? e.value : -e.value});
                 return values;
               },
               [&](const TablePosition& table) { return table.rows.at(p); }},
      position);
  std::erase_if(row, [](const SparseEntry& e) { return e.value.is_zero(); });
  std::sort(row.begin(), row.end(),
            [](const SparseEntry& a, const SparseEntry& b) { return a.index < b.index; });
  return row;
}

/// What a sublayer reads, as a factor of every coordinate of the stream.
class Reader {
 public:
  Reader(const SparseVector& mask, const MaskFacts& facts, std::uint32_t width, double size,
         NetworkNorm& norm) {
    norm.folded = facts.scale.has_value();
    if (norm.folded) {
      norm.scale = *facts.scale;
      for (const SparseEntry& e : mask) factors_[e.index] = *facts.scale * e.value;
    } else {
      norm.mask = matrix_of(width, {mask});
      if (facts.zero) norm.zero_below = facts.zero->at(size) / 2;
      for (std::uint32_t c = 0; c < width; ++c) factors_[c] = Rational(1);
    }
  }

  SparseMatrix operator()(const SparseMatrix& source) const {
    SparseMatrix read{source.rows, source.columns, {}};
    for (const MatrixEntry& e : source.entries)
      if (const auto factor = factors_.find(e.column); factor != factors_.end())
        read.entries.push_back({e.row, e.column, e.value * factor->second});
    return read;
  }

 private:
  std::map<std::uint32_t, Rational> factors_;
};

NetworkHead head_of(const Head& source, const Reader& reader, const HeadSeparation& proved) {
  NetworkHead head;
  head.name = proved.name;
  head.causal = source.causal;
  head.compares = proved.compares;
  head.selects_one = proved.selects_one;
  head.query = reader(source.query);
  head.key = reader(source.key);
  head.value = reader(source.value);
  head.output = source.output;
  head.gap = proved.gap;
  head.largest = proved.largest;
  head.loss = proved.loss;
  return head;
}

}  // namespace

std::string head_place(const Network& network, std::size_t layer, std::size_t head) {
  const std::string& name = network.layers[layer].heads[head].name;
  return fmt::format("layer {}, head {}{}", layer + 1, head + 1,
                     name.empty() ? "" : " (" + in_quotes(name) + ")");
}

double rounding_unit(const Network& network) {
  return network.single ? 0x1p-24 : 0x1p-53;
}

Network network_of(const Model& model, const ExportSettings& settings) {
  require_length(model, settings.length);
  Network network;
  network.width = model.width;
  network.subtract_mean = model.norm == Norm::layernorm;
  network.length = settings.length;
  network.most_tokens = most_tokens(model, settings.length);
  network.loops = loops_at(model.unroll, counted_size(model, settings.length));
  network.single = settings.single;
  network.hard = settings.attention == ExportAttention::hard;

  network.tokens = model.alphabet;
  for (const std::string& kind : extra_kinds(model.input)) network.tokens.push_back(kind);
  std::vector<SparseVector> rows;
  for (const std::string& kind : network.tokens) rows.push_back(model.embedding.at(kind));
  network.embedding = matrix_of(model.width, rows);
  rows.clear();
  for (std::size_t p = 0; p < network.most_tokens; ++p)
    rows.push_back(position_row(model.position, p));
  network.positions = matrix_of(model.width, rows);
  network.unembedding = model.unembedding;

  const Separations proved(model, static_cast<double>(network.most_tokens), rounding_unit(network));
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const Layer& source = model.layers[l];
    NetworkLayer& layer = network.layers.emplace_back();
    layer.block = source.block;
    const double size = static_cast<double>(network.most_tokens);
    const Reader attention(source.attention.mask, proved.facts(l).attention, model.width, size,
                           layer.attention);
    for (std::size_t k = 0; k < source.attention.heads.size(); ++k)
      layer.heads.push_back(head_of(source.attention.heads[k], attention, proved.head(l, k)));
    const Reader feedforward(source.feedforward.mask, proved.facts(l).feedforward, model.width,
                             size, layer.feedforward);
    layer.in = feedforward(source.feedforward.in);
    layer.out = source.feedforward.out;
  }
  network.unproved = proved.reason();
  return network;
}

std::map<std::string, const SparseMatrix*> matrices(const Network& network) {
  std::map<std::string, const SparseMatrix*> named = {{"embedding", &network.embedding},
                                                      {"positions", &network.positions},
                                                      {"unembedding", &network.unembedding}};
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const NetworkLayer& layer = network.layers[l];
    const std::string at = fmt::format("layers.{}.", l);
    if (!layer.attention.folded) named[at + "attention.mask"] = &layer.attention.mask;
    if (!layer.feedforward.folded) named[at + "feedforward.mask"] = &layer.feedforward.mask;
    named[at + "in"] = &layer.in;
    named[at + "out"] = &layer.out;
    for (std::size_t k = 0; k < layer.heads.size(); ++k) {
      const NetworkHead& head = layer.heads[k];
      const std::string name = at + fmt::format("heads.{}.", k);
      named[name + "query"] = &head.query;
      named[name + "key"] = &head.key;
      named[name + "value"] = &head.value;
      named[name + "output"] = &head.output;
    }
  }
  return named;
}

}  // namespace logdepth::exports
