#include "learned/language_model/measurement_figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"

namespace logdepth::inline learned_language_model {
namespace {

constexpr double kMargin = 16, kWidth = 600, kHeight = 240, kBelow = 22;
constexpr double kLegendLeft = 52, kColumn = 300;
constexpr std::size_t kLongestName = 60;
/// Encoder, block that thinks, decoder: as the paper's figure 1 colours them.
constexpr std::array kPartColours = {"#0072B2", "#00875F", "#D55E00"};
constexpr double kPartOpacity = 0.14;

/// Of more loops of the same block.
constexpr std::array kLoopDashes = {"", "6 3", "2 3"};

/// A stretch of the legend's line as a patch.
SeriesStyle patch(const char* colour) {
  return {colour, "", 10};
}

struct MeasurementChart {
  LineChart chart;
  Legend legend;
};

/// "layer" from 0 on, with half a layer of room at either end.
Axis layer_axis(std::uint32_t layers, const std::string& name) {
  Axis axis = counting_axis(layers, name, 16);
  axis.from = -0.5;
  axis.to = layers - 0.5;
  std::erase_if(axis.ticks, [&](const Tick& tick) { return tick.at > axis.to; });
  return axis;
}

std::string model_title(const MeasuredModel& model, const MeasuredText& text) {
  return fmt::format("{}, {} layers, {} sequences of {} tokens at most",
                     cut_text(model.name, kLongestName), model.layers, text.sequences, text.length);
}

report::Picture picture_of(const std::string& file, const std::string& title,
                           const std::vector<MeasurementChart>& charts) {
  report::Picture picture{file, title, 0, kMargin};
  for (const MeasurementChart& one : charts) {
    picture.strips.push_back(
        {{{report::drawing(one.chart), kMargin},
          {report::drawing(one.legend), kMargin + kLegendLeft, chart_height(one.chart)}},
         kBelow});
    picture.width = std::max(picture.width, chart_width(one.chart) + 2 * kMargin);
  }
  return picture;
}

/// The layers from `first` to `last`, as high as the plot.
PlotArea part_area(double first, double last, const Axis& y, const char* colour,
                   const std::string& title) {
  return {{{first - 0.5, y.from}, {last - 0.5, y.from}, {last - 0.5, y.to}, {first - 0.5, y.to}},
          colour,
          kPartOpacity,
          title};
}

// --- distances -----------------------------------------------------------------------------------

/// The parabola of a curve, at layer(i) for its i-th point.
template <class Layer>
PlotSeries parabola_series(const char* name, const char* colour, const std::vector<double>& curve,
                           Layer layer) {
  constexpr int kPieces = 8;  // of a layer
  PlotSeries series{name, {colour, "5 4", 1.4}};
  if (curve.size() < 3) return series;
  const Parabola fit = fit_parabola(curve);
  for (std::size_t i = 0; i <= kPieces * (curve.size() - 1); ++i) {
    const double x = static_cast<double>(i) / kPieces;
    series.line.emplace_back(layer(x), fit.value(x));
  }
  return series;
}

/// A knee as a ring on the curve, and as an entry of the legend that says where it is.
PlotSeries knee_series(const std::string& name, const char* colour, const std::optional<Knee>& knee,
                       std::size_t layer, const std::vector<double>& distances) {
  if (!knee) return {name + ": none", {colour}};
  const std::string text = fmt::format("{}: {} ({})", name, knee->at, fixed_text(knee->exact, 2));
  PlotSeries series{text, {colour}};
  series.marks.push_back({{static_cast<double>(layer), distances[layer]}, text, MarkShape::ring});
  return series;
}

MeasurementChart angular_chart(const AngularDistances& measured) {
  const std::vector<double>& distances = measured.distances;
  const std::uint32_t layers = measured.model.layers;
  const LayerCut cut = measured.cut();
  const CutKnees knees = cut_knees(distances);
  MeasurementChart drawn;
  LineChart& chart = drawn.chart;
  chart.title = model_title(measured.model, measured.text);
  chart.width = kWidth;
  chart.height = kHeight;
  chart.x = layer_axis(layers, "layer");
  PlotSeries curve{"angular distance d(l, l + 1), the last token", {kInk}};
  PlotArea band{{}, kInk, 0.18, "one standard error"};
  double most = 0.05;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const PlotPoint at = {static_cast<double>(layer), distances[layer]};
    curve.line.push_back(at);
    curve.marks.push_back({at, fmt::format("layer {}: {}", layer, fixed_text(at.second, 4))});
    band.corners.emplace_back(at.first, at.second + measured.standard_errors[layer]);
    most = std::max(most, band.corners.back().second);
  }
  for (std::size_t layer = layers; layer-- > 0;)
    band.corners.emplace_back(layer,
                              std::max(0.0, distances[layer] - measured.standard_errors[layer]));
  chart.y = decimal_axis(most, "share of a half turn");
  const std::array<std::pair<const char*, std::uint32_t>, 3> parts = {
      {{"encoder", cut.encoder}, {"think", cut.think}, {"decoder", cut.decoder}}};
  double first = 0;
  std::vector<LegendEntry> patches;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [name, size] = parts[i];
    const std::string title = fmt::format("{}: {} layers", name, size);
    if (size > 0)
      chart.areas.push_back(part_area(first, first + size, chart.y, kPartColours[i], title));
    patches.push_back({title, patch(kPartColours[i])});
    first += size;
  }
  chart.areas.push_back(std::move(band));
  const double last = layers - 1.0;
  chart.series = {parabola_series("parabola from the first layer on", kPartColours[0], distances,
                                  [](double x) { return x; }),
                  parabola_series("parabola from the last layer back", kPartColours[2],
                                  decoder_curve(distances), [&](double x) { return last - x; }),
                  std::move(curve),
                  knee_series("knee from the first layer", kPartColours[0], knees.encoder,
                              knees.encoder ? knees.encoder->at : 0, distances),
                  knee_series("knee from the last layer", kPartColours[2], knees.decoder,
                              knees.decoder ? layers - 1 - knees.decoder->at : 0, distances)};
  for (const PlotSeries& series : chart.series)
    drawn.legend.entries.push_back(legend_entry(series));
  for (LegendEntry& entry : patches) drawn.legend.entries.push_back(std::move(entry));
  drawn.legend.columns = 2;
  drawn.legend.column_width = kColumn;
  return drawn;
}

// --- loops ---------------------------------------------------------------------------------------

bool is_cut(const LoopedShape& shape, const std::optional<LayerCut>& cut) {
  return cut && shape.encoder == cut->encoder && shape.think == cut->think;
}

MeasurementChart loops_chart(const LoopsPicture& picture) {
  const LoopsWithoutTraining& measured = picture.measured;
  const std::uint32_t layers = measured.model.layers;
  MeasurementChart drawn;
  LineChart& chart = drawn.chart;
  chart.title = model_title(measured.model, measured.text);
  chart.width = kWidth;
  chart.height = kHeight;
  double lowest = 0, highest = 0.05;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const LoopedShape*>> lines;
  for (const LoopedShape& shape : measured.shapes) {
    lines[{shape.think, shape.loops}].push_back(&shape);
    lowest = std::min(lowest, shape.difference - shape.difference_error);
    highest = std::max(highest, shape.difference + shape.difference_error);
  }
  chart.x = layer_axis(layers, "first layer of the block");
  chart.y = signed_axis(lowest, highest, "loss added (nats per token)");
  if (picture.cut) {
    const std::string title =
        fmt::format("layers of the block that {} chooses", layer_cut_text(*picture.cut));
    chart.areas.push_back(part_area(picture.cut->encoder, picture.cut->encoder + picture.cut->think,
                                    chart.y, kPartColours[1], title));
  }
  chart.series.push_back({"", {kQuietInk, "2 3", 1.2}, {{chart.x.from, 0}, {chart.x.to, 0}}});
  SeriesLooks looks;
  std::size_t sizes = 0, same_size = 0;
  std::uint32_t size = 0;
  for (const auto& [key, shapes] : lines) {
    const auto& [think, loops] = key;
    if (think != size) ++sizes;
    same_size = think == size ? same_size + 1 : 0;
    size = think;
    const char* ink = kHues.at((sizes - 1) % kHues.size());
    PlotSeries series{fmt::format("block of {} layers, {} times", think, loops),
                      looks.next({ink, kLoopDashes.at(same_size % kLoopDashes.size())})};
    PlotArea band{{}, ink, 0.15, series.name + ": one standard error"};
    for (const LoopedShape* shape : shapes) {
      const PlotPoint at = {shape->encoder, shape->difference};
      series.line.push_back(at);
      series.marks.push_back(
          {at,
           fmt::format("{}: {} ± {}", looped_shape_text(*shape), signed_text(shape->difference, 3),
                       fixed_text(shape->difference_error, 3)),
           is_cut(*shape, picture.cut) ? MarkShape::ring : MarkShape::dot});
      band.corners.emplace_back(shape->encoder, shape->difference + shape->difference_error);
    }
    for (auto it = shapes.rbegin(); it != shapes.rend(); ++it)
      band.corners.emplace_back((*it)->encoder, (*it)->difference - (*it)->difference_error);
    chart.areas.push_back(std::move(band));
    drawn.legend.entries.push_back({series.name, series.style, MarkShape::dot});
    chart.series.push_back(std::move(series));
  }
  if (picture.cut) {
    drawn.legend.entries.push_back({"layers of the chosen block", patch(kPartColours[1])});
    drawn.legend.entries.push_back(
        {"chosen cut " + layer_cut_text(*picture.cut), {kInk}, MarkShape::ring, false});
  }
  drawn.legend.columns = 2;
  drawn.legend.column_width = kColumn;
  return drawn;
}

}  // namespace

report::Picture angular_picture(const std::string& file,
                                const std::vector<AngularDistances>& measured) {
  std::vector<MeasurementChart> charts;
  for (const AngularDistances& one : measured) charts.push_back(angular_chart(one));
  return picture_of(file, "Angular distances and the cut of the layers", charts);
}

report::Picture model_loops_picture(const std::string& file,
                                    const std::vector<LoopsPicture>& pictures) {
  std::vector<MeasurementChart> charts;
  for (const LoopsPicture& one : pictures) charts.push_back(loops_chart(one));
  return picture_of(file, "Loss of pretrained models with a block looped without training", charts);
}

}  // namespace logdepth::inline learned_language_model
