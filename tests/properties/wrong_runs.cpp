// Pictures of runs that go wrong: what is red is what an oracle, a contract or the program of the file
// is against, and nothing else.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "report/pictures/draw_attention.hpp"
#include "report/pictures/draw_reachability.hpp"
#include "tests/support/graphs.hpp"

namespace logdepth::wrong_runs_tests {
namespace {

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
    const Difference& place = *review.difference;
    std::string all;
    for (const std::string& alarm : bands.alarms) all += alarm;
    EXPECT_NE(all.find("first difference from the program: layer " + std::to_string(place.step)),
              std::string::npos);
    const Band& band = bands.bands.at(place.step - 1);
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

}  // namespace
}  // namespace logdepth::wrong_runs_tests
