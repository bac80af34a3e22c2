#include "learned/relit/recursion_probe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "figures/colours.hpp"
#include "figures/line_chart.hpp"
#include "figures/table_text.hpp"
#include "learned/records/depth_reading.hpp"
#include "learned/report/verdict.hpp"
#include "objects/number_text.hpp"
#include "objects/phrases.hpp"

namespace logdepth {
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

RL-1, every number of the language model is the one that it had before training, bit by bit: **{}**.

## Convergence

Change of the answer's state in each macro step relative to the state before, mean over prompts; trained with at most {}.

)";

constexpr const char* kRadiusText = R"(
## Spectral radius

Of the derivative of one recursion by answer and scratchpad, at the last states of {}: median {}, {} to {}; below 1 for {}.
Below 1 the states come back to this point after a small push. That is less than the paper concludes from it (published: no
number is given): convergence from everywhere needs a norm below 1 at all states.
)";

}  // namespace

std::size_t RecursionProbe::below_one() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(radii, [](double radius) { return radius < 1; }));
}

RecursionProbe recursion_probe_from_json(const nlohmann::ordered_json& json) {
  const RecordFields fields(json, "probe");
  RecursionProbe probe;
  probe.run = fields.text("run");
  probe.backbone = fields.text("backbone");
  const RecordFields radius = fields.object("spectral_radius");
  for (const Json& value : radius.list("values")) {
    if (!value.is_number() || !(value.get<double>() >= 0) || !std::isfinite(value.get<double>()))
      radius.refuse("values", "numbers from 0 on");
    probe.radii.push_back(value.get<double>());
  }
  if (probe.radii.empty()) radius.refuse("values", "one for each prompt");
  probe.median_radius = radius.number("median");
  for (const Json& item : fields.list("convergence")) {
    const RecordFields entry = fields.entry("convergence", item);
    if (entry.count("step") != probe.changes.size() + 1)
      entry.refuse("step", "1, 2, 3, ... in order");
    probe.changes.push_back(entry.number("change"));
    if (probe.changes.back() < 0) entry.refuse("change", "a number from 0 on");
  }
  if (probe.changes.empty()) fields.refuse("convergence", "an entry for each macro step");
  probe.trained_steps = fields.count("trained_steps");
  probe.backbone_unchanged = fields.truth("backbone_unchanged");
  return probe;
}

std::string recursion_probe_markdown(const nlohmann::ordered_json& json) {
  const RecursionProbe probe = recursion_probe_from_json(json);
  std::string text =
      fmt::format(kProbeText, markdown_text(probe.run), markdown_text(probe.backbone),
                  verdict_name(probe.backbone_unchanged ? Verdict::passed : Verdict::failed),
                  counted(probe.trained_steps, "macro step"));
  text += markdown_headings({"macro step", "change"}, 0);
  for (std::size_t i = 0; i < probe.changes.size(); ++i)
    if (i < kTabled || i + 1 == probe.changes.size())
      text += markdown_row({std::to_string(i + 1), short_text(probe.changes[i], 3)});
  const auto [least, most] = std::ranges::minmax(probe.radii);
  return text + fmt::format(kRadiusText, counted(probe.radii.size(), "prompt"),
                            fixed_text(probe.median_radius, 3), fixed_text(least, 3),
                            fixed_text(most, 3), share_text(probe.below_one(), probe.radii.size()));
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

  std::vector<double> sorted = probe.radii;
  std::ranges::sort(sorted);
  const auto prompts = static_cast<double>(sorted.size());
  LineChart radii{"spectral radius of a recursion", counting_axis(prompts, "prompts, sorted"),
                  decimal_axis(std::max(1.0, sorted.back()), "spectral radius")};
  radii.series.push_back({"1", {"#A3123B", "2 4", 1.2}, {{0, 1}, {radii.x.to, 1}}});
  PlotSeries marks{"radius", {kHues[0]}};
  for (std::size_t i = 0; i < sorted.size(); ++i)
    marks.marks.push_back({{static_cast<double>(i + 1), sorted[i]}, short_text(sorted[i], 4)});
  radii.series.push_back(std::move(marks));

  const double second = kProbeMargin + chart_width(changes);
  const double bottom = kProbeMargin + std::max(chart_height(changes), chart_height(radii));
  const Legend legend{{{"macro steps of training", {"#DDE6EE", "", 10}},
                       {"1: below it small pushes fade", {"#A3123B", "2 4", 1.2}}},
                      2,
                      second};
  return svg_document(second + chart_width(radii) + kProbeMargin,
                      bottom + legend_height(legend) + kProbeMargin, "States of a recursive block",
                      draw_chart(changes, {kProbeMargin, kProbeMargin}) +
                          draw_chart(radii, {second, kProbeMargin}) +
                          draw_legend(legend, {kProbeMargin, bottom}));
}

}  // namespace logdepth
