#include "report/pictures/nearest_direction.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"

namespace logdepth::inline report_pictures {
namespace {

using Vector = PlaneQuestion::Vector;

constexpr int kDigits = 4;

DirectionCircle::Direction drawn(const Vector& vector, std::string name) {
  return {vector[0].approximate().value, vector[1].approximate().value, std::move(name)};
}

bool is_drawn(const Vector& vector) {
  return vector[0].sign() >= 0 && vector[1].sign() >= 0 && vector[0].sign() + vector[1].sign() > 0;
}

Real squared_length(const Vector& vector) {
  return vector[0] * vector[0] + vector[1] * vector[1];
}

}  // namespace

std::optional<PlaneQuestion> last_question(const HeadRows<ValueId>& rows, const ValuePool& pool) {
  if (rows.score_dimension() != 2 || rows.tokens() == 0) return std::nullopt;
  const auto vector = [&](std::span<const ValueId> ids) {
    return Vector{pool[ids[0]], pool[ids[1]]};
  };
  PlaneQuestion question{vector(rows.query(rows.tokens() - 1)), {}};
  for (std::size_t token = 0; token < rows.tokens(); ++token)
    question.keys.push_back(vector(rows.key(token)));
  return question;
}

std::optional<DirectionCircle> nearest_direction(const PlaneQuestion& question,
                                                 const std::vector<std::size_t>& selected,
                                                 std::size_t token) {
  const Vector& query = question.query;
  const std::vector<Vector>& keys = question.keys;
  if (selected.size() != 1 || !is_drawn(query) || !std::ranges::all_of(keys, is_drawn))
    return std::nullopt;
  const Real length = squared_length(keys.front());
  if (!std::ranges::all_of(keys, [&](const Vector& k) { return squared_length(k) == length; }))
    return std::nullopt;
  const auto same_direction = [&](const Vector& key) {
    return query[0] * key[1] == query[1] * key[0];
  };
  if (std::ranges::any_of(keys, same_direction)) return std::nullopt;
  DirectionCircle circle;
  for (std::size_t i = 0; i < keys.size(); ++i)
    circle.directions.push_back(drawn(keys[i], std::to_string(i)));
  circle.nearest = selected.front();
  circle.asked = drawn(query, "");
  if (circle.asked.y > 0) circle.asked.name = short_text(circle.asked.x / circle.asked.y, kDigits);
  circle.meaning = fmt::format("query of token {}: selects the key nearest in angle", token);
  return circle;
}

}  // namespace logdepth::inline report_pictures
