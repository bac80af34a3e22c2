#include "compiler/meaning/selected_positions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace logdepth::inline compiler_meaning {
namespace {

Rational rational(std::size_t k) {
  return {static_cast<std::int64_t>(k)};
}

/// The number k of {0, ..., visible - 1} for which (k, L) is nearest in angle to (r, L). That angle
/// grows with k and stays below a right angle, so it is 0 for r <= 0, and otherwise one of the two
/// visible numbers around r.
std::size_t nearest_phi(const Rational& r, std::uint32_t L, std::size_t visible) {
  if (r.sign() <= 0) return 0;
  if (r >= rational(visible - 1)) return visible - 1;
  const mpq_class exact = r.to_mpq();
  const mpz_class floor = exact.get_num() / exact.get_den();
  const std::size_t below = floor.get_ui(), above = below + 1;
  // The cosines are positive: (r k + L^2) / sqrt(k^2 + L^2), up to the norm of (r, L).
  const Rational square = rational(L) * rational(L);
  const auto squared_cosine = [&](std::size_t k) {
    const Rational product = r * rational(k) + square;
    return product * product / (rational(k) * rational(k) + square);
  };
  const Rational low = squared_cosine(below), high = squared_cosine(above);
  // With k = below, (k^2+L^2)((k+1)^2+L^2) = (k^2+k+L^2)^2 + L^2 is not a square, so the quotient of
  // the two cosines' norms is irrational and the cosines differ.
  if (low == high) throw std::logic_error("two positions are equally near to a rational number");
  return low < high ? above : below;
}

/// The same for the fine code with b: the number of bisectors of visible neighbours that have a
/// smaller slope than r; absent where r is one of them. They increase (head_schema.cpp).
std::optional<std::size_t> nearest_fine(const Rational& r, std::uint32_t b, std::size_t visible) {
  const auto bisector = [&](std::size_t k) {
    const Rational middle = rational(2 * k + b + 1);  // between a = 2k + b and 2(k+1) + b
    return (middle * middle - Rational(2)) / (Rational(2) * middle);
  };
  std::size_t from = 0, to = visible - 1;
  while (from < to) {
    const std::size_t k = from + (to - from) / 2;
    if (bisector(k) < r) {
      from = k + 1;
    } else {
      to = k;
    }
  }
  if (from + 1 < visible && bisector(from) == r) return std::nullopt;
  return from;
}

/// (a, b) is a positive multiple of (c, d), and not zero.
bool same_direction(const std::vector<Real>& a, const std::vector<Real>& c) {
  const bool nonzero = !a[0].is_zero() || !a[1].is_zero();
  return nonzero && a[0].sign() == c[0].sign() && a[1].sign() == c[1].sign() &&
         a[0] * c[1] == a[1] * c[0];
}

}  // namespace

std::optional<Rational> rational_quotient(const Real& a, const Real& b) {
  // If a = r b, then term by term: the rational parts, and the roots in their order, because a
  // factor r multiplies every radicand by r^2. So one term gives r and the product decides.
  std::optional<Rational> r;
  if (a.is_zero()) {
    r = Rational(0);
  } else if (!b.rational_part().is_zero()) {
    r = a.rational_part() / b.rational_part();
  } else if (!a.surds().empty()) {
    const Real::Surd &x = a.surds()[0], &y = b.surds()[0];
    r = (x.radicand / y.radicand).square_root();
    if (r && x.sign != y.sign) r = -*r;
  }
  if (!r || b.scaled(*r) != a) return std::nullopt;
  return r;
}

SelectedPositions::SelectedPositions(const Program& program, const CellStates& states,
                                     const Statement& fetch)
    : program_(program),
      statement_(fetch),
      fetch_(std::get<FetchStatement>(fetch)),
      cells_(program, states),
      tokens_(states.tokens) {
  std::visit([&](const auto& s) { prepare(s); }, fetch_.selector);
}

std::vector<std::size_t> SelectedPositions::at(std::size_t token) const {
  return std::visit([&](const auto& s) { return select(token, s); }, fetch_.selector);
}

std::size_t SelectedPositions::Hash::operator()(const std::vector<Real>& values) const {
  std::size_t hash = 0;
  for (const Real& value : values) hash = hash * 1000003 + value.hash();
  return hash;
}

void SelectedPositions::broken(std::size_t token, const std::string& reason) const {
  throw BrokenProgram(
      fmt::format("{}, token {}: {}", statement_name(program_, statement_), token, reason));
}

SelectedPositions::Numbering SelectedPositions::number(
    const std::vector<std::vector<Real>>& values) const {
  Numbering result;
  FirstPosition numbers;
  for (const auto& value : values) {
    const auto [at, fresh] = numbers.emplace(value, result.values.size());
    if (fresh) result.values.push_back(value);
    result.of_token.push_back(at->second);
  }
  return result;
}

// --- all ---------------------------------------------------------------------------------------

std::vector<std::size_t> SelectedPositions::select(std::size_t token, const SelectAll&) const {
  std::vector<std::size_t> positions;
  for (std::size_t j = 0; j < visible(token); ++j) positions.push_back(j);
  return positions;
}

// --- match -------------------------------------------------------------------------------------

void SelectedPositions::prepare(const SelectPointed& s) {
  const PositionCode code = key_code(s.key);
  for (std::size_t j = 0; j < tokens_; ++j) {
    coded_.emplace(code_of(code, j), j);
    keyed_.emplace(cells_.cell(j, s.key), j);
  }
}

std::vector<std::size_t> SelectedPositions::select(std::size_t token,
                                                   const SelectPointed& s) const {
  const auto pointed = coded_.find(cells_.cell(token, s.pointer));
  if (pointed == coded_.end() || pointed->second >= visible(token))
    broken(token, "pointer " + program_.cells[s.pointer].name + " codes no visible position");
  const std::size_t target = pointed->second >= s.back ? pointed->second - s.back : 0;
  const auto found = keyed_.find(code_of(key_code(s.key), target));
  if (found == keyed_.end() || found->second >= visible(token))
    broken(token, fmt::format("no visible position has the key of position {}", target));
  return {found->second};
}

// --- same --------------------------------------------------------------------------------------

void SelectedPositions::prepare(const SelectSame& s) {
  std::vector<std::vector<Real>> values(tokens_);
  for (std::size_t j = 0; j < tokens_; ++j)
    for (const CellId id : s.cells) {
      const auto cell = cells_.cell(j, id);
      values[j].insert(values[j].end(), cell.begin(), cell.end());
    }
  same_ = number(values);
}

std::vector<std::size_t> SelectedPositions::select(std::size_t token, const SelectSame& s) const {
  if (!fetch_.under.empty() && std::all_of(s.cells.begin(), s.cells.end(),
                                           [&](CellId id) { return cells_.blank(token, id); }))
    broken(token, "the group is zero and has no direction");
  std::vector<std::size_t> positions;
  for (std::size_t j = 0; j < visible(token); ++j)
    if (same_.of_token[j] == same_.of_token[token]) positions.push_back(j);
  return positions;
}

// --- rightmost, flagged ------------------------------------------------------------------------

std::vector<std::size_t> SelectedPositions::select(std::size_t token,
                                                   const SelectRightmost& s) const {
  std::size_t best = 0, most = 0;
  for (std::size_t j = 0; j < visible(token); ++j) {
    std::size_t count = 0;
    for (const Literal& flag : s.flags) count += cells_.holds(j, flag);
    if (count < most) continue;
    best = j;
    most = count;
  }
  return {best};
}

std::vector<std::size_t> SelectedPositions::select(std::size_t token,
                                                   const SelectFlagged& s) const {
  std::vector<std::size_t> positions;
  if (!s.when || cells_.holds(token, *s.when))
    for (std::size_t j = 0; j < visible(token); ++j)
      if (cells_.holds(j, s.flag)) positions.push_back(j);
  return positions.empty() ? select(token, SelectAll{}) : positions;
}

// --- nearest -----------------------------------------------------------------------------------

void SelectedPositions::prepare(const SelectNearest& s) {
  while (own_keys_ < tokens_ &&
         cells_.cell(own_keys_, s.key) == code_of(key_code(s.key), own_keys_))
    ++own_keys_;
}

std::vector<std::size_t> SelectedPositions::select(std::size_t token,
                                                   const SelectNearest& s) const {
  if (own_keys_ < visible(token))
    broken(token, fmt::format("key {} of position {} is not its own code",
                              program_.cells[s.key].name, own_keys_));
  const Real denominator = cells_.value(token, s.target.denominator);
  if (denominator.sign() <= 0) broken(token, "the denominator of the target is not positive");
  const auto ratio = rational_quotient(cells_.value(token, s.target.numerator), denominator);
  if (!ratio) broken(token, "the target is not a rational number");
  const PositionCode code = key_code(s.key);
  if (code.kind == PositionCode::Kind::phi)
    return {nearest_phi(*ratio * rational(code.parameter), code.parameter, visible(token))};
  const auto position = nearest_fine(*ratio, code.parameter, visible(token));
  if (!position) broken(token, "two visible positions are equally near to " + ratio->text());
  return {*position};
}

// --- find --------------------------------------------------------------------------------------

void SelectedPositions::prepare(const SelectFound& s) {
  for (const FindTerm& term : s.terms) {
    std::vector<std::vector<Real>> wanted, keys;
    for (std::size_t j = 0; j < tokens_; ++j) {
      wanted.push_back(
          {cells_.value(j, term.wanted.numerator), cells_.value(j, term.wanted.denominator)});
      keys.push_back(cells_.cell(j, term.key));
    }
    FoundTerm found{number(wanted), number(keys), {}};
    for (const auto& value : found.wanted.values) {
      auto& row = found.match.emplace_back();
      for (const auto& key : found.key.values) row.push_back(same_direction(value, key));
    }
    found_.push_back(std::move(found));
  }
}

std::vector<std::size_t> SelectedPositions::select(std::size_t token, const SelectFound& s) const {
  for (const FoundTerm& term : found_) {
    const auto& wanted = term.wanted.values[term.wanted.of_token[token]];
    if (wanted[0].is_zero() && wanted[1].is_zero()) broken(token, "the wanted direction is zero");
  }
  std::vector<std::size_t> positions;
  for (std::size_t j = 0; j < visible(token); ++j)
    if (std::all_of(found_.begin(), found_.end(), [&](const FoundTerm& term) {
          return term.match[term.wanted.of_token[token]][term.key.of_token[j]];
        }))
      positions.push_back(j);
  if (positions.empty()) broken(token, "no visible position matches");
  if (s.prefer) {
    if (cells_.value(token, {s.prefer->margin}).sign() <= 0)
      broken(token, "the margin is not positive");
    positions = preferred(s.prefer->flag, positions);
  }
  if (s.one && positions.size() > 1)
    broken(token, fmt::format("{} visible positions match", positions.size()));
  return positions;
}

std::vector<std::size_t> SelectedPositions::preferred(
    const Literal& flag, const std::vector<std::size_t>& positions) const {
  std::vector<std::size_t> flagged;
  for (const std::size_t j : positions)
    if (cells_.holds(j, flag)) flagged.push_back(j);
  return flagged.empty() ? positions : flagged;
}

// --- related -----------------------------------------------------------------------------------

std::vector<std::size_t> SelectedPositions::select(std::size_t token,
                                                   const SelectRelated& s) const {
  std::vector<std::size_t> positions;
  for (std::size_t j = 0; j < visible(token); ++j)
    for (std::uint32_t l = 0; l < s.flags.size(); ++l)
      if (cells_.holds(token, {s.flags[l], 1}) && cells_.holds(j, {s.label, l}))
        positions.push_back(j);
  if (positions.empty()) broken(token, "no visible position is related");
  return preferred(s.prefer, positions);
}

}  // namespace logdepth::inline compiler_meaning
