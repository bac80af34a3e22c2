#include "tests/support/mutation.hpp"

#include <map>
#include <utility>
#include <vector>

namespace logdepth::support {
namespace {

class WeightsMutation {
 public:
  WeightsMutation(const Model& model, std::mt19937_64& random) : random_(random) {
    mutant_.model = model;
  }

  std::optional<Mutant> draw() {
    // Numbers are most of a file, so they are most of the draws.
    const std::size_t which = below(30);
    const bool changed = which < 4    ? in_mask()
                         : which < 11 ? in_head()
                         : which < 18 ? in_feedforward()
                         : which < 20 ? in_embedding()
                         : which < 21 ? in_position()
                         : which < 24 ? in_unembedding()
                         : which < 25 ? causal_flag()
                         : which < 26 ? head_output()
                         : which < 27 ? contract()
                         : which < 28 ? output()
                         : which < 29 ? unrolling()
                                      : layers();
    if (!changed) return std::nullopt;
    return std::move(mutant_);
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  template <class T>
  T& pick(std::vector<T>& from) {
    return from[below(from.size())];
  }
  Model& m() { return mutant_.model; }
  bool describe(const std::string& place, const std::string& edit, const std::string& what) {
    mutant_.place = place;
    mutant_.edit = edit;
    mutant_.what = what;
    return true;
  }

  // --- one number --------------------------------------------------------------------------------

  struct Edited {
    std::string edit;
    Rational value;
  };
  /// A new value for a non-zero; zero drops it.
  Edited edited(const Rational& old) {
    switch (below(5)) {
      case 0:
        return {"dropped", Rational()};
      case 1:
        return {"sign flipped", -old};
      case 2:
        return {"one added", old + Rational(1)};
      case 3:
        return {"doubled", old + old};
      default:
        return {"halved", old * Rational(1, 2)};
    }
  }

  bool edit(SparseVector& vector, const std::string& place, const std::string& where) {
    if (vector.empty()) return false;
    std::map<std::uint32_t, Rational> values;
    for (const SparseEntry& e : vector) values[e.index] = e.value;
    const SparseEntry entry = pick(vector);
    const std::string at = where + " [" + std::to_string(entry.index) + "] = " + entry.value.text();
    if (below(5) == 0) {
      const std::uint32_t to = below(2) ? entry.index + 1 : entry.index - 1;
      if (to >= m().width) return false;
      values[entry.index] = 0;
      values[to] += entry.value;
      describe(place, "moved", at + " to [" + std::to_string(to) + "]");
    } else {
      const auto [name, value] = edited(entry.value);
      values[entry.index] = value;
      describe(place, name, at);
    }
    vector.clear();
    for (const auto& [index, value] : values)
      if (!value.is_zero()) vector.push_back({index, value});
    return true;
  }

  bool edit(SparseMatrix& matrix, const std::string& place, const std::string& where) {
    if (matrix.entries.empty()) return false;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Rational> values;
    for (const MatrixEntry& e : matrix.entries) values[{e.row, e.column}] = e.value;
    const MatrixEntry entry = pick(matrix.entries);
    const std::string at = where + " [" + std::to_string(entry.row) + "," +
                           std::to_string(entry.column) + "] = " + entry.value.text();
    if (below(4) == 0) {
      auto [row, column] = std::pair(entry.row, entry.column);
      (below(2) ? row : column) += below(2) ? 1u : ~0u;
      if (row >= matrix.rows || column >= matrix.columns) return false;
      values[{entry.row, entry.column}] = 0;
      values[{row, column}] += entry.value;
      describe(place, "moved",
               at + " to [" + std::to_string(row) + "," + std::to_string(column) + "]");
    } else {
      const auto [name, value] = edited(entry.value);
      values[{entry.row, entry.column}] = value;
      describe(place, name, at);
    }
    matrix.entries.clear();
    for (const auto& [at_place, value] : values)
      if (!value.is_zero()) matrix.entries.push_back({at_place.first, at_place.second, value});
    return true;
  }

  Layer& some_layer(std::string& where) {
    const std::size_t layer = below(m().layers.size());
    where = "layer " + std::to_string(layer);
    return m().layers[layer];
  }
  Head* some_head(std::string& where) {
    Layer& layer = some_layer(where);
    if (layer.attention.heads.empty()) return nullptr;
    const std::size_t head = below(layer.attention.heads.size());
    where += " head " + std::to_string(head);
    return &layer.attention.heads[head];
  }

  bool in_mask() {
    std::string where;
    Layer& layer = some_layer(where);
    const bool attention = below(2);
    return edit(attention ? layer.attention.mask : layer.feedforward.mask, "mask",
                where + (attention ? " attention mask" : " feed-forward mask"));
  }
  bool in_head() {
    std::string where;
    Head* const head = some_head(where);
    if (!head) return false;
    switch (below(4)) {
      case 0:
        return edit(head->query, "query or key", where + " query");
      case 1:
        return edit(head->key, "query or key", where + " key");
      case 2:
        return edit(head->value, "value or output", where + " value");
      default:
        return edit(head->output, "value or output", where + " output");
    }
  }
  bool in_feedforward() {
    std::string where;
    FeedForward& block = some_layer(where).feedforward;
    const bool in = below(2);
    return edit(in ? block.in : block.out, "feed-forward in or out",
                where + (in ? " feed-forward in" : " feed-forward out"));
  }
  bool in_embedding() {
    if (m().embedding.empty()) return false;  // raw streams have none
    auto kind = m().embedding.begin();
    std::advance(kind, below(m().embedding.size()));
    return edit(kind->second, "embedding", "embedding of " + kind->first);
  }
  bool in_unembedding() { return edit(m().unembedding, "unembedding", "unembedding"); }

  bool in_position() {
    if (auto* flag = std::get_if<FirstFlagPosition>(&m().position))
      return below(2) ? edit(flag->first, "position", "first-flag, first")
                      : edit(flag->rest, "position", "first-flag, rest");
    auto* codes = std::get_if<CodePosition>(&m().position);
    if (!codes || codes->fills.empty()) return false;
    const std::size_t index = below(codes->fills.size());
    CodeFill& fill = codes->fills[index];
    const std::string where = "fill " + std::to_string(index);
    switch (below(5)) {
      case 0:
        ++fill.back;
        return describe("position", "one further back", where);
      case 1:
        if (fill.back == 0) return false;
        --fill.back;
        return describe("position", "one less back", where);
      case 2: {
        const auto [name, value] = edited(fill.scale);
        fill.scale = value;
        return describe("position", name, where + " scale");
      }
      case 3:
        std::swap(fill.at.front(), fill.at.back());
        return describe("position", "moved", where + ", two coordinates exchanged");
      default:
        codes->code =
            codes->code == PositionCode::circle ? PositionCode::two_circle : PositionCode::circle;
        return describe("position", "other code", "circle for two-circle or the reverse");
    }
  }

  // --- one flag, promise or count ----------------------------------------------------------------

  bool causal_flag() {
    std::string where;
    Head* const head = some_head(where);
    if (!head) return false;
    head->causal = !head->causal;
    return describe("causal flag", "flipped", where);
  }

  bool head_output() {
    std::string where;
    Head* const head = some_head(where);
    if (!head || head->output.entries.empty()) return false;
    // All that one value row writes goes to another coordinate.
    const std::uint32_t row = pick(head->output.entries).column;
    const auto shift = static_cast<std::uint32_t>(1 + below(m().width - 1));
    std::map<std::pair<std::uint32_t, std::uint32_t>, Rational> values;
    for (const MatrixEntry& e : head->output.entries)
      values[{e.column == row ? (e.row + shift) % m().width : e.row, e.column}] += e.value;
    head->output.entries.clear();
    for (const auto& [place, value] : values)
      head->output.entries.push_back({place.first, place.second, value});
    return describe("head output", "moved",
                    where + ", value " + std::to_string(row) + " by " + std::to_string(shift));
  }

  bool contract() {
    std::string where;
    Head* const head = some_head(where);
    if (!head) return false;
    if (auto* rightmost = std::get_if<RightmostContract>(&head->contract); rightmost && below(2))
      return edit(rightmost->flag, "promise", where + " flag");
    const Contract old = head->contract;
    switch (below(4)) {
      case 0:
        head->contract = UniformContract{};
        break;
      case 1:
        head->contract = MatchContract{true};
        break;
      case 2:
        head->contract = MatchContract{false};
        break;
      default:
        head->contract = RightmostContract{{{static_cast<std::uint32_t>(below(m().width)), 1}}};
    }
    if (head->contract == old) return false;
    const char* const names[] = {"uniform", "match", "rightmost"};
    const auto* match = std::get_if<MatchContract>(&head->contract);
    return describe("promise", "replaced",
                    where + ", now " + names[head->contract.index()] +
                        (match ? match->exactly_one ? " one" : " some" : ""));
  }

  bool output() {
    auto* accept = std::get_if<AcceptOutput>(&m().output);
    if (!accept) return false;
    auto* points = std::get_if<TransformationReadout>(&accept->prefix);
    auto* element = std::get_if<ElementReadout>(&accept->prefix);
    switch (below(3)) {
      case 0:
        std::swap(accept->accept, accept->reject);
        return describe("output", "accept and reject exchanged", "verdict");
      case 1:
        if (points) ++points->first_row;
        if (element) ++element->first_row;
        return (points || element) && describe("output", "first row off by one", "prefix");
      default:
        if (element) {
          const std::size_t i = below(element->elements.size());
          const std::size_t j = below(element->elements.size());
          if (i == j) return false;
          std::swap(element->elements[i], element->elements[j]);
          return describe("output", "two elements exchanged",
                          "elements " + std::to_string(i) + " and " + std::to_string(j));
        }
        if (!points) return false;
        std::uint32_t& image = pick(pick(points->images));
        image = (image + 1) % points->points;
        return describe("output", "another image", "prefix");
    }
  }

  bool unrolling() {
    Unroll& unroll = m().unroll;
    if (unroll.max_length) {
      const bool longer = below(2);
      if (below(2)) {
        unroll.max_length = *unroll.max_length + (longer ? 1 : -1);
        return describe("unroll", longer ? "limit one more" : "limit one less", "max_length");
      }
      // One loop more or less: all copies of the repeated block are alike.
      if (longer) {
        m().layers.push_back(m().layers.back());
        ++m().shape.initial;
      } else {
        m().layers.pop_back();
        --m().shape.initial;
      }
      return describe("unroll", longer ? "one loop more" : "one loop less", "unrolled layers");
    }
    if (unroll.kind == Unroll::Kind::fixed || m().shape.repeated == 0) {
      ++unroll.loops;
      return m().shape.repeated > 0 && describe("unroll", "one loop more", "fixed");
    }
    if (below(2)) {
      unroll.minus = 1;
      return describe("unroll", "minus one", "ceil(log2(n - 1))");
    }
    unroll.kind = Unroll::Kind::fixed;
    unroll.loops = static_cast<std::uint32_t>(below(5));
    return describe("unroll", "fixed", std::to_string(unroll.loops) + " loops");
  }

  bool layers() {
    const std::size_t layer = below(m().layers.size());
    const std::string where = "layer " + std::to_string(layer);
    Layer& changed = m().layers[layer];
    switch (below(4)) {
      case 0: {
        const Block old = changed.block;
        changed.block = static_cast<Block>((static_cast<int>(old) + 1 + below(2)) % 3);
        return describe("layers", "another block", where);
      }
      case 1: {
        Layer& other = pick(m().layers);
        if (changed == other) return false;
        std::swap(changed.attention, other.attention);
        std::swap(changed.feedforward, other.feedforward);
        return describe("layers", "two exchanged", where + " and another");
      }
      case 2:
        if (changed.attention.heads.empty()) return false;
        if (below(2)) {
          changed.attention.heads.pop_back();
          return describe("layers", "a head dropped", where);
        }
        changed.attention.heads.push_back(changed.attention.heads.front());
        return describe("layers", "a head doubled", where);
      default:
        if (changed.attention.mask == changed.feedforward.mask) return false;
        std::swap(changed.attention.mask, changed.feedforward.mask);
        return describe("layers", "the two masks exchanged", where);
    }
  }

  std::mt19937_64& random_;
  Mutant mutant_;
};

}  // namespace

std::optional<Mutant> mutate_weights(const Model& model, std::mt19937_64& random) {
  return WeightsMutation(model, random).draw();
}

}  // namespace logdepth::support
