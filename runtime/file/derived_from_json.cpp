#include <algorithm>
#include <set>

#include "logdepth/errors.hpp"
#include "runtime/file/json_reader.hpp"
#include "runtime/file/model_json.hpp"

namespace logdepth::inline runtime_file {
namespace {

class FactsReader : JsonReader {
 public:
  FactsReader(const JsonTape& tape, const std::string& source, const std::vector<Layer>& layers)
      : JsonReader(tape, source), layers_(layers) {}

  Derived derived(Node node) const {
    expect(node, Kind::object);
    Derived out;
    for (const auto& [key, value] : entries(node)) {
      const bool is_text = tape_.kind(value) == Kind::string;
      if (key == "depth" && is_text) {
        out.depth = text(value);
      } else if (key == "program" && is_text) {
        out.program = text(value);
      } else {
        if (key == "precision") out.precision = precision_that_fits(value);
        if (key != "precision" || !out.precision) out.others.emplace(key, member(value));
      }
    }
    return out;
  }

 private:
  /// Absent where it is not spelled as the format says, or is of other layers and heads.
  std::optional<PrecisionFacts> precision_that_fits(Node node) const {
    try {
      PrecisionFacts out;
      out.layers = list(node, [&](Node child) { return layer(child); });
      if (out.layers.size() != layers_.size()) return std::nullopt;
      for (std::size_t l = 0; l < layers_.size(); ++l)
        if (!fits(out.layers[l], layers_[l])) return std::nullopt;
      return out;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  static bool fits(const LayerFacts& facts, const Layer& layer) {
    const auto& heads = layer.attention.heads;
    if (facts.heads.size() != heads.size()) return false;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      std::set<std::uint32_t> seen;
      for (const KeyBlock& block : facts.heads[h].blocks)
        for (const std::uint32_t row : block.rows)
          if (row >= heads[h].key.rows || !seen.insert(row).second) return false;
    }
    return true;
  }

  // What is empty is left out, so that facts have one spelling and are written as they were read.
  template <class Items>
  Items some(Node node, Items items) const {
    if (items.empty()) fail(node, "empty; leave it out");
    return items;
  }
  Rational positive(Node node) const {
    Rational value = rational(node);
    if (value.sign() <= 0) fail(node, "expected a positive number");
    return value;
  }
  std::optional<SeparationLaw> law(Node node) const {
    if (node == kAbsent) return std::nullopt;
    const auto [coefficient, exponent] = tuple<2>(node, "[\"p/q\",exponent]");
    return SeparationLaw{positive(coefficient), integer(exponent, 0, kMaxSeparationExponent)};
  }
  MaskFacts mask(Node node) const {
    MaskFacts out;
    if (node == kAbsent) return out;
    const auto [scale, zero] = members(node, std::array{"scale?", "zero?"});
    if (scale != kAbsent) out.scale = positive(scale);
    out.zero = law(zero);
    if (out == MaskFacts{}) fail(node, "nothing is known; leave it out");
    return out;
  }
  KeyBlock block(Node node) const {
    const auto [rows, square] = members(node, std::array{"rows", "square"});
    KeyBlock out{some(rows, integers(rows)), positive(square)};
    if (!std::is_sorted(out.rows.begin(), out.rows.end())) fail(rows, "rows do not increase");
    return out;
  }
  HeadFacts head(Node node) const {
    const auto [blocks, scaled, gap] = members(node, std::array{"blocks?", "scaled?", "gap?"});
    HeadFacts out;
    if (blocks != kAbsent)
      out.blocks = some(blocks, list(blocks, [&](Node child) { return block(child); }));
    out.scaled = flag(scaled);
    if (out.scaled && out.blocks.empty()) fail(scaled, "only blocks are scaled");
    out.gap = law(gap);
    return out;
  }
  LayerFacts layer(Node node) const {
    const auto [attention, feedforward, heads] =
        members(node, std::array{"attention?", "feedforward?", "heads?"});
    LayerFacts out{mask(attention), mask(feedforward), {}};
    if (heads != kAbsent)
      out.heads = some(heads, list(heads, [&](Node child) { return head(child); }));
    return out;
  }

  const std::vector<Layer>& layers_;
};

}  // namespace

Derived derived_from_json(const JsonTape& tape, JsonTape::Node node, const std::string& source,
                          const std::vector<Layer>& layers) {
  return FactsReader(tape, source, layers).derived(node);
}

}  // namespace logdepth::inline runtime_file
