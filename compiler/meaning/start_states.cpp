#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "compiler/meaning/cell_reader.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/meaning/selected_positions.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth::inline compiler_meaning {
namespace {

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
      return values[1].sign() > 0 && square == Real(1) && rational_quotient(values[0], values[1]);
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

}  // namespace logdepth::inline compiler_meaning
