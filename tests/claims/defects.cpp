// What is wrong in the text of MS25, shown: every entry runs into a counterexample, is refused by
// the compiler, or says why there is nothing to run.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <utility>

#include "compiler/passes/compile.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/division_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/claims/defect.hpp"
#include "proofs-check/claims/defect_changes.hpp"
#include "proofs-check/claims/defect_search.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/position_code.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::defects_tests {
namespace {

using Kind = Defect::Kind;

Model changed_model(const Defect& defect) {
  CompileOptions options;
  options.norm = defect.norm;
  Model model = compile(defect.program(), options).model;
  return defect.edit ? defect.edit(std::move(model)) : model;
}

const Defect& entry_named(const std::string& id) {
  for (const Defect& defect : all_defects())
    if (defect.id == id) return defect;
  throw std::logic_error("no entry " + id);
}

TEST(Defects, HaveEveryNumberFrom1To26) {
  std::set<std::uint32_t> numbers;
  std::uint32_t last = 0;
  for (const Defect& defect : all_defects()) {
    EXPECT_GE(defect.number, last) << "in order";
    last = defect.number;
    numbers.insert(defect.number);
  }
  EXPECT_EQ(numbers.size(), 26u);
  EXPECT_EQ(*numbers.begin(), 1u);
  EXPECT_EQ(*numbers.rbegin(), 26u);
}

TEST(Defects, SayWhereWhatAndHow) {
  std::set<std::string> ids;
  for (const Defect& defect : all_defects()) {
    EXPECT_TRUE(ids.insert(defect.id).second) << defect.id;
    EXPECT_TRUE(defect.id.starts_with(defect.claim + "/")) << defect.id;
    for (const std::string* text : {&defect.place, &defect.quote, &defect.change, &defect.repair})
      EXPECT_FALSE(text->empty()) << defect.id;
    EXPECT_EQ(defect.kind == Kind::recorded, !defect.program) << defect.id;
    EXPECT_EQ(defect.kind == Kind::recorded, !defect.repaired) << defect.id;
    EXPECT_EQ(defect.kind == Kind::recorded, !defect.reason.empty()) << defect.id;
    EXPECT_EQ(defect.kind == Kind::runs, static_cast<bool>(defect.search)) << defect.id;
    EXPECT_EQ(defect.kind == Kind::refused, !defect.refusal.empty()) << defect.id;
  }
}

TEST(Defects, AreAllShown) {
  for (const Defect& defect : all_defects()) {
    const DefectOutcome finding = examine(defect);
    EXPECT_TRUE(finding.shown) << defect.id << ": " << finding.note;
    EXPECT_EQ(defect.kind == Kind::runs, finding.counterexample.has_value()) << defect.id;
    for (const std::string& words : defect.refusal)  // refused, and for the reason that is meant
      EXPECT_NE(finding.note.find(words), std::string::npos) << defect.id << ": " << finding.note;
    std::cout << defect.number << " " << defect.id << ": ";
    if (const auto& found = finding.counterexample)
      std::cout << found->input << ": expected " << found->expected << ", found " << found->got;
    std::cout << finding.note << "\n";
  }
}

TEST(Defects, AreOneChangeOfAConstructionThatIsRight) {
  // The repaired program beyond the counterexample, as far as the search would have gone.
  for (const Defect& defect : all_defects()) {
    if (defect.kind != Kind::runs || defect.claim == "thm-5.1") continue;  // graphs: reachability
    CompileOptions options;
    options.norm = defect.norm;
    const auto wrong = defect.search(compile(defect.repaired(), options).model, {defect.up_to});
    EXPECT_FALSE(wrong.has_value()) << defect.id << ": " << wrong->input;
  }
}

TEST(Defects, ThatRunAreWeightsFilesLikeAnyOther) {
  for (const Defect& defect : all_defects()) {
    if (defect.kind != Kind::runs) continue;
    const Model model = changed_model(defect);
    EXPECT_EQ(parse_weights(write_weights(model), defect.id), model) << defect.id;
    CompileOptions options;
    options.norm = defect.norm;
    EXPECT_NE(model, compile(defect.repaired(), options).model) << defect.id;
  }
}

/// Positions of an input whose own quotient or remainder by m is wrong; every token divides itself.
std::set<std::uint64_t> wrong_positions(const Model& model, std::uint64_t m, std::uint64_t length) {
  DivisionInput input{m, {}};
  for (std::uint64_t i = 0; i < length; ++i) input.dividends.push_back(i);
  Runner runner(model);
  const auto stream = runner.run(tokens_of(model, division_rows(model, input)).value()).value();
  std::set<std::uint64_t> wrong;
  for (std::uint64_t i = 0; i < length; ++i) {
    const Division right = division_oracle(i, m);
    const auto got = runner.logits(stream, i);
    for (std::size_t k = 0; k < 4; ++k)
      if (got[k] !=
          phi_code(static_cast<std::int64_t>(k < 2 ? right.quotient : right.remainder))[k % 2])
        wrong.insert(i);
  }
  return wrong;
}

TEST(Defects, OfBlockZeroAreTheNonZeroPositionsBelowTheDivisorAndNoOthers) {
  const Model model = changed_model(entry_named("lem-3.1/no-second-token-in-block-zero"));
  for (std::uint64_t m = 1; m <= 7; ++m) {
    std::set<std::uint64_t> below;
    for (std::uint64_t i = 1; i < m; ++i) below.insert(i);
    EXPECT_EQ(wrong_positions(model, m, 40), below) << "m = " << m;
  }
}

TEST(Defects, OfPositionsFromOneHitEveryPositionBelowTheDivisor) {
  // Counted from 1 the first m - 1 positions have no multiple of m at or before them.
  const Model model = changed_model(entry_named("lem-3.1/positions-from-one"));
  Runner runner(model);
  for (std::uint64_t m = 2; m <= 5; ++m) {
    // Token m - 1 is position m; it asks for the quotient of position 1, which is 0.
    const auto rows = division_rows(model, {m, std::vector<std::uint64_t>(m, 1)});
    const auto stream = runner.run(tokens_of(model, rows).value()).value();
    EXPECT_NE(runner.logits(stream, m - 1)[0], phi_code(0)[0]) << "m = " << m;
  }
}

/// Where one head looks, row by row.
class Selections : public ForwardObserver<ValueId> {
 public:
  Selections(std::size_t layer, std::size_t head) : layer_(layer), head_(head) {}
  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    if (location.layer == layer_ && head == head_) found[row.row] = {row.count, row.last};
  }
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> found;  ///< count and last position

 private:
  std::size_t layer_, head_;
};

TEST(Defects, OfTheRawQuerySendTheHeadToAnotherPosition) {
  // Not only is what the head reads scaled: it looks elsewhere, at multiples i of m already.
  const Model model = changed_model(entry_named("lem-3.1/raw-query-beside-unit-keys"));
  const HeadPlace near = head_writing(model, "Q");
  Runner runner(model);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> wrong;
  std::size_t multiples = 0;
  for (std::uint64_t i = 1; i <= 12; ++i)
    for (std::uint64_t m = 1; m <= i; ++m) {
      if (i % m != 0) continue;
      ++multiples;
      const auto rows = division_rows(model, {m, std::vector<std::uint64_t>(i + 1, 0)});
      Selections seen(near.layer, near.head);
      // The run may end outside the field later on; the head has looked by then.
      static_cast<void>(runner.run(tokens_of(model, rows).value(), {&seen}));
      if (seen.found.at(i) != std::pair<std::size_t, std::size_t>(1, i / m))
        wrong.push_back({i, m});
    }
  EXPECT_EQ(multiples, 35u);
  EXPECT_EQ(wrong.size(), 21u);
  EXPECT_EQ(wrong.front(), (std::pair<std::uint64_t, std::uint64_t>(2, 1)));
}

TEST(Defects, OfTheMissingLevelShowAtPowersOfTwoAndNowhereElse) {
  const Defect& defect = entry_named("thm-4.1/levels-of-the-loop-alone");
  const Model model = changed_model(defect);
  const Action action = named_monoid("S3");
  Runner runner(model);
  for (std::size_t length = 1; length <= 33; ++length) {
    std::vector<std::string> word;
    Transformation product = identity_transformation(action.points);
    for (std::size_t i = 0; i < length; ++i) {
      // An odd number of transpositions in all, so that the product is not the identity.
      const Letter letter = i == 0 ? 0 : 1;
      word.push_back(action.alphabet.name(letter));
      product = compose(product, action.generators[letter]);
    }
    ASSERT_NE(product, identity_transformation(action.points)) << length;
    const auto stream = runner.run_word(word).value();
    const bool right = runner.prefix(stream, stream.tokens - 1).value() == PrefixAnswer(product);
    EXPECT_EQ(right, (length & (length - 1)) != 0) << length << " letters";
  }
}

TEST(Defects, OfTheConstantComponentDivideAValueByTheNumberOfUpdates) {
  const Model model = changed_model(entry_named("thm-5.1/constant-component-accumulates"));
  Runner runner(model);
  for (std::int64_t updates = 0; updates <= 4; ++updates) {
    const auto stream =
        runner.run_word(std::vector<std::string>(std::size_t{1} << updates, "a")).value();
    // B = 1 reads as 1/(updates + 1).
    const auto got = runner.logits(stream, stream.tokens - 1);
    EXPECT_EQ(got[0].scaled(Rational(updates + 1)), got[1]) << updates;
  }
}

// Their numbers leave the field; the answers are decided all the same.
TEST(Defects, AreShownByDecidedAnswersWhereNormsAreRootsOfRoots) {
  std::size_t seen = 0;
  for (const Defect& defect : all_defects()) {
    if (defect.id != "lem-3.1/two-equality-tests-in-one-sublayer" &&
        defect.id != "thm-5.1/matrix-and-padding-share-keys")
      continue;
    const DefectOutcome finding = examine(defect);
    EXPECT_TRUE(finding.shown) << defect.id;
    ASSERT_TRUE(finding.counterexample) << defect.id;
    EXPECT_FALSE(finding.counterexample->refusal) << finding.counterexample->got;
    ++seen;
  }
  EXPECT_EQ(seen, 2u);
}

}  // namespace
}  // namespace logdepth::defects_tests
