#include "library/exports/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/carried_program.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/stream/embed.hpp"

namespace logdepth::exports {
namespace {

/// A position takes a row of the table.
constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 16;

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

/// pi(p), without zeros and in the order of the coordinates.
SparseVector sorted_position(const Position& position, std::size_t p) {
  SparseVector row = position_row(position, p);
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

struct RowNorms {
  std::vector<double> norms;
  std::size_t longest = 0;  ///< entries
};
RowNorms norms_of(const SparseMatrix& matrix) {
  RowNorms rows{std::vector<double>(matrix.rows), 0};
  std::vector<std::size_t> entries(matrix.rows);
  for (const MatrixEntry& e : matrix.entries) {
    const double value = e.value.approximate();
    rows.norms[e.row] += value * value;
    rows.longest = std::max(rows.longest, ++entries[e.row]);
  }
  for (double& square : rows.norms) square = std::sqrt(square);
  return rows;
}

/// |z| is sqrt(width) or 0, so a row of a matrix reads at most its norm times that.
void bound_numbers(const Head& head, const SparseVector& mask, std::uint32_t width, double unit,
                   NetworkHead& bounded) {
  const RowNorms query = norms_of(head.query), key = norms_of(head.key);
  double longest = 0, product = 0;
  for (std::size_t d = 0; d < query.norms.size(); ++d) {
    longest = std::max(longest, query.norms[d]);
    product += query.norms[d] * key.norms[d];
  }
  const double score = width * product;
  bounded.largest = std::max(std::sqrt(width) * longest, score);
  const auto roundings =
      static_cast<double>(query.longest + key.longest + query.norms.size() + mask.size() + 12);
  bounded.loss = 1.01 * roundings * unit * score;
}

/// Proved for queries that are scaled to the norm of the key. They have it, but for the query that
/// goes back: (x - b, 1) / |(x, 1)| is no shorter than 1 / (b + 2), the least singular value of a
/// shear by b. The gap of `find` holds of its queries as they are.
double unscaled(double gap, const FetchStatement& fetch) {
  const auto* pointed = std::get_if<SelectPointed>(&fetch.selector);
  return pointed && pointed->back > 0 ? gap / (pointed->back + 2) : gap;
}

bool selects_one(const Contract& contract) {
  if (const auto* match = std::get_if<MatchContract>(&contract)) return match->exactly_one;
  if (const auto* find = std::get_if<FindContract>(&contract)) return find->exactly_one;
  return std::holds_alternative<RightmostContract>(contract);
}

/// Without what is proved of its scores.
NetworkHead head_of(const Head& source, const Reader& reader) {
  NetworkHead head;
  head.causal = source.causal;
  head.compares = !source.query.entries.empty() && !source.key.entries.empty();
  head.selects_one = selects_one(source.contract);
  head.query = reader(source.query);
  head.key = reader(source.key);
  head.value = reader(source.value);
  head.output = source.output;
  return head;
}

/// What a number loses at most when it is rounded, relative to itself.
double rounding_unit(const Network& network) {
  return network.single ? 0x1p-24 : 0x1p-53;
}

}  // namespace

void require_length(const Model& model, std::uint64_t length, const char* option) {
  require(length > 0, std::string(option) + ": expected at least 1");
  if (const auto largest = largest_size(model); largest && length > *largest)
    throw InputError(
        fmt::format("{}: expected at most {} (the limit of the weights file {}), found {}", option,
                    *largest, in_quotes(model.name), length));
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
    rows.push_back(sorted_position(model.position, p));
  network.positions = matrix_of(model.width, rows);
  network.unembedding = model.unembedding;

  const CarriedProgram proved(model, Trust::recompiled);
  const CarriedProgram carried(model, Trust::plausible);  // the same program, layer by layer
  const bool known = proved.trust() == Trust::recompiled && carried.fitted();
  const PrecisionFacts facts = known ? proved.facts() : no_facts(model);
  if (!known) network.unproved = proved.reason();
  const double size = static_cast<double>(network.most_tokens);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const Layer& source = model.layers[l];
    NetworkLayer& layer = network.layers.emplace_back();
    layer.block = source.block;
    const Reader attention(source.attention.mask, facts.layers[l].attention, model.width, size,
                           layer.attention);
    for (std::size_t k = 0; k < source.attention.heads.size(); ++k) {
      const Head& of = source.attention.heads[k];
      NetworkHead& head = layer.heads.emplace_back(head_of(of, attention));
      bound_numbers(of, source.attention.mask, model.width, rounding_unit(network), head);
      if (!known) continue;
      const auto& fetch = std::get<FetchStatement>(*carried.fitted()->statements(l).attention[k]);
      head.name = fetch.name;
      if (const auto& gap = facts.layers[l].heads[k].gap) head.gap = unscaled(gap->at(size), fetch);
    }
    const Reader feedforward(source.feedforward.mask, facts.layers[l].feedforward, model.width,
                             size, layer.feedforward);
    layer.in = feedforward(source.feedforward.in);
    layer.out = source.feedforward.out;
  }
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

namespace {

/// Of hard attention without a proved separation: of the largest score, bits that rounding leaves.
constexpr double kToleranceDouble = 0x1p-40, kToleranceSingle = 0x1p-18;
/// Equal scores may get weights that differ by this share.
constexpr double kTieSpread = 0x1p-12;

/// At this temperature all that is not selected weighs less than half a unit together, and equal
/// scores weigh the same but for a share of kTieSpread.
bool separates(const NetworkHead& head, double temperature, double others, double unit) {
  return head.gap > 8 * head.loss &&
         temperature * (head.gap - 2 * head.loss) >= std::log(2 * others / unit) &&
         (head.selects_one || 2 * temperature * head.loss <= kTieSpread);
}

/// The least power of two that may do so.
double least_temperature(const NetworkHead& head, double others, double unit) {
  return std::exp2(std::ceil(std::log2(std::log(2 * others / unit) / (head.gap - 2 * head.loss))));
}

void set_tolerance(NetworkHead& head, bool single) {
  head.relative = !(head.gap > 8 * head.loss);
  head.tolerance = !head.relative ? head.gap / 2 : single ? kToleranceSingle : kToleranceDouble;
}

/// Why `auto` has no temperature for a head.
std::string unproved(const Network& network, std::size_t layer, std::size_t head) {
  const NetworkHead& refused = network.layers[layer].heads[head];
  const char* const format = network.single ? "float32" : "float64";
  const std::string name = refused.name.empty() ? "" : " (" + in_quotes(refused.name) + ")";
  const std::string place =
      fmt::format("layer {}, head {}{}: no temperature is proved: ", layer + 1, head + 1, name);
  if (!network.unproved.empty()) return place + network.unproved;
  if (refused.gap == 0) return place + "no score separation is proved";
  if (!(refused.gap > 8 * refused.loss))
    return place + fmt::format(
                       "at {} tokens its scores are proved to be {:.2g} apart, of which {} can "
                       "lose {:.2g}; expected a separation of more than 8 times that loss, {:.2g}",
                       network.most_tokens, refused.gap, format, refused.loss, 8 * refused.loss);
  return place + fmt::format(
                     "it averages equal scores, and at the temperature {} that its separation "
                     "needs, {} can change their weights by a factor of exp({:.2g}); expected at "
                     "most exp({:.2g})",
                     refused.temperature, format, 2 * refused.temperature * refused.loss,
                     kTieSpread);
}

}  // namespace

double highest_temperature(const Network& network) {
  double largest = 1;
  for (const NetworkLayer& layer : network.layers)
    for (const NetworkHead& head : layer.heads) largest = std::max(largest, head.largest);
  return (network.single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max()) /
         (4 * largest);
}

std::optional<std::string> choose_weighing(Network& network, const ExportSettings& settings) {
  const double unit = rounding_unit(network);
  const bool given = settings.attention == ExportAttention::temperature;
  require(!given || (std::isfinite(settings.temperature) && settings.temperature > 0),
          "--temperature: expected auto, tested, hard or a number above 0");
  const double highest = highest_temperature(network);
  if (given && settings.temperature > highest)
    throw InputError(fmt::format(
        "--temperature: expected at most {:.3g}, above which scores of {} would not be finite, "
        "found {}",
        highest, network.single ? "float32" : "float64", settings.temperature));
  const auto others = static_cast<double>(std::max<std::uint64_t>(network.most_tokens, 2) - 1);
  network.separated = true;
  std::optional<std::string> refusal;
  for (std::size_t l = 0; l < network.layers.size(); ++l)
    for (std::size_t k = 0; k < network.layers[l].heads.size(); ++k) {
      NetworkHead& head = network.layers[l].heads[k];
      set_tolerance(head, network.single);
      head.temperature = given           ? settings.temperature
                         : head.compares ? least_temperature(head, others, unit)
                                         : 1;
      if (!head.compares) continue;
      const bool separated =
          network.hard ? !head.relative : separates(head, head.temperature, others, unit);
      if (!separated && !network.hard && !given && !refusal) refusal = unproved(network, l, k);
      network.separated = network.separated && separated;
    }
  return refusal;
}

}  // namespace logdepth::exports
