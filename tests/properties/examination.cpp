// The one examination: which cases are asked, what is held against every run, how findings are found
// and shrunk.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/file/contradicted_hypotheses.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/file/derived.hpp"

namespace logdepth::examination_tests {
namespace {

Program scan_of(const std::string& group) {
  return regular_language_scan_MS25_thm4_1(named_monoid(group), group, {});
}
Model scan(const std::string& group, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return with_derived(compile(scan_of(group), options));
}
std::unique_ptr<LanguageOracle> language(const std::string& expression) {
  return make_regex_oracle(parse_regex(expression, Alphabet({"a", "b"})));
}
Model abb() {
  return with_derived(compile(regular_language_scan_MS25_thm4_1(
      to_action(minimise(determinise(to_nfa(parse_regex("(a|b)*abb", Alphabet({"a", "b"})))))),
      "abb", {})));
}
Model connectivity() {
  return with_derived(compile(
      graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2)));
}

template <class Input>
std::optional<TestedProperty> property(const Examination<Input>& found) {
  if (!found.counterexample) return std::nullopt;
  return property_of(found.counterexample->finding);
}

/// Rows first ... first + count - 1 in the other order.
void reverse_rows(SparseMatrix& matrix, std::uint32_t first, std::uint32_t count) {
  for (MatrixEntry& e : matrix.entries)
    if (e.row >= first && e.row < first + count) e.row = 2 * first + count - 1 - e.row;
  std::ranges::sort(matrix.entries, {},
                    [](const MatrixEntry& e) { return std::pair(e.row, e.column); });
}

TEST(Examination, SeesReversedRowsOfPrefixesWhateverTheOracleIs) {
  Model model = abb();
  const auto& readout = std::get<ElementReadout>(std::get<AcceptOutput>(model.output).prefix);
  reverse_rows(model.unembedding, readout.first_row,
               static_cast<std::uint32_t>(readout.elements.size()));
  EXPECT_EQ(property(examine_words(model, *language("(a|b)*abb"), {4, 0, 0})),
            TestedProperty::prefix);
  EXPECT_EQ(property(examine_words(abb(), *language("(a|b)*abb"), {4, 0, 0})), std::nullopt);
}

TEST(Examination, ComparesProductsOfOtherPointsWithThoseOfTheirLetters) {
  const Model model = scan("S3");  // 3 points; the language's minimal automaton has 6 states
  const auto oracle = make_nfa_oracle(
      [] {
        const Dfa dfa = to_minimal_dfa(named_monoid("S3"));
        Nfa nfa{dfa.alphabet, {dfa.initial}, dfa.accepting, {}};
        for (State q = 0; q < dfa.states(); ++q)
          for (Letter a = 0; a < dfa.alphabet.size(); ++a)
            nfa.arcs.push_back({q, a, dfa.step(q, a)});
        return nfa;
      }(),
      "S3");
  ExactRuns runs(model);
  WordDomain questions(model, *oracle);
  const auto found = examine_words(runs, questions, {5, 20, 40}, {});
  EXPECT_FALSE(found.counterexample);
  EXPECT_GT(found.counts.prefixes, 100u);
  EXPECT_EQ(
      questions.prefix_note(),
      "the file's points are not the oracle's; products are compared with those of their letters");

  // Where two products are one, the states that they lead to are still two.
  Model merged = model;
  auto& readout = std::get<TransformationReadout>(std::get<AcceptOutput>(merged.output).prefix);
  for (auto& images : readout.images)
    for (auto& image : images) image = 0;
  EXPECT_EQ(property(examine_words(merged, *oracle, {3, 0, 0})), TestedProperty::prefix);
}

TEST(Examination, SeesThatADivisionIsNotCleanedUp) {
  Model model = with_derived(compile(division_MS25_lem3_1()));
  EXPECT_EQ(model.cells.at("Q").lifetime, "erased");
  EXPECT_EQ(model.cells.at("quotient").lifetime, "permanent");
  EXPECT_EQ(property(examine_divisions(model, {6, 2, 20})), std::nullopt);
  model.layers.back().feedforward.in.entries.clear();
  model.layers.back().feedforward.out.entries.clear();
  const auto found = examine_divisions(model, {6, 2, 20});
  ASSERT_TRUE(found.counterexample);
  const auto* broken = std::get_if<BrokenCell>(&found.counterexample->finding);
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->rule, BrokenCell::Rule::erased);
  EXPECT_TRUE(
      expected_text(found.counterexample->finding).ends_with("is erased, 0 at the end of the run"));
}

TEST(Examination, SeesAnotherDepthThanTheFileStates) {
  Model model = scan("Z3");
  EXPECT_EQ(model.derived.depth, "ceil(log2 n)");
  model.unroll.kind = Unroll::Kind::fixed;
  model.unroll.loops = 9;  // more than enough
  const auto oracle = make_action_oracle(named_monoid("Z3"), "Z3");
  const auto found = examine_words(model, *oracle, {3, 5, 30});
  EXPECT_EQ(property(found), TestedProperty::depth);
  EXPECT_EQ(expected_text(found.counterexample->finding), "the stated depth of ceil(log2 n)");
  EXPECT_EQ(got_text(found.counterexample->finding), "9");
}

TEST(Examination, SeesACoordinateThatDoesNotMirrorAndOneThatNoCellHas) {
  const auto oracle = make_action_oracle(named_monoid("Z3"), "Z3");
  Model mirrored = scan("Z3", Norm::layernorm);
  EXPECT_EQ(property(examine_words(mirrored, *oracle, {3, 0, 0})), std::nullopt);
  // Twice the mirror of what the loop does not read again.
  auto& kind = mirrored.embedding.begin()->second;
  kind.back().value += Rational(1);
  EXPECT_EQ(property(examine_words(mirrored, *oracle, {3, 0, 0})), TestedProperty::cell);

  Model padded = scan("Z3");
  std::set<std::uint32_t> named;
  for (const auto& [name, cell] : padded.cells)
    named.insert(cell.coordinates.begin(), cell.coordinates.end());
  std::uint32_t free = 0;
  while (named.contains(free)) ++free;
  ASSERT_LT(free, padded.width);
  auto& letter = padded.embedding.at("a");
  letter.push_back({free, Rational(1)});
  std::ranges::sort(letter, {}, &SparseEntry::index);
  const auto found = examine_words(padded, *oracle, {2, 0, 0});
  ASSERT_EQ(property(found), TestedProperty::cell);
  EXPECT_EQ(std::get<BrokenCell>(found.counterexample->finding).rule, BrokenCell::Rule::unnamed);
}

TEST(Examination, AsksTheLargestInputAndTheOneBeyond) {
  const Program program = regular_language_radix_MS25_cor4_2(
      named_monoid("S3"), "S3", {2, 12, ScanPositions::two_circle, ScanTable::automatic});
  const auto oracle = make_action_oracle(named_monoid("S3"), "S3");
  Model model = with_derived(compile(program));
  EXPECT_EQ(property(examine_words(model, *oracle, {3, 5, 100})), std::nullopt);
  model.unroll.max_length = 40;
  const auto found = examine_words(model, *oracle, {3, 0, 0});
  EXPECT_EQ(property(found), TestedProperty::depth);  // the file states n <= 12
  model.derived = {};
  const auto longest = examine_words(model, *oracle, {3, 0, 0});
  ASSERT_TRUE(longest.counterexample);
  EXPECT_EQ(longest.counterexample->first.size(), 40u);
  EXPECT_GT(longest.counterexample->input.size(), 12u);
}

TEST(Examination, AsksEveryGraphOnceUpToTheNamesOfItsVertices) {
  const Model model = connectivity();
  const GraphDomain questions(model, false);
  // Directed graphs with self-loops: OEIS A000595; without: A000273.
  const std::map<GraphClass, std::vector<std::size_t>> counts = {
      {GraphClass::labelled, {2, 16, 512}},
      {GraphClass::up_to_renaming, {2, 10, 104, 3044}},
      {GraphClass::loopless_up_to_renaming, {1, 3, 16, 218}}};
  for (const auto& [which, numbers] : counts)
    for (std::size_t n = 1; n <= numbers.size(); ++n) {
      auto cases = every_graph(questions, which, n, n, 1);
      EXPECT_EQ(cases.total, numbers[n - 1]) << n;
      std::size_t asked = 0;
      while (const auto one = cases.next()) {
        ++asked;
        EXPECT_EQ(one->inputs.size(), n * n) << "every source and target";
        EXPECT_EQ(one->inputs.front().graph.size(), n);
      }
      EXPECT_EQ(asked, numbers[n - 1]);
    }
  // Undirected, with self-loops: A000666.
  const GraphDomain both_ways(model, true);
  for (std::size_t n = 1; n <= 4; ++n)
    EXPECT_EQ(every_graph(both_ways, GraphClass::up_to_renaming, n, n, 1).total,
              (std::vector<std::size_t>{2, 6, 20, 90})[n - 1]);
  EXPECT_THROW(every_graph(questions, GraphClass::up_to_renaming, 1, 5, 1), InputError);
}

TEST(Examination, ShrinksAGraphToTheWalkThatALoopTooFewMisses) {
  Model model = connectivity();
  model.derived = {};
  model.unroll = {};
  model.unroll.kind = Unroll::Kind::fixed;
  const auto smallest = examine_graphs(model, {{3, 0, 0}});
  ASSERT_TRUE(smallest.counterexample);
  EXPECT_EQ(smallest.counterexample->input.graph.size(), 3u);
  EXPECT_EQ(smallest.counterexample->input.graph.edge_count(), 2u);
  const auto random = examine_graphs(model, {{2, 60, 9}});
  ASSERT_TRUE(random.counterexample);
  const auto& [input, finding, first, number] = *random.counterexample;
  EXPECT_EQ(input.graph.edge_count() + 1, input.graph.size()) << "a walk, and nothing beside it";
  EXPECT_LE(input.graph.edge_count(), first.graph.edge_count());
}

TEST(Examination, GoesPastInputsWithoutAnAnswerToAWrongOneWhereThatIsAsked) {
  Model model = abb();
  model.derived = {};
  const auto& output = std::get<AcceptOutput>(model.output);
  // Words with an odd number of letters tie: the last letter's own vote is taken away.
  std::erase_if(model.unembedding.entries, [&](const MatrixEntry& e) {
    return e.row == output.accept || e.row == output.reject;
  });
  Asking past;
  past.past_refusals = true;
  const auto found = examine_words(model, *language("(a|b)*abb"), {3, 0, 0}, past);
  EXPECT_FALSE(found.counterexample);
  ASSERT_TRUE(found.without_answer);
  EXPECT_TRUE(found.without_answer->input.empty());
  EXPECT_EQ(found.exhaustive, 15u);
  const auto first = examine_words(model, *language("(a|b)*abb"), {3, 0, 0});
  ASSERT_TRUE(first.counterexample);
  EXPECT_TRUE(std::holds_alternative<NoAnswer>(first.counterexample->finding));
}

TEST(Examination, WordsButForOnePlaceHoldEveryPlaceAndPairOfLetters) {
  auto cases = words_but_for_one_place(abb(), 4);
  std::set<Word> words;
  while (const auto one = cases.next()) words.insert(one->inputs.front());
  EXPECT_EQ(words.size(), 2u + 6 + 8) << "of two letters 'ab' and 'ba' are each two of the four";
  EXPECT_TRUE(words.contains({0, 0, 1, 0}));
  EXPECT_FALSE(words.contains({0, 1, 1, 0}));
}

TEST(ContradictedHypotheses, NameTheHeadTheEncodingAndTheLimit) {
  Model model = scan("Z3");
  for (const std::string& text : model.hypotheses)
    EXPECT_EQ(contradiction(model, text), std::nullopt) << text;
  model.layers[0].attention.heads[0].causal = false;
  EXPECT_EQ(contradiction(model, model.hypotheses[0]),
            "layer 0 of the file, head 0 attends to all tokens");
  model.unroll.max_length = 7;
  EXPECT_EQ(contradiction(model, model.hypotheses[1]), "inputs of more than 7 are rejected");
  EXPECT_EQ(contradiction(model, "rational position encoding: circle"),
            "the position encoding is two-circle");
  EXPECT_EQ(contradiction(model, "at most 5 letters"), "inputs of up to 7 are supported");
  EXPECT_EQ(contradiction(model, "exact numbers"), std::nullopt);
  EXPECT_EQ(contradiction(model, "at most 5 operands, not any length"), std::nullopt);
  const Model graphs = connectivity();
  for (const std::string& text : graphs.hypotheses)
    EXPECT_EQ(contradiction(graphs, text), std::nullopt) << text;
}

}  // namespace
}  // namespace logdepth::examination_tests
