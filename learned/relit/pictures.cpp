#include "learned/relit/pictures.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "base/xml_text.hpp"
#include "report/figures/axis.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth::relit {
namespace {

constexpr double kPictureMargin = 16, kPictureHeading = 34;

using report::Data;

void add_title(report::Picture& picture, const Section& section, std::size_t number) {
  picture.strips.push_back(
      {{{report::heading(fmt::format("{}. {}", number + 1, section.title()), kPictureHeading, 14),
         kPictureMargin}}});
}

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

std::string bar_elements(const Bottleneck& bar, double top) {
  const Data& numbers = bar.row.data;
  const Data& accuracy = numbers.at("relit");
  const double median = report::number_of(accuracy);
  std::string svg = svg_text(kPictureMargin + kBarNames - 10, top + 15,
                             cut_text(bar.name, kNameLetters), "text-anchor=\"end\"");
  svg += svg_rect({across(0), top}, kBarScale * median, kBar, svg_attribute("fill", kHues[0]),
                  fmt::format("ReLIT on {}: {}", bar.name, fixed_text(median, 3)));
  const auto [least, most] = report::ends_of(accuracy);
  if (report::seeds_of(accuracy) > 1)
    svg += svg_line({across(least), top + kBar / 2}, {across(most), top + kBar / 2}, kWhiskerLook);
  for (const auto& [name, look] :
       {std::pair("one_pass", kOnceLook), std::pair("linear_probe", kProbeLook)})
    if (const Data& other = numbers.at(name); !other.is_null())
      svg += upright(report::number_of(other), top, look);
  return svg + svg_text(across(1) + 12, top + 15, fixed_text(median, 3), "");
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

/// The answers of a run, from the text above them on.
std::string answer_elements(const Run& run, const std::string& title, const std::string& depth_name,
                            const std::vector<std::size_t>& steps, double y) {
  const std::string quiet = svg_attribute("fill", kQuietInk);
  std::string svg = svg_text(
      kPictureMargin, y,
      fmt::format("{}, seed {}: answers after each macro step", title, run.end.seed), quiet);
  y += 22;
  svg += svg_text(kPictureMargin, y, depth_name + ", target", quiet);
  for (std::size_t k = 0; k < steps.size(); ++k)
    svg += svg_text(kPictureMargin + kLabels + kCell * (static_cast<double>(k) + 0.5), y,
                    std::to_string(steps[k]), "text-anchor=\"middle\" " + quiet);
  y += 8;
  for (const AnswerTrajectory& one : run.trajectories) {
    svg += answer_row(one, depth_name, y);
    y += kAnswerRow;
  }
  return svg;
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
  add("answer at the halting step", "fill=\"white\" stroke=\"#111111\" stroke-width=\"2\"");
  return svg;
}

}  // namespace

report::Picture bottleneck_picture(const std::vector<SectionData>& sections) {
  const Axis shares = share_axis("accuracy");
  report::Picture picture{"relit-bottleneck.svg", "ReLIT on several language models",
                          across(1) + kBarNumber + kPictureMargin, kPictureMargin};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const SectionData& section = sections[i];
    const double height = (kBar + kBarGap) * static_cast<double>(section.bottlenecks.size());
    const auto draw = [section, shares, height](PlotPoint corner) {
      double y = corner.second;
      const double top = y - 6, bottom = y + height;
      std::string svg;
      for (const Tick& tick : shares.ticks) {
        svg += svg_line({across(tick.at), top}, {across(tick.at), bottom},
                        svg_attribute("stroke", kGridInk));
        svg += svg_text(across(tick.at), bottom + 16, tick.text, "text-anchor=\"middle\"");
      }
      for (const Bottleneck& bar : section.bottlenecks) {
        svg += bar_elements(bar, y);
        y += kBar + kBarGap;
      }
      if (const auto chance = section.section.chance())
        svg += svg_line({across(*chance), top}, {across(*chance), bottom}, kChanceLook);
      return svg + svg_text((across(0) + across(1)) / 2, bottom + 34, shares.name,
                            "text-anchor=\"middle\" " + svg_attribute("fill", kQuietInk));
    };
    add_title(picture, section.section, i);
    picture.strips.push_back({{{{0, height + 56, draw}}}});
  }
  const auto legend = [](PlotPoint corner) { return bars_legend(corner.second); };
  picture.strips.push_back({{{{0, kPictureMargin + 6, legend}}}});
  return picture;
}

report::Picture trajectory_picture(const std::vector<SectionData>& sections) {
  report::Picture picture{"relit-trajectories.svg", "Answers by macro step", 400, kPictureMargin};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i].section;
    const ShownRun shown = shown_run(section);
    picture.width =
        std::max(picture.width, kTitleLetter * static_cast<double>(section.title().size() + 6));
    add_title(picture, section, i);
    if (!shown.run) {
      picture.strips.push_back({{{{0, kPictureHeading, [](PlotPoint corner) {
                                     return svg_text(kPictureMargin, corner.second,
                                                     "no answers were recorded", "");
                                   }}}}});
      continue;
    }
    const auto steps = shown_steps(shown.series->task().macro_steps);
    const auto rows = static_cast<double>(shown.run->trajectories.size());
    picture.strips.push_back(
        {{{{0, 22 + 8 + kAnswerRow * rows,
            [=, depth = std::string(section.depth_name()), title = shown.series->on_backbone(),
             run = *shown.run](PlotPoint corner) {
              return answer_elements(run, title, depth, steps, corner.second);
            }}}},
         kPictureMargin});
    picture.width = std::max(
        picture.width, kLabels + kCell * static_cast<double>(steps.size()) + 2 * kPictureMargin);
  }
  const auto legend = [](PlotPoint corner) { return answers_legend(corner.second); };
  picture.strips.push_back({{{{0, 2 * kPictureMargin, legend}, 0, kPictureMargin}}});
  return picture;
}

}  // namespace logdepth::relit
