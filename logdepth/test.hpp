#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/compile.hpp"
#include "logdepth/run.hpp"

namespace logdepth {

/// What is said of every input at which a transformer is wrong.
struct WrongInput {
  std::string expected;      ///< in words: "accept", "connected", "exactly one position", ...
  std::string got;           ///< in words
  std::uint64_t number = 0;  ///< among all that were asked, of the input that was found first
};

/// What every test found.
template <class Wrong, class Tested>
struct TestFindings {
  std::uint64_t promises = 0;        ///< rows at which a head's promise was checked
  std::vector<std::string> unasked;  ///< heads whose promise was never checked
  std::optional<Wrong> wrong;        ///< the first that was found; asking ends there
  Tested within = {};                ///< what was asked for, within the file's own limit
  /// Nothing was found.
  bool passed() const { return !wrong; }
};

/// Which words a test asks. The same seed asks the same words.
struct TestedWords {
  std::size_t up_to = 6;            ///< every word of at most so many letters
  std::size_t random = 200;         ///< and so many random ones,
  std::size_t max_length = 100;     ///< of at most so many letters
  std::uint64_t seed = 1;           ///< of the random ones
  std::vector<Letters> batch = {};  ///< and these before all others: what chance does not draw
};

/// A word at which a transformer is wrong, shrunk: no letter of it can be left out, or made the
/// first letter of the alphabet.
struct WrongWord : WrongInput {
  /// What it is that is wrong.
  enum class Wrong {
    answer,   ///< the verdict, or a number
    product,  ///< of the first letters, or the state after them
    promise,  ///< a head selects what it does not promise
    depth,    ///< other layers run than the file states
    limit,    ///< a word beyond the file's limit is answered
    cell      ///< a cell holds what its type or lifetime does not allow
  };
  Letters word;                 ///< the input
  Wrong wrong = Wrong::answer;  ///< what is wrong there
  std::size_t shrunk_from = 0;  ///< letters of the word that was found first
};

/// What a test found.
struct TestResult : TestFindings<WrongWord, TestedWords> {
  std::uint64_t exhaustive_words = 0;  ///< short words asked
  std::uint64_t chosen_words = 0;      ///< words with one letter that differs from the rest
  std::uint64_t random_words = 0;      ///< long ones
  std::uint64_t batch_words = 0;       ///< words that were given
  std::uint64_t accepted = 0;          ///< words of the language among them
  std::uint64_t numbers = 0;           ///< named numbers compared
  std::uint64_t products = 0;          ///< prefix products compared
  std::uint64_t states = 0;            ///< states after prefixes compared
  std::string prefix_kind;  ///< "prefix product" or "state": what the file reads of prefixes
  std::string note;         ///< why no, or not every, prefix was compared; or nothing
  /// In a sentence or two, as `logdepth test` says it.
  std::string text() const;
};

/// Asks a transformer every short word, words with one letter that differs from the rest, and random
/// ones, many of them of little variety:
/// whether its exact verdict is what `language` says, whether every head selects what it promises,
/// whether its cells hold what their types and lifetimes allow, whether as many layers run as it
/// states, and whether a word beyond its limit is refused.
/// `language` may be asked a word more than once. Errors: InputError where the transformer reads no
/// words or gives no verdict, and when up_to means more than 2^24 words; SizeLimit as in run.
TestResult test(const Transformer& transformer, const std::function<bool(const Letters&)>& language,
                const TestedWords& words = {});

/// The same of a transformer that answers with named numbers: `numbers` says what each is at the last
/// token of a word, exactly ("3/5").
TestResult test_numbers(
    const Transformer& transformer,
    const std::function<std::map<std::string, std::string>(const Letters&)>& numbers,
    const TestedWords& words = {});

/// Against whatever `logdepth test --against` knows of words: "regex:R", "fst:FILE", "jff:FILE",
/// "dot:FILE", "group:NAME", "crasp:FILE", "command:PROGRAM", a file by its extension, or else a
/// regular expression. Where the file reads prefixes, they are compared, too: products of a group's
/// generators, states as the minimal automaton numbers them breadth first. Errors also: InputError as
/// the command's.
TestResult test_against(const Transformer& transformer, const std::string& oracle,
                        const TestedWords& words = {});

// --- graphs --------------------------------------------------------------------------------------

/// Which graphs a test asks, each with many sources and targets. The same seed asks the same ones.
struct TestedGraphs {
  /// Every graph of at most so many vertices up to the names of vertices, every pair of them,
  std::size_t up_to = 3;
  std::size_t random = 150;  ///< and so many others: paths, cycles, stars, layers, sparse ones, ...
  std::size_t max_size = 9;  ///< of at most so many vertices
  std::uint64_t seed = 1;    ///< of the random ones
  bool undirected = false;   ///< only graphs with every edge both ways
  /// Every graph without self-loops of one vertex more than `up_to`, too.
  bool loopless_beyond = false;
};

/// A graph at which a transformer is wrong, shrunk: no vertex and no edge can be left out.
struct WrongGraph : WrongInput {
  DirectedGraph graph;                   ///< the graph of the question
  std::uint32_t source = 0;              ///< is there a way from here,
  std::uint32_t target = 0;              ///< to there?
  std::size_t shrunk_from_vertices = 0;  ///< of the graph that was found first
  std::size_t shrunk_from_edges = 0;     ///< of the same
};

/// What a test of graphs found.
struct GraphTestResult : TestFindings<WrongGraph, TestedGraphs> {
  std::uint64_t exhaustive_graphs = 0;  ///< small graphs asked
  std::uint64_t random_graphs = 0;      ///< larger ones
  std::uint64_t pairs = 0;              ///< questions asked
  std::uint64_t connected = 0;          ///< of them those with a way
  std::size_t largest_loopless = 0;  ///< vertices of graphs asked for by `loopless_beyond`, if any
  /// In a sentence or two.
  std::string text() const;
};

/// Asks a transformer about graphs, against searches in them: whether its exact answer is right,
/// whether every head selects what it promises, whether its cells hold what they may and as many
/// layers run as it states, and
/// whether a graph beyond its limit is refused. Errors: InputError where it reads no graphs, and
/// when up_to means more than 2^20 questions; SizeLimit as in run.
GraphTestResult test_graphs(const Transformer& transformer, const TestedGraphs& graphs = {});
/// The same against a function of yours: whether there is a way from source to target.
GraphTestResult test_graphs(const Transformer& transformer,
                            const std::function<bool(const DirectedGraph&, std::uint32_t source,
                                                     std::uint32_t target)>& connected,
                            const TestedGraphs& graphs = {});

// --- division ------------------------------------------------------------------------------------

/// Which numbers a test divides. The same seed asks the same ones.
struct TestedDivisions {
  std::size_t up_to = 16;       ///< all dividends at positions up to this, divisors up to this
  std::size_t random = 20;      ///< and so many random inputs,
  std::size_t max_length = 60;  ///< of at most so many tokens
  std::uint64_t seed = 1;       ///< of the random ones
};

/// An input at which a transformer divides wrongly, shrunk: fewest tokens, zeros where possible.
struct WrongDivision : WrongInput {
  std::uint64_t divisor = 1;             ///< the same at all tokens
  std::vector<std::uint64_t> dividends;  ///< one for each token
  std::size_t shrunk_from = 0;           ///< tokens of the input that was found first
};

/// What a test of divisions found.
struct DivisionTestResult : TestFindings<WrongDivision, TestedDivisions> {
  std::uint64_t exhaustive_inputs = 0;  ///< short inputs asked
  std::uint64_t random_inputs = 0;      ///< long ones
  std::uint64_t divisions = 0;          ///< quotients and remainders compared
  /// In a sentence or two.
  std::string text() const;
};

/// Asks a transformer of the division lemma, against the division of the language, exactly, at every
/// token. Errors: InputError where it is no such transformer; SizeLimit as in run.
DivisionTestResult test_division(const Transformer& transformer,
                                 const TestedDivisions& divisions = {});

// --- computation graphs --------------------------------------------------------------------------

/// Which computation graphs a test asks. The same seed asks the same ones.
struct TestedComputationGraphs {
  std::size_t up_to = 3;      ///< every graph of at most so many equations,
  std::size_t random = 200;   ///< and so many random ones,
  std::size_t max_size = 24;  ///< of at most so many equations
  std::uint64_t seed = 1;     ///< of the random ones
};

/// A computation graph that a transformer evaluates wrongly, shrunk.
struct WrongComputationGraph : WrongInput {
  Letters word;                  ///< the graph as the transformer reads it
  std::uint32_t iterations = 0;  ///< of the repeated block; others than the file's are asked, too
  std::size_t shrunk_from = 0;   ///< letters of the word that was found first
};

/// What a test of computation graphs found.
struct ComputationGraphTestResult : TestFindings<WrongComputationGraph, TestedComputationGraphs> {
  std::uint64_t exhaustive_graphs = 0;  ///< small graphs asked
  std::uint64_t random_graphs = 0;      ///< larger ones
  std::uint64_t values = 0;             ///< of tokens, compared
};

/// Asks a transformer of computation graphs for the value at every token, against the definition,
/// after any number of iterations. Errors: InputError where it is no such transformer; SizeLimit as in
/// run, and for an up_to of too many graphs.
ComputationGraphTestResult test_computation_graphs(const Transformer& transformer,
                                                   const TestedComputationGraphs& graphs = {});

}  // namespace logdepth
