#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "oracle/explored_automaton.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth::inline oracle {

namespace {

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

}  // namespace logdepth::inline oracle
