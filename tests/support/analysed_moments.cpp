#include "tests/support/analysed_moments.hpp"

#include <algorithm>
#include <stdexcept>

#include "compiler/analysis/number_properties.hpp"
#include "compiler/passes/norm_types.hpp"

namespace logdepth::support {
namespace {

class Analysed {
 public:
  Analysed(const Program& program, const Model& model)
      : p_(program), model_(model), numbers_(program), ranges_(program, model) {}

  Moments build() {
    const Schedule schedule = schedule_layers(p_);
    const MaskTypes types = type_masks(p_, schedule);
    Moments moments;
    for (const Block block : {Block::initial, Block::repeated, Block::final})
      for (const LayerMasks& layer : types.block(block))
        moments.layers.push_back(
            {tokens(layer.attention.before), tokens(layer.feedforward.before), {}, {}, {}});
    if (moments.layers.size() != model_.layers.size())
      throw std::logic_error("the model is not that of its program");
    moments.verdicts = verdicts();
    return moments;
  }

 private:
  /// At the end: what the logits read is a few flags and labels, each with any of its values.
  std::vector<TokenRanges> verdicts() const {
    constexpr std::size_t kMost = 256;
    std::vector<FiniteValues> all = {{}};
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
      const auto& at = model_.cells.at(p_.cells[cell].name).coordinates;
      const bool read = std::ranges::any_of(model_.unembedding.entries, [&](const auto& entry) {
        return std::ranges::find(at, entry.column) != at.end();
      });
      const CellType& type = p_.cells[cell].type;
      const bool flag = std::holds_alternative<FlagType>(type);
      if (!read || !(flag || std::holds_alternative<OneHotType>(type))) continue;
      const std::uint32_t values = flag ? 2 : size_of(type);
      if (all.size() * values > kMost) return {};
      std::vector<FiniteValues> more;
      for (const FiniteValues& one : all)
        for (std::uint32_t value = 0; value < values; ++value) {
          more.push_back(one);
          more.back()[cell] = value;
        }
      all = std::move(more);
    }
    std::vector<TokenRanges> found;
    for (const FiniteValues& values : all) {
      TokenRanges ranges = ranges_.build({values, {}, {}});
      for (CellId cell = 0; cell < p_.cells.size(); ++cell)
        if (!values.contains(cell) && !std::holds_alternative<ConstantType>(p_.cells[cell].type))
          for (const std::uint32_t i : model_.cells.at(p_.cells[cell].name).coordinates)
            hold(ranges, model_, i, {0, 0, true, true});  // may be anything
      found.push_back(std::move(ranges));
    }
    return found;
  }

  std::vector<TokenRanges> tokens(const AbstractState& state) const {
    std::vector<TokenRanges> found;
    for (const auto& kind : numbers_.bounds().classes()) {
      std::vector<std::vector<Range>> cells;
      for (CellId cell = 0; cell < p_.cells.size(); ++cell)
        cells.push_back(cell_ranges(cell, kind, state));
      found.push_back(ranges_.place(cells));
    }
    return found;
  }

  std::vector<Range> cell_ranges(CellId cell, const FormBounds::TokenClass& kind,
                                 const AbstractState& state) const {
    const AbstractValue& value = state[cell];
    const CellType& type = p_.cells[cell].type;
    std::vector<Range> ranges(size_of(type));
    if (value.kind == AbstractValue::Kind::blank) return ranges;
    for (std::uint32_t i = 0; i < ranges.size(); ++i)
      ranges[i] = value.kind == AbstractValue::Kind::number ? of_number({cell, i}, kind, state)
                                                            : of_typed({cell, i}, kind, state);
    return ranges;
  }

  /// Of numbers the analysis knows signs, and that a sum of nothing is zero.
  Range of_number(const Component& c, const FormBounds::TokenClass& kind,
                  const AbstractState& state) const {
    const AbstractValue& value = state[c.cell];
    if (!value.unknown && !value.given && value.sums.at(c.index).empty()) return {};
    Range range{0, 0, true, true};
    const Signs signs = numbers_.signs(c, state);
    if (signs.nonnegative || (kind.first ? signs.positive_first : signs.positive_rest))
      range.unbounded_below = false;
    return range;
  }

  /// What a cell of a finite type holds is told by form_bounds, what a code can be by its type.
  Range of_typed(const Component& c, const FormBounds::TokenClass& kind,
                 const AbstractState& state) const {
    const CellType& type = p_.cells[c.cell].type;
    const AbstractValue& value = state[c.cell];
    if (std::holds_alternative<FlagType>(type) || std::holds_alternative<OneHotType>(type)) {
      const auto interval = numbers_.bounds().range({{c, Rational(1)}}, kind, state);
      return {interval.low, interval.high};
    }
    Range range = RangeBuilder::range_of(type, c.index);
    if (!value.positive.empty() && value.positive[c.index]) range.low = 0;
    return range;
  }

  const Program& p_;
  const Model& model_;
  const NumberProperties numbers_;
  const RangeBuilder ranges_;
};

}  // namespace

Moments analysed_moments(const Program& program, const Model& model) {
  return Analysed(program, model).build();
}

}  // namespace logdepth::support
