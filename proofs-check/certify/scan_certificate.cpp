#include "proofs-check/certify/scan_certificate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "recheck/product.hpp"
#include "recheck/read_out.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

namespace logdepth::inline proofs_check_certify {
namespace {

using nlohmann::json;
using recheck::need;

/// Everything that is ever written to a coordinate: (layer, head or feed-forward, column) to factor. Coordinates with
/// proportional signatures hold multiples of one number at every token.
using Signature = std::map<std::array<int, 3>, mpq_class>;

std::map<int, Signature> signatures(const recheck::Weights& weights) {
  constexpr int kEmbedding = -1, kFeedForward = -1;
  std::map<int, Signature> written;
  for (int kind = 0; kind < static_cast<int>(weights.embedding.size()); ++kind)
    for (const auto& [c, value] : weights.embedding[static_cast<std::size_t>(kind)])
      written[c][{kEmbedding, 0, kind}] = value;
  for (int n = 0; n < static_cast<int>(weights.layers.size()); ++n) {
    const recheck::Layer& layer = weights.layers[static_cast<std::size_t>(n)];
    const auto add = [&](const recheck::Matrix& matrix, int which) {
      for (const auto& [c, row] : matrix.at)
        for (const auto& [column, value] : row) written[c][{n, which, column}] = value;
    };
    for (int i = 0; i < static_cast<int>(layer.heads.size()); ++i)
      add(layer.heads[static_cast<std::size_t>(i)].output, i);
    add(layer.out, kFeedForward);
  }
  return written;
}

/// b / a, if b is a multiple of a.
std::optional<mpq_class> ratio(const Signature& a, const Signature& b) {
  if (a.size() != b.size() || a.empty()) return std::nullopt;
  const mpq_class factor = b.begin()->second / a.begin()->second;
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j)
    if (i->first != j->first || j->second != i->second * factor) return std::nullopt;
  return factor;
}

/// The product cells are the coordinates that the prefix rows read, with all that hold multiples of them.
class CellFinder {
 public:
  explicit CellFinder(const recheck::Weights& weights)
      : weights_(weights), written_(signatures(weights)) {}

  json cell(const std::string& name, int first_row, std::size_t size) const {
    json at = json::array();
    for (std::size_t label = 0; label < size; ++label) {
      const recheck::Row& row = weights_.unembedding.row(first_row + static_cast<int>(label));
      need(!row.empty(), "prefix read-out: an empty row");
      const int read = row.begin()->first;
      const auto own = written_.find(read);
      if (own == written_.end()) {
        at.push_back({read, label, "1"});
        continue;
      }
      for (const auto& [c, signature] : written_)
        if (const auto factor = ratio(own->second, signature))
          at.push_back({c, label, factor->get_str()});
    }
    return {{"name", name}, {"size", size}, {"at", at}};
  }

 private:
  const recheck::Weights& weights_;
  const std::map<int, Signature> written_;
};

void add_cells(const recheck::Weights& weights, json& certificate) {
  using Kind = recheck::PrefixRows::Kind;
  const recheck::PrefixRows rows = recheck::read_prefix_rows(weights);
  need(rows.kind == Kind::element || rows.kind == Kind::transformation,
       "no prefix read-out of products to take the product cells from");
  const CellFinder finder(weights);
  json &cells = certificate["cells"] = json::array(),
       &decode = certificate["decode"] = json::array();
  if (rows.kind == Kind::element) {
    if (rows.choices.size() > 1)
      cells.push_back(finder.cell("d", rows.first_row, rows.choices.size()));
    for (int q = 0; q < rows.points; ++q) {
      json images = json::array();
      for (const recheck::Images& element : rows.choices)
        images.push_back(element[static_cast<std::size_t>(q)]);
      decode.push_back(cells.empty() ? json{nullptr, q} : json{"d", images});
    }
    return;
  }
  int row = rows.first_row;
  for (std::size_t q = 0; q < rows.choices.size(); ++q) {
    const recheck::Images& images = rows.choices[q];
    const std::string name = "d." + std::to_string(q);
    if (images.size() > 1) cells.push_back(finder.cell(name, row, images.size()));
    decode.push_back(images.size() > 1 ? json{name, images} : json{nullptr, images[0]});
    row += static_cast<int>(images.size());
  }
}

/// Runs the file up to its loop, then one pass: what holds a code on entry and is written in the loop is a pointer.
class LoopFinder {
 public:
  LoopFinder(const recheck::Weights& weights, const recheck::Json& certificate)
      : weights_(weights), products_(certificate, weights.width), frame_{weights, {}, "", 0} {
    frame_.laws.size_of = [this](const recheck::Cell& cell) {
      return cell.kind == 'T' ? static_cast<int>(weights_.kinds.size())
                              : products_.cells.at(static_cast<std::size_t>(cell.id)).size;
    };
  }

  json find() {
    recheck::Stream h = recheck::embedded(frame_);
    products_.begin(frame_, h);
    run_block("initial", h);
    json pointers = json::array();
    for (const int c : written_in_loop()) {
      const auto held = h.find(c);
      if (products_.owner.contains(c) || held == h.end()) continue;
      if (held->second.size() != 1 || held->second.begin()->first.cell.kind != 'K') continue;
      recheck::Atom atom = held->second.begin()->first;
      const mpq_class value = held->second.begin()->second;
      pointers.push_back({c, atom.part, value.get_str(), 1, atom.cell.at.constant - 1});
      atom.cell.at = {1, atom.cell.at.constant - 1};  // the stride is 1 on entry
      held->second = recheck::Form{{atom, value}};
    }
    const json directions = find_directions(h);
    products_.length = {1, 0};
    run_block("repeated", h);
    const json& base = json::parse(canonical_text(weights_.unroll)).value("base", json(2));
    json loop = {{"factor", products_.cells.empty() ? base : json(products_.length.strides)},
                 {"length", {1, 0}},
                 {"pointers", pointers}};
    if (!directions.empty()) loop["directions"] = directions;
    return loop;
  }

 private:
  /// A component of the direction of (p, sqrt(weight)).
  struct Component {
    bool of_position;
    mpq_class factor, weight;
  };
  std::optional<Component> component(const recheck::Stream& h, int c) const {
    const auto held = h.find(c);
    if (held == h.end() || held->second.size() != 1) return {};
    const auto& [atom, factor] = *held->second.begin();
    if (atom.cell.kind != 'D') return {};
    const recheck::Weighted& numbers =
        frame_.laws.directions[static_cast<std::size_t>(atom.cell.id)];
    if (numbers.size() != 2 || numbers[0].first != recheck::kPosition || numbers[0].second != 1)
      return {};
    return Component{atom.part == 0, factor, numbers[1].second};
  }

  /// Directions of (p, s, 1): two passes with s = 1 tell which component is s, and which direction is one pass behind. Puts
  /// into h what they hold at any stride.
  json find_directions(recheck::Stream& h) {
    json directions = json::array();
    const std::set<int> written = written_in_loop();
    if (std::none_of(written.begin(), written.end(), [&](int c) { return component(h, c); }))
      return directions;
    std::array<recheck::Stream, 3> after = {h, h, h};
    const recheck::Products products = products_;
    run_block("repeated", after[1]);
    after[2] = after[1];
    run_block("repeated", after[2]);
    products_ = products;
    std::map<int, std::array<Component, 3>> all;
    mpq_class stride = 1;
    for (const int c : written) {
      const auto first = component(h, c), second = component(after[1], c),
                 third = component(after[2], c);
      if (products_.owner.contains(c) || !first || !second || !third) continue;
      stride = std::max<mpq_class>(stride, second->factor / first->factor);
      all.emplace(c, std::array<Component, 3>{*first, *second, *third});
    }
    if (stride == 1) return directions;
    for (const auto& [c, held] : all) {
      const auto& [first, second, third] = held;
      const bool old = second.weight == first.weight;
      const Component& next = old ? third : second;
      const bool of_stride = !first.of_position && next.factor != first.factor;
      const mpq_class weight = (next.weight - first.weight) / (stride * stride - 1),
                      rest = first.weight - weight;
      const int number = old ? recheck::kBefore : recheck::kStride;
      const int part = first.of_position ? recheck::kPosition
                       : of_stride       ? number
                                         : static_cast<int>(recheck::kUnit);
      directions.push_back({c,
                            first.of_position ? 0
                            : of_stride       ? 1
                                              : 2,
                            first.factor.get_str(), old, weight.get_str(), rest.get_str()});
      h[c] = recheck::along(frame_,
                            {{recheck::kPosition, 1}, {number, weight}, {recheck::kUnit, rest}},
                            {{part, first.factor}}, 1);
    }
    return directions;
  }

  std::set<int> written_in_loop() const {
    std::set<int> written;
    for (const recheck::Layer& layer : weights_.layers) {
      if (layer.block != "repeated") continue;
      for (const recheck::Head& head : layer.heads)
        for (const auto& [c, row] : head.output.at) written.insert(c);
      for (const auto& [c, row] : layer.out.at) written.insert(c);
    }
    return written;
  }

  void run_block(const std::string& block, recheck::Stream& h) {
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const recheck::Layer& layer = weights_.layers[n];
      if (layer.block != block) continue;
      const std::string where = "layer " + std::to_string(n);
      recheck::add_attention(frame_, layer, h, where + ", attention");
      const std::string place = where + ", feed-forward";
      products_.multiply(frame_, recheck::add_feed_forward(frame_, layer, h, place), h, place);
    }
  }

  const recheck::Weights& weights_;
  recheck::Products products_;
  recheck::Frame frame_;
};

/// What the embedding says of letters with one sign and of <end> with the other, and the loop writes.
json active_coordinates(const recheck::Weights& weights, const json& cells) {
  std::set<int> written;
  for (const recheck::Layer& layer : weights.layers)
    if (layer.block == "repeated")
      for (const auto& [c, row] : layer.out.at) written.insert(c);
  for (const json& cell : cells)
    for (const json& at : cell.at("at")) written.erase(at[0].get<int>());
  json active = json::array();
  for (const auto& [c, value] : weights.embedding[0]) {
    bool opposite = written.contains(c);
    for (std::size_t kind = 1; kind < weights.embedding.size(); ++kind) {
      const auto letter = weights.embedding[kind].find(c);
      opposite = opposite && letter != weights.embedding[kind].end() && letter->second == -value;
    }
    if (opposite) active.push_back({c, mpq_class(-value).get_str()});
  }
  return active;
}

json begun(const recheck::Weights& weights, const char* theorem) {
  json certificate = {{"format", "logdepth-certificate"},
                      {"version", 1},
                      {"theorem", theorem},
                      {"sha256", weights.sha256}};
  add_cells(weights, certificate);
  return certificate;
}

}  // namespace

json tree_certificate(const recheck::Weights& weights) {
  json certificate = begun(weights, "levels");
  certificate["active"] = active_coordinates(weights, certificate["cells"]);
  return certificate;
}

json scan_certificate(const recheck::Weights& weights) {
  json certificate = begun(weights, "shift-scan");
  if (weights.has_loop())
    certificate["loop"] = LoopFinder(weights, recheck::parse_json(certificate.dump())).find();
  return certificate;
}

}  // namespace logdepth::inline proofs_check_certify
