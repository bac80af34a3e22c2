// Regular expressions and automata: the path that constructions use (Thompson, subsets, Hopcroft)
// against derivatives, Python's `re`, subset simulation and table filling, which share no code.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "logdepth/errors.hpp"
#include "objects/regex.hpp"
#include "oracle/language_oracle.hpp"
#include "tests/support/front_end_cases.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::front_ends_tests { namespace {

using namespace cases;

const Alphabet ab({"a", "b"});
const Alphabet abc({"a", "b", "c"});

/// Read alike by Python's `re`.
const std::vector<std::string>& plain_expressions() {
  static const std::vector<std::string> expressions{
      "1*(0{0})",
      "(10)*",
      "(1|01|001)*(0|00)?",
      "((00|11)|(01|10)(00|11)*(01|10))*",
      "((0(01)*(1|00))|(1(10)*(0|11)))*",
      "0*1*0*1*",
      "(aa)*",
      "(b|ab*a)*",
      "(a|b)*a(a|b){4}",
      "(a(ab)*b)*",
      "(a(a(ab)*b)*b)*",
      "[ab]*[^a]",
      "[^ab]|a[b-c]{2,}",
      "[a-c]{1,3}b?",
      ".*aba.*",
      "()|a",
      "a||b",
      "(|a)b",
      "a{0}b{0,2}",
      "(a?){3}b{2,3}",
      "(a*)*(b+)+",
      "(a|ab)(c|bcd)?d*",
      "\\*\\+a",
      "[-+]?[0-1]+",
      "\\\\|\\.|[.*]",
      "\xC3\xA9*(\xE2\x88\x80|a)",
  };
  return expressions;
}

/// Complement and intersection, which only the oracle reads.
const std::vector<std::string>& extended_expressions() {
  static const std::vector<std::string> expressions{
      "!((.*0|())1(11)*0(00)*(1.*|()))",  // Tomita 3
      "!(.*aba.*)",
      "!a*b",
      "!!a|b",
      "!(a*)&!(b*)",
      "(a|b)*&(.b)*|aa",
      "(.*a.*&.*b.*&.*c.*)",
      "!(!(a)!(b))",
      "c?[^ab]",
      "(!(ab|ba)){2}",
      "!()&.[ab]",
      "!([^ab]c?)",
  };
  return expressions;
}

Dfa minimal(const std::string& text, const std::optional<Alphabet>& alphabet = std::nullopt) {
  return minimise(determinise(to_nfa(parse_regex(text, alphabet))));
}

std::size_t longest_for(std::size_t letters) {
  return letters <= 2 ? 8 : letters == 3 ? 6 : 4;
}

/// Empty when every word agrees, else the first word that does not.
std::string disagreement(const LanguageOracle& oracle, const Dfa& dfa, std::size_t longest) {
  for (const Word& word : all_words(dfa.alphabet.size(), longest)) {
    if (oracle.accepts(word) != accepts(dfa, word)) {
      const char* verdict = oracle.accepts(word) ? "accepted" : "rejected";
      return dfa.alphabet.format_word(word) + " is " + verdict + " by the oracle only";
    }
  }
  return "";
}

TEST(RegularExpressions, HandPickedOnesAgreeWithTheirDerivativesOnAllShortWords) {
  std::vector<std::string> expressions = plain_expressions();
  expressions.insert(expressions.end(), extended_expressions().begin(),
                     extended_expressions().end());
  for (const std::string& text : expressions) {
    const ParsedRegex parsed = parse_regex(text);
    const Nfa nfa = to_nfa(parsed);
    const Dfa dfa = determinise(nfa);
    const std::size_t longest = longest_for(parsed.alphabet.size());
    const auto oracle = make_regex_oracle(parsed);
    EXPECT_EQ(disagreement(*oracle, dfa, longest), "") << text;
    EXPECT_EQ(disagreement(*oracle, minimise(dfa), longest), "") << text;
    EXPECT_EQ(disagreement(*make_nfa_oracle(nfa, text), dfa, longest), "") << text;
  }
}

RC_GTEST_PROP(RegularExpressions, RandomOnesAgreeWithTheirDerivativesOnAllShortWords, ()) {
  const bool three = draw(0, 2) == 1;
  const std::string text = draw_regex(4, three ? 3 : 2, true);
  RC_LOG() << text << std::endl;
  const ParsedRegex parsed = parse_regex(text, three ? abc : ab);
  const auto oracle = make_regex_oracle(parsed);
  const Dfa dfa = minimise(determinise(to_nfa(parsed)));
  const std::string found = disagreement(*oracle, dfa, three ? 5 : 7);
  RC_LOG() << found << std::endl;
  RC_ASSERT(found.empty());
  RC_CLASSIFY(dfa.states() == 1, "trivial language");
  RC_CLASSIFY(dfa.states() >= 4, "four states or more");
}

// Python reads the cases from a file and judges every word itself: expression, letters, and a
// string of 0 and 1 over all words in the order of `all_words`.
constexpr const char* python_judge = R"py(
import itertools, re, sys
cases = words = 0
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        text, letters, longest, bits = line.rstrip("\n").split("\t")
        compiled = re.compile(text)
        position = 0
        for length in range(int(longest) + 1):
            for word in itertools.product(letters, repeat=length):
                word = "".join(word)
                if (compiled.fullmatch(word) is not None) != (bits[position] == "1"):
                    print("MISMATCH", text, repr(word))
                position += 1
        if position != len(bits):
            print("MISMATCH in number of words", text)
        cases += 1
        words += position
print("judged", cases, "cases", words, "words")
)py";

TEST(RegularExpressions, AgreeWithPythonOnAllShortWords) {
  const support::TemporaryFolder folder;
  folder.write("judge.py", python_judge);
  std::ostringstream file;
  std::size_t cases = 0;
  std::size_t words = 0;
  const auto add = [&](const std::string& text, const std::optional<Alphabet>& alphabet) {
    const Dfa dfa = minimal(text, alphabet);
    const std::size_t longest = longest_for(dfa.alphabet.size());
    std::string letters;
    for (const std::string& name : dfa.alphabet.names()) letters += name;
    std::string bits;
    for (const Word& word : all_words(dfa.alphabet.size(), longest)) {
      bits += accepts(dfa, word) ? '1' : '0';
    }
    file << text << '\t' << letters << '\t' << longest << '\t' << bits << '\n';
    ++cases;
    words += bits.size();
  };
  for (const std::string& text : plain_expressions()) add(text, std::nullopt);
  EXPECT_TRUE(rc::check("random expressions are written for Python", [&] {
    const bool three = draw(0, 2) == 1;
    const std::string text = draw_regex(3, three ? 3 : 2, false);
    // Python backtracks: repeats within repeats would take it exponential time.
    const auto repeats = std::count_if(text.begin(), text.end(), [](char character) {
      return character == '*' || character == '+' || character == '{';
    });
    if (repeats <= 3) add(text, three ? abc : ab);
  }));
  folder.write("cases.txt", file.str());
  ASSERT_GE(cases, plain_expressions().size() + 100);

  const auto judged =
      support::run_process({support::python(), "judge.py", "cases.txt"}, folder.path());
  EXPECT_EQ(judged.status, 0) << judged.err;
  EXPECT_EQ(judged.out,
            "judged " + std::to_string(cases) + " cases " + std::to_string(words) + " words\n");
}

struct Tomita {
  std::string text;
  std::size_t states;  // of the minimal complete automaton
  std::function<bool(const std::string&)> contains;
};

std::size_t count(const std::string& word, char letter) {
  return static_cast<std::size_t>(std::count(word.begin(), word.end(), letter));
}

/// An odd run of ones directly followed by an odd run of zeros.
bool has_odd_ones_then_odd_zeros(const std::string& word) {
  for (std::size_t i = 0; i < word.size();) {
    std::size_t ones = 0;
    std::size_t zeros = 0;
    while (i < word.size() && word[i] == '0' && ones == 0 && zeros == 0) ++i;
    while (i < word.size() && word[i] == '1') ++ones, ++i;
    while (i < word.size() && word[i] == '0') ++zeros, ++i;
    if (ones % 2 == 1 && zeros % 2 == 1) return true;
  }
  return false;
}

TEST(RegularExpressions, TomitasSevenLanguagesHaveTheirDefinitionAndTheirKnownSizes) {
  const std::vector<Tomita> languages{
      {"1*", 2, [](const std::string& w) { return count(w, '0') == 0; }},
      {"(10)*", 3,
       [](const std::string& w) {
         for (std::size_t i = 0; i < w.size(); ++i) {
           if (w[i] != (i % 2 == 0 ? '1' : '0')) return false;
         }
         return w.size() % 2 == 0;
       }},
      {"!((.*0|())1(11)*0(00)*(1.*|()))", 5,
       [](const std::string& w) { return !has_odd_ones_then_odd_zeros(w); }},
      {"(1|01|001)*(0|00)?", 4,
       [](const std::string& w) { return w.find("000") == std::string::npos; }},
      {"((00|11)|(01|10)(00|11)*(01|10))*", 4,
       [](const std::string& w) { return count(w, '0') % 2 == 0 && count(w, '1') % 2 == 0; }},
      {"((0(01)*(1|00))|(1(10)*(0|11)))*", 3,
       [](const std::string& w) { return (count(w, '0') + 2 * count(w, '1')) % 3 == 0; }},
      {"0*1*0*1*", 5,
       [](const std::string& w) {
         std::string runs = w;
         runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
         return runs.size() <= (runs.empty() || runs[0] == '0' ? 4u : 3u);
       }},
  };
  const Alphabet bits({"0", "1"});
  for (std::size_t i = 0; i < languages.size(); ++i) {
    const Dfa dfa = minimal(languages[i].text, bits);
    EXPECT_EQ(dfa.states(), languages[i].states) << "Tomita " << i + 1;
    for (const Word& word : all_words(2, 10)) {
      const std::string text = bits.format_word(word);
      ASSERT_EQ(accepts(dfa, word), languages[i].contains(text))
          << "Tomita " << i + 1 << " " << text;
    }
  }
}

TEST(RegularExpressions, DyckWordsOfBoundedDepthAreCountedByTheirExpression) {
  const Dfa dfa = minimal("(a(a(ab)*b)*b)*");
  EXPECT_EQ(dfa.states(), 5u);  // depth 0 to 3 and a sink
  for (const Word& word : all_words(2, 10)) {
    int depth = 0;
    bool inside = true;
    for (const Letter letter : word) {
      depth += letter == 0 ? 1 : -1;
      inside = inside && depth >= 0 && depth <= 3;
    }
    ASSERT_EQ(accepts(dfa, word), inside && depth == 0) << dfa.alphabet.format_word(word);
  }
}

TEST(RegularExpressions, DerivativesStayFeasibleOnLongWords) {
  const auto oracle = make_regex_oracle(parse_regex("(a|b)*a(a|b){12}&!(.*b{40}.*)"));
  Word word;
  for (std::size_t i = 0; i < 100000; ++i) word.push_back(i % 7 % 2);
  bool expected = word[word.size() - 13] == 0;
  EXPECT_EQ(oracle->accepts(word), expected);
  word.insert(word.end(), 2, Letter{0});
  expected = !expected;
  ASSERT_EQ(word[word.size() - 13] == 0, expected);
  EXPECT_EQ(oracle->accepts(word), expected);
  word.insert(word.begin() + 5, 40, Letter{1});
  EXPECT_FALSE(oracle->accepts(word));
}

TEST(RegularExpressions, LettersWithoutAnAlphabetAreThoseThatOccurInCharacterOrder) {
  EXPECT_EQ(parse_regex("c[^b]a").alphabet.names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(parse_regex("[x-z]\xC3\xA9|y{0}").alphabet.names(),
            (std::vector<std::string>{"x", "y", "z", "\xC3\xA9"}));
  EXPECT_EQ(parse_regex("a.", Alphabet({"b", "a"})).alphabet.names(),
            (std::vector<std::string>{"b", "a"}));
}

TEST(RegularExpressions, OperatorsBindAsDocumented) {
  const auto same = [](const std::string& left, const std::string& right) {
    return same_form(minimal(left, abc), minimal(right, abc));
  };
  EXPECT_TRUE(same("!a*", "!(a*)"));
  EXPECT_TRUE(same("!ab", "(!a)b"));
  EXPECT_TRUE(same("a|bc&.*", "a|((bc)&(.*))"));
  EXPECT_TRUE(same("a&b|c", "c"));
  EXPECT_TRUE(same("!!ab", "ab"));
  EXPECT_TRUE(same("!!!ab", "!ab"));
  EXPECT_TRUE(same("ab*", "a(b*)"));
  EXPECT_TRUE(same("a*?", "a*"));
  EXPECT_TRUE(same("a|", "a|()"));
  EXPECT_FALSE(same("!a*", "(!a)*"));
}

RC_GTEST_PROP(RegularExpressions, DeMorganHoldsForTheMinimalForms, ()) {
  const std::string left = draw_regex(3, 2, true);
  const std::string right = draw_regex(3, 2, true);
  RC_LOG() << left << "   " << right << std::endl;
  RC_ASSERT(same_form(minimal("!((" + left + ")|(" + right + "))", ab),
                      minimal("!(" + left + ")&!(" + right + ")", ab)));
}

RC_GTEST_PROP(Automata, DeterminisedAndMinimisedOnesAgreeWithSubsetSimulation, ()) {
  const Nfa nfa = draw_nfa(draw(0, 2) == 0 ? ab : abc, false);
  RC_LOG() << shown(nfa) << std::endl;
  const auto oracle = make_nfa_oracle(nfa, "random");
  const std::size_t longest = nfa.alphabet.size() == 2 ? 8 : 6;
  const Dfa dfa = determinise(nfa);
  RC_ASSERT(dfa.next.size() == dfa.states() * nfa.alphabet.size());
  RC_ASSERT(disagreement(*oracle, dfa, longest) == "");
  RC_ASSERT(disagreement(*oracle, minimise(dfa), longest) == "");
}

/// The number of classes of states that some word tells apart, by filling the table of pairs.
std::size_t distinguishable_states(const Dfa& dfa) {
  const std::size_t n = dfa.states();
  std::vector<std::vector<bool>> apart(n, std::vector<bool>(n, false));
  for (State p = 0; p < n; ++p) {
    for (State q = 0; q < n; ++q) apart[p][q] = dfa.accepting[p] != dfa.accepting[q];
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (State p = 0; p < n; ++p) {
      for (State q = 0; q < n; ++q) {
        for (Letter letter = 0; letter < dfa.alphabet.size() && !apart[p][q]; ++letter) {
          if (apart[dfa.step(p, letter)][dfa.step(q, letter)]) changed = apart[p][q] = true;
        }
      }
    }
  }
  std::size_t classes = 0;
  for (State p = 0; p < n; ++p) {
    bool first = true;
    for (State q = 0; q < p; ++q) first = first && apart[p][q];
    classes += first ? 1 : 0;
  }
  return classes;
}

RC_GTEST_PROP(Automata, MinimalOnesHaveAStatePerClassOfTheTableOfPairs, ()) {
  const Nfa nfa = draw_nfa(draw(0, 2) == 0 ? ab : abc, false);
  RC_LOG() << shown(nfa) << std::endl;
  const Dfa dfa = determinise(nfa);
  const Dfa least = minimise(dfa);
  RC_ASSERT(least.states() == distinguishable_states(dfa));  // all of dfa's states are reachable
  RC_ASSERT(least.states() == distinguishable_states(least));
  RC_ASSERT(same_form(minimise(least), least));
}

RC_GTEST_PROP(Automata, MinimalFormIsTheSameForRenamedPaddedAutomata, ()) {
  const Dfa dfa = determinise(draw_nfa(ab, false));
  // Twice the states: each state may be stood for by either copy, copies are shuffled.
  const std::size_t n = dfa.states();
  std::vector<State> place(2 * n);
  std::iota(place.begin(), place.end(), State{0});
  for (std::size_t i = place.size(); i > 1; --i) {
    std::swap(place[i - 1], place[static_cast<std::size_t>(draw(0, static_cast<int>(i)))]);
  }
  Dfa copy;
  copy.alphabet = dfa.alphabet;
  copy.initial = place[dfa.initial];
  copy.accepting.resize(2 * n);
  copy.next.resize(4 * n);
  for (State q = 0; q < 2 * n; ++q) {
    copy.accepting[place[q]] = dfa.accepting[q % n];
    for (Letter letter = 0; letter < 2; ++letter) {
      const std::size_t target = dfa.step(static_cast<State>(q % n), letter);
      copy.next[place[q] * 2 + letter] = place[target + (draw(0, 2) == 0 ? n : 0)];
    }
  }
  RC_ASSERT(same_form(minimise(copy), minimise(dfa)));
}

/// Sets of states step by step, beside the minimal automaton; the names are found by pairs.
RC_GTEST_PROP(Automata, MinimalStatesAreCalledByTheStatesThatTheGivenOneMayBeInThere, ()) {
  Nfa nfa = draw_nfa(ab, false);
  for (State q = 0; q < nfa.states(); ++q) nfa.names.push_back("q" + std::to_string(q));
  RC_LOG() << shown(nfa) << std::endl;
  const Dfa least = minimise(determinise(nfa));
  using Active = std::set<State>;
  const auto closed = [&](Active states) {
    for (std::size_t before = 0; before != states.size();) {
      before = states.size();
      for (const Nfa::Arc& arc : nfa.arcs)
        if (!arc.letter && states.contains(arc.from)) states.insert(arc.to);
    }
    return states;
  };
  std::set<std::pair<Active, State>> met;
  std::vector<std::pair<Active, State>> waiting = {
      {closed({nfa.initial.begin(), nfa.initial.end()}), least.initial}};
  std::vector<Active> expected(least.states());
  while (!waiting.empty()) {
    const auto [active, state] = waiting.back();
    waiting.pop_back();
    if (!met.emplace(active, state).second) continue;
    expected[state].insert(active.begin(), active.end());
    for (Letter letter = 0; letter < 2; ++letter) {
      Active next;
      for (const Nfa::Arc& arc : nfa.arcs)
        if (arc.letter == letter && active.contains(arc.from)) next.insert(arc.to);
      waiting.emplace_back(closed(next), least.step(state, letter));
    }
  }
  const std::vector<std::string> names = state_names(nfa, least);
  RC_ASSERT(names.size() == least.states());
  for (State state = 0; state < least.states(); ++state) {
    std::string name;
    for (const State q : expected[state]) name += (name.empty() ? "q" : "|q") + std::to_string(q);
    RC_ASSERT(names[state] == (name.empty() ? "no state" : name));
  }
}

TEST(Automata, MinimalFormIsNumberedBreadthFirst) {
  const Dfa dfa = minimal("(a|b)*a(a|b){3}");
  EXPECT_EQ(dfa.states(), 16u);
  EXPECT_EQ(dfa.initial, 0u);
  State largest = 0;
  for (const State target : dfa.next) {
    EXPECT_LE(target, largest + 1);
    largest = std::max(largest, target);
  }
}

TEST(Automata, HopcroftIsNearlyLinearOnALongChain) {
  // Refinement that rescans all states for each new class would need 10^10 steps here.
  constexpr State length = 100000;
  Dfa chain;
  chain.alphabet = Alphabet({"a"});
  for (State q = 0; q <= length; ++q) {
    chain.accepting.push_back(q == length);
    chain.next.push_back(std::min<State>(q + 1, length));
  }
  EXPECT_EQ(minimise(chain).states(), length + 1u);
}

TEST(Alphabet, WordsRunTogetherOnlyWhereEveryLetterIsOneCharacter) {
  EXPECT_EQ(ab.parse_word("ab ba\t"), (Word{0, 1, 1, 0}));
  EXPECT_EQ(ab.parse_word(""), Word{});
  EXPECT_EQ(ab.format_word({0, 1, 1}), "abb");
  const Alphabet accents({"\xC3\xA9", "e"});
  EXPECT_TRUE(accents.single_characters());
  EXPECT_EQ(accents.parse_word("e\xC3\xA9"), (Word{1, 0}));
  const Alphabet names({"open", "x"});
  EXPECT_FALSE(names.single_characters());
  EXPECT_EQ(names.parse_word(" open x  open"), (Word{0, 1, 0}));
  EXPECT_EQ(names.format_word({0, 1}), "open x");
  EXPECT_EQ(ab.parse_tokens("a b"), (Word{0, 1}));
}

}}  // namespace logdepth::front_ends_tests
