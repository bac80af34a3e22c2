// What a user gives becomes tokens, and tokens become the residual stream: order and number of
// tokens, given values and their mirrors, sizes, limits, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "objects/transition_monoid.hpp"
#include "oracle/crasp_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/words.hpp"
#include "report/pictures/draw_attention.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/forward.hpp"
#include "tests/support/examined_files.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::inputs_tests { namespace {

using support::refusal;

using Kinds = std::vector<std::string>;
using Rows = std::vector<std::vector<Real>>;

Graph graph_of(std::size_t n, const std::vector<std::pair<Vertex, Vertex>>& edges) {
  Graph graph;
  for (std::size_t i = 0; i < n; ++i) graph.add_vertex("v" + std::to_string(i));
  for (const auto& [from, to] : edges) graph.add_edge(from, to);
  return graph;
}

Tokens value(const Outcome<Tokens>& tokens) {
  EXPECT_TRUE(tokens.has_value());
  return tokens.has_value() ? tokens.value() : Tokens{};
}

TEST(Inputs, AWordStandsBetweenItsBeginningAndItsEnd) {
  const Kinds letters = {"a", "b"};
  EXPECT_EQ(value(word_tokens({true, true}, letters)).kinds, (Kinds{"<begin>", "a", "b", "<end>"}));
  EXPECT_EQ(value(word_tokens({false, true}, letters)).kinds, (Kinds{"a", "b", "<end>"}));
  EXPECT_EQ(value(word_tokens({true, false}, letters)).kinds, (Kinds{"<begin>", "a", "b"}));
  EXPECT_EQ(value(word_tokens({false, false}, letters)).size, 2u);
  EXPECT_EQ(value(word_tokens({false, true}, {})).kinds, Kinds{"<end>"});
  EXPECT_EQ(value(word_tokens({true, true}, {})).size, 0u);
  const auto nothing = word_tokens({false, false}, {});
  ASSERT_FALSE(nothing.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(nothing.refusal()));
}

TEST(Inputs, AGraphIsItsMatrixRowByRowThenPaddingThenSourceAndTargetInUnary) {
  const Graph graph = graph_of(2, {{0, 1}, {1, 1}});
  GraphInput input;
  const Tokens tokens = value(graph_tokens(input, graph, 0, 1));
  EXPECT_EQ(tokens.kinds, (Kinds{"<no-edge>", "<edge>", "<no-edge>", "<edge>", "<pad>", "<pad>",
                                 "<pad>", "<pad>", "<source>", "<target>", "<target>"}));
  EXPECT_EQ(tokens.size, 2u);
  EXPECT_TRUE(tokens.given.empty());
  input.padding = GraphInput::Padding::n3;
  EXPECT_EQ(value(graph_tokens(input, graph, 1, 0)).kinds.size(), 4u + 8 + 2 + 1);
  EXPECT_EQ(value(graph_tokens({}, graph_of(1, {}), 0, 0)).kinds,
            (Kinds{"<no-edge>", "<source>", "<target>"}));
}

TEST(Inputs, AFileMadeForASizeAddsIsolatedVerticesAndRefusesLargerGraphs) {
  GraphInput input;
  input.size = 3;
  const Tokens tokens = value(graph_tokens(input, graph_of(2, {{1, 0}}), 1, 0));
  EXPECT_EQ(tokens.size, 3u);
  ASSERT_EQ(tokens.kinds.size(), 9u + 18 + 2 + 1);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(tokens.kinds[i], i == 3 ? kEdgeToken : kNoEdgeToken) << i;
  const auto larger = graph_tokens(input, graph_of(4, {}), 0, 0);
  ASSERT_FALSE(larger.has_value());
  EXPECT_EQ(describe(larger.refusal()),
            "hypothesis violated: the graph has 4 vertices; this network supports at most 3");
}

TEST(Inputs, TooManyPaddingTokensAreALimitAndNotACrash) {
  const auto make = [](std::size_t n) {
    Graph graph;
    for (std::size_t i = 0; i < n; ++i) graph.add_vertex(std::to_string(i));
    return graph_tokens({}, graph, 0, 0);
  };
  EXPECT_THROW(make(407), SizeLimit);  // 407^3 > 2^26
  EXPECT_THROW(make(4096), SizeLimit);
}

TEST(Inputs, TheRowsOfAGraphAreGivenValuesWithTheDiagonalSet) {
  GraphInput input;
  input.layout = GraphInput::Layout::rows;
  input.size = 3;
  const Tokens tokens = value(graph_tokens(input, graph_of(2, {{0, 1}}), 1, 0));
  EXPECT_EQ(tokens.kinds, Kinds(3, "<vertex>"));
  EXPECT_EQ(tokens.size, 3u);
  EXPECT_EQ(tokens.given, (Rows{{1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}}));
}

TEST(Inputs, RowsOfAGraphAnswerEveryPairInOneRun) {
  const Model model = example_rows_model();
  ASSERT_EQ(first_violation(model), "");
  Runner runner(model);
  const Graph graph = graph_of(2, {{1, 0}});
  const auto stream = runner.run(tokens_of(model, graph, 0, 0).value());
  ASSERT_TRUE(stream.has_value());
  EXPECT_TRUE(runner.relation(stream.value(), 0, 0).value());
  EXPECT_FALSE(runner.relation(stream.value(), 0, 1).value());
  EXPECT_TRUE(runner.relation(stream.value(), 1, 0).value());
  EXPECT_TRUE(runner.connected(stream.value(), 1, 1).value());
  EXPECT_THROW(runner.accepts(stream.value(), 0), InputError);
  EXPECT_THROW(runner.relation(stream.value(), 0, 2), InputError);
  const auto larger = tokens_of(model, graph_of(3, {}), 0, 0);
  ASSERT_FALSE(larger.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(larger.refusal()));
}

TEST(Inputs, AZeroInARelationIsUndecided) {
  Model model = example_rows_model();
  model.unembedding.entries.erase(model.unembedding.entries.begin());
  Runner runner(model);
  const auto stream = runner.run(tokens_of(model, graph_of(2, {}), 0, 0).value());
  ASSERT_TRUE(stream.has_value());
  const auto verdict = runner.relation(stream.value(), 1, 0);
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(describe(verdict.refusal()), "undecided: the logit of the pair (1, 0) is 0");
}

TEST(Inputs, GivenValuesMirrorsEmbeddingAndPositionAreAddedUp) {
  Model model = example_cells_model();
  model.position = TablePosition{{{{0, 10}, {7, 1}}, {}}};
  const Real root = Real::root(Rational(2));
  Runner runner(model);
  const auto tokens = tokens_of(model, Rows{{Real(3), root}, {Real(-1), Real(0)}});
  ASSERT_TRUE(tokens.has_value());
  EXPECT_EQ(tokens.value().size, 2u);
  auto stream = runner.run(tokens.value());
  ASSERT_TRUE(stream.has_value());
  std::vector<Real> first;
  for (std::size_t c = 0; c < 8; ++c)
    first.push_back(runner.arithmetic().pool()[stream.value().at(0, c)]);
  EXPECT_EQ(first, (std::vector<Real>{13, root, 0, 0, -3, -root, 0, 1}));
  EXPECT_EQ(runner.logits(stream.value(), 1), (std::vector<Real>{-1, 0}));
  EXPECT_FALSE(runner.run(cells_tokens({{1, 1}, {1, 1}, {1, 1}})).has_value());  // the table ends
}

TEST(Inputs, RowsWithMirrorsKeepTheMeanAtZero) {
  Model model = example_rows_model();
  model.width = 8;
  std::get<GraphInput>(model.input).mirrored = true;
  model.embedding = {{kVertexToken, {}}};
  model.position = FirstFlagPosition{};
  model.layers.clear();
  model.shape = {};
  model.unembedding.columns = 8;
  ASSERT_EQ(first_violation(model), "");
  Exact arithmetic;
  const Forward<Exact> forward(model, arithmetic, run_memory());
  const Tokens tokens = value(tokens_of(model, graph_of(2, {{0, 1}}), 0, 0));
  auto stream = forward.stream(tokens.kinds.size());
  ASSERT_FALSE(embed(model, tokens, arithmetic, stream).has_value());
  const auto at = [&](std::size_t token, std::size_t c) {
    return arithmetic.pool()[stream.at(token, c)];
  };
  EXPECT_EQ(at(1, 0), Real(-1));
  EXPECT_EQ(at(1, 4), Real(1));
  EXPECT_EQ(at(1, 1), Real(1));
  EXPECT_EQ(at(1, 5), Real(-1));
  EXPECT_EQ(at(0, 5), Real(-1));
}

TEST(Inputs, TheLargestLengthCountsLettersVerticesAndTokens) {
  Model words = example_model(), graphs = example_adjacency_model(), cells = example_cells_model();
  for (Model* model : {&words, &graphs, &cells}) model->unroll.max_length = 2;
  const auto reason = [](const Outcome<Tokens>& tokens) {
    return tokens.has_value() ? "" : describe(tokens.refusal());
  };
  const std::string tail = "; this network supports at most 2";
  EXPECT_EQ(reason(tokens_of(words, Kinds{"a", "b", "a"})),
            "hypothesis violated: the input has 3 letters" + tail);
  EXPECT_EQ(reason(tokens_of(graphs, graph_of(3, {}), 0, 0)),
            "hypothesis violated: the input has 3 vertices" + tail);
  EXPECT_EQ(reason(tokens_of(cells, Rows{{1, 1}, {1, 1}, {1, 1}})),
            "hypothesis violated: the input has 3 tokens" + tail);
  EXPECT_EQ(reason(tokens_of(graphs, graph_of(2, {}), 0, 0)), "");
  Runner runner(cells);
  EXPECT_FALSE(runner.run(cells_tokens({{1, 1}, {1, 1}, {1, 1}})).has_value());
}

TEST(Inputs, LoopsFollowTheVerticesAndNotTheTokens) {
  Model model = example_adjacency_model();
  model.unroll = {Unroll::Kind::ceil_log2_vertices, 0, 0, std::nullopt};
  model.shape = {0, 1, 0};
  Layer layer;
  layer.feedforward = {{}, {0, 4, {}}, {4, 0, {}}};
  model.layers = {layer};
  ASSERT_EQ(first_violation(model), "");
  class Count : public ForwardObserver<ValueId> {
   public:
    void after(const Location& location, const Stream<ValueId>&) override { steps = location.step; }
    std::size_t steps = 0;
  } count;
  Runner runner(model);
  ASSERT_TRUE(runner.run(tokens_of(model, graph_of(5, {}), 0, 4).value(), {&count}).has_value());
  EXPECT_EQ(count.steps, 3u);
  EXPECT_EQ(depth_at(model, 5), 3u);
}

TEST(Inputs, LoopsToAnotherBaseAreTheLogarithmRoundedUp) {
  for (std::uint32_t base = 2; base <= 7; ++base) {
    Unroll unroll;
    unroll.base = base;
    for (std::uint64_t n = 0; n <= 400; ++n) {
      std::uint64_t loops = 0;
      for (std::uint64_t reach = 1; reach < n; reach *= base) ++loops;
      EXPECT_EQ(loops_at(unroll, n), loops) << "base " << base << ", n = " << n;
      if (base == 2) {
        EXPECT_EQ(ceil_log2(n), loops) << n;
      }
    }
    unroll.minus = 1;
    EXPECT_EQ(loops_at(unroll, base * base + 1), 2u);
    EXPECT_EQ(loops_at(unroll, base * base + 2), 3u);
    EXPECT_EQ(loops_at(unroll, 0), 0u);
  }
}

TEST(Inputs, InputsOfAnotherKindAreRefusedWithOneSentence) {
  const Model words = example_model(), graphs = example_adjacency_model(),
              cells = example_cells_model();
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(graphs, Kinds{"a"})); }),
            "the weights file 'adjacency' takes graphs, not words");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(words, graph_of(1, {}), 0, 0)); }),
            "the weights file 'example' takes words, not graphs");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(words, Rows{{1}})); }),
            "the weights file 'example' takes words, not cells");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(cells, Kinds{"a"})); }),
            "the weights file 'difference' takes cells, not words");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(words, Kinds{"<begin>"})); }),
            "'<begin>' is not a letter of this model");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(words, Kinds{"c"})); }),
            "'c' is not a letter of this model");
  EXPECT_EQ(refusal([&] {
              static_cast<void>(tokens_of(cells, Rows{{1, 2}, {3}}));
            }),
            "token 1 is given 1 values; the weights file 'difference' expects 2");
  // Tokens made by hand are checked where they are run.
  Runner runner(graphs);
  EXPECT_EQ(refusal([&] { static_cast<void>(runner.run(value(word_tokens({}, {"a"})))); }),
            "the weights file 'adjacency' has no token '<begin>'");
  Runner raw(cells);
  EXPECT_EQ(refusal([&] { static_cast<void>(raw.run(value(word_tokens({}, {"a"})))); }),
            "the weights file 'difference' expects values for every token");
  EXPECT_FALSE(raw.run(cells_tokens({})).has_value());
}

TEST(Inputs, AWordWithAnEndIsDecidedAtItsEnd) {
  Model model;
  model.name = "end";
  model.width = 1;
  model.input = WordInput{false, true};
  model.alphabet = {"a"};
  model.embedding = {{"a", {{0, -1}}}, {kEndToken, {{0, 1}}}};
  model.unroll.kind = Unroll::Kind::fixed;
  model.output = AcceptOutput{};
  model.unembedding = {2, 1, {{0, 0, 1}}};
  model.position = FirstFlagPosition{};
  ASSERT_EQ(first_violation(model), "");
  Runner runner(model);
  for (const Kinds& letters : {Kinds{}, Kinds{"a"}, Kinds{"a", "a"}}) {
    const auto stream = runner.run_word(letters);
    ASSERT_TRUE(stream.has_value());
    EXPECT_EQ(stream.value().tokens, letters.size() + 1);
    EXPECT_TRUE(runner.accepts(stream.value(), letters.size()).value());
  }
  EXPECT_EQ(first_letter(runner.model()), 0u);
}

// States of prefixes, in place of products: what a file answers, and what oracles say is right.

Dfa minimal(const std::string& expression) {
  return minimise(determinise(to_nfa(parse_regex(expression, Alphabet({"a", "b"})))));
}
std::unique_ptr<LanguageOracle> derivatives(const std::string& expression,
                                            const std::vector<std::string>& letters = {"a", "b"}) {
  return make_regex_oracle(parse_regex(expression, Alphabet(letters)));
}

/// The scan of a language, asked for the state that its product leads to from the initial one.
Program scan_of_states(const std::string& expression) {
  Program program = regular_language_scan_MS25_thm4_1(to_action(minimal(expression)), "states",
                                                      {ScanPositions::circle, ScanTable::monoid});
  const PrefixElement element = std::get<PrefixElement>(program.prefix);
  PrefixState prefix{element.cell, {}};
  for (const auto& images : element.elements) prefix.states.push_back(images[0]);
  program.prefix = prefix;
  return program;
}

constexpr const char* kEndsInAbb = "(a|b)*abb";  // four states

PrefixState& states_of(Program& program) {
  return std::get<PrefixState>(program.prefix);
}

void expect_same_language(const std::optional<Dfa>& found, const Dfa& expected) {
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->states(), expected.states()) << "states that no word tells apart";
  const Dfa canonical = minimise(*found);
  EXPECT_EQ(canonical.accepting, expected.accepting);
  EXPECT_EQ(canonical.next, expected.next);
}

TEST(PrefixStates, OraclesKnowTheMinimalAutomatonWithoutTheConstructionsMinimisation) {
  for (const char* expression : {kEndsInAbb, "(a|b)*a(a|b){5}", "(aa|b(ab)*)*",
                                 "!((a|b)*aba(a|b)*)", "(a|b)*", "a&b", "(a*b){3}&!(ab)*"}) {
    SCOPED_TRACE(expression);
    const ParsedRegex regex = parse_regex(expression, Alphabet({"a", "b"}));
    const Nfa nfa = to_nfa(regex);
    const Dfa expected = minimise(determinise(nfa));
    expect_same_language(make_regex_oracle(regex)->minimal_automaton(), expected);
    expect_same_language(make_nfa_oracle(nfa, "")->minimal_automaton(), expected);
  }
  for (const char* name : {"Z6", "S3", "A4", "flipflop", "T3"}) {
    SCOPED_TRACE(name);
    const Action action = named_monoid(name);
    expect_same_language(make_action_oracle(action, name)->minimal_automaton(),
                         to_minimal_dfa(action));
  }
}

TEST(PrefixStates, OraclesMergeTheStatesOfRandomAutomata) {
  std::mt19937_64 random(laws::seed());
  std::size_t merged = 0;
  for (int i = 0; i < 300; ++i) {
    Dfa dfa;
    dfa.alphabet = Alphabet({"a", "b"});
    const std::size_t states = 1 + random() % 9;
    for (std::size_t q = 0; q < states; ++q) dfa.accepting.push_back(random() % 3 == 0);
    for (std::size_t q = 0; q < 2 * states; ++q)
      dfa.next.push_back(static_cast<State>(random() % states));
    const Dfa expected = minimise(dfa);
    expect_same_language(make_action_oracle(to_action(dfa), "")->minimal_automaton(), expected);
    merged += expected.states() < states;
  }
  EXPECT_GT(merged, 100u);
}

TEST(PrefixStates, OraclesThatWouldHaveToLookAtTooMuchKnowNoAutomaton) {
  const std::string expression = "(a|b)*a(a|b){13}";  // 2^14 states
  EXPECT_FALSE(derivatives(expression)->minimal_automaton());
  EXPECT_FALSE(make_nfa_oracle(to_nfa(parse_regex(expression, Alphabet({"a", "b"}))), "")
                   ->minimal_automaton());
}

TEST(PrefixStates, AreThoseOfTheMinimalAutomatonAndAllAreCompared) {
  for (const char* expression : {kEndsInAbb, "(aa|b(ab)*)*", "(a|b)*a(a|b)", "(a|b)*"}) {
    SCOPED_TRACE(expression);
    for (const Norm norm : kNorms) {
      CompileOptions options;
      options.norm = norm;
      const Model model = compile(scan_of_states(expression), options).model;
      const auto oracle = derivatives(expression);
      WordDomain questions(model, *oracle);
      const auto report = examine_words(questions, {6, 0, 0}, {});
      EXPECT_FALSE(report.counterexample) << expected_text(report.counterexample->finding);
      EXPECT_EQ(report.counts.prefixes, 2u + 2 * 4 + 3 * 8 + 4 * 16 + 5 * 32 + 6 * 64);
      EXPECT_STREQ(questions.prefix_kind(), "state");
      EXPECT_EQ(questions.prefix_note(), "");
    }
  }
}

TEST(PrefixStates, AreNumberedByTheLettersOfTheFileInWhateverOrderTheOracleHasThem) {
  const Model model = compile(scan_of_states(kEndsInAbb)).model;
  const auto oracle = derivatives(kEndsInAbb, {"b", "a"});
  EXPECT_FALSE(examine_words(model, *oracle, {5, 200, 100}).counterexample);
}

TEST(PrefixStates, ThatArePermutedAreRefuted) {
  std::vector<std::uint32_t> permutation = {0, 1, 2, 3};
  const auto oracle = derivatives(kEndsInAbb);
  while (std::next_permutation(permutation.begin(), permutation.end())) {
    Program program = scan_of_states(kEndsInAbb);
    for (std::uint32_t& state : states_of(program).states) state = permutation[state];
    const auto report = examine_words(compile(program).model, *oracle, {4, 0, 0});
    ASSERT_TRUE(report.counterexample);
    const Failure& finding = report.counterexample->finding;
    EXPECT_EQ(property_of(finding), TestedProperty::prefix);
    EXPECT_TRUE(expected_text(finding).starts_with("state after the first "))
        << expected_text(finding);
  }
}

TEST(PrefixStates, OfAnotherAutomatonAreNotComparedAndATestSaysSo) {
  Program program = scan_of_states(kEndsInAbb);
  for (std::uint32_t& state : states_of(program).states) state *= 2;  // 1, 3 and 5 mean nothing
  EXPECT_EQ(states_of(program).count(), 7u);
  const Model model = compile(program).model;
  const auto oracle = derivatives(kEndsInAbb);
  WordDomain questions(model, *oracle);
  const auto report = examine_words(questions, kWordBounds, {});
  EXPECT_FALSE(report.counterexample);
  EXPECT_EQ(report.counts.prefixes, 0u);
  EXPECT_EQ(questions.prefix_note(),
            "the file reads one of 7 states and the minimal automaton has 4");
  Runner runner(model);
  const auto stream = runner.run_word({"b", "a", "b", "b"});
  ASSERT_TRUE(stream.has_value());
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(runner.prefix(stream.value(), 1 + i).value(), PrefixAnswer(2 * i));
}

TEST(PrefixStates, OfAnOracleWithoutAnAutomatonAreNotComparedAndATestSaysSo) {
  const Model model = compile(scan_of_states("(a|b)*a(a|b)*")).model;
  const auto oracle =
      make_crasp_oracle(parse_crasp("alphabet a b\nsome := #[Q_a] > 0\n", "x"), "x");
  WordDomain questions(model, *oracle);
  const auto report = examine_words(questions, kWordBounds, {});
  EXPECT_FALSE(report.counterexample);
  EXPECT_EQ(report.counts.prefixes, 0u);
  EXPECT_EQ(questions.prefix_note(), "the oracle has no states");
}

TEST(PrefixStates, WithEqualLogitsAreUndecided) {
  Model model = compile(scan_of_states(kEndsInAbb)).model;
  const std::uint32_t first =
      std::get<StateReadout>(std::get<AcceptOutput>(model.output).prefix).first_row;
  std::erase_if(model.unembedding.entries, [&](const MatrixEntry& e) { return e.row >= first; });
  Runner runner(model);
  const auto stream = runner.run_word({"a"});
  ASSERT_TRUE(stream.has_value());
  const auto answer = runner.prefix(stream.value(), 1);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(describe(answer.refusal()), "undecided: token 1: two states share the largest logit");
  const auto report = examine_words(model, *derivatives(kEndsInAbb), {1, 0, 0});
  ASSERT_TRUE(report.counterexample);
  EXPECT_EQ(expected_text(report.counterexample->finding), "state after the first 1 letter 1");
}

TEST(PrefixStates, AreCertifiedByFloatRuns) {
  const Compiled compiled = compile(scan_of_states(kEndsInAbb));
  Runner exact(compiled.model);
  const std::vector<std::string> word = {"a", "b", "b", "a", "b", "a", "a", "b", "b"};
  const auto tokens = tokens_of(compiled.model, word);
  const auto stream = exact.run(tokens.value());
  FloatRunner floats(compiled.model, compiled.facts, {});
  const auto got = floats.run(tokens.value());
  ASSERT_TRUE(stream.has_value() && got.has_value());
  for (std::size_t token = 1; token <= word.size(); ++token) {
    const auto answer = floats.prefix(got.value(), token);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer.value().value, exact.prefix(stream.value(), token).value());
    EXPECT_EQ(answer.value().certificate, Certificate::certified);
  }
}

// Without the verdict: only the states tell the two files apart.
TEST(PrefixStates, AreComparedWithTheProgram) {
  const Program program = scan_of_states(kEndsInAbb);
  Program other = program;
  std::swap(states_of(other).states[1], states_of(other).states[2]);
  ASSERT_NE(program.prefix, other.prefix);
  const std::vector<std::string> word = {"a", "b", "b", "a"};
  EXPECT_FALSE(first_difference(program, compile(program).model, word).value());
  const auto difference = first_difference(program, compile(other).model, word).value();
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->cell, "prefix");
}

TEST(PrefixStates, AreWrittenAndReadInBothTextForms) {
  const Program program = scan_of_states(kEndsInAbb);
  const std::string text = print_program(program);
  EXPECT_NE(text.find("prefix state "), std::string::npos);
  EXPECT_EQ(parse_program(text, "x"), program);
  const Model model = compile(program).model;
  const std::string file = write_weights(model);
  EXPECT_NE(file.find("\"prefix\": {\n\"first_row\": 2,\n\"kind\": \"state\",\n\"states\": 4\n}"),
            std::string::npos);
  EXPECT_EQ(parse_weights(file, "x"), model);
}

TEST(PrefixStates, StandUnderTheTokensOfAPictureAndWrongOnesAreRed) {
  Program program = scan_of_states(kEndsInAbb);
  program.parameters["states"] = R"(["start","a","ab","abb"])";
  const std::vector<std::string> word = {"a", "b", "b"};
  for (const bool wrong : {false, true}) {
    if (wrong)  // everything is in state 3 but what was
      for (std::uint32_t& state : states_of(program).states) state = state == 3 ? 0 : 3;
    const Model model = compile(program).model;
    RunReview review;
    const auto oracle = derivatives(kEndsInAbb);
    review.prefixes = RightPrefixes(model, *oracle).of({0, 1, 1});
    ASSERT_TRUE(review.prefixes);
    Runner runner(model);
    const TokenBands bands =
        attention_bands(runner, tokens_of(model, word).value(), std::nullopt, review).value();
    const BandRow& row = bands.results.front();
    EXPECT_EQ(row.label, "state");
    using Texts = std::vector<std::string>;
    if (!wrong) {
      ASSERT_EQ(bands.results.size(), 1u);
      EXPECT_EQ(row.texts, (Texts{"", "a", "ab", "abb"}));
      EXPECT_TRUE(row.wrong.empty());
    } else {
      EXPECT_EQ(row.texts, (Texts{"", "abb", "abb", "start"}));
      EXPECT_EQ(row.wrong, (std::vector<std::size_t>{1, 2, 3}));
      ASSERT_EQ(bands.results.size(), 2u);
      EXPECT_EQ(bands.results[1].texts, (Texts{"", "a", "ab", "abb"}));
      EXPECT_EQ(bands.alarms.front(), "3 states are wrong, the first at token 1");
    }
  }
}

}}  // namespace logdepth::inputs_tests
