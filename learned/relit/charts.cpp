#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "learned/relit/pictures.hpp"
#include "report/figures/colours.hpp"

namespace logdepth::relit {
namespace {

using report::Curve;
using report::CurvePoint;
using report::Data;

constexpr double kPage = 760, kMargin = 16, kHeading = 30, kColumn = (kPage - kMargin) / 2;
// Of plots inside their axes: 78 is what stands beside them.
constexpr double kPlotWidth = kColumn - 78, kPlotHeight = 180;
constexpr std::size_t kLegendName = 52;
constexpr const char *kOnceDash = "6 3", *kProbeDash = "2 3";
constexpr double kOpacity = 0.12;
const SeriesStyle kChanceStyle = {kQuietInk, "5 4", 1.2};

struct Shown {
  const Series* series = nullptr;
  const Data* data = nullptr;
  SeriesStyle style;

  std::string name() const { return series->on_backbone(); }
  CurvePoint point(double at, const Data& number, const std::string& x, int digits) const {
    return {at, number,
            fmt::format("{}, {} {}: {}", name(), x, short_text(at, 6),
                        fixed_text(report::number_of(number), digits))};
  }
  void add(LineChart& chart, std::vector<CurvePoint> points) const {
    report::add_curve(
        chart, {.name = name(), .style = style, .points = std::move(points), .opacity = kOpacity});
  }
};

/// ReLIT, one pass and linear probes where they were trained on the most samples: a colour for each
/// backbone.
std::vector<Shown> shown_series(const SectionData& all) {
  std::vector<std::string> backbones;
  std::vector<Shown> shown;
  SeriesLooks looks;
  for (std::size_t i = 0; i < all.section.series.size(); ++i) {
    const Series& series = all.section.series[i];
    const bool once = series.is(RelitMethod::one_pass),
               probe = series.is(RelitMethod::linear_probe);
    if (!once && !probe && !series.changes.empty()) continue;
    if (!all.section.has_most_samples(series)) continue;
    const auto found = std::ranges::find(backbones, series.backbone());
    const auto colour = static_cast<std::size_t>(found - backbones.begin());
    if (found == backbones.end()) backbones.push_back(series.backbone());
    shown.push_back({&series, &all.rows[i].data,
                     looks.next({kHues[colour % kHues.size()],
                                 once    ? kOnceDash
                                 : probe ? kProbeDash
                                         : "",
                                 1.8})});
  }
  return shown;
}

/// What a chart shows of a series: at every item of a list, a number over another.
struct Over {
  const char *list, *x, *number;
  int digits = 3;
};

/// The charts of a section.
class Charts {
 public:
  explicit Charts(const SectionData& all)
      : all_(all), section_(all.section), shown_(shown_series(all)) {}

  std::vector<report::Strip> strips(std::size_t number) const {
    const std::string& depth = section_.depth_name();
    const Over accuracy{"by_proof_depth", "depth", "accuracy"},
        after{"by_macro_step", "step", "accuracy"},
        halting{"by_proof_depth", "depth", "mean_halting", 2},
        change{"by_macro_step", "step", "change"};
    const Axis halts = counting_axis(section_.most_macro_steps(), "mean macro step of the halt");
    std::vector<report::Strip> all = {
        {{{report::heading(fmt::format("{}. {}", number, section_.title()), kHeading, 18),
           kMargin}}},
        beside(chart("accuracy at the halt by " + depth, share_axis("accuracy"), accuracy, true),
               chart("accuracy after each macro step", share_axis("accuracy"), after, true)),
        beside(chart("mean halting by " + depth, halts, halting, false),
               chart("change of the answer's state", change_axis(), change, false)),
        {}};
    const LineChart samples = by_samples();
    const bool any = !samples.series.empty();
    if (any) all.back().parts.push_back({report::drawing(samples), kMargin});
    if (const Heatmap halted = halting_histogram(); !halted.rows.empty())
      all.back().parts.push_back({report::drawing(halted), kMargin + (any ? kColumn : 0)});
    all.push_back({{{report::drawing(legend()), kMargin, 4}}, kMargin - 4});
    return all;
  }

 private:
  static report::Strip beside(LineChart left, LineChart right) {
    return {{{report::drawing(std::move(left)), kMargin},
             {report::drawing(std::move(right)), kMargin + kColumn}}};
  }

  static LineChart plot(const std::string& title, Axis x, Axis y) {
    LineChart chart{title, std::move(x), std::move(y)};
    chart.width = kPlotWidth;
    chart.height = kPlotHeight;
    return chart;
  }

  void add_chance(LineChart& chart) const {
    if (const auto chance = section_.chance())
      chart.series.push_back(
          {"guessing", kChanceStyle, {{chart.x.from, *chance}, {chart.x.to, *chance}}});
  }

  LineChart chart(const std::string& title, Axis y, const Over& over, bool chance) const {
    const bool depths = over.x == std::string("depth");
    const std::string x = depths ? section_.depth_name() : "macro step";
    LineChart chart = plot(
        title, counting_axis(depths ? section_.depths().back() : section_.most_macro_steps(), x),
        std::move(y));
    if (chance) add_chance(chart);
    for (const Shown& shown : shown_) {
      if (over.number == std::string("mean_halting") && !shown.series->may_halt()) continue;
      std::vector<CurvePoint> points;
      for (const Data& item : shown.data->at(over.list))
        if (const Data& number = item.at(over.number); !number.is_null())
          points.push_back(shown.point(item.at(over.x), number, x, over.digits));
      shown.add(chart, std::move(points));
    }
    return chart;
  }

  Axis change_axis() const {
    double most = 0.01;
    for (const Shown& shown : shown_)
      for (const Data& item : shown.data->at("by_macro_step"))
        if (const Data& change = item.at("change"); !change.is_null())
          most = std::max(most, report::ends_of(change).second);
    return decimal_axis(most, "|change| / |state before|");
  }

  /// Of the series that were trained on several numbers of samples; without them nothing.
  LineChart by_samples() const {
    LineChart chart = plot("accuracy by training samples", {}, share_axis("accuracy"));
    std::vector<std::pair<Shown, std::vector<CurvePoint>>> all;
    for (const Shown& shown : shown_) {
      const auto found = section_.by_samples(*shown.series);
      if (found.size() < 2) continue;
      auto& points = all.emplace_back(shown, std::vector<CurvePoint>()).second;
      for (const Series* series : found)
        points.push_back(shown.point(std::log2(series->task().training_samples),
                                     report::data_of(series->accuracy()), "log2 of the samples",
                                     3));
    }
    if (all.empty()) return chart;
    double least = all.front().second.front().x, most = least;
    for (const auto& [shown, points] : all) {
      least = std::min(least, points.front().x);
      most = std::max(most, points.back().x);
    }
    chart.x = doubling_axis(least, most, "training samples");
    add_chance(chart);
    for (const auto& [shown, points] : all) shown.add(chart, points);
    return chart;
  }

  /// Of the first base: the share of the samples of each depth that halt after each macro step.
  Heatmap halting_histogram() const {
    Heatmap map;
    const auto bases = section_.bases();
    if (bases.empty()) return map;
    const Series& base = *bases.front();
    const Data& data = all_.rows[static_cast<std::size_t>(&base - section_.series.data())].data;
    map.title = "share of samples that halt there";
    map.subtitle = cut_text(base.on_backbone(), kLegendName);
    map.row_name = section_.depth_name();
    map.column_name = "macro step";
    const auto steps = shown_steps(base.task().macro_steps);
    for (const std::size_t step : steps) map.columns.push_back(std::to_string(step));
    const auto add_row = [&](const std::string& name, const Data& counts) {
      double all = 0;
      for (const Data& count : counts) all += count.get<double>();
      map.rows.push_back(name);
      map.values.emplace_back();
      for (const std::size_t step : steps)
        map.values.back().push_back(counts.at(step - 1).get<double>() / all);
    };
    for (const Data& score : data.at("by_proof_depth"))
      if (!score.at("halting").is_null()) add_row(score.at("depth").dump(), score.at("halting"));
    add_row("all", data.at("halting"));
    return map;
  }

  Legend legend() const {
    Legend legend;
    legend.columns = 2;
    legend.column_width = kColumn;
    for (const Shown& shown : shown_)
      legend.entries.push_back({cut_text(shown.name(), kLegendName), shown.style, MarkShape::dot});
    if (section_.chance()) legend.entries.push_back({"guessing", kChanceStyle});
    legend.entries.push_back({"from least to most of the seeds", {"#DADADA", "", 10}});
    return legend;
  }

  const SectionData& all_;
  const Section& section_;
  std::vector<Shown> shown_;
};

}  // namespace

report::Picture accuracy_picture(const std::vector<SectionData>& sections) {
  report::Picture picture{"relit.svg", "ReLIT on a frozen language model", kPage, kMargin};
  for (std::size_t i = 0; i < sections.size(); ++i)
    for (report::Strip& strip : Charts(sections[i]).strips(i + 1))
      picture.strips.push_back(std::move(strip));
  return picture;
}

}  // namespace logdepth::relit
