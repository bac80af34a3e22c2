#include "objects/automaton_reader.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/text_format.hpp"

namespace logdepth::inline objects {

bool is_natural(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

void require_room_for_arc(std::size_t arcs) {
  if (arcs < kMostFileArcs) return;
  throw SizeLimit(
      fmt::format("the automaton has more than {} arcs, the limit; try a smaller one", arcs));
}

State AutomatonBuilder::state(const std::string& name) {
  const auto [entry, is_new] = states_.emplace(name, static_cast<State>(nfa_.states()));
  if (is_new) {
    if (nfa_.states() == kMostFileStates)
      throw SizeLimit(
          fmt::format("the automaton has more than {} states, the limit; try a "
                      "smaller one",
                      kMostFileStates));
    nfa_.accepting.push_back(false);
    nfa_.names.push_back(name);
  }
  return entry->second;
}

bool AutomatonBuilder::has_accepting() const {
  return std::ranges::find(nfa_.accepting, true) != nfa_.accepting.end();
}

void AutomatonBuilder::note(const std::string& sentence) {
  if (std::ranges::find(nfa_.notes, sentence) == nfa_.notes.end()) nfa_.notes.push_back(sentence);
}

void AutomatonBuilder::arc(State from, std::optional<std::string> letter, State to) {
  require_room_for_arc(nfa_.arcs.size());
  if (!letter) {
    nfa_.arcs.push_back({from, std::nullopt, to});
    return;
  }
  const auto [entry, is_new] = letters_.emplace(*letter, letter_names_.size());
  if (is_new) letter_names_.push_back(*letter);
  nfa_.arcs.push_back({from, static_cast<Letter>(entry->second), to});
}

Nfa AutomatonBuilder::finish(const std::string& source, std::optional<Alphabet> alphabet) && {
  if (!alphabet) {
    std::vector<std::string> names = letter_names_;
    if (std::all_of(names.begin(), names.end(), is_natural)) {
      std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        return std::make_pair(a.size(), a) < std::make_pair(b.size(), b);
      });
    } else {
      std::sort(names.begin(), names.end());
    }
    try {
      alphabet = Alphabet(std::move(names));
    } catch (const InputError& error) {
      throw InputError(source + ": " + error.what());
    }
  }
  if (alphabet->size() == 0) {
    throw InputError(source + ": no letter occurs; expected at least one arc with a letter");
  }
  std::vector<Letter> renamed;
  for (const std::string& name : letter_names_) renamed.push_back(alphabet->find(name).value());
  for (Nfa::Arc& arc : nfa_.arcs) {
    if (arc.letter) arc.letter = renamed[*arc.letter];
  }
  nfa_.alphabet = std::move(*alphabet);
  return std::move(nfa_);
}

Nfa read_automaton(const std::string& text, const std::string& source) {
  switch (recognised(text).value_or(TextFormat::fst)) {
    case TextFormat::jflap:
    case TextFormat::other_xml:
      return read_jff(text, source);
    case TextFormat::dot:
      return read_dot(text, source);
    case TextFormat::mata:
      return read_mata(text, source);
    case TextFormat::automaton_dictionary:
    case TextFormat::other_json:
      return read_automaton_json(text, source);
    default:
      return read_fst(text, source);
  }
}

}  // namespace logdepth::inline objects
