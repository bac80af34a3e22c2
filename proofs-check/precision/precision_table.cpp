#include "proofs-check/precision/precision_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <tuple>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "runtime/numbers/float_text.hpp"

namespace logdepth::inline proofs_check_precision {
namespace {

constexpr const char* kForm = "# logdepth report precision 1";
constexpr const char* kColumns = "quantity,what,scores,size,tokens,value,weights";
constexpr const char* kFirstWrong = "first-wrong-position";
constexpr const char* kNone = "none";
constexpr std::size_t kFields = 7;
using Fields = std::array<std::string, kFields>;

std::string first_line(std::uint64_t seed, const std::string& version) {
  return fmt::format("{} version {} seed {}", kForm, version, seed);
}

std::string line_of(const Fields& fields) {
  std::string line;
  for (std::size_t i = 0; i < kFields; ++i) line += (i == 0 ? "" : ",") + fields[i];
  return line + "\n";
}

Fields fields_of_point(const PrecisionPoint& point) {
  return {quantity_name(point.quantity),
          point.series,
          scores_name(point.scores),
          std::to_string(point.size),
          std::to_string(point.tokens),
          point.value ? shortest_text(*point.value) : kNone,
          point.weights};
}

/// `size` is the limit of the search.
Fields fields_of_position(const FirstWrong& found) {
  return {kFirstWrong,
          std::string(position_key_name(found.key)) + "/" + float_format_name(found.format),
          score_form_name(found.form),
          std::to_string(found.limit),
          "",
          found.position ? std::to_string(*found.position) : kNone,
          ""};
}

template <class T>
bool read(std::string_view text, T& value) {
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && next == text.data() + text.size() && !text.empty();
}

bool read_position(const Fields& fields, FirstWrong& found) {
  for (const PositionKey key : kPositionKeys)
    for (const FloatFormat format : kFloatFormats)
      for (const ScoreForm form : kScoreForms) {
        FirstWrong candidate{key, format, form, std::nullopt, 0};
        const Fields written = fields_of_position(candidate);
        if (written[1] != fields[1] || written[2] != fields[2]) continue;
        found = candidate;
        std::uint64_t position = 0;
        if (!read(fields[3], found.limit)) return false;
        if (fields[5] == kNone) return true;
        if (!read(fields[5], position)) return false;
        found.position = position;
        return true;
      }
  return false;
}

bool read_point(const Fields& fields, PrecisionPoint& point) {
  const auto quantity = quantity_named(fields[0]);
  const auto& all = precision_series();
  if (!quantity ||
      std::none_of(all.begin(), all.end(), [&](const auto& s) { return s.name == fields[1]; }))
    return false;
  point.quantity = *quantity;
  point.series = fields[1];
  point.scores = fields[2] == scores_name(FloatOptions::Scores::product)
                     ? FloatOptions::Scores::product
                     : FloatOptions::Scores::distance;
  point.weights = fields[6];
  if (fields[2] != scores_name(point.scores)) return false;
  double value = 0;
  if (fields[5] != kNone) {
    if (!read(fields[5], value) || !(value > 0)) return false;
    point.value = value;
  }
  return read(fields[3], point.size) && read(fields[4], point.tokens);
}

std::size_t place(const std::string& series) {
  const auto& all = precision_series();
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == series; }) -
      all.begin());
}

}  // namespace

const PrecisionPoint* PrecisionTable::find(const PrecisionPoint& question,
                                           const std::string& weights) const {
  for (const PrecisionPoint& point : points)
    if (point.same_question(question) && point.weights == weights) return &point;
  return nullptr;
}

const FirstWrong* PrecisionTable::find(const FirstWrong& question) const {
  for (const FirstWrong& found : first_wrong)
    if (found.key == question.key && found.format == question.format &&
        found.form == question.form && found.limit == question.limit)
      return &found;
  return nullptr;
}

std::string print_precision_table(const PrecisionTable& table, std::uint64_t seed,
                                  const std::string& version) {
  // However the points came together, the same ones give the same bytes.
  std::vector<PrecisionPoint> points = table.points;
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    const auto key = [](const PrecisionPoint& p) {
      return std::tuple(p.quantity, place(p.series), p.scores, p.size);
    };
    return key(a) < key(b);
  });
  std::vector<FirstWrong> positions = table.first_wrong;
  std::stable_sort(positions.begin(), positions.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.limit, a.key, a.format, a.form) <
           std::tuple(b.limit, b.key, b.format, b.form);
  });
  std::string text = first_line(seed, version) + "\n" + kColumns + "\n";
  for (const PrecisionPoint& point : points) text += line_of(fields_of_point(point));
  for (const FirstWrong& found : positions) text += line_of(fields_of_position(found));
  return text;
}

PrecisionTable parse_precision_table(const std::string& text, const std::string& source,
                                     std::uint64_t seed, const std::string& version) {
  const auto lines = lines_of(text);
  if (lines.size() < 2 || !lines[0].starts_with(kForm) || lines[1] != kColumns)
    throw InputError(source + ": expected the raw points of an earlier report precision");
  if (lines[0] != first_line(seed, version))
    throw InputError(source + ": holds points of " + in_quotes(lines[0].substr(2)) + ", expected " +
                     in_quotes(first_line(seed, version).substr(2)) +
                     "; choose another folder, or remove the file");
  PrecisionTable table;
  for (std::size_t line = 2; line < lines.size(); ++line) {
    const auto refuse = [&] {
      throw InputError(
          fmt::format("{}, line {}: is not a point, expected {}; remove the line, or the file",
                      source, line + 1, kColumns));
    };
    Fields fields;
    std::size_t field = 0;
    for (const char c : lines[line]) {
      if (c != ',') {
        fields[field] += c;
      } else if (++field == kFields) {
        refuse();
      }
    }
    if (field + 1 != kFields) refuse();
    if (fields[0] == kFirstWrong) {
      if (!read_position(fields, table.first_wrong.emplace_back())) refuse();
    } else if (!read_point(fields, table.points.emplace_back())) {
      refuse();
    }
  }
  return table;
}

}  // namespace logdepth::inline proofs_check_precision
