#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/statistics.hpp"

namespace logdepth::report {

/// What a report is about, as its JSON file has it: tables and charts show parts of it, so that a
/// number is put together once and is the same in all of them.
using Data = nlohmann::ordered_json;

/// In a cell.
inline constexpr const char* kNothing = "–";

/// RANGE: "median", "least", "most" and the number of "seeds".
Data data_of(const std::optional<Range>& range);
/// MEAN: "mean", "standard_error" (null of one) and the number of "seeds". Of a report that calls it
/// so, cells and charts take "error" for it too.
Data data_of(const std::optional<Mean>& mean);
/// Null without a value.
template <class Value>
Data or_null(const std::optional<Value>& value) {
  return value ? Data(*value) : Data();
}

/// How a number is written.
struct Format {
  int digits = 3;         ///< after the point
  bool sign = false;      ///< also of what is not negative
  bool shortest = false;  ///< no more digits than needed, and that many in all
};
/// A cell, in Markdown. Numbers as the format says; whole ones as they are; of a RANGE "0.81 (0.80
/// to 0.83)", the median alone of one seed; of a MEAN "0.81 ± 0.01"; items with commas; null:
/// kNothing.
std::string cell_text(const Data& data, const Format& format = {});
/// The number of data that have one: the median, the mean, or the number itself.
double number_of(const Data& data);
/// From the least to the most of a RANGE; a standard error on either side of a MEAN; else the number.
std::pair<double, double> ends_of(const Data& data);
/// Of how many seeds a number is; 1 of a plain one, 0 of null.
std::size_t seeds_of(const Data& data);

}  // namespace logdepth::report
