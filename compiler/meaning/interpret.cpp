#include "compiler/meaning/interpret.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace compiler_meaning {

std::vector<Real> code_of(PositionCode code, std::uint64_t position) {
  if (code.kind == PositionCode::Kind::phi) {
    const auto phi = phi_code({static_cast<std::int64_t>(position), code.parameter});
    return {phi[0], phi[1]};
  }
  const std::vector<Rational> values = rational_code(code, position);
  return {values.begin(), values.end()};
}

namespace {

/// What the cells of a program hold at one moment, in the words of the program.
class CellReader {
 public:
  CellReader(const Program& program, const CellStates& states)
      : program_(program), states_(states) {}

  std::uint32_t size(CellId id) const { return size_of(program_.cells[id].type); }
  std::vector<Real> cell(std::size_t token, CellId id) const {
    std::vector<Real> values;
    for (std::uint32_t i = 0; i < size(id); ++i) values.push_back(states_.at(token, {id, i}));
    return values;
  }
  bool blank(std::size_t token, CellId id) const {
    for (std::uint32_t i = 0; i < size(id); ++i)
      if (!states_.at(token, {id, i}).is_zero()) return false;
    return true;
  }
  bool holds(std::size_t token, const Literal& literal) const {
    if (std::holds_alternative<FlagType>(program_.cells[literal.cell].type))
      return states_.at(token, {literal.cell, 0}) == Real(literal.value ? 1 : -1);
    return states_.at(token, {literal.cell, literal.value}) == Real(1);
  }
  Real value(std::size_t token, const LinearForm& form) const {
    Real sum;
    for (const Term& t : form) sum = sum + states_.at(token, t.component).scaled(t.factor);
    return sum;
  }

 private:
  const Program& program_;
  const CellStates& states_;
};

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

/// What a fetch selects, by what cells say: positions are looked up by their codes, numbers are
/// compared as rationals, and no score is formed. Quadratic, with equal values compared once.
class SelectedPositions {
 public:
  /// `states`: the cells that the selector reads, already divided by their norm where it says so.
  SelectedPositions(const Program& program, const CellStates& states, const Statement& fetch)
      : program_(program),
        statement_(fetch),
        fetch_(std::get<FetchStatement>(fetch)),
        cells_(program, states),
        tokens_(states.tokens) {
    std::visit([&](const auto& s) { prepare(s); }, fetch_.selector);
  }

  /// In increasing order, never empty. Errors: BrokenProgram.
  std::vector<std::size_t> at(std::size_t token) const {
    return std::visit([&](const auto& s) { return select(token, s); }, fetch_.selector);
  }

 private:
  struct Hash {
    std::size_t operator()(const std::vector<Real>& values) const {
      std::size_t hash = 0;
      for (const Real& value : values) hash = hash * 1000003 + value.hash();
      return hash;
    }
  };
  /// Equal values get equal numbers, in the order of their first position.
  struct Numbering {
    std::vector<std::size_t> of_token;
    std::vector<std::vector<Real>> values;  ///< by number
  };
  using FirstPosition = std::unordered_map<std::vector<Real>, std::size_t, Hash>;
  struct FoundTerm {
    Numbering wanted, key;
    std::vector<std::vector<bool>> match;  ///< by the numbers of wanted and key
  };

  [[noreturn]] void broken(std::size_t token, const std::string& reason) const {
    throw BrokenProgram(
        fmt::format("{}, token {}: {}", statement_name(program_, statement_), token, reason));
  }

  std::size_t visible(std::size_t token) const { return fetch_.causal ? token + 1 : tokens_; }
  PositionCode key_code(CellId key) const { return *held_code(program_.cells[key].type); }

  Numbering number(const std::vector<std::vector<Real>>& values) const {
    Numbering result;
    FirstPosition numbers;
    for (const auto& value : values) {
      const auto [at, fresh] = numbers.emplace(value, result.values.size());
      if (fresh) result.values.push_back(value);
      result.of_token.push_back(at->second);
    }
    return result;
  }

  std::vector<std::size_t> preferred(const Literal& flag,
                                     const std::vector<std::size_t>& positions) const {
    std::vector<std::size_t> flagged;
    for (const std::size_t j : positions)
      if (cells_.holds(j, flag)) flagged.push_back(j);
    return flagged.empty() ? positions : flagged;
  }

  // --- all --------------------------------------------------------------------------------------

  void prepare(const SelectAll&) {}
  std::vector<std::size_t> select(std::size_t token, const SelectAll&) const {
    std::vector<std::size_t> positions;
    for (std::size_t j = 0; j < visible(token); ++j) positions.push_back(j);
    return positions;
  }

  // --- match ------------------------------------------------------------------------------------

  void prepare(const SelectPointed& s) {
    const PositionCode code = key_code(s.key);
    for (std::size_t j = 0; j < tokens_; ++j) {
      coded_.emplace(code_of(code, j), j);
      keyed_.emplace(cells_.cell(j, s.key), j);
    }
  }

  std::vector<std::size_t> select(std::size_t token, const SelectPointed& s) const {
    const auto pointed = coded_.find(cells_.cell(token, s.pointer));
    if (pointed == coded_.end() || pointed->second >= visible(token))
      broken(token, "pointer " + program_.cells[s.pointer].name + " codes no visible position");
    const std::size_t target = pointed->second >= s.back ? pointed->second - s.back : 0;
    const auto found = keyed_.find(code_of(key_code(s.key), target));
    if (found == keyed_.end() || found->second >= visible(token))
      broken(token, fmt::format("no visible position has the key of position {}", target));
    return {found->second};
  }

  // --- same -------------------------------------------------------------------------------------

  void prepare(const SelectSame& s) {
    std::vector<std::vector<Real>> values(tokens_);
    for (std::size_t j = 0; j < tokens_; ++j)
      for (const CellId id : s.cells) {
        const auto cell = cells_.cell(j, id);
        values[j].insert(values[j].end(), cell.begin(), cell.end());
      }
    same_ = number(values);
  }

  std::vector<std::size_t> select(std::size_t token, const SelectSame& s) const {
    if (!fetch_.under.empty() && std::all_of(s.cells.begin(), s.cells.end(),
                                             [&](CellId id) { return cells_.blank(token, id); }))
      broken(token, "the group is zero and has no direction");
    std::vector<std::size_t> positions;
    for (std::size_t j = 0; j < visible(token); ++j)
      if (same_.of_token[j] == same_.of_token[token]) positions.push_back(j);
    return positions;
  }

  // --- rightmost, flagged -----------------------------------------------------------------------

  void prepare(const SelectRightmost&) {}
  std::vector<std::size_t> select(std::size_t token, const SelectRightmost& s) const {
    std::size_t best = 0, most = 0;
    for (std::size_t j = 0; j < visible(token); ++j) {
      std::size_t count = 0;
      for (const Literal& flag : s.flags) count += cells_.holds(j, flag);
      if (s.shared) {
        const auto own = cells_.cell(token, s.shared->own);
        const auto there = cells_.cell(j, s.shared->there);
        count += std::equal(own.begin(), own.end(), there.begin());
      }
      if (count < most) continue;
      best = j;
      most = count;
    }
    return {best};
  }

  void prepare(const SelectFlagged&) {}
  std::vector<std::size_t> select(std::size_t token, const SelectFlagged& s) const {
    std::vector<std::size_t> positions;
    if (!s.when || cells_.holds(token, *s.when))
      for (std::size_t j = 0; j < visible(token); ++j)
        if (cells_.holds(j, s.flag)) positions.push_back(j);
    return positions.empty() ? select(token, SelectAll{}) : positions;
  }

  // --- nearest ----------------------------------------------------------------------------------

  void prepare(const SelectNearest& s) {
    while (own_keys_ < tokens_ &&
           cells_.cell(own_keys_, s.key) == code_of(key_code(s.key), own_keys_))
      ++own_keys_;
  }

  std::vector<std::size_t> select(std::size_t token, const SelectNearest& s) const {
    if (own_keys_ < visible(token))
      broken(token, fmt::format("key {} of position {} is not its own code",
                                program_.cells[s.key].name, own_keys_));
    const Real denominator = cells_.value(token, s.target.denominator);
    if (denominator.sign() <= 0) broken(token, "the denominator of the target is not positive");
    const auto ratio = rational_factor(cells_.value(token, s.target.numerator), denominator);
    if (!ratio) broken(token, "the target is not a rational number");
    const PositionCode code = key_code(s.key);
    if (code.kind == PositionCode::Kind::phi)
      return {nearest_phi(*ratio * rational(code.parameter), code.parameter, visible(token))};
    const auto position = nearest_fine(*ratio, code.parameter, visible(token));
    if (!position) broken(token, "two visible positions are equally near to " + ratio->text());
    return {*position};
  }

  // --- find -------------------------------------------------------------------------------------

  void prepare(const SelectFound& s) {
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

  std::vector<std::size_t> select(std::size_t token, const SelectFound& s) const {
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

  // --- related ----------------------------------------------------------------------------------

  void prepare(const SelectRelated&) {}
  std::vector<std::size_t> select(std::size_t token, const SelectRelated& s) const {
    std::vector<std::size_t> positions;
    for (std::size_t j = 0; j < visible(token); ++j)
      for (std::uint32_t l = 0; l < s.flags.size(); ++l)
        if (cells_.holds(token, {s.flags[l], 1}) && cells_.holds(j, {s.label, l}))
          positions.push_back(j);
    if (positions.empty()) broken(token, "no visible position is related");
    return preferred(s.prefer, positions);
  }

  const Program& program_;
  const Statement& statement_;
  const FetchStatement& fetch_;
  CellReader cells_;
  std::size_t tokens_;

  FirstPosition coded_;  ///< match: the code of every position
  FirstPosition keyed_;  ///< match: the key cell of every position
  Numbering same_;
  std::size_t own_keys_ = 0;  ///< nearest: so many first positions hold their own code
  std::vector<FoundTerm> found_;
};

class Start {
 public:
  Start(const Program& program, const Tokens& tokens) : p_(program), tokens_(tokens) {
    states_.tokens = tokens.kinds.size();
    states_.size = Rational(static_cast<std::int64_t>(states_.tokens));
    for (const Cell& cell : p_.cells) {
      states_.first.push_back(states_.row_size);
      states_.row_size += size_of(cell.type);
    }
    states_.values.resize(states_.tokens * states_.row_size);
  }

  CellStates fill() {
    for (std::size_t token = 0; token < states_.tokens; ++token) {
      look_for_interruption();
      for (CellId id = 0; id < p_.cells.size(); ++id)
        if (std::holds_alternative<ConstantType>(p_.cells[id].type)) states_.at(token, {id, 0}) = 1;
      fill_kind(token);
      fill_given(token);
      for (const PositionFill& fill : p_.position) fill_position(token, fill);
      fill_table(token);
    }
    return std::move(states_);
  }

 private:
  void fill_finite(std::size_t token, CellId cell, std::uint32_t value) {
    const bool flag = std::holds_alternative<FlagType>(p_.cells[cell].type);
    states_.at(token, {cell, flag ? 0 : value}) = flag && !value ? -1 : 1;
  }

  void fill_kind(std::size_t token) {
    if (std::holds_alternative<CellsInput>(p_.input)) return;
    const std::string& kind = tokens_.kinds[token];
    // The user's letters do not include the tokens that frame a word.
    const bool misplaced =
        std::holds_alternative<WordInput>(p_.input) &&
        ((kind == kBeginToken && token > 0) || (kind == kEndToken && token + 1 < states_.tokens));
    const auto fills = p_.embedding.find(kind);
    if (misplaced || fills == p_.embedding.end())
      throw InputError(in_quotes(kind) + " is not a letter of this program");
    for (const TokenFill& fill : fills->second) fill_finite(token, fill.cell, fill.value);
  }

  [[noreturn]] static void refuse(std::size_t token, const std::string& reason) {
    throw InputError(fmt::format("token {}: {}", token, reason));
  }

  void fill_given(std::size_t token) {
    std::size_t expected = 0;
    for (const GivenCell& given : p_.given) expected += size_of(p_.cells[given.cell].type);
    if (expected == 0) return;
    static const std::vector<Real> kNothing;
    const auto& row = token < tokens_.given.size() ? tokens_.given[token] : kNothing;
    if (row.size() != expected)
      refuse(token, fmt::format("expected {} values, found {}", expected, row.size()));
    auto value = row.begin();
    for (const GivenCell& given : p_.given) {
      const CellType& type = p_.cells[given.cell].type;
      const std::vector<Real> values(value, value + size_of(type));
      value += size_of(type);
      for (std::uint32_t i = 0; i < values.size(); ++i)
        states_.at(token, {given.cell, i}) = values[i];
      if (!is_given(token, given, values))
        refuse(token, "cell " + p_.cells[given.cell].name + " may not be given (" +
                          printable(text_of(values)) + ")");
      if (given.holds == GivenCell::Holds::natural)
        states_.size = std::max(states_.size, values[0].rational_part());
    }
  }

  static std::string text_of(const std::vector<Real>& values) {
    std::string text;
    for (const Real& x : values) text += (text.empty() ? "" : ", ") + x.text();
    return text;
  }

  /// The values are the code of a position up to the token. Tokens are filled in their order.
  bool points_back(std::size_t token, CellId cell, PositionCode code,
                   const std::vector<Real>& values) {
    Codes& codes = codes_[cell];
    for (; codes.positions <= token; ++codes.positions)
      codes.texts.insert(text_of(code_of(code, codes.positions)));
    return codes.texts.contains(text_of(values));
  }

  /// The values are what the program says of its input, which all proofs start from.
  bool is_given(std::size_t token, const GivenCell& given, const std::vector<Real>& values) {
    const auto own = Real(static_cast<std::int64_t>(token));
    if (given.holds == GivenCell::Holds::position) return values[0] == own && values[1] == Real(1);
    if (given.holds == GivenCell::Holds::natural)
      return values[0].is_rational() && values[0].rational_part().is_integer() &&
             values[0].sign() > 0 && values[1] == Real(1) &&
             values[0] == states_.at(0, {given.cell, 0});
    Real square;
    for (const Real& x : values) square = square + x * x;
    if (given.holds == GivenCell::Holds::ratio)
      return values[1].sign() > 0 && square == Real(1) && rational_factor(values[0], values[1]);
    return std::visit(
        Overload{
            [&](const KeyType& t) { return values == code_of(t.code, token); },
            [&](const PointerType& t) { return points_back(token, given.cell, t.code, values); },
            [&](const OneHotType&) {
              std::size_t zeros = 0, ones = 0;
              for (const Real& x : values) {
                zeros += x.is_zero();
                ones += x == Real(1);
              }
              return ones == 1 && zeros + 1 == values.size();
            },
            [](const NumberType&) { return true; }, [&](const auto&) { return square == Real(1); }},
        p_.cells[given.cell].type);
  }

  void fill_position(std::size_t token, const PositionFill& fill) {
    const CellType& type = p_.cells[fill.cell].type;
    if (std::holds_alternative<FlagType>(type)) {
      const bool holds = fill.parity ? token % 2 == 0 : token == 0;
      states_.at(token, {fill.cell, 0}) = holds ? 1 : -1;
      return;
    }
    const auto values = code_of(*held_code(type), token >= fill.back ? token - fill.back : 0);
    for (std::uint32_t i = 0; i < values.size(); ++i) states_.at(token, {fill.cell, i}) = values[i];
  }

  void fill_table(std::size_t token) {
    if (p_.table.empty()) return;
    if (token >= p_.table.size())
      throw InputError(fmt::format("the position table has {} rows and the input {} tokens",
                                   p_.table.size(), states_.tokens));
    for (const TableFill& fill : p_.table[token]) {
      const CellType& type = p_.cells[fill.cell].type;
      if (std::holds_alternative<FlagType>(type) || std::holds_alternative<OneHotType>(type)) {
        fill_finite(token, fill.cell, fill.value);
        continue;
      }
      const auto code = circle_code(fill.value);
      for (std::uint32_t i = 0; i < code.size(); ++i) states_.at(token, {fill.cell, i}) = code[i];
    }
  }

  /// Of the positions 0, 1, ..., positions - 1.
  struct Codes {
    std::size_t positions = 0;
    std::unordered_set<std::string> texts;
  };

  const Program& p_;
  const Tokens& tokens_;
  CellStates states_;
  std::map<CellId, Codes> codes_;  ///< of the pointers among the given cells
};

}  // namespace

CellStates start_states(const Program& program, const Tokens& tokens) {
  return Start(program, tokens).fill();
}

namespace {

/// The largest absolute component of the least integer vector in the direction of `vector`, 0 of
/// the zero vector; absent where the components are not rational multiples of one number.
std::optional<Rational> largest_integer(const std::vector<Real>& vector) {
  const auto unit =
      std::find_if(vector.begin(), vector.end(), [](const Real& x) { return !x.is_zero(); });
  if (unit == vector.end()) return Rational(0);
  // One of the quotients is 1, so times their common denominator they have no common divisor.
  mpz_class denominator = 1;
  Rational largest;
  for (const Real& x : vector) {
    const auto part = rational_factor(x, *unit);
    if (!part) return std::nullopt;
    largest = std::max(largest, part->abs());
    const mpz_class own = part->to_mpq().get_den();
    mpz_lcm(denominator.get_mpz_t(), denominator.get_mpz_t(), own.get_mpz_t());
  }
  return largest * Rational(mpq_class(denominator));
}

class Step {
 public:
  Step(const Program& program, const CellStates& before, CellStates& after)
      : p_(program), before_(before), after_(after), cells_(program, before) {}

  void run(const Statement& statement) {
    statement_ = &statement;
    std::visit([&](const auto& s) { run_one(s); }, statement);
  }

 private:
  [[noreturn]] void broken(std::size_t token, const std::string& reason) const {
    throw BrokenProgram(
        fmt::format("{}, token {}: {}", statement_name(p_, *statement_), token, reason));
  }
  std::uint32_t size(CellId cell) const { return cells_.size(cell); }
  void expect_blank(std::size_t token, CellId id) const {
    if (!cells_.blank(token, id)) broken(token, "cell " + p_.cells[id].name + " is not blank");
  }
  void write_finite(std::size_t token, CellId id, std::uint32_t value) {
    const bool flag = std::holds_alternative<FlagType>(p_.cells[id].type);
    for (std::uint32_t i = 0; i < size(id); ++i)
      after_.at(token, {id, i}) = flag ? (value ? 1 : -1) : (value == i ? 1 : 0);
  }

  void write_vector(std::size_t token, CellId id, const std::vector<Real>& value) {
    for (std::uint32_t i = 0; i < size(id); ++i) after_.at(token, {id, i}) = value[i];
    const auto* direction = std::get_if<DirectionType>(&p_.cells[id].type);
    if (!direction || !direction->integers) return;
    const auto largest = largest_integer(value);
    if (!largest || *largest > Rational(*direction->integers) * before_.size)
      broken(token, fmt::format("cell {} takes no direction of integers up to {} * {}",
                                p_.cells[id].name, *direction->integers, before_.size.text()));
  }

  /// Under a joint norm every token's cells are divided by the norm of the listed ones.
  CellStates under_norm(const std::vector<CellId>& under) const {
    CellStates scaled = before_;
    for (std::size_t token = 0; token < scaled.tokens; ++token) {
      std::vector<Component> components;
      std::vector<Real> values;
      for (const CellId id : under)
        for (std::uint32_t i = 0; i < size(id); ++i) {
          components.push_back({id, i});
          values.push_back(before_.at(token, components.back()));
        }
      const auto unit = direction(values);
      if (!unit) broken(token, "the norm of the group is outside the number field");
      for (std::size_t i = 0; i < components.size(); ++i)
        scaled.at(token, components[i]) = (*unit)[i];
    }
    return scaled;
  }

  void run_one(const FetchStatement& s) {
    const CellStates scaled = s.under.empty() ? CellStates{} : under_norm(s.under);
    const CellStates& source = s.under.empty() ? before_ : scaled;
    const SelectedPositions selected(p_, source, *statement_);
    const CellReader read(p_, source);
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      const auto positions = selected.at(token);
      for (const HeadWrite& write : s.writes)
        std::visit([&](const auto& w) { write_one(token, positions, read, w); }, write);
    }
  }

  void write_one(std::size_t token, const std::vector<std::size_t>& positions,
                 const CellReader& read, const CopyWrite& w) {
    expect_blank(token, w.target);
    const auto value = read.cell(positions.front(), w.source);
    for (const std::size_t j : positions)
      if (read.cell(j, w.source) != value)
        broken(token, "the selected positions differ in " + p_.cells[w.source].name);
    write_vector(token, w.target, value);
  }
  void write_one(std::size_t token, const std::vector<std::size_t>& positions,
                 const CellReader& read, const SumWrite& w) {
    Real total;
    for (const std::size_t j : positions) total = total + read.value(j, w.form);
    const Rational share(1, static_cast<std::int64_t>(positions.size()));
    Real& target = after_.at(token, w.target);
    target = target + total.scaled(share);
  }
  void write_one(std::size_t token, const std::vector<std::size_t>& positions, const CellReader&,
                 const SetWrite& w) {
    if (positions != std::vector<std::size_t>{token})
      broken(token, "the selected position is not the token itself");
    write_finite(token, w.cell, w.value);
  }

  void run_one(const LookupStatement& s) {
    std::set<CellId> targets;
    for (const Rule& rule : s.rules)
      for (const Assignment& a : rule.then) targets.insert(a.cell);
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      std::map<CellId, std::uint32_t> result;
      for (const Rule& rule : s.rules) {
        bool all = true;
        for (const Literal& literal : rule.when) all = all && cells_.holds(token, literal);
        if (!all) continue;
        for (const Assignment& a : rule.then)
          if (!result.emplace(a.cell, a.value).second)
            broken(token, "two rules assign cell " + p_.cells[a.cell].name);
      }
      for (const Assignment& a : s.otherwise) result.emplace(a.cell, a.value);
      for (const CellId id : targets) {
        if (!result.contains(id)) broken(token, "no rule assigns cell " + p_.cells[id].name);
        write_finite(token, id, result[id]);
      }
    }
  }

  void run_one(const MoveStatement& s) {
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      if (!std::ranges::all_of(s.when, [&](const Literal& l) { return cells_.holds(token, l); }))
        continue;
      for (std::uint32_t i = 0; i < size(s.target); ++i)
        after_.at(token, {s.target, i}) = before_.at(token, {s.source, i});
    }
  }
  void run_one(const EraseStatement& s) {
    for (std::size_t token = 0; token < before_.tokens; ++token)
      for (const CellId id : s.cells)
        for (std::uint32_t i = 0; i < size(id); ++i) after_.at(token, {id, i}) = Real();
  }
  void run_one(const NormaliseStatement& s) {
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      std::vector<Real> values;
      for (const Term& term : s.group)
        values.push_back(before_.at(token, term.component).scaled(term.factor));
      const auto unit = direction(values);
      if (!unit) broken(token, "the norm of the group is outside the number field");
      for (const CellId target : s.targets) {
        expect_blank(token, target);
        write_vector(token, target, *unit);
      }
    }
  }

  void run_one(const TestStatement& s) {
    const bool zero = s.kind == TestStatement::Kind::zero;
    for (std::size_t token = 0; token < before_.tokens; ++token) {
      if (!cells_.holds(token, {s.flag, zero ? 1u : 0u}))
        broken(token, "flag " + p_.cells[s.flag].name + " is not " + (zero ? "true" : "false"));
      const int sign = before_.at(token, s.number).sign();
      write_finite(token, s.flag, zero ? sign == 0 : sign > 0);
    }
  }

  const Program& p_;
  const CellStates& before_;
  CellStates& after_;
  CellReader cells_;
  const Statement* statement_ = nullptr;
};

}  // namespace

void step(const Program& program, std::span<const Statement* const> statements,
          CellStates& states) {
  const CellStates before = states;
  Step run(program, before, states);
  for (const Statement* statement : statements) run.run(*statement);
}

CellStates interpret(const Program& program, const Tokens& tokens) {
  CellStates states = start_states(program, tokens);
  const auto run_block = [&](const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      const Statement* const one = &statement;
      step(program, std::span(&one, 1), states);
    }
  };
  run_block(program.initial);
  for (std::uint64_t loop = loops_at(program.unroll, tokens.size); loop > 0; --loop)
    run_block(program.repeated);
  run_block(program.final);
  return states;
}

Real output_value(const CellStates& states, const OutputRow& row, std::size_t token) {
  Real value;
  for (const Term& t : row.form) value = value + states.at(token, t.component).scaled(t.factor);
  return value;
}

}}  // namespace logdepth::compiler_meaning
