// A file that is read has the language of the file that is written of it, in every format that can
// say it.
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "objects/automaton_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

struct Format {
  const char* name;
  Nfa (*read)(const std::string& text);
  std::string (*write)(const Nfa& nfa);
};
const std::array kFormats = {
    Format{"fst", [](const std::string& text) { return read_fst(text, "fst"); }, write_fst},
    Format{"jff", [](const std::string& text) { return read_jff(text, "jff"); }, write_jff},
    Format{"dot", [](const std::string& text) { return read_dot(text, "dot"); }, write_dot},
    Format{"mata", [](const std::string& text) { return read_mata(text, "mata"); }, write_mata},
    Format{"json", [](const std::string& text) { return read_automaton_json(text, "json"); },
           write_automaton_json}};

std::optional<Dfa> language(const Nfa& nfa) {
  constexpr std::size_t kMostStates = 1000;
  std::optional<Dfa> dfa;
  accepted([&] { dfa = minimise(determinise(nfa, kMostStates)); });
  return dfa;
}

/// Over the letters of both: formats have their own order of letters, and some do not say those
/// that no arc uses.
bool same(const Dfa& a, const Dfa& b) {
  std::set<std::pair<State, State>> met = {{a.initial, b.initial}};
  std::vector<std::pair<State, State>> waiting(met.begin(), met.end());
  while (!waiting.empty()) {
    const auto [p, q] = waiting.back();
    waiting.pop_back();
    if (a.accepting[p] != b.accepting[q]) return false;
    for (Letter letter = 0; letter < a.alphabet.size(); ++letter)
      if (const auto other = b.alphabet.find(a.alphabet.name(letter))) {
        const std::pair next(a.step(p, letter), b.step(q, *other));
        if (met.insert(next).second) waiting.push_back(next);
      }
  }
  return true;
}

const bool kRegistered = [] {
  for (const Format& from : kFormats)
    targets()[std::string("automaton_") + from.name] = [&from](const std::string& bytes) {
      Nfa nfa;
      if (!accepted([&] { nfa = from.read(bytes); })) return;
      const auto read = language(nfa);
      for (const Format& to : kFormats) {
        std::string written;
        if (!accepted([&] { written = to.write(nfa); })) continue;
        const auto again = language(to.read(written));
        hold(!read || !again || same(*read, *again),
             std::string(from.name) + " written as " + to.name + " has the same language");
      }
    };
  return true;
}();

}  // namespace
}  // namespace logdepth::fuzz
