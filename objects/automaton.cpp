#include "objects/automaton.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {
namespace {

/// "{a, b, c}"; a long alphabet is cut so that a message stays one sentence.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 20;
  std::string text = "{";
  for (std::size_t i = 0; i < names.size() && i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + printable(names[i]);
  }
  if (names.size() > shown) text += fmt::format(", ... {} letters", names.size());
  return text + "}";
}

void check_letter(const std::string& name, std::size_t index) {
  if (name.empty()) {
    throw InputError(
        fmt::format("letter {} of the alphabet is empty; expected a name of at least one character",
                    index + 1));
  }
  for (std::size_t position = 0; position < name.size();) {
    const std::size_t length = utf8_length(std::string_view(name).substr(position));
    if (length == 0) {
      throw InputError("letter " + in_quotes(name) + " of the alphabet is not valid UTF-8");
    }
    if (name[position] == ' ' ||
        disturbs_text(utf8_decode(std::string_view(name).substr(position)))) {
      throw InputError("letter " + in_quotes(name) +
                       " of the alphabet holds white space or a control character");
    }
    position += length;
  }
}

InputError unknown_letter(std::string_view letter, std::size_t position,
                          const std::vector<std::string>& names) {
  return InputError(fmt::format("letter {} at position {} of the word is not in the alphabet {}",
                                in_quotes(letter), position, list_of(names)));
}

}  // namespace

Alphabet::Alphabet(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    check_letter(names_[i], i);
    if (!index_.emplace(names_[i], static_cast<Letter>(i)).second) {
      throw InputError("letter " + in_quotes(names_[i]) +
                       " occurs twice in the alphabet; expected distinct letters");
    }
  }
}

Alphabet Alphabet::of_input(std::vector<std::string> names) {
  Alphabet alphabet(std::move(names));
  for (const std::string& name : alphabet.names_)
    if (holds_unseen(name))
      throw InputError("letter " + in_quotes(name) +
                       " of the alphabet holds white space or a character without a width");
  return alphabet;
}

std::optional<Letter> Alphabet::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

bool Alphabet::single_characters() const {
  return std::all_of(names_.begin(), names_.end(),
                     [](const std::string& name) { return utf8_length(name) == name.size(); });
}

Word Alphabet::parse_word(std::string_view text) const {
  return parse(text, single_characters());
}

Word Alphabet::parse_tokens(std::string_view text) const {
  return parse(text, false);
}

Word Alphabet::parse(std::string_view text, bool single) const {
  constexpr std::string_view spaces = " \t\n\v\f\r";
  Word word;
  bool blanks = false, tabs = false;  // between letters of the present line
  while (true) {
    const std::string_view between = text.substr(0, text.find_first_not_of(spaces));
    text.remove_prefix(between.size());
    if (text.empty()) return word;
    const bool new_line = word.empty() || between.find_first_of("\n\r") != std::string_view::npos;
    const auto tab_count = std::ranges::count(between, '\t');
    tabs = !new_line && (tabs || tab_count > 0);
    blanks = !new_line && (blanks || tab_count == 0);
    if (!single && !new_line && (tab_count > 1 || (tabs && blanks)))
      throw InputError(fmt::format(
          "expected letters between TABs, found {} before the letter at position {} of the word",
          tab_count > 1 ? "an empty column" : "a blank", word.size() + 1));
    const std::size_t length =
        single ? std::max<std::size_t>(1, utf8_length(text)) : text.find_first_of(spaces);
    const std::string_view name = text.substr(0, length);
    const std::optional<Letter> letter = find(name);
    if (!letter) throw unknown_letter(name, word.size() + 1, names_);
    word.push_back(*letter);
    text.remove_prefix(name.size());
  }
}

std::string Alphabet::format_word(const Word& word) const {
  const bool spaced = !single_characters();
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (spaced && i > 0) text += ' ';
    text += name(word[i]);
  }
  return text;
}

namespace {

using Subset = std::vector<State>;

/// What one run may hold in subsets and table entries together, of 4 bytes each; what is made of
/// the table afterwards holds several times as much.
constexpr std::size_t memory_limit = std::size_t{1} << 25;

struct SubsetHash {
  std::size_t operator()(const Subset& subset) const {
    std::size_t hash = subset.size();
    for (const State state : subset) {
      hash ^= state + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
    }
    return hash;
  }
};

/// The arcs of one kind (epsilon, or lettered) grouped by source state.
struct ArcTable {
  std::vector<std::size_t> first;                   ///< one more than states
  std::vector<std::pair<Letter, State>> letter_to;  ///< sorted by source
};

ArcTable group_arcs(const Nfa& nfa, bool epsilon) {
  ArcTable table;
  table.first.assign(nfa.states() + 1, 0);
  for (const Nfa::Arc& arc : nfa.arcs) {
    if (arc.letter.has_value() != epsilon) ++table.first[arc.from + 1];
  }
  for (std::size_t q = 0; q < nfa.states(); ++q) table.first[q + 1] += table.first[q];
  table.letter_to.resize(table.first.back());
  std::vector<std::size_t> fill(table.first.begin(), table.first.end() - 1);
  for (const Nfa::Arc& arc : nfa.arcs) {
    if (arc.letter.has_value() == epsilon) continue;
    table.letter_to[fill[arc.from]++] = {arc.letter.value_or(0), arc.to};
  }
  return table;
}

/// Closes sets of states under epsilon arcs. A closed set keeps only the states that can tell two
/// sets apart, those that accept or have a lettered arc; Thompson automata are mostly the others.
class Closure {
 public:
  explicit Closure(const Nfa& nfa, const ArcTable& lettered)
      : epsilon_(group_arcs(nfa, true)), seen_(nfa.states(), 0) {
    matters_.resize(nfa.states());
    for (std::size_t q = 0; q < nfa.states(); ++q) {
      matters_[q] = nfa.accepting[q] || lettered.first[q] != lettered.first[q + 1];
    }
  }

  Subset of(const Subset& states) {
    ++round_;
    Subset result;
    stack_.clear();
    for (const State state : states) visit(state);
    while (!stack_.empty()) {
      const State state = stack_.back();
      stack_.pop_back();
      if (matters_[state]) result.push_back(state);
      for (std::size_t i = epsilon_.first[state]; i < epsilon_.first[state + 1]; ++i) {
        visit(epsilon_.letter_to[i].second);
      }
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  void visit(State state) {
    if (seen_[state] == round_) return;
    seen_[state] = round_;
    stack_.push_back(state);
  }

  ArcTable epsilon_;
  std::vector<bool> matters_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t round_ = 0;
  std::vector<State> stack_;
};

}  // namespace

Dfa determinise(const Nfa& nfa, std::size_t max_states) {
  const std::size_t letters = nfa.alphabet.size();
  const ArcTable lettered = group_arcs(nfa, false);
  Closure closure(nfa, lettered);

  Dfa dfa;
  dfa.alphabet = nfa.alphabet;
  std::unordered_map<Subset, State, SubsetHash> numbers;
  std::vector<const Subset*> subsets;  // keys of `numbers`, whose addresses are stable
  std::size_t memory = 0;

  const auto number_of = [&](Subset subset) {
    const auto [entry, is_new] =
        numbers.emplace(std::move(subset), static_cast<State>(subsets.size()));
    if (is_new) {
      memory += entry->first.size() + letters;
      if (memory > memory_limit)
        throw SizeLimit(fmt::format(
            "the deterministic automaton has more than {} states, whose sets and arcs are more "
            "than {} numbers, the limit (the nondeterministic one has {} states); try fewer "
            "letters, or an automaton nearer to a deterministic one",
            subsets.size(), memory_limit, nfa.states()));
      if (subsets.size() >= max_states) {
        throw SizeLimit(fmt::format(
            "the deterministic automaton has more than {} states (the nondeterministic one has {}, "
            "the limit is {}); try a smaller automaton, or an expression with smaller repeats or "
            "fewer alternatives",
            subsets.size(), nfa.states(), max_states));
      }
      subsets.push_back(&entry->first);
      dfa.accepting.push_back(std::any_of(entry->first.begin(), entry->first.end(),
                                          [&](State q) { return nfa.accepting[q]; }));
    }
    return entry->second;
  };

  dfa.initial = number_of(closure.of(nfa.initial));
  std::vector<Subset> targets(letters);
  for (std::size_t current = 0; current < subsets.size(); ++current) {
    for (Subset& target : targets) target.clear();
    for (const State state : *subsets[current]) {
      for (std::size_t i = lettered.first[state]; i < lettered.first[state + 1]; ++i) {
        targets[lettered.letter_to[i].first].push_back(lettered.letter_to[i].second);
      }
    }
    for (const Subset& target : targets) dfa.next.push_back(number_of(closure.of(target)));
  }
  return dfa;
}

namespace {

constexpr State none = std::numeric_limits<State>::max();

/// The states reached from the initial one, renumbered in breadth-first order, letters in index
/// order; this order depends on the automaton only up to renaming of states.
Dfa breadth_first(const Dfa& dfa) {
  const std::size_t letters = dfa.alphabet.size();
  std::vector<State> number(dfa.states(), none);
  std::vector<State> order{dfa.initial};
  number[dfa.initial] = 0;
  Dfa result;
  result.alphabet = dfa.alphabet;
  for (std::size_t current = 0; current < order.size(); ++current) {
    const State state = order[current];
    result.accepting.push_back(dfa.accepting[state]);
    for (Letter letter = 0; letter < letters; ++letter) {
      const State target = dfa.step(state, letter);
      if (number[target] == none) {
        number[target] = static_cast<State>(order.size());
        order.push_back(target);
      }
      result.next.push_back(number[target]);
    }
  }
  return result;
}

/// A partition of the states into classes, each a segment of `order`; marked states are moved to
/// the front of their segment, so a split costs only the states that were marked.
class Partition {
 public:
  explicit Partition(std::size_t states) : order_(states), place_(states), class_(states, 0) {
    for (State q = 0; q < states; ++q) order_[q] = place_[q] = q;
    begin_ = {0};
    end_ = {states};
    marked_ = {0};
  }

  std::size_t classes() const { return begin_.size(); }
  State class_of(State state) const { return class_[state]; }
  std::size_t size(State c) const { return end_[c] - begin_[c]; }
  std::vector<State> members(State c) const {
    return {order_.begin() + static_cast<std::ptrdiff_t>(begin_[c]),
            order_.begin() + static_cast<std::ptrdiff_t>(end_[c])};
  }

  void mark(State state) {
    const State c = class_[state];
    const std::size_t boundary = begin_[c] + marked_[c];
    if (place_[state] < boundary) return;
    if (marked_[c] == 0) touched_.push_back(c);
    const State other = order_[boundary];
    std::swap(order_[boundary], order_[place_[state]]);
    std::swap(place_[other], place_[state]);
    ++marked_[c];
  }

  /// Splits every touched class into marked and unmarked; `on_split(old class, new class)`.
  template <typename OnSplit>
  void split(OnSplit on_split) {
    for (const State c : touched_) {
      const std::size_t count = std::exchange(marked_[c], 0);
      if (count == size(c)) continue;
      const State fresh = static_cast<State>(classes());
      begin_.push_back(begin_[c]);
      end_.push_back(begin_[c] + count);
      marked_.push_back(0);
      begin_[c] += count;
      for (std::size_t i = begin_[fresh]; i < end_[fresh]; ++i) class_[order_[i]] = fresh;
      on_split(c, fresh);
    }
    touched_.clear();
  }

 private:
  std::vector<State> order_;
  std::vector<std::size_t> place_;
  std::vector<State> class_;
  std::vector<std::size_t> begin_, end_, marked_;
  std::vector<State> touched_;
};

/// Hopcroft's refinement: the coarsest partition that separates accepting states and is respected
/// by every letter.
Partition refine(const Dfa& dfa) {
  const std::size_t letters = dfa.alphabet.size();
  const std::size_t states = dfa.states();

  // Predecessors: those of state q under letter a are before[first[cell]..first[cell+1]) with
  // cell = q * letters + a.
  std::vector<std::size_t> first(states * letters + 1, 0);
  for (std::size_t i = 0; i < dfa.next.size(); ++i)
    ++first[dfa.next[i] * letters + i % letters + 1];
  for (std::size_t i = 0; i + 1 < first.size(); ++i) first[i + 1] += first[i];
  std::vector<State> before(dfa.next.size());
  std::vector<std::size_t> fill(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < dfa.next.size(); ++i) {
    before[fill[dfa.next[i] * letters + i % letters]++] = static_cast<State>(i / letters);
  }

  Partition partition(states);
  std::vector<std::pair<State, Letter>> splitters;
  std::vector<bool> waiting;  // class * letters + letter
  const auto enqueue = [&](State c, Letter letter) {
    waiting.resize(partition.classes() * letters, false);
    if (waiting[c * letters + letter]) return;
    waiting[c * letters + letter] = true;
    splitters.emplace_back(c, letter);
  };
  const auto on_split = [&](State old, State fresh) {
    waiting.resize(partition.classes() * letters, false);
    const State smaller = partition.size(fresh) <= partition.size(old) ? fresh : old;
    for (Letter letter = 0; letter < letters; ++letter) {
      enqueue(waiting[old * letters + letter] ? fresh : smaller, letter);
    }
  };

  for (State q = 0; q < states; ++q) {
    if (dfa.accepting[q]) partition.mark(q);
  }
  partition.split(on_split);
  while (!splitters.empty()) {
    const auto [c, letter] = splitters.back();
    splitters.pop_back();
    waiting[c * letters + letter] = false;
    for (const State q : partition.members(c)) {
      const std::size_t cell = q * letters + letter;
      for (std::size_t i = first[cell]; i < first[cell + 1]; ++i) partition.mark(before[i]);
    }
    partition.split(on_split);
  }
  return partition;
}

}  // namespace

Dfa minimise(const Dfa& dfa) {
  const Dfa reached = breadth_first(dfa);
  const std::size_t letters = reached.alphabet.size();
  const Partition partition = refine(reached);
  Dfa quotient;
  quotient.alphabet = reached.alphabet;
  quotient.initial = partition.class_of(reached.initial);
  quotient.accepting.resize(partition.classes());
  quotient.next.resize(partition.classes() * letters);
  for (State q = 0; q < reached.states(); ++q) {
    const State c = partition.class_of(q);
    quotient.accepting[c] = reached.accepting[q];
    for (Letter letter = 0; letter < letters; ++letter) {
      quotient.next[c * letters + letter] = partition.class_of(reached.step(q, letter));
    }
  }
  return breadth_first(quotient);
}

std::vector<std::string> state_names(const Nfa& nfa, const Dfa& dfa, std::size_t most_characters) {
  if (nfa.names.empty()) return {};
  std::vector<std::vector<const Nfa::Arc*>> arcs(nfa.states());
  for (const Nfa::Arc& arc : nfa.arcs) arcs[arc.from].push_back(&arc);
  // States of both that some word leads to.
  std::set<std::pair<State, State>> met;
  std::vector<std::pair<State, State>> waiting;
  std::size_t characters = 0;
  const auto meet = [&](State given, State state) {
    if (!met.emplace(given, state).second) return;
    waiting.emplace_back(given, state);
    characters += nfa.names[given].size();
  };
  for (const State state : nfa.initial) meet(state, dfa.initial);
  while (!waiting.empty()) {
    if (characters > most_characters) return {};
    const auto [given, state] = waiting.back();
    waiting.pop_back();
    for (const Nfa::Arc* arc : arcs[given])
      meet(arc->to, arc->letter ? dfa.step(state, *arc->letter) : state);
  }
  std::vector<std::vector<std::string>> names(dfa.states());
  for (const auto& [given, state] : met) names[state].push_back(nfa.names[given]);
  std::vector<std::string> result;
  for (const auto& list : names) result.push_back(list.empty() ? "no state" : joined(list, "|"));
  return result;
}

Transformation identity_transformation(std::size_t points) {
  Transformation identity(points);
  std::iota(identity.begin(), identity.end(), State{0});
  return identity;
}

Transformation compose(const Transformation& first, const Transformation& second) {
  if (first.size() != second.size()) {
    throw std::invalid_argument("compose: transformations of different degree");
  }
  Transformation product(first.size());
  for (std::size_t q = 0; q < first.size(); ++q) product[q] = second.at(first[q]);
  return product;
}

std::string format_transformation(const Transformation& transformation) {
  std::string text = "[";
  for (std::size_t q = 0; q < transformation.size(); ++q) {
    if (q > 0) text += ',';
    text += std::to_string(transformation[q]);
  }
  return text + "]";
}

bool Action::accepts(const Transformation& product) const {
  if (initial) return accepting.at(product.at(*initial));
  return product == identity_transformation(points);
}

Action to_action(const Dfa& dfa) {
  Action action;
  action.alphabet = dfa.alphabet;
  action.points = dfa.states();
  action.initial = dfa.initial;
  action.accepting = dfa.accepting;
  for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter) {
    Transformation images(dfa.states());
    for (State q = 0; q < dfa.states(); ++q) images[q] = dfa.step(q, letter);
    action.generators.push_back(std::move(images));
  }
  return action;
}

Dfa to_dfa(const Action& action) {
  Dfa dfa{action.alphabet, *action.initial, action.accepting, {}};
  for (State q = 0; q < action.points; ++q)
    for (const Transformation& generator : action.generators) dfa.next.push_back(generator[q]);
  return dfa;
}

namespace {

using Arcs = std::vector<std::vector<State>>;  ///< [q]: where one step leads from q

/// One search after the other, each as long as what it reaches.
class PointSearch {
 public:
  explicit PointSearch(const Arcs& arcs) : arcs_(arcs), round_of_(arcs.size(), 0) {}

  /// In the order of the search.
  std::vector<State> from(State start) {
    ++round_;
    std::vector<State> reached;
    const auto reach = [&](State q) {
      if (std::exchange(round_of_[q], round_) != round_) reached.push_back(q);
    };
    reach(start);
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const State next : arcs_[reached[i]]) reach(next);
    return reached;
  }
  /// Whether the last search reached it.
  bool reached(State q) const { return round_of_[q] == round_; }

 private:
  const Arcs& arcs_;
  std::vector<State> round_of_;
  State round_ = 0;
};

}  // namespace

bool ReachablePoints::find(const Action& action, std::size_t most_visits) {
  list_of_.resize(action.points);
  Arcs forwards(action.points), backwards(action.points);
  for (const Transformation& generator : action.generators)
    for (State q = 0; q < action.points; ++q) {
      forwards[q].push_back(generator[q]);
      backwards[generator[q]].push_back(q);
    }
  PointSearch ahead(forwards), back(backwards);
  std::vector<bool> listed(action.points, false);
  std::size_t visits = 0;
  for (State q = 0; q < action.points; ++q) {
    if (listed[q]) continue;
    std::vector<State> list = ahead.from(q);
    const std::vector<State> to = back.from(q);
    visits += list.size() + to.size();
    if (visits > most_visits) return false;
    for (const State r : to)
      if (ahead.reached(r)) {
        list_of_[r] = lists_.size();
        listed[r] = true;
      }
    std::sort(list.begin(), list.end());
    lists_.push_back(std::move(list));
  }
  return true;
}

ReachablePoints::ReachablePoints(const Action& action) {
  find(action, std::numeric_limits<std::size_t>::max());
}

std::optional<ReachablePoints> ReachablePoints::of_at_most(const Action& action, std::size_t most) {
  // A search from one point of each list meets a pair once ahead and once back, and itself twice.
  ReachablePoints points;
  if (points.find(action, 2 * (most + action.points))) return points;
  return std::nullopt;
}

}}  // namespace logdepth::objects
