#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/automaton_reader.hpp"
#include "objects/automaton_writer.hpp"
#include "objects/json_names.hpp"
#include "objects/text_format.hpp"

namespace logdepth::inline objects {

namespace {

class DictionaryReader {
 public:
  DictionaryReader(const std::string& text, const std::string& source)
      : source_(source), tape_(JsonTape::parse(text, source)) {}

  Nfa read() {
    const std::vector<std::string> keys = {"states", "input_symbols", "transitions",
                                           "initial_state", "final_states"};
    refuse_other_machines();
    const auto members = json_members(tape_, 0, source_, keys);
    for (const auto& [key, node] : members) {
      if (key == "allow_partial" && tape_.kind(node) == JsonTape::Kind::boolean) continue;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        refuse(tape_, node, source_,
               "expected states, input_symbols, transitions, initial_state, final_states and "
               "perhaps allow_partial, true or false");
      }
    }
    for (const Node node : json_elements(tape_, members.at("states"), source_)) add_state(node);
    const Alphabet alphabet = alphabet_of(members.at("input_symbols"));
    const Node transitions = members.at("transitions");
    for (const auto& [state, leaving] : json_members(tape_, transitions, source_, {})) {
      const auto from = states_.find(state);
      if (from == states_.end()) refuse_state(leaving, state);
      for (const auto& [letter, targets] : json_members(tape_, leaving, source_, {})) {
        if (!letter.empty() && !alphabet.find(letter)) {
          refuse(tape_, targets, source_, "expected one of input_symbols, or \"\" for epsilon");
        }
        add_arcs(from->second, letter, targets);
      }
    }
    builder_.set_initial(state_at(members.at("initial_state")));
    for (const Node node : json_elements(tape_, members.at("final_states"), source_)) {
      builder_.set_accepting(state_at(node));
    }
    return std::move(builder_).finish(source_, alphabet);
  }

 private:
  using Node = JsonTape::Node;

  /// The other machines of automata-lib and those of like dictionaries, by keys that only they have.
  void refuse_other_machines() const {
    static constexpr std::array<std::pair<const char*, const char*>, 6> machines = {{
        {"stack_symbols", "a pushdown automaton"},
        {"tape_symbols", "a Turing machine"},
        {"output_alphabet", "a Mealy or Moore machine, which has outputs and accepts nothing"},
        {"output_symbols", "a Mealy or Moore machine, which has outputs and accepts nothing"},
        {"output_table", "a Mealy or Moore machine, which has outputs and accepts nothing"},
        {"initial_states", "an automaton of several initial states, which this format lacks"},
    }};
    if (tape_.kind(0) != JsonTape::Kind::object) return;
    const auto members = json_members(tape_, 0, source_, {});
    for (const auto& [key, machine] : machines)
      if (const auto found = members.find(key); found != members.end())
        refuse(tape_, found->second, source_,
               std::string("expected a finite automaton, found ") + machine);
  }

  [[noreturn]] void refuse_state(Node node, const std::string& name) const {
    refuse(tape_, node, source_, "expected one of states, found " + shown(name));
  }

  void add_state(Node node) {
    const std::string name = json_name(tape_, node, source_);
    if (!is_state_name(name)) {
      refuse(tape_, node, source_, "expected a name of a state without control characters");
    }
    if (!states_.emplace(name, builder_.state(name)).second) {
      refuse(tape_, node, source_, "state " + shown(name) + " occurs twice; expected it once");
    }
  }

  Alphabet alphabet_of(Node node) const {
    std::vector<std::string> names;
    for (const Node element : json_elements(tape_, node, source_)) {
      names.push_back(json_name(tape_, element, source_));
    }
    if (names.empty()) refuse(tape_, node, source_, "expected at least one letter");
    try {
      return Alphabet(std::move(names));
    } catch (const InputError& error) {
      refuse(tape_, node, source_, error.what());
    }
  }

  State state_at(Node node) const {
    const std::string name = json_name(tape_, node, source_);
    const auto state = states_.find(name);
    if (state == states_.end()) refuse_state(node, name);
    return state->second;
  }

  /// A deterministic automaton has a state there, another one a list of them.
  void add_arcs(State from, const std::string& letter, Node targets) {
    const auto add = [&](Node target) {
      builder_.arc(from, letter.empty() ? std::nullopt : std::optional<std::string>(letter),
                   state_at(target));
    };
    if (tape_.kind(targets) != JsonTape::Kind::array) return add(targets);
    for (const Node target : json_elements(tape_, targets, source_)) add(target);
  }

  const std::string& source_;
  JsonTape tape_;
  AutomatonBuilder builder_;
  std::unordered_map<std::string, State> states_;
};

std::string json_text(const std::string& name) {
  std::string text;
  append_quoted(name, text);
  return text;
}

/// "[x, y]" of texts.
std::string json_list(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() == 1 ? "" : ", ") + item;
  return text + "]";
}

}  // namespace

Nfa read_automaton_json(const std::string& text, const std::string& source) {
  require_automaton_format(text, source, TextFormat::automaton_dictionary);
  return DictionaryReader(text, source).read();
}

std::string write_automaton_json(const Nfa& given) {
  const Nfa nfa = with_one_initial_state(given);
  std::vector<std::string> states, letters, accepting;
  for (const std::string& name : names_to_write(nfa)) states.push_back(json_text(name));
  for (const std::string& name : nfa.alphabet.names()) letters.push_back(json_text(name));
  for (State q = 0; q < nfa.states(); ++q) {
    if (nfa.accepting[q]) accepting.push_back(states[q]);
  }
  // Epsilon first, then the letters in their order.
  std::vector<std::map<std::optional<Letter>, std::set<State>>> targets(nfa.states());
  bool deterministic = true;
  for (const Nfa::Arc& arc : nfa.arcs) {
    auto& reached = targets[arc.from][arc.letter];
    reached.insert(arc.to);
    deterministic = deterministic && arc.letter && reached.size() == 1;
  }
  std::vector<std::string> rows;
  bool partial = false;
  for (State q = 0; q < nfa.states(); ++q) {
    std::string row;
    for (const auto& [letter, reached] : targets[q]) {
      std::vector<std::string> names;
      for (const State target : reached) names.push_back(states[target]);
      row += (row.empty() ? "" : ", ") + (letter ? letters[*letter] : "\"\"") + ": " +
             (deterministic ? names.front() : json_list(names));
    }
    rows.push_back("  " + states[q] + ": {" + row + "}");
    partial = partial || targets[q].size() < letters.size();
  }
  std::string text = "{\n \"states\": " + json_list(states) +
                     ",\n \"input_symbols\": " + json_list(letters) + ",\n \"transitions\": {\n";
  for (const std::string& row : rows) text += row + (&row == &rows.back() ? "\n" : ",\n");
  text += " },\n \"initial_state\": " + states[nfa.initial.front()] +
          ",\n \"final_states\": " + json_list(accepting);
  if (deterministic && partial) text += ",\n \"allow_partial\": true";
  return text + "\n}\n";
}

}  // namespace logdepth::inline objects
