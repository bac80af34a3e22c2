#include "learned/word_problems/own_automaton.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/regex.hpp"
#include "runtime/file/gzip_text.hpp"
#include "runtime/file/sha256.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

using Json = nlohmann::ordered_json;

/// A sentence of `compile` without its advice: training has no option for letters.
std::string without_alphabet(std::string sentence) {
  const std::size_t advice = sentence.find("; give the letters with --alphabet");
  if (advice == std::string::npos) return sentence;
  return sentence.substr(0, advice) + "; expected one with letters, such as (a|b)*abb";
}

}  // namespace

Dfa own_automaton(const std::string& regex, const std::string& file, const std::string& prefix) {
  require(regex.empty() || file.empty(),
          "task.regex: expected one of task.regex and task.automaton, found both");
  require(!regex.empty() || !file.empty(),
          "task.monoid: expected a group or monoid, or a task.regex or task.automaton, found none");
  const std::string place = prefix + (regex.empty() ? "automaton: " : "regex: ");
  try {
    const Nfa nfa =
        regex.empty() ? read_automaton(read_text_file(file), file) : to_nfa(parse_regex(regex));
    require(nfa.alphabet.size() > 0, "expected an automaton with letters, found none");
    Dfa automaton = minimise(determinise(nfa));
    require(automaton.states() > 1,
            "expected a language that some words are in and some are not, found a minimal "
            "automaton of 1 state");
    require(automaton.states() <= kMostStates,
            fmt::format("expected at most {} states of the minimal automaton, found {}",
                        kMostStates, automaton.states()));
    return automaton;
  } catch (const InputError& error) {
    throw InputError(place + without_alphabet(error.what()));
  } catch (const SizeLimit& error) {
    throw InputError(place + error.what());
  }
}

std::string name_with_digits(const std::string& file, const std::string& content) {
  std::string name = file.empty() ? "regex" : std::filesystem::path(file).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return name + "-" + sha256(content).substr(0, 8);
}

std::string name_of_automaton(const Dfa& automaton, const std::string& file, bool verdicts) {
  return name_with_digits(file, automaton_to_json(automaton).dump()) +
         (verdicts ? "-verdicts" : "");
}

Json automaton_to_json(const Dfa& automaton) {
  return {{"letters", automaton.alphabet.names()},
          {"initial", automaton.initial},
          {"accepting", automaton.accepting},
          {"next", automaton.next}};
}

std::optional<Dfa> automaton_from_json(const Json& json) {
  try {
    Dfa automaton{.alphabet = Alphabet(json.at("letters").get<std::vector<std::string>>()),
                  .initial = json.at("initial").get<State>(),
                  .accepting = json.at("accepting").get<std::vector<bool>>(),
                  .next = json.at("next").get<std::vector<State>>()};
    const auto is_state = [&](State state) { return state < automaton.states(); };
    if (!is_state(automaton.initial) || automaton.alphabet.size() == 0 ||
        automaton.next.size() != automaton.states() * automaton.alphabet.size() ||
        !std::ranges::all_of(automaton.next, is_state))
      return std::nullopt;
    return automaton;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace logdepth::inline learned_word_problems
