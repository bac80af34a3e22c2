#include "oracle/language_oracle.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace logdepth { inline namespace oracle {
namespace {

/// More configurations of an oracle are not explored.
constexpr std::size_t kMostConfigurations = 8192;

/// States that no word tells apart made one (Moore's rounds). Precondition: all are reachable.
Dfa merged_states(const Dfa& dfa) {
  // In every round a class is what its states say themselves and the classes that they lead to.
  std::vector<State> of(dfa.accepting.begin(), dfa.accepting.end());
  std::size_t classes = 0;
  while (true) {
    std::map<std::vector<State>, State> numbers;
    std::vector<State> finer;
    for (State q = 0; q < dfa.states(); ++q) {
      std::vector<State> seen = {of[q]};
      for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter)
        seen.push_back(of[dfa.step(q, letter)]);
      finer.push_back(
          numbers.try_emplace(std::move(seen), static_cast<State>(numbers.size())).first->second);
    }
    of = std::move(finer);
    if (numbers.size() == classes) break;
    classes = numbers.size();
  }
  Dfa merged;
  merged.alphabet = dfa.alphabet;
  merged.initial = of[dfa.initial];
  merged.accepting.resize(classes);
  merged.next.resize(classes * dfa.alphabet.size());
  for (State q = 0; q < dfa.states(); ++q) {
    merged.accepting[of[q]] = dfa.accepting[q];
    for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter)
      merged.next[of[q] * dfa.alphabet.size() + letter] = of[dfa.step(q, letter)];
  }
  return merged;
}

/// The minimal automaton of a machine that reads letter by letter: it is in `start` first and, after
/// `configuration`, in step(configuration, letter). Configurations need an order.
template <class Configuration, class Step, class Accepts>
std::optional<Dfa> explored_automaton(const Alphabet& alphabet, const Configuration& start,
                                      const Step& step, const Accepts& accepts) {
  Dfa dfa;
  dfa.alphabet = alphabet;
  std::map<Configuration, State> numbers = {{start, 0}};
  std::vector<Configuration> reached = {start};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (i == kMostConfigurations) return std::nullopt;
    dfa.accepting.push_back(accepts(reached[i]));
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      Configuration next = step(reached[i], letter);
      const auto [known, is_new] = numbers.try_emplace(next, static_cast<State>(reached.size()));
      dfa.next.push_back(known->second);
      if (is_new) reached.push_back(std::move(next));
    }
  }
  return merged_states(dfa);
}

using Term = std::uint32_t;
using Kind = Regex::Kind;

/// Expressions in a normal form, each stored once, with their derivatives remembered. Alternations
/// and intersections are sorted sets, concatenations lean to the right, and the obvious laws are
/// applied; up to these laws an expression has finitely many derivatives (Brzozowski 1964).
class Terms {
 public:
  struct Node {
    Kind kind = Kind::empty_set;
    std::vector<bool> letters;
    std::vector<Term> parts;
    bool nullable = false;

    auto key() const { return std::tie(kind, letters, parts); }
    bool operator<(const Node& other) const { return key() < other.key(); }
  };

  Terms() {
    nothing_ = store({Kind::empty_set, {}, {}, false});
    empty_word_ = store({Kind::empty_word, {}, {}, true});
    everything_ = store({Kind::complement, {}, {nothing_}, true});
  }

  std::size_t size() const { return nodes_.size(); }
  bool nullable(Term term) const { return nodes_[term]->nullable; }

  Term of(const Regex& regex) {
    const auto known = converted_.find(&regex);
    if (known != converted_.end()) return known->second;
    std::vector<Term> parts;
    for (const auto& part : regex.parts) parts.push_back(of(*part));
    return converted_[&regex] = build(regex, parts);
  }

  Term derivative(Term term, Letter letter) {
    const auto known = derivatives_.find({term, letter});
    if (known != derivatives_.end()) return known->second;
    const Term result = derive(term, letter);
    derivatives_.emplace(std::make_pair(term, letter), result);
    return result;
  }

 private:
  Term store(Node node) {
    const auto [entry, is_new] =
        numbers_.emplace(std::move(node), static_cast<Term>(nodes_.size()));
    if (is_new) nodes_.push_back(&entry->first);
    return entry->second;
  }

  Term build(const Regex& regex, const std::vector<Term>& parts) {
    switch (regex.kind) {
      case Kind::empty_set:
        return nothing_;
      case Kind::empty_word:
        return empty_word_;
      case Kind::letters:
        if (std::find(regex.letters.begin(), regex.letters.end(), true) == regex.letters.end()) {
          return nothing_;
        }
        return store({Kind::letters, regex.letters, {}, false});
      case Kind::concatenation: {
        Term result = empty_word_;
        for (std::size_t i = parts.size(); i-- > 0;) result = concatenation(parts[i], result);
        return result;
      }
      case Kind::alternation:
      case Kind::intersection:
        return set(regex.kind, parts);
      case Kind::complement:
        return complement(parts.front());
      case Kind::star:
        return star(parts.front());
    }
    return nothing_;
  }

  Term concatenation(Term left, Term right) {
    // Lean to the right: (a(bc))d becomes a(b(cd)).
    std::vector<Term> heads;
    while (nodes_[left]->kind == Kind::concatenation) {
      heads.push_back(nodes_[left]->parts[0]);
      left = nodes_[left]->parts[1];
    }
    heads.push_back(left);
    for (std::size_t i = heads.size(); i-- > 0;) {
      const Term head = heads[i];
      if (head == nothing_ || right == nothing_) return nothing_;
      if (head == empty_word_) continue;
      if (right == empty_word_) {
        right = head;
        continue;
      }
      right = store({Kind::concatenation, {}, {head, right}, nullable(head) && nullable(right)});
    }
    return right;
  }

  /// Alternation or intersection: `neutral` may be left out, `absorbing` swallows the rest.
  Term set(Kind kind, const std::vector<Term>& operands) {
    const bool is_union = kind == Kind::alternation;
    const Term neutral = is_union ? nothing_ : everything_;
    const Term absorbing = is_union ? everything_ : nothing_;
    std::vector<Term> parts;
    for (const Term operand : operands) {
      if (operand == absorbing) return absorbing;
      if (operand == neutral) continue;
      const Node& node = *nodes_[operand];
      if (node.kind == kind) {
        parts.insert(parts.end(), node.parts.begin(), node.parts.end());
      } else {
        parts.push_back(operand);
      }
    }
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    if (parts.empty()) return neutral;
    if (parts.size() == 1) return parts.front();
    const auto is_nullable = [&](Term part) { return nullable(part); };
    const bool all = std::all_of(parts.begin(), parts.end(), is_nullable);
    const bool any = std::any_of(parts.begin(), parts.end(), is_nullable);
    return store({kind, {}, std::move(parts), is_union ? any : all});
  }

  Term complement(Term part) {
    if (nodes_[part]->kind == Kind::complement) return nodes_[part]->parts[0];
    return store({Kind::complement, {}, {part}, !nullable(part)});
  }

  Term star(Term part) {
    if (part == nothing_ || part == empty_word_) return empty_word_;
    if (part == everything_ || nodes_[part]->kind == Kind::star) return part;
    return store({Kind::star, {}, {part}, true});
  }

  Term derive(Term term, Letter letter) {
    const Node& node = *nodes_[term];
    switch (node.kind) {
      case Kind::empty_set:
      case Kind::empty_word:
        return nothing_;
      case Kind::letters:
        return node.letters[letter] ? empty_word_ : nothing_;
      case Kind::concatenation:
        return derive_concatenation(term, letter);
      case Kind::alternation:
      case Kind::intersection: {
        std::vector<Term> parts;
        for (const Term part : node.parts) parts.push_back(derivative(part, letter));
        return set(node.kind, parts);
      }
      case Kind::complement:
        return complement(derivative(node.parts[0], letter));
      case Kind::star:
        return concatenation(derivative(node.parts[0], letter), term);
    }
    return nothing_;
  }

  /// d(x1 x2 ... xn) is the union of d(xi) x(i+1) ... xn over the i whose earlier factors are
  /// nullable; a loop, because a chain of optional factors may be long.
  Term derive_concatenation(Term term, Letter letter) {
    std::vector<Term> branches;
    while (nodes_[term]->kind == Kind::concatenation) {
      const Term head = nodes_[term]->parts[0];
      const Term tail = nodes_[term]->parts[1];
      branches.push_back(concatenation(derivative(head, letter), tail));
      if (!nullable(head)) return set(Kind::alternation, branches);
      term = tail;
    }
    branches.push_back(derivative(term, letter));
    return set(Kind::alternation, branches);
  }

  std::map<Node, Term> numbers_;
  std::vector<const Node*> nodes_;  // keys of `numbers_`, whose addresses are stable
  std::map<const Regex*, Term> converted_;
  std::map<std::pair<Term, Letter>, Term> derivatives_;
  Term nothing_ = 0, empty_word_ = 0, everything_ = 0;
};

class RegexOracle : public LanguageOracle {
 public:
  explicit RegexOracle(ParsedRegex regex) : regex_(std::move(regex)) { restart(); }

  const Alphabet& alphabet() const override { return regex_.alphabet; }
  std::string name() const override { return "derivatives of the regular expression"; }

  bool accepts(const Word& word) const override {
    if (terms_.size() > max_terms) restart();
    Term term = root_;
    for (const Letter letter : word) term = terms_.derivative(term, letter);
    return terms_.nullable(term);
  }

  std::optional<Dfa> minimal_automaton() const override {
    restart();
    return explored_automaton(
        regex_.alphabet, root_,
        [&](Term term, Letter letter) { return terms_.derivative(term, letter); },
        [&](Term term) { return terms_.nullable(term); });
  }

 private:
  /// Beyond this many stored terms the store is emptied between words.
  static constexpr std::size_t max_terms = 1000000;

  void restart() const {
    terms_ = Terms();
    root_ = terms_.of(*regex_.root);
  }

  ParsedRegex regex_;
  mutable Terms terms_;
  mutable Term root_ = 0;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_regex_oracle(ParsedRegex regex) {
  return std::make_unique<RegexOracle>(std::move(regex));
}

namespace {

/// The set of states the automaton may be in, as one flag per state, moved letter by letter.
class NfaOracle : public LanguageOracle {
 public:
  NfaOracle(Nfa nfa, std::string name) : nfa_(std::move(nfa)), name_(std::move(name)) {
    leaving_.resize(nfa_.states());
    for (const Nfa::Arc& arc : nfa_.arcs) leaving_[arc.from].push_back(arc);
  }

  const Alphabet& alphabet() const override { return nfa_.alphabet; }
  std::string name() const override { return name_; }

  bool accepts(const Word& word) const override {
    std::vector<State> current = follow_epsilon(nfa_.initial);
    for (const Letter letter : word) current = moved(current, letter);
    return accepts_in(current);
  }

  std::optional<Dfa> minimal_automaton() const override {
    const auto sorted = [](std::vector<State> states) {
      std::sort(states.begin(), states.end());
      return states;
    };
    return explored_automaton(
        nfa_.alphabet, sorted(follow_epsilon(nfa_.initial)),
        [&](const std::vector<State>& states, Letter letter) {
          return sorted(moved(states, letter));
        },
        [&](const std::vector<State>& states) { return accepts_in(states); });
  }

 private:
  std::vector<State> moved(const std::vector<State>& from, Letter letter) const {
    std::vector<State> to;
    for (const State state : from) {
      for (const Nfa::Arc& arc : leaving_[state]) {
        if (arc.letter == letter) to.push_back(arc.to);
      }
    }
    return follow_epsilon(to);
  }
  bool accepts_in(const std::vector<State>& states) const {
    return std::any_of(states.begin(), states.end(),
                       [&](State state) { return nfa_.accepting[state]; });
  }

  std::vector<State> follow_epsilon(const std::vector<State>& from) const {
    std::vector<bool> inside(nfa_.states(), false);
    std::vector<State> reached;
    const auto add = [&](State state) {
      if (inside[state]) return;
      inside[state] = true;
      reached.push_back(state);
    };
    for (const State state : from) add(state);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const Nfa::Arc& arc : leaving_[reached[i]]) {
        if (!arc.letter) add(arc.to);
      }
    }
    return reached;
  }

  Nfa nfa_;
  std::string name_;
  std::vector<std::vector<Nfa::Arc>> leaving_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_nfa_oracle(Nfa nfa, std::string name) {
  return std::make_unique<NfaOracle>(std::move(nfa), std::move(name));
}

std::optional<std::vector<Transformation>> LanguageOracle::prefix_products(const Word&) const {
  return std::nullopt;
}

std::optional<Dfa> LanguageOracle::minimal_automaton() const {
  return std::nullopt;
}

std::optional<std::string> LanguageOracle::named_values(const Word&) const {
  return std::nullopt;
}

namespace {

/// Follows every point through the letters of the word, the first letter first.
class ActionOracle : public LanguageOracle {
 public:
  ActionOracle(Action action, std::string name)
      : action_(std::move(action)), name_(std::move(name)) {}

  const Alphabet& alphabet() const override { return action_.alphabet; }
  std::string name() const override { return name_; }

  bool accepts(const Word& word) const override {
    if (action_.initial) return action_.accepting[image(*action_.initial, word)];
    for (State point = 0; point < action_.points; ++point) {
      if (image(point, word) != point) return false;
    }
    return true;
  }

  std::optional<std::vector<Transformation>> prefix_products(const Word& word) const override {
    std::vector<Transformation> products(word.size(), Transformation(action_.points));
    for (State start = 0; start < action_.points; ++start) {
      State point = start;
      for (std::size_t i = 0; i < word.size(); ++i) {
        point = action_.generators[word[i]][point];
        products[i][start] = point;
      }
    }
    return products;
  }

  /// The images of all points decide a word problem; of an automaton that of the initial one does.
  std::optional<Dfa> minimal_automaton() const override {
    Transformation start;
    for (State point = 0; point < action_.points; ++point)
      if (point == action_.initial.value_or(point)) start.push_back(point);
    return explored_automaton(
        action_.alphabet, start,
        [&](Transformation images, Letter letter) {
          for (State& point : images) point = action_.generators[letter][point];
          return images;
        },
        [&](const Transformation& images) {
          return action_.initial ? action_.accepting[images[0]] : images == start;
        });
  }

 private:
  State image(State point, const Word& word) const {
    for (const Letter letter : word) point = action_.generators[letter][point];
    return point;
  }

  Action action_;
  std::string name_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_action_oracle(Action action, std::string name) {
  return std::make_unique<ActionOracle>(std::move(action), std::move(name));
}

}}  // namespace logdepth::oracle
