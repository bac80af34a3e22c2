#include "learned/latent_reasoning/latent_verdicts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"

namespace logdepth {
namespace {

using Range = std::optional<report::Range>;
using report::Criterion;
using report::Verdict;

Verdict judge(const Range& range, report::Threshold::Is is, double limit) {
  return report::judge(range ? std::optional(range->median) : std::nullopt, {is, limit});
}

Verdict at_least(const Range& range, double limit) {
  return judge(range, report::Threshold::Is::at_least, limit);
}

Verdict at_most(const Range& range, double limit) {
  return judge(range, report::Threshold::Is::at_most, limit);
}

/// Whether one median reaches another.
Verdict reaches(const Range& higher, const Range& lower) {
  return lower ? at_least(higher, lower->median) : Verdict::undecided;
}

/// The series of a row whose median is largest.
template <class Number>
Range best(const LatentSection& section, const std::string& row, Number number) {
  Range best;
  for (const LatentSeries* series : section.of(row))
    if (const Range range = number(*series); range && (!best || range->median > best->median))
      best = range;
  return best;
}

Range best_solved(const LatentSection& section, const std::string& row, const GraphCell& cell) {
  return best(section, row, [&](const LatentSeries& series) { return series.solved(cell); });
}

std::string title_of(const std::string& row) {
  for (const LatentRow& one : latent_rows())
    if (one.name == row) return one.title;
  return row;
}

/// Seeds that a number has; 0 without it.
std::size_t seeds_in(const Range& range) {
  return range ? range->seeds : 0;
}

/// A criterion about a method without runs.
Criterion not_run(const char* name, const std::string& row) {
  return Criterion{name, title_of(row)}.needs(0, "runs of the method " + row);
}

std::string of_nodes(const std::string& row, const GraphCell& cell) {
  return fmt::format("{} at N = {}", title_of(row), cell.nodes);
}

Criterion size_criterion(const LatentSection& section, const LatentSeries& series) {
  const SizeVerdict verdict = judge_sizes(section, series);
  const GraphCell trained = trained_cell(section, 1), twice = trained_cell(section, 2);
  const std::string at_twice = fmt::format(" at N = {}", twice.nodes);
  return Criterion{"LO-3", series.title()}
      .part(fmt::format("fully solved at least {} at N = {}, the largest of training",
                        short_text(kSolvedTrained, 3), trained.nodes),
            range_text(verdict.trained), verdict.at_trained())
      .part(fmt::format("at least {}{}", short_text(kSolvedTwice, 3), at_twice),
            range_text(verdict.twice), verdict.at_twice())
      .part("discrete at least as much as continuous, and that as end to end" + at_twice,
            fmt::format("{}; {}; feed-forward {}, recurrent {}", range_text(verdict.twice),
                        range_text(verdict.continuous), range_text(verdict.feed_forward),
                        range_text(verdict.recurrent)),
            verdict.order())
      .part(fmt::format("end to end at most {}{}", short_text(kEndToEndTwice, 3), at_twice),
            fmt::format("feed-forward {}, recurrent {}", range_text(verdict.feed_forward),
                        range_text(verdict.recurrent)),
            verdict.end_to_end())
      .part(fmt::format("no threshold at N = {}", trained_cell(section, 4).nodes),
            range_text(verdict.four_times), std::nullopt)
      .needs(seeds_in(verdict.trained), of_nodes("discrete", trained))
      .needs(seeds_in(verdict.twice), of_nodes("discrete", twice))
      .needs(seeds_in(verdict.continuous), of_nodes("continuous", twice))
      .needs(seeds_in(verdict.feed_forward), of_nodes("feed-forward", twice))
      .needs(seeds_in(verdict.recurrent), of_nodes("recurrent", twice));
}

Criterion slope_criterion(const LatentSeries& series) {
  const SlopeVerdict verdict{series.slope()};
  return Criterion{"LO-4", series.title()}
      .part(fmt::format("iterations grow with depth by 1, give or take {}",
                        short_text(kSlopeRange, 3)),
            range_text(verdict.slope), verdict.verdict())
      .needs(seeds_in(verdict.slope),
             "solved graphs of two depths, on which iterations come to an end");
}

Criterion recovery_criterion(const LatentSection& section, const LatentSeries& series) {
  const RecoveryVerdict verdict = judge_recovery(section, series);
  const GraphCell trained = trained_cell(section, 1);
  return Criterion{"LO-5", series.title()}
      .part(fmt::format("at least {} of the nodes that an error hit are right in the end, N = {}",
                        short_text(kRecovered, 3), trained.nodes),
            range_text(verdict.corrected), verdict.recovers())
      .part("more than without correction", range_text(verdict.discrete), verdict.beats_discrete())
      .needs(seeds_in(verdict.corrected), of_nodes("corrected", trained))
      .needs(seeds_in(verdict.discrete), of_nodes("discrete", trained));
}

Criterion no_oracle_criterion(const LatentSection& section, const LatentSeries& series) {
  const NoOracleVerdict verdict = judge_no_oracle(section, series);
  const auto share = verdict.share();
  const GraphCell cell{section.task().graphs.generator, kNoOracleNodes};
  Criterion criterion{"LO-6", series.title()};
  criterion
      .part(fmt::format("at least {} of what is solved with depths at N = {}",
                        short_text(kNoOracleShare, 3), kNoOracleNodes),
            fmt::format("{} against {}{}", range_text(verdict.without), range_text(verdict.with),
                        share ? ", " + fixed_text(*share, 3) + " of it" : ""),
            verdict.verdict())
      .needs(seeds_in(verdict.without), of_nodes("no-oracle", cell))
      .needs(seeds_in(verdict.with), of_nodes("continuous", cell));
  if (verdict.without && verdict.with && !share)
    criterion.needs(0, "a continuous method that solves something there");
  return criterion;
}

}  // namespace

Verdict SizeVerdict::at_trained() const {
  return at_least(trained, kSolvedTrained);
}

Verdict SizeVerdict::at_twice() const {
  return at_least(twice, kSolvedTwice);
}

Verdict SizeVerdict::order() const {
  return report::overall({reaches(twice, continuous), reaches(continuous, feed_forward),
                          reaches(continuous, recurrent)});
}

Verdict SizeVerdict::end_to_end() const {
  return report::overall(
      {at_most(feed_forward, kEndToEndTwice), at_most(recurrent, kEndToEndTwice)});
}

SizeVerdict judge_sizes(const LatentSection& section, const LatentSeries& discrete) {
  const GraphCell twice = trained_cell(section, 2);
  return {discrete.solved(trained_cell(section, 1)),   discrete.solved(twice),
          discrete.solved(trained_cell(section, 4)),   best_solved(section, "continuous", twice),
          best_solved(section, "feed-forward", twice), best_solved(section, "recurrent", twice)};
}

Verdict SlopeVerdict::verdict() const {
  return report::judge(slope ? std::optional(std::abs(slope->median - 1)) : std::nullopt,
                       {report::Threshold::Is::at_most, kSlopeRange});
}

Verdict RecoveryVerdict::recovers() const {
  return at_least(corrected, kRecovered);
}

Verdict RecoveryVerdict::beats_discrete() const {
  if (!corrected || !discrete) return Verdict::undecided;
  return judge(corrected, report::Threshold::Is::above, discrete->median);
}

RecoveryVerdict judge_recovery(const LatentSection& section, const LatentSeries& corrected) {
  const GraphCell cell = trained_cell(section, 1);
  return {corrected.hit_nodes(cell), best(section, "discrete", [&](const LatentSeries& series) {
            return series.hit_nodes(cell);
          })};
}

std::optional<double> NoOracleVerdict::share() const {
  if (!without || !with || with->median <= 0) return std::nullopt;
  return without->median / with->median;
}

Verdict NoOracleVerdict::verdict() const {
  return report::judge(share(), {report::Threshold::Is::at_least, kNoOracleShare});
}

NoOracleVerdict judge_no_oracle(const LatentSection& section, const LatentSeries& without,
                                std::uint32_t nodes) {
  const GraphCell cell{section.task().graphs.generator, nodes};
  return {without.solved(cell), best_solved(section, "continuous", cell)};
}

GraphCell trained_cell(const LatentSection& section, std::uint32_t times) {
  return {section.task().graphs.generator, times * section.task().most_nodes};
}

std::vector<Criterion> latent_criteria(const LatentSection& section) {
  std::vector<Criterion> criteria;
  const auto of_all = [&](const char* name, const std::string& row, auto criterion) {
    const auto all = section.of(row);
    for (const LatentSeries* series : all) criteria.push_back(criterion(*series));
    if (all.empty()) criteria.push_back(not_run(name, row));
  };
  using report::with_each_seed;
  of_all("LO-3", "discrete", [&](const LatentSeries& series) {
    return with_each_seed(series, 2,
                          [&](const LatentSeries& one) { return size_criterion(section, one); });
  });
  for (const char* row : {"discrete", "corrected", "no-oracle"})
    of_all("LO-4", row,
           [](const LatentSeries& series) { return with_each_seed(series, 1, slope_criterion); });
  of_all("LO-5", "corrected", [&](const LatentSeries& series) {
    return with_each_seed(
        series, 1, [&](const LatentSeries& one) { return recovery_criterion(section, one); });
  });
  of_all("LO-6", "no-oracle",
         [&](const LatentSeries& series) { return no_oracle_criterion(section, series); });
  return criteria;
}

std::string range_text(const std::optional<report::Range>& range) {
  if (!range) return "not measured";
  if (range->seeds == 1) return fixed_text(range->median, 3);
  return fmt::format("{} ({} to {})", fixed_text(range->median, 3), fixed_text(range->least, 3),
                     fixed_text(range->most, 3));
}

}  // namespace logdepth
