#include "proofs-check/certify/coq_certificate.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "recheck/class_heads.hpp"
#include "recheck/refusal.hpp"

namespace logdepth { inline namespace proofs_check_certify {
namespace {

using recheck::Atom;
using recheck::Form;
using recheck::Images;
using recheck::kOne;
using recheck::need;
using recheck::own;
using recheck::Row;
using recheck::Selection;
using recheck::Shift;
using recheck::Stream;
using Shifts = std::set<Shift>;

constexpr std::size_t kMostLabels = 200;           // the checker multiplies all triples
constexpr std::size_t kMostNodes = 200;            // the checker compares values along all edges
constexpr int kAtomsBefore = 3, kAtomsOfCode = 4;  // numbers of atoms in Atoms.v

void see(const Form& form, Shift by, Shifts& shifts) {
  for (const auto& [atom, value] : form)
    if (atom.cell.kind == 'K') shifts.insert(recheck::plus(atom.cell.at, by));
}

Shifts shifts_of(const Stream& h) {
  Shifts shifts;
  for (const auto& [c, form] : h) see(form, {}, shifts);
  return shifts;
}

/// The own position comes first.
std::vector<Shift> listed(Shifts shifts) {
  shifts.erase(Shift{});
  std::vector<Shift> list = {Shift{}};
  list.insert(list.end(), shifts.begin(), shifts.end());
  return list;
}

int block_of(const std::vector<Shift>& shifts, Shift at) {
  return static_cast<int>(std::find(shifts.begin(), shifts.end(), at) - shifts.begin());
}

/// The number of a component of a code.
int number_of(const Atom& atom, const std::vector<Shift>& shifts) {
  return kAtomsBefore + kAtomsOfCode * block_of(shifts, atom.cell.at) + atom.part;
}

/// A head that selects the position at shift b by its code.
void set_match(CoqHead& head, const recheck::Bilinear& scores, const std::vector<Shift>& shifts,
               Shift b) {
  head.kind = CoqHead::Kind::match;
  for (const auto& [key, queries] : scores)
    for (const auto& [query, value] : queries) {
      if (key.part != query.part) continue;
      if (key.part == 0) head.first = value;
      if (key.part == 2) head.second = value;
      head.block = block_of(shifts, query.cell.at);
      head.back = b.constant - query.cell.at.constant;
    }
}

/// The automaton of the theorem: its own states, or a state for each of these products, the identity first.
CoqAutomaton coq_automaton(const recheck::Automaton& automaton, bool states,
                           const std::vector<Images>& products) {
  CoqAutomaton made;
  for (int q = 0; states && q < automaton.points; ++q) {
    std::vector<int>& next = made.successors.emplace_back();
    for (const Images& map : automaton.maps)
      next.push_back(std::max(map[static_cast<std::size_t>(q)], 0));
    made.accepting.push_back(automaton.accepting.contains(q));
  }
  if (states) {
    made.first_state = *automaton.initial;
    return made;
  }
  for (const Images& x : products) {
    std::vector<int>& next = made.successors.emplace_back();
    for (const Images& map : automaton.maps)
      next.push_back(place_of(products, followed_by(x, map)));
    made.accepting.push_back(automaton.accepted_products.contains(x));
  }
  return made;
}

/// The factor of a norm, from the sum of squares at one token: the kernel checks all of them. `is_one` says which components
/// of one-hots are 1 there, the others are 0.
CoqNorm coq_norm(recheck::Frame& frame, const Row& mask, const Stream& h,
                 const std::function<bool(const Atom&)>& is_one, const std::string& where) {
  if (recheck::normalised(frame, mask, h, where).empty()) return {};
  mpq_class codes, constants;
  bool direction = false;
  for (const auto& [c, factor] : mask) {
    mpq_class constant;
    for (const auto& [atom, value] : recheck::at(h, c)) {
      if (atom == recheck::kOne || is_one(atom)) constant += value * factor;
      if (atom.cell.kind == 'K' && atom.part % 2 == 0) codes += value * value * factor * factor;
      direction = direction || atom == own('V');
    }
    constants += constant * constant;
  }
  const mpq_class whole = direction ? constants : mpq_class(constants + codes);
  need(whole > 0, "Coq: " + where + ": the norm is 0 at the identity");
  const auto factor = recheck::rational_root(frame.weights.width / whole);
  need(factor.has_value(), "Coq: " + where + ": the norm is irrational at the identity");
  return {direction ? CoqNorm::Kind::direction : CoqNorm::Kind::scale, *factor};
}

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

  CoqCertificate build() {
    Stream h = recheck::embedded(frame_);
    const std::vector<Images> maps = products_.begin(frame_, h);
    out_.labels = generated(maps, products_.decode.size());
    for (const Images& map : maps) out_.letters.push_back(place_of(out_.labels, map));
    out_.start = stage(h, shifts_of(h), "the first layer");
    out_.initial = block("initial", out_.start, h);
    out_.length = products_.length;
    if (weights_.has_loop()) enter_loop(h);
    out_.loop = stage(h, shifts_of(h), "the loop");
    Stream after = h;
    out_.repeated = block("repeated", out_.loop, after);
    products_.length = out_.length;
    out_.final = block("final", out_.loop, h);
    out_.code = frame_.code;
    out_.parameter = frame_.parameter;
    make_automaton();
    return std::move(out_);
  }

 private:
  /// The stream as constants of labels and atoms that are the same for all labels.
  CoqStage stage(const Stream& h, Shifts shifts, const std::string& where) {
    CoqStage made;
    made.shifts = listed(std::move(shifts));
    made.constants.resize(out_.labels.size());
    for (const auto& [c, form] : h)
      for (const auto& [atom, value] : form) add(made, c, atom, value, where);
    return made;
  }

  void add(CoqStage& made, int c, const Atom& atom, const mpq_class& value,
           const std::string& where) {
    const char kind = atom.cell.kind;
    const auto refuse = [&](const std::string& what) {
      need(false, "Coq: " + where + ", coordinate " + std::to_string(c) + ": " + what +
                      "; expected the product, constants and codes, found " +
                      shown(Form{{atom, value}}));
    };
    if (atom == recheck::kOne) {
      for (Row& row : made.constants) put(row, c, value);
    } else if (kind == 'X') {
      if (atom.cell.version != products_.version || atom.cell.at != Shift{})
        refuse("holds another product than that of the own token");
      const recheck::ProductCell& cell = products_.cells[static_cast<std::size_t>(atom.cell.id)];
      for (std::size_t x = 0; x < out_.labels.size(); ++x) {
        if (cell.label_of.at(followed_by(cell.points, out_.labels[x])) == atom.part)
          put(made.constants[x], c, value);
      }
    } else if (atom == own('V')) {
      made.parts.push_back({c, 1, value});
    } else if (atom == own('T', 0)) {
      made.parts.push_back({c, 2, value});
    } else if (kind == 'K') {
      made.parts.push_back({c, number_of(atom, made.shifts), value});
    } else {
      refuse(kind == 'D' ? "directions of the stride are not covered" : "holds something else");
    }
  }

  static void put(Row& row, int c, const mpq_class& value) {
    row[c] += value;
    if (row[c] == 0) row.erase(c);
  }

  /// Label 0, of every product: whether a component of a cell is 1 there.
  bool in_first_label(const Atom& atom) const {
    const recheck::ProductCell& cell = products_.cells[static_cast<std::size_t>(atom.cell.id)];
    return cell.label_of.at(followed_by(cell.points, out_.labels[0])) == atom.part;
  }

  CoqNorm norm(const Row& mask, const Stream& h, const std::string& where) {
    return coq_norm(
        frame_, mask, h,
        [this](const Atom& atom) { return atom.cell.kind == 'X' && in_first_label(atom); }, where);
  }

  /// What a head selects. The shifts of what it reads go to `reached`; `factor` is the shift, if it reads a product.
  CoqHead head(const recheck::Written& written, const std::vector<Shift>& shifts, Shifts& reached,
               std::optional<Shift>& factor) const {
    CoqHead made;
    made.kind = CoqHead::Kind::mean;
    if (written.scores.empty()) return made;
    const Shift b = recheck::matched(frame_, written.scores, written.where);
    for (const auto& [c, form] : written.values) {
      see(form, b, reached);
      for (const auto& [atom, value] : form)
        if (atom.cell.kind == 'X') factor = b;
    }
    set_match(made, written.scores, shifts, b);
    return made;
  }

  std::vector<CoqLayer> block(const std::string& name, const CoqStage& before, Stream& h) {
    std::vector<CoqLayer> layers;
    for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
      const recheck::Layer& layer = weights_.layers[n];
      if (layer.block != name) continue;
      const std::vector<Shift>& shifts = layers.empty() ? before.shifts : layers.back().next.shifts;
      layers.push_back(one_layer(layer, shifts, h, recheck::layer_name(n)));
    }
    return layers;
  }

  CoqLayer one_layer(const recheck::Layer& layer, const std::vector<Shift>& shifts, Stream& h,
                     const std::string& where) {
    CoqLayer made;
    Shifts reached = shifts_of(h);
    if (!layer.heads.empty()) {
      made.attention = norm(layer.attention_mask, h, where + ", attention");
      made.heads.resize(layer.heads.size());
      std::map<Shift, int, std::greater<>> oldest_first;
      for (const recheck::Written& written : recheck::writing_heads(frame_, layer, h, where)) {
        const auto i = static_cast<int>(&written.head - layer.heads.data());
        std::optional<Shift> factor;
        made.heads[static_cast<std::size_t>(i)] = head(written, shifts, reached, factor);
        if (factor)
          need(oldest_first.emplace(*factor, i).second,
               "Coq: " + written.where + ": a second head that fetches a product at shift " +
                   recheck::shown(*factor));
      }
      for (const auto& [shift, i] : oldest_first) made.factors.push_back(i);
    }
    recheck::add_attention(frame_, layer, h, where + ", attention");
    reached.merge(shifts_of(h));
    const std::string place = where + ", feed-forward";
    if (layer.in.rows > 0) made.feedforward = norm(layer.feedforward_mask, h, place);
    products_.multiply(frame_, recheck::add_feed_forward(frame_, layer, h, place), h, place);
    reached.merge(shifts_of(h));
    made.next = stage(h, reached, where);
    return made;
  }

  /// The stream at any stride: pointers as the certificate has them.
  void enter_loop(Stream& h) {
    const recheck::Json& loop = certificate_.at("loop");
    out_.factor = loop.at("factor").integer(1, 1 << 30);
    const auto shift = [](const recheck::Json& strides, const recheck::Json& constant) {
      return Shift{strides.integer(0, 1 << 30), constant.integer(-(1 << 30), 1 << 30)};
    };
    const auto& length = loop.at("length").array();
    out_.length = shift(length[0], length[1]);
    products_.length = out_.length;
    for (const recheck::Json& pointer : loop.at("pointers").array()) {
      const auto& [c, part, factor, strides, constant] = std::tie(
          pointer.items[0], pointer.items[1], pointer.items[2], pointer.items[3], pointer.items[4]);
      h[static_cast<int>(c.integer(0, weights_.width - 1))] =
          Form{{Atom{{'K', 0, 0, shift(strides, constant)}, static_cast<int>(part.integer(0, 3))},
                factor.rational()}};
    }
  }

  void make_automaton() {
    const recheck::Automaton& automaton = *theorem_.automaton;
    out_.automaton = coq_automaton(automaton, automaton.initial.has_value(), out_.labels);
    for (std::size_t x = 0; x < out_.labels.size(); ++x)
      out_.state_of.push_back(automaton.initial
                                  ? out_.labels[x][static_cast<std::size_t>(*automaton.initial)]
                                  : static_cast<int>(x));
  }

  const recheck::Theorem& theorem_;
  CoqCertificate out_;
};

// --- cascades of resets -------------------------------------------------------------------------

using recheck::ByClass;

class ResetBuilder {
 public:
  ResetBuilder(const recheck::Weights& weights, const recheck::Theorem& theorem)
      : weights_(weights), theorem_(theorem), by_class_(weights) {}

  CoqResets build() {
    machine_.explore(kinds());
    stages_.push_back(streams_);
    reached_.push_back(shifts(streams_));
    for (std::size_t n = 0; n < weights_.layers.size(); ++n)
      one_layer(weights_.layers[n], recheck::layer_name(n));
    out_.code = frame_.code;
    out_.parameter = frame_.parameter;
    find_nodes();
    for (std::size_t n = 0; n < stages_.size(); ++n) {
      CoqStage made = stage(n);
      (n == 0 ? out_.start : out_.layers[n - 1].next) = std::move(made);
    }
    for (std::size_t n = 0; n < out_.layers.size(); ++n) fill_held(n);
    make_automaton();
    return std::move(out_);
  }

 private:
  struct Node {
    int last_class, state;
    auto operator<=>(const Node&) const = default;
  };

  int kinds() const { return static_cast<int>(weights_.kinds.size()); }

  static Shifts shifts(const ByClass& streams) {
    Shifts found;
    for (const auto& [x, h] : streams) found.merge(shifts_of(h));
    return found;
  }

  CoqNorm norm(const recheck::Row& mask, const std::string& where) {
    for (const int x : machine_.classes) {
      const CoqNorm made = coq_norm(
          frame_, mask, streams_.at(x), [](const Atom&) { return false; }, where);
      if (made.kind != CoqNorm::Kind::zero) return made;
    }
    return {};
  }

  void one_layer(const recheck::Layer& layer, const std::string& where) {
    CoqLayer made;
    made.heads.resize(layer.heads.size());
    std::vector<int>& selected = selected_.emplace_back(layer.heads.size(), -1);
    recheck::Stage stage;
    Stream everywhere;
    Shifts reached = shifts(streams_);
    std::vector<recheck::Read> reads;
    if (!layer.heads.empty()) {
      made.attention = norm(layer.attention_mask, where + ", attention");
      ByClass z;
      for (const int x : machine_.classes)
        z[x] = recheck::normalised(frame_, layer.attention_mask, streams_[x], where);
      reads = by_class_.heads(layer, where, everywhere);
      need(machine_.counters.empty(),
           "Coq: " + where + ": averages classes of letters: counts are not covered");
      for (std::size_t i = 0; i < layer.heads.size(); ++i)
        if (!writes_nothing(layer.heads[i], z)) made.heads[i].kind = CoqHead::Kind::mean;
      for (const recheck::Read& read : reads) {
        const auto i = static_cast<std::size_t>(read.head - layer.heads.data());
        selected[i] = static_cast<int>(stage.heads.size());
        made.heads[i] = head(read, z, where + ", head " + std::to_string(i));
        stage.heads.push_back(read.selection);
      }
    }
    // Every layer is a stage of the machine, so that a node has a class before each of them.
    machine_.stages.push_back(std::move(stage));
    machine_.explore(kinds());
    ByClass after;
    for (const auto& [key, number] : machine_.stages.back().classes) {
      Stream& h = after[number] = streams_.at(key[0]);
      for (const auto& [c, form] : everywhere) recheck::add(h[c], form);
      for (std::size_t i = 0; i < reads.size(); ++i)
        for (const auto& [c, form] : reads[i].values.at(key[i + 1])) recheck::add(h[c], form);
    }
    streams_ = std::move(after);
    reached.merge(shifts(streams_));
    if (layer.in.rows > 0)
      made.feedforward = norm(layer.feedforward_mask, where + ", feed-forward");
    for (const int x : machine_.classes)
      recheck::add_feed_forward(frame_, layer, streams_[x], where + ", feed-forward");
    reached.merge(shifts(streams_));
    out_.layers.push_back(std::move(made));
    stages_.push_back(streams_);
    reached_.push_back(reached);
  }

  bool writes_nothing(const recheck::Head& head, const ByClass& z) const {
    return std::all_of(z.begin(), z.end(), [&](const auto& entry) {
      const Stream values = recheck::apply(frame_, head.value, entry.second);
      return recheck::apply(frame_, head.output, values).empty();
    });
  }

  /// What a head selects, with the factors of its scores.
  CoqHead head(const recheck::Read& read, const ByClass& z, const std::string& where) const {
    need(read.selection.kind != Selection::Kind::floor,
         "Coq: " + where + ": counts are not covered");
    CoqHead made;
    const Stream query = recheck::apply(frame_, read.head->query, z.begin()->second);
    for (const auto& [x, y] : z) {
      recheck::Bilinear score =
          recheck::whole_score(query, recheck::apply(frame_, read.head->key, y));
      const mpq_class flag = recheck::constant_of(recheck::value_in(score, kOne));
      score.erase(kOne);
      if (read.selection.kind == Selection::Kind::back) {
        set_match(made, score, listed(reached_.back()), Shift{0, read.selection.back});
        return made;
      }
      for (const auto& [atom, form] : score) made.first = recheck::constant_of(form);
      made.second = made.kind == CoqHead::Kind::last ? std::max(made.second, flag) : flag;
      made.kind = CoqHead::Kind::last;
    }
    need(made.first > 0, "Coq: " + where + ": codes on the circle are not covered");
    return made;
  }

  /// Nodes: class of a token after the last layer, and the state of the heads after it.
  void find_nodes() {
    std::map<Node, int> numbers;
    const auto number = [&](const Node& node) {
      const auto [at, fresh] = numbers.emplace(node, static_cast<int>(nodes_.size()));
      if (fresh) nodes_.push_back(node);
      need(nodes_.size() <= kMostNodes,
           "Coq: more than " + std::to_string(kMostNodes) + " nodes of the machine");
      return at->second;
    };
    number({machine_.begin_class, 0});
    out_.kinds.push_back(0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      out_.edges.emplace_back();
      const auto& next = machine_.next[static_cast<std::size_t>(nodes_[i].state)];
      for (std::size_t k = 0; k < next.size(); ++k) {
        const int to = number({next[k].first, next[k].second});
        if (static_cast<std::size_t>(to) == out_.kinds.size())
          out_.kinds.push_back(static_cast<int>(k) + 1);
        out_.edges[i].push_back(to);
      }
    }
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

  CoqStage stage(std::size_t n) const {
    CoqStage made;
    made.shifts = listed(reached_[n]);
    made.constants.resize(nodes_.size());
    std::optional<Stream> positions;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Stream of;
      for (const auto& [c, form] : stages_[n].at(class_at(n, i)))
        for (const auto& [atom, value] : form) {
          if (atom == kOne)
            made.constants[i][c] = value;
          else
            of[c][atom] = value;
        }
      need(!positions || *positions == of,
           "Coq: stage " + std::to_string(n) + ": codes of the position differ between letters");
      positions = of;
    }
    for (const auto& [c, form] : *positions)
      for (const auto& [atom, value] : form) {
        need(atom == own('V') || atom.cell.kind == 'K',
             "Coq: stage " + std::to_string(n) + ", coordinate " + std::to_string(c) +
                 ": counts are not covered; found " + recheck::shown(Form{{atom, value}}));
        made.parts.push_back({c, atom == own('V') ? 1 : number_of(atom, made.shifts), value});
      }
    return made;
  }

  /// For every node, a node whose class before stage n is the one that a head reads.
  void fill_held(std::size_t n) {
    std::map<int, int> node_of;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      node_of.emplace(class_at(n, i), static_cast<int>(i));
    std::size_t before = 0;  // heads of earlier stages
    for (std::size_t s = 0; s < n; ++s) before += machine_.stages[s].heads.size();
    for (std::size_t i = 0; i < out_.layers[n].heads.size(); ++i) {
      CoqHead& head = out_.layers[n].heads[i];
      const int selected = selected_[n][i];
      if (selected < 0) continue;
      const auto of_class = [&](int x) { return node_of.at(x); };
      std::vector<int> now;
      for (std::size_t q = 0; q < nodes_.size(); ++q)
        now.push_back(of_class(keys_[n][q][static_cast<std::size_t>(selected) + 1]));
      if (head.kind == CoqHead::Kind::match) {
        const long most = machine_.stages[n].heads[static_cast<std::size_t>(selected)].back;
        for (long back = 1; back < most; ++back) {
          std::vector<int>& list = head.held.emplace_back();
          for (const Node& node : nodes_) {
            const auto& memory = machine_.states[static_cast<std::size_t>(node.state)]
                                                [before + static_cast<std::size_t>(selected)];
            list.push_back(of_class(memory[static_cast<std::size_t>(most - 1 - back)]));
          }
        }
        if (most == 0) continue;
      }
      head.held.push_back(std::move(now));
    }
  }

  void make_automaton() {
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
        const auto to = static_cast<std::size_t>(out_.edges[i][k]);
        if (to == 0 || !held[to].empty()) continue;
        held[to] = followed_by(held[i], automaton.maps[k]);
        left.push_back(to);
      }
    }
    std::vector<Images> products;
    for (const Images& x : held)
      if (std::find(products.begin(), products.end(), x) == products.end()) products.push_back(x);
    out_.automaton = coq_automaton(automaton, states, products);
    for (const Images& x : held) out_.state_of.push_back(states ? x[0] : place_of(products, x));
    out_.map_of = states ? std::vector<Images>(nodes_.size()) : held;
  }

  const recheck::Weights& weights_;
  const recheck::Theorem& theorem_;
  recheck::ClassHeads by_class_;
  recheck::Frame& frame_ = by_class_.frame;
  recheck::Machine& machine_ = by_class_.machine;
  ByClass& streams_ = by_class_.streams;
  std::vector<ByClass> stages_;  // before every layer, and after the last
  std::vector<Shifts> reached_;  // of every stage
  std::vector<std::vector<int>>
      selected_;  // of every layer and head: its number among those that select
  std::vector<Node> nodes_;
  std::vector<std::vector<std::vector<int>>> keys_;  // of every stage and node
  CoqResets out_;
};

}  // namespace

Images followed_by(const Images& x, const Images& map) {
  Images both;
  for (const int q : x) both.push_back(map[static_cast<std::size_t>(q)]);
  return both;
}

int place_of(const std::vector<Images>& list, const Images& images) {
  return static_cast<int>(std::find(list.begin(), list.end(), images) - list.begin());
}

CoqCertificate coq_certificate(const recheck::Weights& weights, const recheck::Json& certificate,
                               const recheck::Theorem& theorem) {
  return ScanBuilder(weights, certificate, theorem).build();
}

CoqResets coq_resets(const recheck::Weights& weights, const recheck::Theorem& theorem) {
  return ResetBuilder(weights, theorem).build();
}

}}  // namespace logdepth::proofs_check_certify
