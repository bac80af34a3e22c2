#include "learned/report/need_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/law_text.hpp"
#include "learned/report/rank_sum.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::inline learned_report {
namespace {

using report::Data;

std::string name_of(const NeedSeries& series) {
  return fmt::format("{}, {}, width {}, {} steps", series.problem, series.kind, series.width,
                     series.steps);
}

std::string numbers_text(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (const double number : numbers) texts.push_back(short_number(number));
  return texts.empty() ? kNothing : joined(texts, " ");
}

std::string reaches_text(const NeedDepth& depth) {
  std::vector<std::string> texts;
  std::vector<NeedSeed> sorted = depth.seeds;
  std::ranges::stable_sort(sorted, {}, &NeedSeed::reach);
  for (const NeedSeed& seed : sorted)
    texts.push_back((seed.censored ? "≥ " : "") + short_number(seed.reach) +
                    (seed.settled() || seed.censored ? "" : " ↑"));
  if (depth.diverged > 0) texts.push_back(fmt::format("{} diverged", depth.diverged));
  return joined(texts, ", ");
}

/// "A loop buys 0.35 of a doubling at 12000 steps".
std::string purchase_text(const NeedSeries& series) {
  const std::string part = series.kind == "loop" ? "loop" : "layer";
  if (!series.purchase)
    return fmt::format("no statement of what a {} buys: {}", part, series.no_purchase);
  const Purchase& p = *series.purchase;
  return fmt::format(
      "a {} buys {} of a doubling at {} steps (95 %: {} to {}; {} resamples of whole seeds, {} not "
      "fitted)",
      part, decimal(p.doublings), series.steps, decimal(p.interval.low), decimal(p.interval.high),
      p.resamples, p.not_fitted);
}

/// Whether the depths would carry a law.
std::string law_text(const NeedSeries& series) {
  return fmt::format(
      "no law: {} of {} depths have settled{}", series.settled_depths(), series.depths.size(),
      series.settled_depths() < kNeedDepths ? fmt::format(", expected at least {}", kNeedDepths)
                                            : "; one budget is no law");
}

Data data_of(const NeedSeries& series) {
  Data json = {{"problem", series.problem},
               {"kind", series.kind},
               {"width", series.width},
               {"steps", series.steps},
               {"devices", series.devices},
               {"seconds", series.seconds},
               {"settled_depths", series.settled_depths()}};
  if (const auto& p = series.purchase) {
    json["doublings_per_layer"] = {{"value", p->doublings},
                                   {"low", p->interval.low},
                                   {"high", p->interval.high},
                                   {"resamples", p->resamples},
                                   {"not_fitted", p->not_fitted}};
  } else {
    json["no_slope"] = series.no_purchase;
  }
  json["depths"] = Data::array();
  for (const NeedDepth& depth : series.depths) {
    Data seeds = Data::array();
    for (const NeedSeed& seed : depth.seeds) {
      Data steps = Data::object();
      for (const auto& [step, score] : seed.after_steps) steps[std::to_string(step)] = score;
      seeds.push_back({{"seed", seed.seed},
                       {"strict", seed.reach},
                       {"loose", seed.loose},
                       {"censored", seed.censored},
                       {"trained_length", seed.trained},
                       {"training", trend_name(seed.trend)},
                       {"after_steps", steps},
                       {"after_loops", seed.after_loops},
                       {"accuracy_from_n_star_on", seed.beyond}});
    }
    json["depths"].push_back({{"layers", depth.layers},
                              {"median", depth.median()},
                              {"least", depth.least()},
                              {"most", depth.most()},
                              {"settled", depth.settled()},
                              {"diverged", depth.diverged},
                              {"seeds", seeds}});
  }
  return json;
}

report::Table reach_table(const std::vector<NeedSeries>& all) {
  report::Table table{{"problem", "kind", "steps", "layers", "n\\* of the seeds", "median",
                       "n\\* loose, median", "trained up to, letters", "settled"}};
  table.first_number = 5;
  for (const NeedSeries& series : all)
    for (const NeedDepth& depth : series.depths) {
      std::vector<double> loose, trained;
      for (const NeedSeed& seed : depth.seeds) {
        loose.push_back(seed.loose);
        trained.push_back(seed.trained);
      }
      const auto longest = report::range_of(trained).value();
      table.rows.push_back({series.problem, series.kind, std::to_string(series.steps),
                            std::to_string(depth.layers), reaches_text(depth),
                            short_number(depth.median()),
                            short_number(report::median(loose).value()),
                            range_text(short_number(longest.least), short_number(longest.most)),
                            share_text(depth.settled(), depth.seeds.size())});
    }
  return table;
}

/// Medians over seeds after so many steps of the same runs.
report::Table budget_table(const std::vector<NeedSeries>& all) {
  std::set<std::uint64_t> steps;
  for (const NeedSeries& series : all)
    for (const NeedDepth& depth : series.depths)
      for (const NeedSeed& seed : depth.seeds)
        for (const auto& [step, score] : seed.after_steps)
          if (step < series.steps) steps.insert(step);
  report::Table table{{"problem", "kind", "layers"}};
  table.first_number = 3;
  for (const std::uint64_t step : steps) table.headings.push_back(fmt::format("{} steps", step));
  table.headings.emplace_back("end");
  for (const NeedSeries& series : all)
    for (const NeedDepth& depth : series.depths) {
      std::vector<std::string> cells = {series.problem, series.kind, std::to_string(depth.layers)};
      const auto at = [&](std::uint64_t step) {
        std::vector<double> scores;
        for (const NeedSeed& seed : depth.seeds)
          if (const auto found = seed.after_steps.find(step); found != seed.after_steps.end())
            scores.push_back(found->second);
        return scores.size() < depth.seeds.size() ? kNothing
                                                  : short_number(report::median(scores).value());
      };
      for (const std::uint64_t step : steps)
        cells.push_back(step < series.steps ? at(step) : kNothing);
      cells.push_back(fmt::format("{} ({} steps)", short_number(depth.median()), series.steps));
      table.rows.push_back(std::move(cells));
    }
  return table;
}

report::Table loop_table(const std::vector<NeedSeries>& all) {
  report::Table table{{"problem", "layers", "n\\* after 1, 2, … loops, seed by seed"}};
  for (const NeedSeries& series : all)
    for (const NeedDepth& depth : series.depths) {
      std::vector<std::string> seeds;
      for (const NeedSeed& seed : depth.seeds)
        if (!seed.after_loops.empty()) seeds.push_back(numbers_text(seed.after_loops));
      if (!seeds.empty())
        table.rows.push_back({series.problem, std::to_string(depth.layers), joined(seeds, " / ")});
    }
  table.without_rows = "No looped network.";
  return table;
}

/// The median accuracy at n*, n* + 1, n* + 2.
report::Table edge_table(const std::vector<NeedSeries>& all) {
  report::Table table{{"problem", "kind", "layers", "at n\\*", "at n\\* + 1", "at n\\* + 2"}};
  table.first_number = 3;
  for (const NeedSeries& series : all)
    for (const NeedDepth& depth : series.depths) {
      std::vector<std::string> cells = {series.problem, series.kind, std::to_string(depth.layers)};
      for (std::size_t place = 0; place < 3; ++place) {
        std::vector<double> shares;
        for (const NeedSeed& seed : depth.seeds)
          if (place < seed.beyond.size()) shares.push_back(seed.beyond[place]);
        cells.push_back(shares.empty() ? kNothing : decimal(report::median(shares).value()));
      }
      table.rows.push_back(std::move(cells));
    }
  return table;
}

/// Whether accuracy falls otherwise behind n* of solvable groups, at each budget that has both.
std::string contrast_text(const std::vector<NeedSeries>& all) {
  std::map<std::uint64_t, std::map<bool, std::vector<double>>> budgets;
  for (const NeedSeries& series : all)
    for (const NeedDepth& depth : series.depths)
      for (const NeedSeed& seed : depth.seeds)
        if (series.solvable && !seed.censored && seed.beyond.size() > 1)
          budgets[series.steps][*series.solvable].push_back(seed.beyond[1]);
  std::string text;
  for (const auto& [steps, found] : budgets) {
    if (found.size() < 2) continue;
    text += fmt::format(" Solvable against other groups at n\\* + 1, {} steps: {}.", steps,
                        rank_sum_text(found.at(true), found.at(false)));
  }
  return text;
}

std::vector<std::string> statements(const std::vector<NeedSeries>& all) {
  std::vector<std::string> items;
  for (const NeedSeries& series : all)
    items.push_back(markdown_text(name_of(series)) + ": " +
                    markdown_text(purchase_text(series) + "; " + law_text(series)) + ".");
  return items;
}

/// What the runs were.
std::vector<std::string> costs(const std::vector<NeedSeries>& all) {
  std::vector<std::string> items;
  for (const NeedSeries& series : all) {
    std::size_t runs = 0;
    for (const NeedDepth& depth : series.depths) runs += depth.seeds.size();
    items.push_back(markdown_text(fmt::format(
        "{}: {}, {} tokens a run, {} s of training on {}", name_of(series), counted(runs, "run"),
        range_text(large_number(series.least_tokens), large_number(series.most_tokens)),
        fixed_text(series.seconds, 0), joined(series.devices))));
  }
  return items;
}

}  // namespace

report::Report need_report(const DepthTable& table, const std::vector<NeedSeries>& series,
                           const std::string& command) {
  report::Report page{"need", "Layers that a length needs"};
  page.add("Written by `" + command + "`.");
  page.add(
      "Networks of a fixed depth, trained on words as long as they can learn: the curriculum goes "
      "through lengths 2, 4, 8, … and each seed is promoted when it answers the last letter of "
      "nine words in ten. n\\* is the largest length such that it and every shorter one are "
      "answered right in at least the threshold fraction of words, on words twice as long as those "
      "of training. Nothing prescribes how many layers a length gets. ↑: the learning curve had "
      "not plateaued, so that more steps may change it; ≥: nothing longer was measured.");
  const report::Picture picture = need_picture(table, series);
  page.add_picture(picture);
  page.add(report::Figure{picture.file, "layers against length, problem by problem"});
  page.add(report::Heading{"What a layer buys"});
  page.add(
      "The slope of log2 of the median n\\* in the number of layers, at one budget. Seeds are "
      "resampled whole, each with all of its depths. It describes that budget: a law would need at "
      "least five depths that have plateaued in every seed.");
  page.add(report::List{statements(series)});
  page.add(report::Heading{"n\\* by depth"});
  page.add(reach_table(series));
  page.add(report::Heading{"n\\* by budget"});
  page.add(
      "Medians over seeds in the course of the same runs. Before the end the learning rate is "
      "still "
      "the full one.");
  page.add(budget_table(series));
  page.add(report::Heading{"After fewer loops"});
  page.add(
      "The network of each row, stopped after 1, 2, … of its loops. Only the last was trained.");
  page.add(loop_table(series));
  page.add(report::Heading{"Past n\\*"});
  page.add(
      "Median accuracy at n\\* and just behind it: a sharp fall is a circuit of integer reach." +
      contrast_text(series));
  page.add(edge_table(series));
  page.add(report::Heading{"Runs"});
  page.add(report::List{costs(series)});
  page.data = {{"schema", "logdepth/need/1"}, {"command", command}, {"series", Data::array()}};
  for (const NeedSeries& one : series) page.data["series"].push_back(data_of(one));
  return page;
}

}  // namespace logdepth::inline learned_report
