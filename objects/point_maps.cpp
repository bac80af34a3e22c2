#include "objects/point_maps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {
namespace {

using Json = nlohmann::json;

/// A list of numbers from `first` on; absent for anything else.
std::optional<Transformation> points_of(const Json& list, State first) {
  const auto is_point = [&](const Json& one) {
    return one.is_number_unsigned() && one >= first && one < first + kMostPoints;
  };
  if (!list.is_array() || !std::ranges::all_of(list, is_point)) return std::nullopt;
  auto points = list.get<Transformation>();
  for (State& point : points) point -= first;
  return points;
}

Transformation images_of(std::string_view text) {
  auto images = points_of(Json::parse(text, nullptr, false), 0);
  if (!images || images->empty() ||
      *std::max_element(images->begin(), images->end()) >= images->size())
    throw InputError("expected the images of the points 0, 1, ..., as [1,2,0], found " +
                     in_quotes(text));
  return *std::move(images);
}

/// The permutation of disjoint cycles, of as many points as the largest needs.
Transformation cycles_of(std::string_view text) {
  // As JSON: (1,2,3)(4,5) is [[1,2,3],[4,5]].
  std::string lists = "[";
  for (const char c : text) {
    if (c == '(' && lists.size() > 1) lists += ',';
    lists += c == '(' ? '[' : c == ')' ? ']' : c;
  }
  const Json cycles = Json::parse(lists + "]", nullptr, false);
  Transformation images;
  std::set<State> moved;
  bool right = cycles.is_array();
  for (std::size_t i = 0; right && i < cycles.size(); ++i) {
    const auto along = points_of(cycles[i], 1);
    right = along.has_value();
    for (std::size_t k = 0; right && k < along->size(); ++k) {
      const State from = (*along)[k];
      while (images.size() <= from) images.push_back(static_cast<State>(images.size()));
      images[from] = (*along)[(k + 1) % along->size()];
      right = moved.insert(from).second;
    }
  }
  if (!right)
    throw InputError("expected cycles of points from 1, each point once, as (1,2,3)(4,5), found " +
                     in_quotes(text));
  return images;
}

}  // namespace

std::vector<Transformation> parse_maps(std::string_view text) {
  std::vector<Transformation> maps;
  for (const std::string_view one : fields_of(text)) {
    maps.push_back(images_of(one));
    if (maps.back().size() != maps.front().size())
      throw InputError(fmt::format("expected maps of {}, as the first, found {}",
                                   counted(maps.front().size(), "point"), in_quotes(one)));
  }
  return maps;
}

std::vector<Transformation> read_generators(std::string_view text, const std::string& source) {
  std::vector<Transformation> generators;
  std::size_t points = 0;
  bool as_images = false;  // the first line, and so all
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i].substr(0, lines[i].find('#'));
    if (fields_of(line).empty()) continue;
    if (generators.empty()) as_images = fields_of(line).front().front() == '[';
    try {
      generators.push_back(as_images ? images_of(line) : cycles_of(line));
    } catch (const InputError& error) {
      throw InputError(source, i + 1, error.what());
    }
    const std::size_t moved = generators.back().size();
    if (as_images && points > 0 && moved != points)
      throw InputError(
          source, i + 1,
          fmt::format("expected the images of {}, found {}", counted(points, "point"), moved));
    points = std::max(points, moved);
  }
  if (points == 0) throw InputError(source + ": expected a generator in each line, found none");
  for (Transformation& map : generators)
    while (map.size() < points) map.push_back(static_cast<State>(map.size()));
  return generators;
}

}}  // namespace logdepth::objects
