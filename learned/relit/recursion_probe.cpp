#include "learned/relit/recursion_probe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/records/depth_reading.hpp"
#include "learned/report/run_table.hpp"
#include "report/criterion.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::inline learned_relit {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kProbeMargin = 16;
constexpr const char* kTrainedColour = "#5B84A8";
/// Macro steps of the table; the picture has all.
constexpr std::size_t kTabled = 16;

constexpr const char* kProbeText = R"(# States of a recursive block

Measured on {}, a block on the language model {}.

![change of the answer's state by macro step, spectral radii](relit-probe.svg)

## The frozen language model

RL-1, a step of training leaves each of its {} numbers as it is, bit by bit: **{}** (hashes {} and {}).

## Convergence

Change of the answer's state in each macro step relative to the state before, mean over prompts and tokens; trained with at
most {}.

)";

constexpr const char* kRadiusText = R"(
## Spectral radius

Of the derivative of one recursion by answer and scratchpad, by power iteration, at states of {}:

{}
Below 1 the states come back to such a point after a small push. That is less than the paper concludes from it (published: no
number is given): convergence from everywhere needs a norm below 1 at all states.
)";

constexpr std::size_t kHashLetters = 12;

/// Where radii were taken, and which of a prompt's.
struct RadiiPlace {
  const char* name;
  double RecursionProbe::Radii::*radius;
};
constexpr RadiiPlace kPlaces[] = {
    {"after the macro steps of training", &RecursionProbe::Radii::trained},
    {"after the last one followed", &RecursionProbe::Radii::far}};

std::vector<double> sorted_radii(const RecursionProbe& probe, const RadiiPlace& place) {
  std::vector<double> radii;
  for (const RecursionProbe::Radii& one : probe.radii) radii.push_back(one.*place.radius);
  std::ranges::sort(radii);
  return radii;
}

double from_zero(const RecordFields& fields, const char* name) {
  const double value = fields.number(name);
  if (value < 0) fields.refuse(name, "a number of at least 0");
  return value;
}

}  // namespace

RecursionProbe recursion_probe_from_json(const nlohmann::ordered_json& json) {
  const RecordFields fields(json, "probe");
  RecursionProbe probe;
  probe.run = fields.text("run");
  const RecordFields backbone = fields.object("backbone");
  probe.backbone = backbone.text("file");
  probe.parameters = static_cast<std::uint64_t>(from_zero(backbone, "parameters"));
  probe.before = backbone.text("before");
  probe.after = backbone.text("after");
  probe.trained_steps = fields.count("macro_steps");
  for (const Json& item : fields.list("convergence")) {
    const RecordFields entry = fields.entry("convergence", item);
    if (entry.count("step") != probe.changes.size() + 1)
      entry.refuse("step", "1, 2, 3, ... in order");
    probe.changes.push_back(from_zero(entry, "change"));
  }
  if (probe.changes.empty()) fields.refuse("convergence", "an entry for each macro step");
  for (const Json& item : fields.list("spectral_radius")) {
    const RecordFields entry = fields.entry("spectral_radius", item);
    probe.radii.push_back({from_zero(entry, "trained"), from_zero(entry, "far")});
  }
  if (probe.radii.empty()) fields.refuse("spectral_radius", "an entry for each prompt");
  return probe;
}

std::string recursion_probe_markdown(const nlohmann::ordered_json& json) {
  const RecursionProbe probe = recursion_probe_from_json(json);
  std::string text = fmt::format(
      kProbeText, markdown_text(probe.run), markdown_text(probe.backbone), probe.parameters,
      report::verdict_name(probe.backbone_unchanged() ? report::Verdict::passed
                                                      : report::Verdict::failed),
      markdown_text(probe.before.substr(0, kHashLetters)),
      markdown_text(probe.after.substr(0, kHashLetters)),
      counted(probe.trained_steps, "macro step"));
  text += markdown_headings({"macro step", "change"}, 0);
  for (std::size_t i = 0; i < probe.changes.size(); ++i)
    if (i < kTabled || i + 1 == probe.changes.size())
      text += markdown_row({std::to_string(i + 1), short_text(probe.changes[i], 3)});
  std::string table = markdown_headings({"states", "median", "least", "most", "below 1"}, 1);
  for (const RadiiPlace& place : kPlaces) {
    const std::vector<double> radii = sorted_radii(probe, place);
    const auto below = std::ranges::count_if(radii, [](double radius) { return radius < 1; });
    table += markdown_row({place.name, fixed_text(*report::median(radii), 3),
                           fixed_text(radii.front(), 3), fixed_text(radii.back(), 3),
                           share_text(static_cast<std::uint64_t>(below), radii.size())});
  }
  return text + fmt::format(kRadiusText, counted(probe.radii.size(), "prompt"), table);
}

std::string recursion_probe_svg(const nlohmann::ordered_json& json) {
  const RecursionProbe probe = recursion_probe_from_json(json);
  const auto steps = static_cast<double>(probe.changes.size());
  const double most_change = std::max(0.01, std::ranges::max(probe.changes));
  LineChart changes{"change of the answer's state", counting_axis(steps, "macro step"),
                    decimal_axis(most_change, "|change| / |state before|")};
  const double trained = std::min<double>(probe.trained_steps, changes.x.to);
  changes.areas.push_back({{{0, 0}, {trained, 0}, {trained, changes.y.to}, {0, changes.y.to}},
                           kTrainedColour,
                           0.18,
                           counted(probe.trained_steps, "macro step") + " in training"});
  PlotSeries line{"change", {kHues[0]}};
  for (std::size_t i = 0; i < probe.changes.size(); ++i) {
    const PlotPoint at{static_cast<double>(i + 1), probe.changes[i]};
    line.line.push_back(at);
    line.marks.push_back(
        {at, fmt::format("macro step {}: {}", i + 1, short_text(probe.changes[i], 3))});
  }
  changes.series.push_back(std::move(line));

  double most_radius = 1;
  for (const RecursionProbe::Radii& one : probe.radii)
    most_radius = std::max({most_radius, one.trained, one.far});
  LineChart radii{"spectral radius of a recursion",
                  counting_axis(static_cast<double>(probe.radii.size()), "prompts, sorted"),
                  decimal_axis(most_radius, "spectral radius")};
  radii.series.push_back({"1", {"#A3123B", "2 4", 1.2}, {{0, 1}, {radii.x.to, 1}}});
  Legend legend{{{"macro steps of training", {"#DDE6EE", "", 10}},
                 {"1: below it small pushes fade", {"#A3123B", "2 4", 1.2}}},
                2,
                kProbeMargin + chart_width(changes)};
  std::size_t hue = 0;
  for (const RadiiPlace& place : kPlaces) {
    PlotSeries marks{place.name, {kHues.at(hue++)}};
    double prompt = 0;
    for (const double radius : sorted_radii(probe, place))
      marks.marks.push_back(
          {{++prompt, radius}, fmt::format("{}: {}", place.name, short_text(radius, 4))});
    legend.entries.push_back(legend_entry(marks));
    radii.series.push_back(std::move(marks));
  }

  const double second = kProbeMargin + chart_width(changes);
  const double bottom = kProbeMargin + std::max(chart_height(changes), chart_height(radii));
  return svg_document(second + chart_width(radii) + kProbeMargin,
                      bottom + legend_height(legend) + kProbeMargin, "States of a recursive block",
                      draw_chart(changes, {kProbeMargin, kProbeMargin}) +
                          draw_chart(radii, {second, kProbeMargin}) +
                          draw_legend(legend, {kProbeMargin, bottom}));
}

}  // namespace logdepth::inline learned_relit
