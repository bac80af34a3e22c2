#include "learned/report/depth_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "learned/report/depth_table_text.hpp"
#include "objects/xml_text.hpp"

namespace logdepth {
namespace {

using Form = ConstructedLaw::Form;

constexpr double kMargin = 16, kLeft = 46, kTop = 34, kPlotWidth = 440, kPlotHeight = 300;
constexpr double kUnderPlot = 48, kPanelWidth = kLeft + kPlotWidth + 26, kLegendLine = 18;
constexpr std::size_t kColumns = 2, kLegendName = 64;
constexpr const char* kQuiet = "#5A5A5A";
constexpr const char* kGrid = "#E6E6E6";
constexpr const char* kPublishedColour = "#000000";
/// Okabe and Ito's hues, darkened for lines on white, for what was learned.
constexpr std::array<const char*, 6> kLearned = {"#D55E00", "#B4508F", "#00875F",
                                                 "#6A3D9A", "#B07D00", "#A3123B"};
/// Cool and quiet ones for what was constructed.
constexpr std::array<const char*, 2> kClaimed = {"#6E6E6E", "#9A9A9A"};
constexpr std::array<const char*, 2> kClaimedDash = {"7 4", "2 3"};
constexpr std::array<const char*, 5> kBuilt = {"#0072B2", "#56B4E9", "#2F4B8F", "#3BA7A0",
                                               "#7FA6D6"};

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

std::string whole(double value) {
  return std::to_string(static_cast<long long>(std::lround(value)));
}

using Points = std::vector<std::pair<double, double>>;  ///< log2 of the size, layers

/// A line of the figure with its place in the legend.
struct Curve {
  std::string name, colour, kind;  ///< kind: the class of the element
  std::string dash;                ///< as SVG writes it; empty: a solid line
  double width = 1.6;
  Points points;
};
std::string dash(const Curve& curve) {
  return curve.dash.empty() ? "" : " stroke-dasharray=\"" + curve.dash + "\"";
}

struct Mark {
  std::string name, colour;
  double x = 0, y = 0;
  bool hollow = false;
};

struct Scene {
  std::string title, size;
  std::vector<Curve> curves;
  std::vector<Mark> marks;
  bool hollow = false;
};

Curve constructed_curve(const ConstructedLaw& law, std::size_t claimed, std::size_t built) {
  Curve curve;
  const bool claim = law.form == Form::claimed;
  curve.name = claim ? law.construction + ", claimed (not built)"
                     : law.construction + ", " + law.encoding + ", " + form_label(law.form) + ": " +
                           law.formula;
  curve.colour = claim ? kClaimed[claimed % kClaimed.size()] : kBuilt[built % kBuilt.size()];
  curve.kind = claim ? "claimed" : "constructed";
  if (claim) curve.dash = kClaimedDash[claimed % kClaimedDash.size()];
  for (const auto& [size, depth] : law.depths)
    curve.points.emplace_back(std::log2(static_cast<double>(size)), static_cast<double>(depth));
  return curve;
}

/// The fitted law between the smallest and the largest reach that it was fitted to. The linear law
/// is bent over a logarithmic axis.
Points fitted_points(const DepthFit& fit) {
  double least = 0, most = 0;
  for (const DepthCell& cell : fit.cells) {
    if (cell.censored || cell.reach < 1) continue;
    least = least == 0 ? cell.reach : std::min(least, cell.reach);
    most = std::max(most, cell.reach);
  }
  const bool linear = fit.preferred == GrowthLaw::linear;
  const LeastSquares& law = linear ? fit.linear.direct : fit.logarithmic.direct;
  const int steps = linear ? 24 : 1;
  const double from = std::log2(least), to = std::log2(most);
  Points points;
  for (int i = 0; i <= steps; ++i) {
    const double x = from + (to - from) * i / steps;
    points.emplace_back(x, law.a * (linear ? std::exp2(x) : x) + law.b);
  }
  return points;
}

void add_learned(Scene& scene, const LearnedRow& row, const std::string& colour) {
  const LearnedSeries& series = row.series;
  const std::string name =
      series_name(series) + ", width " + std::to_string(series.width) + ", " + series.device;
  Curve curve;
  // The law itself is never cut: a slope is not shown without what was censored.
  curve.name = cut_text(name, kLegendName) + ": " + fitted_law_text(series, row.best);
  curve.colour = colour;
  curve.kind = "learned";
  curve.width = 2;
  if (row.best.fitted()) curve.points = fitted_points(row.best);
  scene.curves.push_back(std::move(curve));
  for (const RunPoint& run : series.points) {
    const DepthPoint& point = run.point;
    if (point.reach < 1) continue;
    scene.hollow |= point.censored;
    scene.marks.push_back({name + ", seed " + std::to_string(point.seed) + ": depth " +
                               whole(point.depth) + ", " + series.reach +
                               (point.censored ? " >= " : " = ") + whole(point.reach),
                           colour, std::log2(point.reach), point.depth, point.censored});
  }
}

Scene scene_of(const DepthProblem& problem) {
  Scene scene;
  scene.title = problem.name;
  scene.size = problem.size;
  std::size_t claimed = 0, built = 0, learned = 0;
  for (const ConstructedLaw& law : problem.constructed) {
    if (law.depths.empty()) continue;
    scene.curves.push_back(constructed_curve(law, claimed, built));
    ++(law.form == Form::claimed ? claimed : built);
  }
  if (problem.published) {
    const PublishedLine& line = *problem.published;
    Curve curve;
    curve.name = "published, " + line.source + ": " + line.text;
    curve.colour = kPublishedColour;
    curve.kind = "published";
    curve.dash = "6 4";
    for (const double x : {line.first, line.last})
      curve.points.emplace_back(std::log2(x), line.value(x));
    scene.curves.push_back(std::move(curve));
  }
  for (const LearnedRow& row : problem.learned)
    add_learned(scene, row, kLearned[learned++ % kLearned.size()]);
  return scene;
}

/// The part of a polyline inside 0 <= x <= right, 0 <= y <= high, cut at the edges, as pieces.
std::vector<Points> inside(const Points& line, double right, double high) {
  std::vector<Points> pieces;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto [x1, y1] = line[i - 1];
    const auto [x2, y2] = line[i];
    // Liang and Barsky: the shares of the segment at which it crosses the four edges.
    double from = 0, to = 1;
    const auto cut = [&](double direction, double distance) {  // direction * t <= distance
      if (direction == 0) {
        if (distance < 0) to = -1;
      } else if (direction > 0) {
        to = std::min(to, distance / direction);
      } else {
        from = std::max(from, distance / direction);
      }
    };
    cut(-(x2 - x1), x1);
    cut(x2 - x1, right - x1);
    cut(-(y2 - y1), y1);
    cut(y2 - y1, high - y1);
    if (from >= to) continue;
    const std::pair<double, double> begin = {x1 + from * (x2 - x1), y1 + from * (y2 - y1)};
    if (pieces.empty() || pieces.back().back() != begin) pieces.push_back({begin});
    pieces.back().emplace_back(x1 + to * (x2 - x1), y1 + to * (y2 - y1));
  }
  return pieces;
}

class Panel {
 public:
  /// A panel that shows all, or what lies near the learned points.
  Panel(const Scene& scene, bool near_the_learned) : scene_(scene), near_(near_the_learned) {
    for (const Mark& mark : scene.marks) reach(mark.x, mark.y);
    if (!near_)
      for (const Curve& curve : scene.curves)
        for (const auto& [x, y] : curve.points) reach(x, y);
    right_ = std::max(1.0, std::ceil(right_ + (near_ ? 1 : 0)));
    if (near_) high_ *= 1.5;
    step_ = high_ > 30 ? 10 : high_ > 12 ? 5 : high_ > 5 ? 2 : 1;
    while (high_ > 6 * step_) step_ *= 2;
    high_ = (std::floor(high_ / step_) + 1) * step_;
  }

  std::string draw(double left, double top) {
    left_ = left + kLeft;
    top_ = top + kTop;
    std::string svg = axes();
    for (const Curve& curve : scene_.curves) svg += curve_svg(curve);
    for (const Mark& mark : scene_.marks) svg += mark_svg(mark);
    return svg;
  }

 private:
  void reach(double x, double y) {
    right_ = std::max(right_, x);
    high_ = std::max(high_, y);
  }
  double x(double value) const { return left_ + kPlotWidth * value / right_; }
  double y(double value) const { return top_ + kPlotHeight * (1 - value / high_); }

  static std::string text(double at, double y, const std::string& content,
                          const std::string& style) {
    return "<text x=\"" + number(at) + "\" y=\"" + number(y) + "\" " + style + ">" +
           xml_text(content) + "</text>\n";
  }
  static std::string segment(double x1, double y1, double x2, double y2, const char* colour) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
           "\" y2=\"" + number(y2) + "\" stroke=\"" + colour + "\"/>\n";
  }

  std::string axes() const {
    const double bottom = top_ + kPlotHeight, end = left_ + kPlotWidth;
    std::string svg =
        text(left_ - 30, top_ - 14, scene_.title + (near_ ? ", near what was learned" : ""),
             "font-weight=\"bold\"");
    for (double value = 0; value <= high_; value += step_) {
      svg += segment(left_, y(value), end, y(value), kGrid);
      svg += text(left_ - 7, y(value) + 4, whole(value), "text-anchor=\"end\"");
    }
    for (double value = 0; value <= right_; ++value) {
      svg += segment(x(value), bottom, x(value), bottom + 4, "#333333");
      svg += text(x(value), bottom + 18, whole(std::exp2(value)), "text-anchor=\"middle\"");
    }
    svg += segment(left_, bottom, end, bottom, "#333333");
    return svg + text(left_ + kPlotWidth / 2, bottom + 36,
                      scene_.size + " (logarithmic); layers upwards",
                      "text-anchor=\"middle\" fill=\"" + std::string(kQuiet) + "\"");
  }

  std::string curve_svg(const Curve& curve) const {
    std::string svg;
    for (const Points& piece : inside(curve.points, right_, high_)) {
      std::string points;
      for (const auto& [at, value] : piece)
        points += (points.empty() ? "" : " ") + number(x(at)) + "," + number(y(value));
      svg += "<polyline class=\"" + curve.kind + "\" fill=\"none\" stroke=\"" + curve.colour +
             "\" stroke-width=\"" + number(curve.width) + "\"" + dash(curve) + " points=\"" +
             points + "\"><title>" + xml_text(curve.name) + "</title></polyline>\n";
    }
    return svg;
  }

  std::string mark_svg(const Mark& mark) const {
    return "<circle cx=\"" + number(x(mark.x)) + "\" cy=\"" + number(y(mark.y)) +
           "\" r=\"3.6\" fill=\"" + (mark.hollow ? "white" : mark.colour) + "\" stroke=\"" +
           (mark.hollow ? mark.colour : "white") + "\" stroke-width=\"1.4\"><title>" +
           xml_text(mark.name) + "</title></circle>\n";
  }

  const Scene& scene_;
  bool near_;
  double left_ = 0, top_ = 0, right_ = 0, high_ = 1, step_ = 1;
};

/// One line under the panel for every curve, and what hollow points are.
std::string legend(const Scene& scene, double left, double top) {
  std::string svg;
  double at = top;
  const auto entry = [&](const std::string& mark, const std::string& name) {
    svg += "<g transform=\"translate(" + number(left + kLeft) + " " + number(at) + ")\">" + mark +
           "<text x=\"32\" y=\"4\" font-size=\"11\">" + xml_text(name) + "</text></g>\n";
    at += kLegendLine;
  };
  for (const Curve& curve : scene.curves) {
    const std::string dot = curve.kind == "learned"
                                ? "<circle cx=\"12\" cy=\"0\" r=\"3.6\" fill=\"" + curve.colour +
                                      "\" stroke=\"white\"/>"
                                : "";
    entry("<line x1=\"0\" y1=\"0\" x2=\"24\" y2=\"0\" stroke=\"" + curve.colour +
              "\" stroke-width=\"" + number(curve.width) + "\"" + dash(curve) + "/>" + dot,
          curve.name);
  }
  if (scene.hollow)
    entry("<circle cx=\"12\" cy=\"0\" r=\"3.6\" fill=\"white\" stroke=\"" + std::string(kQuiet) +
              "\" stroke-width=\"1.4\"/>",
          "censored: nothing larger was asked for");
  return svg;
}

double legend_height(const Scene& scene) {
  return kLegendLine * static_cast<double>(scene.curves.size() + (scene.hollow ? 1 : 0));
}

}  // namespace

std::string depth_figure_svg(const DepthTable& table) {
  std::vector<Scene> scenes;
  for (const DepthProblem& problem : table.problems) scenes.push_back(scene_of(problem));
  std::string body;
  double top = kMargin, row_legend = 0;
  std::size_t column = 0;
  const auto next_row = [&] {
    if (column == 0) return;
    top += kTop + kPlotHeight + kUnderPlot + row_legend + 24;
    column = 0;
    row_legend = 0;
  };
  for (const Scene& scene : scenes) {
    const bool near = !scene.marks.empty();
    if (near) next_row();  // both panels side by side
    const double left = kMargin + kPanelWidth * static_cast<double>(column);
    body += Panel(scene, false).draw(left, top);
    body += legend(scene, left, top + kTop + kPlotHeight + kUnderPlot + 8);
    row_legend = std::max(row_legend, legend_height(scene));
    ++column;
    if (near) body += Panel(scene, true).draw(kMargin + kPanelWidth, top);
    if (near || column == kColumns) next_row();
  }
  next_row();
  const double width = 2 * kMargin + kColumns * kPanelWidth;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" +
         number(top) + "\" viewBox=\"0 0 " + number(width) + " " + number(top) +
         "\" font-family=\"DejaVu Sans,Helvetica,Arial,sans-serif\" font-size=\"12\">\n"
         "<title>Depth against size</title>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         body + "</svg>\n";
}

}  // namespace logdepth
