#include <algorithm>
#include <numeric>

#include "compiler/analysis/abstract_interpretation.hpp"
#include "compiler/lemmas/head_schema.hpp"
#include "compiler/passes/compile.hpp"

namespace logdepth { inline namespace compiler_passes {
namespace {

// Scale. In a constant mask mask * h has the norm S at every token, so norm(mask * h) is
//   root/S * mask * h: under rms sqrt(root^2)/S, under layernorm, where every coordinate has its
//   negative and the mean is zero, sqrt(2 root^2)/(sqrt(2) S). So what queries and keys read is
//   root/S times the value of the cell (emit_weights divides by the mask weight of the constant).
// Direction. In any other mask the group is read alone and is root times its unit vector, where it
//   is not zero.
//
// Blocks. The rows of a cell, or of a key, have the squared norm of their type, in the file's units
//   (root/S)^2 times that. `same A ... under A ...` has the whole group as its key, which is proved
//   not to be zero (norm_types.cpp): root^2.
// Scaled. A query that is one block is scaled by one positive factor, so it selects the same; that
//   of `same` is a key itself. Not so `prefer`, whose margin would lose its measure, and several
//   terms, unless some position matches all of them.
//
// Gaps. With queries of the keys' norm the scores are those of head_schema.cpp, in the file's
//   units.
//   - pointed: the gap of two codes; with `back` that of the shifted one.
//   - same: a position that differs in some cell loses there at least 2 (flags), 1 (labels), the
//     gap of two codes, or that of two directions of integers, and nothing is gained elsewhere.
//   - rightmost: the scores are integers two apart, plus h in [0, 1). Where fewer flags hold the
//     score is smaller by more than 1, else by h(r) - h(p) for p < r: the smaller one.
//   - flagged: the key is 0 or 2, the query 1, or 0 or 2 with a condition: 2, or 4.
//   - related: a sum of +-1 for the label and, for the preference, +-1/2 (flag) or 0, 1 (label):
//     different ones differ by at least 1.
//   - find, without `prefer`: the least of its terms' gaps, each times the length of the query or 1;
//     that is less than the score's distance both as it is and with the one query scaled.
//   - nearest: queries of any rational direction, no law.
class Facts {
 public:
  Facts(const Program& program, const Layout& layout)
      : p_(program), layout_(layout), numbers_(program) {}

  LayerFacts layer(const ScheduledLayer& scheduled, const LayerMasks& masks) const {
    LayerFacts facts;
    facts.attention = mask(masks.attention);
    facts.feedforward = mask(masks.feedforward);
    for (const Statement* statement : scheduled.attention)
      facts.heads.push_back(head(std::get<FetchStatement>(*statement), masks.attention));
    for (const Statement* statement : scheduled.feedforward)
      // The mask keeps the tested number with weight 1.
      if (const auto* test = std::get_if<TestStatement>(statement))
        facts.feedforward.zero = zero_law(p_, test->number, masks.feedforward.before);
    return facts;
  }

 private:
  MaskFacts mask(const MaskPlan& plan) const {
    MaskFacts facts;
    if (plan.type == MaskPlan::Type::constant) facts.scale = Rational(layout_.root) / plan.root;
    return facts;
  }

  /// Squared: the factor between a score in the file's units and one of the cells' values.
  Rational unit(const MaskPlan& plan) const {
    const Rational scale = plan.type == MaskPlan::Type::constant
                               ? Rational(layout_.root) / plan.root
                               : Rational(layout_.root);
    return scale * scale;
  }

  HeadFacts head(const FetchStatement& fetch, const MaskPlan& plan) const {
    HeadFacts facts;
    if (plan.type == MaskPlan::Type::constant) {
      std::visit([&](const auto& selector) { describe(selector, facts); }, fetch.selector);
    } else if (const auto* same = std::get_if<SelectSame>(&fetch.selector)) {
      describe_direction(*same, plan, facts);
    }
    const Rational factor = unit(plan);
    for (KeyBlock& block : facts.blocks) block.square *= factor;
    if (facts.gap) facts.gap->coefficient *= factor;
    return facts;
  }

  // --- of the cells' values ----------------------------------------------------------------------

  /// The next rows of the key hold a cell's value.
  static void add_block(HeadFacts& facts, std::uint32_t size, const Rational& square) {
    const std::uint32_t first = facts.blocks.empty() ? 0 : facts.blocks.back().rows.back() + 1;
    KeyBlock block{std::vector<std::uint32_t>(size), square};
    std::iota(block.rows.begin(), block.rows.end(), first);
    facts.blocks.push_back(std::move(block));
  }
  void add_block(HeadFacts& facts, CellId cell) const {
    const CellType& type = p_.cells[cell].type;
    add_block(facts, size_of(type), *squared_norm(type));
  }
  PositionCode code_of_key(CellId key) const { return *held_code(p_.cells[key].type); }

  void describe(const SelectAll&, HeadFacts&) const {}
  void describe(const SelectPointed& s, HeadFacts& facts) const {
    add_block(facts, s.key);
    facts.scaled = true;
    const PositionCode code = code_of_key(s.key);
    facts.gap = s.back > 0 ? shifted_phi_gap(code.parameter, s.back) : code_gap(code);
  }
  void describe(const SelectSame& s, HeadFacts& facts) const {
    facts.scaled = true;
    std::vector<SeparationLaw> laws;
    bool all = true;
    for (const CellId cell : s.cells) {
      add_block(facts, cell);
      if (std::holds_alternative<ConstantType>(p_.cells[cell].type)) continue;
      const auto law = gap_of_values(cell);
      if (law) laws.push_back(*law);
      all = all && law;
    }
    if (all && !laws.empty()) facts.gap = least(laws);
  }
  void describe(const SelectRightmost& s, HeadFacts& facts) const {
    const FirstComponent h{code_of_key(s.key)};
    const std::vector<SeparationLaw> laws = {{1, 0}, *difference(h, h)};
    facts.gap = least(laws);
  }
  void describe(const SelectNearest& s, HeadFacts& facts) const {
    add_block(facts, s.key);
    facts.scaled = true;
  }
  void describe(const SelectFlagged& s, HeadFacts& facts) const {
    facts.gap = SeparationLaw{s.when ? 4 : 2, 0};
  }
  void describe(const SelectFound& s, HeadFacts& facts) const {
    std::vector<SeparationLaw> laws;
    for (const FindTerm& term : s.terms) {
      add_block(facts, term.key);
      const auto gap = gap_of_values(term.key), length = query_length(p_, term.wanted);
      if (gap && length)
        laws.push_back({gap->coefficient * length->coefficient, gap->exponent + length->exponent});
    }
    facts.scaled = s.terms.size() == 1 && !s.prefer;
    if (!s.prefer && laws.size() == s.terms.size()) facts.gap = least(laws);
  }
  void describe(const SelectRelated&, HeadFacts& facts) const { facts.gap = SeparationLaw{1, 0}; }

  /// What two different values x, y of a cell lose: x.x - x.y.
  std::optional<SeparationLaw> gap_of_values(CellId cell) const {
    const CellType& type = p_.cells[cell].type;
    if (std::holds_alternative<FlagType>(type)) return SeparationLaw{2, 0};
    if (std::holds_alternative<OneHotType>(type)) return SeparationLaw{1, 0};
    if (const auto code = held_code(type)) return code_gap(*code);
    const auto* direction = std::get_if<DirectionType>(&type);
    if (!direction || !direction->integers) return std::nullopt;
    return direction_gap(direction->size, *direction->integers);
  }

  // --- of unit vectors ---------------------------------------------------------------------------

  /// `same` under the norm of exactly its cells: what it compares is the group's direction.
  void describe_direction(const SelectSame& s, const MaskPlan& plan, HeadFacts& facts) const {
    std::uint32_t size = 0;
    for (const CellId cell : s.cells) size += size_of(p_.cells[cell].type);
    if (size != plan.components.size()) return;  // a cell is listed twice
    add_block(facts, size, 1);
    facts.scaled = true;
    const auto bound = integer_bound(s.cells, plan.before);
    if (numbers_.position_ratio(plan.components, plan.before)) {
      facts.gap = code_gap(PositionCode::phi);
    } else if (bound) {
      facts.gap = direction_gap(size, *bound);
    }
  }

  /// The cells side by side are a positive multiple of a vector of integers at most this times N.
  std::optional<std::uint32_t> integer_bound(const std::vector<CellId>& cells,
                                             const AbstractState& before) const {
    const auto* direction = std::get_if<DirectionType>(&p_.cells[cells.front()].type);
    if (cells.size() == 1 && direction) return direction->integers;
    // (p, 1) and (m, 1) as they were given; p < N, m <= N.
    const bool given = std::all_of(cells.begin(), cells.end(),
                                   [&](CellId cell) { return before[cell].given.has_value(); });
    return given ? std::optional<std::uint32_t>(1) : std::nullopt;
  }

  const Program& p_;
  const Layout& layout_;
  const NumberProperties numbers_;
};

}  // namespace

PrecisionFacts prove_precision(const Program& program, const Schedule& schedule,
                               const MaskTypes& masks, const Layout& layout) {
  const Facts facts(program, layout);
  PrecisionFacts result;
  for (const Block block : {Block::initial, Block::repeated, Block::final})
    for (std::size_t i = 0; i < schedule.block(block).size(); ++i)
      result.layers.push_back(facts.layer(schedule.block(block)[i], masks.block(block)[i]));
  return result;
}

}}  // namespace logdepth::compiler_passes
