#include "tests/support/token_courses.hpp"

#include <algorithm>
#include <set>

#include "compiler/rules/statement_cells.hpp"

namespace logdepth::support {
namespace {

using Growth = Course::Growth;

/// With the division of p by some m >= 1, R = (p, m), Q the position nearest to p/m and its floor.
Courses division_of_positions(const std::string& floor) {
  return {{"I", Growth::position, true},
          {"R", Growth::strict, true},
          {"Q", Growth::never_falls, true},
          {floor, Growth::never_falls, true}};
}

}  // namespace

Courses courses_of_divisions() {
  Courses courses = division_of_positions("B");
  courses.push_back({"i", Growth::position, true, true});
  courses.push_back({"C"});
  return courses;
}

Courses courses_of_connectivity() {
  Courses courses = division_of_positions("U");
  courses.push_back({"T", Growth::never_falls, true});
  courses.push_back({"J"});
  courses.push_back({"K"});
  return courses;
}

void bound_by_courses(Moments& moments, const Courses& courses, const Model& model) {
  const auto bound = [&](TokenRanges& token, std::uint32_t at) {
    Range range = token[at];
    if (range == Range{}) return;
    range.unbounded_below = false;
    range.low = std::max(range.low, Rational(0));
    hold(token, model, at, range);
  };
  for (Moments::Layer& layer : moments.layers)
    for (auto* tokens : {&layer.attention, &layer.feedforward})
      for (TokenRanges& token : *tokens)
        for (const Course& course : courses)
          for (const std::uint32_t at : model.cells.at(course.cell).coordinates) bound(token, at);
}

TokenOrder::TokenOrder(const Program& program, const Model& model, const Courses& courses,
                       const std::vector<bool>& live, const SparseVector& mask)
    : model_(model), live_(live), courses_(courses) {
  for (const Course& course : courses)
    for (const std::uint32_t i : {0u, 1u})
      places_[model.cells.at(course.cell).coordinates.at(i)] = {&course, i};
  if (const auto one = constant_cell(program))
    places_[model.cells.at(program.cells[*one].name).coordinates.at(0)] = {};
  for (const GivenCell& given : program.given)
    if (given.holds == GivenCell::Holds::natural)
      for (const std::uint32_t i : model.cells.at(program.cells[given.cell].name).coordinates)
        common_numbers_.insert(i);
  common_ = norm_is_common(program, mask);
}

/// Under layer norm every coordinate has a mirror, its negative.
std::pair<std::uint32_t, Rational> TokenOrder::unmirrored(std::uint32_t coordinate) const {
  const std::uint32_t half = model_.width / 2;
  if (model_.norm == Norm::layernorm && coordinate >= half) return {coordinate - half, -1};
  return {coordinate, 1};
}

Bilinear TokenOrder::unmirrored(const Bilinear& form) const {
  Bilinear own;
  for (const auto& [place, factor] : form) {
    const auto [asking, sign] = unmirrored(place.first);
    const auto [asked, other_sign] = unmirrored(place.second);
    own[{asking, asked}] += sign * other_sign * factor;
  }
  std::erase_if(own, [](const auto& entry) { return entry.second.is_zero(); });
  return own;
}

/// Constants, flags, and whole cells whose squared norm is one number, their mirrors beside them; or one
/// raw pair alone.
bool TokenOrder::norm_is_common(const Program& program, const SparseVector& mask) {
  Coordinates kept;
  for (const auto& [coordinate, factor] : factors(mask))
    if (live_[coordinate]) kept[coordinate] = factor.abs();
  const auto factor_of = [&](std::uint32_t coordinate) {
    const auto found = kept.find(coordinate);
    return found == kept.end() ? Rational(0) : found->second;
  };
  const std::uint32_t half = model_.norm == Norm::layernorm ? model_.width / 2 : 0;
  std::size_t cells = 0, raws = 0;
  for (const Cell& cell : program.cells) {
    const auto& coordinates = model_.cells.at(cell.name).coordinates;
    const Rational factor = factor_of(coordinates.front());
    for (const std::uint32_t at : coordinates) {
      if (half > 0 && factor_of(at) != factor_of(at + half)) return false;
      if (factor_of(at) != factor) return false;
    }
    if (factor.is_zero()) continue;
    ++cells;
    if (!std::holds_alternative<NumberType>(cell.type)) continue;
    ++raws;
    const auto raw = std::ranges::find_if(
        courses_, [&](const Course& course) { return course.raw && course.cell == cell.name; });
    if (raw == courses_.end()) return false;
    raw_ = &*raw;
  }
  return raws == 0 || cells == 1;
}

/// What a coordinate behind the mask is, as far as it is known to order tokens.
std::optional<TokenOrder::Place> TokenOrder::place(std::uint32_t coordinate) const {
  const auto found = places_.find(coordinate);
  if (found == places_.end() || !live_[coordinate]) return std::nullopt;
  const Course* course = found->second.course;
  if (course && course->raw && course != raw_) return std::nullopt;
  return found->second;
}

/// With (x, 1)/sqrt(x^2+1) in the cell, a x x' + b over sqrt(x'^2+1) is largest at x' = x among 0 <= x' <= x
/// if a >= b, and a > 0 or b < 0: its derivative has the sign of a x - b x'. What else is in the score may
/// only add what does not fall from token to token: x'/sqrt(x'^2+1) grows with x', 1/sqrt(x'^2+1) falls. At
/// x = 0 all that the token sees has x' = 0.
bool TokenOrder::own_is_best(const Bilinear& score, const Course& of) const {
  if (of.growth == Growth::unknown || (of.raw && &of != raw_)) return false;
  const auto& at = model_.cells.at(of.cell).coordinates;
  const auto factor = [&](std::uint32_t i) {
    const auto found = score.find({at[i], at[i]});
    return found == score.end() ? Rational(0) : found->second;
  };
  const Rational a = factor(0), b = factor(1);
  if (!live_[at[0]] || a < b || (a.sign() <= 0 && b.sign() >= 0)) return false;
  return std::ranges::all_of(score, [&](const auto& entry) {
    const auto& [pair, weight] = entry;
    if (pair.first == pair.second && (pair.first == at[0] || pair.first == at[1])) return true;
    const auto asking = place(pair.first), asked = place(pair.second);
    if (!asking || !asked) return false;
    if (!asked->course) return true;  // the same for every token that is asked
    if (asked->course->growth == Growth::unknown) return false;
    if (!of.strict() && asked->course != &of) return false;
    return weight.sign() == (asked->component == 0 ? 1 : -1);
  });
}

const Course* TokenOrder::own_is_best(const Bilinear& score) const {
  if (!common_) return nullptr;
  const Bilinear own = unmirrored(score);
  for (const Course& course : courses_)
    if (own_is_best(own, course)) return &course;
  return nullptr;
}

/// The score is the cosine of the angle between (a x, b) and (p', 1) up to a factor: with a <= b and x <= p
/// it falls from p' = p on.
bool TokenOrder::later_are_worse(const Bilinear& score) const {
  if (!common_) return false;
  std::map<std::pair<const Course*, const Course*>, std::vector<Rational>> pairs;
  for (const auto& [pair, weight] : unmirrored(score)) {
    const auto asking = place(pair.first), asked = place(pair.second);
    if (!asking || !asked || !asking->course || !asked->course ||
        asking->component != asked->component)
      return false;
    auto& factors = pairs[{asking->course, asked->course}];
    factors.resize(2);
    factors[asked->component] = weight;
  }
  if (pairs.size() != 1) return false;
  const auto& [courses, factors] = *pairs.begin();
  return courses.first->at_most_position && courses.second->growth == Growth::position &&
         factors[0].sign() >= 0 && factors[1].sign() > 0 && factors[0] <= factors[1];
}

/// The score is a multiple of the cosine of the angle between (a, b) and (p', 1), with a/b >= 0 rational and
/// b > 0: no two positions have the largest one (the lemmas of `nearest`, compiler/lemmas/head_schema.cpp).
bool TokenOrder::one_is_best(const Bilinear& score) const {
  if (!common_) return false;
  std::set<const Course*> asking_cells, asked_cells;
  bool second_positive = false;
  for (const auto& [pair, weight] : unmirrored(score)) {
    const auto asking = place(pair.first), asked = place(pair.second);
    if (!asking || !asking->course || !asked || !asked->course || weight.sign() < 0) return false;
    asking_cells.insert(asking->course);
    asked_cells.insert(asked->course);
    second_positive = second_positive || (asking->component == 1 && asked->component == 1);
  }
  return second_positive && asking_cells.size() == 1 && asked_cells.size() == 1 &&
         (*asked_cells.begin())->growth == Growth::position;
}

bool TokenOrder::never_falls(const Coordinates& form) const {
  return std::ranges::all_of(form, [&](const auto& entry) {
    const auto [coordinate, sign] = unmirrored(entry.first);
    if (!live_[coordinate] || common_numbers_.contains(coordinate)) return true;
    const auto found = places_.find(coordinate);
    if (found == places_.end()) return false;
    const auto& [course, component] = found->second;
    if (!course || (course->raw && component == 1)) return true;
    return course->growth != Growth::unknown &&
           (sign * entry.second).sign() == (component == 0 ? 1 : -1);
  });
}

}  // namespace logdepth::support
