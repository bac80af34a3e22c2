#include "learned/encode_think_decode/charts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"

namespace logdepth::etd {
namespace {

using report::cell_text;
using report::Data;

constexpr double kPage = 760, kMargin = 16, kHeading = 28;
// Of plots inside their axes: 78 is what stands beside them.
constexpr double kHalf = (kPage - 2 * kMargin) / 2 - 78, kThird = (kPage - 2 * kMargin) / 3 - 78;
constexpr double kHigh = 190, kLow = 130;
constexpr std::size_t kLongestTitle = 90;
/// Of ModelConfig::Router without `none`, in its order.
constexpr std::array kRouterColours = {"#D55E00", "#B4508F", "#7A7A7A"};
constexpr std::array kRouterMarks = {MarkShape::dot, MarkShape::ring, MarkShape::cross};

/// Lines of changes in per cent over k = 1 ... `most`, from 0 at k = 1.
struct Changes {
  std::vector<PlotSeries> lines;
  SeriesLooks looks;
  double lowest = -1, highest = 1, most = 2;

  PlotSeries& line(const std::string& name) {
    return lines.emplace_back(PlotSeries{name, looks.next({kHues[lines.size() % kHues.size()]})});
  }
  void add(double loops, double change, const std::string& error = "") {
    PlotSeries& line = lines.back();
    line.line.emplace_back(loops, change);
    line.marks.push_back(
        {{loops, change},
         fmt::format("{}, k = {}: {} %{}", line.name, loops, signed_text(change, 1), error)});
    lowest = std::min(lowest, change);
    highest = std::max(highest, change);
    most = std::max(most, loops);
  }
};

Changes published_changes(const Data& published) {
  Changes changes;
  const Data& rows = published.at("loops");
  for (std::size_t group = 0; group < published.at("groups").size(); ++group) {
    changes.line(published["groups"][group]);
    const auto accuracy = [&](const Data& row) { return row["accuracy"][group].get<double>(); };
    for (const Data& row : rows)
      changes.add(row["loops"], 100 * (accuracy(row) / accuracy(rows.front()) - 1));
  }
  return changes;
}

Changes our_changes(const SectionData& all) {
  Changes changes;
  for (const std::string& kind : all.section.kinds) {
    changes.line(kind);
    for (const Series* series : all.section.fixed()) {
      const Data& change = of_kind(all.row_of(*series).data, "change", kind);
      if (change.is_null() || change["relative"].is_null()) continue;
      const Data &relative = change["relative"], &error = relative["error"];
      changes.add(series->shape.passes, 100 * report::number_of(relative),
                  error.is_null() ? "" : " ± " + fixed_text(100 * error.get<double>(), 1));
    }
  }
  return changes;
}

/// The axis of passes, with room before one pass.
Axis loops_axis(double most, const char* name) {
  Axis axis = counting_axis(most, name);
  axis.from = 0.5;
  std::erase_if(axis.ticks, [](const Tick& tick) { return tick.at < 0.5; });
  return axis;
}

void add_changes(report::Strip& strip, const char* title, Changes changes, double left) {
  LineChart chart{title, loops_axis(changes.most, "iterations k"),
                  signed_axis(changes.lowest, changes.highest, "per cent")};
  chart.series = std::move(changes.lines);
  chart.width = kHalf;
  chart.height = kHigh;
  Legend legend;
  legend.columns = 2;
  legend.column_width = kHalf / 2;
  for (const PlotSeries& line : chart.series) legend.entries.push_back(legend_entry(line));
  const double below = chart_height(chart);
  strip.parts.push_back({report::drawing(std::move(chart)), left});
  strip.parts.push_back({report::drawing(std::move(legend)), left + 52, below});
}

const SeriesStyle kFixedStyle = {kHues[0], "", 1.8};

LineChart kind_chart(const SectionData& all, const std::string& kind) {
  LineChart chart{kind, {}, share_axis("right")};
  chart.width = kThird;
  chart.height = kLow;
  PlotSeries fixed{kind + ", fixed k", kFixedStyle};
  PlotArea band{{}, kHues[0], 0.15, "one standard error"};
  PlotLine lower;
  for (const Series* series : all.section.fixed()) {
    const Data& mean = of_kind(all.row_of(*series).data, "accuracy", kind);
    if (mean.is_null()) continue;
    const PlotPoint at = {series->shape.passes, report::number_of(mean)};
    const auto [least, most] = report::ends_of(mean);
    fixed.line.push_back(at);
    fixed.marks.push_back({at, fmt::format("k = {}: {}", series->shape.passes, cell_text(mean))});
    band.corners.emplace_back(at.first, std::min(1.0, most));
    lower.emplace_back(at.first, std::max(0.0, least));
  }
  band.corners.insert(band.corners.end(), lower.rbegin(), lower.rend());
  chart.areas.push_back(std::move(band));
  chart.series.push_back(std::move(fixed));
  SeriesLooks looks;
  for (const Series* series : all.section.adaptive()) {
    const Data& data = all.row_of(*series).data;
    const Data &mean = of_kind(data, "accuracy", kind), &loops = of_kind(data, "loops", kind);
    if (mean.is_null() || loops.is_null()) continue;
    const std::size_t router = static_cast<std::size_t>(series->shape.router) - 1;
    const std::string name = shape_name(series->shape);
    chart.series.push_back({name, looks.next({kRouterColours.at(router)})});
    chart.series.back().marks.push_back(
        {{report::number_of(loops), report::number_of(mean)},
         fmt::format("{}: {} in {} passes", name, cell_text(mean), cell_text(loops)),
         kRouterMarks.at(router)});
  }
  chart.x = loops_axis(report::largest(chart, {2, 0}).first, "mean passes of the block");
  return chart;
}

Legend kinds_legend() {
  Legend legend;
  legend.columns = 4;
  legend.column_width = (kPage - 2 * kMargin) / 4;
  legend.entries.push_back({"k = 1, 2, ...", kFixedStyle, MarkShape::dot});
  for (std::size_t i = 0; i < kRouterColours.size(); ++i)
    legend.entries.push_back(
        {std::string("adaptive, ") + router_name(static_cast<ModelConfig::Router>(i + 1)),
         {kRouterColours[i]},
         kRouterMarks[i],
         false});
  return legend;
}

}  // namespace

report::Picture loops_picture(const std::vector<SectionData>& sections, const Data& published) {
  report::Picture picture{"etd.svg", "Encode, Think, Decode: iterations of a block of layers",
                          kPage, kMargin};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const SectionData& all = sections[i];
    const std::string title =
        cut_text(fmt::format("{}. {}", i + 1, all.section.title()), kLongestTitle);
    picture.strips.push_back({{{report::heading(title, kHeading, 16), kMargin}}});
    report::Strip& changes = picture.strips.emplace_back(report::Strip{{}, kMargin});
    add_changes(changes, "published: change to k = 1, OLMo 2 1B", published_changes(published),
                kMargin);
    add_changes(changes, "ours: change to k = 1", our_changes(all),
                kMargin + changes.parts.front().part.width);
    const std::vector<std::string> kinds = all.section.columns();
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (k % 3 == 0) picture.strips.emplace_back();
      const LineChart chart = kind_chart(all, kinds[k]);
      picture.strips.back().parts.push_back(
          {report::drawing(chart), kMargin + static_cast<double>(k % 3) * chart_width(chart)});
    }
    picture.strips.back().below = kMargin / 2;
    picture.strips.push_back({{{report::drawing(kinds_legend()), kMargin}}, kMargin});
  }
  return picture;
}

}  // namespace logdepth::etd
