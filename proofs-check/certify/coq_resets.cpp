#include "proofs-check/certify/coq_resets.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "recheck/machine.hpp"
#include "recheck/read_out.hpp"
#include "recheck/refusal.hpp"
#include "recheck/sublayers.hpp"

namespace logdepth::inline proofs_check_certify {
namespace {

using recheck::Atom;
using recheck::Form;
using recheck::Images;
using recheck::kOne;
using recheck::need;
using recheck::own;
using recheck::Selection;
using recheck::Shift;
using recheck::Stream;

constexpr std::size_t kMostNodes = 200;  // the kernel compares values along all edges

using ByClass = std::map<int, Stream>;

bool constant(const Stream& stream) {
  return std::all_of(stream.begin(), stream.end(),
                     [](const auto& entry) { return recheck::is_constant(entry.second); });
}

/// A head, before the nodes are known: what it selects of which stage.
struct Seen {
  CoqResetHead head;
  int selected = -1;  // its number among the heads of the stage that select
};

class ResetBuilder {
 public:
  ResetBuilder(const recheck::Weights& weights, const recheck::Theorem& theorem)
      : weights_(weights), theorem_(theorem), frame_{weights, {}, "", 0} {
    frame_.laws.size_of = [this](const recheck::Cell&) { return kinds(); };
  }

  CoqResets build() {
    need(!weights_.position.has("parity"), "Coq: position with a parity: counts are not covered");
    const Stream start = recheck::embedded(frame_);
    for (int kind = 0; kind < kinds(); ++kind)
      for (const auto& [c, form] : start)
        for (const auto& [atom, value] : form)
          if (atom.cell != own('T').cell)
            recheck::add(streams_[kind][c], atom, value);
          else if (atom.part == kind)
            recheck::add(streams_[kind][c], kOne, value);
    machine_.explore(kinds());
    stages_.push_back(streams_);
    reached_.push_back(shifts(streams_));
    for (std::size_t n = 0; n < weights_.layers.size(); ++n)
      one_layer(weights_.layers[n], "layer " + std::to_string(n));
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
  using Shifts = std::set<Shift>;
  struct Node {
    int last_class, state;
    auto operator<=>(const Node&) const = default;
  };

  int kinds() const { return static_cast<int>(weights_.kinds.size()); }

  static Shifts shifts(const ByClass& streams) {
    Shifts found;
    for (const auto& [x, h] : streams)
      for (const auto& [c, form] : h)
        for (const auto& [atom, value] : form)
          if (atom.cell.kind == 'K') found.insert(atom.cell.at);
    return found;
  }

  std::vector<Shift> listed(std::size_t stage) const {
    std::vector<Shift> list = {Shift{}};
    for (const Shift b : reached_[stage])
      if (b != Shift{}) list.push_back(b);
    return list;
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
    CoqResetLayer made;
    std::vector<Seen>& seen = seen_.emplace_back();
    recheck::Stage stage;
    std::vector<ByClass> reads;
    Stream everywhere;
    Shifts reached = shifts(streams_);
    if (!layer.heads.empty()) {
      made.attention = norm(layer.attention_mask, where + ", attention");
      ByClass z;
      for (const int x : machine_.classes)
        z[x] = recheck::normalised(frame_, layer.attention_mask, streams_[x], where);
      for (std::size_t i = 0; i < layer.heads.size(); ++i)
        one_head(layer.heads[i], z, seen, stage, reads, everywhere,
                 where + ", head " + std::to_string(i));
    }
    // Every layer is a stage of the machine, so that a node has a class before each of them.
    machine_.stages.push_back(std::move(stage));
    machine_.explore(kinds());
    ByClass after;
    for (const auto& [key, number] : machine_.stages.back().classes) {
      Stream& h = after[number] = streams_.at(key[0]);
      for (const auto& [c, form] : everywhere) recheck::add(h[c], form);
      for (std::size_t i = 0; i < reads.size(); ++i)
        for (const auto& [c, form] : reads[i].at(key[i + 1])) recheck::add(h[c], form);
    }
    streams_ = std::move(after);
    reached.merge(shifts(streams_));
    if (layer.in.rows > 0)
      made.feedforward = norm(layer.feedforward_mask, where + ", feed-forward");
    for (const int x : machine_.classes)
      recheck::add_feed_forward(frame_, layer, streams_[x], where + ", feed-forward");
    reached.merge(shifts(streams_));
    for (const Seen& head : seen) made.heads.push_back(head.head);
    out_.layers.push_back(std::move(made));
    stages_.push_back(streams_);
    reached_.push_back(reached);
  }

  void one_head(const recheck::Head& head, ByClass& z, std::vector<Seen>& seen,
                recheck::Stage& stage, std::vector<ByClass>& reads, Stream& everywhere,
                const std::string& where) {
    Seen made;
    ByClass values, keys;
    bool none = true;
    for (const auto& [x, y] : z) {
      values[x] = recheck::apply(frame_, head.output, recheck::apply(frame_, head.value, y));
      keys[x] = recheck::apply(frame_, head.key, y);
      none = none && values[x].empty();
    }
    if (none) {
      seen.push_back(made);
      return;
    }
    const Stream query = recheck::apply(frame_, head.query, z.begin()->second);
    std::map<int, recheck::Bilinear> scores;
    bool codes = false;
    for (const auto& [x, key] : keys) {
      scores[x] = recheck::whole_score(query, key);
      for (const auto& [atom, form] : scores[x])
        codes = codes || (atom != kOne && !recheck::is_constant(form));
    }
    const auto selection = codes ? back(scores, made.head, where) : last(scores, made.head, where);
    if (!selection) {
      add_mean(values, everywhere, where);
    } else {
      for (auto& [x, value] : values)
        if (selection->kind == Selection::Kind::back || selection->classes.contains(x))
          need(constant(value), "Coq: " + where + ": reads the position of another token");
      made.selected = static_cast<int>(stage.heads.size());
      stage.heads.push_back(*selection);
      reads.push_back(std::move(values));
    }
    seen.push_back(made);
  }

  std::optional<Selection> back(const std::map<int, recheck::Bilinear>& scores, CoqResetHead& head,
                                const std::string& where) {
    recheck::Bilinear score = scores.begin()->second;
    score.erase(kOne);
    for (const auto& [key, queries] : score)
      for (const auto& [query, value] : queries)
        need(query.cell.kind != 'D', "Coq: " + where + ": counts are not covered");
    const Shift b = recheck::matched(frame_, score, where);
    head.kind = CoqResetHead::Kind::back;
    const std::vector<Shift> list = listed(stages_.size() - 1);
    for (const auto& [key, queries] : score)
      for (const auto& [query, value] : queries) {
        if (key.part != query.part) continue;
        if (key.part == 0) head.first = value;
        head.block =
            static_cast<int>(std::find(list.begin(), list.end(), query.cell.at) - list.begin());
        head.back = b.constant - query.cell.at.constant;
      }
    Selection selection;
    selection.kind = Selection::Kind::back;
    selection.back = b.constant;
    return selection;
  }

  std::optional<Selection> last(const std::map<int, recheck::Bilinear>& scores, CoqResetHead& head,
                                const std::string& where) {
    std::map<int, mpq_class> weights;
    mpq_class slope;
    for (const auto& [x, score] : scores) {
      weights[x] = 0;
      for (const auto& [atom, form] : score)
        (atom == kOne ? weights[x] : slope) = recheck::constant_of(form);
    }
    mpq_class top = weights.begin()->second;
    for (const auto& [x, w] : weights) top = std::max(top, w);
    if (slope == 0) {
      head.kind = CoqResetHead::Kind::mean;
      return {};
    }
    need(slope > 0, "Coq: " + where + ": codes on the circle are not covered");
    head.kind = CoqResetHead::Kind::last;
    head.first = slope;
    head.second = top;
    Selection selection;
    for (const auto& [x, w] : weights)
      if (w == top) selection.classes.insert(x);
    return selection;
  }

  void add_mean(const ByClass& values, Stream& everywhere, const std::string& where) const {
    std::set<int> written;
    for (const auto& [x, stream] : values)
      for (const auto& [c, form] : stream) written.insert(c);
    for (const int c : written) {
      const mpq_class first = recheck::constant_of(recheck::at(values.at(machine_.begin_class), c));
      std::set<mpq_class> others;
      for (const auto& [x, stream] : values)
        if (x != machine_.begin_class) others.insert(recheck::constant_of(recheck::at(stream, c)));
      need(others.size() == 1,
           "Coq: " + where + ": averages classes of letters: counts are not covered");
      recheck::add(everywhere[c], kOne, *others.begin());
      recheck::add(everywhere[c], own('V'), first - *others.begin());
    }
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
    made.shifts = listed(n);
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
        const auto at = std::find(made.shifts.begin(), made.shifts.end(), atom.cell.at);
        made.parts.push_back({c,
                              atom == own('V')
                                  ? 1
                                  : kAtomsBefore +
                                        kAtomsOfCode * static_cast<int>(at - made.shifts.begin()) +
                                        atom.part,
                              value});
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
      CoqResetHead& head = out_.layers[n].heads[i];
      const int selected = seen_[n][i].selected;
      if (selected < 0) continue;
      const auto of_class = [&](int x) { return node_of.at(x); };
      std::vector<int> now;
      for (std::size_t q = 0; q < nodes_.size(); ++q)
        now.push_back(of_class(keys_[n][q][static_cast<std::size_t>(selected) + 1]));
      if (head.kind == CoqResetHead::Kind::back) {
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
    std::map<Images, int> numbers;
    std::vector<Images> products;
    Images begin(static_cast<std::size_t>(states ? 1 : automaton.points));
    for (std::size_t q = 0; q < begin.size(); ++q)
      begin[q] = states ? *automaton.initial : static_cast<int>(q);
    const auto after = [&](const Images& x, std::size_t letter) {
      Images next;
      for (const int q : x) next.push_back(automaton.maps[letter][static_cast<std::size_t>(q)]);
      return next;
    };
    std::vector<Images> held(nodes_.size());
    held[0] = begin;
    std::vector<std::size_t> left = {0};
    while (!left.empty()) {
      const std::size_t i = left.back();
      left.pop_back();
      for (std::size_t k = 0; k < automaton.maps.size(); ++k) {
        const auto to = static_cast<std::size_t>(out_.edges[i][k]);
        if (to == 0 || !held[to].empty()) continue;
        held[to] = after(held[i], k);
        left.push_back(to);
      }
    }
    if (states) {
      for (int q = 0; q < automaton.points; ++q) {
        std::vector<int>& next = out_.automaton.successors.emplace_back();
        for (const Images& map : automaton.maps)
          next.push_back(std::max(map[static_cast<std::size_t>(q)], 0));
        out_.automaton.accepting.push_back(automaton.accepting.contains(q));
      }
      out_.automaton.first_state = *automaton.initial;
      for (const Images& x : held) out_.state_of.push_back(x[0]);
      out_.map_of.resize(nodes_.size());
      return;
    }
    for (const Images& x : held)
      if (numbers.emplace(x, static_cast<int>(products.size())).second) products.push_back(x);
    for (const Images& x : products) {
      std::vector<int>& next = out_.automaton.successors.emplace_back();
      for (std::size_t k = 0; k < automaton.maps.size(); ++k)
        next.push_back(numbers.at(after(x, k)));
      out_.automaton.accepting.push_back(automaton.accepted_products.contains(x));
    }
    for (const Images& x : held) out_.state_of.push_back(numbers.at(x));
    out_.map_of = held;
  }

  const recheck::Weights& weights_;
  const recheck::Theorem& theorem_;
  recheck::Frame frame_;
  recheck::Machine machine_;
  ByClass streams_;
  std::vector<ByClass> stages_;  // before every layer, and after the last
  std::vector<Shifts> reached_;  // of every stage
  std::vector<std::vector<Seen>> seen_;
  std::vector<Node> nodes_;
  std::vector<std::vector<std::vector<int>>> keys_;  // of every stage and node
  CoqResets out_;
};

}  // namespace

CoqResets coq_resets(const recheck::Weights& weights, const recheck::Theorem& theorem) {
  return ResetBuilder(weights, theorem).build();
}

}  // namespace logdepth::inline proofs_check_certify
