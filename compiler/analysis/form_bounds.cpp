#include "compiler/analysis/form_bounds.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/overload.hpp"

namespace logdepth::inline compiler_analysis {

FormBounds::FormBounds(const Program& program) : p_(program) {
  std::vector<std::string> first, rest;
  std::visit(Overload{[&](const WordInput& word) {
                        rest = p_.alphabet;
                        if (word.end) {
                          rest.emplace_back(kEndToken);
                          always_.emplace_back(kEndToken);
                        }
                        first = rest;
                        if (word.begin) first = {kBeginToken};
                      },
                      [&](const CellsInput&) { first = rest = {""}; },
                      [&](const GraphInput& graph) {
                        if (graph.layout == GraphInput::Layout::rows) {
                          first = rest = {kVertexToken};
                          return;
                        }
                        // At least one vertex: the matrix has a first token, source and target
                        // follow.
                        first = {kEdgeToken, kNoEdgeToken};
                        rest = {kEdgeToken, kNoEdgeToken, kPadToken, kSourceToken, kTargetToken};
                        always_ = {kSourceToken, kTargetToken};
                        if (graph.padding == GraphInput::Padding::n3)
                          always_.emplace_back(kPadToken);
                      }},
             p_.input);
  for (const bool is_first : {true, false})
    for (const std::string& kind : is_first ? first : rest) {
      const auto found = p_.embedding.find(kind);
      classes_.push_back({kind, is_first, found == p_.embedding.end() ? nullptr : &found->second});
    }
}

// Each cell adds the interval of its part of the form, so the bound is sound for any dependence
// between cells.
FormBounds::Interval FormBounds::range(const LinearForm& form, const TokenClass& tokens,
                                       const AbstractState& state) const {
  std::map<CellId, std::vector<Rational>> factors;
  for (const Term& term : form) {
    auto& row = factors[term.component.cell];
    row.resize(size_of(p_.cells[term.component.cell].type));
    row[term.component.index] += term.factor;
  }
  Interval sum;
  const auto exactly = [&](const Rational& value) {
    sum.low += value;
    sum.high += value;
  };
  for (const auto& [cell, row] : factors) {
    const CellType& type = p_.cells[cell].type;
    const AbstractValue& known = state[cell];
    const bool flag = std::holds_alternative<FlagType>(type);
    const bool onehot = std::holds_alternative<OneHotType>(type);
    std::optional<std::uint32_t> certain = known.certain;
    if (known.first_flag) certain = tokens.first ? 1 : 0;
    if (!certain && known.from_input && tokens.fills)
      for (const TokenFill& fill : *tokens.fills)
        if (fill.cell == cell) certain = fill.value;
    if (std::holds_alternative<ConstantType>(type)) {
      exactly(row[0]);
    } else if (flag && certain) {
      exactly(*certain ? row[0] : -row[0]);
    } else if (onehot && certain) {
      exactly(row[*certain]);
    } else if (onehot) {
      sum.low += *std::min_element(row.begin(), row.end());
      sum.high += *std::max_element(row.begin(), row.end());
    } else {
      // A flag is +-1; any other cell has squared norm at most 2, so its components are below 2.
      for (const Rational& factor : row) {
        const Rational reach = flag ? factor.abs() : factor.abs() * Rational(2);
        sum.low -= reach;
        sum.high += reach;
      }
    }
  }
  return sum;
}

/// 1 where the literal holds; what it is elsewhere is below: -1 (a flag's sign), or 0 (a label).
FormBounds::Interval FormBounds::truth(const Literal& literal, const TokenClass& tokens,
                                       const AbstractState& state) const {
  if (std::holds_alternative<FlagType>(p_.cells[literal.cell].type))
    return range({{{literal.cell, 0}, Rational(literal.value ? 1 : -1)}}, tokens, state);
  return range({{{literal.cell, literal.value}, Rational(1)}}, tokens, state);
}

bool FormBounds::holds(const Literal& literal, const TokenClass& tokens,
                       const AbstractState& state) const {
  return truth(literal, tokens, state).low.is_one();
}

bool FormBounds::fails(const Literal& literal, const TokenClass& tokens,
                       const AbstractState& state) const {
  const bool flag = std::holds_alternative<FlagType>(p_.cells[literal.cell].type);
  return truth(literal, tokens, state).high == Rational(flag ? -1 : 0);
}

bool FormBounds::vanishes(const LinearForm& form, const AbstractState& state) const {
  return std::all_of(classes_.begin(), classes_.end(), [&](const TokenClass& tokens) {
    return range(form, tokens, state).is_zero();
  });
}

/// `holds` at every class of some kind that every input has.
template <class Predicate>
bool FormBounds::at_some_kind(const Predicate& holds) const {
  return std::any_of(always_.begin(), always_.end(), [&](const std::string& kind) {
    return std::all_of(classes_.begin(), classes_.end(), [&](const TokenClass& tokens) {
      return tokens.kind != kind || holds(tokens);
    });
  });
}

bool FormBounds::positive_somewhere(const LinearForm& form, const AbstractState& state) const {
  return at_some_kind(
      [&](const TokenClass& tokens) { return range(form, tokens, state).low.sign() > 0; });
}

bool FormBounds::holds_somewhere(const Literal& literal, const AbstractState& state) const {
  return at_some_kind([&](const TokenClass& tokens) { return holds(literal, tokens, state); });
}

}  // namespace logdepth::inline compiler_analysis
