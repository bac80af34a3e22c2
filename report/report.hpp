#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/figures/line_chart.hpp"

namespace logdepth::report {

// Numbers of several measures of the same thing, as of training runs that differ in the seed only.

/// The middle value, the mean of the two in the middle of an even number of values.
std::optional<double> median(std::vector<double> values);

struct Range {
  double median = 0, least = 0, most = 0;
  std::size_t seeds = 0;
};
/// Absent without values.
std::optional<Range> range_of(const std::vector<double>& values);

/// What a report is about, as its JSON file has it: tables and charts show parts of it, so that a
/// number is put together once and is the same in all of them.
using Data = nlohmann::ordered_json;

/// In a cell.
inline constexpr const char* kNothing = "–";

/// RANGE: "median", "least", "most" and the number of "seeds".
Data data_of(const std::optional<Range>& range);
/// Null without a value.
template <class Value>
Data or_null(const std::optional<Value>& value) {
  return value ? Data(*value) : Data();
}

/// The median of a RANGE, or the number itself.
double number_of(const Data& data);
/// From the least to the most of a RANGE; else the number.
std::pair<double, double> ends_of(const Data& data);
/// Of how many seeds a number is; 1 of a plain one, 0 of null.
std::size_t seeds_of(const Data& data);

/// A part of a picture, its upper left corner at a place.
struct Drawing {
  double width = 0, height = 0;
  std::function<std::string(PlotPoint corner)> draw;
};
Drawing drawing(LineChart chart);
Drawing drawing(Legend legend);

struct Placed {
  Drawing part;
  double left = 0, down = 0;  ///< from the left edge of the picture, the top of the strip
};
/// Parts beside each other. The next strip begins so far below the lowest of them.
struct Strip {
  std::vector<Placed> parts;
  double below = 0;
};

/// Strips below each other, in a file of its own.
struct Picture {
  std::string file, title;
  double width = 0, top = 0;
  std::vector<Strip> strips = {};
};
std::string picture_svg(const Picture& picture);

/// A number at a place, as a curve shows it.
struct CurvePoint {
  double x = 0;
  Data number;        ///< a number or a RANGE
  std::string title;  ///< for a reader who points at it
};
struct Curve {
  std::string name;
  SeriesStyle style;
  std::vector<CurvePoint> points;
  MarkShape shape = MarkShape::dot;
};
/// Line and marks; behind them the band between the ends of the numbers, where one is of several
/// seeds. Nothing without points.
void add_curve(LineChart& chart, const Curve& curve);
/// The largest x and y of curves, bands included; at least these.
PlotPoint largest(const LineChart& chart, PlotPoint least = {0, 0});

// A report is data and a page of blocks that show it. Texts are Markdown within a line: **bold**,
// `code`; what is of any origin goes through markdown_text.

struct Heading {
  std::string text;
  int level = 2;
};
/// A paragraph.
struct Prose {
  std::string text;
};
struct List {
  std::vector<std::string> items;
};
struct Table {
  std::vector<std::string> headings;
  std::size_t first_number = std::string::npos;  ///< columns from here on are set to the right
  std::vector<std::vector<std::string>> rows = {};
};
/// A picture of the report, by its file.
struct Figure {
  std::string file, meaning;
};
using Block = std::variant<Heading, Prose, List, Table, Figure>;

struct File {
  std::string name;  ///< without a folder
  std::string text;
};

struct Report {
  std::string name;  ///< of its files: NAME.md
  std::string title;
  std::vector<Block> blocks = {};
  Data data = {};                   ///< NAME.json
  std::vector<File> pictures = {};  ///< as SVG

  template <class Part>
  Report& add(Part block) {
    blocks.emplace_back(std::move(block));
    return *this;
  }
  Report& add(const std::string& paragraph) { return add(Prose{paragraph}); }
  Report& add(const char* paragraph) { return add(Prose{paragraph}); }
  Report& add_picture(const Picture& picture) {
    pictures.push_back({picture.file, picture_svg(picture)});
    return *this;
  }
};

std::string markdown(const Report& report);
/// One JSON object, ended by a newline.
std::string json(const Report& report);

/// NAME.md, NAME.json and the pictures. The same report gives the same bytes.
std::vector<File> files_of(const Report& report);

}  // namespace logdepth::report
