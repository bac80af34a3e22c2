// Files of Mata and dictionaries of automata and graphs that must be refused, each for its own reason
// and at its own line.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_files.hpp"

namespace logdepth::automaton_exchange_tests {
namespace {

template <typename Read>
void expect_refusal(Read read, const std::string& text, const std::string& sentence) {
  try {
    read(text);
    ADD_FAILURE() << "read: " << text;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), sentence) << text;
  }
}

TEST(RefusedMata, EveryFaultHasItsLine) {
  const auto read = [](const std::string& text) { (void)read_mata(text, "x.mata"); };
  const std::string first = "@NFA-explicit\n%Initial p\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ":1: the file is empty; expected @NFA-explicit"},
      {"# nothing\n\n", ":1: the file is empty; expected @NFA-explicit"},
      {"\np a p\n", ":2: expected @NFA-explicit first, found 'p a p', at column 1"},
      {"@NFA-vtf\n",
       ":1: expected a section @NFA-explicit or @NFA-bits, found '@NFA-vtf', at column 1"},
      {"@NFA-explicit x\n",
       ":1: expected a section @NFA-explicit or @NFA-bits, found '@NFA-explicit x', at column 1"},
      {first + "p a p\n" + first, ":4: expected one automaton, found a second, at column 1"},
      {first + "p a\n",
       ":3: expected a transition 'state letter state', found 2 words, at column 1"},
      {first + "p a | q\n",
       ":3: expected a transition 'state letter state', found 4 words, at column 1"},
      {first + "p ! p\n", ":3: expected a name, found '!', at column 3; in quotes it would be one"},
      {first + "p @a p\n",
       ":3: expected a name, found '@a', at column 3; in quotes it would be one"},
      {first + "p a p %x\n",
       ":3: expected a transition 'state letter state', found 4 words, at column 1"},
      {first + "p a p\n%Final \\true\n",
       ":4: expected a name, found '\\true', at column 8; in quotes it would be one"},
      {first + "p a p\n%Final !p\n",
       ":4: expected a name, found '!', at column 8; in quotes it would be one"},
      {first + "p a p\n%Final p |\n",
       ":4: expected a name, found '|', at column 10; in quotes it would be one"},
      {first + "p \"a p\n", ":3: expected '\"' to end the name, at column 3"},
      {first + "p \"\" p\n",
       ":3: expected a name in UTF-8 without control characters, found '', at column 3"},
      {first + "p \x01 p\n",
       ":3: expected a name in UTF-8 without control characters, found '\\x01', at column 3"},
      {first + "%Levels 1\np a p\n",
       ":3: expected %Initial, %Final, %Alphabet-..., %States-... or %Epsilon, found '%Levels', at "
       "column 1"},
      {first + "%States-enum p\np a \\\nq\n",
       ":5: expected a state of %States-enum, found 'q', at column 1"},
      {"@NFA-explicit\n%Initial q\n%States-enum p\np a p\n",
       ":2: expected a state of %States-enum, found 'q', at column 10"},
      {first + "%Alphabet-enum b\np a p\n",
       ":4: expected a letter of %Alphabet-enum, found 'a', at column 3"},
      {first, ": no letter occurs; expected at least one arc with a letter"},
      {first + "%Alphabet-enum a a\n",
       ": letter 'a' occurs twice in the alphabet; expected distinct letters"},
  };
  for (const auto& [text, sentence] : cases) expect_refusal(read, text, "x.mata" + sentence);
}

TEST(RefusedDictionaries, EveryFaultOfAnAutomatonHasItsLineAndPath) {
  const auto read = [](const std::string& text) { (void)read_automaton_json(text, "x.json"); };
  const auto with = [](const std::string& key, const std::string& value) {
    std::string text = "{";
    for (const auto& [name, usual] : std::vector<std::pair<std::string, std::string>>{
             {"states", "[0, \"p\"]"},
             {"input_symbols", "[\"a\"]"},
             {"transitions", "{\"0\": {\"a\": \"p\"}}"},
             {"initial_state", "0"},
             {"final_states", "[\"p\"]"}})
      if (name != key || !value.empty())
        text += "\n\"" + name + "\": " + (name == key ? value : usual) + ",";
    text.back() = '\n';
    return text + "}";
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", ":1: expected an object"},
      {with("states", ""), ":1: expected a key \"states\""},
      {with("final_states", ""), ":1: expected a key \"final_states\""},
      {with("states", "\"p\""), ":2: states: expected a list"},
      {with("states", "[0, \"0\", \"p\"]"),
       ":2: states[1]: state \"0\" occurs twice; expected it once"},
      {with("states", "[0, \"p\", 1.5]"),
       ":2: states[2]: expected a name: a string or a whole number"},
      {with("states", "[0, \"p\", \"\"]"),
       ":2: states[2]: expected a name of a state without control characters"},
      {with("states", "[0, \"p\", \"\\n\"]"),
       ":2: states[2]: expected a name of a state without control characters"},
      {with("input_symbols", "[\"a\", \"a\"]"),
       ":3: input_symbols: letter 'a' occurs twice in the alphabet; expected distinct letters"},
      {with("input_symbols", "[]"), ":3: input_symbols: expected at least one letter"},
      {with("transitions", "{\"q\": {}}"),
       ":4: transitions.q: expected one of states, found \"q\""},
      {with("transitions", "{\"p\": []}"), ":4: transitions.p: expected an object"},
      {with("transitions", "{\"p\": {\"b\": 0}}"),
       ":4: transitions.p.b: expected one of input_symbols, or \"\" for epsilon"},
      {with("transitions", "{\"p\": {\"a\": [0, 1]}}"),
       ":4: transitions.p.a[1]: expected one of states, found \"1\""},
      {with("transitions", "{\"p\": {\"a\": 0, \"a\": 0}}"),
       ":4: the key transitions.p.a appears twice in one object"},
      {with("initial_state", "\"q\""), ":5: initial_state: expected one of states, found \"q\""},
      {with("initial_state", "[0]"),
       ":5: initial_state: expected a name: a string or a whole number"},
      {with("final_states", "0"), ":6: final_states: expected a list"},
      {with("final_states", "[\"q\"]"), ":6: final_states[0]: expected one of states, found \"q\""},
  };
  for (const auto& [text, sentence] : cases) expect_refusal(read, text, "x.json" + sentence);
  const std::string known =
      "expected states, input_symbols, transitions, initial_state, final_states and perhaps "
      "allow_partial, true or false";
  std::string more = with("", "");
  more.insert(1, "\"stack\": 1,");
  expect_refusal(read, more, "x.json:1: stack: " + known);
  more.replace(1, 10, "\"allow_partial\": 0");
  expect_refusal(read, more, "x.json:1: allow_partial: " + known);
}

TEST(RefusedDictionaries, EveryFaultOfAGraphHasItsLineAndPath) {
  const auto read = [](const std::string& text) { (void)read_graph(text, "x.json"); };
  const std::string nodes = "{\"nodes\": [{\"id\": 0},\n {\"id\": \"p\"}";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", ":1: expected an object"},
      {"{}", ":1: expected a key \"nodes\""},
      {"{\"nodes\": []}", ":1: expected a key \"edges\" or \"links\""},
      {"{\"nodes\": [], \"edges\": []}", ": the graph has no vertices; expected at least one"},
      {"{\"nodes\": [0], \"edges\": []}", ":1: nodes[0]: expected an object"},
      {"{\"nodes\": [{}], \"edges\": []}", ":1: nodes[0]: expected a key \"id\""},
      {nodes + ",\n{\"id\": 0.5}], \"edges\": []}",
       ":3: nodes[2].id: expected a name: a string or a whole number"},
      {nodes + "],\n\"edges\": [],\n\"links\": []}",
       ":3: edges: expected edges or links, found both"},
      {nodes + ",\n{\"id\": \"0\"}], \"edges\": []}",
       ":3: nodes[2].id: node \"0\" occurs twice; expected distinct ids"},
      {nodes + ",\n{\"id\": \"\"}], \"edges\": []}",
       ":3: expected a name of a vertex, found an empty one"},
      {nodes + "],\n\"edges\": [[0, 1]]}", ":3: edges[0]: expected an object"},
      {nodes + "],\n\"links\": [{\"source\": 0}]}", ":3: links[0]: expected a key \"target\""},
      {nodes + "],\n\"edges\": [{\"source\": 0,\n\"target\": 1}]}",
       ":4: edges[0].target: expected the id of a node, found \"1\""},
      {nodes + "],\n\"edges\": [],\n\"directed\": 1}", ":4: directed: expected true or false"},
  };
  for (const auto& [text, sentence] : cases) expect_refusal(read, text, "x.json" + sentence);
}

}  // namespace
}  // namespace logdepth::automaton_exchange_tests
