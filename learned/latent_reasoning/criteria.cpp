#include "learned/latent_reasoning/criteria.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"

namespace logdepth::latent {
namespace {

using Range = std::optional<report::Range>;
using report::Criterion;
using report::Threshold;
using report::Verdict;

Verdict judge(const Range& range, const Threshold& threshold) {
  return report::judge(range ? std::optional(range->median) : std::nullopt, threshold);
}

/// Whether one median reaches another.
Verdict reaches(const Range& higher, const Range& lower) {
  return lower ? judge(higher, {Threshold::Is::at_least, lower->median}) : Verdict::undecided;
}

/// The largest median of the series of a row that have as many steps as the one that is judged.
template <class Number>
Range best(const Section& section, const Series& judged, const std::string& row, Number number) {
  Range best;
  for (const Series* series : section.of(row)) {
    if (series->config.training.steps != judged.config.training.steps) continue;
    if (const Range range = number(*series); range && (!best || range->median > best->median))
      best = range;
  }
  return best;
}

/// The cell of a section's training graphs with `times` times the nodes of the largest of them.
GraphCell trained_cell(const Section& section, std::uint32_t times) {
  return {section.task().graphs.generator, times * section.task().most_nodes};
}

std::string title_of(const std::string& row) {
  return std::ranges::find(rows(), row, [](const Row& one) { return std::string(one.name); })
      ->title;
}

std::string text_of(const Range& range) {
  return range ? report::cell_text(report::data_of(range)) : "not measured";
}

std::string limit_text(const Threshold& threshold) {
  return short_text(threshold.limit, 3);
}

Criterion& needs(Criterion& criterion, const Range& range, const std::string& row,
                 const GraphCell& cell) {
  return criterion.needs(range ? range->seeds : 0,
                         fmt::format("{} at N = {}", title_of(row), cell.nodes));
}

/// The same of a method that another is judged beside.
Criterion& needs_beside(Criterion& criterion, const Series& judged, const Range& range,
                        const std::string& row, const GraphCell& cell) {
  return criterion.needs(range ? range->seeds : 0,
                         fmt::format("{} of {} steps at N = {}", title_of(row),
                                     judged.config.training.steps, cell.nodes));
}

/// A method beside another one on graphs that neither was trained on: with the budget of the other, and
/// only if it has solved its own.
struct Rival {
  Range solved;        ///< the best of the series that may be judged
  std::string barred;  ///< why others may not, a phrase; or empty
};

Rival rival_of(const Section& section, const Series& judged, const std::string& row,
               const GraphCell& trained, const GraphCell& cell) {
  Rival rival;
  for (const Series* series : section.of(row)) {
    const Range own = series->solved(trained), there = series->solved(cell);
    if (!there) continue;
    if (series->config.training.steps != judged.config.training.steps) {
      rival.barred = fmt::format("{} steps, not {}", series->config.training.steps,
                                 judged.config.training.steps);
    } else if (!own || own->median < kSolvedBefore - report::kRounding) {
      rival.barred = fmt::format("{} at N = {}", text_of(own), trained.nodes);
    } else if (!rival.solved || there->median > rival.solved->median) {
      rival.solved = there;
    }
  }
  return rival;
}

std::string text_of(const Rival& rival) {
  if (rival.barred.empty() || rival.solved) return text_of(rival.solved);
  return "not judged (" + rival.barred + ")";
}

Criterion size_criterion(const Section& section, const Series& series) {
  const GraphCell trained = trained_cell(section, 1), twice = trained_cell(section, 2),
                  four_times = trained_cell(section, 4);
  const Range at_trained = series.solved(trained), at_twice = series.solved(twice),
              at_four_times = series.solved(four_times);
  const auto rival = [&](const char* row) {
    return rival_of(section, series, row, trained, twice);
  };
  const Rival of_continuous = rival("continuous"), of_feed_forward = rival("feed-forward"),
              of_recurrent = rival("recurrent");
  const Range &continuous = of_continuous.solved, &feed_forward = of_feed_forward.solved,
              &recurrent = of_recurrent.solved;
  const std::string where = fmt::format(" at N = {}", twice.nodes);
  const std::string end_to_end =
      fmt::format("feed-forward {}, recurrent {}", text_of(of_feed_forward), text_of(of_recurrent));
  Criterion criterion{"LO-3", series.title()};
  criterion
      .part(fmt::format("fully solved at least {} at N = {}, the largest of training",
                        limit_text(kSolvedTrained), trained.nodes),
            text_of(at_trained), judge(at_trained, kSolvedTrained))
      .part(fmt::format("at least {}{}", limit_text(kSolvedTwice), where), text_of(at_twice),
            judge(at_twice, kSolvedTwice))
      .part("discrete at least as much as continuous, and that as end to end" + where,
            fmt::format("{}; {}; {}", text_of(at_twice), text_of(of_continuous), end_to_end),
            report::overall({reaches(at_twice, continuous), reaches(continuous, feed_forward),
                             reaches(continuous, recurrent)}))
      .part(
          fmt::format("end to end at most {}{}", limit_text(kEndToEndTwice), where), end_to_end,
          report::overall({judge(feed_forward, kEndToEndTwice), judge(recurrent, kEndToEndTwice)}))
      .part(fmt::format("no threshold at N = {}", four_times.nodes), text_of(at_four_times),
            std::nullopt);
  needs(criterion, at_trained, "discrete", trained);
  needs(criterion, at_twice, "discrete", twice);
  for (const auto& [row, one] : {std::pair("continuous", &of_continuous),
                                 {"feed-forward", &of_feed_forward},
                                 {"recurrent", &of_recurrent}}) {
    if (one->solved || one->barred.empty()) {
      needs(criterion, one->solved, row, twice);
    } else {
      criterion.needs(0, fmt::format("{} of {} steps with at least {} at N = {}", title_of(row),
                                     series.config.training.steps, short_text(kSolvedBefore, 2),
                                     trained.nodes));
    }
  }
  return criterion;
}

Criterion slope_criterion(const Series& series) {
  const Range slope = series.slope();
  const auto off = slope ? std::optional(std::abs(slope->median - 1)) : std::nullopt;
  return Criterion{"LO-4", series.title()}
      .part("iterations grow with depth by 1, give or take " + limit_text(kSlopeRange),
            text_of(slope), report::judge(off, kSlopeRange))
      .needs(slope ? slope->seeds : 0,
             "solved graphs of two depths, on which iterations come to an end");
}

Criterion recovery_criterion(const Section& section, const Series& series) {
  const GraphCell cell = trained_cell(section, 1);
  const auto hit = [&](const Series& one) { return one.hit_nodes(cell); };
  const Range corrected = hit(series), discrete = best(section, series, "discrete", hit);
  Criterion criterion{"LO-5", series.title()};
  criterion
      .part(fmt::format("at least {} of the nodes that an error hit are right in the end, N = {}",
                        limit_text(kRecovered), cell.nodes),
            text_of(corrected), judge(corrected, kRecovered))
      .part("more than without correction",
            text_of(discrete) + (corrected && discrete && corrected->median < discrete->median
                                     ? ": the published effect is reversed here"
                                     : ""),
            discrete ? judge(corrected, {Threshold::Is::above, discrete->median})
                     : Verdict::undecided);
  needs(criterion, corrected, "corrected", cell);
  return needs_beside(criterion, series, discrete, "discrete", cell);
}

Criterion no_oracle_criterion(const Section& section, const Series& series) {
  const GraphCell cell{section.task().graphs.generator, kNoOracleNodes};
  const Range without = series.solved(cell),
              with = best(section, series, "continuous",
                          [&](const Series&one) { return one.solved(cell); });
  std::optional<double> share;
  if (without && with && with->median > 0) share = without->median / with->median;
  Criterion criterion{"LO-6", series.title()};
  criterion.part(fmt::format("at least {} of what is solved with depths at N = {}",
                             limit_text(kNoOracleShare), kNoOracleNodes),
                 fmt::format("{} against {}{}", text_of(without), text_of(with),
                             share ? ", " + fixed_text(*share, 3) + " of it" : ""),
                 report::judge(share, kNoOracleShare));
  needs(criterion, without, "no-oracle", cell);
  needs_beside(criterion, series, with, "continuous", cell);
  if (without && with && !share)
    criterion.needs(0, "a continuous method that solves something there");
  return criterion;
}

}  // namespace

std::vector<Criterion> criteria_of(const Section& section) {
  using report::with_each_seed;
  std::vector<Criterion> criteria;
  const auto of_all = [&](const char* name, const std::string& row, auto criterion) {
    const auto all = section.of(row);
    for (const Series* series : all) criteria.push_back(criterion(*series));
    if (all.empty())
      criteria.push_back(Criterion{name, title_of(row)}.needs(0, "runs of the method " + row));
  };
  of_all("LO-3", "discrete", [&](const Series& series) {
    return with_each_seed(series, 2,
                          [&](const Series& one) { return size_criterion(section, one); });
  });
  for (const char* row : {"discrete", "corrected", "no-oracle"})
    of_all("LO-4", row,
           [](const Series& series) { return with_each_seed(series, 1, slope_criterion); });
  of_all("LO-5", "corrected", [&](const Series& series) {
    return with_each_seed(series, 1,
                          [&](const Series& one) { return recovery_criterion(section, one); });
  });
  of_all("LO-6", "no-oracle",
         [&](const Series& series) { return no_oracle_criterion(section, series); });
  return criteria;
}

report::Data thresholds() {
  return {{"LO-3",
           {{"trained", kSolvedTrained.limit},
            {"twice", kSolvedTwice.limit},
            {"end_to_end", kEndToEndTwice.limit},
            {"solved_before", kSolvedBefore}}},
          {"LO-4", {{"slope_range", kSlopeRange.limit}}},
          {"LO-5", {{"recovered", kRecovered.limit}}},
          {"LO-6", {{"share", kNoOracleShare.limit}, {"nodes", kNoOracleNodes}}}};
}

}  // namespace logdepth::latent
