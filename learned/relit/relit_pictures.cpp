#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "base/xml_text.hpp"
#include "learned/relit/relit_figures.hpp"
#include "report/figures/axis.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth {
namespace {

constexpr double kPictureMargin = 16, kPictureHeading = 34;
constexpr const char* kBold = "font-size=\"13\" font-weight=\"bold\"";

// --- bars ----------------------------------------------------------------------------------------

constexpr double kBarNames = 280, kBarScale = 380, kBar = 20, kBarGap = 14, kBarNumber = 60;
constexpr std::size_t kNameLetters = 42;
constexpr const char *kProbeLook = "stroke=\"#000000\" stroke-width=\"3\"",
                     *kOnceLook = "stroke=\"#D55E00\" stroke-width=\"3\"",
                     *kChanceLook = "stroke=\"#5A5A5A\" stroke-dasharray=\"5 4\"",
                     *kWhiskerLook = "stroke=\"#111111\" stroke-width=\"1.4\"";

double across(double share) {
  return kPictureMargin + kBarNames + kBarScale * share;
}

/// An upright line through a bar at a share.
std::string upright(double share, double top, const char* look) {
  return svg_line({across(share), top - 3}, {across(share), top + kBar + 3}, look);
}

std::string bar_elements(const BottleneckBar& bar, double top) {
  const SeedRange accuracy = *bar.relit->accuracy();
  const std::string name =
      bar.relit->backbone() + (bar.relit->setting.empty() ? "" : " (" + bar.relit->setting + ")");
  std::string svg = svg_text(kPictureMargin + kBarNames - 10, top + 15,
                             cut_text(name, kNameLetters), "text-anchor=\"end\"");
  svg +=
      svg_rect({across(0), top}, kBarScale * accuracy.median, kBar, svg_attribute("fill", kHues[0]),
               fmt::format("ReLIT on {}: {}", name, fixed_text(accuracy.median, 3)));
  if (accuracy.seeds > 1)
    svg += svg_line({across(accuracy.least), top + kBar / 2},
                    {across(accuracy.most), top + kBar / 2}, kWhiskerLook);
  if (bar.once) svg += upright(bar.once->accuracy()->median, top, kOnceLook);
  if (bar.probe) svg += upright(bar.probe->accuracy()->median, top, kProbeLook);
  return svg + svg_text(across(1) + 12, top + 15, fixed_text(accuracy.median, 3), "");
}

std::string bars_legend(double top) {
  std::string svg;
  double left = kPictureMargin;
  const auto add = [&](const std::string& name, const char* look) {
    svg += svg_line({left, top}, {left + 22, top}, look);
    svg += svg_text(left + 28, top + 4, name, "font-size=\"11\"");
    left += 46 + 6.3 * static_cast<double>(name.size());
  };
  add("ReLIT", "stroke=\"#0072B2\" stroke-width=\"10\"");
  add("linear probe of the last token's state", kProbeLook);
  add("one-pass block", kOnceLook);
  add("guessing", kChanceLook);
  add("all seeds", kWhiskerLook);
  return svg;
}

// --- answers -------------------------------------------------------------------------------------

constexpr double kTitleLetter = 8.2;  ///< more than the mean width
constexpr double kCell = 58, kAnswerRow = 24, kLabels = 190;
constexpr std::size_t kAnswerLetters = 8, kTargetLetters = 10;
constexpr const char *kRight = "#CFE3F2", *kWrong = "#F6D3BC";

std::string answer_row(const AnswerTrajectory& one, const std::string& depth_name, double top) {
  std::string svg = svg_text(
      kPictureMargin, top + 16,
      fmt::format("{} {}, {}", depth_name, one.depth, cut_text(one.target, kTargetLetters)), "");
  std::string halt;
  const auto steps = shown_steps(one.answers.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& answer = one.answers[steps[i] - 1];
    const bool right = answer == one.target, halted = steps[i] == one.halted;
    const double left = kPictureMargin + kLabels + kCell * static_cast<double>(i);
    svg +=
        svg_rect({left, top}, kCell, kAnswerRow,
                 svg_attribute("fill", right ? kRight : kWrong) + " stroke=\"white\"",
                 fmt::format("macro step {}: {}, {}", steps[i], answer, right ? "right" : "wrong"));
    svg += svg_text(left + kCell / 2, top + 16, cut_text(answer, kAnswerLetters),
                    "text-anchor=\"middle\" font-size=\"11\"" +
                        std::string(halted ? " font-weight=\"bold\"" : "") + " " +
                        svg_attribute("fill", steps[i] > one.halted ? kQuietInk : kInk));
    if (halted)
      halt = svg_rect({left + 1, top + 1}, kCell - 2, kAnswerRow - 2,
                      "fill=\"none\" stroke=\"#111111\" stroke-width=\"2\"", "halted here");
  }
  return svg + halt;
}

std::string answers_legend(double top) {
  std::string svg;
  double left = kPictureMargin;
  const auto add = [&](const std::string& name, const std::string& look) {
    svg += svg_rect({left, top - 8}, 22, 14, look);
    svg += svg_text(left + 30, top + 4, name, "font-size=\"11\"");
    left += 50 + 6.3 * static_cast<double>(name.size());
  };
  add("right", svg_attribute("fill", kRight));
  add("wrong", svg_attribute("fill", kWrong));
  add("the halt, the answer of record", "fill=\"white\" stroke=\"#111111\" stroke-width=\"2\"");
  return svg;
}

}  // namespace

std::vector<BottleneckBar> bottleneck_bars(const RelitSection& section) {
  std::vector<BottleneckBar> bars;
  for (const RelitSeries& series : section.series)
    if (series.changes.empty() && section.by_samples(series).back() == &series)
      bars.push_back({&series, section.best_compared(series, RelitMethod::linear_probe),
                      section.best_compared(series, RelitMethod::one_pass)});
  std::ranges::stable_sort(bars, {},
                           [](const BottleneckBar& bar) { return bar.relit->network().states; });
  return bars;
}

std::string relit_bottleneck_svg(const std::vector<RelitSection>& sections) {
  const Axis shares = share_axis("accuracy");
  std::string body;
  double y = kPictureMargin;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    body +=
        svg_text(kPictureMargin, y + 14, fmt::format("{}. {}", i + 1, sections[i].title()), kBold);
    y += kPictureHeading;
    const auto bars = bottleneck_bars(sections[i]);
    const double bottom = y + (kBar + kBarGap) * static_cast<double>(bars.size());
    for (const Tick& tick : shares.ticks) {
      body += svg_line({across(tick.at), y - 6}, {across(tick.at), bottom},
                       svg_attribute("stroke", kGridInk));
      body += svg_text(across(tick.at), bottom + 16, tick.text, "text-anchor=\"middle\"");
    }
    for (const BottleneckBar& bar : bars) {
      body += bar_elements(bar, y);
      y += kBar + kBarGap;
    }
    if (const auto chance = sections[i].chance())
      body += svg_line(
          {across(*chance), bottom - (kBar + kBarGap) * static_cast<double>(bars.size()) - 6},
          {across(*chance), bottom}, kChanceLook);
    body += svg_text((across(0) + across(1)) / 2, bottom + 34, shares.name,
                     "text-anchor=\"middle\" " + svg_attribute("fill", kQuietInk));
    y = bottom + 56;
  }
  body += bars_legend(y);
  return svg_document(across(1) + kBarNumber + kPictureMargin, y + kPictureMargin + 6,
                      "ReLIT on several language models", body);
}

ShownRun shown_run(const RelitSection& section) {
  std::vector<const RelitSeries*> all = section.bases();
  for (const RelitSeries& series : section.series)
    if (series.task().macro_steps > 1) all.push_back(&series);
  for (const RelitSeries* series : all)
    for (const RelitRun& run : series->runs)
      if (!run.trajectories.empty()) return {series, &run};
  return {};
}

std::string relit_trajectories_svg(const std::vector<RelitSection>& sections) {
  std::string body;
  double y = kPictureMargin, width = 400;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const ShownRun shown = shown_run(sections[i]);
    width = std::max(width, kTitleLetter * static_cast<double>(sections[i].title().size() + 6));
    body +=
        svg_text(kPictureMargin, y + 14, fmt::format("{}. {}", i + 1, sections[i].title()), kBold);
    y += kPictureHeading;
    if (!shown.run) {
      body += svg_text(kPictureMargin, y, "no answers were recorded", "");
      y += kPictureHeading;
      continue;
    }
    body += svg_text(kPictureMargin, y,
                     fmt::format("{} on {}, seed {}: answers after each macro step",
                                 shown.series->title(), shown.series->backbone(), shown.run->seed),
                     svg_attribute("fill", kQuietInk));
    y += 22;
    const auto steps = shown_steps(shown.series->task().macro_steps);
    body += svg_text(kPictureMargin, y, fmt::format("{}, asked for", sections[i].depth_name()),
                     svg_attribute("fill", kQuietInk));
    for (std::size_t k = 0; k < steps.size(); ++k)
      body += svg_text(kPictureMargin + kLabels + kCell * (static_cast<double>(k) + 0.5), y,
                       std::to_string(steps[k]),
                       "text-anchor=\"middle\" " + svg_attribute("fill", kQuietInk));
    y += 8;
    for (const AnswerTrajectory& one : shown.run->trajectories) {
      body += answer_row(one, sections[i].depth_name(), y);
      y += kAnswerRow;
    }
    y += kPictureMargin;
    width =
        std::max(width, kLabels + kCell * static_cast<double>(steps.size()) + 2 * kPictureMargin);
  }
  y += kPictureMargin;
  body += answers_legend(y);
  return svg_document(width, y + 2 * kPictureMargin, "Answers by macro step", body);
}

}  // namespace logdepth
