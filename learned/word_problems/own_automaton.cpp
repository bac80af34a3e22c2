#include "learned/word_problems/own_automaton.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/regex.hpp"
#include "objects/text_format.hpp"
#include "runtime/file/gzip_text.hpp"
#include "runtime/file/sha256.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

using Json = nlohmann::ordered_json;

Nfa read_file(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  const auto text = [&] {
    const std::string content = read_text_file(file);
    return std::string(without_byte_order_mark(content, file));
  };
  if (ending == ".fst") return read_fst(text(), file);
  if (ending == ".jff") return read_jff(text(), file);
  if (ending == ".dot") return read_dot(text(), file);
  if (ending == ".mata") return read_mata(text(), file);
  if (ending == ".json") return read_automaton_json(text(), file);
  throw InputError(file +
                   ": expected a name that ends in .fst, .jff, .dot, .mata or .json, found " +
                   in_quotes(ending));
}

}  // namespace

Dfa own_automaton(const std::string& regex, const std::string& file) {
  require(regex.empty() || file.empty(),
          "task.regex: expected one of task.regex and task.automaton, found both");
  require(!regex.empty() || !file.empty(),
          "task.monoid: expected a group or monoid, or a task.regex or task.automaton, found none");
  const std::string place = regex.empty() ? "task.automaton: " : "task.regex: ";
  try {
    const Nfa nfa = regex.empty() ? read_file(file) : to_nfa(parse_regex(regex));
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
    throw InputError(place + error.what());
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
