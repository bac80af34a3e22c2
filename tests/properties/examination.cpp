// The one examination: which cases are asked, what is held against every run, how findings are found
// and shrunk.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "report/pictures/draw_attention.hpp"
#include "report/pictures/draw_reachability.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/examined_files.hpp"
#include "tests/support/graphs.hpp"

namespace logdepth::examination_tests { namespace {

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
  WordDomain questions(model, *oracle);
  const auto found = examine_words(questions, {5, 20, 40}, {});
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
            "layer 1 of the file, head 0 attends to all tokens");
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

// Pictures of runs that go wrong: what is red is what an oracle, a contract or the program of the file
// is against, and nothing else.

const Action& permutations() {
  static const Action action = named_monoid("S3");
  return action;
}
Program scan_of_permutations() {
  return regular_language_scan_MS25_thm4_1(permutations(), "S3");
}
Model sound() {
  return with_derived(compile(scan_of_permutations()));
}

std::vector<std::string> letters(const Model& model, const Word& word) {
  std::vector<std::string> names;
  for (const Letter letter : word) names.push_back(model.alphabet[letter]);
  return names;
}

/// Products letter by letter, without any of the project's.
std::vector<PrefixAnswer> products_of(const Word& word) {
  std::vector<PrefixAnswer> products;
  Transformation product = {0, 1, 2};
  for (const Letter letter : word) {
    for (State& image : product) image = permutations().generators[letter][image];
    products.push_back(product);
  }
  return products;
}

/// Every second word of 1 to 9 letters, by its bits.
std::vector<Word> words() {
  std::vector<Word> all;
  for (std::uint32_t bits = 2; bits < 1024; bits += 37) {
    Word word;
    for (std::uint32_t rest = bits; rest > 1; rest /= 2) word.push_back(rest % 2);
    all.push_back(word);
  }
  return all;
}

Outcome<TokenBands> bands_of(const Model& model, const Word& word, const RunReview& review = {}) {
  Runner runner(model);
  return attention_bands(runner, tokens_of(model, letters(model, word)).value(), std::nullopt,
                         review);
}

std::size_t wrong_lines(const Band& band) {
  std::size_t count = 0;
  for (const BandLine& line : band.lines) count += line.wrong;
  return count;
}

TEST(WrongRuns, HaveNothingRedWhereAllIsRight) {
  const Model model = sound();
  for (const Word& word : words()) {
    RunReview review;
    review.prefixes = products_of(word);
    review.although_refused = true;
    review.difference =
        first_difference(scan_of_permutations(), model, letters(model, word)).value();
    const TokenBands bands = bands_of(model, word, review).value();
    EXPECT_TRUE(bands.alarms.empty());
    EXPECT_FALSE(bands.verdict.wrong);
    for (const Band& band : bands.bands) {
      EXPECT_TRUE(band.wrong.empty());
      EXPECT_EQ(wrong_lines(band), 0u);
    }
    ASSERT_EQ(bands.results.size(), 1u) << "no row of right products";
    EXPECT_TRUE(bands.results[0].wrong.empty());
    EXPECT_EQ(strips_svg(token_bands_picture({bands}, "")).find("class=\"wrong\""),
              std::string::npos);
  }
}

TEST(WrongRuns, ShowTheFirstBrokenContractAtItsTokenAndLayer) {
  Model model = sound();
  model.layers[0].attention.heads[0].query.entries.clear();  // every visible position is selected
  const TokenBands bands = bands_of(model, {0, 1, 0, 1}).value();
  ASSERT_FALSE(bands.alarms.empty());
  bool said = false;
  for (const std::string& alarm : bands.alarms)
    said = said || alarm.starts_with(
                       "contract violated: layer 1, head 0, token 1: expected exactly one "
                       "position, found 2 of 2");
  EXPECT_TRUE(said) << bands.alarms.front();
  EXPECT_EQ(bands.bands[0].wrong, (std::vector<std::size_t>{1}));
  EXPECT_EQ(wrong_lines(bands.bands[0]), 2u);
  for (const BandLine& line : bands.bands[0].lines) EXPECT_EQ(line.wrong, line.from == 1);
  for (std::size_t i = 1; i < bands.bands.size(); ++i) {
    EXPECT_TRUE(bands.bands[i].wrong.empty());
    EXPECT_FALSE(bands.bands[i].lines.empty()) << "attention that selected nothing is left out";
  }
  const StripPicture picture = token_bands_picture({bands}, "");
  EXPECT_NE(strips_svg(picture).find("class=\"select wrong\""), std::string::npos);
  bool noted = false;
  for (const StripNote& note : picture.strips[1].notes)
    noted = noted || note.text.find("contract violated") != std::string::npos;
  EXPECT_TRUE(noted);
}

// Of every change of one number of the unembedding: wrong prefixes are exactly those whose product,
// read beside the picture, is not the right one.
TEST(WrongRuns, ShowEveryPrefixWhoseProductIsWrongAndTheRightOne) {
  std::size_t wrong = 0, missing = 0;
  const Word word = {0, 1, 1, 0, 0, 1, 0};
  const auto right = products_of(word);
  const std::size_t numbers = sound().unembedding.entries.size();
  for (std::size_t at = 0; at < numbers; ++at) {
    Model model = sound();
    model.unembedding.entries[at].value = -model.unembedding.entries[at].value;
    RunReview review;
    review.prefixes = right;
    review.although_refused = true;
    const auto outcome = bands_of(model, word, review);
    ASSERT_TRUE(outcome.has_value());
    const TokenBands& bands = outcome.value();
    Runner runner(model);
    const auto stream = runner.run_word(letters(model, word));
    ASSERT_TRUE(stream.has_value());
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < word.size(); ++i) {
      const auto product = runner.prefix(stream.value(), 1 + i);
      if (!product.has_value() || product.value() != right[i]) expected.push_back(1 + i);
      if (!product.has_value()) {
        EXPECT_EQ(bands.results[0].texts[1 + i], "none");
        ++missing;
      }
    }
    ASSERT_EQ(bands.results[0].label, "prefix product");
    EXPECT_EQ(bands.results[0].wrong, expected) << at;
    wrong += expected.size();
    if (expected.empty()) continue;
    ASSERT_EQ(bands.results[1].label, "right");
    for (const std::size_t token : expected) {
      std::string images;
      for (const State image : std::get<Transformation>(right[token - 1]))
        images += std::to_string(image);
      EXPECT_EQ(bands.results[1].texts[token], images);
    }
  }
  EXPECT_GT(wrong, 10u);
  EXPECT_GT(missing, 0u);
}

TEST(WrongRuns, ShowAVerdictThatIsNotTheRightOne) {
  const Model model = sound();
  for (const bool right : {false, true}) {
    RunReview review;
    review.verdict = right;
    review.wrong_answer = "expected this, found that";
    const TokenBands bands = bands_of(model, {0, 0}, review).value();
    EXPECT_EQ(bands.verdict.wrong, !right) << "the product of a letter twice is the identity";
    EXPECT_EQ(bands.verdict.text, right ? "accept" : "accept, right is reject");
    EXPECT_EQ(bands.alarms, (std::vector<std::string>{"expected this, found that"}));
  }
}

TEST(WrongRuns, ShowWhereTheRunLeavesItsProgram) {
  std::size_t found = 0;
  const Word word = {0, 1, 1, 0, 1};
  for (std::size_t at = 0; at < sound().layers[0].feedforward.out.entries.size(); at += 5) {
    Model model = sound();
    model.layers[0].feedforward.out.entries[at].value =
        model.layers[0].feedforward.out.entries[at].value * Rational(3);
    const auto difference = first_difference(scan_of_permutations(), model, letters(model, word));
    if (!difference.has_value() || !difference.value()) continue;
    RunReview review;
    review.difference = difference.value();
    review.although_refused = true;
    const TokenBands bands = bands_of(model, word, review).value();
    const FirstDifference& place = *review.difference;
    std::string all;
    for (const std::string& alarm : bands.alarms) all += alarm;
    EXPECT_NE(all.find("first difference from the program: layer " + std::to_string(place.layer)),
              std::string::npos);
    const Band& band = bands.bands.at(place.layer - 1);
    EXPECT_EQ(band.wrong, (std::vector<std::size_t>{place.token}));
    ++found;
  }
  EXPECT_GT(found, 5u);
}

TEST(WrongRuns, AreDrawnAsFarAsTheyCameOnlyWhenSomeoneAsksWhatIsWrong) {
  Model model = sound();
  model.layers[0].feedforward.out.entries.erase(model.layers[0].feedforward.out.entries.begin() +
                                                40);
  const Word word = {0, 1, 1, 0, 1, 0, 1};
  const auto refused = bands_of(model, word);
  ASSERT_FALSE(refused.has_value());
  RunReview review;
  review.although_refused = true;
  const auto drawn = bands_of(model, word, review);
  ASSERT_TRUE(drawn.has_value());
  ASSERT_EQ(drawn.value().alarms.size(), 1u);
  EXPECT_EQ(drawn.value().alarms.front().substr(0, 40), describe(refused.refusal()).substr(0, 40));
  EXPECT_TRUE(drawn.value().verdict.text.empty());
  EXPECT_LT(drawn.value().bands.size(), 3u);
}

TEST(WrongRuns, OnGraphsShowThePairsThatAreMissingOrMadeUp) {
  const Model model = with_derived(
      compile(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3)));
  Graph graph = support::numbered_graph(6);
  for (Vertex v = 0; v < 4; ++v) graph.add_edge(v, v + 1);
  const auto cells = std::get<ReachabilityCells>(reachability_cells(model));
  RunReview review;
  review.reaches = ReachabilityOracle(graph).transitive_closure();
  review.verdict = true;
  const auto run_with = [&](const RunReview& one) {
    Runner runner(model);
    return read_reachability(runner, cells, graph, std::pair<Vertex, Vertex>(0, 4), one).value();
  };
  const auto wrong_texts = [](const ReachabilityRun& run) {
    const std::string svg = strips_svg(draw_reachability(run));
    std::size_t count = 0;
    for (std::size_t at = svg.find("\xE2\x9C\x97"); at != std::string::npos;
         at = svg.find("\xE2\x9C\x97", at + 1))
      ++count;
    return count - 1;  // the legend
  };
  EXPECT_EQ(wrong_texts(run_with(review)), 0u);
  // An oracle that knows other pairs: one that the network has not found, one that it has.
  (*review.reaches)[5][0] = true;
  (*review.reaches)[0][2] = false;
  review.verdict = false;
  const ReachabilityRun run = run_with(review);
  const std::size_t last = run.steps.size() - 1;
  EXPECT_TRUE(run.is_wrong(last, 5, 0));
  EXPECT_FALSE(run.is_wrong(0, 5, 0)) << "there is time until the last loop";
  EXPECT_TRUE(run.is_wrong(last, 0, 2));
  EXPECT_FALSE(run.is_wrong(0, 0, 2)) << "not known yet";
  std::size_t wrong = 0, cells_drawn = 0;
  for (std::size_t step = 0; step <= last; ++step)
    for (Vertex from = 0; from < 6; ++from)
      for (Vertex to = 0; to < 6; ++to) wrong += run.is_wrong(step, from, to);
  cells_drawn = wrong_texts(run) - 3;  // and three sentences
  EXPECT_EQ(cells_drawn, wrong);
}

TEST(WrongRuns, OfDivisionsShowTheTokensWhoseQuotientOrRemainderIsWrong) {
  Model model = with_derived(compile(division_MS25_lem3_1({DivisionForm::compact, false, false})));
  const DivisionInput input{2, {0, 1, 2, 3, 4}};
  const auto bands = [&] {
    Runner runner(model);
    return attention_bands(runner, tokens_of(model, division_rows(model, input)).value()).value();
  };
  EXPECT_TRUE(bands().results[2].wrong.empty());
  EXPECT_TRUE(bands().alarms.empty());
  const std::size_t row = division_file(model).rows[0];
  for (MatrixEntry& entry : model.unembedding.entries)
    if (entry.row == row) entry.value = entry.value * Rational(2);
  EXPECT_EQ(bands().results[2].wrong, (std::vector<std::size_t>{2, 3, 4})) << "twice 0 is 0";
  EXPECT_TRUE(bands().results[3].wrong.empty());
  EXPECT_EQ(bands().alarms, (std::vector<std::string>{"wrong quotients: 3, the first at token 2"}));
}

// Depths counted on compiled files, beside the formulas of the paper.

TEST(ConstructedDepthCounts, AreTwoOneTwoAndOneLayerPerDoubling) {
  ConstructedOptions options;
  options.groups = {"S3"};
  options.up_to = 32;
  std::map<std::string, ConstructedDepths> forms;
  for (const ConstructedDepths& form : constructed_depths(options))
    forms[form.problem + " " + form.construction + " " + form.encoding] = form;
  const auto expect = [&](const std::string& name, double slope, std::uint64_t at_16) {
    ASSERT_TRUE(forms.contains(name)) << name;
    const ConstructedDepths& form = forms[name];
    ASSERT_TRUE(form.slope) << name;
    EXPECT_NEAR(*form.slope, slope, 1e-9) << name;
    ASSERT_EQ(form.depths.size(), 5u) << name;
    EXPECT_EQ(form.depths[3], (std::pair<std::uint64_t, std::uint64_t>(16, at_16))) << name;
    EXPECT_FALSE(form.failed);
    if (form.built) {
      EXPECT_NE(form.verification.find("verified: every"), std::string::npos) << name;
      EXPECT_EQ(form.verification.find("never asked"), std::string::npos) << form.verification;
    } else {
      EXPECT_EQ(form.verification, "claimed (not built)");
    }
  };
  expect("S3 Thm 4.1, uniform first-flag", 8, 41);
  expect("S3 Cor. 4.2, a network per n first-flag", 4, 25);  // 17 tokens with the end token
  expect("S3 tree first-flag", 2, 12);
  expect("S3 scan first-flag", 1, 5);
  expect("S3 scan two-circle", 1, 4);
  expect("S3 radix 4 (a network per n) two-circle", 0.5, 2);  // 1 1 2 2 3 layers for 2 4 8 16 32
  expect("S3 cascade first-flag", 0, 6);
  expect("S3 cascade fine", 0, 4);
  expect("reachability Thm 5.1 first-flag", 2, 28);  // 17 vertices
  expect("reachability paper first-flag", 2, 15);
  expect("reachability compact first-flag", 1, 11);
  expect("reachability rows (a network per n) table", 1, 4);
  expect("induction hops a network per k circle", 1, 6);
  EXPECT_EQ(forms.size(), 13u);
  EXPECT_NE(forms["S3 tree first-flag"].verification.find("at most 6 letters (127)"),
            std::string::npos);
  EXPECT_EQ(forms["S3 radix 4 (a network per n) two-circle"].verification.substr(0, 28),
            "the network for 64 letters, ");
}

TEST(ConstructedDepthCounts, RadixIsCountedOnTheFilesThatCompileWrites) {
  ConstructedOptions options;
  options.groups = {"Z2"};
  options.reachability = false;
  options.up_to = 64;
  for (const ConstructedDepths& form : constructed_depths(options)) {
    if (!form.construction.starts_with("radix")) {
      EXPECT_EQ(form.file_of, 0u) << form.construction;
      continue;
    }
    ASSERT_EQ(form.depths.size(), 6u);
    for (const auto& [n, layers] : form.depths) {
      std::uint64_t reach = 1, needed = 0;
      for (; reach < n; reach *= 4) ++needed;
      EXPECT_EQ(layers, needed) << n;
    }
    // The last one, as a file of its own.
    RadixOptions radix;
    radix.radix = 4;
    radix.max_length = 64;
    const Model model = parse_weights(
        write_weights(with_derived(
            compile(regular_language_radix_MS25_cor4_2(named_monoid("Z2"), "Z2", radix)))),
        "Z2");
    EXPECT_EQ(form.depths.back().second, model.shape.initial);
    EXPECT_EQ(form.width, measure(model, 64).width);
    EXPECT_EQ(form.numbers, measure(model, 64).nonzeros);
    EXPECT_EQ(form.file_of, 64u);
  }
}

TEST(ConstructedDepthCounts, SolvableGroupsHaveConstantDepthAndOthersNoCascade) {
  ConstructedOptions options;
  options.groups = {"Z2", "S3", "A4", "A5", "S5"};
  options.reachability = false;
  options.up_to = 32;
  std::map<std::string, std::uint64_t> depths;
  for (const ConstructedDepths& form : constructed_depths(options)) {
    if (form.construction != "cascade") continue;
    for (const auto& [size, depth] : form.depths) {
      EXPECT_EQ(depth, form.depths.front().second) << form.problem << ' ' << size;
      depths[form.problem + " " + form.encoding] = depth;
    }
    EXPECT_EQ(form.slope, 0);
    EXPECT_TRUE(form.verification.starts_with("verified: every word")) << form.verification;
  }
  EXPECT_EQ(depths, (std::map<std::string, std::uint64_t>{{"Z2 first-flag", 4},
                                                          {"Z2 fine", 2},
                                                          {"S3 first-flag", 6},
                                                          {"S3 fine", 4},
                                                          {"A4 first-flag", 6},
                                                          {"A4 fine", 4}}));
}

TEST(ConstructedDepthCounts, AGroupThatIsUnknownIsNotBuiltAndSaysWhy) {
  ConstructedOptions options;
  options.groups = {"no such group"};
  options.reachability = false;
  options.up_to = 8;
  for (const ConstructedDepths& form : constructed_depths(options)) {
    EXPECT_FALSE(form.built);
    if (form.form == Form::as_written) continue;
    EXPECT_EQ(form.verification.substr(0, 11), "not built: ") << form.verification;
    EXPECT_TRUE(form.depths.empty());
    EXPECT_FALSE(form.slope);
  }
}

}}  // namespace logdepth::examination_tests
