#include "learned/relit/section_data.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "learned/relit/criteria.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::relit {
namespace {

using report::Data;
using report::data_of;

Data accuracy_of(const Series* series) {
  return series ? data_of(series->accuracy()) : Data();
}

Data states_of(const Series& series) {
  return to_json(series.config)["network"]["states"];
}

Data series_data(const Section& section, const Series& series) {
  Data data = {{"method", series.changes.empty() ? std::string("relit") : series.changes[0]},
               {"changes", series.changes},
               {"setting", series.setting},
               {"backbone", series.backbone()},
               {"states", states_of(series)},
               {"training_samples", series.task().training_samples},
               {"config", settings_of_series(series.config)},
               {"seeds", series.seeds()}};
  add_ends(data, series.ends());
  data["layers_applied"] = series.layers_applied();
  data["macro_steps"] = series.task().macro_steps;
  data["accuracy"] = accuracy_of(&series);
  data["mean_halting"] = data_of(series.range([](const Run& run) { return run.mean_halting; }));
  data["mean_flips"] = data_of(series.range([](const Run& run) { return run.mean_flips; }));
  for (const char* list : {"by_proof_depth", "by_macro_step"}) data[list] = Data::array();
  for (const std::uint32_t depth : section.depths()) {
    const auto halting = series.halting_at(depth);
    data["by_proof_depth"].push_back(
        {{"depth", depth},
         {"accuracy",
          data_of(series.range([&](const Run& run) { return run.accuracy_at(depth); }))},
         {"mean_halting",
          data_of(series.range([&](const Run& run) { return run.halting_at(depth); }))},
         {"halting", halting.empty() ? Data() : Data(halting)}});
  }
  for (std::size_t step = 1; step <= series.task().macro_steps; ++step)
    data["by_macro_step"].push_back(
        {{"step", step},
         {"accuracy",
          data_of(series.range([&](const Run& run) { return run.accuracy_after(step); }))},
         {"change", data_of(series.range([&](const Run& run) { return run.change_in(step); }))}});
  data["halting"] = series.halting();
  return data;
}

std::vector<Bottleneck> bottlenecks_of(const Section& section) {
  std::vector<const Series*> all;
  for (const Series& series : section.series)
    if (series.changes.empty() && section.has_most_samples(series)) all.push_back(&series);
  std::ranges::stable_sort(all, {}, [](const Series* one) { return one->network().states; });
  std::vector<Bottleneck> found;
  for (const Series* relit : all) {
    const Series *const probe = section.best_compared(*relit, RelitMethod::linear_probe),
                        *const once = section.best_compared(*relit, RelitMethod::one_pass);
    const std::string name =
        relit->backbone() + (relit->setting.empty() ? "" : " (" + relit->setting + ")");
    found.push_back({name,
                     {{markdown_text(name), std::to_string(relit->task().training_samples),
                       relit->seeds_cell()},
                      {{"relit", accuracy_of(relit)},
                       {"linear_probe", accuracy_of(probe)},
                       {"one_pass", accuracy_of(once)},
                       {"more", probe ? data_of(accuracy_difference(*relit, *probe)) : Data()},
                       {"backbone", relit->backbone()},
                       {"states", states_of(*relit)}}}});
  }
  return found;
}

}  // namespace

SectionData section_data(Section given) {
  SectionData all{std::move(given), {}, {}, {}};
  const Section& section = all.section;
  Data& data = all.data = {{"title", section.title()},
                           {"set", to_json(section.series.front().config)["task"]["set"]},
                           {"chance", report::or_null(section.chance())}};
  for (const char* list : {"series", "bottleneck", "ablations"}) data[list] = Data::array();
  for (const Series& series : section.series) {
    data["series"].push_back(series_data(section, series));
    all.rows.push_back({{markdown_text(series.title()), markdown_text(series.backbone()),
                         std::to_string(series.task().training_samples), series.seeds_cell(),
                         ends_text(series.ends())},
                        data["series"].back()});
  }
  all.bottlenecks = bottlenecks_of(section);
  for (const Bottleneck& one : all.bottlenecks) {
    Data& entry = data["bottleneck"].emplace_back();
    for (const char* name : {"backbone", "states", "relit", "linear_probe", "one_pass"})
      entry[name] = one.row.data.at(name);
  }
  for (const Series* base : section.bases())
    for (const Series* series : section.ablations(*base))
      data["ablations"].push_back({{"base", base->title()},
                                   {"backbone", base->backbone()},
                                   {"changes", series->changes},
                                   {"setting", series->setting},
                                   {"accuracy", accuracy_of(series)},
                                   {"difference", data_of(accuracy_difference(*series, *base))}});
  data["criteria"] = data_of(criteria_of(section));
  return all;
}

ShownRun shown_run(const Section& section) {
  std::vector<const Series*> all = section.bases();
  for (const Series& series : section.series)
    if (series.task().macro_steps > 1) all.push_back(&series);
  for (const Series* series : all)
    for (const Run& run : series->runs)
      if (!run.trajectories.empty()) return {series, &run};
  return {};
}

std::vector<std::size_t> shown_steps(std::size_t steps) {
  constexpr std::size_t kAllOf = 16, kFirst = 8;
  std::vector<std::size_t> shown;
  for (std::size_t step = 1; step <= (steps <= kAllOf ? steps : kFirst); ++step)
    shown.push_back(step);
  for (std::size_t step = 2 * kFirst; steps > kAllOf && step < steps; step *= 2)
    shown.push_back(step);
  if (shown.back() != steps) shown.push_back(steps);
  return shown;
}

}  // namespace logdepth::relit
