#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth::inline objects {

/// Digits only; how many does not matter.
bool is_natural(std::string_view text);

/// Of an automaton file; as many states as `determinise` reaches.
inline constexpr std::size_t kMostFileStates = std::size_t{1} << 20;
inline constexpr std::size_t kMostFileArcs = std::size_t{1} << 22;
/// Errors: SizeLimit when a file has this many arcs and another one.
void require_room_for_arc(std::size_t arcs);

/// What the readers of automaton files share: states and letters arrive by name, in any order, and
/// become dense indices here, so a file with a state number of four thousand million costs no more
/// than its lines.
class AutomatonBuilder {
 public:
  /// Errors: SizeLimit for one state more than the limit.
  State state(const std::string& name);
  /// What people call it, where that is not the name it arrives by.
  void call(State state, const std::string& name) { nfa_.names[state] = name; }
  void set_initial(State state) { nfa_.initial.push_back(state); }
  void set_accepting(State state) { nfa_.accepting[state] = true; }
  bool has_initial() const { return !nfa_.initial.empty(); }
  std::size_t initial_states() const { return nfa_.initial.size(); }
  bool has_accepting() const;
  /// Keeps a note for whoever gave the file; a second one of the same words is dropped.
  void note(const std::string& sentence);
  void looks_like(const std::string& machine) { nfa_.looks_like = machine; }
  /// An absent letter is epsilon. Errors: SizeLimit for one arc more than the limit.
  void arc(State from, std::optional<std::string> letter, State to);

  /// Letters of the given alphabet, which holds all that occur, or else those that occur: in byte
  /// order, numbers by value. Errors: InputError when there is no letter or a name is no letter.
  Nfa finish(const std::string& source, std::optional<Alphabet> alphabet = std::nullopt) &&;

 private:
  Nfa nfa_;
  std::unordered_map<std::string, State> states_;
  std::unordered_map<std::string, std::size_t> letters_;
  std::vector<std::string> letter_names_;
};

}  // namespace logdepth::inline objects
