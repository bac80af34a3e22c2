// Runs by columns against the general path: every logit of every token, every contract, whatever the file
// is. Files that columns are made for are run by them; all others are handed over, or come out equal.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file/model_meaning.hpp"
#include "runtime/file/model_rules.hpp"
#include "tests/support/column_comparison.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/mutation.hpp"

namespace logdepth::column_runs_tests { namespace {

using support::By;
using support::ColumnComparison;
using support::compile_form;

struct Named {
  std::string name;
  Model model;
};

/// Every construction for words, in the forms that change what columns do.
std::vector<Named> constructions() {
  std::vector<Named> all;
  const Action s3 = support::word_problem("S3").action;
  const Action abb = support::regex_language("(a|b)*abb", "ab").action;
  for (const By by : {By::scan, By::tree, By::radix, By::uniform_radix})
    for (support::WordForm form : support::all_forms({.by = by, .max_length = 81})) {
      if (by == By::radix) form.radix = 3;
      all.push_back({form.name(), compile_form(by == By::radix ? abb : s3, form)});
    }
  all.push_back({"scan strict", compile_form(abb, {.strict = true})});
  all.push_back({"scan unrolled", compile_form(abb, {.unroll = 64})});
  for (const support::CascadeForm& form : support::cascade_forms())
    all.push_back({"cascade " + form.name(), support::compile_cascade(s3, form)});
  return all;
}

std::vector<Word> random_words(std::mt19937_64& random, const Model& model, std::size_t length,
                               std::size_t words) {
  std::vector<Word> found;
  for (std::size_t w = 0; w < words; ++w)
    found.push_back(support::random_word(random, model.alphabet.size(), length));
  return found;
}

TEST(ColumnRuns, EveryConstructionIsRunByColumnsAndEveryLogitIsRight) {
  std::mt19937_64 random(1);
  for (Named& named : constructions()) {
    ColumnComparison comparison(std::move(named.model));
    std::map<std::string, std::size_t> reasons;
    for (std::size_t length = 0; length <= 40; ++length) {
      const auto result = comparison.compare(random_words(random, comparison.model(), length, 1));
      EXPECT_EQ(result.difference, "") << named.name << ", " << length << " letters";
      // In the shortest words some classes of tokens do not occur, and no rule is made for that.
      if (result.handed_over && length > 4)
        ++reasons[std::to_string(length) + ": " + result.reason];
    }
    for (const auto& [reason, times] : reasons) ADD_FAILURE() << named.name << ": " << reason;
  }
}

/// The same network with other numbers: ReLU(f x) / f = ReLU(x). Sums of integers end at 64 bits.
TEST(ColumnRuns, HiddenUnitsOfAnyScaleAreRunByColumnsAndEveryLogitIsRight) {
  constexpr std::int64_t kTooLarge = std::int64_t{1} << 61, kJustFits = std::int64_t{1} << 59;
  std::mt19937_64 random(5);
  for (const Named& named : constructions())
    for (const Rational& factor :
         {Rational(kTooLarge), Rational(1, kTooLarge), Rational(kJustFits), Rational(7, 11)}) {
      Model model = named.model;
      for (Layer& layer : model.layers) {
        for (MatrixEntry& e : layer.feedforward.in.entries) e.value *= factor;
        for (MatrixEntry& e : layer.feedforward.out.entries) e.value *= factor.inverse();
      }
      ColumnComparison comparison(std::move(model));
      const auto result = comparison.compare(random_words(random, comparison.model(), 13, 1));
      EXPECT_EQ(result.difference, "") << named.name << ", " << factor.text();
      EXPECT_FALSE(result.handed_over) << named.name << ": " << result.reason;
    }
}

TEST(ColumnRuns, WordsOfOneLengthAreOneInput) {
  std::mt19937_64 random(2);
  for (Named& named : constructions()) {
    ColumnComparison comparison(std::move(named.model));
    for (const std::size_t length : {1u, 3u, 7u, 16u}) {
      const auto result = comparison.compare(random_words(random, comparison.model(), length, 23));
      EXPECT_EQ(result.difference, "") << named.name << ", " << length << " letters";
      EXPECT_FALSE(result.handed_over && length > 4) << named.name << ": " << result.reason;
    }
  }
}

/// Counts what came of many files; a difference is an error by itself.
struct Tally {
  std::size_t equal = 0, handed_over = 0, different = 0;

  void ask(ColumnComparison& comparison, const std::vector<Word>& words, const std::string& what) {
    const auto result = comparison.compare(words);
    result.handed_over ? ++handed_over : result.difference.empty() ? ++equal : ++different;
    EXPECT_EQ(result.difference, "") << what << ", " << words[0].size() << " letters";
  }
};

std::vector<Named> small_bases() {
  const Action abb = support::regex_language("(a|b)*abb", "ab").action;
  const Action z2 = support::word_problem("Z2").action;
  return {{"scan two-circle", compile_form(abb)},
          {"scan circle", compile_form(z2, {.positions = ScanPositions::circle})},
          {"scan fine", compile_form(z2, {.positions = ScanPositions::fine, .strict = true})},
          {"scan first-flag", compile_form(z2, {.positions = ScanPositions::first_flag})},
          {"scan layernorm", compile_form(z2, {.norm = Norm::layernorm})},
          {"tree", compile_form(z2, {.by = By::tree})},
          {"radix", compile_form(z2, {.by = By::radix, .radix = 3, .max_length = 27})},
          {"uniform radix", compile_form(z2, {.by = By::uniform_radix})},
          {"cascade", support::compile_cascade(z2)},
          {"cascade fine", support::compile_cascade(z2, {.positions = ScanPositions::fine})}};
}

TEST(ColumnRuns, AFileWithOneChangeIsRunRightOrHandedOver) {
  std::mt19937_64 random(3);
  Tally tally;
  for (const Named& base : small_bases())
    for (int change = 0; change < 120; ++change) {
      auto mutant = support::mutate_weights(base.model, random);
      if (!mutant || first_violation(mutant->model) != "") continue;
      ColumnComparison comparison(std::move(mutant->model));
      for (const std::size_t length : {2u, 5u, 11u})
        tally.ask(comparison, random_words(random, comparison.model(), length, 1 + length % 2),
                  base.name + ": " + mutant->what);
    }
  EXPECT_GT(tally.equal, 150u);
  EXPECT_GT(tally.handed_over, 300u);
}

/// A first head that sees everything brings the code of a later token; the second one sees what is before it,
/// so that no key has that code.
TEST(ColumnRuns, KeysThatARowDoesNotSeeAreNotSelected) {
  const auto pair = [](std::uint32_t at, const Rational& first) {
    return SparseMatrix{2, 16, {{0, at, first}, {1, at + 1, 1}}};
  };
  Model model;
  model.name = "later";
  model.width = 16;
  model.input = WordInput{false, false};
  model.alphabet = {"a", "b"};
  model.embedding = {{"a", {{4, 1}}}, {"b", {{4, -1}}}};
  model.position = CodePosition{PositionCode::fine(1), {{{0, 1}, 0, 1}}, {}};
  model.unroll.kind = Unroll::Kind::fixed;
  model.shape = {2, 0, 0};
  model.layers.resize(2);
  for (Layer& layer : model.layers) layer.block = Block::initial;
  // Queries of twice the slope: the nearest key is about twice as far on.
  model.layers[0].attention.mask = {{0, 1}, {1, 1}};
  model.layers[0].attention.heads = {{false,
                                      pair(0, 2),
                                      pair(0, 1),
                                      pair(0, 1),
                                      {16, 2, {{6, 0, 1}, {7, 1, 1}}},
                                      MatchContract{}}};
  model.layers[1].attention.mask = {
      {0, 1}, {1, 1}, {4, Rational(1, 2)}, {6, Rational(1, 4)}, {7, Rational(1, 4)}};
  model.layers[1].attention.heads = {
      {true, pair(6, 1), pair(0, 1), {1, 16, {{0, 4, 1}}}, {16, 1, {{9, 0, 1}}}, MatchContract{}}};
  for (Layer& layer : model.layers) layer.feedforward.out = {16, 0, {}};
  for (Layer& layer : model.layers) layer.feedforward.in = {0, 16, {}};
  model.unembedding = {1, 16, {{0, 9, 1}}};
  model.output = CellsOutput{{"y"}};
  ASSERT_EQ(first_violation(model), "");
  std::mt19937_64 random(8);
  for (const bool classes : {false, true})
    for (const bool causal : {false, true}) {
      Head& head = model.layers[1].attention.heads[0];
      head.causal = causal;
      if (classes) {  // letters beside codes: keys of two classes, of which the word has one
        head.query = head.key = SparseMatrix{3, 16, {{2, 4, 1}}};
        for (std::uint32_t r = 0; r < 2; ++r) {
          head.query.entries.insert(head.query.entries.begin() + r, {r, 6 + r, 1});
          head.key.entries.insert(head.key.entries.begin() + r, {r, r, 1});
        }
      }
      ColumnComparison comparison(model);
      auto words = random_words(random, model, 12, 1);
      if (classes) words[0].assign(12, 0);
      const auto result = comparison.compare(words);
      EXPECT_EQ(result.difference, "");
      EXPECT_EQ(result.handed_over, causal) << result.reason;
    }
}

TEST(ColumnRuns, WordsOfThousandsOfLettersAreRight) {
  std::mt19937_64 random(5);
  const Action s3 = support::word_problem("S3").action;
  std::vector<std::pair<Named, std::size_t>> all;
  all.push_back({{"scan", compile_form(support::word_problem("A5").action)}, 6000});
  all.push_back({{"scan layernorm", compile_form(s3, {.norm = Norm::layernorm})}, 3000});
  all.push_back(
      {{"scan first-flag", compile_form(s3, {.positions = ScanPositions::first_flag})}, 3000});
  all.push_back({{"tree", compile_form(s3, {.by = By::tree})}, 2500});
  all.push_back({{"uniform radix", compile_form(s3, {.by = By::uniform_radix})}, 1500});
  all.push_back({{"cascade", support::compile_cascade(s3)}, 2500});
  for (auto& [named, length] : all) {
    ColumnComparison comparison(std::move(named.model));
    const auto result = comparison.compare(random_words(random, comparison.model(), length, 1));
    EXPECT_EQ(result.difference, "") << named.name;
    EXPECT_FALSE(result.handed_over) << named.name << ": " << result.reason;
  }
}

}}  // namespace logdepth::column_runs_tests
