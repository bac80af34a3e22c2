// A file that is read has the language of the file that is written of it, in every format that can
// say it.
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "objects/automaton_files.hpp"
#include "objects/crasp.hpp"
#include "objects/graph_files.hpp"
#include "objects/regex.hpp"
#include "oracle/crasp_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/whole_file.hpp"
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

const bool kAutomata = [] {
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

/// Formats may number the vertices anew, and those of numbers alone have no names.
std::size_t edges(const Graph& graph) {
  std::size_t count = 0;
  for (Vertex a = 0; a < graph.size(); ++a)
    for (Vertex b = 0; b < graph.size(); ++b) count += graph.has_edge(a, b);
  return count;
}

/// The format of none is the one that the content says.
void read_and_write(const std::string& bytes, const std::optional<std::string>& format) {
  Graph graph;
  if (!accepted([&] { graph = read_graph(bytes, "graph", false, format); })) return;
  for (const char* name : {"g.edges", "g.txt", "g.dot", "g.graphml", "g.gr", "g.mtx", "g.json"}) {
    std::string written;
    if (!accepted([&] { written = write_graph(graph, name); })) continue;
    const Graph again = read_graph(written, name);
    hold(again.size() == graph.size() && edges(again) == edges(graph),
         std::string("the graph of ") + name + " is the one that was written");
  }
}

const Registered kGraphs("graph",
                         [](const std::string& bytes) { read_and_write(bytes, std::nullopt); });

/// The formats that are read and not written, and whose content seldom says what it is.
const bool kGraphsOfOtherFormats = [] {
  for (const char* format : {"gexf", "metis", "graph6"})
    targets()[std::string("graph_") + format] = [format](const std::string& bytes) {
      read_and_write(bytes, format);
    };
  return true;
}();

const Registered kGzip("gzip", [](const std::string& bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::string text;
  if (!accepted([&] { text = unpacked(bytes, "gzip", kMost); })) return;
  hold(unpacked(packed(text), "gzip", kMost) == text, "what is packed is unpacked again");
});

const Registered kPairs("pairs", [](const std::string& bytes) {
  accepted([&] { (void)read_pairs(bytes, "pairs"); });
});

}  // namespace

// Regular expressions and C-RASP programs have no printer: what was read is asked about words.

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
