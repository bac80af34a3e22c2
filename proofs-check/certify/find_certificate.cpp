#include "proofs-check/certify/find_certificate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "logdepth/errors.hpp"
#include "proofs-check/certify/coq_certificate.hpp"
#include "recheck/product.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"
#include "recheck/theorem.hpp"

namespace logdepth { inline namespace proofs_check_certify {
namespace {

using nlohmann::json;
using recheck::need;

// --- theorems of scans and of the tree: product cells, pointers of the loop, active tokens ---------

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
class LoopFinder : recheck::ProductProof {
 public:
  using ProductProof::ProductProof;

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
      const std::string where = recheck::layer_name(n);
      recheck::add_attention(frame_, layer, h, where + ", attention");
      const std::string place = where + ", feed-forward";
      products_.multiply(frame_, recheck::add_feed_forward(frame_, layer, h, place), h, place);
    }
  }
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

// --- all theorems --------------------------------------------------------------------------------

/// Theorems that could cover a file of this input and output, or why there is none.
std::variant<std::vector<std::string>, FailedTheorem> theorems_for(
    const recheck::Weights& weights) {
  const recheck::Json& input = weights.input;
  const std::string &kind = input.at("kind").string(), &output = weights.output.at("kind").string();
  const auto none = [](const std::string& reason) { return FailedTheorem{"no theorem", reason}; };
  if (kind == "graph" && input.at("layout").string() == "adjacency")
    return none("input: an adjacency matrix with padding; expected rows of a graph");
  if (kind == "graph") return std::vector<std::string>{"reachability"};
  if (kind == "cells") return std::vector<std::string>{"division"};
  const bool begin = input.at("begin").boolean(), end = input.has("end");
  if (!begin && !end) return none("input: expected words after <begin>, or before <end>");
  if (!begin && output != "accept")
    return none("output: " + output + "; expected accept or reject");
  if (!begin) return std::vector<std::string>{"levels"};
  // A file that reads prefixes is certified whole or not at all: its exit status is that of its answers.
  if (weights.output.has("prefix"))
    return weights.has_loop() || end ? std::vector<std::string>{"shift-scan"}
                                     : std::vector<std::string>{"shift-scan", "resets"};
  if (output != "accept" || end) return std::vector<std::string>{"selections"};
  return std::vector<std::string>{weights.has_loop() ? "shift-scan" : "counting", "selections"};
}

/// What the inputs of a division hold, by their names: the constructions' names are the guess.
json given_of_division(const recheck::Weights& weights) {
  json given = json::array();
  for (const recheck::Json& item : weights.input.at("names").array()) {
    const std::string& name = item.string();
    const std::size_t dot = name.rfind('.');
    const std::string cell = name.substr(0, dot);
    const int part = name.ends_with(".1") ? 1 : 0;
    recheck::need(dot != name.npos && (part == 1 || name.ends_with(".0")),
                  "input " + name + ": expected an input of the division constructions");
    if (cell == "i" || cell == "m")
      given.push_back({part == 1 ? "1" : cell == "i" ? "p" : "m", "", 0});
    else if (cell == "a")
      given.push_back({"a", "1", part});
    else if (cell == "I" || cell == "R")
      given.push_back({"p", cell == "I" ? "1" : "m", part});
    else if (cell.size() > 1 && cell[0] == 'I' &&
             cell.find_first_not_of("0123456789", 1) == cell.npos)
      given.push_back({"p", cell.substr(1), part});
    else
      throw recheck::Refused("input " + name + ": expected an input of the division constructions");
  }
  return given;
}

/// The text of the certificate, as it is written.
std::string make_certificate(const std::string& theorem, const recheck::Weights& weights) {
  json claims = {{"format", "logdepth-certificate"},
                 {"version", 1},
                 {"theorem", theorem},
                 {"sha256", weights.sha256}};
  if (theorem == "shift-scan" || theorem == "levels") add_cells(weights, claims);
  if (theorem == "shift-scan" && weights.has_loop())
    claims["loop"] = LoopFinder(weights, recheck::parse_json(claims.dump())).find();
  if (theorem == "levels") claims["active"] = active_coordinates(weights, claims["cells"]);
  if (theorem == "division") claims["given"] = given_of_division(weights);
  if (theorem == "selections") {
    claims["tier"] = "S";
    claims["proves"] = recheck::selections_of(weights);
  }
  return claims.dump() + "\n";
}

/// Calls `prove` with one theorem after the other until one holds. Why each does not, where none does.
template <class Prove>
std::vector<FailedTheorem> prove_first(const std::string& text, const std::string& name,
                                       const Prove& prove) {
  try {
    const recheck::Weights weights = recheck::read_weights(recheck::parse_json(text));
    const auto theorems = theorems_for(weights);
    if (const auto* none = std::get_if<FailedTheorem>(&theorems)) return {*none};
    std::vector<FailedTheorem> failed;
    for (const std::string& theorem : std::get<0>(theorems)) {
      try {
        prove(theorem, weights);
        return {};
      } catch (const recheck::Refused& error) {
        failed.push_back({theorem, error.what()});
      }
    }
    return failed;
  } catch (const recheck::Malformed& error) {
    throw InputError(name + ": " + error.what());
  }
}

Certification proof_of(const recheck::Theorem& theorem, const std::string& certificate,
                       const std::string& name) {
  const std::string unit = theorem.name == "division" ? " tokens" : " letters";
  return {theorem.name,
          theorem.limit ? "at most " + std::to_string(*theorem.limit) + unit : "every length",
          statement(theorem, name),
          theorem.name != "selections",
          certificate,
          {}};
}

}  // namespace

std::string proof_name(const Certification& proof) {
  return "theorem " + proof.theorem + (proof.outputs_certified ? "" : ", tier S");
}

std::variant<std::string, std::vector<FailedTheorem>> find_coq_proof(const std::string& text,
                                                                     const std::string& name) {
  std::string coq;
  const auto failed =
      prove_first(text, name, [&coq](const std::string& theorem, const recheck::Weights& weights) {
        if (theorem == "reachability") {
          coq = coq_text_of_rows(weights);
          return;
        }
        need(theorem == "shift-scan" || theorem == "resets" || theorem == "counting",
             "Coq: the library has no such theorem");
        // What the library's words for a file do not have.
        need(!weights.limit() || weights.unroll.at("kind").string() == "fixed",
             "Coq: max_length with a number of loops that grows");
        coq = coq_text(theorem, weights, make_certificate(theorem, weights));
      });
  if (coq.empty()) return failed;
  return coq;
}

Certification find_certificate(const std::string& text, const std::string& name) {
  Certification found;
  found.failed = prove_first(text, name, [&](const std::string& theorem, const auto& weights) {
    const std::string certificate = make_certificate(theorem, weights);
    found = proof_of(recheck::prove(weights, certificate), certificate, name);
  });
  return found;
}

Certification check_certificate(const std::string& text, const std::string& certificate,
                                const std::string& name) {
  try {
    const recheck::Weights weights = recheck::read_weights(recheck::parse_json(text));
    const std::string theorem = recheck::parse_json(certificate).at("theorem").string();
    try {
      return proof_of(recheck::prove(weights, certificate), certificate, name);
    } catch (const recheck::Refused& error) {
      Certification nothing;
      nothing.failed = {{theorem, error.what()}};
      return nothing;
    }
  } catch (const recheck::Malformed& error) {
    throw InputError(name + " with its certificate: " + error.what());
  }
}

}}  // namespace logdepth::proofs_check_certify
