#include "proofs-check/certify/coq_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "proofs-check/certify/coq_terms.hpp"
#include "recheck/accepted.hpp"
#include "recheck/class_heads.hpp"
#include "recheck/product.hpp"

namespace logdepth { inline namespace proofs_check_certify {
namespace {

using namespace coq;
using recheck::ByClass;
using recheck::Selection;

constexpr std::size_t kMostLabels = 200;  // the checker multiplies all triples
constexpr double kMostChoices = 50000;    // labels that are multiplied together in a layer
constexpr std::size_t kMostNodes = 1000;  // or classes: the checker compares values along all edges

// --- scans ----------------------------------------------------------------------------------------

/// The monoid that the letters generate, the identity first.
std::vector<Images> generated(const std::vector<Images>& maps, std::size_t points) {
  Images identity(points);
  std::iota(identity.begin(), identity.end(), 0);
  std::vector<Images> labels = {identity};
  std::set<Images> seen = {identity};
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (const Images& map : maps) {
      const Images next = followed_by(labels[i], map);
      if (!seen.insert(next).second) continue;
      need(labels.size() < kMostLabels,
           "Coq: the letters generate more than " + std::to_string(kMostLabels) + " products");
      labels.push_back(next);
    }
  return labels;
}

class ScanBuilder : recheck::ProductProof {
 public:
  ScanBuilder(const recheck::Weights& weights, const recheck::Json& certificate,
              const recheck::Theorem& theorem)
      : ProductProof(weights, certificate), theorem_(theorem) {}

  json build() {
    if (weights_.has_loop()) read_loop();
    Stream h = recheck::embedded(frame_);
    const std::vector<Images> maps = products_.begin(frame_, h);
    labels_ = generated(maps, products_.decode.size());
    json out = {{"acts", labels_}};
    for (const Images& map : maps) out["gen"].push_back(place_of(labels_, map));
    for (const Images& a : labels_) {
      json& line = out["mulT"].emplace_back();
      for (const Images& b : labels_) line.push_back(place_of(labels_, followed_by(a, b)));
    }
    out["stage0"] = stage(h, listed(places_of(h)), "the first layer");
    out["cinit"] = block("initial", listed(places_of(h)), h);
    if (weights_.has_loop()) enter_loop(h);
    const Shift length = products_.length;
    const Cells places = listed(places_of(h));
    out["length0"] = shift_json(length);
    out["factor"] = factor_;
    out["cloop"] = stage(h, places, "the loop");
    Stream after = h;
    out["cbody"] = block("repeated", places, after);
    products_.length = length;
    out["cfinal"] = block("final", places, h);
    out["coded"] = coding(frame_);
    const recheck::Automaton& automaton = *theorem_.automaton;
    for (std::size_t x = 0; x < labels_.size(); ++x)
      out["phi"].push_back(automaton.initial
                               ? labels_[x][static_cast<std::size_t>(*automaton.initial)]
                               : static_cast<int>(x));
    return {{"automaton", automaton_json(automaton, automaton.initial.has_value(), labels_)},
            {"certificate", std::move(out)}};
  }

 private:
  json stage(const Stream& h, const Cells& places, const std::string& where) {
    json listed_places = json::array(), parts = json::array();
    for (const Cell& cell : places) listed_places.push_back(place(cell));
    std::vector<Row> constants(labels_.size());
    for (const auto& [c, form] : h)
      for (const auto& [atom, value] : form) add(constants, parts, places, c, atom, value, where);
    return stage_json(std::move(listed_places), constants, std::move(parts));
  }

  /// All directions of a file have the same weights of v and of 1; recheck's weight of s has the square of v/s in it.
  json place(const Cell& cell) const {
    if (cell.kind == 'K') return shift_json(cell.at);
    if (cell.kind == 'P') return {"parity"};
    const recheck::Weighted& numbers = numbers_of(frame_, cell);
    need(numbers.back().first == recheck::kUnit, "Coq: a direction without a constant");
    json second = {"once"};
    if (numbers.size() == 3 && numbers[1].first == recheck::kBefore)
      second = {"before", factor_};
    else if (numbers.size() == 3)
      second = {"times", times_of(cell)};
    const auto weighted = [](const json& number, const mpq_class& weight) {
      return json::array({number, weight.get_str()});
    };
    return {"direct", json::array({weighted({"position"}, numbers.front().second),
                                   weighted(second, of_number_), weighted({"once"}, of_one_)})};
  }

  /// How many strides the second number of a direction is.
  std::int64_t times_of(const Cell& cell) const {
    const recheck::Weighted& numbers = numbers_of(frame_, cell);
    const bool other = numbers.size() == 3 && numbers[1].first == recheck::kStride &&
                       numbers[1].second != of_number_;
    return other ? factor_ : 1;
  }

  void add(std::vector<Row>& constants, json& parts, const Cells& places, int c, const Atom& atom,
           const mpq_class& value, const std::string& where) {
    const auto part = [&](int number, const mpq_class& factor) {
      parts.push_back({c, number, factor.get_str()});
    };
    const char kind = atom.cell.kind;
    const auto refuse = [&](const std::string& what) {
      need(false, "Coq: " + where + ", coordinate " + std::to_string(c) + ": " + what +
                      "; expected the product, constants and codes, found " +
                      shown(Form{{atom, value}}));
    };
    if (atom == kOne) {
      for (Row& row : constants) put(row, c, value);
    } else if (kind == 'X') {
      if (atom.cell.version != products_.version || atom.cell.at != Shift{})
        refuse("holds another product than that of the own token");
      const recheck::ProductCell& cell = products_.cells[static_cast<std::size_t>(atom.cell.id)];
      for (std::size_t x = 0; x < labels_.size(); ++x) {
        if (cell.label_of.at(followed_by(cell.points, labels_[x])) == atom.part)
          put(constants[x], c, value);
      }
    } else if (atom == own('V')) {
      part(1, value);
    } else if (atom == own('T', 0)) {
      part(2, value);
    } else if (kind == 'K' || kind == 'P') {
      part(number_of(places, atom.cell, atom.part), value);
    } else if (kind == 'D') {
      part(number_of(places, atom.cell, atom.part),
           atom.part == 1 ? mpq_class(value / recheck::exact(times_of(atom.cell))) : value);
    } else {
      refuse("holds something else");
    }
  }

  static void put(Row& row, int c, const mpq_class& value) {
    row[c] += value;
    if (row[c] == 0) row.erase(c);
  }

  /// Label 0, of every product: whether a component of a cell is 1 there.
  bool in_first_label(const Atom& atom) const {
    const recheck::ProductCell& cell = products_.cells[static_cast<std::size_t>(atom.cell.id)];
    return cell.label_of.at(followed_by(cell.points, labels_[0])) == atom.part;
  }

  json norm(const Row& mask, const Stream& h, const Cells& places, const std::string& where) {
    return norm_json(
        frame_, mask, h, places,
        [this](const Atom& atom) { return atom.cell.kind == 'X' && in_first_label(atom); }, where);
  }

  /// What a head selects. The shifts of what it reads go to `reached`; `factor` is the shift, if it reads a product.
  json head(const recheck::Written& written, const Cells& places, Places& reached,
            std::optional<Shift>& factor) const {
    if (written.scores.empty()) return {"mean", json::array()};
    const Shift b = recheck::matched(frame_, written.scores, written.where);
    for (const auto& [c, form] : written.values) {
      see(form, b, reached);
      for (const auto& [atom, value] : form)
        if (atom.cell.kind == 'X') factor = b;
    }
    json made = match(written.scores, places, b);
    if (written.scores.begin()->second.begin()->first.cell.kind == 'D')
      return {"behind", made[1], shift_json(b), made[3]};
    made.push_back(json::array());
    return made;
  }

  json block(const std::string& name, Cells places, Stream& h) {
    json layers = json::array();
    for (std::size_t n = 0; n < weights_.layers.size(); ++n)
      if (weights_.layers[n].block == name)
        layers.push_back(one_layer(weights_.layers[n], places, h, recheck::layer_name(n)));
    return layers;
  }

  /// `places` are those that the stream before is described with, and become those after.
  json one_layer(const recheck::Layer& layer, Cells& places, Stream& h, const std::string& where) {
    json heads = json::array(), factors = json::array(), attention = kZero, feedforward = kZero;
    Places reached = places_of(h);
    if (!layer.heads.empty()) {
      attention = norm(layer.attention_mask, h, places, where + ", attention");
      heads = std::vector<json>(layer.heads.size(), kIdle);
      std::map<Shift, std::size_t, std::greater<>> oldest_first;
      for (const recheck::Written& written : recheck::writing_heads(frame_, layer, h, where)) {
        const auto i = static_cast<std::size_t>(&written.head - layer.heads.data());
        std::optional<Shift> factor;
        heads[i] = head(written, places, reached, factor);
        if (factor)
          need(oldest_first.emplace(*factor, i).second,
               "Coq: " + written.where + ": a second head that fetches a product at shift " +
                   recheck::shown(*factor));
      }
      for (const auto& [shift, i] : oldest_first) factors.push_back(i);
      need(std::pow(static_cast<double>(labels_.size()), factors.size() + 1) <= kMostChoices,
           "Coq: " + where + ": more than 50000 choices of the labels that are multiplied");
    }
    recheck::add_attention(frame_, layer, h, where + ", attention");
    reached.merge(places_of(h));
    const std::string here = where + ", feed-forward";
    const Stream read = h;
    products_.multiply(frame_, recheck::add_feed_forward(frame_, layer, h, here), h, here);
    reached.merge(places_of(h));
    places = listed(reached);
    if (layer.in.rows > 0) feedforward = norm(layer.feedforward_mask, read, places, here);
    json made = layer_json(std::move(heads), std::move(attention), std::move(feedforward));
    made["factors"] = std::move(factors);
    made["next"] = stage(h, places, where);
    return made;
  }

  void read_loop() {
    const recheck::Json& loop = certificate_.at("loop");
    factor_ = loop.at("factor").integer(1, 1 << 30);
    if (!loop.has("directions") || loop.at("directions").array().empty()) return;
    const recheck::Json& first = loop.at("directions").items[0];
    of_number_ = first.items[4].rational();
    of_one_ = first.items[5].rational();
  }

  /// The stream at any stride: pointers as the certificate has them.
  void enter_loop(Stream& h) {
    const recheck::Json& loop = certificate_.at("loop");
    const auto& length = loop.at("length").array();
    products_.length = recheck::to_shift(length[0], length[1]);
    for (const auto& [c, pointer] : recheck::read_pointers(frame_, loop, factor_))
      h[c] = pointer.at_stride;
  }

  const recheck::Theorem& theorem_;
  std::vector<Images> labels_;  // label 0 is the identity
  std::int64_t factor_ = 1;
  mpq_class of_number_, of_one_;  // weights of all directions of the stride
};

// --- cascades -------------------------------------------------------------------------------------

class ResetBuilder {
 public:
  ResetBuilder(const recheck::Weights& weights, const recheck::Theorem& theorem)
      : weights_(weights), theorem_(theorem), by_class_(weights) {}

  json build() {
    machine_.explore(kinds());
    stages_.push_back(streams_);
    reached_.push_back(places_of_all(streams_));
    for (std::size_t n = 0; n < weights_.layers.size(); ++n)
      one_layer(weights_.layers[n], recheck::layer_name(n));
    json out = {{"coded", coding(frame_)}};
    find_nodes(out);
    out["first_stage"] = stage(0);
    for (std::size_t n = 0; n < layers_.size(); ++n) {
      fill_held(n);
      layers_[n]["next"] = stage(n + 1);
    }
    for (const auto& [n, head, average] : averages_)
      layers_[n]["heads"][head][1] = average_json(average, listed(reached_[n + 1]));
    out["layers"] = layers_;
    out["counters"] = counters();
    return with_automaton(std::move(out));
  }

 private:
  struct Node {
    int last_class, state;
    auto operator<=>(const Node&) const = default;
  };

  int kinds() const { return static_cast<int>(weights_.kinds.size()); }

  void one_layer(const recheck::Layer& layer, const std::string& where) {
    json heads = std::vector<json>(layer.heads.size(), kIdle), attention = kZero,
         feedforward = kZero;
    std::vector<int>& selected = selected_.emplace_back(layer.heads.size(), -1);
    recheck::Stage stage;
    Stream everywhere;
    Places reached = places_of_all(streams_);
    std::vector<ByClass> values;  // of the heads that select
    if (!layer.heads.empty()) {
      attention = norm_of_classes(frame_, layer.attention_mask, streams_, listed(reached),
                                  where + ", attention");
      for (std::size_t i = 0; i < layer.heads.size(); ++i) {
        recheck::Layer alone = layer;
        alone.heads = {layer.heads[i]};
        Stream average;
        for (recheck::Read& read : by_class_.heads(alone, where, average)) {
          selected[i] = static_cast<int>(stage.heads.size());
          heads[i] = head(read, layer.attention_mask, where + ", head " + std::to_string(i));
          stage.heads.push_back(read.selection);
          values.push_back(std::move(read.values));
        }
        if (average.empty()) continue;
        heads[i] = {"mean", json::array()};
        for (const auto& [c, form] : average) {
          recheck::add(everywhere[c], form);
          for (const Cell& cell : places_of({{c, form}}))
            if (cell.kind == 'H') heads[i] = {"fraction", cell.version, cell.id};
        }
        if (heads[i][0] == "mean") averages_.push_back({layers_.size(), i, average});
      }
    }
    // Every layer is a stage of the machine, so that a node has a class before each of them.
    machine_.stages.push_back(std::move(stage));
    machine_.explore(kinds());
    ByClass after;
    for (const auto& [key, number] : machine_.stages.back().classes) {
      Stream& h = after[number] = streams_.at(key[0]);
      for (const auto& [c, form] : everywhere) recheck::add(h[c], form);
      for (std::size_t i = 0; i < values.size(); ++i)
        recheck::add_read(machine_.stages.back().heads[i], values[i], key[i + 1], h);
    }
    streams_ = std::move(after);
    reached.merge(places_of_all(streams_));
    const ByClass read = streams_;
    for (const int x : machine_.classes)
      recheck::add_feed_forward(frame_, layer, streams_[x], where + ", feed-forward");
    reached.merge(places_of_all(streams_));
    if (layer.in.rows > 0)
      feedforward = norm_of_classes(frame_, layer.feedforward_mask, read, listed(reached),
                                    where + ", feed-forward");
    layers_.push_back(layer_json(std::move(heads), std::move(attention), std::move(feedforward)));
    stages_.push_back(streams_);
    reached_.push_back(reached);
  }

  /// What a head selects, with the factors of its scores.
  json head(const recheck::Read& read, const Row& mask, const std::string& where) {
    mpq_class slope, top;
    bool some = false;
    const Cells places = listed(reached_.back());
    for (const int x : machine_.classes) {
      const Stream z = recheck::normalised(frame_, mask, streams_[x], where);
      recheck::Bilinear score = recheck::whole_score(recheck::apply(frame_, read.head->query, z),
                                                     recheck::apply(frame_, read.head->key, z));
      const mpq_class flag = recheck::constant_of(value_in(score, kOne));
      score.erase(kOne);
      if (read.selection.kind == Selection::Kind::back) {
        return match(score, places, Shift{0, read.selection.back});
      }
      if (read.selection.kind == Selection::Kind::floor) {
        const Cell query = score.begin()->second.begin()->first.cell;
        need(query.kind == 'D', "Coq: " + where + ": the parity of a fraction is not covered");
        return {"nearest", block_of(places, query),
                number(read.selection.of_position ? recheck::kPosition : read.selection.counter),
                read.selection.divisor, read.selection.offset};
      }
      for (const auto& [atom, form] : score) slope = recheck::constant_of(form);
      top = std::exchange(some, true) ? std::max(top, flag) : flag;
    }
    need(slope > 0, "Coq: " + where + ": codes on the circle are not covered");
    return {"last", slope.get_str(), top.get_str()};
  }

  /// Nodes: class of a token after the last layer, and the state of the heads after it.
  void find_nodes(json& out) {
    std::map<Node, int> numbers;
    const auto number = [&](const Node& node) {
      const auto [at, fresh] = numbers.emplace(node, static_cast<int>(nodes_.size()));
      if (fresh) nodes_.push_back(node);
      need(nodes_.size() <= kMostNodes,
           "Coq: more than " + std::to_string(kMostNodes) + " nodes of the machine");
      return at->second;
    };
    number({machine_.begin_class, 0});
    std::vector<int> kinds = {0};
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      edges_.emplace_back();
      const auto& next = machine_.next[static_cast<std::size_t>(nodes_[i].state)];
      for (std::size_t k = 0; k < next.size(); ++k) {
        const int to = number({next[k].first, next[k].second});
        if (static_cast<std::size_t>(to) == kinds.size()) kinds.push_back(static_cast<int>(k) + 1);
        edges_[i].push_back(to);
      }
    }
    out["edge"] = edges_;
    out["kinds"] = kinds;
    // What a class was before every stage, from the last one back.
    keys_.resize(machine_.stages.size());
    for (std::size_t n = machine_.stages.size(); n-- > 0;) {
      std::map<int, std::vector<int>> key_of;
      for (const auto& [key, made] : machine_.stages[n].classes) key_of[made] = key;
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const int after =
            n + 1 == machine_.stages.size() ? nodes_[i].last_class : keys_[n + 1][i][0];
        keys_[n].push_back(key_of.at(after));
      }
    }
  }

  /// The class of a node before stage n.
  int class_at(std::size_t n, std::size_t node) const {
    return n == keys_.size() ? nodes_[node].last_class : keys_[n][node][0];
  }

  json stage(std::size_t n) const {
    const Cells places = listed(reached_[n]);
    json listed_places = json::array();
    for (const Cell& cell : places) listed_places.push_back(place(cell));
    std::vector<const Stream*> streams;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      streams.push_back(&stages_[n].at(class_at(n, i)));
    return stage_of_nodes(streams, places, std::move(listed_places), "stage " + std::to_string(n));
  }

  json place(const Cell& cell) const {
    if (cell.kind == 'K') return shift_json(cell.at);
    if (cell.kind == 'P') return {"parity"};
    if (cell.kind == 'M') return {"share", cell.id};
    if (cell.kind == 'H') return {"rounded", cell.id, cell.version};
    json numbers = json::array();
    for (const auto& [v, weight] : numbers_of(frame_, cell))
      numbers.push_back(json::array({number(v), weight.get_str()}));
    return {"direct", numbers};
  }

  static json number(int v) {
    if (v == recheck::kUnit) return {"once"};
    if (v == recheck::kPosition) return {"position"};
    need(v < recheck::kPosition, "Coq: a direction of this number is not covered");
    return {"count", v};
  }

  /// Of every counter, how much a token of a node counts; <begin> does not.
  json counters() const {
    json out = json::array();
    for (const recheck::Counter& counter : machine_.counters) {
      json& of_node = out.emplace_back(json::array());
      for (std::size_t q = 0; q < nodes_.size(); ++q) {
        const std::int64_t weight =
            value_in(counter.weights, class_at(static_cast<std::size_t>(counter.stage), q));
        need(weight >= 0, "Coq: a count with a negative weight");
        of_node.push_back(q == 0 ? 0 : weight);
      }
    }
    return out;
  }

  /// For every node, a node whose class before stage n is the one that a head reads.
  void fill_held(std::size_t n) {
    std::map<int, int> node_of;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      node_of.emplace(class_at(n, i), static_cast<int>(i));
    std::size_t before = 0;  // heads of earlier stages
    for (std::size_t s = 0; s < n; ++s) before += machine_.stages[s].heads.size();
    for (std::size_t i = 0; i < selected_[n].size(); ++i) {
      json& head = layers_[n]["heads"][i];
      const int selected = selected_[n][i];
      if (selected < 0) continue;
      const auto memory = [&](const Node& node) {
        return machine_.states[static_cast<std::size_t>(node.state)]
                              [before + static_cast<std::size_t>(selected)];
      };
      std::vector<int> now;
      for (std::size_t q = 0; q < nodes_.size(); ++q)
        now.push_back(head[0] == "nearest"
                          ? memory(nodes_[q]).front()
                          : node_of.at(keys_[n][q][static_cast<std::size_t>(selected) + 1]));
      if (head[0] != "match") {
        head.push_back(std::move(now));
        continue;
      }
      json history = json::array();
      const std::int64_t most = machine_.stages[n].heads[static_cast<std::size_t>(selected)].back;
      for (std::int64_t back = 1; back < most; ++back) {
        json& list = history.emplace_back();
        for (const Node& node : nodes_)
          list.push_back(node_of.at(memory(node)[static_cast<std::size_t>(most - 1 - back)]));
      }
      if (most > 0) history.push_back(std::move(now));
      head.push_back(std::move(history));
    }
  }

  json with_automaton(json out) const {
    const recheck::Automaton& automaton = *theorem_.automaton;
    const bool states = theorem_.prefixes == "states";
    Images begin(static_cast<std::size_t>(states ? 1 : automaton.points));
    for (std::size_t q = 0; q < begin.size(); ++q)
      begin[q] = states ? *automaton.initial : static_cast<int>(q);
    std::vector<Images> held(nodes_.size());
    held[0] = begin;
    std::vector<std::size_t> left = {0};
    while (!left.empty()) {
      const std::size_t i = left.back();
      left.pop_back();
      for (std::size_t k = 0; k < automaton.maps.size(); ++k) {
        const auto to = static_cast<std::size_t>(edges_[i][k]);
        if (to == 0 || !held[to].empty()) continue;
        held[to] = followed_by(held[i], automaton.maps[k]);
        left.push_back(to);
      }
    }
    std::vector<Images> products;
    for (const Images& x : held)
      if (std::find(products.begin(), products.end(), x) == products.end()) products.push_back(x);
    for (const Images& x : held) out["to_state"].push_back(states ? x[0] : place_of(products, x));
    out["to_map"] = states ? std::vector<Images>(nodes_.size()) : held;
    return {{"automaton", automaton_json(automaton, states, products)},
            {"certificate", std::move(out)}};
  }

  const recheck::Weights& weights_;
  const recheck::Theorem& theorem_;
  recheck::ClassHeads by_class_;
  Frame& frame_ = by_class_.frame;
  recheck::Machine& machine_ = by_class_.machine;
  ByClass& streams_ = by_class_.streams;
  std::vector<ByClass> stages_;  // before every layer, and after the last
  struct Average {
    std::size_t layer, head;
    Stream forms;
  };
  std::vector<Average> averages_;
  std::vector<Places> reached_;  // of every stage
  std::vector<std::vector<int>>
      selected_;  // of every layer and head: its number among those that select
  std::vector<Node> nodes_;
  std::vector<std::vector<std::vector<int>>> keys_;  // of every stage and node
  std::vector<std::vector<int>> edges_;              // node, letter to node; node 0 is <begin>
  std::vector<json> layers_;
};

// --- counting programs ----------------------------------------------------------------------------

/// A class of the proof is its number; class 0 is that of <begin>.
class CountingBuilder {
 public:
  explicit CountingBuilder(const recheck::Weights& weights)
      : weights_(weights), by_class_(weights) {}

  /// One sublayer after the other.
  void hear(const recheck::Accepted& accepted) {
    counters_ = accepted.machine->counters;
    steps_.push_back({in_two(accepted.streams), *accepted.signs});
    for (std::size_t k = sums_.size(); k < accepted.compared->size(); ++k)
      sums_.push_back(recheck::sum_of(accepted.frame, (*accepted.compared)[k]));
  }

  json build() {
    Step now{by_class_.streams, {}};
    for (const auto& [x, h] : now.streams) now.names[x] = {x};
    json out = {
        {"first", stage(now.streams, listed(places_of_all(now.streams)), "the first layer")},
        {"layers", json::array()}};
    auto next = steps_.begin();
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const recheck::Layer& layer = weights_.layers[n];
      const Step read = layer.heads.empty() ? now : *next++;
      out["layers"].push_back(one_layer(layer, now, read, *next, recheck::layer_name(n)));
      now = *next++;
    }
    json verdicts = json::array();
    for (const auto& [x, h] : now.streams)
      verdicts.push_back(recheck::constant_of(recheck::verdict_form(by_class_.frame, h)) > 0);
    return {{"certificate", std::move(out)},
            {"program",
             {{"tallies", tallies()}, {"comparisons", comparisons_}, {"verdicts", verdicts}}}};
  }

 private:
  struct Step {  // streams after a sublayer, and the signs of every class
    ByClass streams;
    std::map<int, std::vector<int>> names;
  };

  /// A count by weights of both signs is a difference: tally 2v of counter v has the positive ones, tally 2v + 1 the negative ones.
  std::vector<std::pair<Atom, int>> tallies_of(int v) const {
    std::vector<std::pair<Atom, int>> out;
    for (const int sign : {1, -1})
      if (std::ranges::any_of(counters_[static_cast<std::size_t>(v)].weights,
                              [sign](const auto& entry) { return entry.second * sign > 0; }))
        out.push_back({Atom{{'M', 2 * v + (sign < 0), 0, {}}, 0}, sign});
    return out;
  }

  ByClass in_two(const ByClass& streams) const {
    ByClass out;
    for (const auto& [x, h] : streams) {
      Stream& of = out[x];
      for (const auto& [c, form] : h)
        for (const auto& [atom, value] : form) {
          if (atom.cell.kind != 'M')
            recheck::add(of[c], atom, value);
          else
            for (const auto& [tally, sign] : tallies_of(atom.cell.id))
              recheck::add(of[c], tally, value * sign);
        }
    }
    return out;
  }

  json stage(const ByClass& streams, const Cells& places, const std::string& where) const {
    json listed_places = json::array();
    for (const Cell& cell : places)
      listed_places.push_back(cell.kind == 'M' ? json{"share", cell.id} : shift_json(cell.at));
    std::vector<const Stream*> all;
    for (const auto& [x, h] : streams) all.push_back(&h);
    return stage_of_nodes(all, places, std::move(listed_places), where);
  }

  json one_layer(const recheck::Layer& layer, const Step& before, const Step& read,
                 const Step& after, const std::string& where) {
    Places reached = places_of_all(read.streams);
    reached.merge(places_of_all(after.streams));
    const Cells places = listed(reached);
    json heads = std::vector<json>(layer.heads.size(), kIdle), attention = kZero,
         feedforward = kZero;
    if (!layer.heads.empty()) {
      before_attention_.push_back(done());
      attention = norm_of_classes(by_class_.frame, layer.attention_mask, before.streams, places,
                                  where + ", attention");
      for (const auto& [x, h] : before.streams)
        for (const recheck::Written& written :
             recheck::writing_heads(by_class_.frame, layer, h, where))
          heads[static_cast<std::size_t>(&written.head - layer.heads.data())] = {"mean"};
      need(std::count(heads.begin(), heads.end(), json{"mean"}) <= 1,
           "Coq: " + where + ": several heads that count are not covered");
      Stream average = read.streams.at(0);
      for (const auto& [c, form] : before.streams.at(0)) recheck::add(average[c], form, -1);
      for (json& head : heads)
        if (head != kIdle) head.push_back(average_json(average, places));
    }
    const bool compares = after.names.at(0).size() > before.names.at(0).size();
    need(after.streams.size() <= kMostNodes,
         "Coq: more than " + std::to_string(kMostNodes) + " classes of tokens");
    for (const auto& [c, weight] : layer.feedforward_mask)
      need(compares || recheck::is_constant(recheck::at(read.streams.at(0), c)),
           "Coq: " + where + ": a sum that is compared in two layers is not covered");
    json factor;
    if (compares)
      factor = comparison(layer, read, after, where);
    else if (layer.in.rows > 0)
      feedforward = norm_of_classes(by_class_.frame, layer.feedforward_mask, read.streams, places,
                                    where + ", feed-forward");
    json made = layer_json(std::move(heads), std::move(attention), std::move(feedforward));
    made["next"] = stage(after.streams, places, where);
    made["compares"] = std::move(factor);
    return made;
  }

  std::size_t done() const { return comparisons_.size(); }

  /// The next comparison of the program; returns the factor of the norm that yields the sign.
  std::string comparison(const recheck::Layer& layer, const Step& read, const Step& after,
                         const std::string& where) {
    const recheck::Sum& sum = sums_.at(done());
    const mpz_class denominator = sum.rest.get_den();
    json summands = json::array(), turns = json::array();
    Atom first = own('V');  // of the sum, and its factor
    mpz_class one = sum.rest.get_num();
    for (const auto& [v, factor] : sum.terms) {
      std::vector<std::pair<Atom, int>> parts = {{kOne, 1}};
      if (v != recheck::kPosition) parts = tallies_of(v);
      for (const auto& [tally, sign] : parts) {
        if (summands.empty()) first = tally, one = factor * denominator * sign;
        summands.push_back({tally == kOne ? static_cast<int>(2 * counters_.size()) : tally.cell.id,
                            number(factor * denominator * sign)});
      }
    }
    for (const auto& [x, name] : read.names) {
      json& turn = turns.emplace_back(json::array({0, 0, 0}));
      for (const auto& [y, signs] : after.names)
        if (std::equal(name.begin(), name.end(), signs.begin(), signs.end() - 1))
          for (int sign = 0; sign < 3; ++sign)
            if ((signs.back() >> sign & 1) != 0) turn[static_cast<std::size_t>(sign)] = y;
    }
    comparisons_.push_back(
        {{"summands", summands}, {"rest", number(sum.rest.get_num())}, {"turns", turns}});
    mpq_class square;
    for (const auto& [c, weight] : layer.feedforward_mask) {
      const mpq_class of = weight * value_in(recheck::at(read.streams.at(0), c), first) / one;
      square += of * of;
    }
    need(square > 0, "Coq: " + where + ": a sum without its first count");
    const auto root = recheck::rational_root(weights_.width / square);
    need(root.has_value(), "Coq: " + where + ": the norm is irrational");
    return root->get_str();
  }

  static std::int64_t number(const mpz_class& value) {
    need(value.fits_slong_p(), "Coq: a number beyond 2^63");
    return value.get_si();
  }

  /// Of every count, how many comparisons are made before, and how much a class counts; and the count of all letters.
  json tallies() const {
    json out = json::array();
    for (const recheck::Counter& counter : counters_)
      for (const std::int64_t sign : {1, -1}) {
        json weights = json::array();
        for (const auto& [x, weight] : counter.weights) {
          while (weights.size() < static_cast<std::size_t>(x)) weights.push_back(0);
          weights.push_back(std::max<std::int64_t>(0, weight * sign));
        }
        out.push_back({before_attention_.at(static_cast<std::size_t>(counter.stage)), weights});
      }
    std::vector<int> all(weights_.kinds.size(), 1);
    all[0] = 0;
    out.push_back({0, all});
    return out;
  }

  const recheck::Weights& weights_;
  recheck::ClassHeads by_class_;
  std::vector<Step> steps_;
  std::vector<recheck::Counter> counters_;
  std::vector<recheck::Sum> sums_;             // that are compared
  std::vector<std::size_t> before_attention_;  // comparisons before every attention
  json comparisons_ = json::array();
};

std::string text(const recheck::Weights& weights, const std::string& theorem, json members) {
  members["format"] = "logdepth-proof";
  members["version"] = 1;
  members["sha256"] = weights.sha256;
  members["theorem"] = theorem;
  return members.dump() + '\n';
}

/// Of words: with the letters as maps of points where products are read.
std::string text_of_words(const recheck::Weights& weights, const recheck::Theorem& theorem,
                          json members) {
  if (recheck::read_prefix_rows(weights).kind != recheck::PrefixRows::Kind::state) {
    for (const Images& map : theorem.automaton->maps)
      need(std::ranges::all_of(map, [](int image) { return image >= 0; }),
           "Coq: a letter that is a map of some points; expected one of all");
    members["points"] = theorem.automaton->points;
    members["maps"] = theorem.automaton->maps;
  }
  return text(weights, theorem.name, std::move(members));
}

}  // namespace

std::string coq_text(const std::string& name, const recheck::Weights& weights,
                     const std::string& certificate) {
  CountingBuilder counting(weights);
  std::optional<recheck::Listener> listener;
  if (name == "counting") listener.emplace([&](const auto& step) { counting.hear(step); });
  const recheck::Theorem theorem = recheck::prove(weights, certificate);
  if (name == "counting") return text(weights, name, counting.build());
  return text_of_words(
      weights, theorem,
      name == "resets" ? ResetBuilder(weights, theorem).build()
                       : ScanBuilder(weights, recheck::parse_json(certificate), theorem).build());
}

std::string coq_text_of_rows(const recheck::Weights& weights) {
  const std::int64_t size = weights.input.at("size").integer(1, weights.width);
  need(size >= 3, "size " + std::to_string(size) +
                      "; expected at least 3, fewer vertices have few graphs: run them all");
  return text(weights, "reachability", json::object());
}

}}  // namespace logdepth::proofs_check_certify
