#include "proofs-check/ledger/depth_laws.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "compiler/passes/compile.hpp"
#include "objects/input_error.hpp"
#include "proofs-check/pictures/svg_text.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

struct Subject {
  std::string name, unit;
  std::vector<std::uint64_t> sizes;
};

/// Sizes on both sides of every step of the depths that occur.
const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {"regular languages", "letters", {1,  2,  3,  4,   5,   8,   9,   16,  17,  32,
                                        33, 64, 65, 128, 129, 256, 257, 512, 513, 1024}},
      {"graph connectivity", "vertices", {1, 2, 3, 4, 5, 6, 8, 9, 10, 16, 17, 18, 32, 33, 34, 64}}};
  return kSubjects;
}

/// Counted on the file for everything up to n, or absent where no file is that large.
std::optional<std::uint64_t> counted_depth(const Model& model, std::uint64_t n) {
  if (n > largest_size(model).value_or(n)) return std::nullopt;
  return depth_at(model, n);
}

DepthSeries claimed_series(const Claim& claim, const std::vector<std::uint64_t>& sizes) {
  DepthSeries series;
  series.name = claim.id + " claimed";
  series.claimed = true;
  series.formula = claim.claimed.text;
  for (const std::uint64_t n : sizes) series.depths.emplace_back(claim.claimed.depth(n));
  return series;
}

DepthSeries measured_series(const Claim& claim, const std::vector<std::uint64_t>& sizes) {
  DepthSeries series;
  series.name = full_name(claim);
  series.form = claim.form;
  if (!claim.family) {
    const Model model = compile(claim.instances.front().program());
    series.formula = depth_formula(model);
    for (const std::uint64_t n : sizes) series.depths.push_back(counted_depth(model, n));
    return series;
  }
  series.formula = "one network per n";
  for (const std::uint64_t n : sizes) {
    std::optional<std::uint64_t> depth;
    try {
      depth = counted_depth(compile(claim.family(n)), n);
    } catch (const SizeLimit&) {  // absent
    }
    series.depths.push_back(depth);
  }
  return series;
}

std::string form_of(const DepthSeries& series) {
  return series.claimed ? "claimed" : form_name(series.form);
}

std::string depth_cell(const std::optional<std::uint64_t>& depth) {
  return depth ? std::to_string(*depth) : "–";
}

// --- the figure ----------------------------------------------------------------------------------

constexpr double kLeft = 56, kTop = 20, kPlotWidth = 520, kPlotHeight = 360, kLegend = 250;
const std::vector<const char*> kColours = {"#b22222", "#1f5fa8", "#2e7d32", "#8e44ad", "#c77700",
                                           "#00838f", "#6d4c41", "#37474f", "#ad1457", "#558b2f"};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

class DepthFigure {
 public:
  explicit DepthFigure(const DepthLaw& law) : law_(law) {
    for (const DepthSeries& series : law.series)
      for (const auto& depth : series.depths)
        if (depth) deepest_ = std::max(deepest_, *depth);
    step_ = deepest_ > 40 ? 10 : deepest_ > 15 ? 5 : 2;
    deepest_ = (deepest_ / step_ + 1) * step_;
    largest_ = std::log2(static_cast<double>(std::max<std::uint64_t>(law.sizes.back(), 2)));
  }

  std::string text() const {
    const double height = kTop + kPlotHeight + 50;
    std::string svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
        number(kLeft + kPlotWidth + kLegend) + "\" height=\"" + number(height) +
        "\" viewBox=\"0 0 " + number(kLeft + kPlotWidth + kLegend) + " " + number(height) +
        "\" font-family=\"DejaVu Sans,Helvetica,Arial,sans-serif\" font-size=\"12\">\n"
        "<title>Depth against size: " +
        xml_text(law_.subject) + "</title>\n";
    axes(svg);
    std::vector<std::pair<const DepthSeries*, std::string>> drawn;  // with its colour
    double legend = kTop + 12;
    for (const DepthSeries& series : law_.series) {
      const auto same = std::find_if(drawn.begin(), drawn.end(), [&](const auto& other) {
        return other.first->depths == series.depths;
      });
      std::string colour = kColours[drawn.size() % kColours.size()];
      if (same == drawn.end()) {
        line(svg, series, colour);
        drawn.emplace_back(&series, colour);
      } else {
        colour = same->second;  // lines that coincide share theirs
      }
      legend_line(svg, series, colour, legend);
      legend += 20;
    }
    return svg + "</svg>\n";
  }

 private:
  double x(std::uint64_t n) const {
    return kLeft + kPlotWidth * std::log2(static_cast<double>(n)) / largest_;
  }
  double y(std::uint64_t depth) const {
    return kTop + kPlotHeight * (1 - static_cast<double>(depth) / static_cast<double>(deepest_));
  }

  void axes(std::string& svg) const {
    const double bottom = kTop + kPlotHeight;
    for (std::uint64_t depth = 0; depth <= deepest_; depth += step_) {
      svg += "<line x1=\"" + number(kLeft) + "\" x2=\"" + number(kLeft + kPlotWidth) + "\" y1=\"" +
             number(y(depth)) + "\" y2=\"" + number(y(depth)) + "\" stroke=\"#dddddd\"/>\n";
      svg += "<text x=\"" + number(kLeft - 8) + "\" y=\"" + number(y(depth) + 4) +
             "\" text-anchor=\"end\">" + std::to_string(depth) + "</text>\n";
    }
    for (std::uint64_t n = 1; n <= law_.sizes.back(); n *= 2) {
      svg += "<line x1=\"" + number(x(n)) + "\" x2=\"" + number(x(n)) + "\" y1=\"" +
             number(bottom) + "\" y2=\"" + number(bottom + 5) + "\" stroke=\"#333333\"/>\n";
      svg += "<text x=\"" + number(x(n)) + "\" y=\"" + number(bottom + 20) +
             "\" text-anchor=\"middle\">" + std::to_string(n) + "</text>\n";
    }
    svg += "<line x1=\"" + number(kLeft) + "\" x2=\"" + number(kLeft + kPlotWidth) + "\" y1=\"" +
           number(bottom) + "\" y2=\"" + number(bottom) + "\" stroke=\"#333333\"/>\n";
    svg += "<text x=\"" + number(kLeft + kPlotWidth / 2) + "\" y=\"" + number(bottom + 40) +
           "\" text-anchor=\"middle\">" + xml_text(law_.unit) + " n (logarithmic)</text>\n";
    svg += "<text transform=\"translate(16 " + number(kTop + kPlotHeight / 2) +
           ") rotate(-90)\" text-anchor=\"middle\">layers</text>\n";
  }

  static std::string dash(const DepthSeries& series) {
    return series.claimed ? " stroke-dasharray=\"6 4\"" : "";
  }

  void line(std::string& svg, const DepthSeries& series, const std::string& colour) const {
    std::string points;
    for (std::size_t i = 0; i < law_.sizes.size(); ++i)
      if (series.depths[i])
        points += (points.empty() ? "" : " ") + number(x(law_.sizes[i])) + "," +
                  number(y(*series.depths[i]));
    svg += "<polyline fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"2\"" + dash(series) +
           " points=\"" + points + "\"/>\n";
    for (std::size_t i = 0; i < law_.sizes.size(); ++i)
      if (series.depths[i])
        svg += "<circle cx=\"" + number(x(law_.sizes[i])) + "\" cy=\"" +
               number(y(*series.depths[i])) + "\" r=\"3\" fill=\"" + colour + "\"><title>" +
               xml_text(series.name) + ", n = " + std::to_string(law_.sizes[i]) + ": " +
               std::to_string(*series.depths[i]) + "</title></circle>\n";
  }

  static void legend_line(std::string& svg, const DepthSeries& series, const std::string& colour,
                          double at) {
    const double left = kLeft + kPlotWidth + 16;
    svg += "<line x1=\"" + number(left) + "\" x2=\"" + number(left + 24) + "\" y1=\"" +
           number(at - 4) + "\" y2=\"" + number(at - 4) + "\" stroke=\"" + colour +
           "\" stroke-width=\"2\"" + dash(series) + "/>\n";
    svg += "<text x=\"" + number(left + 30) + "\" y=\"" + number(at) + "\">" +
           xml_text(series.name) + "</text>\n";
  }

  const DepthLaw& law_;
  std::uint64_t deepest_ = 1, step_ = 1;
  double largest_ = 1;
};

}  // namespace

std::vector<DepthLaw> depth_laws(const std::vector<const Claim*>& claims) {
  std::vector<DepthLaw> laws;
  for (const Subject& subject : subjects()) {
    DepthLaw law{subject.name, subject.unit, subject.sizes, {}};
    std::set<std::string> claimed;
    for (const Claim* claim : claims) {
      if (claim->law != subject.name) continue;
      if (claim->claimed.depth && claimed.insert(claim->id).second)
        law.series.push_back(claimed_series(*claim, law.sizes));
    }
    for (const Claim* claim : claims)
      if (claim->law == subject.name && (claim->family || !claim->instances.empty()))
        law.series.push_back(measured_series(*claim, law.sizes));
    if (!law.series.empty()) laws.push_back(std::move(law));
  }
  return laws;
}

std::string depth_law_markdown(const DepthLaw& law) {
  const auto escaped = [](const std::string& formula) {
    std::string result;
    for (const char c : formula) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
  };
  std::string text = "| | form | depth |", rule = "|---|---|---|";
  for (const std::uint64_t n : law.sizes) {
    text += " " + std::to_string(n) + " |";
    rule += "--:|";
  }
  text += "\n" + rule + "\n";
  for (const DepthSeries& series : law.series) {
    text += "| " + series.name + " | " + form_of(series) + " | " + escaped(series.formula) + " |";
    for (const auto& depth : series.depths) text += " " + depth_cell(depth) + " |";
    text += "\n";
  }
  return text;
}

std::string depth_law_html(const DepthLaw& law) {
  std::string text =
      "<table class=\"law\">\n<tr><th>" + xml_text(law.unit) + "</th><th>form</th><th>depth</th>";
  for (const std::uint64_t n : law.sizes) text += "<th>" + std::to_string(n) + "</th>";
  text += "</tr>\n";
  for (const DepthSeries& series : law.series) {
    text += "<tr><td>" + xml_text(series.name) + "</td><td>" + form_of(series) + "</td><td>" +
            xml_text(series.formula) + "</td>";
    for (const auto& depth : series.depths) text += "<td>" + depth_cell(depth) + "</td>";
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string depth_law_svg(const DepthLaw& law) {
  return DepthFigure(law).text();
}

}  // namespace logdepth
