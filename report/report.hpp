#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
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

/// Null without a value.
template <class Value>
Data or_null(const std::optional<Value>& value) {
  return value ? Data(*value) : Data();
}

/// A number at a place, as a curve shows it.
struct CurvePoint {
  double x = 0;
  Range number;       ///< of one seed where there is one value
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

// A report is data and a page that shows it. Texts are Markdown within a line: **bold**, `code`; what
// is of any origin goes through markdown_text.

struct Table {
  std::vector<std::string> headings;
  std::size_t first_number = std::string::npos;  ///< columns from here on are set to the right
  std::vector<std::vector<std::string>> rows = {};
};

struct File {
  std::string name;  ///< without a folder
  std::string text;
};

struct Report {
  std::string name;  ///< of its files: NAME.md
  std::string title;
  std::string page = {};            ///< Markdown below the title
  Data data = {};                   ///< NAME.json
  std::vector<File> pictures = {};  ///< as SVG

  /// A paragraph; a heading is one that begins with ##, a picture one that names its file.
  Report& add(const std::string& paragraph);
  Report& add(const Table& table);
  Report& add_list(const std::vector<std::string>& items);
};

std::string markdown(const Report& report);

/// NAME.md, NAME.json (one JSON object, ended by a newline) and the pictures. The same report gives the same bytes.
std::vector<File> files_of(const Report& report);

}  // namespace logdepth::report
