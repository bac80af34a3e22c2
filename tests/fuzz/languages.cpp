// Regular expressions and C-RASP programs have no printer: what was read is asked about words.
#include "objects/crasp.hpp"
#include "objects/regex.hpp"
#include "oracle/crasp_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

/// Words of at most three of the first three letters.
void for_each_word(std::size_t letters, const std::function<void(const Word&)>& use) {
  std::vector<Word> words = {{}};
  for (std::size_t i = 0; i < words.size() && words.size() < 40; ++i)
    for (Letter letter = 0; letter < std::min<std::size_t>(letters, 3); ++letter) {
      words.push_back(words[i]);
      words.back().push_back(letter);
    }
  for (const Word& word : words) use(word);
}

const Registered kRegex("regex", [](const std::string& bytes) {
  constexpr std::size_t kMostStates = 1000;
  ParsedRegex regex;
  Dfa dfa;
  if (bytes.size() > 200 || !accepted([&] { regex = parse_regex(bytes); })) return;
  if (!accepted([&] { dfa = determinise(to_nfa(regex), kMostStates); })) return;
  const auto oracle = make_regex_oracle(regex);
  for_each_word(dfa.alphabet.size(), [&](const Word& word) {
    State state = dfa.initial;
    for (const Letter letter : word) state = dfa.step(state, letter);
    hold(oracle->accepts(word) == dfa.accepting[state],
         "derivatives and the automaton agree on '" + dfa.alphabet.format_word(word) + "'");
  });
});

const Registered kCrasp("crasp", [](const std::string& bytes) {
  CraspProgram program;
  if (!accepted([&] { program = parse_crasp(bytes, "crasp"); })) return;
  const auto oracle = make_crasp_oracle(program, "crasp");
  for_each_word(program.alphabet.size(), [&](const Word& word) {
    hold(oracle->accepts(word) == oracle->accepts(word), "an answer is given twice");
  });
});

}  // namespace
}  // namespace logdepth::fuzz
