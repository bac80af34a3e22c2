#include "compiler/passes/number_facts.hpp"

#include <algorithm>
#include <map>

#include "objects/overload.hpp"

namespace logdepth {
namespace {

bool is_rational_valued(const CellType& type) {
  if (const auto* key = std::get_if<KeyType>(&type)) return key->code != PositionCode::phi;
  if (const auto* pointer = std::get_if<PointerType>(&type))
    return pointer->code != PositionCode::phi;
  return !std::holds_alternative<DirectionType>(type) && !std::holds_alternative<NumberType>(type);
}

bool same_average(const Summand& a, const Summand& b) {
  return a.current && b.current && a.selector == b.selector && a.causal == b.causal &&
         a.under == b.under;
}

/// The parts of a group that are one number cell with its single summand; null if there is none.
const Summand* only_summand(const Component& c, const CellContents& contents) {
  const CellContent& content = contents[c.cell];
  if (content.kind != CellContent::Kind::number || content.given || content.unknown) return nullptr;
  const auto& sum = content.sums[c.index];
  return sum.size() == 1 ? &sum.front() : nullptr;
}

}  // namespace

LinearForm canonical_form(const LinearForm& form) {
  std::map<std::pair<CellId, std::uint32_t>, Rational> factors;
  for (const Term& t : form) factors[{t.component.cell, t.component.index}] += t.factor;
  LinearForm result;
  for (const auto& [at, factor] : factors)
    if (!factor.is_zero()) result.push_back({{at.first, at.second}, factor});
  return result;
}

NumberFacts::NumberFacts(const Program& program) : p_(program) {
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

/// All values that a form of typed cells can take at tokens of one class.
NumberFacts::Interval NumberFacts::range(const LinearForm& form, const TokenClass& tokens,
                                         const CellContents& contents) const {
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
    const CellContent& content = contents[cell];
    const bool flag = std::holds_alternative<FlagType>(type);
    const bool onehot = std::holds_alternative<OneHotType>(type);
    std::optional<std::uint32_t> value = content.certain;
    if (content.first_flag) value = tokens.first ? 1 : 0;
    if (!value && content.from_input && tokens.fills)
      for (const TokenFill& fill : *tokens.fills)
        if (fill.cell == cell) value = fill.value;
    if (std::holds_alternative<ConstantType>(type)) {
      exactly(row[0]);
    } else if (flag && value) {
      exactly(*value ? row[0] : -row[0]);
    } else if (onehot && value) {
      exactly(row[*value]);
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

bool NumberFacts::holds_always(const Literal& literal, const TokenClass& tokens,
                               const CellContents& contents, bool negated) const {
  // A literal is 1 where it holds and 0 elsewhere: (1 +- f)/2, or the component of its label.
  const bool flag = std::holds_alternative<FlagType>(p_.cells[literal.cell].type);
  if (!flag) {
    const Interval r = range({{{literal.cell, literal.value}, Rational(1)}}, tokens, contents);
    return negated ? r.high.is_zero() : r.low.is_one();
  }
  const Interval r =
      range({{{literal.cell, 0}, Rational(literal.value ? 1 : -1)}}, tokens, contents);
  return negated ? r.high == Rational(-1) : r.low.is_one();
}

bool NumberFacts::positive_somewhere(const LinearForm& form, const CellContents& contents) const {
  return std::any_of(always_.begin(), always_.end(), [&](const std::string& kind) {
    return std::all_of(classes_.begin(), classes_.end(), [&](const TokenClass& tokens) {
      return tokens.kind != kind || range(form, tokens, contents).low.sign() > 0;
    });
  });
}

void NumberFacts::prove(Summand& s, const CellContents& contents) const {
  s.signs = {};
  s.rational = s.common = false;
  s.zero_where_first.reset();
  if (s.under.empty()) {
    prove_typed(s, contents);
    prove_gate(s, contents);
  } else {
    prove_under(s, contents);
  }
}

void NumberFacts::prove_typed(Summand& s, const CellContents& contents) const {
  s.rational = std::all_of(s.form.begin(), s.form.end(), [&](const Term& t) {
    return is_rational_valued(p_.cells[t.component.cell].type);
  });
  const bool uniform = std::holds_alternative<SelectAll>(s.selector);
  s.common = uniform && !s.causal;

  bool nonnegative = true, positive = true, at_first = true, at_rest = true;
  for (const TokenClass& tokens : classes_) {
    const int least = range(s.form, tokens, contents).low.sign();
    nonnegative = nonnegative && least >= 0;
    positive = positive && least > 0;
    (tokens.first ? at_first : at_rest) &= least > 0;
  }
  s.signs.nonnegative = nonnegative;
  // Every head selects some position, so an average of positive values is positive.
  if (positive) s.signs.positive_first = s.signs.positive_rest = true;
  if (!nonnegative) return;
  // Position 0 is visible to every token, and under the causal mask a token sees itself.
  const bool somewhere = at_first || (!s.causal && positive_somewhere(s.form, contents));
  if (uniform) {
    s.signs.positive_first = s.signs.positive_first || somewhere;
    s.signs.positive_rest = s.signs.positive_rest || somewhere || at_rest;
  } else if (const auto* flagged = std::get_if<SelectFlagged>(&s.selector)) {
    // Where the condition fails it is a uniform head.
    if (flagged->when && contents[flagged->when->cell].first_flag && somewhere)
      (flagged->when->value ? s.signs.positive_rest : s.signs.positive_first) = true;
  }
}

void NumberFacts::prove_under(Summand& s, const CellContents& contents) const {
  // The token's group is divided by its norm, a positive number, the same one at all tokens if the
  // group is common.
  std::vector<Component> group;
  std::vector<Term> parts;
  for (const CellId cell : s.under)
    for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i) {
      group.push_back({cell, i});
      parts.push_back({{cell, i}, Rational(1)});
    }
  const bool one_norm = common(group, contents);
  s.rational = one_norm && rational_ratio(parts, contents);
  const bool uniform = std::holds_alternative<SelectAll>(s.selector);
  s.common = one_norm && uniform && !s.causal;
  if (!uniform) return;
  bool nonnegative = true, first = false, rest = false;
  for (const Term& t : s.form) {
    const Signs part = signs(t.component, contents);
    nonnegative = nonnegative && t.factor.sign() > 0 && part.nonnegative;
    first = first || part.positive_first;
    rest = rest || part.positive_rest;
  }
  s.signs.nonnegative = nonnegative;
  if (!nonnegative) return;
  s.signs.positive_first = first;         // it sees itself
  s.signs.positive_rest = first || rest;  // it sees the first token, and itself
}

/// An unmasked head that is uniform over the tokens with Z at all but the first token (or only at
/// it), and uniform over all tokens elsewhere, whose form is zero at every token with Z: it leaves
/// 0 in the first place and the average over all tokens, a common number, in the second.
void NumberFacts::prove_gate(Summand& s, const CellContents& contents) const {
  const auto* flagged = std::get_if<SelectFlagged>(&s.selector);
  if (!flagged || s.causal || !flagged->when) return;
  if (!contents[flagged->when->cell].first_flag) return;
  bool exists = false;
  for (const std::string& kind : always_)
    exists = exists || std::all_of(classes_.begin(), classes_.end(), [&](const TokenClass& tokens) {
               return tokens.kind != kind || holds_always(flagged->flag, tokens, contents, false);
             });
  if (!exists) return;
  for (const TokenClass& tokens : classes_) {
    if (holds_always(flagged->flag, tokens, contents, true)) continue;
    const Interval value = range(s.form, tokens, contents);
    if (!value.low.is_zero() || !value.high.is_zero()) return;
  }
  s.zero_where_first = flagged->when->value != 0;
}

Summand NumberFacts::average(const FetchStatement& fetch, const LinearForm& form,
                             const CellContents& contents) const {
  Summand summand;
  summand.selector = fetch.selector;
  summand.causal = fetch.causal;
  summand.under = fetch.under;
  summand.form = canonical_form(form);
  prove(summand, contents);
  return summand;
}

void NumberFacts::add(std::vector<Summand>& sum, Summand summand,
                      const CellContents& contents) const {
  if (summand.form.empty()) return;
  for (auto other = sum.begin(); other != sum.end(); ++other) {
    if (!same_average(*other, summand)) continue;
    // Both read the same cells as they are now, so they are one average of the sum of the forms.
    LinearForm form = other->form;
    form.insert(form.end(), summand.form.begin(), summand.form.end());
    other->form = canonical_form(form);
    if (other->form.empty()) {
      sum.erase(other);
    } else {
      prove(*other, contents);
    }
    return;
  }
  sum.push_back(std::move(summand));
}

bool NumberFacts::vanishes(const LinearForm& form, const CellContents& contents) const {
  return std::all_of(classes_.begin(), classes_.end(), [&](const TokenClass& tokens) {
    const Interval value = range(form, tokens, contents);
    return value.low.is_zero() && value.high.is_zero();
  });
}

Signs NumberFacts::signs(const Component& c, const CellContents& contents) const {
  const CellContent& content = contents[c.cell];
  if (content.kind == CellContent::Kind::typed) {
    const bool positive = std::holds_alternative<ConstantType>(p_.cells[c.cell].type) ||
                          (!content.positive.empty() && content.positive[c.index]);
    return {positive, positive, positive};
  }
  if (content.kind != CellContent::Kind::number || content.unknown) return {};
  if (content.given) {
    // (p, 1) or (m, 1) with m >= 1
    const bool positive = c.index == 1 || content.given == GivenCell::Holds::natural;
    return {true, positive, true};
  }
  Signs total{true, false, false};
  for (const Summand& s : content.sums[c.index]) {
    total.nonnegative = total.nonnegative && s.signs.nonnegative;
    total.positive_first = total.positive_first || s.signs.positive_first;
    total.positive_rest = total.positive_rest || s.signs.positive_rest;
  }
  if (!total.nonnegative) {
    // One summand may be positive without the others; a sum is only if all are at least zero.
    const auto& sum = content.sums[c.index];
    return sum.size() == 1 ? sum.front().signs : Signs{};
  }
  return total;
}

bool NumberFacts::nonzero(std::span<const Term> group, const CellContents& contents) const {
  if (std::any_of(group.begin(), group.end(),
                  [&](const Term& t) { return signs(t.component, contents).positive(); }))
    return true;
  // A whole cell of a type that is never zero.
  for (const Term& t : group) {
    if (contents[t.component.cell].kind != CellContent::Kind::typed) continue;
    bool whole = true;
    for (std::uint32_t i = 0; i < size_of(p_.cells[t.component.cell].type); ++i)
      whole = whole && std::any_of(group.begin(), group.end(), [&](const Term& other) {
                return other.component == Component{t.component.cell, i};
              });
    if (whole) return true;
  }
  // Averages over one selection whose sum is positive are not all zero.
  Summand sum;
  for (const Term& t : group) {
    const Summand* part = only_summand(t.component, contents);
    if (!part) return false;
    if (sum.form.empty()) {
      sum = *part;
      continue;
    }
    if (!same_average(sum, *part)) return false;
    sum.form.insert(sum.form.end(), part->form.begin(), part->form.end());
  }
  if (!sum.current || !sum.under.empty()) return false;
  sum.form = canonical_form(sum.form);
  prove(sum, contents);
  return sum.signs.positive();
}

bool NumberFacts::common(std::span<const Component> group, const CellContents& contents) const {
  std::vector<const Summand*> gated;
  for (const Component& c : group) {
    const CellContent& content = contents[c.cell];
    if (content.kind != CellContent::Kind::number || content.unknown) return false;
    if (content.given) {
      if (content.given != GivenCell::Holds::natural) return false;
      continue;
    }
    const auto& sum = content.sums[c.index];
    if (std::all_of(sum.begin(), sum.end(), [](const Summand& s) { return s.common; })) continue;
    if (sum.size() != 1 || !sum.front().zero_where_first) return false;
    gated.push_back(&sum.front());
  }
  // X at the first token and 0 elsewhere, beside 0 at the first token and X elsewhere.
  while (!gated.empty()) {
    const Summand* one = gated.back();
    gated.pop_back();
    const auto other = std::find_if(gated.begin(), gated.end(), [&](const Summand* s) {
      return s->form == one->form && s->zero_where_first != one->zero_where_first && s->current &&
             one->current;
    });
    if (other == gated.end()) return false;
    gated.erase(other);
  }
  return true;
}

bool NumberFacts::rational_ratio(std::span<const Term> group, const CellContents& contents) const {
  // The parts of one direction that is rational up to a factor share that factor.
  const CellId first = group.front().component.cell;
  if (contents[first].kind == CellContent::Kind::typed && contents[first].rational &&
      std::all_of(group.begin(), group.end(),
                  [&](const Term& t) { return t.component.cell == first; }))
    return true;
  // Numbers written under one joint norm share it as a factor; all others have none.
  std::optional<std::vector<CellId>> norm;
  const auto share = [&](const std::vector<CellId>& under) {
    if (!norm) norm = under;
    return *norm == under;
  };
  for (const Term& t : group) {
    const CellContent& content = contents[t.component.cell];
    if (content.kind == CellContent::Kind::typed) {
      if (!is_rational_valued(p_.cells[t.component.cell].type) || !share({})) return false;
      continue;
    }
    if (content.kind != CellContent::Kind::number || content.unknown) return false;
    if (content.given) {
      if (!share({})) return false;
      continue;
    }
    for (const Summand& s : content.sums[t.component.index])
      if (!s.rational || !share(s.under) || (!s.under.empty() && !s.current)) return false;
  }
  return true;
}

bool NumberFacts::position_ratio(std::span<const Term> group, const CellContents& contents) const {
  if (group.size() != 2 || group[0].factor != group[1].factor ||
      group[0].component.cell != group[1].component.cell || group[0].component.index != 0 ||
      group[1].component.index != 1)
    return false;
  if (contents[group[0].component.cell].given == GivenCell::Holds::position) return true;
  // Causal averages of [not first] and [first]: of the p + 1 visible tokens p are not the first.
  const Summand* rest = only_summand(group[0].component, contents);
  const Summand* first = only_summand(group[1].component, contents);
  if (!rest || !first || !same_average(*rest, *first) || !rest->causal || !rest->under.empty() ||
      !std::holds_alternative<SelectAll>(rest->selector))
    return false;
  std::optional<Rational> scale;
  for (const TokenClass& tokens : classes_) {
    const Interval zero = range(tokens.first ? rest->form : first->form, tokens, contents);
    const Interval one = range(tokens.first ? first->form : rest->form, tokens, contents);
    if (!zero.low.is_zero() || !zero.high.is_zero() || one.low != one.high) return false;
    if (!scale) scale = one.low;
    if (one.low != *scale || scale->sign() <= 0) return false;
  }
  return true;
}

}  // namespace logdepth
