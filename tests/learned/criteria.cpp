// Criteria of papers: each holds, fails and stays undecided on runs that were planted for it; what a file of criteria
// may say.
#include "learned/report/criteria.hpp"

#include <gtest/gtest.h>

#include "logdepth/errors.hpp"
#include "tests/support/planted_runs.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::criteria_tests { namespace {

using support::planted_series;

std::vector<const RunSeries*> pointers(const std::vector<RunSeries>& all) {
  std::vector<const RunSeries*> series;
  for (const RunSeries& one : all) series.push_back(&one);
  return series;
}

Verdict judged(const PaperCriterion& criterion, const std::vector<RunSeries>& series) {
  return judge(criterion, pointers(series), [](const RunSeries&) { return "a series"; });
}

/// A paper with one criterion about runs of preset p.
PaperCriterion criterion_of(const std::string& members) {
  return paper_from_json(
             "test",
             R"({"criteria": [{"id": "T-1", "text": "as asked", "runs": {"preset": "p"}, )" +
                 members + "}]}",
             "test.json")
      .criteria.front();
}

RunSeries scores(const std::string& preset, const std::vector<double>& of_seeds,
                 double steps = 100) {
  std::vector<RunReading> readings;
  for (const double score : of_seeds)
    readings.push_back({.of = "letters", .at = 4, .iterations = 1, .score = score, .samples = 100});
  return planted_series({{"preset", preset}, {"training.steps", 100}}, readings, steps);
}

TEST(PaperCriteria, OfEveryPaperHoldFailAndStayUndecidedOnPlantedRuns) {
  std::size_t judged_here = 0;
  for (const auto& [name, text] : paper_texts())
    for (const PaperCriterion& criterion : paper_named(name).criteria) {
      if (!criterion.held_by.empty()) continue;
      const std::string which = name + ", " + criterion.id;
      ++judged_here;
      for (const bool fails : {false, true}) {
        support::PlantedRuns planted(5);
        planted.add(criterion, fails);
        const Verdict verdict = judged(criterion, planted.series());
        EXPECT_EQ(verdict.word, fails ? criterion.no : criterion.yes)
            << which << ": " << verdict.found << "; " << verdict.remark;
      }
      EXPECT_EQ(judged(criterion, {}).word, "undecided") << which;
      if (criterion.asks.front().line || criterion.asks.front().least_seeds < 2) continue;
      support::PlantedRuns few(criterion.asks.front().least_seeds - 1);
      few.add(criterion, false);
      EXPECT_EQ(judged(criterion, few.series()).word, "undecided") << which;
    }
  EXPECT_EQ(judged_here, 37u);
}

TEST(PaperCriteria, CompareAtEqualBudgetsOnly) {
  const PaperCriterion criterion =
      criterion_of(R"("against": {"runs": {"preset": "q"}}, "is": "> 0", "equal": ["steps"])");
  const RunSeries ours = scores("p", {0.9, 0.9, 0.9}), theirs = scores("q", {0.5, 0.5, 0.5});
  EXPECT_EQ(judged(criterion, {ours, theirs}).word, "reproduced");
  const Verdict unequal = judged(criterion, {ours, scores("q", {0.5, 0.5, 0.5}, 90)});
  EXPECT_EQ(unequal.word, "undecided");
  EXPECT_EQ(unequal.remark, "budgets differ: steps 100.0 against 90.0");
  EXPECT_EQ(judged(criterion, {ours}).remark, "no runs of preset q");
}

TEST(PaperCriteria, ThatFailOnTrainingWhichEndedEarlyAreUndecidedAndThatPassCount) {
  const PaperCriterion criterion = criterion_of(R"("is": ">= 0.8")");
  RunSeries early = scores("p", {0.7, 0.7, 0.7}, 50);
  for (auto& [seed, run] : early.runs) run.stopped = "seconds";
  const Verdict failed = judged(criterion, {early});
  EXPECT_EQ(failed.word, "undecided");
  EXPECT_EQ(failed.remark, "training ended at 50 % of its steps");
  for (auto& [seed, run] : early.runs) run.readings[0].score = 0.9;
  EXPECT_EQ(judged(criterion, {early}).word, "reproduced");
}

TEST(PaperCriteria, AreJudgedOnTheLargestSeriesWithEnoughSeedsAndNameOneThatSaysOtherwise) {
  const PaperCriterion criterion = criterion_of(R"("is": ">= 0.8")");
  RunSeries large = scores("p", {0.9, 0.9, 0.9}), small = scores("p", {0.2, 0.2, 0.2}),
            single = scores("p", {0.1});
  for (auto& [seed, run] : large.runs) run.parameters = 1000;
  for (auto& [seed, run] : single.runs) run.parameters = 9999;
  const Verdict verdict = judged(criterion, {small, single, large});
  EXPECT_EQ(verdict.word, "reproduced");
  EXPECT_EQ(verdict.found, "0.9");
  EXPECT_EQ(verdict.remark, "not of a series: 0.2");
}

TEST(PaperCriteria, OfSeedsAreTheirMedianTheWorstTheBestOrTheirDifferencesOneByOne) {
  const std::vector<RunSeries> runs = {scores("p", {0.5, 0.8, 0.9}),
                                       scores("q", {0.45, 0.75, 0.97})};
  const auto outcome = [&](const std::string& members) {
    return judged(criterion_of(members), runs).word;
  };
  EXPECT_EQ(outcome(R"("is": ">= 0.8")"), "reproduced");
  EXPECT_EQ(outcome(R"("is": ">= 0.81")"), "not reproduced");
  EXPECT_EQ(outcome(R"("is": ">= 0.5", "seeds": "every")"), "reproduced");
  EXPECT_EQ(outcome(R"("is": ">= 0.51", "seeds": "every")"), "not reproduced");
  EXPECT_EQ(outcome(R"("is": ">= 0.9", "seeds": "best")"), "reproduced");
  EXPECT_EQ(outcome(R"("is": "<= 0.89", "seeds": "every")"), "not reproduced");
  const std::string against = R"("against": {"runs": {"preset": "q"}}, )";
  EXPECT_EQ(outcome(against + R"("is": ">= 0.05")"), "reproduced") << "of medians .8 and .75";
  EXPECT_EQ(outcome(against + R"("is": ">= -0.07", "seeds": "every")"), "reproduced");
  EXPECT_EQ(outcome(against + R"("is": ">= -0.06", "seeds": "every")"), "not reproduced")
      << "the differences are .05, .05 and -.07";
  EXPECT_EQ(outcome(against + R"("is": ">= 0.05", "seeds": "best")"), "reproduced");
  EXPECT_EQ(outcome(against + R"("is": "> -0.48", "seeds": "apart")"), "reproduced");
  EXPECT_EQ(outcome(against + R"("is": "> -0.46", "seeds": "apart")"), "not reproduced");
  EXPECT_EQ(outcome(against + R"("is": ">= 1.06", "as": "ratio")"), "reproduced");
  EXPECT_EQ(outcome(against + R"("is": ">= 1.07", "as": "ratio")"), "not reproduced");
}

TEST(PaperFiles, RefuseWhatTheyDoNotKnowWithItsPlace) {
  const auto refusal = [](const std::string& text) {
    return support::refusal([&] { paper_from_json("test", text, "test.json"); });
  };
  const auto criterion = [&](const std::string& members) {
    return refusal(R"({"criteria": [{"id": "T", "text": "t", )" + members + "}]}");
  };
  EXPECT_EQ(refusal("{"), "test.json: expected a JSON object");
  EXPECT_EQ(refusal(R"({"titel": "x"})").substr(0, 37), "test.json.titel: unknown member, expe");
  EXPECT_NE(criterion(R"("is": ">= 0", "agianst": {"runs": {}})").find("agianst: unknown member"),
            std::string::npos)
      << "else a comparison would be a threshold, and pass";
  EXPECT_NE(criterion(R"("is": "about 1")").find(R"(.is: expected as ">= 0.9")"),
            std::string::npos);
  EXPECT_NE(criterion(R"("is": "contains 1")").find(".is: expected"), std::string::npos)
      << "only a line has an interval";
  EXPECT_NE(criterion(R"("is": ">= 1", "line": {})").find(".is: expected \"contains"),
            std::string::npos);
  EXPECT_NE(criterion(R"("is": "> 0", "statistic": "avarage")").find("statistic: expected one of"),
            std::string::npos);
  EXPECT_NE(criterion(R"("is": "> 0", "seeds": "all")").find("seeds: expected one of apart, best"),
            std::string::npos);
  EXPECT_NE(criterion(R"("is": "> 0", "seeds": "paired")").find("against: expected"),
            std::string::npos);
  EXPECT_NE(criterion(R"("is": "> 0", "errors": 2)").find("errors: expected seeds that are paired"),
            std::string::npos);
  for (const char* members : {R"("is": "> 0", "held_by": "a test")", R"("held_by": "")",
                              R"("asks": [])", R"("asks": [{"is": "> 0"}], "held_by": "a test")"})
    EXPECT_NE(criterion(members).find("asks: expected conditions, or a member held_by alone"),
              std::string::npos)
        << members << ": else nothing would be asked of the runs, and pass";
  EXPECT_NE(criterion(R"("is": "> 0", "seeds": "apart")").find("against: expected"),
            std::string::npos);
  EXPECT_NE(
      criterion(R"("is": "> 0", "only_if": [{"is": "> 0", "when": 1}])").find("when: unknown"),
      std::string::npos);
  EXPECT_NE(refusal(R"({"tables": [{"title": "t", "of": "letters", "column": []}]})")
                .find("column: unknown"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"tables": [{"title": "t", "parts": [{"of": "letters", "where": {}}]}]})")
                .find("where: unknown"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"tables": [{"title": "t", "parts": [{"readings": {}}]}]})")
                .find("parts[0].of: expected a difficulty"),
            std::string::npos);
  EXPECT_THROW(paper_named("ms26"), InputError);
}

}}  // namespace logdepth::criteria_tests
