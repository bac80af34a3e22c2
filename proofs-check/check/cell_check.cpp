#include "proofs-check/check/cell_check.hpp"

#include <algorithm>
#include <set>

#include "runtime/file/cell_lifetimes.hpp"

namespace logdepth::inline proofs_check_check {
namespace {

std::optional<BrokenCell::Rule> rule_of(const std::string& type) {
  if (type == "flag") return BrokenCell::Rule::flag;
  if (type == "onehot") return BrokenCell::Rule::onehot;
  if (type == "direction") return BrokenCell::Rule::direction;
  if (type == "constant") return BrokenCell::Rule::constant;
  return std::nullopt;
}

}  // namespace

CellCheck::CellCheck(const Model& model, Exact& arithmetic)
    : model_(model), arithmetic_(arithmetic) {
  if (model.cells.empty()) return;
  std::set<std::uint32_t> named;
  // What a raw stream holds is what it is given: Lemma A.1 reads (z, 1) where a unit vector may stand.
  const auto* input = std::get_if<CellsInput>(&model.input);
  const auto given = [&](std::uint32_t c) { return input && c < input->names.size(); };
  for (const auto& [name, cell] : model.cells) {
    const auto type =
        std::ranges::any_of(cell.coordinates, given) ? std::nullopt : rule_of(cell.type);
    cells_.push_back({name, cell.coordinates, type, cell.lifetime == kScratchLifetime,
                      cell.lifetime == kErasedLifetime});
    named.insert(cell.coordinates.begin(), cell.coordinates.end());
  }
  // The compiler gives cells the first half of the coordinates and mirrors them in the second.
  const std::uint32_t half = model.width / 2;
  const bool mirrors = model.norm == Norm::layernorm && model.width % 2 == 0 &&
                       (named.empty() || *named.rbegin() < half);
  for (std::uint32_t c = 0; c < (mirrors ? half : model.width); ++c) {
    if (!named.contains(c)) unnamed_.push_back(c);
    if (mirrors) mirrored_.push_back(c);
  }
  const Segments segments = segments_of(model);
  parts_.resize(segments.size());
  const auto part_of = [&](std::uint32_t c) -> Part& { return parts_[segments.place[c].segment]; };
  for (std::size_t i = 0; i < cells_.size(); ++i)
    for (const std::uint32_t c : cells_[i].coordinates)
      if (auto& cells = part_of(c).cells; cells.empty() || cells.back() != i) cells.push_back(i);
  for (const std::uint32_t c : unnamed_) part_of(c).unnamed.push_back(c);
  for (const std::uint32_t c : mirrored_) {
    Part &of_cell = part_of(c), &of_mirror = part_of(c + model.width / 2);
    of_cell.mirrored.push_back(c);
    if (&of_mirror != &of_cell) of_mirror.mirrored.push_back(c);
  }
}

void CellCheck::before(const Location& location, const Stream<ValueId>& stream) {
  if (location.step != 1 || location.sublayer != Sublayer::attention) return;
  begin();
  look({0, 0, Sublayer::feedforward}, stream);
}

void CellCheck::after(const Location& location, const Stream<ValueId>& stream) {
  look(location, stream);
}

void CellCheck::begin() {
  units_.clear();
  negatives_.clear();
  constants_.clear();
  seen_.reset();
  one_ = arithmetic_.number(Rational(1));
  minus_one_ = arithmetic_.number(Rational(-1));
}

/// The squared norm is 1; of four coordinates, which are two circles, 2.
bool CellCheck::unit(const std::vector<ValueId>& values) {
  const auto [found, added] = units_.try_emplace(values, false);
  if (added) {
    Real square;
    for (const ValueId v : values) square = square + arithmetic_.pool()[v] * arithmetic_.pool()[v];
    found->second = square == Real(1) || (values.size() == 4 && square == Real(2));
  }
  return found->second;
}

ValueId CellCheck::negated(ValueId value) {
  if (arithmetic_.is_zero(value)) return value;
  if (value >= negatives_.size()) negatives_.resize(value + 1, ValuePool::kZero);
  if (arithmetic_.is_zero(negatives_[value]))
    negatives_[value] = arithmetic_.multiply(Rational(-1), value);
  return negatives_[value];
}

bool CellCheck::allowed(const Cell& cell) {
  const auto zero = [&](ValueId v) { return arithmetic_.is_zero(v); };
  if (!cell.type) return true;
  if (*cell.type == BrokenCell::Rule::constant) {
    const auto [first, added] = constants_.try_emplace(cell.name, held_.front());
    return !zero(held_.front()) && first->second == held_.front();
  }
  if (all_zero()) return true;
  if (*cell.type == BrokenCell::Rule::flag)
    return std::ranges::all_of(held_, [&](ValueId v) { return v == one_ || v == minus_one_; });
  if (*cell.type == BrokenCell::Rule::onehot)
    return std::ranges::count_if(held_, [&](ValueId v) { return !zero(v); }) == 1 &&
           std::ranges::count(held_, one_) == 1;
  return unit(held_);
}

void CellCheck::hold(const Cell& cell, const Stream<ValueId>& stream, std::size_t token) {
  held_.clear();
  for (const std::uint32_t c : cell.coordinates) held_.push_back(stream.at(token, c));
}

bool CellCheck::all_zero() const {
  return std::ranges::all_of(held_, [&](ValueId v) { return arithmetic_.is_zero(v); });
}

bool CellCheck::is_mirrored(std::uint32_t c, const Stream<ValueId>& stream, std::size_t token) {
  return negated(stream.at(token, c)) == stream.at(token, c + model_.width / 2);
}

bool CellCheck::change_is_right(const Stream<ValueId>& stream, std::size_t token) {
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    if (seen_ && stream.id(token, s) == seen_->id(token, s)) continue;
    for (const std::size_t i : parts_[s].cells)
      if (hold(cells_[i], stream, token); !allowed(cells_[i])) return false;
    for (const std::uint32_t c : parts_[s].unnamed)
      if (!arithmetic_.is_zero(stream.at(token, c))) return false;
    for (const std::uint32_t c : parts_[s].mirrored)
      if (!is_mirrored(c, stream, token)) return false;
  }
  return true;
}

void CellCheck::look(const Location& location, const Stream<ValueId>& stream) {
  if (broken_ || cells_.empty()) return;
  const std::size_t last_repeated = model_.shape.initial + model_.shape.repeated;
  const bool layer_ends = location.step > 0 && location.sublayer == Sublayer::feedforward;
  const bool loop_ends =
      layer_ends && model_.shape.repeated > 0 && location.layer + 1 == last_repeated;
  // With a final block the run ends there, without one with the last loop; either is also the end of
  // the file, and what is erased before a loop that follows stays erased.
  const bool run_ends = layer_ends && location.layer + 1 == model_.layers.size();
  const auto blank = [&](const Cell& cell) {
    return (cell.scratch && (loop_ends || run_ends)) || (cell.erased && run_ends);
  };
  const auto broken = [&](BrokenCell::Rule rule, const std::string& cell, std::size_t token) {
    std::vector<std::string> values;
    for (const ValueId v : held_) values.push_back(arithmetic_.pool()[v].text());
    broken_ = {rule, cell, location.step, location.sublayer, token, std::move(values)};
  };
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    const bool unbroken = change_is_right(stream, token);
    if (unbroken && !loop_ends && !run_ends) continue;
    for (const Cell& cell : cells_) {
      if (unbroken && !blank(cell)) continue;
      hold(cell, stream, token);
      if (!unbroken && !allowed(cell)) return broken(*cell.type, cell.name, token);
      if (blank(cell) && !all_zero())
        return broken(cell.scratch ? BrokenCell::Rule::scratch : BrokenCell::Rule::erased,
                      cell.name, token);
    }
    if (unbroken) continue;
    const auto holds = [&](std::uint32_t c) { held_.assign(1, stream.at(token, c)); };
    for (const std::uint32_t c : unnamed_)
      if (holds(c); !all_zero()) return broken(BrokenCell::Rule::unnamed, std::to_string(c), token);
    for (const std::uint32_t c : mirrored_)
      if (holds(c + model_.width / 2); !is_mirrored(c, stream, token))
        return broken(BrokenCell::Rule::mirror, std::to_string(c + model_.width / 2), token);
  }
  seen_ = stream;
}

}  // namespace logdepth::inline proofs_check_check
